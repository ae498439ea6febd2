"""Seed 002, sentence by sentence: one hand of the game of piles, and where its cards go.

The deck is dealt as the player's two cards, then the house's up card and down card.
"""

from __future__ import annotations

import pytest

from tables.engine.hand import Hand
from tables.engine.presets import PILES
from tests.engine.scenario import PileGame, play

REST = "2d 3d 4d 5d 6d 7d"
"""Cards that nobody needs."""

# The deal


def test_there_is_one_player_and_the_house():
    """Seed 002: "You (the player) play against the house (a computer)." """
    assert (PILES.seats, PILES.stakes) == (1, None)


def test_the_player_gets_two_cards_and_then_the_house_one_up_and_one_down():
    """Seed 002: "Each round, you are dealt two cards face-up." "The house is dealt one face-up card
    and one face-down card."
    """
    played = play(PILES, shoe=f"9s 8s | 7h 6c | {REST}")
    assert (played.story, played.dealer) == (
        ["1.1 gets 9s", "1.1 gets 8s", "dealer gets 7h", "dealer gets ??"],
        "7h ??",
    )


# Hit and stand


def test_the_player_goes_first_and_hits_or_stands():
    """Seed 002: "Each turn, the player (who always goes first) can choose to "hit" or "stand"." """
    assert play(PILES, shoe=f"9s 8s | 7h 6c | {REST}").question() == "1.1 hit stand"


def test_a_hit_takes_the_top_card_of_the_deck():
    """Seed 002: "A hit means the top card of the deck is removed and added to your hand." """
    played = play(PILES, shoe="2s 3s | 7h 6c | 4d 5d 6d", actions="1:hit")
    assert (played.hands, played.round.shoe.left) == (["1.1 2s 3s 4d open"], 2)
    assert played.question() == "1.1 hit stand"


def test_a_stand_passes_the_turn_to_the_house_which_reveals_its_card_and_draws():
    """Seed 002: "A stand means that you are passing the turn to the house." "Once the turn is
    passed to the house, they reveal their previously face-down card."
    """
    played = play(PILES, shoe=f"9s 9d | 6h 5c | 4c 3c | {REST}", actions="1:stand")
    assert played.story[4:] == [
        "1.1 stands",
        "dealer turns over 5c",
        "dealer gets 4c",
        "dealer gets 3c",
        "1.1 push: 0 pays 0",
    ]


@pytest.mark.parametrize(
    ("cards", "final"),
    [
        ("Th 6c | Ad", "Th 6c Ad"),
        ("2h 3c | 4c 5c 2d Ad", "2h 3c 4c 5c 2d Ad"),
        ("7h 9c | Kd", "7h 9c Kd"),
        ("Th 7c", "Th 7c"),
        ("9h 9c", "9h 9c"),
    ],
    ids=["hard 16", "hard 5", "a bust", "17", "18"],
)
def test_the_house_hits_below_17_and_not_above(cards: str, final: str):
    """Seed 002: "Then, if their combined card value is less than 17, the house must hit until the
    value is greater than or equal to 17."
    """
    played = play(PILES, shoe=f"9s 9d | {cards} | {REST}", actions="1:stand")
    assert played.dealer == final


@pytest.mark.parametrize(
    ("player", "house", "outcome"),
    [
        ("Ts 9s", "Th 8c", "win"),
        ("Ts 8s", "Th 9c", "lose"),
        ("Ts 8s", "9h 9c", "push"),
        ("2s 3s", "Th 7c", "lose"),
    ],
)
def test_the_total_that_is_closer_to_21_wins(player: str, house: str, outcome: str):
    """Seed 002: "You objective is to get the total values of your cards as close to 21 as possible
    without going over."
    """
    played = play(PILES, shoe=f"{player} | {house} | {REST}", actions="1:stand")
    assert played.hands == [f"1.1 {player} {outcome}"]


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("1:double", "cannot_double"),
        ("1:split", "cannot_split"),
        ("1:surrender", "cannot_surrender"),
        ("1:insure", "cannot_insure"),
        ("1:decline", "cannot_insure"),
    ],
)
def test_there_is_nothing_to_do_but_hit_and_stand(action: str, code: str):
    assert play(PILES, shoe=f"8s 8d | Ah 6c | {REST}").refusal(action) == code


# What the cards are worth


@pytest.mark.parametrize(
    ("cards", "total"),
    [("2s 9s", 11), ("7s Ts", 17), ("Js Qs", 20), ("Ks 3s", 13), ("As 5s", 16), ("As 5s 9s", 15)],
)
def test_face_cards_are_10_and_an_ace_alternates(cards: str, total: int):
    """Seed 002: "Face cards are worth 10, numbered cards are worth their number and aces alternate
    between being worth 1 and 11 (more on that in the "Aces" section below)."
    """
    assert Hand.parse(cards).total == total


def test_an_ace_is_11_until_that_is_too_much():
    """Seed 002: "Aces: Aces are normally attributed a value of 11." "However, if the sum of cards
    in your hand were to ever exceed 21 while you have an ace in hand, the ace's value then becomes
    1."
    """
    dealt = play(PILES, shoe="As 6s | 9h 8c | 5s 6d 7d")
    hit = play(PILES, shoe="As 6s | 9h 8c | 5s 6d 7d", actions="1:hit")
    totals = [played.round.seats[1][0].hand.total for played in (dealt, hit)]
    assert (totals, hit.question()) == ([17, 12], "1.1 hit stand")


