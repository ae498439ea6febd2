"""The page of a round: who may see it, whose names are on it, what it shows and what it costs."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from random import Random

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from tables import access
from tables.models import Change, Result, Round, Shoe, Table
from tables.records import round_page, share_links
from tests.game.test_host_commands import made_by, operator
from tests.helpers.rounds import new_table, of_type, play_round, sit_down
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient, code, new_player

pytestmark = pytest.mark.django_db

__all__ = ["operator"]

Stack = Callable[..., None]


def browser(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def page(round_: Round | int, user: User | None = None, by: str | None = None) -> str:
    """The page as this user sees it, or anybody; ``by`` is the token of a link."""
    pk = round_ if isinstance(round_, int) else round_.pk
    answer = browser(user).get(f"/rounds/{pk}/", {} if by is None else {"by": by})
    assert answer.status_code == 200
    return answer.content.decode()


def main_of(text: str) -> str:
    """Without the strip at the top, which has the viewer's own name."""
    return text[text.index("<main") :]


def names_in(text: str) -> set[str]:
    return set(re.findall(r"\b(ann|ben|cleo|dora|olga)\b", main_of(text)))


@pytest.fixture
def played(casino: TableClient, ann: User, ben: User, stack: Stack) -> Round:
    """A round at a public table: ann 15 on 19, ben 20 on 17, the dealer 18."""
    return play(casino, ann, ben, stack)


def play(at: TableClient, ann: User, ben: User, stack: Stack) -> Round:
    stack("Ts 9s 9h 9c 8d 9d")
    sit_down(at, ann, ben)
    at.bet(ann, 1500)
    at.bet(ben, 2000)
    assert code(at.act(ann, "stand")) == "done"
    assert code(at.act(ben, "stand")) == "done"
    return Round.objects.get(pk=at.view.round)


@pytest.fixture
def privately_played(ann: User, ben: User, stack: Stack, cleo: User) -> Round:
    """The same at a private table that cleo has made."""
    at = made_by(cleo, is_private=True)
    for user in (ann, ben):
        access.grant_access(at.row, user.pk)
    return play(at, ann, ben, stack)


# Who may see it


def let_in(table: Table) -> User:
    """Somebody who has followed the invite, and only looks on."""
    user = new_player("walt")
    access.grant_access(table, user.pk)
    return user


VIEWERS = ["anonymous", "stranger", "player", "watcher", "maker", "operator"]
TOKENS = ["none", "good", "of another round", "broken"]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("kind", ["public", "private"])
def test_who_sees_a_round_and_whose_names(
    kind: str, viewer: str, token: str, request: pytest.FixtureRequest, ann: User
) -> None:
    played: Round = request.getfixturevalue("played" if kind == "public" else "privately_played")
    people: dict[str, Callable[[], User | None]] = {
        "anonymous": lambda: None,
        "stranger": lambda: request.getfixturevalue("dora"),
        "player": lambda: request.getfixturevalue("ben"),
        "watcher": lambda: let_in(played.table),
        "maker": lambda: request.getfixturevalue("cleo"),
        "operator": lambda: request.getfixturevalue("operator"),
    }
    tokens = {
        "none": {},
        "good": {"by": share_links.create_share_token(played.pk, ann.pk)},
        "of another round": {"by": share_links.create_share_token(played.pk + 1, ann.pk)},
        "broken": {"by": share_links.create_share_token(played.pk, ann.pk)[:-1]},
    }
    answer = browser(people[viewer]()).get(f"/rounds/{played.pk}/", tokens[token])
    if kind == "private" and viewer in ("anonymous", "stranger"):
        assert answer.status_code == 404
        assert not re.search(rb"\bann\b", answer.content)
        return
    assert answer.status_code == 200
    names = {"ann"} if token == "good" else set()
    assert names_in(answer.content.decode()) == ({"ann"} if viewer == "player" else names)


