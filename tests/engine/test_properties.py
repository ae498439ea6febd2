"""What holds in every round, whatever the cards and whatever is tried."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field

from hypothesis import given

from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.errors import RuleViolation
from tables.engine.events import (
    CardDealt,
    DealerCardDealt,
    Event,
    HandDoubled,
    HandSettled,
    HandSplit,
    HoleCardRevealed,
    Outcome,
)
from tables.engine.round import PlayerHand, Round
from tests.engine.random_rounds import Plan, casino_plans, plans, quick, staked_by


def hands_of(round_: Round) -> list[PlayerHand]:
    return [hand for hands in round_.seats.values() for hand in hands]


# Cards


@quick
@given(plans())
def test_every_dealt_card_lies_in_exactly_one_hand(plan: Plan):
    for step in plan.steps():
        shoe = step.round.shoe
        on_table = [card for hand in hands_of(step.round) for card in hand.hand.cards]
        on_table += step.round.dealer.cards
        assert sorted(map(str, on_table)) == sorted(map(str, shoe.cards[: shoe.dealt]))


@quick
@given(plans())
def test_the_shoe_is_never_changed(plan: Plan):
    round_, _ = plan.finished()
    assert round_.shoe.cards == plan.cards


@quick
@given(plans())
def test_cards_are_dealt_in_the_order_in_which_they_lie(plan: Plan):
    round_, events = plan.finished()
    dealt = [
        event.card or round_.hole_card
        for event in events
        if isinstance(event, CardDealt | DealerCardDealt)
    ]
    assert dealt == list(plan.cards[: round_.shoe.dealt])


@quick
@given(plans())
def test_the_hole_card_is_in_no_event_before_it_is_revealed(plan: Plan):
    round_, events = plan.finished()
    revealed = [isinstance(event, HoleCardRevealed) for event in events].index(True)
    assert all(getattr(event, "card", None) != round_.hole_card for event in events[:revealed])


@quick
@given(plans())
def test_the_hole_card_is_revealed_once_and_as_itself(plan: Plan):
    round_, events = plan.finished()
    revealed = [event for event in events if isinstance(event, HoleCardRevealed)]
    assert revealed == [HoleCardRevealed(round_.hole_card)]


@quick
@given(plans())
def test_the_hole_card_is_not_seen_while_anybody_is_asked(plan: Plan):
    for step in plan.steps():
        if step.round.turn is not None:
            seen = step.round.visible_dealer_cards
            assert (len(seen), seen.count(None), step.round.upcard in seen) == (2, 1, True)


@quick
@given(plans())
def test_all_cards_of_the_dealer_are_seen_at_the_end(plan: Plan):
    round_, _ = plan.finished()
    assert round_.visible_dealer_cards == round_.dealer.cards


# Events


@dataclass
class Viewer:
    """A table as somebody draws it who is told the events and nothing else."""

    hands: dict[int, list[list[Card]]] = field(default_factory=dict)
    stakes: dict[int, list[int]] = field(default_factory=dict)
    dealer: list[Card | None] = field(default_factory=list)

    def sees(self, event: Event) -> None:
        match event:
            case CardDealt(seat, hand, card):
                self.hands.setdefault(seat, [[]])[hand - 1].append(card)
            case DealerCardDealt(card):
                self.dealer.append(card)
            case HoleCardRevealed(card):
                self.dealer[self.dealer.index(None)] = card
            case HandSplit(seat, hand, stake):
                self.hands[seat].insert(hand, [self.hands[seat][hand - 1].pop()])
                self.stakes[seat].insert(hand, stake)
            case HandDoubled(seat, hand, stake):
                self.stakes[seat][hand - 1] += stake


@quick
@given(plans())
def test_the_events_alone_tell_all_that_is_to_be_seen(plan: Plan):
    viewer = Viewer(stakes={seat: [stake] for seat, stake in plan.stakes.items()})
    for step in plan.steps():
        for event in step.events:
            viewer.sees(event)
        seats = step.round.seats.items()
        assert viewer == Viewer(
            {seat: [list(hand.hand.cards) for hand in hands] for seat, hands in seats},
            {seat: [hand.stake for hand in hands] for seat, hands in seats},
            list(step.round.visible_dealer_cards),
        )


# The end


@quick
@given(plans())
def test_every_hand_is_settled_exactly_once_and_as_it_is_told(plan: Plan):
    round_, events = plan.finished()
    told = [event for event in events if isinstance(event, HandSettled)]
    assert sorted(told, key=lambda event: (event.seat, event.hand)) == [
        HandSettled(seat, number, hand.outcome, hand.stake, hand.payout)
        for seat, hands in round_.seats.items()
        for number, hand in enumerate(hands, start=1)
        if hand.outcome is not None
    ]
    assert all(hand.outcome is not None for hand in hands_of(round_))


@quick
@given(plans())
def test_a_round_is_finished_when_and_only_when_every_hand_is_settled(plan: Plan):
    for step in plan.steps():
        is_settled = all(hand.outcome is not None for hand in hands_of(step.round))
        assert step.round.is_finished is is_settled


@quick
@given(plans())
def test_a_round_ends_when_every_seat_stood(plan: Plan):
    round_, _ = plan.deal()
    for _ in plan.stakes:
        if round_.turn is not None:
            round_.act(Action.STAND, round_.turn, 0)
    assert round_.is_finished


@quick
@given(plans())
def test_the_dealer_draws_to_17_if_a_hand_is_left_and_otherwise_nothing(plan: Plan):
    round_, _ = plan.finished()
    paid_at_once = (Outcome.BUST, Outcome.BLACKJACK)
    drawn = round_.dealer.cards[2:]
    if all(hand.outcome in paid_at_once for hand in hands_of(round_)):
        assert drawn == ()
    else:
        assert round_.dealer.total >= 17


@quick
@given(plans())
def test_the_dealer_never_draws_at_17_or_more(plan: Plan):
    round_, _ = plan.finished()
    dealer = round_.dealer
    totals = [type(dealer)(dealer.cards[:count]).total for count in range(2, len(dealer.cards))]
    assert all(total < 17 for total in totals)


# Money


@quick
@given(casino_plans)
def test_every_payout_is_what_its_outcome_pays(plan: Plan):
    round_, _ = plan.finished()
    pays_twice = {"blackjack": 5, "win": 4, "push": 2, "lose": 0, "bust": 0}
    for hand in hands_of(round_):
        assert hand.payout * 2 == hand.stake * pays_twice[str(hand.outcome)]


@quick
@given(casino_plans)
def test_the_hands_hold_the_first_stake_and_what_events_added(plan: Plan):
    round_, events = plan.finished()
    added = sum(staked_by(event) for event in events)
    assert sum(hand.stake for hand in hands_of(round_)) == sum(plan.stakes.values()) + added


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
        assert sum(hand.stake for hand in hands) <= plan.stakes[seat] + plan.funds[seat]


@quick
@given(casino_plans)
def test_only_a_pair_makes_two_hands_and_never_more(plan: Plan):
    round_, _ = plan.finished()
    for hands in round_.seats.values():
        assert len(hands) == 1 or (
            len(hands) == 2 and hands[0].hand.cards[0].points == hands[1].hand.cards[0].points
        )


# Refusals


@quick
@given(plans())
def test_can_says_what_act_does_and_a_refused_action_changes_nothing(plan: Plan):
    round_, _ = plan.deal()
    for attempt in plan.attempts:
        turn = attempt.turn_in(round_)
        funds = plan.funds.get(turn.seat, 0)
        before = deepcopy(round_)
        is_possible = round_.can(attempt.action, turn, funds)
        assert round_ == before
        try:
            round_.act(attempt.action, turn, funds)
        except RuleViolation:
            assert (is_possible, round_, round_.to_state()) == (False, before, before.to_state())
        else:
            assert is_possible


@quick
@given(plans())
def test_the_legal_actions_are_those_that_can_be_done(plan: Plan):
    for step in plan.steps():
        for funds in (0, 1000, 10**9):
            turn = step.round.turn
            assert step.round.legal_actions(funds) == tuple(
                action for action in Action if turn and step.round.can(action, turn, funds)
            )


@quick
@given(plans())
def test_whoever_is_asked_can_always_hit_and_stand(plan: Plan):
    for step in plan.steps():
        if step.round.turn is not None:
            assert step.round.legal_actions(0)[:2] == (Action.HIT, Action.STAND)


@quick
@given(plans())
def test_hands_are_asked_in_order(plan: Plan):
    asked = [(s.round.turn.seat, s.round.turn.hand) for s in plan.steps() if s.round.turn]
    assert asked == sorted(asked)


# Storing


@quick
@given(plans())
def test_a_round_is_restored_from_json_as_it_was(plan: Plan):
    for step in plan.steps():
        stored = json.loads(json.dumps(step.round.to_state()))
        restored = Round.from_state(plan.rules, stored)
        assert (restored, restored.to_state()) == (step.round, step.round.to_state())


@quick
@given(plans())
def test_a_stored_round_does_not_change_with_the_round(plan: Plan):
    stored = [(step.round.to_state(), json.dumps(step.round.to_state())) for step in plan.steps()]
    assert [json.dumps(state) for state, _ in stored] == [text for _, text in stored]


@quick
@given(plans())
def test_a_restored_round_plays_on_as_if_nothing_had_been(plan: Plan):
    round_, _ = plan.deal()
    restored = Round.from_state(plan.rules, json.loads(json.dumps(round_.to_state())))
    for attempt in plan.attempts:
        turn = attempt.turn_in(round_)
        funds = plan.funds.get(turn.seat, 0)
        if round_.can(attempt.action, turn, funds):
            told = round_.act(attempt.action, turn, funds)
            assert restored.act(attempt.action, turn, funds) == told
            restored = Round.from_state(plan.rules, json.loads(json.dumps(restored.to_state())))
    assert restored == round_
