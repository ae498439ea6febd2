"""Seeds 000 and 004 played a second time, slowly and from their text alone.

Nothing here is taken from the engine: cards are strings, money is pounds as a fraction, and a
total is found by trying every value of every ace. A round is the deck, the bets in pounds by
seat, and for every seat its decisions, in order, all of them legal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product


@dataclass
class Box:
    """A bet and its cards."""

    cards: list[str]
    bet: Fraction
    is_initial: bool = True
    result: str = ""
    received: Fraction = Fraction(0)


@dataclass
class Ending:
    """How every box of every seat ended, and the dealer's cards in the order dealt."""

    boxes: dict[int, list[Box]]
    dealer: list[str]


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


def has_blackjack(cards: list[str]) -> bool:
    """ "If the player has a total of 21 with two cards they have "blackjack"." """
    return len(cards) == 2 and score(cards) == 21


def is_pair(cards: list[str]) -> bool:
    """ "two cards in the initial hand with the same value" """
    return scores(cards[:1]) == scores(cards[1:])


def dealer_plays(cards: list[str], deck: Iterator[str]) -> None:
    """ "The dealer will only stand when their hand total is a minimum of 17." """
    while score(cards) < 17:
        cards.append(next(deck))


def play_classic(deck: list[str], seats: list[int], decisions: dict[int, list[str]]) -> Ending:
    """A round of seed 000."""
    cards = iter(deck)
    boxes = {seat: [Box([next(cards), next(cards)], Fraction(0))] for seat in sorted(seats)}
    dealer = [next(cards), next(cards)]
    for seat, (box,) in boxes.items():
        for decision in decisions[seat]:
            if decision == "hit":
                box.cards.append(next(cards))
        if score(box.cards) > 21:
            box.result = "bust"
    still_in = [box for (box,) in boxes.values() if not box.result]
    if still_in:
        dealer_plays(dealer, cards)
    for box in still_in:
        if score(dealer) > 21 or score(box.cards) > score(dealer):
            box.result = "win"
        elif score(box.cards) < score(dealer):
            box.result = "lose"
        else:
            box.result = "push"
    return Ending(boxes, dealer)


def play_casino(
    deck: list[str], bets: dict[int, Fraction], decisions: dict[int, list[str]]
) -> Ending:
    """A round of seed 004. The decisions of a seat go on from its first box to its second."""
    cards = iter(deck)
    boxes = {seat: [Box([], bets[seat])] for seat in sorted(bets)}
    dealer = []
    for _ in range(2):
        for (box,) in boxes.values():
            box.cards.append(next(cards))
        dealer.append(next(cards))
    if not has_blackjack(dealer):
        for seat in boxes:
            _seat_plays(boxes[seat], iter(decisions[seat]), cards)
    everything = [box for seat_boxes in boxes.values() for box in seat_boxes]
    if any(score(box.cards) <= 21 and not _wins_at_once(box, dealer) for box in everything):
        dealer_plays(dealer, cards)
    for box in everything:
        _settle(box, dealer)
    return Ending(boxes, dealer)


def _seat_plays(boxes: list[Box], decisions: Iterator[str], cards: Iterator[str]) -> None:
    place = 0
    while place < len(boxes):
        box = boxes[place]
        is_done = False
        while not is_done and score(box.cards) < 21:
            decision = next(decisions)
            if decision == "split":
                assert len(boxes) == 1
                assert is_pair(box.cards)
                boxes[:] = [Box([card], box.bet, is_initial=False) for card in box.cards]
                for new_box in boxes:
                    new_box.cards.append(next(cards))
                box = boxes[0]
            elif decision == "hit":
                box.cards.append(next(cards))
            elif decision == "double":
                assert len(box.cards) == 2
                box.bet *= 2
                box.cards.append(next(cards))
                is_done = True
            else:
                is_done = True
        place += 1


def _wins_at_once(box: Box, dealer: list[str]) -> bool:
    """ "unless they too have blackjack, the player wins" """
    return box.is_initial and has_blackjack(box.cards) and not has_blackjack(dealer)


def _settle(box: Box, dealer: list[str]) -> None:
    mine, house = score(box.cards), score(dealer)
    if mine > 21:
        box.result, box.received = "bust", Fraction(0)
    elif _wins_at_once(box, dealer):
        box.result, box.received = "blackjack", box.bet + box.bet * 3 / 2
    elif house > 21 or mine > house:
        box.result, box.received = "win", box.bet + box.bet
    elif mine < house or (has_blackjack(dealer) and not has_blackjack(box.cards)):
        box.result, box.received = "lose", Fraction(0)
    else:
        box.result, box.received = "push", box.bet
