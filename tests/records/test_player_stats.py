"""The page of figures: what a player's rounds came to, in all, by rule set and by day."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries
from time_machine import TimeMachineFixture

from accounts.models import Account, User, WalletEntry
from tables.game.history_reset import reset_history
from tables.models import Tally
from tables.records import player_stats
from tables.records.player_stats import DayStats, Period, RuleStats
from tables.results import projector
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, new_player

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
MONDAY = dt.datetime(2026, 5, 4, 20, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
BLACKJACK, LOST, SPLIT = "As 9h Kd 7c", "Ts 9h 8d Kc", "8s Td 8d 9c Kc 3d 9s"


@pytest.fixture
def monday(time_machine: TimeMachineFixture) -> TimeMachineFixture:
    """The clock, which stands at an evening until a test moves it."""
    time_machine.move_to(MONDAY, tick=False)
    return time_machine


@pytest.fixture
def played(monday: TimeMachineFixture, stack: Stack) -> User:
    """Ann: lost 40 nine days ago; a blackjack on Sunday; today 18 and 21 against 19, and a hand
    without stakes that lost.
    """
    monday.move_to(MONDAY - 10 * DAY, tick=False)
    ann = new_player("ann")
    casino, classic = new_table("casino"), new_table("classic")
    for days, shoe, stake, actions in (
        (9, LOST, 4000, ("stand",)),
        (1, BLACKJACK, 1000, ()),
        (0, SPLIT, 1000, ("split", "stand", "double")),
    ):
        monday.move_to(MONDAY - days * DAY, tick=False)
        play(casino, ann, stack, shoe, stake, *actions)
    play(classic, ann, stack, "Ts 8d 9h Kc", 0, "stand")
    projector.catch_up()
    return ann


def play(at: TableClient, user: User, stack: Stack, shoe: str, stake: int, *actions: str) -> None:
    stack(shoe)
    at.now = dt.datetime.now(dt.UTC)
    at.sit(user, 1)
    at.bet(user, stake)
    for action in actions:
        at.act(user, action)
    assert not at.live.game.is_playing


@pytest.fixture
def anns(client: Client, played: User) -> Client:
    client.force_login(played)
    return client


def page(client: Client, query: str = "") -> str:
    answer = client.get(f"/figures/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def tiles(text: str) -> dict[str, str]:
    """What the figures of all rounds are, by their names."""
    pairs = re.findall(r"<dt>(.*?)</dt><dd.*?>(.*?)</dd>", text, re.DOTALL)
    return {name: plain(value) for name, value in pairs}


def plain(markup: str) -> str:
    return " ".join(re.sub(r"<.*?>", " ", markup).split())


def rows(text: str, heading: str) -> list[list[str]]:
    """The rows of the table under this heading, below its head."""
    table = text.split(f">{heading}</h2>")[1].split("<tbody")[1].split("</tbody>")[0]
    row_texts = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    return [[plain(c) for c in re.findall(r"<t[hd].*?</t[hd]>", r, re.DOTALL)] for r in row_texts]


# What they are


def test_everything_is_added_up(played: User) -> None:
    in_all, casino, classic = player_stats.load_rule_stats(played.pk, None)
    assert in_all == RuleStats(
        rules_key="", rounds=4, won=2, lost=2, pushed=0, blackjacks=1, busts=0, doubles=1,
        splits=1, staked=8000, net=-1500, biggest_win=1500, longest_streak=2,
    )  # fmt: skip
    assert casino == RuleStats(
        rules_key="casino", rounds=3, won=2, lost=1, pushed=0, blackjacks=1, busts=0, doubles=1,
        splits=1, staked=8000, net=-1500, biggest_win=1500, longest_streak=2,
    )  # fmt: skip
    assert classic == RuleStats(
        rules_key="classic", rounds=1, won=0, lost=1, pushed=0, blackjacks=0, busts=0, doubles=0,
        splits=0, staked=0, net=0, biggest_win=0, longest_streak=0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("period", "rounds", "net"),
    [(Period.DAY, 2, 1000), (Period.WEEK, 3, 2500), (Period.ALL, 4, -1500)],
)
def test_a_period_counts_its_own_days(played: User, period: Period, rounds: int, net: int) -> None:
    in_all = player_stats.load_rule_stats(played.pk, period.first_day(MONDAY.date()))[0]
    assert (in_all.rounds, in_all.net) == (rounds, net)


def test_the_last_seven_days_are_today_and_six_before(played: User) -> None:
    assert Period.WEEK.first_day(MONDAY.date()) == MONDAY.date() - 6 * DAY
    Tally.objects.filter(day=MONDAY.date() - DAY).update(day=MONDAY.date() - 6 * DAY)
    since = Period.WEEK.first_day(MONDAY.date())
    assert player_stats.load_rule_stats(played.pk, since)[0].rounds == 3
    Tally.objects.filter(day=MONDAY.date() - 6 * DAY).update(day=MONDAY.date() - 7 * DAY)
    assert player_stats.load_rule_stats(played.pk, since)[0].rounds == 2


def test_rule_sets_stand_in_the_order_of_the_lobby_and_old_ones_last(ann: User) -> None:
    for key in ("piles", "old", "casino", "", "pot"):
        Tally.objects.create(user=ann, rules_key=key, day=MONDAY, rounds=1)
    stats = player_stats.load_rule_stats(ann.pk, None)
    assert [own.rules_key for own in stats] == ["", "casino", "pot", "piles", "old"]
    assert [own.title for own in stats][1:] == ["Casino", "Pot", "Piles", "old"]


def test_a_row_in_which_no_round_was_counted_is_nothing(ann: User) -> None:
    """One is made for a round that the history does not show any more."""
    Tally.objects.create(user=ann, rules_key="", day=MONDAY)
    assert player_stats.load_rule_stats(ann.pk, None) == []
    assert player_stats.load_day_stats(ann.pk, None) == []


def test_days_are_told_newest_first_and_thirty_of_them(ann: User, ben: User) -> None:
    for number in range(40):
        day = MONDAY.date() - 2 * number * DAY
        for user, key in ((ann, ""), (ann, "casino"), (ben, "")):
            Tally.objects.create(
                user=user, rules_key=key, day=day, rounds=number + 1, staked=500, net=-number
            )
    days = player_stats.load_day_stats(ann.pk, None)
    assert len(days) == 30
    assert days[:2] == [
        DayStats(MONDAY.date(), 1, 500, 0), DayStats(MONDAY.date() - 2 * DAY, 2, 500, -1)
    ]  # fmt: skip
    assert len(player_stats.load_day_stats(ann.pk, MONDAY.date() - 6 * DAY)) == 4


# The page


def test_the_page_shows_them_in_all_and_by_rule_set(anns: Client) -> None:
    text = page(anns)
    assert tiles(text) == {
        "Rounds": "4", "Won": "2", "Lost": "2", "Pushed": "0", "Net": "−15", "Total bet": "80",
        "Biggest win": "15", "Longest streak": "2", "Blackjacks": "1", "Busts": "0",
        "Doubles": "1", "Splits": "1",
    }  # fmt: skip
    none = "– no bets"
    assert rows(text, "By rule set") == [
        ["Casino", "3", "2", "1", "0", "1", "0", "1", "1", "2", "15", "80", "−15"],
        ["Classic", "1", "0", "1", "0", "0", "0", "0", "0", "0", none, none, none],
    ]
    assert rows(text, "Day by day") == [
        ["4 May 2026", "2", "+10"], ["3 May 2026", "1", "+15"], ["25 Apr 2026", "1", "−40"],
    ]  # fmt: skip


def test_a_day_shows_the_day_and_a_day_of_no_stakes_shows_no_money(
    anns: Client, monday: TimeMachineFixture, played: User, stack: Stack
) -> None:
    assert tiles(page(anns, "?period=day"))["Net"] == "+10"
    assert "Day by day" not in page(anns, "?period=day")
    monday.move_to(MONDAY + DAY, tick=False)
    text = page(anns, "?period=day")
    assert "You played no rounds in this period." in text
    assert text.count("<svg") > 1
    assert "By rule set" not in text
    play(new_table("heads-up"), played, stack, "Ts 8d 9h Kc", 0, "stand")
    assert tiles(page(anns, "?period=day"))["Net"] == "– no bets"


def test_the_chart_is_of_the_same_period(anns: Client) -> None:
    assert "500 on 24 Apr, 20:00, 485 now" in page(anns)
    assert "460 on 28 Apr, 00:00, 485 now" in page(anns, "?period=week")
    assert "475 on 4 May, 00:00, 485 now" in page(anns, "?period=day")


def test_the_period_that_is_shown_is_marked(anns: Client) -> None:
    for query, period in (("?period=day", "day"), ("?period=week", "week"), ("", "all")):
        marked = re.findall(r'\?period=(\w+)" aria-current="page"', page(anns, query))
        assert marked == [period]


@pytest.mark.parametrize(
    "query", ["?period=", "?period=year", "?period=%00", "?period=DAY", "?period=" + "9" * 4000]
)
def test_an_unknown_period_is_all(anns: Client, query: str) -> None:
    assert tiles(page(anns, query))["Rounds"] == "4"


def test_who_has_not_played_is_shown_the_way_to_a_table(client: Client, ben: User) -> None:
    client.force_login(ben)
    text = page(client)
    assert "No rounds yet." in text
    assert text.count("<svg") == 1, "the bell alone"
    assert "?period=" not in text


def test_an_emptied_history_has_no_figures_and_begins_with_the_balance_then(
    anns: Client, monday: TimeMachineFixture, played: User, stack: Stack
) -> None:
    monday.move_to(MONDAY + dt.timedelta(minutes=5), tick=False)
    reset_history(played.pk)
    assert "No rounds yet." in page(anns)
    monday.move_to(MONDAY + dt.timedelta(minutes=9), tick=False)
    play(new_table("casino"), played, stack, BLACKJACK, 1000)
    text = page(anns)
    assert tiles(text)["Rounds"] == "1"
    assert "485 on 4 May, 20:05, 500 now" in text


def test_an_operator_without_a_wallet_has_figures_without_a_chart(client: Client) -> None:
    olga = User.objects.create_user("olga", is_staff=True)
    Tally.objects.create(user=olga, rules_key="", day=MONDAY, rounds=1)
    client.force_login(olga)
    assert page(client).count("<svg") == 1, "the bell alone"


def test_they_are_for_who_is_logged_in_and_show_nobody_elses(
    client: Client, anns: Client, played: User, ben: User
) -> None:
    anns.force_login(ben)
    assert "No rounds yet." in page(anns)
    assert Client().get("/figures/")["Location"] == "/accounts/login/?next=/figures/"
    assert anns.post("/figures/").status_code == 405


def test_it_asks_as_much_for_many_rounds_as_for_few(
    anns: Client, played: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    # Session, user, gaming days, uncounted rounds, figures, grades, days, six for the chart, wallet, notices.
    with django_assert_num_queries(15):
        page(anns)
    Tally.objects.bulk_create(
        Tally(user=played, rules_key=key, day=MONDAY - number * DAY, rounds=1)
        for number in range(20, 400)
        for key in ("", "casino", "vegas", "pot", "piles")
    )
    wallet = Account.objects.get(user=played)
    WalletEntry.objects.bulk_create(
        WalletEntry(
            kind="stake", wallet=wallet, seq=wallet.seq + number, amount=-1, at=MONDAY,
            round=0, place=str(number), balance=number,
        )
        for number in range(1, 501)
    )  # fmt: skip
    Account.objects.filter(pk=wallet.pk).update(seq=wallet.seq + 500)
    with django_assert_num_queries(15):
        page(anns)


def test_tallies_are_found_by_their_index(ann: User) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("plans are told in SQLite's words")
    with CaptureQueriesContext(connection) as queries:
        for since in (None, MONDAY.date()):
            player_stats.load_rule_stats(ann.pk, since)
            player_stats.load_day_stats(ann.pk, since)
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plan = " ".join(row[3] for row in cursor.fetchall())
            assert re.fullmatch(r"SEARCH tables_tally USING INDEX \S+ \(user_id=\?.*\)", plan)
            assert "TEMP B-TREE" not in plan


def test_two_players_at_a_table_have_figures_of_their_own(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("As Ts 9h Kd 6d 7c Kh")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 2000)
    casino.act(ben, "hit")
    projector.catch_up()
    assert [own.net for own in player_stats.load_rule_stats(ann.pk, None)] == [1500, 1500]
    assert [own.busts for own in player_stats.load_rule_stats(ben.pk, None)] == [1, 1]
