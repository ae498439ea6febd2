"""The same id for two commands of one player at the same moment, in the game and in the chat."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import User
from tables.game import commands
from tables.game.commands import QueuedCommand
from tables.models import Change, ChatChange, ChatLine
from tables.protocol.commands import Hints, Say, Unsay
from tables.protocol.frames import Done, Err
from tables.social import chat
from tables.state.effects import Effects
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, code, new_player
from tests.multiprocess.parallel import at_once

pytestmark = pytest.mark.django_db(transaction=True)

TIMES = 15
Answer = Effects[Done | Err]
Send = Callable[[], Answer]


@pytest.fixture
def ann(db: None) -> User:
    return new_player("ann")


@pytest.fixture
def at(ann: User) -> TableClient:
    return with_player(ann)


def with_player(user: User) -> TableClient:
    at = new_table("casino")
    sit_down(at, user)
    return at


def say(at: TableClient, user: User, key: uuid.UUID, text: str) -> Send:
    return lambda: chat.execute(at.table_id, user.pk, Say(key, text), timezone.now())


def unsay(at: TableClient, user: User, key: uuid.UUID) -> Send:
    line = ChatLine.objects.create(
        table_id=at.table_id, user=user, command_id=uuid.uuid4(), at=at.now, text="to remove"
    )
    return lambda: chat.execute(at.table_id, user.pk, Unsay(key, line.pk), timezone.now())


def switch(at: TableClient, user: User, key: uuid.UUID, *, on: bool) -> Send:
    queued = QueuedCommand(at.table_id, user.pk, Hints(key, on=on))
    return lambda: commands.execute_one(queued, timezone.now())


def uses_of(key: uuid.UUID) -> int:
    return sum(
        model._default_manager.filter(command_id=key).count()
        for model in (Change, ChatLine, ChatChange)
    )


def answers_to(build: Callable[[uuid.UUID], list[Send]]) -> set[tuple[str, ...]]:
    """How commands with one id are answered that are sent at once, each of which is to use it alone."""
    answers = set()
    for _ in range(TIMES):
        key = uuid.uuid4()
        answers.add(tuple(sorted(map(code, at_once(build(key))))))
        assert uses_of(key) == 1
        ChatLine.objects.all().delete()  # nobody is told to write more slowly
    return answers


@pytest.mark.parametrize("where", ["the same table", "another table"])
def test_an_id_is_used_once_in_the_game_and_in_the_chat(
    at: TableClient, ann: User, where: str
) -> None:
    other = at if where == "the same table" else with_player(ann)
    is_on = itertools.cycle([True, False])
    assert answers_to(
        lambda key: [switch(at, ann, key, on=next(is_on)), say(other, ann, key, "hello")]
    ) == {("done", "id_reused")}


def test_an_id_is_used_once_for_two_commands_of_the_chat(at: TableClient, ann: User) -> None:
    answers = answers_to(lambda key: [unsay(at, ann, key), say(at, ann, key, "hello")])
    assert answers == {("done", "id_reused")}


def test_an_id_is_used_once_for_lines_at_two_tables(at: TableClient, ann: User) -> None:
    tables = at, with_player(ann)
    answers = answers_to(lambda key: [say(each, ann, key, "hello") for each in tables])
    assert answers == {("done", "id_reused")}


def test_a_line_that_is_sent_on_two_connections_is_said_once(at: TableClient, ann: User) -> None:
    assert answers_to(lambda key: [say(at, ann, key, "hello")] * 2) == {("done", "done")}
