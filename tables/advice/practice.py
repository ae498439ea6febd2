"""Hands for practice: dealt from a fresh shoe, of the kind that was asked for, with their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from random import Random
from typing import Final

from tables.engine.actions import Action
from tables.engine.cards import DECK, Card
from tables.engine.hand import Hand
from tables.engine.rules import Ruleset
from tables.odds.charts import LETTERS
from tables.odds.decisions import Decision, evaluate
from tables.odds.hands import kind_of
from tables.odds.unseen_cards import CannotHappenError

MISSED_SHARE: Final = 0.5
"""The share of hands that come from the missed spots, if there are any."""
LATER_SHARE: Final = 0.3
"""The share of hands that already hold a third card."""
INSURANCE_SHARE: Final = 0.5
"""The share of hands against an ace that ask for insurance, where the rules have it."""
MOST_DRAWN: Final = 3
MOST_CARDS: Final = 2 + MOST_DRAWN
CLOSE_BETS: Final = 0.05
"""The bound of a close call: less than this between the two best actions."""
CLOSE_CARDS: Final = 0.3
"""The same for ``piles``, where values are cards and two hands of cards are at stake."""
MOST_DEALS: Final = 3_000
"""Deals until the search for a rare hand is given up."""
MOST_EVALUATED: Final = 120
"""Hands that are evaluated in the search for a close call; then the closest of them is taken."""

ORDER: Final = (
    Action.HIT, Action.STAND, Action.DOUBLE_DOWN, Action.SPLIT, Action.SURRENDER, Action.INSURE,
    Action.DECLINE,
)  # fmt: skip
"""The order of the buttons. That of the values would give the answer away."""


class HandKind(StrEnum):
    """The hands that somebody wants to practise."""

    ALL = "all"
    SOFT = "soft"
    PAIRS = "pairs"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Spot:
    """A cell of the chart: a hard total, a soft total or a pair, against an up card; or insurance."""

    part: str
    """``hard``, ``soft``, ``pairs`` or ``insurance``."""
    row: str
    """A total, or twice the letter of a pair."""
    up: str

    def __str__(self) -> str:
        return f"{self.part}-{self.row}-{self.up}"


@dataclass(frozen=True, slots=True)
class Dealt:
    """The cards of a question."""

    hand: Hand
    up: Card
    asks_insurance: bool = False
    """Whether the question is insurance, and not how to play the hand."""

    @property
    def spot(self) -> Spot:
        """The cell of the chart that this hand belongs to."""
        column = LETTERS[kind_of(self.up)]
        if self.asks_insurance:
            return Spot("insurance", str(self.hand.total), column)
        first, *others = map(kind_of, self.hand.cards)
        if others == [first]:
            return Spot("pairs", 2 * LETTERS[first], column)
        return Spot("soft" if self.hand.is_soft else "hard", str(self.hand.total), column)


@dataclass(frozen=True, slots=True)
class _Position:
    """What the value of a hand depends on, so that equal ones are evaluated once."""

    rules: Ruleset
    kinds: tuple[int, ...]
    up: int
    dealt: Dealt = field(compare=False)


def evaluate_dealt(rules: Ruleset, dealt: Dealt) -> Decision:
    """The values of the legal actions, or of the answers about insurance.

    Raises :class:`CannotHappenError`.
    """
    cards = (*dealt.hand.cards, dealt.up)
    if max(Counter(cards).values()) > rules.decks:
        return evaluate(
            rules, dealt.hand.cards, dealt.up
        )  # raises; others of these kinds are known
    kinds = tuple(sorted(map(kind_of, dealt.hand.cards)))
    decision = _evaluate(_Position(rules, kinds, kind_of(dealt.up), dealt))
    if not dealt.asks_insurance:
        return decision
    if decision.insurance is None:
        raise CannotHappenError("Insurance is not offered here.")
    values = {Action.INSURE: decision.insurance, Action.DECLINE: 0.0}
    values = dict(sorted(values.items(), key=lambda one: -one[1]))
    return Decision(values, insurance=None, chances={})


@lru_cache(maxsize=4096)
def _evaluate(position: _Position) -> Decision:
    return evaluate(position.rules, position.dealt.hand.cards, position.dealt.up)


def list_actions(decision: Decision) -> tuple[Action, ...]:
    """The legal actions, in :data:`ORDER`."""
    return tuple(action for action in ORDER if action in decision.values)


def margin(decision: Decision) -> float:
    """The difference between the two best actions."""
    best, second, *_ = decision.values.values()
    return best - second


def close_bound(rules: Ruleset) -> float:
    """The :func:`margin` below which a hand is a close call."""
    return CLOSE_CARDS if rules.has_piles else CLOSE_BETS


def deal(
    rules: Ruleset,
    random: Random,
    kind: HandKind = HandKind.ALL,
    missed: Mapping[str, int] | None = None,
) -> Dealt:
    """Deal a hand that has a decision.

    ``missed`` are spots with weights. For half of the hands one of them is looked for, chosen by
    weight; the others come as often as at a table with a fresh shoe. A spot that does not come up
    in :data:`MOST_DEALS` deals, or has no hands of this ``kind``, is left out.
    """
    if missed and random.random() < MISSED_SHARE:
        (spot,) = random.choices(list(missed), weights=list(missed.values()))
        hands = (dealt for dealt in _deal_many(rules, random, kind) if str(dealt.spot) == spot)
        if found := _find(rules, hands, kind, needs_close=True):
            return found
    found = _find(rules, _deal_many(rules, random, kind), kind)
    # With no hand of the kind in thousands of deals: any hand, as no rule set is without decisions.
    return found or _deal_any(rules, random)


def _deal_any(rules: Ruleset, random: Random) -> Dealt:
    while True:
        if found := _find(rules, _deal_many(rules, random, HandKind.ALL), HandKind.ALL):
            return found


def _find(
    rules: Ruleset, hands: Iterator[Dealt], kind: HandKind, *, needs_close: bool = False
) -> Dealt | None:
    """The first of ``hands`` with a decision; for close calls, the first close one, else, unless
    it ``needs_close``, the closest.
    """
    closest: tuple[float, Dealt] | None = None
    for _, dealt in zip(range(MOST_EVALUATED), hands, strict=False):
        try:
            decision = evaluate_dealt(rules, dealt)
        except CannotHappenError:
            continue
        if len(decision.values) < 2:
            continue
        if kind is not HandKind.CLOSE or margin(decision) < close_bound(rules):
            return dealt
        if closest is None or margin(decision) < closest[0]:
            closest = margin(decision), dealt
    return None if closest is None or needs_close else closest[1]


def _deal_many(rules: Ruleset, random: Random, kind: HandKind) -> Iterator[Dealt]:
    """Hands of this kind, of some thousands of deals."""
    shoe = DECK * rules.decks
    for _ in range(MOST_DEALS):
        dealt = _deal_once(rules, shoe, random)
        if dealt is not None and _is_of_kind(dealt, kind):
            yield dealt


def _is_of_kind(dealt: Dealt, kind: HandKind) -> bool:
    if dealt.asks_insurance:
        return kind is HandKind.ALL
    if kind is HandKind.SOFT:
        return dealt.hand.is_soft
    if kind is HandKind.PAIRS:
        return dealt.spot.part == "pairs"
    return True


def _deal_once(rules: Ruleset, shoe: tuple[Card, ...], random: Random) -> Dealt | None:
    """One deal; ``None`` if it comes to no decision of the player."""
    first, second, up, hole, *more = random.sample(shoe, 4 + MOST_DRAWN)
    hand = Hand.from_cards((first, second))
    if rules.insurance and LETTERS[kind_of(up)] == "A" and random.random() < INSURANCE_SHARE:
        return None if hand.is_natural else Dealt(hand, up, asks_insurance=True)
    if rules.peek and Hand.from_cards((up, hole)).is_natural:
        return None
    if hand.is_natural and (rules.natural_pays is not None or rules.twenty_one_wins):
        return None
    if random.random() < LATER_SHARE:
        for card in more[: random.randint(1, MOST_DRAWN)]:
            if _is_high(hand):
                break
            hand = hand.with_card(card)
    return None if hand.is_bust else Dealt(hand, up)


def _is_high(hand: Hand) -> bool:
    """Whether hardly anybody draws to it. Hands that nobody holds are no use to practise."""
    return hand.total >= (19 if hand.is_soft else 17)