def test_an_ace_of_the_house_becomes_1_as_well_and_the_house_draws_on():
    """Seed 002: "However, if the sum of cards in your hand were to ever exceed 21 while you have an
    ace in hand, the ace's value then becomes 1." "The same is true for the house."
    """
    played = play(PILES, shoe=f"9s 9d | Ah 5c | Kc 2c | {REST}", actions="1:stand")
    assert (played.dealer, played.round.dealer.total) == ("Ah 5c Kc 2c", 18)


@pytest.mark.parametrize("cards", ["Ah 6c", "6h Ac", "Ah 9c"])
def test_the_house_stands_on_17_with_an_ace_that_counts_11(cards: str):
    """Seed 002: "If the house has an ace in hand and the value of his cards were to be greater than
    or equal to 17 (while the ace is treated as an 11), they must stand."
    """
    assert play(PILES, shoe=f"9s 9d | {cards} | {REST}", actions="1:stand").dealer == cards


# 21 and busts, and whose the cards are


def test_a_bust_gives_the_cards_to_the_house_which_draws_nothing():
    """Seed 002: "If the value of cards in your hand is ever greater than 21, you lose, or "bust"
    and the cards in your hand go into the house's "pile"."
    """
    game = PileGame.of(f"Ts 6s | 2h 3c | Kd | {REST}")
    played = game.hand("hit")
    assert played.story[4:] == ["1.1 gets Kd", "1.1 bust: 0 pays 0", "dealer turns over 3c"]
    assert game.score == "player 0, house 5, discard 0, deck 6"


@pytest.mark.parametrize(
    ("cards", "hits"),
    [("5s 6s | 2h 3c | Kd", 1), ("2s 6s | 2h 3c | 3d Kd", 2), ("As 6s | 2h 3c | 4d", 1)],
    ids=["three cards", "four cards", "soft"],
)
def test_exactly_21_wins_at_once(cards: str, hits: int):
    """Seed 002: "If the value of cards in your hand is exactly 21, you automatically win that hand,
    and the cards in you hand go into your "pile"."
    """
    game = PileGame.of(f"{cards} | {REST}")
    played = game.hand(*["hit"] * hits)
    assert played.story[-2:] == ["1.1 win: 0 pays 0", "dealer turns over 3c"]
    assert game.score == f"player {4 + hits}, house 0, discard 0, deck 6"


def test_21_cannot_be_hit():
    """Seed 002: "you automatically win that hand" """
    played = play(PILES, shoe=f"5s 6s | 2h 3c | Kd | {REST}", actions="1:hit")
    assert (played.question(), played.refusal("1:hit")) == ("nobody", "round_over")


def test_exactly_21_of_the_house_wins_its_hand():
    """Seed 002: "If the value of cards in your hand is exactly 21, you automatically win that hand,
    and the cards in you hand go into your "pile"." "The same is true for the house."
    """
    game = PileGame.of(f"Ts Ks | 2h 9c | Td | {REST}")
    played = game.hand("stand")
    assert (played.dealer, played.hands) == ("2h 9c Td", ["1.1 Ts Ks lose"])
    assert game.score == "player 0, house 5, discard 0, deck 6"


def test_a_bust_of_the_house_gives_all_cards_to_the_player():
    """Seed 002: "The same is true for the house." """
    game = PileGame.of(f"2s 3s | 6h Tc | Kd | {REST}")
    played = game.hand("stand")
    assert (played.dealer, played.hands) == ("6h Tc Kd", ["1.1 2s 3s win"])
    assert game.score == "player 5, house 0, discard 0, deck 6"


# 21 on the deal


@pytest.mark.parametrize("cards", ["As Ks", "Ts As"])
@pytest.mark.parametrize("house", ["9h 8c", "Ah 6c", "Kh 9c"])
def test_21_on_the_deal_wins_at_once(cards: str, house: str):
    """Seed 002: "Ties: If you are dealt two cards at the beginning of the round whose values equal
    21 exactly (i.e. an ace and a face card), you automatically win that hand."
    """
    game = PileGame.of(f"{cards} | {house} | {REST}")
    played = game.hand()
    assert (played.dealer, played.hands) == (house, [f"1.1 {cards} win"])
    assert game.score == "player 4, house 0, discard 0, deck 6"


@pytest.mark.parametrize("house", ["Ah Kc", "Kh Ac", "Ah Tc"])
def test_21_of_the_house_on_the_deal_wins_before_the_player_is_asked(house: str):
    """Seed 002: "Ties: If you are dealt two cards at the beginning of the round whose values equal
    21 exactly (i.e. an ace and a face card), you automatically win that hand." "The same is true
    for the house."
    """
    game = PileGame.of(f"Ts Ks | {house} | {REST}")
    played = game.hand()
    assert (played.question(), played.hands) == ("nobody", ["1.1 Ts Ks lose"])
    assert game.score == "player 0, house 4, discard 0, deck 6"


@pytest.mark.parametrize("house", ["Ah Kc", "Kh Ac"])
def test_21_for_both_on_the_deal_goes_to_the_discard(house: str):
    """Seed 002: "However, if both you and the house are dealt hands whose values' total to 21, it
    is considered a tie, and both you and the house's cards go to the "discard"."
    """
    game = PileGame.of(f"As Ks | {house} | {REST}")
    played = game.hand()
    assert played.hands == ["1.1 As Ks push"]
    assert game.score == "player 0, house 0, discard 4, deck 6"


def test_any_other_equal_total_goes_to_the_discard_as_well():
    """RULES, piles: equal totals are a tie, and a tie sends all its cards to the discard."""
    game = PileGame.of(f"2s 3s | 9h 8c | 4d 8d | {REST}")
    assert game.hand("hit", "hit", "stand").hands == ["1.1 2s 3s 4d 8d push"]
    assert game.score == "player 0, house 0, discard 6, deck 6"
