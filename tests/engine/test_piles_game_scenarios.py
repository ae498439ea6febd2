"""Seed 002, sentence by sentence: whole games of piles, how they end, and who has won.

A short deck is one that has been played down to these cards.
"""

from __future__ import annotations

import pytest

from tables.engine.actions import Action
from tables.engine.cards import DECK, format_cards
from tables.engine.piles import CardsCollected, Pile, Piles, Winner, is_game_over
from tables.engine.presets import PILES
from tables.engine.round import Round
from tables.engine.shoe import Shoe
from tests.engine.scenario import PileGame, play

# The whole deck


def test_a_game_is_played_with_52_cards_of_which_none_is_ever_lost():
    """Seed 002: "The game is played with a standard 52-card deck." """
    deck, piles = Shoe(DECK), Piles()
    scores = []
    while not is_game_over(deck):
        round_, _ = Round.deal(PILES, {1: 0}, deck)
        while round_.turn is not None:
            assert _accounted(piles, deck) + round_.cards_on_table == 52
            is_low = round_.hand_at(round_.turn).hand.total < 15
            round_.act(Action.HIT if is_low else Action.STAND, round_.turn, 0)
        assert _accounted(piles, deck) + round_.cards_on_table == 52
        piles.collect(round_)
        assert _accounted(piles, deck) == 52
        scores.append((piles.player, piles.house, piles.discard, deck.left))
    assert scores == [
        (0, 7, 0, 45),  # As 2s 5s, 18, against 3s 4s 6s 7s, 20
        (0, 11, 0, 41),  # 8s 9s, 17, against Ts Js, 20
        (0, 11, 6, 35),  # Qs Ks, 20, against Ah 2h 3h 4h, 20
        (6, 11, 6, 29),  # 5h 6h 9h, 20, against 7h 8h Th, bust
        (6, 15, 6, 25),  # Jh Qh, 20, against Kh Ad, 21 on the deal
        (13, 15, 6, 18),  # 2d 3d 6d 7d, 18, against 4d 5d 8d, 17
        (13, 19, 6, 14),  # 9d Td, 19, against Jd Qd, 20
        (17, 19, 6, 10),  # Kd Ac, 21 on the deal, against 2c 3c
        (23, 19, 6, 4),  # 4c 5c 8c, 17, against 6c 7c 9c, bust
        (23, 19, 10, 0),  # Tc Jc, 20, against Qc Kc, 20
    ]
    assert piles.winner is Winner.PLAYER


def _accounted(piles: Piles, deck: Shoe) -> int:
    return piles.player + piles.house + piles.discard + deck.left


def test_the_next_hand_is_dealt_from_the_same_deck():
    """Seed 002: "The game ends when the last card is drawn from the deck" and not before."""
    game = PileGame.of("Ts 9s | Th 8c | Td 7d | Kh 9h | 2c 3c 4c 5c")
    first, second = game.hand("stand"), game.hand("stand")
    assert (first.hands, second.hands) == (["1.1 Ts 9s win"], ["1.1 Td 7d lose"])
    assert game.score == "player 4, house 4, discard 0, deck 4"


# Who has won


@pytest.mark.parametrize(
    ("deck", "score", "winner"),
    [
        ("Ts 9s | Th 8c | 2d 3d 4d", "player 4, house 0, discard 0, deck 3", "player"),
        ("Ts 8s | Th 9c | 2d 3d 4d", "player 0, house 4, discard 0, deck 3", "house"),
        ("Ts 8s | Th 8c | 2d 3d 4d", "player 0, house 0, discard 4, deck 3", "draw"),
        ("Ts 9s | Th 8c | Td 8d | Kh 2h 7h 2c", "player 4, house 5, discard 0, deck 1", "house"),
        ("Ts 9s | Th 8c | Td 8d | Kh 9h 2c", "player 4, house 4, discard 0, deck 1", "draw"),
    ],
)
def test_who_has_collected_more_cards_wins_the_game(deck: str, score: str, winner: str):
    """Seed 002: "The object of the game is to collect more cards than the house." "As mentioned
    previously, your objective is to have more cards in your pile* at the end of the game than the
    house."
    """
    game = PileGame.of(deck)
    while game.winner is None:
        game.hand("stand")
    assert (game.score, game.winner) == (score, winner)


def test_cards_in_the_discard_count_for_nobody():
    """Seed 002: "Cards in the discard* count towards neither player's final score." """
    game = PileGame.of("As Ks | Ah Kh | Ts 9s | Th 8h | 2c 3c")
    game.hand()
    game.hand("stand")
    assert game.score == "player 4, house 0, discard 4, deck 2"
    assert (game.winner, game.piles.winner) == ("player", Winner.PLAYER)


def test_nobody_has_won_while_the_game_goes_on():
    """Seed 002: "more cards in your pile* at the end of the game" """
    game = PileGame.of("Ts 9s | Th 8c | 6d 7d 4d 5d")
    game.hand("stand")
    assert (game.score, game.winner) == ("player 4, house 0, discard 0, deck 4", None)


# When the game ends


@pytest.mark.parametrize(
    ("rest", "is_over"),
    [
        ("2d 3d 4d 5d 6d", True),
        ("2d 3d 4d 5d 7d", False),
        ("Ad 2d 3d 4d", True),
        ("Ad 2d 3d 5d", False),
        ("Ad Ac 2d 2c", False),
        ("Kd 2d 3d 5d", True),
        ("Kd 2d 4d 5d", False),
    ],
)
def test_the_game_ends_when_the_cards_left_total_less_than_21(rest: str, is_over: bool):
    """Seed 002: "The game ends when the last card is drawn from the deck, or when the total value
    of all cards in the deck is less than 21." An ace is "normally attributed a value of 11".
    """
    game = PileGame.of(f"Ts 9s | Th 8c | {rest}")
    game.hand("stand")
    assert game.winner == ("player" if is_over else None)