@pytest.mark.parametrize("token", [False, True])
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("kind", ["public", "private"])
@pytest.mark.parametrize("state", ["bet on", "in play", "cancelled"])
def test_a_round_that_was_not_finished_is_on_no_page(
    state: str, kind: str, viewer: str, request: pytest.FixtureRequest, ann: User, *, token: bool
) -> None:
    cleo = request.getfixturevalue("cleo")
    at = made_by(cleo, is_private=kind == "private")
    access.grant_access(at.row, ann.pk)
    at.sit(ann, 1)
    at.sit(cleo, 2)
    at.bet(ann, 1000)
    round_ = Round.objects.get()
    if state == "in play":
        request.getfixturevalue("stack")("Ts 9s 9h 9c 8d 9d")
        at.bet(cleo, 1000)
        assert at.view.asked is not None
    elif state == "cancelled":
        at.take_back(ann)
        round_.refresh_from_db()
        assert round_.finished_at is not None
    who = {
        "anonymous": None, "player": ann, "maker": cleo,
        "stranger": viewer == "stranger" and request.getfixturevalue("dora"),
        "watcher": viewer == "watcher" and let_in(at.row),
        "operator": viewer == "operator" and request.getfixturevalue("operator"),
    }[viewer]  # fmt: skip
    by = {"by": share_links.create_share_token(round_.pk, ann.pk)} if token else {}
    client = browser(who or None)
    assert client.get(f"/rounds/{round_.pk}/", by).status_code == 404
    assert client.get(f"/rounds/{round_.pk}/proof.json", by).status_code == 404


@pytest.mark.parametrize("number", ["0", "424242", "9" * 30])
def test_a_round_that_does_not_exist_is_not_found(number: str, client: Client) -> None:
    assert client.get(f"/rounds/{number}/").status_code == 404


# Shown by a player


@pytest.mark.parametrize(
    "by",
    [
        "", "-", "\x00", "🂡", "1", "1-", "-1", "²-x", "9" * 400, "1-" + "0" * 32, "1-" + "é" * 32,
        "0x1-abc", "{ann}-{good}x", "{ann}{good}", "{ben}-{good}", " {ann}-{good}",
    ],
)  # fmt: skip
def test_a_token_that_nobody_was_given_is_ignored(
    by: str, played: Round, ann: User, ben: User
) -> None:
    good = share_links.create_share_token(played.pk, ann.pk).partition("-")[2]
    text = by.format(ann=ann.pk, ben=ben.pk, good=good)
    assert names_in(page(played, by=text)) == set()


def test_a_token_is_good_for_its_own_round_and_player_alone(played: Round, ann: User) -> None:
    token = share_links.create_share_token(played.pk, ann.pk)
    assert share_links.verify_share_token(played.pk, token) == ann.pk
    assert share_links.verify_share_token(played.pk + 1, token) is None
    assert share_links.verify_share_token(int(f"1{played.pk}"), token) is None
    assert token != share_links.create_share_token(played.pk, ann.pk + 1)


def test_two_tokens_show_one_name(played: Round, ann: User, ben: User) -> None:
    both = [share_links.create_share_token(played.pk, user.pk) for user in (ann, ben)]
    answer = browser().get(f"/rounds/{played.pk}/", {"by": both})
    assert names_in(answer.content.decode()) == {"ben"}


def test_who_is_gone_shows_nothing_any_more(played: Round, ann: User) -> None:
    token = share_links.create_share_token(played.pk, ann.pk)
    assert names_in(page(played, by=token)) == {"ann"}
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert names_in(page(played, by=token)) == set()
    assert "shared this round with you" not in page(played, by=token)


def test_who_did_not_play_cannot_show_a_round(played: Round, dora: User) -> None:
    assert names_in(page(played, by=share_links.create_share_token(played.pk, dora.pk))) == set()
    assert names_in(page(played, by=share_links.create_share_token(played.pk, 10**15))) == set()


