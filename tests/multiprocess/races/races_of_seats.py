"""Players of one address who sit down at all tables of the house at the same moment."""

from __future__ import annotations

import uuid
from collections import Counter

import pytest
from django.utils import timezone

from tables.game import commands
from tables.game.commands import QueuedCommand
from tables.models import Seat
from tables.protocol.commands import Sit
from tables.realtime import presence
from tests.helpers.rounds import new_table
from tests.helpers.table_client import code, new_player
from tests.multiprocess.parallel import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_case_55_of_twelve_of_one_address_three_sit_down(db: None) -> None:
    tables = [new_table("casino") for _ in range(12)]
    orders = [
        QueuedCommand(at.table_id, new_player(f"guest{n}").pk, Sit(uuid.uuid4(), 1), "192.0.2.7")
        for n, at in enumerate(tables)
    ]
    played = at_once(
        [lambda order=order: commands.execute_one(order, timezone.now()) for order in orders]
    )
    assert Counter(map(code, played)) == {"done": 3, "too_many_seats": 9}
    assert Seat.objects.count() == 3


def test_a_seat_is_freed_once_however_many_processes_look(db: None) -> None:
    at, user = new_table("casino"), new_player("ann")
    at.sit(user, 1)
    presence.update_table(at.table_id, "a", {user.pk: 1}, at.now)
    at.later(200)
    looks = [
        lambda name=name: presence.update_table(at.table_id, name, {user.pk: 1}, at.now)
        for name in "abcdef"
    ]
    changes = [change for noted in at_once(looks) for change in noted.changes]
    left = [e for change in changes for e in change.changed.events if e["type"] == "player_left"]
    assert [event["reason"] for event in left] == ["idle"]
