"""An id is used once, whatever a player does with it: in the game and in the chat."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable

import pytest

from accounts.lib.sql import optimistic
from accounts.models import User
from tables.game import commands
from tables.game.commands import QueuedCommand
from tables.models import Change, ChatLine
from tables.protocol.commands import (
    Bet,
    ChatCommand,
    Leave,
    Lock,
    Say,
    Silence,
    TableCommand,
    Unsay,
)
from tables.protocol.frames import Done, Err
from tables.social import chat
from tables.state.effects import Effects
from tests.game.test_host_commands import made_by
from tests.helpers.table_client import TableClient, fingerprint

pytestmark = pytest.mark.django_db

Make = Callable[[TableClient, uuid.UUID], TableCommand | ChatCommand]


@pytest.fixture
def at(ann: User, ben: User) -> TableClient:
    """Ann's table; she sits there and has said something, Ben sits beside her."""
    at = made_by(ann)
    at.sit(ann, 1)
    at.sit(ben, 2)
    for text in ("first", "second"):
        send(at, ann, Say(uuid.uuid4(), text))
    return at


def send(at: TableClient, user: User, command: TableCommand | ChatCommand) -> Effects[Done | Err]:
    if isinstance(command, ChatCommand):
        return chat.execute(at.table_id, user.pk, command, at.now)
    return at.send(user, command)


def code(effects: Effects[Done | Err]) -> str:
    return effects.value.code if isinstance(effects.value, Err) else "done"


def first_line() -> int:
    return ChatLine.objects.earliest("pk").pk


COMMANDS: dict[str, Make] = {
    "say": lambda _at, key: Say(key, "hello"),
    "unsay": lambda at, key: Unsay(key, first_line()),
    "silence": lambda _at, key: Silence(key, "ben", on=True),
    "bet": lambda at, key: Bet(key, at.row.turn, 1000),
    "lock": lambda _at, key: Lock(key, on=True),
    "leave": lambda _at, key: Leave(key),
}


@pytest.mark.parametrize(("first", "second"), [*itertools.permutations(COMMANDS, 2)])
def test_case_57_an_id_is_refused_for_another_command(
    first: str, second: str, at: TableClient, ann: User
) -> None:
    key = uuid.uuid4()
    assert code(send(at, ann, COMMANDS[first](at, key))) == "done"
    before = everything(at)
    other = COMMANDS[second](at, key)
    assert code(send(at, ann, other)) == "id_reused"
    assert everything(at) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_comes_again_is_done_once(name: str, at: TableClient, ann: User) -> None:
    command = COMMANDS[name](at, uuid.uuid4())
    first = send(at, ann, command)
    before = everything(at)
    assert send(at, ann, command).value == first.value
    assert everything(at) == before


def test_a_silence_that_comes_again_late_silences_nobody(at: TableClient, ann: User) -> None:
    late = Silence(uuid.uuid4(), "ben", on=True)
    send(at, ann, late)
    send(at, ann, Silence(uuid.uuid4(), "ben", on=False))
    assert code(send(at, ann, late)) == "done"
    assert chat.list_silenced(at.row) == ()


def test_another_player_may_have_the_same_id(at: TableClient, ann: User, ben: User) -> None:
    key = uuid.uuid4()
    assert code(send(at, ann, Say(key, "hello"))) == "done"
    assert code(send(at, ben, Bet(key, at.row.turn, 1000))) == "done"


def test_the_id_of_a_line_is_refused_for_a_bet_among_others(
    at: TableClient, ann: User, ben: User, casino: TableClient
) -> None:
    """Where the commands of several tables are done together, the others are not held up."""
    key = uuid.uuid4()
    send(at, ann, Say(key, "hello"))
    casino.sit(ben, 1)
    orders = [
        QueuedCommand(at.table_id, ann.pk, Bet(key, at.row.turn, 1000)),
        QueuedCommand(casino.table_id, ben.pk, Bet(uuid.uuid4(), casino.row.turn, 1000)),
    ]
    with pytest.raises(optimistic.Conflict):
        commands.execute(orders, at.now)
    assert [code(commands.execute_one(order, at.now)) for order in orders] == ["id_reused", "done"]


def everything(at: TableClient) -> object:
    lines = list(ChatLine.objects.order_by("pk").values_list("pk", "text", "removed_at"))
    return fingerprint(at), lines, chat.list_silenced(at.row), Change.objects.count()
