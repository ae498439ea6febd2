"""Seed 000, sentence by sentence: simplified blackjack, without money.

The shoe is dealt as both cards of every seat in turn, then the dealer's down card and up card.
"""

from __future__ import annotations

import pytest

from tables.engine.errors import RuleViolation
from tables.engine.presets import CLASSIC
from tests.engine.scenario import play

TWO_SEATS = {1: 0, 2: 0}

# The deal


def test_every_player_gets_two_cards_and_then_the_dealer_one_down_and_one_up():
    """Seed 000: "The dealer shuffles the deck and deals two cards "face up" (with the front of
    the card showing) to each player. The dealer deals one card "face down" (with only the back
    showing) and one card "face up" to himself."
    """
    played = play(CLASSIC, stakes={2: 0, 1: 0}, shoe="9s 8s | 5d 4d | Tc 7h")
    assert played.story == [
        "1.1 gets 9s",
        "1.1 gets 8s",
        "2.1 gets 5d",
        "2.1 gets 4d",
        "dealer gets ??",
        "dealer gets 7h",
    ]


def test_the_dealers_first_card_is_face_down():
    """Seed 000: "The back of each card is identical, so that you cannot tell which card it is by
    looking at the back."
    """
    cards = {play(CLASSIC, shoe=f"9s 8s | {hidden} 7h").dealer for hidden in ("Tc", "Ac", "2c")}
    assert cards == {"?? 7h"}


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_three_players_or_fewer_play_against_one_dealer(seats: int):
    """Seed 000: "A game of blackjack may involve any number of players (but for our purposes, three
    or fewer), and always exactly one "dealer": the person who "deals" (hands out) the cards."
    """
    players = dict.fromkeys(range(1, seats + 1), 0)
    played = play(CLASSIC, stakes=players, shoe="9s 8s | 9d 8d | 9c 8c | Tc 7h")
    assert (len(played.hands), len(played.round.dealer.cards)) == (seats, 2)


def test_there_is_no_fourth_seat():
    """Seed 000: "for our purposes, three or fewer" """
    with pytest.raises(RuleViolation) as refusal:
        play(CLASSIC, stakes=dict.fromkeys(range(1, 5), 0), shoe="2s 2d 2c 2h 3s 3d 3c 3h 4s 4d")
    assert refusal.value.code == "no_such_seat"


def test_nothing_is_staked():
    assert CLASSIC.stakes is None


@pytest.mark.parametrize("dealer", ["Kc Ah", "Ac Kh", "Ac Th"])
def test_the_dealer_does_not_look_at_the_hole_card(dealer: str):
    """Seed 000: "Once all players are done, it is the dealer's turn to play. First, he turns his
    face-down card over."
    """
    played = play(CLASSIC, shoe=f"9s 8s | {dealer}")
    assert (played.story[4:], played.question()) == ([], "1.1 hit stand")


# Hit and stand


def test_the_first_player_is_asked_first():
    """Seed 000: "The dealer asks the first player whether she wishes to "hit" (receive another
    card) or "stand" (not receive any more cards)."
    """
    played = play(CLASSIC, stakes=TWO_SEATS, shoe="9s 8s | 5d 4d | Tc 7h")
    assert played.question() == "1.1 hit stand"


def test_who_stands_passes_the_question_to_the_next_player():
    """Seed 000: "If she chooses to stand, she will not receive any more cards this round, so her
    score is fixed. The game moves on to the next player."
    """
    played = play(CLASSIC, stakes=TWO_SEATS, shoe="9s 8s | 5d 4d | Tc 7h", actions="1:stand")
    assert (played.hands[0], played.question()) == ("1.1 9s 8s open", "2.1 hit stand")


def test_who_stood_is_not_dealt_another_card():
    """Seed 000: "she will not receive any more cards this round, so her score is fixed" """
    played = play(CLASSIC, stakes=TWO_SEATS, shoe="9s 8s | 5d 4d | Tc 7h", actions="1:stand")
    assert played.refusal("1:hit") == "not_your_turn"


def test_who_hits_gets_a_card_face_up_and_is_asked_again():
    """Seed 000: "If she chooses to hit, the dealer will deal her another card, face up, and her
    score increases. She will then be given the option to hit or stand again."
    """
    played = play(CLASSIC, shoe="2s 3s | Tc 7h | 4s", actions="1:hit")
    assert (played.story[4:], played.question()) == (["1.1 gets 4s"], "1.1 hit stand")


