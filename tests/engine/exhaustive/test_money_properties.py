"""What holds in every round about the money, whatever is tried."""

from __future__ import annotations

from hypothesis import given

from tables.engine.events import InsuranceSettled, InsuranceTaken, Outcome
from tables.engine.presets import POT, VEGAS
from tests.engine.random_rounds import (
    Plan,
    casino_plans,
    hands_of,
    plans,
    quick,
    staked_by,
)


@quick
@given(casino_plans)
def test_every_payout_is_what_its_outcome_pays(plan: Plan):
    round_, _ = plan.finished()
    half_stakes = {"blackjack": 5, "win": 4, "push": 2, "lose": 0, "bust": 0, "surrender": 1}
    for hand in hands_of(round_):
        assert hand.payout * 2 == hand.stake * half_stakes[str(hand.outcome)]


@quick
@given(plans(POT))
def test_the_winner_of_a_pot_takes_the_stake_and_what_matched_it(plan: Plan):
    round_, _ = plan.finished()
    for hand in hands_of(round_):
        assert hand.payout == (2 * hand.stake if hand.outcome is Outcome.WIN else 0)
        assert hand.outcome in (Outcome.WIN, Outcome.LOSE, Outcome.BUST)


@quick
@given(casino_plans)
def test_the_hands_hold_the_first_stake_and_what_events_added(plan: Plan):
    round_, events = plan.finished()
    on_table = sum(hand.stake for hand in hands_of(round_))
    on_table += sum(insurance.stake for insurance in round_.insurance.values())
    assert on_table == sum(plan.stakes.values()) + sum(staked_by(event) for event in events)


@quick
@given(casino_plans)
def test_every_hand_holds_the_first_stake_once_or_doubled(plan: Plan):
    round_, _ = plan.finished()
    for seat, hands in round_.seats.items():
        for hand in hands:
            assert hand.stake == plan.stakes[seat] * (2 if hand.is_doubled else 1)


@quick
@given(casino_plans)
def test_nobody_stakes_more_than_there_is(plan: Plan):
    round_, _ = plan.finished()
    for seat, hands in round_.seats.items():
        staked = sum(hand.stake for hand in hands)
        if seat in round_.insurance:
            staked += round_.insurance[seat].stake
        assert staked <= plan.stakes[seat] + plan.funds[seat]


@quick
@given(casino_plans)
def test_only_cards_of_equal_value_make_more_hands_and_never_too_many(plan: Plan):
    round_, _ = plan.finished()
    for hands in round_.seats.values():
        assert len(hands) <= plan.rules.max_hands
        if len(hands) > 1:
            assert len({hand.hand.cards[0].points for hand in hands}) == 1


@quick
@given(plans(VEGAS))
def test_insurance_is_half_the_stake_and_pays_2_to_1_on_a_natural(plan: Plan):
    round_, _ = plan.finished()
    for seat, insurance in round_.insurance.items():
        assert insurance.stake in (0, plan.stakes[seat] // 2)
        assert insurance.payout == (3 * insurance.stake if round_.dealer.is_natural else 0)


@quick
@given(plans(VEGAS))
def test_every_insurance_that_was_taken_is_settled_once_and_as_it_is_told(plan: Plan):
    round_, events = plan.finished()
    seats = [event.seat for event in events if isinstance(event, InsuranceTaken)]
    settlements = [event for event in events if isinstance(event, InsuranceSettled)]
    assert settlements == [
        InsuranceSettled(seat, round_.insurance[seat].stake, round_.insurance[seat].payout)
        for seat in seats
    ]
    assert seats == [seat for seat, insurance in round_.insurance.items() if insurance.stake]


@quick
@given(plans(VEGAS))
def test_insurance_that_pays_makes_good_what_the_hand_lost(plan: Plan):
    round_, _ = plan.finished()
    for seat, insurance in round_.insurance.items():
        (hand, *_) = round_.seats[seat]
        if insurance.payout and hand.outcome is Outcome.LOSE:
            assert hand.payout + insurance.payout == hand.stake + insurance.stake
