"""Thousands of random rounds end in the engine as the seeds, played a second time, say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest

from tables.engine.cards import DECK
from tables.engine.presets import CASINO, CLASSIC
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tests.engine.reference import Ending, has_blackjack, play_casino, play_classic

ROUNDS = 3000
MOST_DECISIONS = 52
"""No round has more: every decision but the last ones takes a card."""
FACES_THAT_PAIR = "A8TJQK"


@dataclass(frozen=True)
class PlayedRound:
    """A round that the engine played, and the same round by the reference."""

    round: Round
    reference: Ending

    @property
    def endings(self) -> list[str]:
        """How the engine ended every hand, in words, its money in hundredths."""
        return [
            f"{seat}: {hand.hand} {hand.outcome} {hand.stake} -> {hand.payout}"
            for seat, hands in self.round.seats.items()
            for hand in hands
        ]

    @property
    def reference_endings(self) -> list[str]:
        return [
            f"{seat}: {' '.join(box.cards)} {box.result} {box.bet * 100} -> {box.received * 100}"
            for seat, boxes in self.reference.boxes.items()
            for box in boxes
        ]


def shuffled_deck(random: Random) -> list[str]:
    """A shuffled deck; every second one has the cards on top that make blackjacks and pairs."""
    deck = [str(card) for card in DECK]
    random.shuffle(deck)
    if random.random() < 0.5:
        deck.sort(key=lambda card: card[0] not in FACES_THAT_PAIR)
    return deck


def random_rounds(rules: Ruleset) -> Iterator[PlayedRound]:
    random = Random(rules.key)
    for _ in range(ROUNDS):
        deck = shuffled_deck(random)
        seats = random.sample([1, 2, 3], random.randint(1, 3))
        pounds = {seat: 0 if rules.stakes is None else random.randint(10, 99) for seat in seats}
        stakes = {seat: bet * 100 for seat, bet in pounds.items()}
        round_, _ = Round.deal(rules, stakes, Shoe.parse(" ".join(deck)))
        decisions: dict[int, list[str]] = {seat: [] for seat in seats}
        for _ in range(MOST_DECISIONS):
            if round_.turn is None:
                break
            choice = random.choice(round_.legal_actions(10**9))
            decisions[round_.turn.seat].append(str(choice))
            round_.act(choice, round_.turn, 10**9)
        if rules.stakes is None:
            reference = play_classic(deck, seats, decisions)
        else:
            bets = {seat: Fraction(bet) for seat, bet in pounds.items()}
            reference = play_casino(deck, bets, decisions)
        yield PlayedRound(round_, reference)


@pytest.fixture(scope="module", params=[CASINO, CLASSIC], ids=lambda rules: rules.key)
def rounds(request: pytest.FixtureRequest) -> list[PlayedRound]:
    return list(random_rounds(request.param))


def test_every_hand_ends_and_is_paid_as_the_seed_says(rounds: list[PlayedRound]):
    for played in rounds:
        assert played.endings == played.reference_endings


def test_the_dealer_ends_with_the_cards_that_the_seed_says(rounds: list[PlayedRound]):
    for played in rounds:
        assert str(played.round.dealer) == " ".join(played.reference.dealer)


def test_the_rounds_are_not_all_alike(rounds: list[PlayedRound]):
    """Every way to end has been seen often, or agreement would prove little."""
    seen = Counter(
        str(hand.outcome)
        for played in rounds
        for hands in played.round.seats.values()
        for hand in hands
    )
    ways = ["win", "lose", "push", "bust"]
    if rounds[0].round.rules is CASINO:
        ways.append("blackjack")
        seen["split"] = sum(len(boxes) > 1 for r in rounds for boxes in r.reference.boxes.values())
        seen["dealer's blackjack"] = sum(has_blackjack(r.reference.dealer) for r in rounds)
        ways += ["split", "dealer's blackjack"]
    assert {way: count for way in ways if (count := seen[way]) < 100} == {}
