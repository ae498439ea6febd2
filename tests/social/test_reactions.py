"""Reactions: at the own seat, now and then, and not from silenced players. Nothing is stored."""

from __future__ import annotations

import uuid

import pytest

from accounts.models import User
from tables.lib import token_bucket
from tables.lib.token_bucket import TokenBuckets
from tables.models import Change, ChatChange, ChatLine, Removal, Silence, Table
from tables.protocol.commands import React, Reaction
from tables.protocol.frames import Done, Err, Reacted
from tables.social import reactions
from tables.state.effects import Effects
from tests.helpers.rounds import new_table
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db


class Clock:
    """The time that token buckets know."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    running = Clock()
    monkeypatch.setattr(token_bucket, "time", running)
    pauses = TokenBuckets(per_second=1 / reactions.SECONDS_BETWEEN, at_once=1)
    minutes = TokenBuckets(per_second=reactions.AT_ONCE / 60, at_once=reactions.AT_ONCE)
    monkeypatch.setattr(reactions, "_pauses", pauses)
    monkeypatch.setattr(reactions, "_minutes", minutes)
    return running


@pytest.fixture
def at(ann: User) -> TableClient:
    table = new_table("casino")
    table.sit(ann, 2)
    return table


def react(at: TableClient, user: User) -> Effects[Done | Err]:
    command = React(uuid.uuid4(), Reaction.NICE_HAND)
    return reactions.execute(at.table_id, user.pk, command, at.now)


def refusal(at: TableClient, user: User) -> str:
    effects = react(at, user)
    assert isinstance(effects.value, Err)
    assert effects.frames == ()
    return effects.value.code


def test_everybody_at_the_table_is_told_and_nothing_is_stored(at: TableClient, ann: User) -> None:
    seq = at.row.seq
    effects = react(at, ann)
    assert isinstance(effects.value, Done)
    assert effects.frames == (
        (f"table.{at.table_id}", Reacted(seat=2, player="ann", reaction=Reaction.NICE_HAND)),
    )
    assert at.row.seq == seq
    assert not ChatLine.objects.exists()
    assert not ChatChange.objects.exists()
    assert Change.objects.filter(table=at.table_id).count() == seq


def test_watchers_do_not_react(at: TableClient, ben: User) -> None:
    assert refusal(at, ben) == "not_seated"


def test_one_in_two_seconds_and_ten_in_a_minute(at: TableClient, ann: User, clock: Clock) -> None:
    assert isinstance(react(at, ann).value, Done)
    assert refusal(at, ann) == "too_fast"
    count = 1
    for _ in range(20):
        clock.now += 2
        count += isinstance(react(at, ann).value, Done)
    assert count <= 10 + 40 // 6 + 1
    clock.now += 60
    assert isinstance(react(at, ann).value, Done)


def test_who_may_not_chat_does_not_react(at: TableClient, ann: User, ben: User) -> None:
    Table.objects.update(has_chat=False)
    assert refusal(at, ann) == "chat_off"
    Table.objects.update(has_chat=True)
    silence = Silence.objects.create(table=at.row, user=ann, by=ben, at=at.now)
    assert refusal(at, ann) == "silenced"
    silence.delete()
    ban = Removal.objects.create(table=at.row, user=ann, at=at.now, is_ban=True)
    assert refusal(at, ann) == "banned"
    ban.delete()
    User.objects.filter(pk=ann.pk).update(silenced_at=at.now)
    assert refusal(at, ann) == "silenced"
    User.objects.filter(pk=ann.pk).update(silenced_at=None, is_active=False)
    assert refusal(at, ann) == "not_allowed"
