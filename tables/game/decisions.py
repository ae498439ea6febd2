"""An action on a hand, its events, and automatic decisions."""

from __future__ import annotations

from collections.abc import Iterable

from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.events import (
    Event,
    HandDoubled,
    HandSettled,
    HandSplit,
    InsuranceSettled,
    InsuranceTaken,
)
from tables.game import settlement
from tables.state.live_table import LiveTable


def apply_action(
    live: LiveTable, action: Action, funds: int = 0, *, decided_by: int | None = None
) -> None:
    """Play an action on the current hand. ``decided_by`` is the seat that decided, or ``None``.

    If the shoe runs out, the round is aborted. Raises what :meth:`Round.verify` raises.
    """
    round_ = live.game.round
    assert round_ is not None
    assert round_.turn is not None
    try:
        events = round_.act(action, round_.turn, funds)
    except RuleViolation as violation:
        mark_exhausted_shoe(live, violation)
        return
    if decided_by is not None:
        live.game.decisions[decided_by] = live.game.decisions.get(decided_by, 0) + 1
    apply_events(live, events)


def mark_exhausted_shoe(live: LiveTable, violation: RuleViolation) -> None:
    """Mark the round as aborted if the shoe is exhausted; otherwise raise the violation."""
    if violation.code != "shoe_exhausted":
        raise violation
    live.is_out_of_cards = True


def auto_decide(live: LiveTable) -> None:
    """Decide at once for players who quit, and for those who cannot pay an insurance."""
    round_ = live.game.round
    if round_ is None or round_.turn is None:
        return
    seat = round_.turn.seat
    if live.seats[seat].is_leaving:
        apply_action(live, round_.passive_action)
    elif round_.is_insurance_asked and not round_.can(Action.INSURE, round_.turn, live.funds(seat)):
        apply_action(live, Action.DECLINE)


def apply_events(live: LiveTable, events: Iterable[Event]) -> None:
    """Record the engine's events, move their money, and open the next decision."""
    for event in events:
        live.events.append(event)
        match event:
            case HandDoubled(seat, hand, stake) if stake:
                live.stake(seat, hand, stake, "double")
            case HandSplit(seat, hand, stake) if stake:
                live.stake(seat, hand + 1, stake, f"split:{_count_hands(live, seat)}")
            case InsuranceTaken(seat, stake):
                live.insure(seat, stake)
            case InsuranceSettled(seat, stake, payout):
                live.settle_insurance(seat, stake, payout)
            case HandSettled(seat, hand, _, stake, payout):
                live.settle(seat, hand, stake, payout)
    round_ = live.game.round
    assert round_ is not None
    if round_.is_finished:
        settlement.settle_round(live, round_)
    else:
        live.next_decision(live.row.turn_seconds)
        auto_decide(live)


def _count_hands(live: LiveTable, seat: int) -> int:
    assert live.game.round is not None
    return len(live.game.round.seats[seat])
