"""Three seats are the limit: who comes fourth gets in line, and is asked when a seat is free."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import override_settings

from accounts.audit_log import Operator
from accounts.models import User
from accounts.users import guests
from tables import access
from tables.game import account_deletion, commands, deadlines, recovery
from tables.game.commands import CommandResult, QueuedCommand
from tables.game.seats import MOST_IN_LINE
from tables.models import QueueEntry, Table
from tables.operators.players import freezing
from tables.protocol.commands import Free, Lock, QueueUp
from tables.realtime import presence
from tables.state.effects import ChangeNotice, Effects
from tables.state.waiting_line import OFFER
from tests.game.test_host_commands import close, made_by, renew
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, code, events, fingerprint, new_player, refusal

pytestmark = pytest.mark.django_db

OFFERED = OFFER.total_seconds()
LATE = deadlines.GRACE.total_seconds()
new_id = uuid.uuid4


@pytest.fixture
def erin(db: None) -> User:
    return new_player("erin")


@pytest.fixture
def full(casino: TableClient, ann: User, ben: User, cleo: User) -> TableClient:
    """A table whose three seats are taken."""
    sit_down(casino, ann, ben, cleo)
    return casino


def look(at: TableClient, *present: User) -> Effects[None]:
    """These people have the page of the table open."""
    return presence.update_table(at.table_id, "a", {user.pk: 1 for user in present}, at.now)


def wait(at: TableClient, *users: User) -> None:
    """They get in line, one after the other, with the page open."""
    look(at, *users, *(seat.user for seat in at.live.seats.values()))
    for user in users:
        assert code(at.queue_up(user)) == "done"


def line(at: TableClient) -> list[tuple[str, int | None]]:
    """Who is in line, and the seat that is offered."""
    return [(entry.player, entry.seat) for entry in at.view.queue]


def list_events(changes: tuple[ChangeNotice, ...]) -> list[dict[str, Any]]:
    return [event for change in changes for event in change.changed.events]


def kinds(played: CommandResult) -> list[str]:
    return [event["type"] for event in events(played)]


def seated(at: TableClient) -> list[str | None]:
    return [seat.player for seat in at.view.seats]


# Joining and leaving


def test_the_fourth_friend_gets_in_line_and_everybody_sees_it(
    full: TableClient, dora: User, erin: User
) -> None:
    assert events(full.queue_up(dora)) == [{"type": "queue_joined", "player": "dora"}]
    full.queue_up(erin)
    assert line(full) == [("dora", None), ("erin", None)]
    assert list(QueueEntry.objects.values_list("user__username", flat=True)) == ["dora", "erin"]


def test_the_line_can_be_left_at_any_time(full: TableClient, dora: User, erin: User) -> None:
    wait(full, dora, erin)
    event = {"type": "queue_left", "player": "dora", "reason": "left"}
    assert events(full.leave_queue(dora)) == [event]
    assert line(full) == [("erin", None)]
    assert code(full.leave_queue(dora)) == "not_in_line"


def test_nobody_is_in_line_twice_or_with_a_seat(full: TableClient, ann: User, dora: User) -> None:
    full.queue_up(dora)
    before = fingerprint(full)
    assert code(full.queue_up(dora)) == "already_in_line"
    assert code(full.queue_up(ann)) == "already_seated"
    assert fingerprint(full) == before


def test_with_a_free_seat_there_is_no_line(casino: TableClient, ann: User, dora: User) -> None:
    sit_down(casino, ann)
    assert code(casino.queue_up(dora)) == "seat_free"


def test_the_line_has_a_limit(full: TableClient) -> None:
    for number in range(MOST_IN_LINE):
        assert code(full.queue_up(new_player(f"friend{number}"))) == "done"
    assert code(full.queue_up(new_player("late"))) == "line_full"


def test_who_may_not_sit_down_may_not_get_in_line(
    ann: User, ben: User, cleo: User, dora: User, erin: User
) -> None:
    friday = made_by(ann, is_private=True)
    for user in (ben, cleo, dora):
        access.grant_access(friday.row, user.pk)
    sit_down(friday, ann, ben, cleo)
    assert code(friday.queue_up(erin)) == "not_invited"
    friday.send(ann, Free(new_id(), 2))
    friday.sit(dora, 2)
    assert code(friday.queue_up(ben)) == "removed"
    friday.send(ann, Lock(new_id(), on=True))
    access.grant_access(friday.row, erin.pk)
    assert code(friday.queue_up(erin)) == "table_locked"


@override_settings(SEATS_PER_ADDRESS=2)
def test_an_address_has_as_many_places_in_line_as_seats(full: TableClient) -> None:
    def arrive(name: str) -> str:
        queued = QueuedCommand(full.table_id, new_player(name).pk, QueueUp(new_id()), "192.0.2.7")
        return code(commands.execute_one(queued, full.now))

    assert [arrive(name) for name in ("dora", "erin", "finn")] == ["done", "done", "too_many_seats"]


# Offers


def test_a_free_seat_is_offered_to_the_first_who_alone_can_take_it(
    full: TableClient, ben: User, dora: User, erin: User
) -> None:
    wait(full, dora, erin)
    full.later(1)
    departure, offered = events(full.leave(ben))
    until = round((full.now + OFFER).timestamp() * 1000)
    assert departure["type"] == "player_left"
    assert offered == {"type": "seat_offered", "seat": 2, "player": "dora", "until": until}
    assert [(e.player, e.seat, e.until) for e in full.view.queue] == [
        ("dora", 2, until),
        ("erin", None, None),
    ]
    refused = full.sit(erin, 2)
    assert code(refused) == "seat_offered"
    assert refusal(refused) == "Seat 2 is offered to dora, who is next in line."
    assert kinds(full.sit(dora, 2)) == ["player_sat"]
    assert line(full) == [("erin", None)]
    assert seated(full) == ["ann", "dora", "cleo"]


def test_who_comes_meanwhile_gets_in_line_behind(
    full: TableClient, ben: User, dora: User, erin: User
) -> None:
    wait(full, dora)
    full.leave(ben)
    assert code(full.queue_up(erin)) == "done"
    assert line(full) == [("dora", 2), ("erin", None)]


def test_no_thanks_asks_the_next_one(full: TableClient, ben: User, dora: User, erin: User) -> None:
    wait(full, dora, erin)
    full.leave(ben)
    declined, offered = events(full.leave_queue(dora))
    assert declined == {"type": "queue_left", "player": "dora", "reason": "declined"}
    assert (offered["type"], offered["player"], offered["seat"]) == ("seat_offered", "erin", 2)
    assert line(full) == [("erin", 2)]


def test_after_thirty_seconds_the_next_one_is_asked(
    full: TableClient, ben: User, dora: User, erin: User
) -> None:
    wait(full, dora, erin)
    full.leave(ben)
    full.later(OFFERED + LATE - 0.001)
    assert deadlines.apply_deadline(full.table_id, full.now) == ()
    assert deadlines.list_overdue_tables(full.now, [full.table_id]) == []
    assert full.table_id in deadlines.list_deadlines(full.now)
    full.later(0.001)
    assert deadlines.list_overdue_tables(full.now, [full.table_id]) == [full.table_id]
    lapsed, offered = list_events(deadlines.apply_deadline(full.table_id, full.now))
    assert lapsed == {"type": "offer_lapsed", "seat": 2, "player": "dora"}
    assert (offered["type"], offered["player"]) == ("seat_offered", "erin")
    assert line(full) == [("erin", 2)]
    assert deadlines.apply_deadline(full.table_id, full.now) == ()


def test_a_seat_that_nobody_in_line_wants_is_free_for_all(
    full: TableClient, ben: User, dora: User, erin: User
) -> None:
    wait(full, dora)
    full.leave(ben)
    full.later(OFFERED + LATE)
    deadlines.apply_deadline(full.table_id, full.now)
    assert line(full) == []
    assert code(full.sit(erin, 2)) == "done"


def test_the_offer_counts_until_its_end_by_the_servers_clock(
    full: TableClient, ben: User, dora: User, erin: User
) -> None:
    """A little late is in time, as for a decision. Too late, the command itself ends the offer."""
    wait(full, dora, erin)
    full.leave(ben)
    full.later(OFFERED + LATE - 0.001)
    assert code(full.sit(dora, 2)) == "done"
    full.leave(dora)
    full.later(OFFERED + LATE)
    late = full.sit(dora, 2)
    assert code(late) == "done"  # erin's offer has ended and nobody else is in line
    assert kinds(late)[0] == "offer_lapsed"


def test_who_takes_it_too_late_hears_that_the_next_one_is_asked(
    full: TableClient, ben: User, dora: User, erin: User
) -> None:
    wait(full, dora, erin)
    full.leave(ben)
    full.later(OFFERED + LATE)
    late = full.sit(dora, 2)
    assert code(late) == "seat_offered"
    assert line(full) == [("erin", 2)]


def test_two_seats_are_offered_to_the_first_two(
    full: TableClient, ann: User, ben: User, dora: User, erin: User
) -> None:
    wait(full, dora, erin)
    full.leave(ann)
    full.leave(ben)
    assert line(full) == [("dora", 1), ("erin", 2)]
    full.sit(dora, 1)
    assert line(full) == [("erin", 2)]


def test_the_clock_of_the_round_goes_on_beside_the_offer(
    full: TableClient, ann: User, ben: User, dora: User, stack: Callable[..., None]
) -> None:
    stack("Ts 9h 7d 8c")  # no natural, which would end the round
    Table.objects.update(betting_seconds=40)
    wait(full, dora)
    full.bet(ann, 1000)
    full.leave(ben)
    full.later(OFFERED + LATE)
    assert [e["type"] for e in list_events(deadlines.apply_deadline(full.table_id, full.now))] == [
        "offer_lapsed"
    ]
    assert full.row.deadline_at is not None
    full.time_is_up()
    assert full.live.game.is_playing


def test_a_freed_and_an_absent_seat_are_offered_too(ann: User, ben: User, cleo: User) -> None:
    friday, dora = made_by(ann), new_player("dora")
    sit_down(friday, ann, ben, cleo)
    wait(friday, dora)
    assert kinds(friday.send(ann, Free(new_id(), 3))) == ["player_left", "seat_offered"]
    friday.leave_queue(dora)
    friday.sit(cleo, 3)
    friday.send(ann, Lock(new_id(), on=False))
    friday.sit(new_player("finn"), 3)
    wait(friday, dora)
    friday.later(6)
    look(friday, ann, dora)
    friday.later(60)
    presence.refresh_visits("a", friday.now)
    freed = [e["type"] for e in list_events(look(friday, ann, dora).changes)]
    assert freed[:2] == ["player_left", "player_left"]
    assert "seat_offered" in freed


# Who is here


def test_who_has_no_page_open_is_passed_over_and_keeps_the_place_for_a_minute(
    full: TableClient, ann: User, ben: User, dora: User, erin: User
) -> None:
    wait(full, dora, erin)
    full.later(5)
    look(full, ann, erin)
    full.leave(ben)
    assert line(full) == [("dora", None), ("erin", 2)]
    full.later(59)
    presence.refresh_visits("a", full.now)
    assert line(full)[0] == ("dora", None)
    full.leave_queue(erin)
    (back,) = list_events(look(full, ann, dora).changes)
    assert (back["type"], back["player"]) == ("seat_offered", "dora")


def test_after_a_minute_without_a_page_the_place_is_lost(
    full: TableClient, ann: User, ben: User, cleo: User, dora: User
) -> None:
    wait(full, dora)
    full.later(5)
    look(full, ann, ben, cleo)
    assert presence.list_tables_to_check(full.now) == []
    full.later(60)
    presence.refresh_visits("a", full.now)
    assert presence.list_tables_to_check(full.now) == [full.table_id]
    event_dicts = list_events(look(full, ann, ben, cleo).changes)
    assert event_dicts == [{"type": "queue_left", "player": "dora", "reason": "absent"}]
    assert line(full) == []


def test_in_line_a_name_is_the_present_one(full: TableClient) -> None:
    guest = guests.create_guest(at=full.now)
    full.queue_up(guest)
    guests.convert(guest, name="Erin", encoded_password="!", email="")
    assert line(full) == [("Erin", None)]
    full.bet(User.objects.get(username="ann"), 1000)
    assert line(full) == [("Erin", None)]


# Outages


def test_an_offer_that_the_server_has_missed_begins_anew(
    full: TableClient, ben: User, dora: User
) -> None:
    wait(full, dora)
    full.leave(ben)
    full.later(OFFERED + 6)
    (again,) = list_events(deadlines.apply_deadline(full.table_id, full.now))
    assert again["type"] == "seat_offered"
    assert again["until"] == round((full.now + OFFER).timestamp() * 1000)
    assert code(full.sit(dora, 2)) == "done"


def test_after_a_restart_the_line_and_its_offer_are_still_there(
    full: TableClient, ben: User, dora: User, erin: User
) -> None:
    wait(full, dora, erin)
    full.leave(ben)
    assert deadlines.list_timed_tables() == [full.table_id]
    full.later(3)
    assert recovery.resume_after_outage(full.table_id, full.now) == ()
    full.later(20)
    assert len(recovery.resume_after_outage(full.table_id, full.now)) == 1
    assert line(full) == [("dora", 2), ("erin", None)]
    full.later(OFFERED)
    assert code(full.sit(dora, 2)) == "done"


# The table changes


def test_a_locked_table_offers_no_seat_until_it_is_unlocked(
    ann: User, ben: User, cleo: User, dora: User
) -> None:
    friday = made_by(ann)
    sit_down(friday, ann, ben, cleo)
    wait(friday, dora)
    friday.leave(ben)
    friday.send(ann, Lock(new_id(), on=True))
    assert line(friday) == [("dora", None)]
    assert kinds(friday.send(ann, Lock(new_id(), on=False))) == ["table_unlocked", "seat_offered"]


def test_a_new_invite_of_a_private_table_ends_the_line(
    ann: User, ben: User, cleo: User, dora: User
) -> None:
    friday = made_by(ann, is_private=True)
    for user in (ben, cleo, dora):
        access.grant_access(friday.row, user.pk)
    sit_down(friday, ann, ben, cleo)
    wait(friday, dora)
    assert kinds(friday.send(ann, renew())) == ["queue_left", "invite_renewed"]
    assert line(friday) == []


def test_a_closed_table_has_no_line(ann: User, ben: User, cleo: User, dora: User) -> None:
    friday = made_by(ann)
    sit_down(friday, ann, ben, cleo)
    wait(friday, dora)
    assert {"type": "queue_left", "player": "dora", "reason": "closed"} in events(
        friday.send(ann, close())
    )
    assert not QueueEntry.objects.exists()


def test_a_deleted_or_frozen_account_is_in_no_line(
    full: TableClient, ben: User, dora: User, erin: User, admin_user: User
) -> None:
    wait(full, dora, erin)
    full.leave(ben)
    departure, offered = list_events(account_deletion.delete_account(dora.pk, full.now).changes)
    assert (departure["type"], offered["player"]) == ("queue_left", "erin")
    effects = freezing.freeze(Operator(admin_user.pk), erin.pk, "collusion", full.now)
    assert [event["type"] for event in list_events(effects.changes)] == ["queue_left"]
    assert line(full) == []


def test_a_game_of_one_has_a_line_too(ann: User, ben: User) -> None:
    piles = new_table("piles")
    sit_down(piles, ann)
    wait(piles, ben)
    piles.leave(ann)
    assert line(piles) == [("ben", 1)]
    assert deadlines.list_deadlines(piles.now + dt.timedelta(minutes=1)).keys() == {piles.table_id}
    assert code(piles.sit(ben, 1)) == "done"
