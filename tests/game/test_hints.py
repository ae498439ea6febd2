"""A player turns hints on at the own seat, where the table allows them; all at the table see it."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from accounts.audit_log import Operator
from accounts.models import User
from tables.game import lifecycle, pending_settings
from tables.models import Seat
from tables.operators.tables import editing
from tables.protocol.commands import AllowHints, Hints
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient, code, events, fingerprint

pytestmark = pytest.mark.django_db


def hints(*, on: bool) -> Hints:
    return Hints(uuid.uuid4(), on)


def allow(*, on: bool) -> AllowHints:
    return AllowHints(uuid.uuid4(), on)


@pytest.fixture
def anns(ann: User) -> TableClient:
    """A table that ann has made."""
    row = lifecycle.open_table(name="Friday night", rules_key="casino", host_id=ann.pk)
    return TableClient(row.pk)


def marked(at: TableClient) -> list[int]:
    """The seats with the mark."""
    return [seat.seat for seat in at.view.seats if seat.hints]


def test_hints_are_off_until_their_player_turns_them_on(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    assert marked(casino) == []
    event_dicts = events(casino.send(ben, hints(on=True)))
    assert event_dicts == [{"type": "hints_switched", "seat": 2, "player": "ben", "on": True}]
    assert marked(casino) == [2]
    assert events(casino.send(ben, hints(on=True))) == []
    assert events(casino.send(ben, hints(on=False)))[0]["on"] is False
    assert marked(casino) == []


def test_they_are_switched_during_a_decision_which_stays_open(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts 9h 6h 7d")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    turn, decision = casino.row.turn, casino.view.asked
    assert code(casino.send(ann, hints(on=True))) == "done"
    assert (casino.row.turn, casino.view.asked) == (turn, decision)


def test_the_next_player_of_a_seat_begins_without_hints(
    casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    casino.send(ann, hints(on=True))
    casino.leave(ann)
    casino.sit(ben, 1)
    assert marked(casino) == []


def test_a_watcher_has_no_switch(casino: TableClient, dora: User) -> None:
    assert code(casino.send(dora, hints(on=True))) == "not_seated"


def test_a_table_that_does_not_allow_hints_refuses_the_switch(
    anns: TableClient, ann: User, ben: User
) -> None:
    sit_down(anns, ann, ben)
    anns.send(ben, hints(on=True))
    event_dicts = events(anns.send(ann, allow(on=False)))
    assert event_dicts == [{"type": "hints_allowed", "on": False}]
    assert marked(anns) == []
    assert not anns.view.hints_allowed
    before = fingerprint(anns)
    assert code(anns.send(ben, hints(on=True))) == "hints_off"
    assert fingerprint(anns) == before
    assert not Seat.objects.filter(has_hints=True).exists()
    anns.send(ann, allow(on=True))
    assert code(anns.send(ben, hints(on=True))) == "done"


def test_an_operator_who_forbids_hints_turns_them_off_after_the_round(
    casino: TableClient, ann: User, admin_user: User, stack: Callable[..., None]
) -> None:
    stack("Ts 9h 6h 7d Kc")
    sit_down(casino, ann)
    casino.send(ann, hints(on=True))
    casino.bet(ann, 1000)
    settings = pending_settings.get_settings(casino.row)
    editing.edit_settings(
        Operator(admin_user.pk), casino.table_id, pending_settings.settings_hash(settings),
        settings | {"has_hints": False}, "for the contest", casino.now,
    )  # fmt: skip
    assert marked(casino) == [1]
    casino.act(ann, "stand")
    assert marked(casino) == []
    assert not casino.row.has_hints