def test_a_name_is_shown_everywhere_on_the_page(played: Round, ann: User) -> None:
    text = page(played, by=share_links.create_share_token(played.pk, ann.pk))
    assert "ann shared this round with you." in text
    assert "<dt>ann</dt>" in text
    assert "<dt>Seat 2</dt>" in text
    assert "ann stands on 19." in text
    assert "Seat 2 stands on 17." in text
    plain = page(played)
    assert "Seat 1 stands on 19." in plain
    assert "shared this round with you" not in plain


def test_a_player_is_not_told_who_shows_their_own_round(played: Round, ann: User) -> None:
    text = page(played, ann, by=share_links.create_share_token(played.pk, ann.pk))
    assert "shared this round with you" not in text
    assert "<dt>You</dt>" in text


def links_in(text: str) -> list[str]:
    return re.findall(r'<input type="text" id="link-\w+" value="([^"]+)" readonly', text)


def test_a_player_has_a_link_with_the_own_name_and_others_the_plain_one(
    played: Round, ann: User, dora: User
) -> None:
    address = f"http://localhost:8000/rounds/{played.pk}/"
    plain, own = links_in(page(played, ann))
    assert plain == address
    assert own == f"{address}?by={share_links.create_share_token(played.pk, ann.pk)}"
    assert names_in(browser().get(own).content.decode()) == {"ann"}
    for text in (page(played), page(played, dora), page(played, by=own.partition("=")[2])):
        assert links_in(text) == [address]
    for link in (plain, own):
        assert f'<a href="{link}">' in page(played, ann), "a link that needs no script"


def test_of_a_private_table_it_is_said_who_can_open_the_links(
    played: Round, ann: User, request: pytest.FixtureRequest
) -> None:
    assert "The table is private" not in page(played, ann)
    Table.objects.filter(pk=played.table_id).update(is_private=True)
    assert "The table is private" in page(played, ann)


# What stands in its head


def heads(text: str) -> dict[str, str]:
    pairs = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)"', text)
    return dict(pairs)


def test_a_shared_link_has_a_title_and_a_description(played: Round, ann: User) -> None:
    Table.objects.filter(pk=played.table_id).update(name='"><script>alert(1)</script>')
    shared = heads(page(played, by=share_links.create_share_token(played.pk, ann.pk)))
    description = "ann shares a round of Casino, card by card, with proof of the shuffle."
    escaped = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
    assert shared["og:title"] == f"Round {played.number} at {escaped}"
    assert shared["og:description"] == shared["description"] == description
    assert shared["robots"] == "noindex"
    plain = heads(page(played))
    assert plain["og:description"] == "A round of Casino, card by card, with proof of the shuffle."
    assert "<script>alert" not in page(played, ann)


# What is on it


def test_hands_money_and_what_it_was_for_me(played: Round, ann: User, ben: User) -> None:
    text = page(played, ann)
    assert "bet 15, paid 30" in text
    assert "bet 20, paid 0" in text
    sums = re.findall(r"<dt>(Your bet|Paid to you|Your result)</dt><dd>([^<]+)</dd>", text)
    assert sums == [("Your bet", "15"), ("Paid to you", "30"), ("Your result", "+15")]
    assert "Your result" not in page(played)
    mentions = re.findall(r"\bben\b", main_of(text))
    assert len(mentions) == 1 + 1 + 3 + 1 + 3, (
        "seat, bets, two cards and stands, wins; and who can be asked to be a friend, whose name is"
        " in a row, in the form and in its button"
    )


