"""The cards that a player can see: all that an advice may use.

Everything else, undealt cards and the dealer's hole card, is equally likely for the player. So an
advice that is computed from :class:`KnownCards` alone cannot tell anything about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tables.engine.cards import Card
from tables.engine.player_hand import Turn
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.odds.decisions import Decision, evaluate


@dataclass(frozen=True, slots=True)
class KnownCards:
    """What the player of a hand knows about the cards. It does not depend on any other card."""

    rules: Ruleset
    hand: tuple[Card, ...]
    """The cards of the hand, in the order in which they were dealt."""
    up: Card
    """The dealer's face-up card."""
    seen: tuple[Card, ...]
    """All other cards that were dealt face up since the shoe was shuffled, sorted: those of other
    hands, and those of its earlier rounds, after which each hole card is turned over."""
    from_split: bool
    split_hands: int
    """The number of hands of the seat."""

    def evaluate(self) -> Decision:
        """The values of the actions. Raises :class:`~tables.odds.unseen_cards.CannotHappenError`
        where the shoe may run out.
        """
        return evaluate(
            self.rules,
            self.hand,
            self.up,
            self.seen,
            from_split=self.from_split,
            split_hands=self.split_hands,
        )


def find_known_cards(round_: Round, turn: Turn, earlier: Iterable[Card] = ()) -> KnownCards:
    """The known cards of the player of a hand that has a decision, in a round with a face-down card.

    ``earlier`` are cards of the same shoe that were dealt before the first one of ``round_.shoe``.
    """
    hands = round_.seats[turn.seat]
    hand = hands[turn.hand - 1].hand
    shoe = round_.shoe
    hidden = () if round_.is_hole_revealed else (round_.hole_card,)
    other_cards = Counter((*earlier, *shoe.cards[: shoe.dealt]))
    other_cards.subtract([*hidden, *hand.cards, round_.upcard])
    return KnownCards(
        rules=round_.rules,
        hand=hand.cards,
        up=round_.upcard,
        seen=_sort(other_cards.elements()),
        from_split=hand.from_split,
        split_hands=len(hands),
    )


def _sort(cards: Iterable[Card]) -> tuple[Card, ...]:
    """In one order, whatever the order of the deal: the hole card would leave a gap in it."""
    return tuple(sorted(cards, key=str))
