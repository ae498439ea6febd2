"""Seed 004 played a second time, slowly and from its text, and what players of today expect.

As in ``reference.py`` nothing is taken from the engine. What tables do differently is a
:class:`SiteState`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from tests.engine.reference import Asker, Box, Ending, dealer_plays, score, scores


@dataclass(frozen=True)
class House:
    """What a table plays. As it stands: seed 004."""

    blackjack_pays: Fraction | None = Fraction(3, 2)
    """``None``: it is a 21 like any other."""
    looks_first: bool = True
    asks_at_21: bool = False
    doubles: bool = True
    doubles_after_split: bool = True
    boxes: int = 2
    one_card_on_aces: bool = False
    insures: bool = False
    surrenders: bool = False
    hits_soft_17: bool = False


def has_blackjack(cards: list[str]) -> bool:
    """ "If the player has a total of 21 with two cards they have "blackjack"." """
    return len(cards) == 2 and score(cards) == 21


@dataclass
class CasinoRound:
    """A round while it is played."""

    house: House
    cards: Iterator[str]
    boxes: dict[int, list[Box]]
    purses: dict[int, Fraction]
    dealer: list[str]
    asker: Asker
    insurance: dict[int, tuple[Fraction, Fraction]]

    def is_blackjack(self, box: Box) -> bool:
        """Whether the box has what is paid at odds."""
        is_paid = self.house.blackjack_pays is not None
        return is_paid and box.is_initial and has_blackjack(box.cards)

    def wins_at_once(self, box: Box) -> bool:
        """ "unless they too have blackjack, the player wins" """
        is_known = self.house.looks_first and not has_blackjack(self.dealer)
        return is_known and self.is_blackjack(box)

    # Choices

    def ask_about_insurance(self) -> None:
        for seat, (box,) in self.boxes.items():
            cost = box.bet / 2
            choices = ["insure", "decline"] if self.purses[seat] >= cost else ["decline"]
            if self.asker.ask(seat, 1, choices, self.purses[seat]) == "insure":
                self.purses[seat] -= cost
                received = 3 * cost if has_blackjack(self.dealer) else Fraction(0)
                self.insurance[seat] = (cost, received)
            else:
                self.insurance[seat] = (Fraction(0), Fraction(0))

    def seat_plays(self, seat: int) -> None:
        place = 0
        while place < len(self.boxes[seat]):
            box = self.boxes[seat][place]
            while self.is_asked(box):
                purse = self.purses[seat]
                choice = self.asker.ask(seat, place + 1, self.choices(seat, box), purse)
                if choice == "split":
                    self.split(seat, place)
                    box = self.boxes[seat][place]
                elif choice == "double":
                    self.purses[seat] -= box.bet
                    box.bet *= 2
                    box.is_doubled = True
                    box.cards.append(next(self.cards))
                elif choice == "hit":
                    box.cards.append(next(self.cards))
                elif choice == "surrender":
                    box.result, box.received = "surrender", box.bet / 2
                else:
                    break
            place += 1

    def is_asked(self, box: Box) -> bool:
        if score(box.cards) > 21 or box.is_doubled or box.result or self.is_blackjack(box):
            return False
        if self.house.one_card_on_aces and not box.is_initial and box.cards[0][0] == "A":
            return False
        return self.house.asks_at_21 or score(box.cards) < 21

    def choices(self, seat: int, box: Box) -> list[str]:
        house, first, *others = self.house, *box.cards
        choices = ["hit", "stand"]
        if len(others) != 1:
            return choices
        can_pay = self.purses[seat] >= box.bet
        if house.doubles and can_pay and (box.is_initial or house.doubles_after_split):
            choices.append("double")
        is_pair = scores([first]) == scores(others)
        is_split_ace = first[0] == "A" and not box.is_initial
        if is_pair and can_pay and not is_split_ace and len(self.boxes[seat]) < house.boxes:
            choices.append("split")
        if house.surrenders and box.is_initial:
            choices.append("surrender")
        return choices

    def split(self, seat: int, place: int) -> None:
        box = self.boxes[seat][place]
        self.purses[seat] -= box.bet
        halves = [Box([card], box.bet, is_initial=False) for card in box.cards]
        for half in halves:
            half.cards.append(next(self.cards))
        self.boxes[seat][place : place + 1] = halves

    # The end

    def settle(self, box: Box) -> None:
        mine, house = score(box.cards), score(self.dealer)
        is_paid = self.house.blackjack_pays is not None
        has_blackjack_against_it = is_paid and has_blackjack(self.dealer)
        if box.result == "surrender":
            return
        if mine > 21:
            box.result = "bust"
        elif self.is_blackjack(box) and not has_blackjack_against_it:
            assert self.house.blackjack_pays is not None
            box.result = "blackjack"
            box.received = box.bet + box.bet * self.house.blackjack_pays
        elif house > 21 or mine > house:
            box.result, box.received = "win", box.bet + box.bet
        elif mine < house or (has_blackjack_against_it and not self.is_blackjack(box)):
            box.result = "lose"
        else:
            box.result, box.received = "push", box.bet


def play_casino(
    deck: list[str],
    bets: dict[int, Fraction],
    purses: dict[int, Fraction],
    asker: Asker,
    house: House,
) -> Ending:
    """A round. ``purses`` is what each seat has left after its bet."""
    cards = iter(deck)
    boxes = {seat: [Box([], bets[seat])] for seat in sorted(bets)}
    dealer: list[str] = []
    for _ in range(2):
        for (box,) in boxes.values():
            box.cards.append(next(cards))
        dealer.append(next(cards))
    round_ = CasinoRound(house, cards, boxes, dict(purses), dealer, asker, {})
    if house.insures and dealer[0][0] == "A":
        round_.ask_about_insurance()
    if not (house.looks_first and has_blackjack(dealer)):
        for seat in boxes:
            round_.seat_plays(seat)
    everything = [box for seat_boxes in boxes.values() for box in seat_boxes]
    if any(
        score(box.cards) <= 21 and not box.result and not round_.wins_at_once(box)
        for box in everything
    ):
        dealer_plays(dealer, cards, hits_soft_17=house.hits_soft_17)
    for box in everything:
        round_.settle(box)
    return Ending(boxes, dealer, asker.questions, round_.insurance)
