"""What a snapshot tells of the changes that a page has missed."""

from __future__ import annotations

from random import Random

import pytest

from accounts.models import User
from tables.realtime import snapshots
from tests.helpers.rounds import play_round, round_at_random, sit_down
from tests.helpers.table_client import TableClient, events

pytestmark = pytest.mark.django_db


def list_missed_rounds(at: TableClient, user: User) -> set[int | None]:
    """After two rounds, to a page from before them."""
    seq, chance = at.row.seq, Random("two rounds")
    sit_down(at, user)
    for _ in range(2):
        list(round_at_random(at, [user], chance))
    snapshot = snapshots.table_snapshot(at.table_id, user.pk, at.now, seq=seq)
    return {change.round for change in snapshot.missed}


def test_a_page_is_told_all_rounds_that_it_has_missed(casino: TableClient, ann: User) -> None:
    assert list_missed_rounds(casino, ann) == {None, 1, 2}


def test_nobody_is_told_the_cards_that_lie_in_the_piles(piles: TableClient, ann: User) -> None:
    assert list_missed_rounds(piles, ann) == {2}


def list_missed_types(at: TableClient, user: User) -> list[str]:
    """The events in the page of the table, if it is opened now."""
    snapshot = snapshots.table_snapshot(at.table_id, user.pk, at.now, tells_round=True)
    return [event["type"] for change in snapshot.missed for event in change.events]


def test_an_opened_page_is_told_the_last_round_alone(
    casino: TableClient, ann: User, ben: User
) -> None:
    assert list_missed_types(casino, ann) == []
    sit_down(casino, ann, ben)
    assert list_missed_types(casino, ann) == []
    chance = Random("three rounds")
    for _ in range(3):
        of_round = play_round(casino, [ann, ben], chance)
    assert list_missed_types(casino, ben) == [event["type"] for event in of_round]
    casino.bet(ann, 1_000)
    assert list_missed_types(casino, ben) == ["bet_placed"]


def test_an_opened_page_is_told_the_cards_of_piles_only_while_they_lie_on_the_table(
    piles: TableClient, ann: User
) -> None:
    sit_down(piles, ann)
    count_in_play = 0
    for _ in range(10):
        dealt = piles.bet(ann, 0)
        if piles.view.phase == "playing":
            count_in_play += 1
            assert list_missed_types(piles, ann) == [event["type"] for event in events(dealt)]
            while piles.view.phase == "playing":
                piles.act(ann, "stand")
        assert list_missed_types(piles, ann) == []
    assert count_in_play


def test_a_round_that_began_too_long_ago_is_not_told(
    casino: TableClient, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_down(casino, ann, ben)
    of_round = play_round(casino, [ann, ben], Random("one round"))
    assert list_missed_types(casino, ann) == [event["type"] for event in of_round]
    monkeypatch.setattr(snapshots, "MOST_MISSED", 1)
    assert list_missed_types(casino, ann) == []
