"""Keys that are reserved before they are needed. Run by ``test_postgresql.py``."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from django.utils import timezone

from accounts.lib.sql import optimistic
from accounts.models import User
from tables.game import commands
from tables.game.commands import QueuedCommand
from tables.models import Round, Shoe
from tables.protocol.commands import Bet, Stand, TableCommand
from tables.state import rooms
from tables.state.effects import Effects
from tests.helpers.rounds import new_table
from tests.helpers.table_client import TableClient, code, new_player
from tests.multiprocess.parallel import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Place:
    """A table, and who sits there alone: a wallet that another one uses would be read again."""

    table: TableClient
    user: User


@pytest.fixture
def places(db: None) -> list[Place]:
    places = [Place(new_table("casino"), new_player(name)) for name in ("ann", "ben", "cleo")]
    for place in places:
        assert code(place.table.sit(place.user, 1)) == "done"
    return places


def play(*places: Place) -> None:
    """A round at each of these tables, with one transaction for a command at all of them."""
    execute(places, lambda turn: Bet(uuid.uuid4(), turn, 1000))
    while in_play := [place for place in places if place.table.view.asked]:
        execute(in_play, lambda turn: Stand(uuid.uuid4(), turn))


def execute(places: Sequence[Place], build: Callable[[int], TableCommand]) -> None:
    queue = [
        QueuedCommand(place.table.table_id, place.user.pk, build(place.table.row.turn))
        for place in places
    ]
    outcomes = optimistic.run(lambda: commands.execute(queue, timezone.now()))
    for outcome in outcomes:
        assert isinstance(outcome, Effects), outcome
        assert code(outcome) == "done"


def assert_keys_are_in_order(table: TableClient) -> None:
    """Of rounds and shoes of this table."""
    for rows in (Round.objects.exclude(number=None), Shoe.objects.all()):
        pks = list(
            rows.filter(table=table.table_id).order_by("number").values_list("pk", flat=True)
        )
        assert len(pks) > 1
        assert pks == sorted(pks)


def test_a_busy_thread_reserves_keys_with_its_writes(
    places: list[Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimistic, "KEYS_SECONDS", 60.0)
    play(*places)
    alone = list[int]()
    usual = optimistic._send_for_keys

    def send_for_keys(*, wanted: int) -> object:
        if wanted == 1:
            alone.append(wanted)
        return usual(wanted=wanted)

    monkeypatch.setattr(optimistic, "_send_for_keys", send_for_keys)
    play(*places)
    assert alone == []
    monkeypatch.setattr(optimistic, "KEYS_SECONDS", 0.0)
    play(*places)
    assert alone != []  # they have become too old
    for place in places:
        assert_keys_are_in_order(place.table)


@pytest.mark.parametrize("is_told", [True, False])
def test_a_key_is_higher_than_those_of_another_process_at_the_table(
    places: list[Place], monkeypatch: pytest.MonkeyPatch, is_told: bool
) -> None:
    """Whether this one has heard of the other one's round, or finds out as it writes its own."""
    monkeypatch.setattr(optimistic, "KEYS_SECONDS", 60.0)
    first, second, third = places
    play(first, second)  # some keys are left
    at_once([lambda: play(third)])
    if is_told:
        rooms.note_change_elsewhere(third.table.table_id)
    play(third, second)
    assert_keys_are_in_order(third.table)
