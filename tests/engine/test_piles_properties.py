"""What holds at every moment of every game of piles, whatever the cards and the decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tables.engine.actions import Action
from tables.engine.events import Outcome
from tables.engine.hand import Hand
from tables.engine.piles import CardsCollected, Piles, Winner, is_game_over
from tables.engine.presets import PILES
from tables.engine.round import Round
from tables.engine.shoe import Shoe
from tests.engine.random_rounds import quick

seeds = st.integers(0, 10**6)


@dataclass
class Game:
    """A game with a whole deck, played at random."""

    seed: int
    piles: Piles = field(default_factory=Piles)
    hands: list[tuple[Round, CardsCollected]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.deck = Shoe.shuffled(1, self.random)

    def moments(self) -> Iterator[Round]:
        """The hand on the table after the deal, after every decision, and before it is taken."""
        while not is_game_over(self.deck):
            round_, _ = Round.deal(PILES, {1: 0}, self.deck)
            while round_.turn is not None:
                yield round_
                action = self.random.choice([Action.HIT, Action.STAND])
                round_.act(action, round_.turn, 0)
            yield round_
            self.hands.append((round_, self.piles.collect(round_)))

    def play(self) -> Game:
        """The game at its end."""
        for _ in self.moments():
            pass
        return self

    @property
    def in_piles(self) -> int:
        return self.piles.player + self.piles.house + self.piles.discard


@quick
@given(seeds)
def test_all_52_cards_are_accounted_for_at_every_moment(seed: int):
    game = Game(seed)
    for round_ in game.moments():
        assert game.in_piles + round_.cards_on_table + game.deck.left == 52
    assert game.in_piles + game.deck.left == 52


@quick
@given(seeds)
def test_every_card_lies_on_the_table_once_in_the_game(seed: int):
    game = Game(seed).play()
    hands = [str(round_.seats[1][0].hand) for round_, _ in game.hands]
    hands += [str(round_.dealer) for round_, _ in game.hands]
    cards = " ".join(hands).split()
    assert (len(cards), len(set(cards))) == (game.deck.dealt, game.deck.dealt)


@quick
@given(seeds)
def test_who_wins_a_hand_takes_all_of_its_cards(seed: int):
    sizes = {"player": 0, "house": 0, "discard": 0}
    game = Game(seed).play()
    for round_, collected in game.hands:
        (hand,) = round_.seats[1]
        whose = {Outcome.WIN: "player", Outcome.PUSH: "discard"}.get(hand.outcome, "house")
        cards = len(hand.hand.cards) + len(round_.dealer.cards)
        assert (str(collected.pile), collected.cards) == (whose, cards)
        sizes[whose] += cards
    assert game.piles.to_state() == sizes


@quick
@given(seeds)
def test_the_larger_pile_wins(seed: int):
    game = Game(seed).play()
    difference = game.piles.player - game.piles.house
    expected = Winner.DRAW if not difference else Winner.PLAYER if difference > 0 else Winner.HOUSE
    assert game.piles.winner is expected


@quick
@given(seeds)
def test_the_game_goes_on_as_long_as_the_deck_allows(seed: int):
    """At its end fewer than four cards are left, or cards that total less than 21."""
    game = Game(seed).play()
    rest = game.deck.cards[game.deck.dealt :]
    worth = dict(zip("23456789TJQKA", [*range(2, 10), *[10] * 4, 11], strict=True))
    assert len(rest) < 4 or sum(worth[card.rank] for card in rest) < 21


@quick
@given(seeds)
def test_21_always_wins_or_ties_and_a_bust_always_loses(seed: int):
    for round_, _ in Game(seed).play().hands:
        (hand,) = round_.seats[1]
        if hand.hand.total == 21:
            is_tie = Hand.from_cards(round_.dealer.cards[:2]).total == 21
            assert hand.outcome is (Outcome.PUSH if is_tie else Outcome.WIN)
        if hand.hand.total > 21:
            assert hand.outcome is Outcome.BUST


@quick
@given(seeds)
def test_the_house_draws_below_17_unless_the_deck_is_played_through(seed: int):
    game = Game(seed).play()
    for number, (round_, _) in enumerate(game.hands, start=1):
        (hand,) = round_.seats[1]
        if hand.hand.total >= 21:
            assert len(round_.dealer.cards) == 2
        elif number < len(game.hands) or game.deck.left:
            assert round_.dealer.total >= 17