@pytest.mark.parametrize("rest", ["Kd", "Kd Qd", "Kd Qd Jd", "Ad Kd Qd"])
def test_the_game_ends_when_there_are_too_few_cards_for_a_deal(rest: str):
    """RULES, piles: or when fewer than the four cards of a deal are left."""
    game = PileGame.of(f"Ts 9s | Th 8c | {rest}")
    game.hand("stand")
    assert game.winner == "player"


@pytest.mark.parametrize(
    ("rest", "is_over"), [("6d 5d 5c 5h", False), ("5d 5c 5h 4d", True), ("Kd Qd Jd", True)]
)
def test_a_deck_that_comes_to_the_table_is_asked_the_same(rest: str, is_over: bool):
    assert is_game_over(Shoe.parse(rest)) is is_over


# The last card inside a hand: it is settled as it lies (RULES, piles)


@pytest.mark.parametrize(
    ("deck", "outcome", "score"),
    [
        ("9s 8s | 7h 6c", "win", "player 4, house 0, discard 0, deck 0"),
        ("6s 5s | 7h 6c", "lose", "player 0, house 4, discard 0, deck 0"),
        ("7s 6s | 7h 6c", "push", "player 0, house 0, discard 4, deck 0"),
        ("As Ks | 7h 6c", "win", "player 4, house 0, discard 0, deck 0"),
        ("9s 8s | Ah Kc", "lose", "player 0, house 4, discard 0, deck 0"),
        ("As Ks | Ah Kc", "push", "player 0, house 0, discard 4, deck 0"),
    ],
    ids=["higher", "lower", "equal", "21", "21 of the house", "21 for both"],
)
def test_the_last_card_in_the_deal_leaves_nothing_to_decide(deck: str, outcome: str, score: str):
    """Seed 002: "The game ends when the last card is drawn from the deck" """
    game = PileGame.of(deck)
    played = game.hand()
    assert played.hands == [f"1.1 {deck.split(' | ')[0]} {outcome}"]
    assert (played.dealer, game.score) == (deck.split(" | ")[1], score)
    assert game.winner is not None


@pytest.mark.parametrize(
    ("deck", "ending"),
    [
        ("5s 6s | 9h 8c | 2d", "1.1 5s 6s 2d lose"),
        ("5s 6s | 2h 3c | 2d", "1.1 5s 6s 2d win"),
        ("5s 6s | 9h 4c | 2d", "1.1 5s 6s 2d push"),
        ("5s 6s | Kh Qc | Td", "1.1 5s 6s Td win"),
        ("Ts 6s | 2h 3c | Td", "1.1 Ts 6s Td bust"),
    ],
    ids=["lower", "higher", "equal", "21", "bust"],
)
def test_the_last_card_to_the_player_is_the_last_of_the_hand(deck: str, ending: str):
    """Seed 002: "The game ends when the last card is drawn from the deck" """
    game = PileGame.of(deck)
    played = game.hand("hit")
    assert (played.hands, played.dealer) == ([ending], deck.split(" | ")[1])
    assert (game.deck.left, game.winner is not None) == (0, True)


@pytest.mark.parametrize(
    ("deck", "house", "ending"),
    [
        ("9s 8s | 2h 3c | 4d 5d", "2h 3c 4d 5d", "1.1 9s 8s win"),
        ("4s 8s | 2h 3c | 4d 5d", "2h 3c 4d 5d", "1.1 4s 8s lose"),
        ("6s 8s | 2h 3c | 4d 5d", "2h 3c 4d 5d", "1.1 6s 8s push"),
        ("Ts 9s | Th 5c | 6d", "Th 5c 6d", "1.1 Ts 9s lose"),
        ("2s 3s | Th 5c | 7d", "Th 5c 7d", "1.1 2s 3s win"),
    ],
    ids=["higher", "lower", "equal", "21 of the house", "bust of the house"],
)
def test_the_last_card_to_the_house_is_the_last_of_the_hand(deck: str, house: str, ending: str):
    """Seed 002: "The game ends when the last card is drawn from the deck" """
    game = PileGame.of(deck)
    played = game.hand("stand")
    assert (played.dealer, played.hands) == (house, [ending])
    assert (game.deck.left, game.winner is not None) == (0, True)


def test_a_hand_in_play_goes_on_though_the_cards_left_total_less_than_21():
    """RULES, piles: the game ends between hands; inside a hand only the last card counts."""
    played = play(PILES, shoe="2s 3s | 9h 8c | 2d 3d 4d", actions="1:hit 1:hit")
    assert (played.question(), played.round.shoe.left) == ("1.1 hit stand", 1)


# What is seen of the piles


def test_everybody_sees_how_many_cards_went_where_and_nobody_which():
    """Seed 002: "* Although you may see how many cards are in this stack at any time, you can not
    see which cards are in this stack (i.e. the cards are turned face down and you can not view
    them)."
    """
    piles = Piles()
    played = play(PILES, shoe="Ts 9s | Th 8c | 2d 3d", actions="1:stand")
    assert piles.collect(played.round) == CardsCollected(Pile.PLAYER, 4)
    assert piles.to_state() == {"player": 4, "house": 0, "discard": 0}


def test_piles_are_restored_as_they_were_stored():
    assert Piles(**Piles(4, 5, 6).to_state()) == Piles(4, 5, 6)


def test_a_deck_of_52_has_every_card_once():
    """Seed 002: "The game is played with a standard 52-card deck." """
    assert (PILES.cards, len(set(format_cards(DECK).split()))) == (52, 52)
