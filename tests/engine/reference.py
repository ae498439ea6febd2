"""Seeds 000 to 003 played a second time, slowly and from their text alone.

Nothing here is taken from the engine: cards are strings, money is whole units as a fraction, and
a total is found by trying every value of every ace. Whoever has a choice is asked by the
:class:`Asker`, which picks one at random and remembers the question. Seed 004 and what players of
today expect are in ``reference_casino.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from random import Random


@dataclass
class Box:
    """A bet and its cards."""

    cards: list[str]
    bet: Fraction = Fraction(0)
    is_initial: bool = True
    is_doubled: bool = False
    result: str = ""
    received: Fraction = Fraction(0)


@dataclass
class Question:
    """What somebody was asked, and what was chosen; boxes count from 1."""

    seat: int
    box: int
    choices: list[str]
    purse: Fraction
    choice: str


@dataclass
class Ending:
    """How every box of every seat ended, the dealer's cards in the order dealt, and the way."""

    boxes: dict[int, list[Box]]
    dealer: list[str]
    questions: list[Question]
    insurance: dict[int, tuple[Fraction, Fraction]] = field(default_factory=dict)
    """What each seat staked on insurance and received for it."""


@dataclass
class Asker:
    """Chooses at random among what the text allows, a split more often than the rest."""

    random: Random
    questions: list[Question] = field(default_factory=list)

    def ask(self, seat: int, box: int, choices: list[str], purse: Fraction = Fraction(0)) -> str:
        """One of ``choices``, which are what the seat can pay out of its ``purse``."""
        is_rare = "split" in choices and self.random.random() < 0.5
        choice = "split" if is_rare else self.random.choice(choices)
        self.questions.append(Question(seat, box, choices, purse, choice))
        return choice


def scores(cards: list[str]) -> list[int]:
    """Every score that the cards can have."""
    values = []
    for card in cards:
        face = card[0]
        if face == "A":
            values.append([1, 11])
        elif face in "TJQK":
            values.append([10])
        else:
            values.append([int(face)])
    return [sum(choice) for choice in product(*values)]


def score(cards: list[str]) -> int:
    """The score "closer to 21 without exceeding it"; the lowest one if all of them exceed it."""
    fitting = [value for value in scores(cards) if value <= 21]
    return max(fitting) if fitting else min(scores(cards))


def is_soft(cards: list[str]) -> bool:
    """Whether the score needs an ace that counts 11."""
    return score(cards) != min(scores(cards))


def dealer_plays(cards: list[str], deck: Iterator[str], *, hits_soft_17: bool = False) -> None:
    """ "Then he hits until his score is 17 or higher." Some tables hit a soft 17 as well."""
    while score(cards) < 17 or (hits_soft_17 and score(cards) == 17 and is_soft(cards)):
        cards.append(next(deck))


# Seeds 000, 001 and 003: hit, stand, compare


def play_simple(
    deck: list[str],
    bets: dict[int, Fraction],
    asker: Asker,
    *,
    tie: str = "push",
    hits_soft_17: bool = False,
) -> Ending:
    """A round of seed 000 or 001, without money, or with the dealer's ties of seed 003."""
    cards = iter(deck)
    boxes = {seat: [Box([next(cards), next(cards)], bets[seat])] for seat in sorted(bets)}
    dealer = [next(cards), next(cards)]
    for seat, (box,) in boxes.items():
        while score(box.cards) <= 21 and asker.ask(seat, 1, ["hit", "stand"]) == "hit":
            box.cards.append(next(cards))
        if score(box.cards) > 21:
            box.result = "bust"
    still_in = [box for (box,) in boxes.values() if not box.result]
    if still_in:
        dealer_plays(dealer, cards, hits_soft_17=hits_soft_17)
    for box in still_in:
        if score(dealer) > 21 or score(box.cards) > score(dealer):
            box.result, box.received = "win", box.bet + box.bet
        elif score(box.cards) < score(dealer):
            box.result = "lose"
        else:
            box.result = tie
            box.received = box.bet if tie == "push" else Fraction(0)
    return Ending(boxes, dealer, asker.questions)


# Seed 002: piles


@dataclass
class PileGame:
    """A whole game: every hand, and how many cards lie where after it."""

    hands: list[Ending]
    counts: list[tuple[int, int, int, int]]
    """The player's pile, the house's, the discard and the deck after each hand."""
    winner: str


def play_piles(deck: list[str], random: Random, *, hits_soft_17: bool = False) -> PileGame:
    """A game of seed 002 with what is left of a deck."""
    deck = list(deck)
    counts = {"player": 0, "house": 0, "discard": 0}
    game = PileGame([], [], "")
    while len(deck) >= 4 and sum(max(scores([card])) for card in deck) >= 21:
        before = len(deck)
        hand = play_pile_hand(deck, Asker(random), hits_soft_17=hits_soft_17)
        counts[WHOSE[hand.boxes[1][0].result]] += before - len(deck)
        game.hands.append(hand)
        game.counts.append((counts["player"], counts["house"], counts["discard"], len(deck)))
    difference = counts["player"] - counts["house"]
    game.winner = "player" if difference > 0 else "house" if difference < 0 else "draw"
    return game


WHOSE = {"win": "player", "lose": "house", "bust": "house", "push": "discard"}


def play_pile_hand(deck: list[str], asker: Asker, *, hits_soft_17: bool) -> Ending:
    """One hand, its cards taken from the front of ``deck``."""
    player = [deck.pop(0), deck.pop(0)]
    house = [deck.pop(0), deck.pop(0)]
    result = ""
    if score(player) == score(house) == 21:
        result = "push"
    elif score(player) == 21:
        result = "win"
    elif score(house) == 21:
        result = "lose"
    while not result and deck and asker.ask(1, 1, ["hit", "stand"]) == "hit":
        player.append(deck.pop(0))
        if score(player) > 21:
            result = "bust"
        elif score(player) == 21:
            result = "win"
    if not result:
        draws = score(house) < 17 or (hits_soft_17 and score(house) == 17 and is_soft(house))
        while draws and deck:
            house.append(deck.pop(0))
            draws = score(house) < 17 or (hits_soft_17 and score(house) == 17 and is_soft(house))
        if score(house) > 21 or score(player) > score(house):
            result = "win"
        else:
            result = "lose" if score(player) < score(house) else "push"
    return Ending({1: [Box(player, result=result)]}, house, asker.questions)
