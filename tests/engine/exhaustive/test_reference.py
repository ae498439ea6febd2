"""Thousands of random rounds go in the engine as the texts, played a second time, say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tables.engine.actions import Action
from tables.engine.cards import DECK
from tables.engine.options import customize
from tables.engine.piles import Piles, is_game_over
from tables.engine.presets import PILES
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tests.engine.reference import Asker, Ending, play_piles, play_simple
from tests.engine.reference_casino import House, has_blackjack, play_casino

VEGAS_HOUSE = {"boxes": 4, "one_card_on_aces": True, "insures": True, "surrenders": True}
FACES_THAT_PAIR = "A8TJQK"


@dataclass(frozen=True)
class Game:
    """A rule set with options, and what the reference calls it."""

    key: str
    rounds: int
    options: dict[str, Any]
    knobs: dict[str, Any]
    """What the reference is told about it."""

    @property
    def rules(self) -> Ruleset:
        return customize(self.key, self.options)

    def __str__(self) -> str:
        return "-".join([self.key, *map(str, self.options)])


def of(key: str, options: dict[str, Any] | None = None, **knobs: Any) -> Game:
    if key == "vegas":
        knobs = {**VEGAS_HOUSE, **knobs}
    return Game(key, 800 if options else 3000, options or {}, knobs)


SIMPLE = [
    of("classic"),
    of("heads-up"),
    of("pot", tie="lose"),
    of("classic", {"hits_soft_17": True}, hits_soft_17=True),
    of("pot", {"hits_soft_17": True}, hits_soft_17=True, tie="lose"),
]
PAID = {"3:2": Fraction(3, 2), "6:5": Fraction(6, 5), "1:1": Fraction(1), "2:1": Fraction(2)}
CASINO_GAMES = [
    of("casino"),
    of("vegas"),
    *(
        of(key, {"natural_pays": odds}, blackjack_pays=pays)
        for key in ("casino", "vegas")
        for odds, pays in PAID.items()
    ),
    *(
        of(key, {option: value}, **{knob: value})
        for key in ("casino", "vegas")
        for option, knob, value in (
            ("hits_soft_17", "hits_soft_17", True),
            ("double_down", "doubles", False),
            ("double_after_split", "doubles_after_split", False),
            ("max_hands", "boxes", 1),
            ("split_aces_once", "one_card_on_aces", key == "casino"),
            ("insurance", "insures", key == "casino"),
            ("surrender", "surrenders", key == "casino"),
        )
    ),
    of("casino", {"peek": False}, looks_first=False),
    of("casino", {"twenty_one_stands": False}, asks_at_21=True),
    of(
        "casino",
        {"natural_pays": "none", "peek": False},
        blackjack_pays=None,
        looks_first=False,
    ),
    of(
        "vegas",
        {"insurance": False, "surrender": False, "peek": False, "split_aces_once": False},
        insures=False,
        surrenders=False,
        looks_first=False,
        one_card_on_aces=False,
    ),
]


# The rounds


def shuffled(random: Random, decks: int = 1) -> list[str]:
    """A shuffled shoe; every second one has the cards on top that make blackjacks and pairs."""
    cards = [str(card) for card in DECK] * decks
    random.shuffle(cards)
    if random.random() < 0.5:
        cards.sort(key=lambda card: card[0] not in FACES_THAT_PAIR)
    return cards


def endings(game: Game) -> Iterator[tuple[list[str], dict[int, Fraction], Ending]]:
    """Random rounds as the reference plays them: the shoe, the bets, and how it went."""
    random, rules = Random(str(game)), game.rules
    for _ in range(game.rounds):
        deck = shuffled(random, rules.decks)
        seats = random.sample(range(1, rules.seats + 1), random.randint(1, rules.seats))
        lowest = 0 if rules.stakes is None else rules.stakes.minimum // 100
        bets = {seat: Fraction(lowest and random.randint(lowest, 99)) for seat in seats}
        asker = Asker(random)
        if game in SIMPLE:
            yield deck, bets, play_simple(deck, bets, asker, **game.knobs)
        else:
            purses = {seat: Fraction(random.choice([0, 3, 60, 10**6])) for seat in seats}
            yield deck, bets, play_casino(deck, bets, purses, asker, House(**game.knobs))


def follow(round_: Round, ending: Ending) -> None:
    """Play as the reference did; the engine must ask the same hands for the same choices."""
    for question in ending.questions:
        turn = round_.turn
        assert turn is not None
        assert (turn.seat, turn.hand) == (question.seat, question.box)
        funds = int(question.purse * 100)
        assert set(round_.legal_actions(funds)) == set(question.choices)
        round_.act(Action(question.choice), turn, funds)
    assert round_.turn is None


def describe_engine_round(round_: Round) -> list[str]:
    return [
        *(
            f"{seat}: {hand.hand} {hand.outcome} {hand.stake} -> {hand.payout}"
            for seat, hands in round_.seats.items()
            for hand in hands
        ),
        *(f"{seat} {bought.stake} -> {bought.payout}" for seat, bought in round_.insurance.items()),
        str(round_.dealer),
    ]


def describe_reference_round(ending: Ending) -> list[str]:
    return [
        *(
            f"{seat}: {' '.join(box.cards)} {box.result} {box.bet * 100} -> {box.received * 100}"
            for seat, boxes in ending.boxes.items()
            for box in boxes
        ),
        *(
            f"{seat} {stake * 100} -> {received * 100}"
            for seat, (stake, received) in ending.insurance.items()
        ),
        " ".join(ending.dealer),
    ]


@pytest.mark.long
@pytest.mark.parametrize("game", [*SIMPLE, *CASINO_GAMES], ids=str)
def test_every_round_is_asked_dealt_and_paid_as_the_text_says(game: Game):
    counts: Counter[str] = Counter()
    for deck, bets, ending in endings(game):
        stakes = {seat: int(bet * 100) for seat, bet in bets.items()}
        round_, _ = Round.deal(game.rules, stakes, Shoe.parse(" ".join(deck)))
        follow(round_, ending)
        assert describe_engine_round(round_) == describe_reference_round(ending)
        counts.update(_what_happened(ending))
    if not game.options:
        assert {what: counts[what] for what in _worth_seeing(game.key) if counts[what] < 60} == {}


def _what_happened(ending: Ending) -> Iterator[str]:
    for boxes in ending.boxes.values():
        yield from (box.result for box in boxes)
        yield from ("double" for box in boxes if box.is_doubled)
        yield f"{len(boxes)} hands"
    if has_blackjack(ending.dealer):
        yield "dealer's blackjack"
    if any(stake for stake, _ in ending.insurance.values()):
        yield "insurance"


def _worth_seeing(key: str) -> list[str]:
    """What must have happened often, or agreement would prove little."""
    ways = ["win", "lose", "bust", "dealer's blackjack"]
    if key != "pot":
        ways.append("push")
    if key in ("casino", "vegas"):
        ways += ["blackjack", "double", "2 hands"]
    if key == "vegas":
        ways += ["surrender", "insurance", "3 hands", "4 hands"]
    return ways


@pytest.mark.parametrize("hits_soft_17", [False, True], ids=["stands", "hits soft 17"])
def test_every_game_of_piles_is_played_and_won_as_the_text_says(hits_soft_17: bool):
    random = Random(2)
    rules = customize("piles", {"hits_soft_17": True}) if hits_soft_17 else PILES
    winners: Counter[str] = Counter()
    for _ in range(400):
        cards = shuffled(random)[random.choice([0, random.randint(1, 48)]) :]
        reference = play_piles(cards, random, hits_soft_17=hits_soft_17)
        deck, piles = Shoe.parse(" ".join(cards)), Piles()
        for ending, counts in zip(reference.hands, reference.counts, strict=True):
            assert not is_game_over(deck)
            round_, _ = Round.deal(rules, {1: 0}, deck)
            follow(round_, ending)
            assert describe_engine_round(round_) == describe_reference_round(ending)
            piles.collect(round_)
            assert (piles.player, piles.house, piles.discard, deck.left) == counts
        assert is_game_over(deck)
        assert piles.winner == reference.winner
        winners[reference.winner] += 1
    assert min(winners[who] for who in ("player", "house", "draw")) >= 10
