"""The list of a player's rounds: what is in it, page by page, and filtered."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from tables.models import PileGame, Result, Table
from tables.records import rounds as records_rounds
from tables.records.round_entries import HistoryEntry
from tables.records.rounds import (
    EVERYTHING,
    RoundCursor,
    RoundFilters,
    filter_first_results,
    filter_older,
)
from tests.helpers.rounds import new_table, play_round
from tests.helpers.sqlite_statistics import COUNTS_BY_ITSELF, SQLITE_ALONE, counted
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
NATURAL, WIN, LOSE, SPLIT = (
    "As 9h Kd 7c",
    "Ts Th 8s 7h",
    "Ts Th 7s 9h",
    "8s 6h 8d Kc 2c 3d 9s Ts Th",
)


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    """A browser in which ann is logged in."""
    client.force_login(ann)
    return client


def play(at: TableClient, user: User, stack: Stack, cards: str, *actions: str) -> Result:
    """A round of this user with these cards, a second after the last one anywhere."""
    last = Result.objects.first()
    at.now = max(at.now, last.finished_at if last else at.now)
    at.later(1)
    if not at.row.seats.filter(user=user).exists():
        at.sit(user, 1)
    stack(cards)
    at.bet(user, 1000 if at.row.rules.stakes else 0)
    for action in actions:
        at.act(user, action)
    return Result.objects.latest("pk")


def play_game(at: TableClient, user: User, chance: int = 1) -> PileGame:
    """A whole game of piles."""
    before = PileGame.objects.count()
    while PileGame.objects.count() == before:
        at.later(1)
        play_round(at, [user], Random(chance))
        chance += 1
    return PileGame.objects.latest("pk")


def entries_of(answer: HttpResponse) -> list[HistoryEntry]:
    assert answer.status_code == 200
    entries: list[HistoryEntry] = answer.context["page"].entries
    return entries


def list_ids(anns: Client, **query: Any) -> list[int]:
    """The rounds that the page shows under these filters; of a game, its first."""
    return [entry.first.id for entry in entries_of(anns.get("/history/", query))]


def text_of(answer: HttpResponse) -> str:
    """The words of a page, without its markup."""
    page = answer.content.decode().split("<main")[1]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


# What an entry tells


def test_an_entry_says_where_what_and_how_often_was_decided(
    anns: Client, vegas: TableClient, ann: User, stack: Stack
) -> None:
    played = play(vegas, ann, stack, "8s 6h 8d Kc 2c 3d 9s Ts Th", "split", "double", "stand")
    answer = anns.get("/history/")
    page = answer.content.decode()
    assert f'href="/rounds/{played.round_id}/"' in page
    text = text_of(answer)
    assert "The vegas table Vegas" in text
    assert "19 Won doubled" in text
    assert "11 Won All hands together: Won" in text
    assert "3 30 60 +30 " in text


def test_several_hands_of_a_round_are_summed_up_in_words(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    play(casino, ann, stack, "8s Th 8d 9h 2c 3d", "split", "stand", "stand")
    assert "All hands together: Lost" in text_of(anns.get("/history/"))


def test_a_round_without_stakes_has_no_amounts(
    anns: Client, classic: TableClient, ann: User, stack: Stack
) -> None:
    play(classic, ann, stack, "Ts 8s Th 7h", "stand")
    text = text_of(anns.get("/history/"))
    assert "no bets" in text
    assert "+0" not in text


def test_a_game_of_piles_is_one_entry_with_its_hands_inside(
    anns: Client, piles: TableClient, ann: User
) -> None:
    piles.sit(ann, 1)
    game = play_game(piles, ann)
    (entry,) = entries_of(anns.get("/history/"))
    ids = list(Result.objects.order_by("pk").values_list("round_id", flat=True))
    assert len(ids) > 3
    assert [played.id for played in entry.rounds] == ids
    assert entry.decisions == sum(Result.objects.values_list("decisions", flat=True))
    answer = anns.get("/history/")
    text = text_of(answer)
    assert f"Game over: you {game.player} cards, dealer {game.house}." in text
    assert f"{len(ids)} hands" in text
    page = answer.content.decode()
    assert [int(pk) for pk in re.findall(r'href="/rounds/(\d+)/"', page)] == ids
    assert page.count('class="card') > 26


@pytest.mark.parametrize(
    ("winner", "words"),
    [
        ("player", "You won the game."),
        ("house", "The dealer won the game."),
        ("draw", "The game was a draw."),
    ],
)
def test_who_won_a_game_is_said_in_words(
    winner: str, words: str, anns: Client, piles: TableClient, ann: User
) -> None:
    piles.sit(ann, 1)
    play_game(piles, ann)
    PileGame.objects.update(winner=winner)
    assert words in text_of(anns.get("/history/"))


def test_a_game_that_goes_on_says_so_and_shows_no_cards(
    anns: Client, piles: TableClient, ann: User
) -> None:
    piles.sit(ann, 1)
    play_round(piles, [ann], Random(1))
    play_round(piles, [ann], Random(2))
    answer = anns.get("/history/")
    assert "Still in progress." in text_of(answer)
    assert "2 hands" in text_of(answer)
    assert 'class="card' not in answer.content.decode()


def test_a_game_that_was_given_up_is_no_game_that_goes_on(
    anns: Client, piles: TableClient, ann: User, ben: User
) -> None:
    piles.sit(ann, 1)
    play_round(piles, [ann], Random(1))
    piles.leave(ann)
    piles.sit(ben, 1)
    answer = anns.get("/history/")
    assert "Abandoned before the end." in text_of(answer)
    assert 'class="card' in answer.content.decode()


# Page by page


def test_every_round_is_on_one_page_and_in_order(
    anns: Client, casino: TableClient, vegas: TableClient, ann: User, stack: Stack
) -> None:
    """Also where several were settled in the same microsecond, and ids do not follow the time."""
    for number in range(30):
        play(vegas if number % 3 else casino, ann, stack, LOSE, "stand")
    at = Result.objects.latest("pk").finished_at
    Result.objects.filter(pk__in=Result.objects.order_by("pk")[2:29]).update(finished_at=at)
    first = anns.get("/history/")
    results = [played.result for played in first.context["page"].rounds]
    assert len(results) == 25
    older = anns.get(first.context["older_url"])
    results += [played.result for played in older.context["page"].rounds]
    assert [result.pk for result in results] == list(Result.objects.values_list("pk", flat=True))
    assert len(results) == 30
    assert older.context["older_url"] is None


def test_the_links_to_other_pages_keep_the_filters(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    casino.now = casino.now.replace(hour=12)  # all of them on one day
    for _ in range(27):
        play(casino, ann, stack, LOSE, "stand")
    day = casino.now.date().isoformat()
    query = {"rules": "casino", "table": casino.table_id, "outcome": "lose", "from": day}
    first = anns.get("/history/", query)
    older = first.context["older_url"]
    parameters = f"rules=casino&table={casino.table_id}&outcome=lose&from={day}"
    assert older.startswith(f"/history/?{parameters}&before=")
    assert "Newest rounds" not in first.content.decode()
    second = anns.get(older)
    assert len(second.context["page"].rounds) == 2
    assert second.context["newest_url"] == f"/history/?{parameters}"
    assert (
        f'href="/history/rounds.csv?{parameters.replace("&", "&amp;")}"' in second.content.decode()
    )


def test_a_page_beyond_the_last_says_that_there_is_nothing(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    play(casino, ann, stack, LOSE, "stand")
    text = text_of(anns.get("/history/", {"before": "1-1"}))
    assert "No older rounds." in text
    assert "Newest rounds" in text


# Filters


def test_it_is_filtered_by_rule_set_table_and_outcome(
    anns: Client, casino: TableClient, vegas: TableClient, ann: User, stack: Stack
) -> None:
    other = new_table("casino")
    rounds = [
        play(at, ann, stack, *cards).round_id
        for at, cards in (
            (casino, (LOSE, "stand")),
            (casino, (NATURAL,)),
            (vegas, (LOSE, "stand")),
            (other, ("Ts Th 7s 9h Kd", "hit")),
            (vegas, (LOSE, "surrender")),
            (other, ("Ts Th Tc 8h", "stand")),
            (other, ("Ts Th 8c 8h", "stand")),
        )
    ]
    lost, natural, lost_in_vegas, bust, surrendered, won, pushed = rounds
    assert list_ids(anns, rules="vegas") == [surrendered, lost_in_vegas]
    assert list_ids(anns, table=other.table_id) == [pushed, won, bust]
    assert list_ids(anns, outcome="lose") == [surrendered, bust, lost_in_vegas, lost]
    assert list_ids(anns, outcome="blackjack") == [natural]
    assert list_ids(anns, outcome="bust") == [bust]
    assert list_ids(anns, outcome="surrender") == [surrendered]
    assert list_ids(anns, outcome="win") == [won, natural]
    assert list_ids(anns, outcome="push") == [pushed]
    assert list_ids(anns, rules="casino", outcome="lose") == [bust, lost]
    assert list_ids(anns, table=casino.table_id, outcome="win") == [natural]
    assert list_ids(anns, table=vegas.table_id, outcome="push") == []
    assert list_ids(anns) == rounds[::-1]


def test_days_are_whole_days_in_utc(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    rounds = []
    for at in ("04-30T23:59:59.999999", "05-01T00:00:00", "05-02T23:59:59.999999", "05-03T00:00"):
        played = play(casino, ann, stack, LOSE, "stand")
        finished_at = dt.datetime.fromisoformat(f"2026-{at}+00:00")
        Result.objects.filter(pk=played.pk).update(finished_at=finished_at)
        rounds.append(played.round_id)
    april, first, second, third = rounds
    assert list_ids(anns, **{"from": "2026-05-01", "to": "2026-05-02"}) == [second, first]
    assert list_ids(anns, **{"from": "2026-05-01"}) == [third, second, first]
    assert list_ids(anns, to="2026-04-30") == [april]
    assert list_ids(anns, **{"from": "0001-01-01", "to": "9999-12-31"}) == rounds[::-1]


def test_a_game_is_won_or_lost_as_a_game(
    anns: Client, piles: TableClient, casino: TableClient, ann: User, stack: Stack
) -> None:
    """However its first hand went."""
    piles.sit(ann, 1)
    play_game(piles, ann)
    casino.now = piles.now
    won = play(casino, ann, stack, WIN, "stand").round_id
    game = Result.objects.earliest("pk").round_id
    for first_hand in ("win", "lose"):
        Result.objects.filter(round=game).update(outcome=first_hand)
        for winner, expected in (
            ("player", {"win": [won, game], "lose": [], "push": []}),
            ("house", {"win": [won], "lose": [game], "push": []}),
            ("draw", {"win": [won], "lose": [], "push": [game]}),
        ):
            PileGame.objects.update(winner=winner)
            assert {word: list_ids(anns, outcome=word) for word in expected} == expected
    assert list_ids(anns, outcome="push", rules="piles") == [game]
    assert list_ids(anns, outcome="push", rules="casino") == []
    (entry,) = entries_of(anns.get("/history/", {"outcome": "push"}))
    assert len(entry.rounds) == Result.objects.count() - 1


def test_pages_of_games_and_rounds_mixed_go_on_where_they_ended(
    ann: User, piles: TableClient, casino: TableClient, stack: Stack
) -> None:
    piles.sit(ann, 1)
    for chance in range(3):
        play_game(piles, ann, chance * 20)
        casino.now = piles.now
        play(casino, ann, stack, WIN, "stand")
        piles.now = casino.now
    PileGame.objects.update(winner="player")
    filters = RoundFilters(outcome="win")
    whole = [entry.first.id for entry in records_rounds.list_rounds(ann, filters).entries]
    assert len(whole) == 6
    pieces = list(records_rounds.iter_entries(ann, filters, size=1))
    assert [[entry.first.id for entry in piece] for piece in pieces] == [[pk] for pk in whole]


def test_no_round_that_fits_is_said_and_the_filters_can_be_taken_off(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    play(casino, ann, stack, LOSE, "stand")
    answer = anns.get("/history/", {"rules": "pot"})
    assert "No rounds match these filters. Clear filters" in text_of(answer)
    assert '<a class="button" href="/history/">' in answer.content.decode()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"rules": "poker"}, "You have nothing that matches this, so this filter is ignored."),
        ({"outcome": "lost\x00"}, "You have nothing that matches this, so this filter is ignored."),
        ({"table": "9" * 40}, "You have nothing that matches this, so this filter is ignored."),
        ({"table": "-1"}, "You have nothing that matches this, so this filter is ignored."),
        ({"from": "0000-99-99"}, "Enter a valid date. This filter is ignored."),
        ({"to": "\x00"}, "Enter a valid date. This filter is ignored."),
        ({"from": "2026-05-02", "to": "2026-05-01"}, "The last day is before the first"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_and_left_out(
    query: dict[str, str], message: str, anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    played = play(casino, ann, stack, LOSE, "stand")
    Result.objects.update(finished_at=dt.datetime(2026, 5, 3, tzinfo=dt.UTC))
    answer = anns.get("/history/", query)
    assert message in text_of(answer)
    assert [entry.first.id for entry in entries_of(answer)] == [played.round_id]


@pytest.mark.parametrize(
    "before", ["", "12", "-", "1-", "9" * 25 + "-1", "1-" + "9" * 19, "1-1\n", "１-２", "1\x00-1"]
)
def test_a_made_up_place_is_the_first_page(
    before: str, anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    played = play(casino, ann, stack, LOSE, "stand")
    assert list_ids(anns, before=before) == [played.round_id]


@pytest.mark.parametrize("before", ["9" * 16 + "-" + "9" * 18, "0-0"])
def test_the_ends_of_time_are_places_too(
    before: str, anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    play(casino, ann, stack, LOSE, "stand")
    assert len(list_ids(anns, before=before)) == int(before.startswith("9"))


# The tables to choose from


def test_tables_that_i_have_played_at_can_be_chosen_and_no_others(
    anns: Client, casino: TableClient, vegas: TableClient, classic: TableClient,
    ann: User, ben: User, stack: Stack,
) -> None:  # fmt: skip
    play(casino, ann, stack, LOSE, "stand")
    play(vegas, ann, stack, LOSE, "stand")
    play(classic, ben, stack, LOSE, "stand")
    assert records_rounds.list_played_tables(ann) == [casino.row, vegas.row]
    page = anns.get("/history/").content.decode()
    assert re.findall(r'<option value="(\d+)"', page) == [
        str(casino.table_id),
        str(vegas.table_id),
    ]
    assert "nothing that matches this" in text_of(
        anns.get("/history/", {"table": classic.table_id})
    )


def test_tables_of_one_name_are_told_apart(anns: Client, ann: User, stack: Stack) -> None:
    tables = [new_table("casino"), new_table("casino")]
    for at in tables:
        play(at, ann, stack, LOSE, "stand")
    text = text_of(anns.get("/history/"))
    for at in tables:
        assert f"The casino table ({at.table_id})" in text


def test_the_tables_of_an_emptied_history_are_gone(
    ann: User, casino: TableClient, vegas: TableClient, stack: Stack
) -> None:
    for at in (casino, vegas, casino):
        play(at, ann, stack, LOSE, "stand")
    ann.history_since = Result.objects.get(table=vegas.row).finished_at
    casino.now = ann.history_since + dt.timedelta(seconds=1)
    play(casino, ann, stack, LOSE, "stand")
    assert records_rounds.list_played_tables(ann) == [casino.row]


def test_the_newest_tables_are_listed_where_there_are_too_many(
    ann: User,
    casino: TableClient,
    vegas: TableClient,
    stack: Stack,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for at in (casino, vegas):
        play(at, ann, stack, LOSE, "stand")
    monkeypatch.setattr(records_rounds, "MOST_TABLES", 1)
    assert records_rounds.list_played_tables(ann) == [vegas.row]


# How much work it is


def queries_of(client: Client, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


@pytest.mark.parametrize("path", ["/history/", "/history/?outcome=win", "/history/?rules=vegas"])
def test_sixty_rounds_of_every_sort_need_as_many_queries_as_one(
    path: str, client: Client, ann: User, ben: User, stack: Stack
) -> None:
    """Ben has one round, and ann games, splits and insurances.

    The hands of all games on a page are counted by one query more.
    """
    casino, vegas, piles = new_table("casino"), new_table("vegas"), new_table("piles")
    play(vegas, ben, stack, "Ts Th Tc 8h", "stand")
    client.force_login(ben)
    one = queries_of(client, path)
    vegas.leave(ben)
    piles.sit(ann, 1)
    for chance in range(6):
        play_game(piles, ann, chance * 20)
    for _ in range(12):
        play(casino, ann, stack, SPLIT, "split", "double", "stand")
    for chance in range(12):
        vegas.later(1)
        stack(
            "9s Ah Tc 8h Td Tc",
        )
        if not chance:
            vegas.sit(ann, 1)
        vegas.bet(ann, 500)
        if vegas.view.asked:
            vegas.act(ann, "insure")
        while vegas.view.asked:
            vegas.act(ann, "stand")
    assert Result.objects.filter(user=ann).count() >= 60
    client.force_login(ann)
    assert queries_of(client, path) <= one + 1 <= 11


BIG = {
    "results_of_a_player": "3000000 3000 1 1 1",
    "results_of_rare_outcomes": "400000 400 130 1",
    "games_of_a_player": "20000 20 1",
    "results_of_a_game": "200000 200 10",
    "sqlite_autoindex_tables_result_1": "3000000 3000 1",
}


@pytest.fixture(params=["counted", "not counted"])
def _statistics(request: pytest.FixtureRequest) -> Iterator[None]:
    """A house of three million results, or one whose tables were never counted."""
    if request.param == "counted":
        with counted("tables_result", BIG):
            yield
    elif COUNTS_BY_ITSELF:
        pytest.skip("this SQLite is never without its statistics in a house that is served")
    else:
        yield


def plan(results: QuerySet[Any]) -> str:
    return results.values_list("finished_at", "pk", "game_id")[:26].explain()


def is_in_order(plan_text: str) -> bool:
    """Whether rows are read in their order; at most those of the same moment are sorted."""
    return "TEMP B-TREE" not in plan_text.replace("TEMP B-TREE FOR RIGHT PART OF ORDER BY", "")


@SQLITE_ALONE
@pytest.mark.usefixtures("_statistics")
@pytest.mark.parametrize("is_emptied", [False, True])
@pytest.mark.parametrize(
    ("filters", "index"),
    [
        (EVERYTHING, "results_of_a_player"),
        (RoundFilters(since=dt.date(2026, 5, 1), until=dt.date(2026, 5, 2)), "results_of_a_player"),
        (RoundFilters(rules="casino"), "results_of_a_player"),
        (RoundFilters(table=1), "results_of_a_player"),
        (RoundFilters(outcome="bust"), "results_of_a_player"),
        (RoundFilters(outcome="win"), "results_of_(a_player|rare_outcomes)"),
        (RoundFilters(outcome="blackjack"), "results_of_rare_outcomes"),
        (RoundFilters(outcome="push"), "results_of_rare_outcomes"),
        (RoundFilters(outcome="surrender"), "results_of_rare_outcomes"),
        (RoundFilters(outcome="void"), "results_of_rare_outcomes"),
    ],
)
@pytest.mark.parametrize("place", [None, RoundCursor(dt.datetime(2026, 5, 3, tzinfo=dt.UTC), 12)])
def test_an_index_is_walked_backwards_whatever_is_asked_for(
    filters: RoundFilters, index: str, place: RoundCursor | None, is_emptied: bool, ann: User
) -> None:
    ann.history_since = dt.datetime(2026, 4, 1, tzinfo=dt.UTC) if is_emptied else None
    for results in filter_first_results(ann, filters):
        plan_text = plan(filter_older(results, place) if place else results)
        is_about_games = "CORRELATED" in plan_text
        assert re.search("games_of_a_player" if is_about_games else index, plan_text)
        assert "SCAN" not in plan_text
        assert is_in_order(plan_text)


@SQLITE_ALONE
@pytest.mark.usefixtures("_statistics")
def test_filters_together_walk_an_index_too(ann: User) -> None:
    day = dt.date(2026, 5, 1)
    filters = RoundFilters(rules="piles", table=1, outcome="win", since=day, until=day)
    for results in filter_first_results(ann, filters):
        assert re.search("SEARCH tables_result USING INDEX (results|games)_", plan(results))
        assert is_in_order(plan(results))


@SQLITE_ALONE
def test_a_page_looks_at_no_other_rounds_than_its_own(
    ann: User, casino: TableClient, piles: TableClient, stack: Stack
) -> None:
    """Of all results, by their keys; of a game, by the game."""
    play(casino, ann, stack, LOSE, "stand")
    piles.sit(ann, 1)
    play_game(piles, ann)
    with CaptureQueriesContext(connection) as queries:
        assert len(records_rounds.list_rounds(ann).entries) == 2
    for query in queries.captured_queries[1:]:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            steps = [str(row[3]) for row in cursor.fetchall()]
        for step in steps:
            if step.startswith(("SEARCH", "SCAN")):
                assert re.search(r"rowid=|game_id=|round_id=", step), step


@SQLITE_ALONE
@pytest.mark.usefixtures("_statistics")
def test_the_tables_to_choose_from_are_found_along_the_history(
    ann: User, casino: TableClient, stack: Stack
) -> None:
    play(casino, ann, stack, LOSE, "stand")
    for _ in range(2):  # all results, and those that are newer
        with CaptureQueriesContext(connection) as queries:
            records_rounds.list_played_tables(ann)
        first, _names = queries.captured_queries
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {first['sql']}")
            step, *_ = [str(row[3]) for row in cursor.fetchall()]
        assert "INDEX results_of_a_player (user_id=? AND finished_at>?)" in step


def test_a_new_table_can_be_chosen_too(
    ann: User, casino: TableClient, vegas: TableClient, stack: Stack
) -> None:
    play(casino, ann, stack, LOSE, "stand")
    assert records_rounds.list_played_tables(ann) == [casino.row]
    vegas.now = casino.now
    play(vegas, ann, stack, LOSE, "stand")
    assert records_rounds.list_played_tables(ann) == [casino.row, vegas.row]


def test_a_private_table_that_is_closed_stays_in_the_history(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    played = play(casino, ann, stack, LOSE, "stand")
    Table.objects.update(is_private=True, closed_at=casino.now)
    assert list_ids(anns) == [played.round_id]
    assert anns.get(f"/rounds/{played.round_id}/").status_code == 200
