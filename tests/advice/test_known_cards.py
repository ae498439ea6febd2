"""A hint uses no card that its player cannot see: whole shoes are played, and what is hidden is
shuffled again at each decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

import pytest

from tables.advice.hints import compute_hint
from tables.advice.known_cards import KnownCards, find_known_cards
from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.events import CardDealt, DealerCardDealt, Event, HoleCardRevealed
from tables.engine.player_hand import Turn
from tables.engine.presets import PRESETS
from tables.engine.round import Round
from tables.engine.shoe import Shoe

RICH = 10**9
HINTS = 12
"""How many hints of a rule set are computed twice; the known cards are compared at every decision."""
Decided = tuple[Round, Turn, list[Card]]
"""A round with an open decision, the hand that is asked, and all cards that were dealt face up."""


def decisions_of_shoes(key: str, chance: Random) -> Iterator[Decided]:
    """Every decision of two whole shoes, with as many seats as the table has."""
    rules = PRESETS[key]
    stake = rules.stakes.minimum if rules.stakes else 0
    for _ in range(2):
        shoe = Shoe.shuffled(rules.decks, chance)
        public: list[Card] = []
        while shoe.left >= rules.most_cards_of_a_round or not shoe.dealt:
            round_, events = Round.deal(
                rules, dict.fromkeys(range(1, rules.seats + 1), stake), shoe
            )
            public += face_up(events)
            while round_.turn is not None:
                turn = round_.turn
                yield round_, turn, public
                action = chance.choice(round_.legal_actions(RICH))
                public += face_up(round_.act(action, turn, RICH))


def face_up(events: Iterable[Event]) -> list[Card]:
    """The cards that these events show to everybody."""
    kinds = (CardDealt, DealerCardDealt, HoleCardRevealed)
    return [e.card for e in events if isinstance(e, kinds) and e.card is not None]


def shuffle_hidden(round_: Round, chance: Random) -> Round:
    """The same round for its players: the hole card and the undealt cards are in another order."""
    dealt = round_.shoe.dealt
    order = list(round_.shoe.cards)
    hole = order.index(round_.hole_card)
    places = [hole, *range(dealt, len(order))]
    hidden = [order[place] for place in places]
    chance.shuffle(hidden)
    for place, card in zip(places, hidden, strict=True):
        order[place] = card
    dealer = list(round_.dealer.cards)
    dealer[round_.rules.hole_position] = order[hole]
    state = round_.to_state() | {"dealer": " ".join(map(str, dealer))}
    return Round.from_state(round_.rules, Shoe(tuple(order), dealt), state)


def list_cards(known_cards: KnownCards) -> list[str]:
    return sorted(map(str, (*known_cards.hand, known_cards.up, *known_cards.seen)))


@pytest.mark.parametrize("key", PRESETS)
def test_the_same_known_cards_give_the_same_hint_whatever_lies_in_the_shoe(key: str) -> None:
    chance = Random(key)
    compared = holes = 0
    for number, (round_, turn, public) in enumerate(decisions_of_shoes(key, chance)):
        known_cards = find_known_cards(round_, turn)
        assert list_cards(known_cards) == sorted(map(str, public))
        twin = shuffle_hidden(round_, chance)
        assert twin.visible_dealer_cards == round_.visible_dealer_cards
        holes += twin.hole_card != round_.hole_card
        assert find_known_cards(twin, turn) == known_cards
        if number % 5 == 0 and compared < HINTS:
            legal = round_.legal_actions(RICH)
            hint = compute_hint(round_, turn, legal)
            assert {value.action for value in hint} == set(map(str, legal))
            assert compute_hint(twin, turn, legal) == hint
            compared += 1
    assert compared > 1
    assert holes > compared


def test_a_card_that_was_seen_earlier_in_the_shoe_changes_the_hint() -> None:
    rules = PRESETS["vegas"]
    first = Round.deal(rules, {1: 500}, Shoe.parse("Ts 9h 6h 7d" + " 2c 3c 4c" * 99))[0]
    turn = Turn(1, 1)
    shoe = Shoe.parse("5c 5d 5h 5s Ts 9h 6h 7d" + " 2c 3c 4c" * 99)
    shoe.dealt = 4
    later = Round.deal(rules, {1: 500}, shoe)[0]
    legal = [Action.HIT, Action.STAND]
    assert find_known_cards(first, turn).seen == ()
    assert [str(card) for card in find_known_cards(later, turn).seen] == ["5c", "5d", "5h", "5s"]
    hits = [
        next(v.value for v in compute_hint(one, turn, legal) if v.action == "hit")
        for one in (first, later)
    ]
    assert hits[1] < hits[0]  # a five makes 21
