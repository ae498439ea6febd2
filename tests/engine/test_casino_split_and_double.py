"""Seed 004, sentence by sentence: splitting a pair, and doubling down.

The shoe is dealt as player, dealer's up card, player, dealer's hole card.
"""

from __future__ import annotations

import pytest

from tables.engine.presets import CASINO
from tests.engine.scenario import play

# Splitting


@pytest.mark.parametrize(
    "pair", ["8s 8d", "As Ad", "Ks Kd", "Ks Jd", "Ts Qd", "2s 2d"], ids=lambda pair: pair
)
def test_two_cards_of_equal_value_can_be_split(pair: str):
    """Seed 004: "If the player is dealt two cards in the initial hand with the same value, they
    have the option to split and play them as two separate hands."
    """
    first, second = pair.split()
    played = play(CASINO, shoe=f"{first} 7h | {second} Tc")
    assert played.question() == "1.1 hit stand double split"


@pytest.mark.parametrize("cards", ["9s Td", "As 9d", "2s 3d", "As 2d"], ids=lambda cards: cards)
def test_two_cards_of_different_value_cannot_be_split(cards: str):
    first, second = cards.split()
    assert play(CASINO, shoe=f"{first} 7h | {second} Tc").refusal("1:split") == "cannot_split"


def test_three_cards_cannot_be_split():
    """Seed 004: "dealt two cards in the initial hand with the same value" """
    played = play(CASINO, shoe="2s 7h | 2d Tc | 2c", actions="1:hit")
    assert played.refusal("1:split") == "cannot_split"


def test_a_split_matches_the_stake_and_deals_a_card_to_each_hand():
    """Seed 004: "To do so the player must match the original bet placed on the newly split hand."
    "A second card is dealt to each of the split cards and each hand is played as normal."
    """
    played = play(CASINO, shoe="8s 7h | 8d Tc | 2c 3c", actions="1:split")
    assert (played.story[4:], played.hands) == (
        ["1.1 splits with 1500 more", "1.1 gets 2c", "1.2 gets 3c"],
        ["1.1 8s 2c open 1500", "1.2 8d 3c open 1500"],
    )


def test_split_hands_are_played_in_order_as_normal():
    """Seed 004: "each hand is played as normal" """
    played = play(
        CASINO,
        shoe="8s 7h | 8d Tc | 2c 3c | 9c 4c 5c",
        actions="1:split 1.1:hit 1.1:stand 1.2:hit 1.2:hit 1.2:stand",
    )
    assert played.hands == [
        "1.1 8s 2c 9c win 1500 -> 3000",
        "1.2 8d 3c 4c 5c win 1500 -> 3000",
    ]


def test_the_second_hand_is_asked_after_the_first():
    played = play(CASINO, shoe="8s 7h | 8d Tc | 2c 3c", actions="1:split 1.1:stand")
    assert played.question() == "1.2 hit stand double"


def test_the_next_seat_waits_for_both_split_hands():
    played = play(
        CASINO,
        stakes={1: 1000, 2: 1000},
        shoe="8s 9s 7h | 8d 8c Tc | 2c 3c",
        actions="1:split 1.1:stand 1.2:stand",
    )
    assert played.question() == "2.1 hit stand double"


def test_each_split_hand_is_settled_for_itself():
    played = play(
        CASINO,
        shoe="8s 7h | 8d Tc | 7c Kc",
        actions="1:split 1.1:stand 1.2:stand",
    )
    assert played.hands == [
        "1.1 8s 7c lose 1500 -> 0",
        "1.2 8d Kc win 1500 -> 3000",
    ]


def test_a_bust_of_one_split_hand_leaves_the_other_in_play():
    played = play(
        CASINO,
        shoe="8s 6h | 8d Tc | 7c Kc | Kd Kh",
        actions="1:split 1.1:hit 1.2:stand",
    )
    assert (played.dealer, played.hands) == (
        "6h Tc Kh",
        ["1.1 8s 7c Kd bust 1500 -> 0", "1.2 8d Kc win 1500 -> 3000"],
    )


def test_the_dealer_draws_nothing_when_both_split_hands_are_bust():
    played = play(CASINO, shoe="8s 2h | 8d 3c | 7c 6c | Kd Kh", actions="1:split 1.1:hit 1.2:hit")
    assert played.dealer == "2h 3c"


def test_a_split_21_is_not_a_blackjack():
    """Seed 004: "a total of 21 with two cards" is meant of the cards that were dealt; a hand
    from a split wins 1:1.
    """
    played = play(CASINO, shoe="As 7h | Ad Tc | Kc Qc", actions="1:split")
    assert played.hands == [
        "1.1 As Kc win 1500 -> 3000",
        "1.2 Ad Qc win 1500 -> 3000",
    ]


def test_a_split_21_of_a_ten_and_an_ace_is_not_a_blackjack():
    played = play(CASINO, shoe="Ks 7h | Jd Tc | Ac 9c", actions="1:split 1.2:stand")
    assert played.hands[0] == "1.1 Ks Ac win 1500 -> 3000"


def test_a_split_21_pushes_against_a_later_21_of_the_dealer():
    played = play(CASINO, shoe="As 7h | Ad 4c | Kc 9c | Td", actions="1:split 1.2:stand")
    assert played.hands == [
        "1.1 As Kc push 1500 -> 1500",
        "1.2 Ad 9c lose 1500 -> 0",
    ]


def test_a_split_21_stands_by_itself():
    played = play(CASINO, shoe="As 7h | Ad Tc | Kc 9c", actions="1:split")
    assert played.question() == "1.2 hit stand double"


