"""The host of a table pauses it for a pizza, as operators do, and ends no other pause than that."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest
from django.db import transaction

from accounts.models import Act, User
from tables.game import commit, lifecycle, pauses
from tables.game.chips import racks
from tables.game.commands import QueuedCommand, execute_one
from tables.game.deadlines import apply_deadline
from tables.models import Change
from tables.realtime import presence
from tables.state.live_table import LiveTable
from tests.game.test_host_commands import anns, close, free, hand_on, operator, pause
from tests.game.test_pauses import BECAUSE, maintain
from tests.game.test_pauses import pause as pause_by_operator
from tests.game.test_pauses import resume as resume_by_operator
from tests.helpers.rounds import faults, sit_down, types
from tests.helpers.table_client import TableClient, balance_of, code, events, fingerprint, refusal

pytestmark = pytest.mark.django_db
__all__ = ["anns", "operator"]


def test_nobody_bets_and_nobody_is_timed_out_until_the_host_resumes(
    anns: TableClient, ann: User, ben: User
) -> None:
    sit_down(anns, ann, ben)
    anns.bet(ben, 1000)
    event_dicts = events(anns.send(ann, pause()))
    assert types(event_dicts) == ["table_paused", "bet_returned"]
    assert event_dicts[0] == {"type": "table_paused", "because": pauses.BY_HOST, "player": "ann"}
    assert (anns.view.paused, anns.view.paused_by_host) == (pauses.BY_HOST, True)
    assert balance_of(ben) == 50_000
    refused = anns.bet(ben, 1000)
    assert code(refused) == "table_paused"
    assert pauses.BY_HOST in refusal(refused)
    anns.later(3600)
    assert apply_deadline(anns.table_id, anns.now) == ()
    presence.update_table(anns.table_id, "p", {}, anns.now)
    assert anns.row.seats.count() == 2
    assert events(anns.send(ann, pause(on=False))) == [{"type": "table_resumed", "player": "ann"}]
    assert (anns.view.paused, anns.view.paused_by_host) == (None, False)
    assert code(anns.bet(ben, 1000)) == "done"
    assert faults() == []


def test_a_round_in_play_is_finished_first(
    anns: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts Kd 9c 9h 8c 7d 2s 3s 4s")
    anns.sit(ann, 1)
    anns.bet(ann, 1000)
    assert types(events(anns.send(ann, pause()))) == ["table_paused"]
    assert code(anns.act(ann, "stand")) == "done"
    assert anns.row.deadline_at is None
    assert code(anns.bet(ann, 1000)) == "table_paused"
    assert faults() == []


def test_what_is_so_already_is_no_event(anns: TableClient, ann: User) -> None:
    assert events(anns.send(ann, pause(on=False))) == []
    paused_at = anns.now
    anns.send(ann, pause())
    anns.later(60)
    assert events(anns.send(ann, pause())) == []
    assert anns.row.paused_at == paused_at


def test_a_command_that_is_sent_twice_is_done_once(anns: TableClient, ann: User) -> None:
    command = pause()
    first = anns.send(ann, command)
    anns.send(ann, pause(on=False))
    again = anns.send(ann, command)
    assert again.value == first.value
    assert again.changes == ()
    assert anns.row.paused_at is None


# Pauses of others


def test_the_host_resumes_nothing_that_an_operator_paused(anns: TableClient, ann: User) -> None:
    pause_by_operator(anns)
    before = fingerprint(anns)
    refused = anns.send(ann, pause(on=False))
    assert code(refused) == "table_paused"
    assert "Only an operator" in refusal(refused)
    assert fingerprint(anns) == before
    assert events(anns.send(ann, pause())) == [], "and does not make it the own one"
    assert code(anns.send(ann, pause(on=False))) == "table_paused"


def test_the_pause_of_an_operator_takes_the_place_of_the_hosts(
    anns: TableClient, ann: User
) -> None:
    anns.send(ann, pause())
    change = pause_by_operator(anns)
    assert change.changed.events == ({"type": "table_paused", "because": BECAUSE, "player": None},)
    assert (anns.view.paused, anns.view.paused_by_host) == (BECAUSE, False)
    assert code(anns.send(ann, pause(on=False))) == "table_paused"
    resume_by_operator(anns)
    assert code(anns.send(ann, pause())) == "done"
    assert code(anns.send(ann, pause(on=False))) == "done"


def test_the_host_does_not_end_the_wait_for_a_refill_of_the_rack(
    anns: TableClient, ann: User
) -> None:
    anns.send(ann, pause())
    pause_by_operator(anns, racks.WAITS)
    assert code(anns.send(ann, pause(on=False))) == "table_paused"


def test_the_host_does_not_end_the_maintenance_of_the_site(anns: TableClient, ann: User) -> None:
    anns.sit(ann, 1)
    anns.send(ann, pause())
    maintain(anns.now - dt.timedelta(minutes=1))
    assert code(anns.send(ann, pause(on=False))) == "done"
    assert code(anns.bet(ann, 1000)) == "maintenance"


def test_operators_end_the_pause_of_a_host(anns: TableClient, ann: User) -> None:
    anns.send(ann, pause())
    change = resume_by_operator(anns)
    assert change.changed.events == ({"type": "table_resumed", "player": None},)


def test_an_operator_at_the_table_pauses_as_one_and_it_is_in_the_audit_log(
    anns: TableClient, ann: User, operator: User
) -> None:
    event_dicts = events(anns.send(operator, pause()))
    assert event_dicts == [{"type": "table_paused", "because": pauses.BY_OPERATOR, "player": None}]
    assert code(anns.send(ann, pause(on=False))) == "table_paused"
    assert code(anns.send(operator, pause(on=False))) == "done"
    acts = Act.objects.order_by("pk").values_list("what", flat=True)
    assert list(acts) == [Act.What.PAUSE_TABLE, Act.What.RESUME_TABLE]


# Hosts


def test_a_new_host_ends_the_pause_and_the_former_one_does_not(
    anns: TableClient, ann: User, ben: User
) -> None:
    sit_down(anns, ann, ben)
    anns.send(ann, pause())
    anns.send(ann, hand_on("ben"))
    assert code(anns.send(ann, pause(on=False))) == "not_maker"
    event_dicts = events(anns.send(ben, pause(on=False)))
    assert event_dicts == [{"type": "table_resumed", "player": "ben"}]


def test_a_frozen_host_pauses_nothing(anns: TableClient, ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert code(anns.send(ann, pause())) == "not_allowed"


def test_a_paused_table_is_run_and_closed_as_any_other(
    anns: TableClient, ann: User, ben: User
) -> None:
    sit_down(anns, ann, ben)
    anns.send(ann, pause())
    assert code(anns.send(ann, free(2))) == "done"
    assert types(events(anns.send(ann, close())))[-1] == "table_closed"
    assert lifecycle.end_forgotten_pauses(anns.now + dt.timedelta(hours=3)) == ()


# A forgotten pause


def test_a_forgotten_pause_ends_after_two_hours(anns: TableClient, ann: User) -> None:
    anns.sit(ann, 1)
    anns.send(ann, pause())
    anns.later(7199)
    assert lifecycle.end_forgotten_pauses(anns.now) == ()
    anns.later(1)
    (change,) = lifecycle.end_forgotten_pauses(anns.now)
    assert change.changed.events == ({"type": "table_resumed", "player": None},)
    assert code(anns.bet(ann, 1000)) == "done"
    assert lifecycle.end_forgotten_pauses(anns.now) == ()


def test_the_pause_of_an_operator_lasts(anns: TableClient, ann: User) -> None:
    anns.send(ann, pause())
    pause_by_operator(anns)
    anns.later(100_000)
    assert lifecycle.end_forgotten_pauses(anns.now) == ()


def test_a_pause_gives_the_rack_no_new_fills(anns: TableClient, ann: User) -> None:
    with transaction.atomic():
        live = LiveTable.lock(anns.table_id, anns.now)
        live.row.auto_filled = 500
        commit.commit_table(live)
    anns.send(ann, pause())
    anns.send(ann, pause(on=False))
    assert anns.row.auto_filled == 500


def test_the_stored_change_names_the_host(anns: TableClient, ann: User) -> None:
    command = pause()
    execute_one(QueuedCommand(anns.table_id, ann.pk, command), anns.now)
    change = Change.objects.get(command_id=command.id)
    assert change.user_id == ann.pk
