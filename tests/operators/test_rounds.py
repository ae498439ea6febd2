"""The pages on which operators find rounds, look into them and void them."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.models import Act, HouseSettings, User
from tables.game import account_deletion
from tables.models import Change, Result, Round, Shoe, Void
from tables.operators.rounds import round_list, voids
from tables.operators.rounds.round_list import RoundListFilters
from tables.records import leaderboard, player_stats
from tables.results import projector
from tables.social import reports
from tables.texts.cards import format_cards
from tests.helpers.rounds import new_table, play_round, sit_down
from tests.helpers.settled_hands import change_hands, list_hands
from tests.helpers.table_client import TableClient, balance_of, new_player
from tests.operators.test_round_verification import opened

pytestmark = pytest.mark.django_db

Operators = Callable[..., User]
Stack = Callable[..., None]
START = 50_000
BLACKJACK = "As 9h Kd 7c"


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def read_page(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, path
    return re.sub(r"\s+", " ", answer.content.decode())


@pytest.fixture
def mia(operator: Operators) -> User:
    """A manager."""
    return operator("manager", "mia")


@pytest.fixture
def round_(casino: TableClient, ann: User, stack: Stack) -> Round:
    """ann's blackjack, with which she won 15."""
    stack(BLACKJACK)
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    return Round.objects.get()


# The list


def ids(filters: RoundListFilters, before: int | None = None) -> list[int]:
    return [listed.row.pk for listed in round_list.list_rounds(filters, before=before).rounds]


@pytest.fixture
def many(ann: User, ben: User, mia: User) -> list[Round]:
    """Ten rounds of ann's, every second at a table of other rules with ben."""
    tables, chance = [new_table("casino"), new_table("vegas")], Random(1)
    for number in range(10):
        at = tables[number % 2]
        if number < 2:
            sit_down(at, *[ann, ben][: number + 1])
        play_round(at, [ann, ben][: number % 2 + 1], chance)
    return list(Round.objects.order_by("-pk"))


def test_rounds_are_found_by_what_is_asked_for(many: list[Round], ann: User, ben: User) -> None:
    pks = [row.pk for row in many]
    vegas = [row for row in many if row.rules_key == "vegas"]
    assert ids(RoundListFilters()) == pks
    assert ids(RoundListFilters(player=ann)) == pks
    assert ids(RoundListFilters(player=ben)) == [row.pk for row in vegas]
    assert ids(RoundListFilters(rules="vegas")) == [row.pk for row in vegas]
    assert ids(RoundListFilters(table=vegas[0].table_id)) == [row.pk for row in vegas]
    assert ids(RoundListFilters(player=ann, rules="casino", table=vegas[0].table_id)) == []
    assert ids(RoundListFilters(), before=pks[3]) == pks[4:]


def test_rounds_are_found_by_what_was_done_about_them(
    many: list[Round], ann: User, ben: User, mia: User
) -> None:
    HouseSettings.objects.update(void_limit=10**9)
    now = timezone.now()
    voids.request_void(many[2].pk, Operator(mia.pk), "A test.", now)
    HouseSettings.objects.update(void_limit=0)
    waiting = next(
        row for row in many[3:] if voids.preview_void(row, Operator(mia.pk), timezone.now()).total
    )
    voids.request_void(waiting.pk, Operator(mia.pk), "A test.", now)
    reports.create_report(many[0], ann, "", now)
    reports.create_report(many[0], ben, "", now)
    reports.create_report(many[5], ann, "", now)
    assert ids(RoundListFilters(flag="void")) == [many[2].pk]
    assert ids(RoundListFilters(flag="waiting")) == [waiting.pk]
    assert ids(RoundListFilters(flag="reported")) == [many[0].pk, many[5].pk]
    assert ids(RoundListFilters(flag="reported", rules=many[5].rules_key, player=ann)) in (
        [many[5].pk], [many[0].pk, many[5].pk],
    )  # fmt: skip
    text = read_page(as_(mia), "/admin/rounds/?flag=reported")
    assert text.count(">reported<") == 3


def test_a_page_ends_where_the_next_begins(
    many: list[Round], mia: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_list, "PAGE", 4)
    pks, listed_pks = [row.pk for row in many], []
    client, path = as_(mia), "/admin/rounds/"
    while path:
        text = read_page(client, path)
        listed_pks += [int(pk) for pk in re.findall(r'<a href="/admin/rounds/(\d+)/"', text)]
        match = re.search(r'href="(\?before=\d+)">Older', text)
        path = f"/admin/rounds/{match[1]}" if match else ""
    assert listed_pks == pks


