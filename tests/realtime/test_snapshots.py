"""What a snapshot tells of the changes that a page has missed."""

from __future__ import annotations

from random import Random

import pytest

from accounts.models import User
from tables.realtime import snapshots
from tests.helpers.rounds import round_at_random, sit_down
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db


def rounds_told(at: TableClient, user: User) -> set[int | None]:
    """After two rounds, to a page from before them."""
    seq, chance = at.row.seq, Random("two rounds")
    sit_down(at, user)
    for _ in range(2):
        list(round_at_random(at, [user], chance))
    told = snapshots.table_snapshot(at.table_id, user.pk, at.now, seq=seq)
    return {change.round for change in told.missed}


def test_a_page_is_told_all_rounds_that_it_has_missed(casino: TableClient, ann: User) -> None:
    assert rounds_told(casino, ann) == {None, 1, 2}


def test_nobody_is_told_the_cards_that_lie_in_the_piles(piles: TableClient, ann: User) -> None:
    assert rounds_told(piles, ann) == {2}
