"""Operators pause, resume and close tables and keep order there; all of it is in the trail."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.models import Act, User
from tables.game import account_deletion
from tables.models import Table
from tables.operators.floor import table_actions
from tables.protocol.commands import Chat, Close, HandOn, Lock, Renew, Say, Silence, Unsay
from tables.social import chat
from tests.game.test_host_commands import made_by
from tests.helpers.rounds import faults, sit_down
from tests.helpers.table_client import TableClient, balance_of, code, events, refusal

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stopped_writer")]

Role = Callable[..., User]
Stack = Callable[..., None]
BECAUSE = "A card is missing."


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def olga(operator: Role) -> User:
    """Runs the floor."""
    return operator("floor", "olga")


@pytest.fixture
def olgas(olga: User) -> Client:
    """Her browser."""
    client = Client()
    client.force_login(olga)
    return client


def press(client: Client, what: str, at: TableClient, **data: str) -> str:
    """The page after a button was pressed."""
    answer: HttpResponse = client.post(
        f"/admin/floor/tables/{at.table_id}/{what}/", data, follow=True
    )
    return " ".join(answer.content.decode().split())


def acts(at: TableClient) -> list[Act]:
    return list(audit_log.list_entries(f"table:{at.table_id}"))


def say(at: TableClient, user: User, text: str) -> int:
    chat.execute(at.table_id, user.pk, Say(uuid.uuid4(), text), timezone.now())
    return chat.list_last_lines(at.row)[-1].line


def test_a_pause_returns_the_bets_and_is_in_the_trail(
    casino: TableClient, ann: User, ben: User, olga: User, olgas: Client
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    page = press(olgas, "pause", casino, reason=f" {BECAUSE}\n")
    assert "Casino is paused." in page
    assert BECAUSE in page
    assert balance_of(ann) == 50_000
    (act,) = acts(casino)
    assert (act.by, act.what, act.reason, act.address) == (
        olga, Act.What.PAUSE_TABLE, BECAUSE, "127.0.0.1",
    )  # fmt: skip
    assert act.before == {"paused": None, "closing": False, "closed": False}
    assert act.after == {"paused": BECAUSE, "closing": False, "closed": False}
    assert faults() == []


@pytest.mark.parametrize("reason", ["", "   ", "\u200b", "x" * 201, "a\0b"])
def test_a_pause_needs_a_reason_that_fits(casino: TableClient, olgas: Client, reason: str) -> None:
    page = press(olgas, "pause", casino, reason=reason)
    assert "What will happen" in page
    assert casino.row.paused_at is None
    assert acts(casino) == []


GROWS = "\u0958" * 101
"""As one plain line it has twice as many letters, and does not fit."""


@pytest.mark.parametrize(("what", "name"), [("pause", "reason"), ("announce", "text")])
def test_a_line_has_to_fit_as_it_is_kept(
    casino: TableClient, operator: Role, what: str, name: str
) -> None:
    client = Client()
    client.force_login(operator("manager"))
    assert "at most 200" in press(client, what, casino, **{name: GROWS})
    row = casino.row
    assert (row.paused_because, row.announcement) == ("", "")
    assert acts(casino) == []


def test_whose_pause_comes_second_is_told_so_and_changes_nothing(
    casino: TableClient, olgas: Client
) -> None:
    press(olgas, "pause", casino, reason=BECAUSE)
    seq = casino.row.seq
    page = press(olgas, "pause", casino, reason="Another reason.")
    assert "is already paused or closed" in page
    assert (casino.row.seq, casino.row.paused_because) == (seq, BECAUSE)
    assert len(acts(casino)) == 1


def test_two_operators_who_pause_at_once_pause_once(casino: TableClient, olga: User) -> None:
    def pause(_: int) -> bool:
        try:
            return table_actions.pause(Operator(olga.pk), casino.table_id, BECAUSE)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(pause, range(4))) == [False, False, False, True]
    assert len(acts(casino)) == 1


def test_a_table_is_resumed_and_deals_again(casino: TableClient, ann: User, olgas: Client) -> None:
    casino.sit(ann, 1)
    press(olgas, "pause", casino, reason=BECAUSE)
    assert code(casino.bet(ann, 1000)) == "table_paused"
    assert "takes bets again" in press(olgas, "resume", casino, reason="")
    assert code(casino.bet(ann, 1000)) == "done"
    assert [act.what for act in acts(casino)] == [Act.What.RESUME_TABLE, Act.What.PAUSE_TABLE]
    assert "is not paused" in press(olgas, "resume", casino, reason="")
    assert len(acts(casino)) == 2


def test_a_closed_table_finishes_its_round_and_frees_the_seats(
    casino: TableClient, ann: User, olgas: Client, stack: Stack
) -> None:
    stack("Ts Kd 9c 9h 8c 7d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    page = press(olgas, "close", casino, reason="It is late.")
    assert "Casino closes when its round is over." in page
    assert casino.row.closed_at is None
    assert "already closed or closing" in press(olgas, "close", casino, reason="It is late.")
    casino.act(ann, "stand")
    assert casino.row.closed_at is not None
    assert casino.row.seats.count() == 0
    (act,) = acts(casino)
    assert (act.what, act.reason) == (Act.What.CLOSE_TABLE, "It is late.")
    assert faults() == []


def test_a_closing_that_waits_for_its_round_is_taken_back(
    casino: TableClient, ann: User, olgas: Client, stack: Stack
) -> None:
    stack("Ts Kd 9c 9h 8c 7d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    press(olgas, "close", casino, reason="It is late.")
    floor = f"/admin/floor/tables/{casino.table_id}/"
    assert 'id="keep-open"' in olgas.get(floor).content.decode()
    assert "Casino stays open." in press(olgas, "keep-open", casino, reason="One more hour.")
    assert not casino.view.closing
    assert 'id="keep-open"' not in olgas.get(floor).content.decode()
    page = press(olgas, "keep-open", casino, reason="")
    assert "Casino isn&#x27;t closing, or is already closed. Nothing was changed." in page
    casino.act(ann, "stand")
    assert casino.row.closed_at is None
    assert casino.row.seats.count() == 1
    newest, first = acts(casino)
    assert (first.what, newest.what, newest.reason) == (
        Act.What.CLOSE_TABLE, Act.What.KEEP_OPEN, "One more hour.",
    )  # fmt: skip
    assert newest.before == {"paused": None, "closing": True, "closed": False}
    assert newest.after == {"paused": None, "closing": False, "closed": False}
    assert faults() == []


def test_whose_taking_back_comes_after_the_last_round_is_told_so(
    casino: TableClient, ann: User, olgas: Client, stack: Stack
) -> None:
    stack("Ts Kd 9c 9h 8c 7d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    press(olgas, "close", casino, reason="It is late.")
    casino.act(ann, "stand")
    assert "is already closed. Nothing was changed." in press(olgas, "keep-open", casino)
    assert casino.row.closed_at is not None
    assert len(acts(casino)) == 1


def test_the_table_of_who_deleted_the_account_is_not_kept_open(
    ann: User, ben: User, olgas: Client, stack: Stack
) -> None:
    at = made_by(ann)
    stack("Ts Kd 9c 9h 8c 7d")
    sit_down(at, ben)
    at.bet(ben, 1000)
    account_deletion.delete_account(ann.pk, timezone.now())
    assert at.row.is_closing
    page = press(olgas, "keep-open", at, reason="")
    assert "The host of this table has deleted the account." in page
    assert at.row.is_closing
    assert acts(at) == []


def test_an_operator_keeps_a_table_open_on_the_players_page(
    ann: User, ben: User, olga: User, stack: Stack
) -> None:
    at = made_by(ann)
    stack("Ts Kd 9c 9h 8c 7d")
    sit_down(at, ben)
    at.bet(ben, 1000)
    at.send(olga, Close(uuid.uuid4()))
    refused = at.send(ann, Close(uuid.uuid4(), on=False))
    assert refusal(refused) == "An operator closes this table. Only an operator can keep it open."
    result = at.send(olga, Close(uuid.uuid4(), on=False))
    assert events(result) == [{"type": "table_kept_open", "player": None}]
    newest, first = acts(at)
    assert (first.what, first.before, first.after) == (
        Act.What.CLOSE_TABLE, {"on": False}, {"command": "close", "on": True},
    )  # fmt: skip
    assert (newest.what, newest.before, newest.after) == (
        Act.What.KEEP_OPEN, {"on": True}, {"command": "close", "on": False},
    )  # fmt: skip
    assert code(at.send(ann, Close(uuid.uuid4()))) == "done"
    assert code(at.send(ann, Close(uuid.uuid4(), on=False))) == "done", "this one is the host's"


def test_a_table_without_a_round_is_closed_at_once_and_the_trail_says_so(
    casino: TableClient, olgas: Client
) -> None:
    assert "Casino is closed." in press(olgas, "close", casino, reason="It is late.")
    (act,) = acts(casino)
    assert act.after == {"paused": None, "closing": False, "closed": True}


def test_what_is_closed_is_not_paused_or_resumed_any_more(
    casino: TableClient, olgas: Client
) -> None:
    press(olgas, "close", casino, reason="It is late.")
    assert casino.row.closed_at is not None
    before = Table.objects.values().get(pk=casino.table_id)
    for what in ("pause", "resume", "close"):
        assert "Nothing was changed" in press(olgas, what, casino, reason="Again.")
    assert Table.objects.values().get(pk=casino.table_id) == before
    assert len(acts(casino)) == 1


def test_a_line_is_removed_and_its_words_are_not_kept_in_the_trail(
    casino: TableClient, ann: User, olgas: Client
) -> None:
    line = say(casino, ann, "Something rude.")
    assert "The message was removed." in press(olgas, "unsay", casino, line=str(line))
    assert chat.list_last_lines(casino.row) == ()
    (act,) = acts(casino)
    assert act.after == {"line": line, "of": ann.pk, "removed": True}
    assert (act.by.username, act.address) == ("olga", "127.0.0.1")
    press(olgas, "unsay", casino, line=str(line))
    assert len(acts(casino)) == 1


@pytest.mark.parametrize("line", ["", "x", "0", "-1", "9" * 30, "1\0"])
def test_a_line_that_is_none_is_no_fault(casino: TableClient, olgas: Client, line: str) -> None:
    press(olgas, "unsay", casino, line=line)
    assert acts(casino) == []


def test_somebody_is_silenced_at_one_table_and_may_talk_again(
    casino: TableClient, ann: User, olgas: Client
) -> None:
    casino.sit(ann, 1)
    assert "is muted here" in press(olgas, "silence", casino, player="ann", on="1")
    press(olgas, "silence", casino, player="ann", on="1")
    assert chat.list_silenced(casino.row) == ("ann",)
    assert "is unmuted here" in press(olgas, "silence", casino, player="ann", on="0")
    assert chat.list_silenced(casino.row) == ()
    assert [(act.what, act.after) for act in acts(casino)] == [
        (Act.What.UNSILENCE, {"player": ann.pk, "silent": False}),
        (Act.What.SILENCE, {"player": ann.pk, "silent": True}),
    ]


def test_an_operator_silences_no_operator(casino: TableClient, olgas: Client) -> None:
    assert "can&#x27;t mute that player" in press(olgas, "silence", casino, player="olga", on="1")
    assert acts(casino) == []


def test_what_an_operator_does_on_the_players_page_is_in_the_trail(ann: User, olga: User) -> None:
    at = made_by(ann)
    for _ in range(2):
        at.send(olga, Lock(uuid.uuid4(), on=True))
    at.send(olga, Close(uuid.uuid4()))
    newest, first = acts(at)
    assert (first.by, first.what, first.after) == (
        olga, Act.What.EDIT_TABLE, {"command": "lock", "on": True},
    )  # fmt: skip
    assert newest.what == Act.What.CLOSE_TABLE


def test_the_trail_says_what_a_table_was_like_before(ann: User, ben: User, olga: User) -> None:
    at = made_by(ann)
    at.sit(ben, 2)
    for command in (
        Lock(uuid.uuid4(), on=True),
        Lock(uuid.uuid4(), on=False),
        Chat(uuid.uuid4(), on=False),
        Renew(uuid.uuid4()),
        HandOn(uuid.uuid4(), "ben"),
    ):
        assert code(at.send(olga, command)) == "done"
    assert [(act.before, act.after["command"]) for act in reversed(acts(at))] == [
        ({"on": False}, "lock"), ({"on": True}, "lock"), ({"on": True}, "chat"), (None, "renew"),
        ({"player": "ann"}, "hand_on"),
    ]  # fmt: skip


def test_what_a_host_does_at_the_own_table_is_not(ann: User, ben: User) -> None:
    at = made_by(ann)
    at.send(ann, Lock(uuid.uuid4(), on=True))
    own, other = say(at, ann, "Mine."), say(at, ben, "Rude.")
    for command in (
        Unsay(uuid.uuid4(), own),
        Unsay(uuid.uuid4(), other),
        Silence(uuid.uuid4(), "ben", on=True),
    ):
        chat.execute(at.table_id, ann.pk, command, timezone.now())
    assert acts(at) == []


def test_what_somebody_takes_back_at_a_table_of_the_house_is_not(
    casino: TableClient, ann: User
) -> None:
    line = say(casino, ann, "Oh no.")
    chat.execute(casino.table_id, ann.pk, Unsay(uuid.uuid4(), line), timezone.now())
    assert acts(casino) == []


@pytest.mark.parametrize("table_id", ["0", "999999", str(2**63), "9" * 40])
def test_a_table_that_is_none_is_not_found(olgas: Client, table_id: str) -> None:
    for what in ("", "now/", "pause/", "resume/", "close/", "announce/"):
        assert olgas.get(f"/admin/floor/tables/{table_id}/{what}").status_code == 404