def test_split_aces_are_played_as_normal():
    """Seed 004: "each hand is played as normal" """
    played = play(CASINO, shoe="As 7h | Ad Tc | 2c 3c | 4c", actions="1:split 1.1:hit")
    assert (played.hands[0], played.question()) == ("1.1 As 2c 4c open 1500", "1.1 hit stand")


@pytest.mark.parametrize("action", ["1.1:split", "1.2:split"])
def test_a_hand_is_split_only_once(action: str):
    """Seed 004: "dealt two cards in the initial hand with the same value" """
    actions = "1:split" if action == "1.1:split" else "1:split 1.1:stand"
    played = play(CASINO, shoe="8s 7h | 8d Tc | 8c 8h", actions=actions)
    assert played.refusal(action) == "cannot_split"


def test_a_split_of_one_seat_leaves_the_next_seat_its_own():
    played = play(
        CASINO,
        stakes={1: 1000, 2: 1500},
        shoe="8s 9s 7h | 8d 9d Tc | 2c 3c 4c 5c",
        actions="1:split 1.1:stand 1.2:stand 2:split",
    )
    assert played.hands == [
        "1.1 8s 2c open 1000",
        "1.2 8d 3c open 1000",
        "2.1 9s 4c open 1500",
        "2.2 9d 5c open 1500",
    ]


def test_a_split_is_not_offered_without_the_money_for_it():
    """Seed 004: "To do so the player must match the original bet" """
    assert play(CASINO, shoe="8s 7h | 8d Tc").question(funds=1499) == "1.1 hit stand"


def test_a_split_is_refused_without_the_money_for_it():
    played = play(CASINO, shoe="8s 7h | 8d Tc")
    assert played.refusal("1:split", funds=1499) == "cannot_afford"


def test_a_split_takes_the_last_money_there_is():
    played = play(CASINO, shoe="8s 7h | 8d Tc | 2c 3c", actions="1:split", funds=1500)
    assert played.hands == ["1.1 8s 2c open 1500", "1.2 8d 3c open 1500"]


# Doubling down


def test_a_double_is_offered_on_the_initial_hand():
    """Seed 004: "Once the initial hand has been dealt the player has the opportunity to
    double down."
    """
    assert play(CASINO, shoe="5s 7h | 6d Tc").question() == "1.1 hit stand double"


def test_a_double_matches_the_stake_and_takes_exactly_one_card():
    """Seed 004: "Doubling down enables the player to double their initial bet but only allows
    them to take one further card."
    """
    played = play(CASINO, shoe="5s 7h | 6d Tc | 2c", actions="1:double")
    assert played.story[4:] == [
        "1.1 doubles with 1500 more",
        "1.1 gets 2c",
        "dealer turns over Tc",
        "1.1 lose: 3000 pays 0",
    ]


def test_a_doubled_hand_wins_twice_the_stake():
    played = play(CASINO, shoe="5s 7h | 6d Tc | 9c", actions="1:double")
    assert played.hands == ["1.1 5s 6d 9c win 3000 -> 6000"]


def test_a_doubled_hand_that_pushes_gets_both_stakes_back():
    played = play(CASINO, shoe="5s 7h | 6d Tc | 6c", actions="1:double")
    assert played.hands == ["1.1 5s 6d 6c push 3000 -> 3000"]


def test_a_doubled_hand_that_busts_loses_both_stakes_at_once():
    played = play(
        CASINO, stakes={1: 1500, 2: 1000}, shoe="8s 9s 7h | 6d 8d Tc | Kc", actions="1:double"
    )
    assert (played.story[-1], played.question()) == (
        "1.1 bust: 3000 pays 0",
        "2.1 hit stand double",
    )


def test_a_doubled_21_is_not_a_blackjack():
    played = play(CASINO, shoe="5s 7h | 6d Tc | Kc", actions="1:double")
    assert played.hands == ["1.1 5s 6d Kc win 3000 -> 6000"]


def test_a_double_is_not_offered_after_a_hit():
    """Seed 004: "Once the initial hand has been dealt" """
    played = play(CASINO, shoe="2s 7h | 3d Tc | 4c", actions="1:hit")
    assert played.refusal("1:double") == "cannot_double"


def test_a_split_hand_can_be_doubled():
    """Seed 004: "each hand is played as normal" """
    played = play(CASINO, shoe="8s 7h | 8d Tc | 3c 2c | Kc", actions="1:split 1.1:double 1.2:stand")
    assert played.hands == [
        "1.1 8s 3c Kc win 3000 -> 6000",
        "1.2 8d 2c lose 1500 -> 0",
    ]


def test_the_second_split_hand_can_be_doubled():
    played = play(CASINO, shoe="8s 7h | 8d Tc | 2c 3c | Kc", actions="1:split 1.1:stand 1.2:double")
    assert played.hands == [
        "1.1 8s 2c lose 1500 -> 0",
        "1.2 8d 3c Kc win 3000 -> 6000",
    ]


def test_a_double_is_not_offered_without_the_money_for_it():
    assert play(CASINO, shoe="5s 7h | 6d Tc").question(funds=1499) == "1.1 hit stand"


def test_a_double_is_refused_without_the_money_for_it():
    played = play(CASINO, shoe="5s 7h | 6d Tc")
    assert played.refusal("1:double", funds=1499) == "cannot_afford"


def test_a_double_takes_the_last_money_there_is():
    played = play(CASINO, shoe="5s 7h | 6d Tc | 9c", actions="1:double", funds=1500)
    assert played.hands == ["1.1 5s 6d 9c win 3000 -> 6000"]