def test_a_player_hits_until_standing():
    """Seed 000: "Essentially, the player can continue to hit until she either decides to stand,
    or busts."
    """
    played = play(
        CLASSIC,
        shoe="2s 2d | Tc 7h | 2c 2h 3s 3d 3c",
        actions="1:hit 1:hit 1:hit 1:hit 1:hit 1:stand",
    )
    assert played.hands == ["1.1 2s 2d 2c 2h 3s 3d 3c push"]


def test_a_bust_loses_at_once_and_play_continues_with_the_next_player():
    """Seed 000: "If her score exceeds 21, she has "busted" and immediately loses this round -
    play will continue with the next player."
    """
    played = play(CLASSIC, stakes=TWO_SEATS, shoe="9s 8s | 5d 4d | Tc 7h | 5s", actions="1:hit")
    assert (played.story[6:], played.question()) == (
        ["1.1 gets 5s", "1.1 bust: 0 pays 0"],
        "2.1 hit stand",
    )


def test_the_process_is_repeated_for_each_other_player():
    """Seed 000: "The hit-or-stand process is then repeated for each other player." """
    played = play(
        CLASSIC,
        stakes={1: 0, 2: 0, 3: 0},
        shoe="2s 3s | 2d 3d | 2c 3c | Th 8h | Ts Td Tc",
        actions="1:hit 1:stand 2:hit 2:stand 3:hit 3:stand",
    )
    assert played.hands == ["1.1 2s 3s Ts lose", "2.1 2d 3d Td lose", "3.1 2c 3c Tc lose"]


@pytest.mark.parametrize(
    ("cards", "actions"), [("As Ks", ""), ("5s 6s", "1:hit")], ids=["two cards", "three cards"]
)
def test_a_21_does_not_stand_by_itself(cards: str, actions: str):
    """Seed 000: "the player can continue to hit until she either decides to stand, or busts" """
    played = play(CLASSIC, shoe=f"{cards} | Tc 7h | Kd", actions=actions)
    assert played.question() == "1.1 hit stand"


def test_a_21_can_be_hit_and_bust():
    played = play(CLASSIC, shoe="5s 6s | Tc 7h | Kd 2d", actions="1:hit 1:hit")
    assert played.hands == ["1.1 5s 6s Kd 2d bust"]


def test_a_soft_21_can_be_hit_and_become_12():
    """Seed 000: "The point value of an ace card is whatever is most advantageous to the player:
    1 or 11, whichever would bring the score of the player's hand closer to 21 without exceeding
    it."
    """
    played = play(CLASSIC, shoe="As Ks | 9c 3h | Ad 5d", actions="1:hit 1:stand")
    assert (played.dealer, played.hands) == ("9c 3h 5d", ["1.1 As Ks Ad lose"])


@pytest.mark.parametrize(
    ("action", "code"), [("1:double", "cannot_double"), ("1:split", "cannot_split")]
)
def test_nobody_doubles_or_splits(action: str, code: str):
    assert play(CLASSIC, shoe="8s 8d | Tc 7h").refusal(action) == code


# The dealer


def test_the_dealer_turns_the_card_over_and_hits_until_17():
    """Seed 000: "Once all players are done, it is the dealer's turn to play. First, he turns his
    face-down card over. Then he hits until his score is 17 or higher."
    """
    played = play(CLASSIC, shoe="9s 9d | 5c 6h | 4c 3c", actions="1:stand")
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
        ("Tc 6h | Ad", "Tc 6h Ad"),
        ("Ac 5h | Kd 2d", "Ac 5h Kd 2d"),
        ("Ac Ah | 4d 5d", "Ac Ah 4d 5d"),
    ],
    ids=["hard 16", "soft 16 that becomes hard 16", "soft 16 with two aces"],
)
def test_the_dealer_must_hit_below_17(cards: str, final: str):
    """Seed 000: "The dealer cannot decide to hit or stand arbitrarily. If his score is less than
    17, he must hit."
    """
    assert play(CLASSIC, shoe=f"9s 9d | {cards}", actions="1:stand").dealer == final


