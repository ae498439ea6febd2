"""Seats that are held without a bet, and how many of them one address may hold."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import HouseSettings, User
from tables.game import commands, commit, deadlines, lifecycle, pauses
from tables.game.commands import CommandResult, QueuedCommand
from tables.lobby.forms import PlayerTableForm
from tables.models import Seat, Table
from tables.protocol.commands import Sit
from tables.realtime import presence
from tables.state import idle_seats
from tables.state.live_table import LiveTable
from tests.helpers.rounds import faults, least_stake, new_table, sit_down
from tests.helpers.table_client import TableClient, code, new_player

pytestmark = pytest.mark.django_db
STAKED = ("casino", "vegas", "pot")
EVERY = (*STAKED, "classic", "heads-up", "piles")
every_rule_set = pytest.mark.parametrize("key", EVERY)


def look(at: TableClient, *here: User) -> list[tuple[str, str]]:
    """What the look round does while these pages are open: who lost a seat, and why."""
    if at.table_id not in presence.list_tables_to_check(at.now):
        return []
    noted = presence.update_table(at.table_id, "a", {user.pk: 1 for user in here}, at.now)
    event_dicts = [event for change in noted.changes for event in change.changed.events]
    return [(e["player"], e["reason"]) for e in event_dicts if e["type"] == "player_left"]


def come(at: TableClient, *users: User) -> None:
    presence.update_table(at.table_id, "a", {user.pk: 1 for user in users}, at.now)


def private(key: str, ann: User, minutes: int | None) -> TableClient:
    row = lifecycle.open_table(
        name="Den", rules_key=key, host_id=ann.pk, is_private=True, idle_minutes=minutes
    )
    return TableClient(row.pk)


@every_rule_set
def test_case_55_a_seat_without_a_bet_is_freed_after_three_minutes(key: str, ann: User) -> None:
    at = new_table(key)
    come(at, ann)
    at.sit(ann, 1)
    at.later(179)
    come(at, ann)
    assert look(at, ann) == []
    assert at.view.seats[0].idle is not None
    at.later(2)
    assert look(at, ann) == [("ann", "idle")]
    assert at.live.seats == {}
    assert look(at, ann) == []
    assert faults() == []


@pytest.mark.parametrize("key", STAKED)
def test_a_bet_that_is_taken_back_keeps_no_seat(key: str, ann: User, ben: User) -> None:
    at = new_table(key)
    sit_down(at, ann, ben)
    come(at, ann, ben)
    for _ in range(9):
        at.later(20)
        at.bet(ann, least_stake(at))
        assert look(at, ann, ben) == []
        at.take_back(ann)
    at.later(1)
    assert sorted(look(at, ann, ben)) == [("ann", "idle"), ("ben", "idle")]
    assert faults() == []


def test_who_plays_keeps_the_seat(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack(*["Ts 9h 9d 8c"] * 4)
    casino.sit(ann, 1)
    come(casino, ann)
    for _ in range(4):
        casino.later(170)
        casino.bet(ann, 1000)
        assert casino.view.seats[0].idle is None
        casino.act(ann, "stand")
        assert look(casino, ann) == []
    casino.later(181)
    assert look(casino, ann) == [("ann", "idle")]


def test_who_sits_down_in_a_long_round_has_the_whole_time_after_it(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts 9h 9d 8c")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.sit(ben, 2)
    come(casino, ann, ben)
    casino.later(29)
    assert look(casino, ann, ben) == []
    for _ in range(8):
        casino.later(28)
        Table.objects.update(deadline_at=casino.now + deadlines.GRACE)
    assert look(casino, ann, ben) == []
    casino.act(ann, "stand")
    casino.later(170)
    assert look(casino, ann, ben) == []


def test_while_a_bet_lies_there_its_clock_decides(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    come(casino, ann, ben)
    casino.later(175)
    casino.bet(ann, 1000)
    casino.later(10)
    assert casino.view.seats[1].idle is None
    assert look(casino, ann, ben) == []


def test_two_missed_rounds_free_a_seat_as_before(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack(*["Ts 9h 9d 8c"] * 2)
    sit_down(casino, ann, ben)
    come(casino, ann, ben)
    for _ in range(2):
        casino.bet(ann, 1000)
        casino.time_is_up()
        casino.act(ann, "stand")
    assert [seat.user for seat in casino.live.seats.values()] == [ann]


@pytest.mark.parametrize(("minutes", "seconds"), [(1, 61), (5, 301)])
def test_at_a_private_table_the_maker_says_how_long(minutes: int, seconds: int, ann: User) -> None:
    at = private("casino", ann, minutes)
    at.sit(ann, 1)
    come(at, ann)
    at.later(seconds - 2)
    assert look(at, ann) == []
    at.later(2)
    assert look(at, ann) == [("ann", "idle")]


def test_at_a_private_table_seats_are_held_for_ever_where_nothing_is_said(ann: User) -> None:
    at = private("casino", ann, None)
    at.sit(ann, 1)
    come(at, ann)
    at.later(86_400)
    presence.refresh_visits("a", at.now)
    assert at.view.seats[0].idle is None
    assert look(at, ann) == []


@pytest.mark.parametrize(
    ("text", "minutes"), [("", None), ("1", 1), ("60", 60), ("0", "x"), ("61", "x"), ("-1", "x")]
)
def test_the_maker_says_it_in_the_form(text: str, minutes: object, ann: User) -> None:
    fields = {"name": "Den", "rules_key": "casino", "betting_seconds": 20, "turn_seconds": 30}
    form = PlayerTableForm({**fields, "is_private": "on", "idle_minutes": text})
    assert form.is_valid() is (minutes != "x"), form.errors
    if minutes != "x":
        assert form.settings["idle_minutes"] == minutes


def test_in_a_pause_and_in_maintenance_nobody_loses_a_seat(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    come(casino, ann)
    live = LiveTable.lock(casino.table_id, casino.now)
    pauses.pause(live, "Cleaning.")
    commit.commit_table(live)
    casino.later(600)
    assert look(casino, ann) == []
    live = LiveTable.lock(casino.table_id, casino.now)
    pauses.resume(live)
    commit.commit_table(live)
    casino.later(100)
    assert look(casino, ann) == []
    HouseSettings.objects.update(maintenance_at=timezone.now())
    casino.later(600)
    assert look(casino, ann) == []
    HouseSettings.objects.update(maintenance_at=None)
    assert look(casino, ann) == []
    casino.later(181)
    assert look(casino, ann) == [("ann", "idle")]


def test_after_an_outage_everybody_has_the_whole_time(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    casino.later(3600)
    idle_seats.restart_all_timers(casino.now)
    come(casino, ann)
    casino.later(179)
    assert look(casino, ann) == []


def test_a_seat_of_before_is_held_until_the_house_has_started(
    casino: TableClient, ann: User
) -> None:
    casino.sit(ann, 1)
    Seat.objects.update(idle_since=None)
    come(casino, ann)
    casino.later(600)
    assert casino.view.seats[0].idle is None
    assert look(casino, ann) == []


# One address


def sit_from(address: str | None, at: TableClient, user: User, seat: int) -> CommandResult:
    command = Sit(uuid.uuid4(), seat)
    return commands.execute_one(QueuedCommand(at.table_id, user.pk, command, address), at.now)


def guests(number: int) -> list[User]:
    return [new_player(f"guest{n}") for n in range(number)]


def test_case_55_six_guests_of_one_address_hold_three_seats_of_fourteen(db: None) -> None:
    tables = [new_table(key) for key in EVERY]
    codes = (
        [
            code(sit_from("192.0.2.7", at, user, seat))
            for at in tables
            for seat, user in zip(range(1, at.row.rules.seats + 1), guests_once, strict=False)
        ]
        if (guests_once := guests(6))
        else []
    )
    assert len(codes) == 14
    assert codes.count("done") == Seat.objects.count() == 3
    assert set(codes) == {"done", "too_many_seats"}
    assert code(sit_from("192.0.2.8", tables[-1], guests_once[5], 1)) == "done"


@pytest.mark.parametrize("address", [None, "127.0.0.1", "::1", "nonsense"])
def test_this_machine_is_not_counted(address: str | None, db: None) -> None:
    tables = [new_table("casino"), new_table("casino")]
    people = guests(3)
    for at in tables:
        for seat, user in enumerate(people, start=1):
            assert code(sit_from(address, at, user, seat)) == "done"


def test_an_address_of_the_newer_kind_counts_with_its_network(
    casino: TableClient, db: None
) -> None:
    other = new_table("vegas")
    people = guests(4)
    for number, user in enumerate(people[:3], start=1):
        assert code(sit_from(f"2001:db8::{number}", casino, user, number)) == "done"
    assert code(sit_from("2001:db8::9", other, people[3], 1)) == "too_many_seats"
    assert code(sit_from("2001:db8:0:1::9", other, people[3], 1)) == "done"


def test_friends_in_one_flat_are_not_hindered_at_tables_of_their_own(ann: User) -> None:
    people = [ann, *guests(8)]
    own = [
        TableClient(lifecycle.open_table(name="Den", rules_key="casino", host_id=ann.pk).pk)
        for _ in range(3)
    ]
    for n, user in enumerate(people):
        assert code(sit_from("192.0.2.7", own[n // 3], user, n % 3 + 1)) == "done"


def test_a_seat_that_is_given_back_may_be_taken_again(casino: TableClient, db: None) -> None:
    other, people = new_table("vegas"), guests(4)
    for number, user in enumerate(people[:3], start=1):
        sit_from("192.0.2.7", casino, user, number)
    assert code(sit_from("192.0.2.7", other, people[3], 1)) == "too_many_seats"
    casino.leave(people[0])
    assert code(sit_from("192.0.2.7", other, people[3], 1)) == "done"


def test_of_commands_that_are_decided_together_each_counts_the_others(db: None) -> None:
    tables, people = [new_table("casino") for _ in range(6)], guests(6)
    orders = [
        QueuedCommand(at.table_id, user.pk, Sit(uuid.uuid4(), 1), "192.0.2.7")
        for at, user in zip(tables, people, strict=True)
    ]
    played: list[Any] = commands.execute(orders, timezone.now())
    assert sorted(code(one) for one in played) == ["done"] * 3 + ["too_many_seats"] * 3
    assert Seat.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_page_counts_as_a_socket_does(db: None, settings: Any, client: Client) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    tables = [new_table("casino"), new_table("casino")]
    for number, user in enumerate(guests(4)):
        client.force_login(user)
        at = tables[number // 3]
        client.post(
            f"/tables/{at.table_id}/seats/{number % 3 + 1}/", HTTP_X_FORWARDED_FOR="192.0.2.7"
        )
    assert Seat.objects.count() == 3
