"""What players of today's tables expect: splits to four hands, doubled, and aces split once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tables.engine.presets import CASINO, VEGAS
from tests.engine.scenario import ScenarioResult, play

EIGHTS = "8s 7h | 8d Tc | 8c 8h | 2s 3s 4s 5s"
"""Two eights, and two more that come as soon as they are split."""


def eights(actions: str) -> ScenarioResult:
    return play(VEGAS, stakes={1: 1000}, shoe=EIGHTS, actions=actions)


# To four hands


def test_a_split_hand_that_is_a_pair_again_can_be_split_again():
    assert eights("1:split").question() == "1.1 hit stand double split"


def test_a_hand_that_is_split_again_becomes_two_neighbours():
    """RULES, details: the hand behind it moves up by one."""
    played = eights("1:split 1.1:split")
    assert (played.story[-3:], played.hands) == (
        ["1.1 splits with 1000 more", "1.1 gets 2s", "1.2 gets 3s"],
        ["1.1 8s 2s open 1000", "1.2 8c 3s open 1000", "1.3 8d 8h open 1000"],
    )


def test_the_second_hand_is_split_behind_the_first():
    played = eights("1:split 1.1:stand 1.2:split")
    assert played.hands == [
        "1.1 8s 8c open 1000",
        "1.2 8d 2s open 1000",
        "1.3 8h 3s open 1000",
    ]


def test_hands_are_played_from_the_first_to_the_last():
    questions = [eights(f"1:split 1.1:split{' 1:stand' * stood}").question() for stood in range(4)]
    assert questions == [
        "1.1 hit stand double",
        "1.2 hit stand double",
        "1.3 hit stand double split",
        "nobody",
    ]


def test_a_seat_has_four_hands_at_most():
    played = eights("1:split 1.1:split 1:stand 1:stand 1.3:split")
    assert [hand.split()[0] for hand in played.hands] == ["1.1", "1.2", "1.3", "1.4"]


@pytest.mark.parametrize("hand", [1, 2, 3, 4])
def test_no_hand_is_split_into_a_fifth(hand: int):
    shoe = "Ts 7h | Td 9c | Tc Th | Js Jd | Jc Jh"
    actions = "1:split 1.1:split 1.1:split" + " 1:stand" * (hand - 1)
    played = play(VEGAS, stakes={1: 1000}, shoe=f"{shoe} Qs Qd", actions=actions)
    assert (len(played.hands), played.refusal(f"1.{hand}:split")) == (4, "cannot_split")


def test_every_split_matches_the_first_stake():
    played = eights("1:split 1.1:split 1:stand 1:stand 1.3:split")
    stakes = [hand.stake for hand in played.round.seats[1]]
    assert (stakes, [line for line in played.story if "splits" in line]) == (
        [1000] * 4,
        [
            "1.1 splits with 1000 more",
            "1.1 splits with 1000 more",
            "1.3 splits with 1000 more",
        ],
    )


def test_splitting_again_needs_the_money_as_well():
    played = eights("1:split")
    assert (played.refusal("1:split", funds=999), played.question(funds=999)) == (
        "cannot_afford",
        "1.1 hit stand",
    )


def test_every_hand_is_settled_for_itself():
    played = play(
        VEGAS,
        stakes={1: 1000},
        shoe="8s 7h | 8d Tc | 8c 9h | Ts 9s | Kd",
        actions="1:split 1.1:split 1.1:stand 1.2:stand 1.3:hit",
    )
    assert played.hands == [
        "1.1 8s Ts win 1000 -> 2000",
        "1.2 8c 9s push 1000 -> 1000",
        "1.3 8d 9h Kd bust 1000 -> 0",
    ]


def test_cards_of_equal_value_are_split_though_their_faces_differ():
    played = play(VEGAS, shoe="Ks 7h | Jd Tc | Qc 9h", actions="1:split")
    assert played.question() == "1.1 hit stand double split"


def test_a_split_of_one_seat_leaves_the_next_seat_its_own():
    played = play(
        VEGAS,
        stakes={1: 1000, 2: 500},
        shoe="8s 9s 7h | 8d 9d Tc | 8c 3c 4c 5c | 9c 6c",
        actions="1:split 1.1:split 1:stand 1:stand 1:stand 2:split",
    )
    assert played.hands[3:] == ["2.1 9s 9c open 500", "2.2 9d 6c open 500"]


# Doubling after a split


def test_a_split_hand_can_be_doubled():
    played = play(
        VEGAS,
        stakes={1: 1000},
        shoe="8s 7h | 8d Tc | 3c 2c | Kc",
        actions="1:split 1.1:double 1.2:stand",
    )
    assert played.hands == ["1.1 8s 3c Kc win 2000 -> 4000", "1.2 8d 2c lose 1000 -> 0"]


def test_a_doubled_hand_gets_one_card_and_the_next_hand_is_asked():
    played = play(VEGAS, shoe="8s 7h | 8d Tc | 3c 2c | 4c", actions="1:split 1.1:double")
    assert (played.hands[0], played.question()) == (
        "1.1 8s 3c 4c open 3000",
        "1.2 hit stand double",
    )


def test_a_split_hand_is_not_doubled_where_that_is_not_played():
    rules = replace(VEGAS, double_after_split=False)
    played = play(rules, shoe="8s 7h | 8d Tc | 3c 2c", actions="1:split")
    assert (played.question(), played.refusal("1:double")) == ("1.1 hit stand", "cannot_double")


def test_the_first_cards_are_doubled_though_split_hands_are_not():
    rules = replace(VEGAS, double_after_split=False)
    assert play(rules, shoe="6s 7h | 5d Tc").question() == "1.1 hit stand double surrender"


# Aces


def test_split_aces_get_one_card_each_and_are_not_asked():
    played = play(VEGAS, stakes={1: 1000}, shoe="As 7h | Ad Tc | 2c 9c", actions="1:split")
    assert (played.question(), played.hands) == (
        "nobody",
        ["1.1 As 2c lose 1000 -> 0", "1.2 Ad 9c win 1000 -> 2000"],
    )


def test_split_aces_are_not_split_again():
    """RULES, details: aces are not split again, nor asked for anything else."""
    played = play(VEGAS, stakes={1: 1000}, shoe="As 7h | Ad Tc | Ac Ah", actions="1:split")
    assert (played.question(), len(played.hands)) == ("nobody", 2)


@pytest.mark.parametrize("hand", ["1.1", "1.2"])
def test_aces_are_not_split_again_where_they_are_played_on_either(hand: str):
    """RULES, details: "You can't split aces again." Hands of any other value are."""
    rules = replace(CASINO, max_hands=4)
    actions = "1:split" if hand == "1.1" else "1:split 1.1:stand"
    aces = play(rules, shoe="As 7h | Ad Tc | Ac Ah", actions=actions)
    eights = play(rules, shoe="8s 7h | 8d Tc | 8c 8h", actions=actions)
    assert aces.refusal(f"{hand}:split") == "cannot_split"
    assert (aces.question(), eights.question()) == (
        f"{hand} hit stand double",
        f"{hand} hit stand double split",
    )


def test_a_21_of_split_aces_is_not_a_blackjack():
    played = play(VEGAS, stakes={1: 1000}, shoe="As 7h | Ad Tc | Kc Qc", actions="1:split")
    assert played.hands == ["1.1 As Kc win 1000 -> 2000", "1.2 Ad Qc win 1000 -> 2000"]


def test_the_next_seat_is_asked_after_split_aces():
    played = play(
        VEGAS,
        stakes={1: 1000, 2: 1000},
        shoe="As 9s 7h | Ad 8d Tc | 2c 3c",
        actions="1:split",
    )
    assert played.question() == "2.1 hit stand double surrender"


def test_a_21_of_a_split_ten_and_an_ace_stands_by_itself():
    played = play(VEGAS, shoe="Ts 7h | Td Tc | Ac 5c", actions="1:split")
    assert (played.hands[0], played.question()) == ("1.1 Ts Ac open 1500", "1.2 hit stand double")


def test_insurance_is_asked_before_aces_are_split():
    played = play(VEGAS, shoe="As Ah | Ad 6c | 9c 8c", actions="1:insure 1:split")
    assert (played.hands, played.insurance) == (
        ["1.1 As 9c win 1500 -> 3000", "1.2 Ad 8c win 1500 -> 3000"],
        ["1: 750 -> 0"],
    )
