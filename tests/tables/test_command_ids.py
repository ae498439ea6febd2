"""An id is used once, whatever a player does with it: in the game and in the chat."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable

import pytest
from django.db import IntegrityError, transaction

from accounts.models import User
from tables import chat, house, messages, playing
from tables.chat import Talked
from tables.messages import ChatCommand, Err, TableCommand
from tables.models import Change, ChatLine
from tables.playing import Order, Played
from tests.at_table import AtTable, fingerprint
from tests.tables.test_hosting import made_by

pytestmark = pytest.mark.django_db

Make = Callable[[AtTable, uuid.UUID], TableCommand | ChatCommand]


@pytest.fixture
def at(ann: User, ben: User) -> AtTable:
    """Ann's table; she sits there and has said something, Ben sits beside her."""
    at = made_by(ann)
    at.sit(ann, 1)
    at.sit(ben, 2)
    for text in ("first", "second"):
        send(at, ann, messages.Say(uuid.uuid4(), text))
    return at


def send(at: AtTable, user: User, command: TableCommand | ChatCommand) -> Played | Talked:
    if isinstance(command, ChatCommand):
        return chat.play(at.table_id, user.pk, command, at.now)
    return at.send(user, command)


def code(done: Played | Talked) -> str:
    return done.answer.code if isinstance(done.answer, Err) else "done"


def first_line() -> int:
    return ChatLine.objects.earliest("pk").pk


COMMANDS: dict[str, Make] = {
    "say": lambda _at, key: messages.Say(key, "hello"),
    "unsay": lambda at, key: messages.Unsay(key, first_line()),
    "silence": lambda _at, key: messages.Silence(key, "ben", on=True),
    "bet": lambda at, key: messages.Bet(key, at.row.turn, 1000),
    "lock": lambda _at, key: messages.Lock(key, on=True),
    "leave": lambda _at, key: messages.Leave(key),
}


@pytest.mark.parametrize(("first", "second"), [*itertools.permutations(COMMANDS, 2)])
def test_case_57_an_id_is_refused_for_another_command(
    first: str, second: str, at: AtTable, ann: User
) -> None:
    key = uuid.uuid4()
    assert code(send(at, ann, COMMANDS[first](at, key))) == "done"
    before = everything(at)
    other = COMMANDS[second](at, key)
    assert code(send(at, ann, other)) == "id_reused"
    assert everything(at) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_comes_again_is_done_once(name: str, at: AtTable, ann: User) -> None:
    command = COMMANDS[name](at, uuid.uuid4())
    first = send(at, ann, command)
    before = everything(at)
    assert send(at, ann, command).answer == first.answer
    assert everything(at) == before


def test_a_silence_that_comes_again_late_silences_nobody(at: AtTable, ann: User) -> None:
    late = messages.Silence(uuid.uuid4(), "ben", on=True)
    send(at, ann, late)
    send(at, ann, messages.Silence(uuid.uuid4(), "ben", on=False))
    assert code(send(at, ann, late)) == "done"
    assert chat.silenced_at(at.row) == ()


def test_another_player_may_have_the_same_id(at: AtTable, ann: User, ben: User) -> None:
    key = uuid.uuid4()
    assert code(send(at, ann, messages.Say(key, "hello"))) == "done"
    assert code(send(at, ben, messages.Bet(key, at.row.turn, 1000))) == "done"


def test_the_id_of_a_line_is_refused_for_a_bet_among_others(
    at: AtTable, ann: User, ben: User, casino: AtTable
) -> None:
    """Where the commands of several tables are done together, the others are not held up."""
    key = uuid.uuid4()
    send(at, ann, messages.Say(key, "hello"))
    casino.sit(ben, 1)
    orders = [
        Order(at.table_id, ann.pk, messages.Bet(key, at.row.turn, 1000)),
        Order(casino.table_id, ben.pk, messages.Bet(uuid.uuid4(), casino.row.turn, 1000)),
    ]
    with pytest.raises(IntegrityError), transaction.atomic():
        playing.play_all(orders, at.now)
    assert [code(house.play(order, at.now)) for order in orders] == ["id_reused", "done"]


def everything(at: AtTable) -> object:
    lines = list(ChatLine.objects.order_by("pk").values_list("pk", "text", "removed_at"))
    return fingerprint(at), lines, chat.silenced_at(at.row), Change.objects.count()
