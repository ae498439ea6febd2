"""Seed 004, sentence by sentence: hit and stand, the dealer's hand, the payouts.

The shoe is dealt as player, dealer's up card, player, dealer's hole card.
"""

from __future__ import annotations

import pytest

from tables.engine.presets import CASINO
from tests.engine.scenario import play

# Hit and stand


def test_a_hit_is_one_card_and_another_question():
    """Seed 004: "When the player does not have blackjack, the dealer offers one or more cards
    until he/she does not want another or the total of their hand exceeds 21 and they are "bust".
    By taking a card the player takes a "hit"."
    """
    played = play(CASINO, shoe="2s 7h | 3d Tc | 4s", actions="1:hit")
    assert (played.hands, played.question()) == (["1.1 2s 3d 4s open 1500"], "1.1 hit stand")


def test_a_player_hits_as_often_as_wanted_while_not_over_21():
    played = play(CASINO, shoe="2s 7h | 2d Tc | 2c 2h 3s 3d 3c 3h", actions="1:hit " * 6)
    assert played.hands == ["1.1 2s 2d 2c 2h 3s 3d 3c 3h open 1500"]


def test_who_stands_takes_no_card():
    """Seed 004: "The player "stands" when he/she does not want to take an additional card." """
    assert play(CASINO, shoe="9s 7h | 8d Tc", actions="1:stand").story[4:] == [
        "1.1 stands",
        "dealer turns over Tc",
        "1.1 push: 1500 pays 1500",
    ]


def test_who_stands_passes_the_question_to_the_next_seat():
    played = play(
        CASINO,
        stakes={1: 1000, 2: 1000, 3: 1000},
        shoe="9s 9d 9c 7h | 7s 8d 8c Tc",
        actions="1:stand",
    )
    assert played.question() == "2.1 hit stand double"


def test_a_bust_loses_at_once():
    """Seed 004: "If the player is bust after receiving one or more cards, the dealer does not
    need to take any more cards and the player automatically loses."
    """
    played = play(
        CASINO, stakes={1: 1500, 2: 1000}, shoe="9s 9d 7h | 7s 8d Tc | Ks", actions="1:hit"
    )
    assert (played.story[-2:], played.question()) == (
        ["1.1 gets Ks", "1.1 bust: 1500 pays 0"],
        "2.1 hit stand double",
    )


def test_a_bust_loses_though_the_dealer_busts_later():
    played = play(
        CASINO,
        stakes={1: 1500, 2: 1000},
        shoe="9s 9d 6h | 7s 8d Tc | Ks Kh",
        actions="1:hit 2:stand",
    )
    assert (played.dealer, played.hands) == (
        "6h Tc Kh",
        ["1.1 9s 7s Ks bust 1500 -> 0", "2.1 9d 8d win 1000 -> 2000"],
    )


def test_the_dealer_draws_nothing_when_every_hand_is_bust():
    """Seed 004: "the dealer does not need to take any more cards" """
    played = play(CASINO, shoe="9s 2h | 7s 3c | Ks 4d", actions="1:hit")
    assert played.story[4:] == [
        "1.1 gets Ks",
        "1.1 bust: 1500 pays 0",
        "dealer turns over 3c",
    ]


def test_the_dealer_draws_nothing_against_a_bust_and_a_paid_blackjack():
    played = play(
        CASINO, stakes={1: 1000, 2: 1000}, shoe="9s As 2h | 7s Kd 3c | Ks 4d", actions="1:hit"
    )
    assert played.dealer == "2h 3c"


def test_a_hand_of_21_stands_by_itself():
    played = play(
        CASINO, stakes={1: 1000, 2: 1000}, shoe="5s 9d 7h | 6s 8d Tc | Ks", actions="1:hit"
    )
    assert played.question() == "2.1 hit stand double"


def test_a_soft_21_stands_by_itself():
    played = play(
        CASINO, stakes={1: 1000, 2: 1000}, shoe="As 9d 7h | 6s 8d Tc | 4s", actions="1:hit"
    )
    assert played.question() == "2.1 hit stand double"


def test_an_ace_counts_1_when_11_would_be_too_much():
    """Seed 004: "Aces can take the value 1 or 11." """
    played = play(CASINO, shoe="As 7h | 6s Tc | 5s 5h", actions="1:hit 1:hit 1:stand")
    assert played.hands == ["1.1 As 6s 5s 5h push 1500 -> 1500"]


# The dealer's hand