def test_where_no_index_tells_a_stretch_is_looked_through_and_then_the_next(
    many: list[Round], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_list, "STRETCH", 3)
    listed_pks, before = [], None
    for _ in range(10):
        page = round_list.list_rounds(RoundListFilters(rules="vegas"), before=before)
        assert len(page.rounds) <= 2
        listed_pks += [listed.row.pk for listed in page.rounds]
        before = page.older
        if before is None:
            break
    assert listed_pks == [row.pk for row in many if row.rules_key == "vegas"]


@pytest.mark.parametrize(
    "query",
    [
        "before=0", "before=-1", "before=x", "before=99999999999999999999999", "table=0",
        "table=9223372036854775808", "player=%00", "player=nobody", "rules=x", "flag=x",
        "number=99999999999999999999999", "number=x",
    ],
)  # fmt: skip
def test_what_cannot_be_read_shows_no_round(round_: Round, mia: User, query: str) -> None:
    text = read_page(as_(mia), f"/admin/rounds/?{query}")
    assert 'class="error' in text
    assert f"/admin/rounds/{round_.pk}/" not in text


def test_a_number_leads_to_its_round(round_: Round, mia: User) -> None:
    answer = as_(mia).get(f"/admin/rounds/?number={round_.pk}")
    assert answer.headers["Location"] == f"/admin/rounds/{round_.pk}/"
    for path in ("/admin/rounds/4711/", "/admin/rounds/99999999999999999999999/"):
        read_page(as_(mia), path, 404)


@pytest.mark.parametrize("size", [1, 10])
def test_more_rounds_need_no_more_queries(many: list[Round], size: int) -> None:
    with CaptureQueriesContext(connection) as captured:
        assert len(round_list.list_rounds(RoundListFilters(), size=size).rounds) == size
    assert len(captured) == 5


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
@pytest.mark.parametrize(
    "wanted",
    [
        RoundListFilters(), RoundListFilters(table=1), RoundListFilters(rules="vegas"),
        RoundListFilters(rules="vegas", table=1), RoundListFilters(flag="void"),
        RoundListFilters(flag="waiting"), RoundListFilters(flag="reported"), None
    ],
)  # fmt: skip
def test_no_list_reads_all_rounds(
    many: list[Round], ann: User, wanted: RoundListFilters | None
) -> None:
    with CaptureQueriesContext(connection) as captured:
        round_list.list_rounds(wanted or RoundListFilters(player=ann), before=10**6)
    first = captured.captured_queries[0]["sql"]
    assert "LIMIT" in first
    assert "COUNT" not in first
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {first}")
        steps = [step for *_, step in cursor.fetchall()]
    assert not [step for step in steps if step.startswith("SCAN") and "INDEX" not in step], steps


# One round


def test_the_page_of_a_round_tells_everything_that_is_stored(
    round_: Round, mia: User, casino: TableClient
) -> None:
    text = read_page(as_(mia), f"/admin/rounds/{round_.pk}/")
    for words in (
        "bet_placed seat=1 stake=1000", "card_dealt seat=1 hand=1 card=As",
        "hand_settled seat=1 hand=1 outcome=blackjack stake=1000 payout=2500",
        f"round:{round_.pk}/seat:1/hand:1/payout", "wallet of ann", "A♠ K♦ (21)", "9♥ 7♣",
        "bet 10", "Seat 1 gets A♠.",
        "Recorded results: ann: Blackjack, 10 → 25", "Void this round",
        Shoe.objects.earliest("pk").commitment,
    ):  # fmt: skip
        assert words in text, words
    assert "&quot;t&quot;:&quot;bet&quot;" in text