def test_a_loss_and_an_insurance_are_counted_into_my_net(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts As 9h 6d 2c 3c 4c 5c 6c")
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    vegas.act(ann, "insure")
    vegas.act(ann, "surrender")
    text = page(vegas.view.round or 0, ann)
    assert re.findall(r"<dt>Your result</dt><dd>([^<]+)</dd>", text) == ["−20"]
    assert "bet 20, paid 10; insurance 10, paid 0" in text


@pytest.mark.parametrize("key", ["classic", "heads-up", "piles"])
def test_where_nothing_is_staked_no_money_is_on_the_page(key: str, ann: User) -> None:
    at = new_table(key)
    at.sit(ann, 1)
    while not of_type(play_round(at, [ann], Random(4)), "shoe_opened"):
        pass
    text = main_of(page(at.view.round or 0, ann))
    assert "What happened" in text
    for word in ("staked", "paid", "stake", "net</dt>"):
        assert word not in text, word


class Hiding(HTMLParser):
    """Which parts of the replay come and go, and what of it is hidden from the start."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[dict[str, str | None]] = []
        self.steps = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if "data-from" in values or "data-until" in values:
            self.parts.append(values)
        self.steps += "data-step" in values


def test_without_scripts_everything_is_shown_as_it_ended(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8h Td 3c 9d 8d 7c 2c 5h 4h 6c 2d 2h")
    vegas.sit(ann, 1)
    vegas.bet(ann, 1000)
    for action in ("split", "double", "stand"):
        vegas.act(ann, action)
    text = page(vegas.view.round or 0, ann)
    parser = Hiding()
    parser.feed(text)
    assert len(parser.parts) > 20
    for part in parser.parts:
        assert ("hidden" in part) == ("data-until" in part), part
        since, until = int(part.get("data-from") or 0), int(part.get("data-until") or parser.steps)
        assert 0 <= since < until <= parser.steps
    assert '<div class="replay-controls" id="replay-controls" hidden>' in text
    cards = re.findall(r'<span class="replay-card"[^>]*?(hidden)?>', text)
    assert len(cards) - cards.count("hidden") == 5 + 2 + 1, "five of mine, three of the dealer"


def test_a_pile_that_is_played_on_tells_nothing(piles: TableClient, ann: User) -> None:
    piles.sit(ann, 1)
    assert not of_type(play_round(piles, [ann], Random(2)), "game_ended")
    for user in (ann, None):
        text = page(piles.view.round or 0, user)
        assert "These cards are face down in the piles." in text
        for word in ("What happened", "replay-controls", "data-step", "data-from"):
            assert word not in text, word


def test_a_round_from_before_shoes_were_sealed_can_be_stepped_through(
    played: Round, ann: User
) -> None:
    Round.objects.filter(pk=played.pk).update(shoe=None, first_card=None)
    text = page(played, ann)
    assert "This round was dealt before shoes were sealed." in text
    assert "What happened" in text


def test_a_round_whose_changes_are_not_known_is_shown_as_it_ended(played: Round, ann: User) -> None:
    Change.objects.filter(round=played).delete()
    text = page(played, ann)
    for word in ("What happened", "replay-controls", "data-step", "data-from", "data-until"):
        assert word not in text, word
    assert "ten of spades" in text
    assert "bet 15, paid 30" in text


# My rounds before and after


def neighbours_in(text: str) -> dict[str, int]:
    links = re.findall(r'rel="(prev|next)" href="/rounds/(\d+)/"', text)
    return {way: int(pk) for way, pk in links}


def test_a_players_page_leads_to_their_rounds_before_and_after(
    casino: TableClient, classic: TableClient, ann: User, ben: User, dora: User
) -> None:
    sit_down(casino, ann, ben)
    sit_down(classic, ann)
    play_round(casino, [ann, ben], Random(1))
    first = casino.view.round
    play_round(classic, [ann], Random(1))
    casino.leave(ann)
    casino.leave(ben)
    sit_down(casino, ben)
    play_round(casino, [ben], Random(1))
    bens = casino.view.round
    play_round(classic, [ann], Random(1))
    last = classic.view.round
    middle = Result.objects.filter(user=ann).order_by("pk")[1].round_id
    assert first is not None
    assert bens is not None
    assert last is not None
    assert neighbours_in(page(first, ann)) == {"next": middle}
    assert neighbours_in(page(middle, ann)) == {"prev": first, "next": last}
    assert neighbours_in(page(last, ann)) == {"prev": middle}
    assert neighbours_in(page(first, ben)) == {"next": bens}
    for viewer in (dora, None):
        assert neighbours_in(page(middle, viewer)) == {}


def test_rounds_from_before_the_history_was_emptied_are_no_neighbours(
    casino: TableClient, ann: User
) -> None:
    sit_down(casino, ann)
    ids = []
    for _ in range(4):
        play_round(casino, [ann], Random(1))
        ids.append(casino.view.round or 0)
        casino.later(60)
    emptied = Result.objects.get(user=ann, round=ids[1]).finished_at
    User.objects.filter(pk=ann.pk).update(history_since=emptied)
    assert neighbours_in(page(ids[2], ann)) == {"next": ids[3]}
    assert neighbours_in(page(ids[3], ann)) == {"prev": ids[2]}
    assert neighbours_in(page(ids[0], ann)) == {}


# What it costs


def queries_of(path: str, client: Client) -> int:
    client.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def test_the_page_asks_the_database_as_often_whoever_played_and_whatever_happened(
    ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    alone, company = new_table("vegas"), new_table("vegas")
    sit_down(alone, ann)
    play_round(alone, [ann], Random(1))
    alone.leave(ann)
    sit_down(company, ann, ben, cleo)
    stack("8s 8c Ts 6h 8h 8d 9s Td " + "3c 9d 2d 7c 5h 4h 6c 2h " * 30)
    for user in (ann, ben, cleo):
        company.bet(user, 500)
    while (decision := company.view.asked) is not None:
        user = (ann, ben, cleo)[decision.seat - 1]
        company.act(user, "split" if "split" in decision.legal else "stand")
    assert len(list_hands(round=company.view.round)) > 4
    paths = [f"/rounds/{at.view.round}/" for at in (alone, company)]
    assert [queries_of(path, browser()) for path in paths] == [6, 6]
    # Besides: session, user, wallet, notices, those about the round, the round before and after, and what
    # she has reported; whom she can ask to be friends: who played, whom she knows, whom she blocks, and
    # their names.
    # Of a shoe that is open, her decisions once more.
    assert [queries_of(path, browser(ann)) for path in paths] == [21, 20]


def test_a_deck_of_many_hands_is_asked_for_no_more_often(piles: TableClient, ann: User) -> None:
    piles.sit(ann, 1)
    chance = Random(2)
    while not of_type(play_round(piles, [ann], chance), "game_ended"):
        pass
    (deck,) = Shoe.objects.filter(retired_at__isnull=False)
    assert deck.rounds.count() > 3
    assert queries_of(f"/rounds/{piles.view.round}/", browser()) == 6


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_the_neighbours_are_found_by_an_index(played: Round, ann: User) -> None:
    with CaptureQueriesContext(connection) as captured:
        assert round_page.find_adjacent_rounds(played, ann) == round_page.AdjacentRounds()
    assert len(captured) == 2
    for query in captured.captured_queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            ((*_, plan),) = cursor.fetchall()
        # SQLite's name for the index of one_result_a_player_and_round.
        assert "USING INDEX sqlite_autoindex_tables_result_1 (user_id=? AND round_id" in plan


def test_only_so_many_changes_of_a_table_are_read(
    casino: TableClient, played: Round, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_page, "MOST_CHANGES", 4)
    assert round_page.build_round_page(played, None).moments != ()
    monkeypatch.setattr(round_page, "MOST_CHANGES", 3)
    assert round_page.build_round_page(played, None).moments == ()


def test_a_closed_table_is_named_and_not_linked(played: Round, casino: TableClient) -> None:
    link = f'href="/tables/{casino.table_id}/'
    assert link in page(played)
    Table.objects.update(closed_at=casino.now)
    assert link not in page(played)
    assert "Casino" in main_of(page(played))