@pytest.mark.parametrize(
    ("cards", "final"),
    [
        ("Th 6c | Ad", "Th 6c Ad"),
        ("2h 3c | 4d 5s 2d Ad", "2h 3c 4d 5s 2d Ad"),
        ("Ah 5c | 2d", "Ah 5c 2d"),
        ("Ah 2c | Kd 3d 2d", "Ah 2c Kd 3d 2d"),
        ("7h 9c | Kd", "7h 9c Kd"),
    ],
    ids=["hard 16", "hard 5", "soft 16", "soft 13 that becomes hard 13 and 16", "a bust"],
)
def test_the_dealer_draws_below_17(cards: str, final: str):
    """Seed 004: "The dealer will only stand when their hand total is a minimum of 17." """
    upcard, rest = cards.split(maxsplit=1)
    assert play(CASINO, shoe=f"9s {upcard} | 9d {rest}", actions="1:stand").dealer == final


@pytest.mark.parametrize("cards", ["Th 7c", "9h 8c", "9h 9c", "Kh Qc"])
def test_the_dealer_stands_on_17_and_more(cards: str):
    """Seed 004: "The dealer will only stand when their hand total is a minimum of 17." """
    upcard, hole = cards.split()
    assert play(CASINO, shoe=f"9s {upcard} | 9d {hole} 2c", actions="1:stand").dealer == cards


@pytest.mark.parametrize("cards", ["Ah 6c", "6h Ac", "Ah 7c"])
def test_the_dealer_stands_on_soft_17_and_more(cards: str):
    upcard, hole = cards.split()
    assert play(CASINO, shoe=f"9s {upcard} | 9d {hole} 2c", actions="1:stand").dealer == cards


def test_the_dealer_turns_the_hole_card_over_then_draws_then_settles():
    """Seed 004: "If the player is not bust, the dealer then reveals the hidden card in their
    hand. As with the player, if they don't have blackjack there is the opportunity to take one or
    more additional cards. Hand totals are compared when all cards have been dealt."
    """
    played = play(CASINO, shoe="9s 6h | 9d 5c | 4c 3c", actions="1:stand")
    assert played.story[4:] == [
        "1.1 stands",
        "dealer turns over 5c",
        "dealer gets 4c",
        "dealer gets 3c",
        "1.1 push: 1500 pays 1500",
    ]


# Settling


def test_the_higher_total_wins_as_much_as_was_staked():
    """Seed 004: "The higher hand total (without going above 21) wins.
    Standard winning hands pay 1:1 (e.g. win £10 for every £10 bet)."
    """
    played = play(CASINO, stakes={1: 1000}, shoe="Ks 9h | 9d 9c", actions="1:stand")
    assert played.hands == ["1.1 Ks 9d win 1000 -> 2000"]


def test_the_lower_total_loses_the_stake():
    """Seed 004: "Upon losing the dealer takes the player's bet." """
    played = play(CASINO, stakes={1: 1000}, shoe="Ks 9h | 7d 9c", actions="1:stand")
    assert played.hands == ["1.1 Ks 7d lose 1000 -> 0"]


def test_an_equal_total_is_a_push_that_returns_the_stake():
    """Seed 004: "Tied hands are called a "push".
    No money is collected by the dealer in the event of a push."
    """
    played = play(CASINO, stakes={1: 1000}, shoe="Ks 9h | 8d 9c", actions="1:stand")
    assert played.hands == ["1.1 Ks 8d push 1000 -> 1000"]


def test_a_21_of_three_cards_pushes_against_a_21_of_three_cards():
    played = play(CASINO, shoe="5s 7h | 6d 4c | Ks Kd", actions="1:hit")
    assert played.hands == ["1.1 5s 6d Ks push 1500 -> 1500"]


def test_whoever_stood_wins_when_the_dealer_busts():
    """Seed 004: "The aim of Blackjack is for the player's hand total to beat that of the
    dealer's without going above 21."
    """
    played = play(CASINO, shoe="2s 6h | 3d Tc | Kc", actions="1:stand")
    assert played.hands == ["1.1 2s 3d win 1500 -> 3000"]


def test_every_seat_is_settled_against_the_dealer_in_seat_order():
    played = play(
        CASINO,
        stakes={1: 1000, 2: 1500, 3: 2000},
        shoe="Ks Kd Kc 9h | 9s 7d 8c 9c",
        actions="1:stand 2:stand 3:stand",
    )
    assert played.story[-3:] == [
        "1.1 win: 1000 pays 2000",
        "2.1 lose: 1500 pays 0",
        "3.1 push: 2000 pays 2000",
    ]