@pytest.mark.parametrize("cards", ["Tc 7h", "Ac 6h", "6c Ah", "9c 9h", "Ac Kh"])
def test_the_dealer_must_stand_on_17_or_higher(cards: str):
    """Seed 000: "If it is 17 or higher, he must stand." """
    assert play(CLASSIC, shoe=f"9s 9d | {cards} | 2d", actions="1:stand").dealer == cards


def test_the_dealer_draws_nothing_when_every_player_has_busted():
    """RULES, shared: when no hand is left to beat, the dealer draws nothing."""
    played = play(CLASSIC, shoe="9s 8s | 2c 3h | 5s 4c", actions="1:hit")
    assert played.story[4:] == ["1.1 gets 5s", "1.1 bust: 0 pays 0", "dealer turns over 2c"]


# Settling


def test_who_did_not_bust_wins_when_the_dealer_busts():
    """Seed 000: "If the dealer busts, any players who did not bust earlier win this round." """
    played = play(
        CLASSIC,
        stakes=TWO_SEATS,
        shoe="9s 8s | 2d 3d | Tc 6h | 5s Kh",
        actions="1:hit 2:stand",
    )
    assert (played.dealer, played.hands) == (
        "Tc 6h Kh",
        ["1.1 9s 8s 5s bust", "2.1 2d 3d win"],
    )


def test_each_score_is_compared_with_the_dealers():
    """Seed 000: "Otherwise, each player's score is compared to that of the dealer. A player wins
    if he has a higher score than the dealer, loses if he has a lower score, and "pushes" (ties)
    if he has the same score."
    "A player's goal in a round of blackjack is to have a higher score than the dealer, without
    going over 21 ("busting")."
    """
    played = play(
        CLASSIC,
        stakes={1: 0, 2: 0, 3: 0},
        shoe="Ts 9s | Td 7d | Tc 8c | Th 8h",
        actions="1:stand 2:stand 3:stand",
    )
    assert played.hands == ["1.1 Ts 9s win", "2.1 Td 7d lose", "3.1 Tc 8c push"]


def test_players_do_not_compete_with_each_other():
    """Seed 000: "Players compete against the dealer, not against each other." """
    played = play(
        CLASSIC, stakes=TWO_SEATS, shoe="Ts 9s | Td Kd | Th 8h", actions="1:stand 2:stand"
    )
    assert played.hands == ["1.1 Ts 9s win", "2.1 Td Kd win"]


def test_the_highest_score_that_is_not_over_21_is_21():
    """Seed 000: "The goal in blackjack is to acquire a hand whose score is as high as possible
    without going over 21."
    """
    played = play(
        CLASSIC,
        stakes=TWO_SEATS,
        shoe="5s 6s | Td 6d | Tc Kh | Ts Kd",
        actions="1:hit 1:stand 2:hit",
    )
    assert played.hands == ["1.1 5s 6s Ts win", "2.1 Td 6d Kd bust"]


def test_the_group_decides_after_the_round_whether_to_play_again():
    """Seed 000: "At the end of each round, the group of players can decide whether they would like
    to play again."
    """
    assert CLASSIC.asks_to_play_again is True


def test_a_21_of_two_cards_is_just_a_win():
    played = play(CLASSIC, shoe="As Ks | Th 8h", actions="1:stand")
    assert played.hands == ["1.1 As Ks win"]


def test_a_21_of_two_cards_pushes_against_a_21_of_three():
    """Seed 000: ""pushes" (ties) if he has the same score" """
    played = play(CLASSIC, shoe="As Ks | 7h 4h | Td", actions="1:stand")
    assert (played.dealer, played.hands) == ("7h 4h Td", ["1.1 As Ks push"])


def test_a_21_of_three_cards_pushes_against_the_dealers_21_of_two():
    """Seed 000: ""pushes" (ties) if he has the same score" """
    played = play(CLASSIC, shoe="5s 6s | Ah Kh | Td", actions="1:hit 1:stand")
    assert played.hands == ["1.1 5s 6s Td push"]


def test_a_21_of_two_cards_pushes_against_the_dealers_21_of_two():
    played = play(CLASSIC, shoe="As Ks | Ah Kh", actions="1:stand")
    assert played.hands == ["1.1 As Ks push"]