def test_a_round_in_play_shows_no_card_that_is_face_down(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack("Ts 9h 6d Kd 5c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    round_ = Round.objects.get()
    secret = casino.live.game.shoe.secret.hex()
    for who in (mia, User.objects.create_superuser("root", password="x")):
        text = read_page(as_(who), f"/admin/rounds/{round_.pk}/")
        assert "dealer_card_dealt card=9h" in text
        assert "dealer_card_dealt card=–" in text
        for hidden in ("Kd", "5c", "K♦", "5♣", secret):
            assert not re.search(rf"(?<!\w){hidden}(?!\w)", text)
        assert "still being played" in text
        assert f'/rounds/{round_.pk}/">Players' not in text
    text = read_page(as_(mia), f"/admin/rounds/{round_.pk}/void/")
    assert "The round is cancelled during play." in text
    assert not re.search(r"\b(Kd|5c)\b|K♦|5♣", text)


def test_secret_answers_about_insurance_are_shown_when_all_have_answered(
    vegas: TableClient, ann: User, ben: User, mia: User, stack: Stack
) -> None:
    """An operator may sit at the table."""
    stack("Ts 9s As Tc 9h 6d 2c 3c 4c")
    sit_down(vegas, ann, ben, mia)
    vegas.bet(ann, 2000)
    vegas.bet(ben, 2000)
    vegas.time_is_up()
    vegas.act(ann, "insure")
    pages = [f"/admin/rounds/{Round.objects.get().pk}/", "/admin/tables/change/"]
    root = User.objects.create_superuser("root", password="x")
    change = Change.objects.latest("pk")
    for who, page in ((mia, pages[0]), (root, pages[1]), (root, f"{pages[1]}{change.pk}/change/")):
        text = read_page(as_(who), page)
        assert "decided" in text
        assert "insure" not in text.replace("insurance", "")
        assert "insurance/stake" not in text
    vegas.act(ben, "decline")
    text = read_page(as_(mia), pages[0])
    assert "&quot;t&quot;:&quot;insure&quot;" in text
    assert "insurance/stake" in text
    assert "<td>decided</td>" not in text


def test_the_cards_of_a_game_of_piles_that_goes_on_are_not_shown(ann: User, mia: User) -> None:
    at = new_table("piles")
    sit_down(at, ann)
    play_round(at, [ann], Random(1))
    (hand,) = list_hands()
    text = read_page(as_(mia), f"/admin/rounds/{hand.round_id}/")
    assert hand.cards not in text
    assert format_cards(hand.cards) not in text
    assert "card_dealt seat=1 hand=1 card=??" in text
    assert f"card={hand.cards[:2]}" not in text
    assert "[face down]" in text
    opened(at)
    assert format_cards(hand.cards) in read_page(as_(mia), f"/admin/rounds/{hand.round_id}/")


def test_the_page_says_whether_the_round_comes_out_again(ann: User, mia: User) -> None:
    at = new_table("vegas")
    sit_down(at, ann)
    play_round(at, [ann], Random(1))
    path = f"/admin/rounds/{Round.objects.get().pk}/"
    assert "Can't be checked." in read_page(as_(mia), path)
    opened(at)
    assert "Correct." in read_page(as_(mia), path)
    change_hands(Result.objects.all(), total=2)
    text = read_page(as_(mia), path)
    assert "Wrong." in text
    assert "stored" in text


def test_the_clock_and_the_house_are_told_apart_from_players(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack("Ts 9h 6d Kd 5c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    casino.time_is_up()
    text = read_page(as_(mia), f"/admin/rounds/{Round.objects.get().pk}/")
    assert "<td>the clock</td>" in text
    assert "<td>ann</td>" in text


def test_more_players_need_no_more_queries(mia: User) -> None:
    counted = []
    for names in (["ann"], ["ben", "cleo", "dora"]):
        at, players = new_table("casino"), [new_player(name) for name in names]
        sit_down(at, *players)
        play_round(at, players, Random(2))
        client, path = as_(mia), f"/admin/rounds/{Round.objects.latest('pk').pk}/"
        read_page(client, path)
        with CaptureQueriesContext(connection) as captured:
            read_page(client, path)
        counted.append(len(captured))
    assert counted[0] == counted[1]


# Voiding


@pytest.mark.django_db(transaction=True)
def test_an_operator_sees_who_gains_and_loses_and_voids_the_round(
    round_: Round, mia: User, ann: User, stopped_writer: None
) -> None:
    client, path = as_(mia), f"/admin/rounds/{round_.pk}/void/"
    text = read_page(client, path)
    for words in ("515", "500", "−15", "It moves 15 of wins and losses", "Void the round"):
        assert words in text, words
    assert balance_of(ann) == START + 1500
    assert "This field is required" in client.post(path, {"reason": " "}).content.decode()
    assert "Null characters" in client.post(path, {"reason": "a\0b"}).content.decode()
    assert "at most 300" in client.post(path, {"reason": "a" * 301}).content.decode()
    assert not Void.objects.exists()
    answer = client.post(path, {"reason": "Why not."}, follow=True)
    text = answer.content.decode()
    assert "The round is void. All its transfers were reversed." in text
    assert "by mia." in text
    assert "reverses" in text
    assert "reversed by" in text
    assert balance_of(ann) == START
    again = client.post(path, {"reason": "Twice."}, follow=True).content.decode()
    assert "This round is already void." in again
    assert Act.objects.filter(what="void").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_void_moves_what_was_shown_or_asks_again(
    mia: User, ann: User, stack: Stack, stopped_writer: None
) -> None:
    at = new_table("casino")
    stack("8s 9d 3d 7h Ks 2c 3c")
    sit_down(at, ann)
    at.bet(ann, 1000)
    round_ = Round.objects.get()
    client, path = as_(mia), f"/admin/rounds/{round_.pk}/void/"
    fingerprint = client.get(path).context["form"]["seen"].value()
    at.act(ann, "double")
    answer = client.post(path, {"reason": "Too late.", "seen": fingerprint})
    assert "other amounts would move. Check them" in answer.content.decode()
    assert not Void.objects.exists()
    fingerprint = answer.context["form"]["seen"].value()
    answer = client.post(path, {"reason": "In time.", "seen": fingerprint}, follow=True)
    assert "The round is void." in answer.content.decode()
    assert balance_of(ann) == START


def test_a_void_asks_again_if_the_account_is_deleted_meanwhile(
    mia: User, ann: User, stack: Stack, stopped_writer: None
) -> None:
    """Then the bank gets what the page has shown as returned to the player."""
    at = new_table("casino")
    stack("Ts 9h 6h Kd")
    sit_down(at, ann)
    at.bet(ann, 1000)
    at.act(ann, "stand")
    round_ = Round.objects.get()
    client, path = as_(mia), f"/admin/rounds/{round_.pk}/void/"
    fingerprint = client.get(path).context["form"]["seen"].value()
    account_deletion.delete_account(ann.pk, timezone.now())
    answer = client.post(path, {"reason": "A wrong card.", "seen": fingerprint})
    assert "other amounts would move. Check them" in answer.content.decode()
    assert not Void.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_above_the_limit_a_second_operator_decides(
    round_: Round, mia: User, ann: User, operator: Operators, stopped_writer: None
) -> None:
    HouseSettings.objects.update(void_limit=0)
    max_ = operator("manager", "max")
    path = f"/admin/rounds/{round_.pk}/void/"
    assert "It will need a second operator." in read_page(as_(mia), path)
    as_(mia).post(path, {"reason": "Why not."})
    void = Void.objects.get()
    decide = f"/admin/voids/{void.pk}/"
    own = as_(mia).get(decide, follow=True).content.decode()
    assert "You requested this void" in own
    assert f'"{decide}"' not in own
    assert f'"{decide}"' in read_page(as_(max_), f"/admin/rounds/{round_.pk}/")
    assert "mia requested this void." in read_page(as_(max_), decide)
    text = as_(max_).post(decide, {"decision": "refuse"}).content.decode()
    assert "Enter the reason for refusing." in text
    as_(max_).post(decide, {"decision": "refuse", "reason": "It was right."})
    assert balance_of(ann) == START + 1500
    as_(mia).post(path, {"reason": "Look again."})
    again = Void.objects.get(status="waiting")
    User.objects.filter(pk=max_.pk).update(role_since=timezone.now())
    text = read_page(as_(max_), f"/admin/rounds/{round_.pk}/")
    assert "You have had your role for less than 24 hours" in text
    assert f'"/admin/voids/{again.pk}/"' not in text
    User.objects.filter(pk=max_.pk).update(role_since=max_.role_since)
    answer = as_(max_).post(f"/admin/voids/{again.pk}/", {"decision": "approve"}, follow=True)
    assert "The round is void." in answer.content.decode()
    assert balance_of(ann) == START
    whats = list(Act.objects.order_by("pk").values_list("what", "by__username"))
    assert whats == [
        ("ask_void", "mia"), ("refuse_void", "max"), ("ask_void", "mia"), ("void", "max"),
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_the_cashier_sees_a_round_and_no_buttons(round_: Round, operator: Operators) -> None:
    text = read_page(as_(operator("cashier")), f"/admin/rounds/{round_.pk}/")
    assert "Void this round" not in text
    assert "Operator actions" not in text


# What its players see


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_who_asked_for_a_void_takes_the_request_back(
    round_: Round, operator: Operators, mia: User
) -> None:
    HouseSettings.objects.update(void_limit=0)
    client, other = as_(mia), as_(operator("manager", "max"))
    page, path = f"/admin/rounds/{round_.pk}/", f"/admin/rounds/{round_.pk}/void/"
    client.post(path, {"reason": "Cards were shown."})
    back = f"/admin/voids/{Void.objects.get().pk}/withdraw/"
    assert back in read_page(client, page)
    assert back not in read_page(other, page)
    assert "Refuse it instead" in other.get(back, follow=True).content.decode()
    assert "Take back your request to void round" in read_page(client, back)
    first, second = (
        client.post(back, {"reason": "A mistake."}, follow=True).content.decode() for _ in "12"
    )
    assert "Your request was taken back. The round stands." in first
    assert "Mia has taken this request back." in second
    text = read_page(client, page)
    assert path in text, "it can be asked for again"
    assert "requested a void of this round" not in text
    assert read_page(client, "/admin/rounds/?flag=waiting").count(page) == 0
    assert "void to decide" not in read_page(other, "/admin/")
    assert Act.objects.filter(what="withdraw_void", reason="A mistake.").count() == 1


def voided(round_: Round, by: User, reason: str = "The wrong shoe <b>was</b> used.") -> None:
    voids.request_void(round_.pk, Operator(by.pk), reason, timezone.now())


def test_a_player_sees_that_the_round_is_void_and_why(
    round_: Round, ann: User, ben: User, mia: User
) -> None:
    voided(round_, mia)
    path = f"/rounds/{round_.pk}/"
    text = read_page(as_(ann), path)
    assert "This round is void" in text
    assert "The wrong shoe &lt;b&gt;was&lt;/b&gt; used." in text
    assert "The 15 you won was taken back." in text
    assert "What happened" in text
    assert "Was it dealt fairly?" in text
    text = read_page(as_(ben), path)
    assert "This round is void" in text
    assert "wrong shoe" not in text


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("Ts 9h 8d Kc", "The 10 you lost was returned"),
        ("Ts 9h 9d Kc", "not won or lost anything"),
    ],
)
def test_a_player_is_told_what_the_void_moved(
    casino: TableClient, ann: User, mia: User, stack: Stack, cards: str, words: str
) -> None:
    stack(cards)
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    voided(Round.objects.get(), mia)
    assert words in read_page(as_(ann), f"/rounds/{Round.objects.get().pk}/")


def test_a_player_is_told_what_the_house_covered(
    round_: Round, casino: TableClient, ann: User, mia: User
) -> None:
    from tests.operators.test_voids import take_from

    take_from(ann.wallet, all_but=500)
    voided(round_, mia)
    text = read_page(as_(ann), f"/rounds/{round_.pk}/")
    assert "Your balance was too low, so the bank covered 10." in text


def test_the_history_shows_a_void_round_as_void(round_: Round, ann: User, mia: User) -> None:
    voided(round_, mia)
    text = read_page(as_(ann), "/history/")
    assert '<span class="badge-outcome">Void</span>' in text
    assert "void: it does not count" in text
    assert f"/rounds/{round_.pk}/" in read_page(as_(ann), "/history/?outcome=void")
    for outcome in ("win", "blackjack", "lose", "push"):
        assert f"/rounds/{round_.pk}/" not in read_page(as_(ann), f"/history/?outcome={outcome}")


def test_the_files_of_the_history_say_void(round_: Round, ann: User, mia: User) -> None:
    voided(round_, mia)
    client = as_(ann)
    (row,) = b"".join(client.get("/history/rounds.csv")).decode().splitlines()[1:]
    assert "void" in row.split(",")
    assert "blackjack" not in row
    text = b"".join(client.get("/history/rounds.json")).decode()
    assert '"outcome":"void"' in text
    assert '"net_in_hundredths":0' in text


def test_a_void_hand_of_a_game_is_found_with_its_game(ann: User, mia: User) -> None:
    at = new_table("piles")
    sit_down(at, ann)
    for _ in range(3):
        play_round(at, [ann], Random(1))
    second = Round.objects.order_by("pk")[1]
    assert "No rounds match" in read_page(as_(ann), "/history/?outcome=void")
    voided(second, mia)
    text = read_page(as_(ann), "/history/?outcome=void")
    assert text.count('<span class="badge-outcome">Void</span>') == 1
    assert text.count('href="/rounds/') == 3


def test_figures_and_leaderboard_leave_it_out(round_: Round, ann: User, mia: User) -> None:
    projector.catch_up()
    (in_all, _casino) = player_stats.load_rule_stats(ann.pk, None)
    assert (in_all.rounds, in_all.net, leaderboard.load_own_rank(ann).rounds) == (1, 1500, 1)
    voided(round_, mia)
    assert (player_stats.load_rule_stats(ann.pk, None), leaderboard.load_own_rank(ann).rounds) == (
        [],
        0,
    )
    read_page(as_(ann), "/figures/")
