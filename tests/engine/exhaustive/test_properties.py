"""What holds in every round, whatever the cards and whatever is tried: cards, events, the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given

from tables.engine.cards import Card
from tables.engine.events import (
    CardDealt,
    DealerCardDealt,
    Event,
    HandDoubled,
    HandSettled,
    HandSplit,
    HoleCardPeeked,
    HoleCardRevealed,
    Outcome,
)
from tables.engine.hand import Hand
from tests.engine.random_rounds import Plan, hands_of, plans, quick

# Cards


@quick
@given(plans())
def test_every_dealt_card_lies_in_exactly_one_hand(plan: Plan):
    for step in plan.steps():
        shoe = step.round.shoe
        on_table = [card for hand in hands_of(step.round) for card in hand.hand.cards]
        on_table += step.round.dealer.cards
        assert Counter(on_table) == Counter(shoe.cards[: shoe.dealt])
        assert step.round.cards_on_table == len(on_table)


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
    """Six decks have its like six times: no card is told once more than it lies face up."""
    round_, events = plan.finished()
    revealed = [isinstance(event, HoleCardRevealed) for event in events].index(True)
    counts = Counter(card for event in events[:revealed] if (card := getattr(event, "card", None)))
    face_up = [card for hand in hands_of(round_) for card in hand.hand.cards]
    assert counts == Counter([*face_up, round_.upcard])


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
            cards = step.round.visible_dealer_cards
            assert (len(cards), cards.count(None), step.round.upcard in cards) == (2, 1, True)


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


@quick
@given(plans())
def test_the_dealer_looks_once_where_it_is_played_and_worth_a_look(plan: Plan):
    round_, events = plan.finished()
    looks = sum(isinstance(event, HoleCardPeeked) for event in events)
    is_worth_it = plan.rules.peek and round_.upcard.rank in "ATJQK"
    assert looks == (is_worth_it and Hand.from_cards(round_.dealer.cards[:2]).total != 21)


# The end


@quick
@given(plans())
def test_every_hand_is_settled_exactly_once_and_as_it_is_told(plan: Plan):
    round_, events = plan.finished()
    settlements = [event for event in events if isinstance(event, HandSettled)]
    assert sorted(settlements, key=lambda event: (event.seat, event.hand)) == [
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
def test_a_round_ends_when_everybody_is_away(plan: Plan):
    """A seat that never answers takes no insurance and stands: two questions at most."""
    round_, _ = plan.deal()
    for _ in range(2 * len(plan.stakes)):
        if round_.turn is not None:
            events = round_.act(round_.passive_action, round_.turn, 0)
            assert not any(isinstance(event, CardDealt) for event in events)
    assert round_.is_finished


@quick
@given(plans())
def test_the_dealer_draws_to_17_if_a_hand_is_left_and_otherwise_nothing(plan: Plan):
    round_, _ = plan.finished()
    settled_before = {Outcome.BUST, Outcome.SURRENDER}
    if plan.rules.peek:
        settled_before.add(Outcome.BLACKJACK)
    waits = [
        hand.outcome not in settled_before
        and not (plan.rules.twenty_one_wins and hand.hand.total == 21)
        for hand in hands_of(round_)
    ]
    if not any(waits):
        assert len(round_.dealer.cards) == 2
    elif not plan.rules.has_piles or round_.shoe.left:
        assert round_.dealer.total >= 17


@quick
@given(plans())
def test_the_dealer_never_draws_at_17_or_more(plan: Plan):
    round_, _ = plan.finished()
    cards = round_.dealer.cards
    assert all(Hand.from_cards(cards[:count]).total < 17 for count in range(2, len(cards)))
