"""An action on a hand, its events, and automatic decisions.

Insurance is asked of all seats at once. The engine asks one seat after the other, so the answers
wait in the state of the table: the last one plays them all, in the order of the seats.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tables.engine import legal_actions
from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.events import (
    Event,
    HandDoubled,
    HandSettled,
    HandSplit,
    InsuranceSettled,
)
from tables.game import settlement
from tables.game.behind import hands as backed_hands
from tables.protocol.events import ClockRanOut, InsuranceAnswered, PlanPlayed
from tables.protocol.plans import Plan
from tables.state import plans, time_banks
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
    seat = round_.turn.seat
    try:
        events = round_.act(action, round_.turn, funds)
    except RuleViolation as violation:
        mark_exhausted_shoe(live, violation)
        return
    time_banks.stop_bank(live, seat)
    if decided_by is not None:
        _count_decision(live, decided_by)
    apply_events(live, events)


def _count_decision(live: LiveTable, seat: int) -> None:
    live.game.decisions[seat] = live.game.decisions.get(seat, 0) + 1


def mark_exhausted_shoe(live: LiveTable, violation: RuleViolation) -> None:
    """Mark the round as aborted if the shoe is exhausted; otherwise raise the violation."""
    if violation.code != "shoe_exhausted":
        raise violation
    live.is_out_of_cards = True


def answer_insurance(live: LiveTable, seat: int, action: Action) -> None:
    """Store the seat's answer about insurance. The last answer plays them all.

    The stake moves now, not with the last answer: whoever is insured has paid, and an answer cannot
    fail because of money that another player spends meanwhile. Raises :class:`RuleViolation`
    ``not_your_turn``, ``stale_turn`` if the seat has answered, ``insurance_first`` for another
    action than an answer, ``cannot_afford``, ``loss_limit``.
    """
    round_ = live.game.round
    assert round_ is not None
    if seat not in round_.seats:
        raise RuleViolation("not_your_turn", "It's another player's turn.")
    if seat not in live.game.seats_to_insure:
        raise RuleViolation("stale_turn", "You've already decided that.")
    if not action.is_about_insurance:
        raise RuleViolation("insurance_first", "Take or decline insurance first.")
    hand = round_.seats[seat][0]
    legal_actions.verify_insurance(round_, action, hand, live.funds(seat))
    if action is Action.INSURE:
        live.insure(seat, legal_actions.insurance_stake(hand))
    _count_decision(live, seat)
    _store_answers(live, {seat: action})


def decline_at_timeout(live: LiveTable) -> None:
    """Decline insurance for every seat that has not answered in time."""
    _play_answers(live, late=live.game.seats_to_insure)


def _store_answers(live: LiveTable, answers: dict[int, Action]) -> None:
    live.game.insurance_answers |= answers
    if live.game.seats_to_insure:
        live.events.extend(InsuranceAnswered(seat) for seat in answers)
    else:
        _play_answers(live)


def _play_answers(live: LiveTable, late: Collection[int] = ()) -> None:
    """Play all answers in the order of the seats; a seat that is ``late`` declines."""
    round_ = live.game.round
    assert round_ is not None
    answers, live.game.insurance_answers = live.game.insurance_answers, {}
    events: list[Event | ClockRanOut] = []
    while round_.is_insurance_asked:
        assert round_.turn is not None
        turn = round_.turn
        if turn.seat in late:
            events.append(ClockRanOut(turn.seat, turn.hand))
        paid = legal_actions.insurance_stake(round_.hand_at(turn))
        try:
            events += round_.act(answers.get(turn.seat, Action.DECLINE), turn, paid)
        except RuleViolation as violation:
            live.events.extend(events)
            mark_exhausted_shoe(live, violation)
            return
    apply_events(live, events)


def auto_decide(live: LiveTable) -> None:
    """Decide at once for players who quit, and play what was decided ahead."""
    round_ = live.game.round
    if round_ is None or round_.turn is None:
        return
    if round_.is_insurance_asked:
        _decline_for(live, [n for n in live.game.seats_to_insure if live.seats[n].is_leaving])
    elif live.seats[round_.turn.seat].is_leaving:
        apply_action(live, round_.passive_action)
    elif (plan := plans.find_due_plan(live)) is not None:
        action = plans.find_action(plan, round_.hand_at(round_.turn).hand)
        if action is not None:
            play_plan(live, plan, action)


def play_plan(live: LiveTable, plan: Plan, action: Action, funds: int = 0) -> None:
    """Play what the player has decided ahead for the current hand, as the player's own decision.

    Raises what :meth:`Round.verify` raises.
    """
    round_ = live.game.round
    assert round_ is not None
    turn = round_.turn
    assert turn is not None
    round_.verify(action, turn, funds)
    live.events.append(PlanPlayed(turn.seat, turn.hand, plan, str(action)))
    live.game.best_tries = 0
    apply_action(live, action, funds, decided_by=turn.seat)


def _decline_for_who_cannot_pay(live: LiveTable) -> None:
    """Decline insurance for every player without the money for it."""
    round_ = live.game.round
    assert round_ is not None
    seats = live.game.seats_to_insure
    answers = {seat: legal_actions.answers(round_, seat, live.funds(seat)) for seat in seats}
    _decline_for(live, [seat for seat in seats if Action.INSURE not in answers[seat]])


def _decline_for(live: LiveTable, seats: Collection[int]) -> None:
    if seats:
        _store_answers(live, dict.fromkeys(seats, Action.DECLINE))


def apply_events(live: LiveTable, events: Iterable[Event | ClockRanOut]) -> None:
    """Record the engine's events, move their money, and open the next decision."""
    for event in events:
        live.events.append(event)
        match event:
            case HandDoubled(seat, hand, stake) if stake:
                live.stake(seat, hand, stake, "double")
            case HandSplit(seat, hand, stake) if stake:
                live.stake(seat, hand + 1, stake, f"split:{live.game.count_hands(seat)}")
            case InsuranceSettled(seat, stake, payout):
                live.settle_insurance(seat, stake, payout)
            case HandSettled(seat, hand, _, stake, payout):
                live.settle(seat, hand, stake, payout)
            case _:
                pass
        if live.game.backed:
            backed_hands.follow(live, event)
    round_ = live.game.round
    assert round_ is not None
    if round_.is_finished:
        settlement.settle_round(live, round_)
    else:
        plans.drop_finished_plans(live)
        is_best = plans.is_best_play_due(live)
        live.next_decision(plans.BEST_SECONDS if is_best else live.row.turn_seconds)
        _decline_for_who_cannot_pay(live)
        auto_decide(live)
