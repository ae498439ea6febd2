"""The bets of a round, from its events."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from tables.models import Change
from tables.state.round_bets import RoundBets
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient, code


def placed(seat: int, stake: int) -> dict[str, Any]:
    return {"type": "bet_placed", "seat": seat, "stake": stake}


def returned(seat: int, stake: int) -> dict[str, Any]:
    return {"type": "bet_returned", "seat": seat, "stake": stake}


def test_a_bet_counts_until_it_is_returned() -> None:
    bets = RoundBets()
    bets.apply(placed(1, 500), 7)
    bets.apply(placed(2, 800), 8)
    bets.apply(returned(1, 500))
    assert (bets.stakes, bets.players) == ({2: 800}, {2: 8})


def test_the_last_bet_of_a_seat_counts() -> None:
    bets = RoundBets()
    for event, user_id in ((placed(1, 500), 7), (returned(1, 500), 7), (placed(1, 900), 8)):
        bets.apply(event, user_id)
    assert (bets.stakes, bets.players) == ({1: 900}, {1: 8})


def test_without_a_user_only_the_stake_is_recorded() -> None:
    bets = RoundBets()
    bets.apply(placed(1, 500))
    assert (bets.stakes, bets.players) == ({1: 500}, {})


def test_other_events_and_an_unknown_return_have_no_effect() -> None:
    bets = RoundBets()
    for event in ({"type": "card_dealt", "seat": 1, "stake": 5}, returned(2, 500)):
        bets.apply(event, 7)
    assert bets == RoundBets()


@pytest.mark.django_db
def test_stored_events_lead_to_the_bets_on_the_table(
    pot: TableClient, ann: User, ben: User
) -> None:
    sit_down(pot, ann, ben)
    for stake in (1000, 2000):
        assert code(pot.bet(ann, stake)) == "done"
    seat = next(iter(pot.live.game.bets))
    bets = RoundBets()
    for change in Change.objects.filter(round=pot.live.game.round_id).order_by("seq"):
        for event in change.events:
            bets.apply(event, change.user_id)
    assert (bets.stakes, bets.players) == (pot.live.game.bets, {seat: ann.pk})
