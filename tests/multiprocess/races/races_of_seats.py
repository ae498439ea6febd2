"""Players who sit down, leave, and wait for a seat at the same moment."""

from __future__ import annotations

import uuid
from collections import Counter

import pytest
from django.utils import timezone

from tables.game import commands, deadlines
from tables.game.commands import QueuedCommand
from tables.models import QueueEntry, Seat
from tables.protocol.commands import QueueUp, Sit
from tables.realtime import presence
from tests.game.test_waiting_line import LATE, OFFERED, line, seated, wait
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, code, new_player
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
    departures = [
        e for change in changes for e in change.changed.events if e["type"] == "player_left"
    ]
    assert [event["reason"] for event in departures] == ["idle"]


# The line for a seat


def full_table() -> TableClient:
    """A table with ann, ben and cleo."""
    at = new_table("casino")
    sit_down(at, *(new_player(name) for name in ("ann", "ben", "cleo")))
    return at


def leave_seat_2(at: TableClient) -> None:
    assert code(at.leave(at.live.seats[2].user)) == "done"


def test_case_60_a_free_seat_is_offered_to_one_and_taken_by_that_one(db: None) -> None:
    at, dora = full_table(), new_player("dora")
    wait(at, dora)
    leave_seat_2(at)
    others = [new_player(f"friend{number}") for number in range(6)]
    users = [*others[:3], dora, *others[3:]]
    played = at_once([lambda user=user: at.sit(user, 2) for user in users])
    codes = dict(zip((user.username for user in users), map(code, played), strict=True))
    assert codes["dora"] == "done"
    assert {codes[user.username] for user in others} <= {"seat_offered", "seat_taken"}
    assert seated(at)[1] == "dora"
    assert line(at) == []


def test_case_60_one_player_takes_an_offer_once(db: None) -> None:
    at, dora = full_table(), new_player("dora")
    wait(at, dora)
    leave_seat_2(at)
    played = at_once([lambda: at.sit(dora, 2) for _ in range(6)])
    assert Counter(map(code, played)) == {"done": 1, "already_seated": 5}


def test_case_60_an_offer_that_is_taken_and_lapses_at_the_same_moment_does_one_of_both(
    db: None,
) -> None:
    at, dora, erin = full_table(), new_player("dora"), new_player("erin")
    wait(at, dora, erin)
    leave_seat_2(at)
    in_time = at.now
    at.later(OFFERED + LATE)
    late = at.now
    at.now = in_time
    took, *_ = at_once(
        [
            lambda: code(at.sit(dora, 2)),
            *[lambda: str(len(deadlines.apply_deadline(at.table_id, late)))] * 3,
        ]
    )
    if took == "done":
        assert (seated(at)[1], line(at)) == ("dora", [("erin", None)])
    else:
        assert took == "seat_offered"
        assert (seated(at)[1], line(at)) == (None, [("erin", 2)])


def test_case_60_the_clocks_of_many_processes_end_an_offer_once(db: None) -> None:
    at = full_table()
    wait(at, *(new_player(name) for name in ("dora", "erin", "finn")))
    leave_seat_2(at)
    before = at.row.seq
    at.later(OFFERED + LATE)
    at_once([lambda: deadlines.apply_deadline(at.table_id, at.now) for _ in range(6)])
    assert at.row.seq == before + 1
    assert line(at) == [("erin", 2), ("finn", None)]


def test_case_60_three_seats_that_become_free_at_once_go_to_three(db: None) -> None:
    at = full_table()
    players = [seat.user for seat in at.live.seats.values()]
    wait(at, *(new_player(name) for name in ("dora", "erin", "finn", "gus")))
    at_once([lambda user=user: at.leave(user) for user in players])
    offered = {name: seat for name, seat in line(at) if seat is not None}
    assert sorted(offered) == ["dora", "erin", "finn"]
    assert sorted(offered.values()) == [1, 2, 3]


def test_case_60_nobody_gets_in_line_twice_however_often_it_is_sent(db: None) -> None:
    at, dora = full_table(), new_player("dora")
    same = QueuedCommand(at.table_id, dora.pk, QueueUp(uuid.uuid4()))
    played = at_once(
        [lambda: commands.execute_one(same, at.now)] * 3 + [lambda: at.queue_up(dora)] * 3
    )
    assert set(map(code, played)) <= {"done", "already_in_line"}
    assert QueueEntry.objects.count() == 1
