"""Many one-seat rounds played by a strategy, counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import Final

from tables.engine.cards import DECK, Card
from tables.engine.legal_actions import PLENTY
from tables.engine.player_hand import PlayerHand
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.engine.strategies import Strategy

MOST_ROUNDS: Final = 10**12
"""The limit of rounds of a call, more than a year of play."""


@dataclass(slots=True)
class SimulationResult:
    """The result of a simulation. Rounds are won, lost or pushed by their total net."""

    rounds: int = 0
    win: int = 0
    lose: int = 0
    push: int = 0
    total: float = 0.0
    """The player's net in units of the first stake."""
    squares: float = 0.0

    def count(self, net: float) -> None:
        """Add a round with a net of ``net`` units."""
        self.rounds += 1
        self.total += net
        self.squares += net * net
        if net > 0:
            self.win += 1
        elif net < 0:
            self.lose += 1
        else:
            self.push += 1

    @property
    def edge(self) -> float:
        """The player's mean net in units of the first stake; below 0 the dealer wins."""
        return self.total / self.rounds if self.rounds else 0.0

    @property
    def standard_error(self) -> float:
        """Of :attr:`edge`, from the spread of the rounds."""
        if self.rounds < 2:
            return 0.0
        variance = (self.squares - self.total * self.edge) / (self.rounds - 1)
        return sqrt(max(0.0, variance) / self.rounds)


def simulate(
    rules: Ruleset,
    strategy: Strategy,
    rounds: int,
    random: Random,
    progress: Callable[[int], None] | None = None,
) -> SimulationResult:
    """Play ``rounds`` rounds alone at the table, for the smallest stake.

    For ``piles`` they are first hands of a game: at its end the rules leave out some decks, so the
    mean of all its hands is that of no fixed game.

    ``progress`` is called regularly with the number of played rounds.
    """
    result = SimulationResult()
    stake = rules.stakes.minimum if rules.stakes else 0
    shoe = DrawnShoe(rules.decks, random)
    cut = rules.cut_position or 1
    for number in range(rounds):
        if rules.has_piles or shoe.dealt >= cut:
            shoe.dealt = 0
        round_, _ = Round.deal(rules, {1: stake}, shoe)
        while (turn := round_.turn) is not None:
            round_.act(strategy(round_, turn), turn, PLENTY)
        result.count(_net_units(round_, stake))
        if progress is not None and number % 1024 == 0:
            progress(number)
    return result


class DrawnShoe(Shoe):
    """A shoe that is shuffled while it is drawn (Fisher-Yates), equivalent to a full shuffle."""

    __slots__ = ("_order", "_random")

    def __init__(self, decks: int, random: Random) -> None:
        self._order = list(DECK * decks)
        self._random = random.random
        super().__init__(self._order)

    def draw(self) -> Card:
        order, dealt = self._order, self.dealt
        place = dealt + int(self._random() * (len(order) - dealt))
        card = order[place]
        order[place] = order[dealt]
        order[dealt] = card
        self.dealt = dealt + 1
        return card


def _net_units(round_: Round, stake: int) -> float:
    """The net of the only player, in units of the first stake."""
    hands = round_.seats[1]
    if not stake:
        return _pile_points(hands[0])
    net = sum(hand.payout - hand.stake for hand in hands)
    net += sum(insurance.payout - insurance.stake for insurance in round_.insurance.values())
    return net / stake


def _pile_points(hand: PlayerHand) -> float:
    return {"win": 1.0, "push": 0.0}.get(str(hand.outcome), -1.0)
