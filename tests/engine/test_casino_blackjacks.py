"""Seed 004, sentence by sentence: the deal, the dealer's look at the hole card, blackjack.

The shoe is dealt as player, dealer's up card, player, dealer's hole card.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tables.engine.presets import CASINO
from tables.engine.rules import Stakes
from tests.engine.scenario import play

# The deal


def test_cards_go_one_at_a_time_to_the_player_and_the_dealer():
    """Seed 004: "One card is dealt face up to the player and then to the dealer.
    A second card is dealt face up to the player and face down to the dealer."
    """
    played = play(CASINO, shoe="9s 7h | 8d Tc")
    assert played.story == [
        "1.1 gets 9s",
        "dealer gets 7h",
        "1.1 gets 8d",
        "dealer gets ??",
    ]


def test_one_to_each_goes_round_the_seats_in_order():
    """Seed 004: "One card is dealt face up to the player and then to the dealer." """
    played = play(CASINO, stakes={3: 1000, 1: 1000, 2: 1000}, shoe="2s 3s 4s 7h | 5s 6s 8s Tc")
    assert played.story == [
        "1.1 gets 2s",
        "2.1 gets 3s",
        "3.1 gets 4s",
        "dealer gets 7h",
        "1.1 gets 5s",
        "2.1 gets 6s",
        "3.1 gets 8s",
        "dealer gets ??",
    ]


def test_a_seat_without_a_stake_gets_no_cards():
    played = play(CASINO, stakes={1: 1000, 3: 2500}, shoe="2s 4s 7h | 5s 8s Tc")
    assert played.hands == ["1.1 2s 5s open 1000", "3.1 4s 8s open 2500"]


def test_the_dealers_second_card_is_face_down():
    """Seed 004: "A second card is dealt face up to the player and face down to the dealer." """
    assert play(CASINO, shoe="9s 7h | 8d Tc").dealer == "7h ??"


def test_the_player_may_stake_10_whole_units_or_more():
    """Seed 004: "The minimum initial bet to play a round is £10.
    All bets should be made in whole pounds (no pence)."
    """
    assert CASINO.stakes == Stakes(minimum=1000, maximum=None, unit=100)


# The dealer's look at the hole card


@pytest.mark.parametrize("upcard", ["Ah", "Th", "Jh", "Qh", "Kh"])
def test_the_dealer_looks_under_an_ace_and_under_a_ten_value_card(upcard: str):
    """Seed 004: "If the player has a total of 21 with two cards they have "blackjack".
    The dealer will reveal their hand and unless they too have blackjack, the player wins."
    """
    assert play(CASINO, shoe=f"9s {upcard} | 8d 7c").story[4:] == ["dealer peeks"]


@pytest.mark.parametrize("upcard", ["2h", "3h", "4h", "5h", "6h", "7h", "8h", "9h"])
def test_the_dealer_does_not_look_under_any_other_card(upcard: str):
    assert play(CASINO, shoe=f"9s {upcard} | 8d Ac").story[4:] == []


def test_the_player_is_asked_when_the_dealer_looked_in_vain():
    assert play(CASINO, shoe="9s Ah | 8d 7c").question() == "1.1 hit stand double"


@pytest.mark.parametrize(("upcard", "hole"), [("Ah", "Kc"), ("Ah", "Tc"), ("Kh", "Ac")])
def test_a_dealers_blackjack_ends_the_round_before_anybody_is_asked(upcard: str, hole: str):
    played = play(CASINO, shoe=f"Ks {upcard} | Qd {hole}")
    assert played.story[4:] == [f"dealer turns over {hole}", "1.1 lose: 1500 pays 0"]


def test_a_dealers_blackjack_beats_all_but_another_blackjack():
    """Seed 004: "unless they too have blackjack, the player wins" """
    played = play(CASINO, stakes={1: 1000, 2: 2000, 3: 3000}, shoe="Ks As 5s Ah | Qd Jd 6d Kc")
    assert played.hands == [
        "1.1 Ks Qd lose 1000 -> 0",
        "2.1 As Jd push 2000 -> 2000",
        "3.1 5s 6d lose 3000 -> 0",
    ]


# Blackjack


@pytest.mark.parametrize(("stake", "payout"), [(1500, 3750), (2000, 5000), (1000, 2500)])
def test_blackjack_pays_3_to_2(stake: int, payout: int):
    """Seed 004: "Blackjack pays 3:2 (e.g. win £30 for every £20 bet)." """
    played = play(CASINO, stakes={1: stake}, shoe="As 7h | Kd Tc")
    assert played.hands == [f"1.1 As Kd blackjack {stake} -> {payout}"]


def test_a_blackjack_alone_wins_without_a_card_for_the_dealer():
    """Seed 004: "The dealer will reveal their hand and unless they too have blackjack,
    the player wins."
    """
    assert play(CASINO, shoe="As 2h | Kd 3c | 4s").story[4:] == [
        "1.1 blackjack: 1500 pays 3750",
        "dealer turns over 3c",
    ]


def test_a_blackjack_is_paid_after_the_dealer_looked_in_vain():
    assert play(CASINO, shoe="As Kh | Td 9c").story[4:] == [
        "dealer peeks",
        "1.1 blackjack: 1500 pays 3750",
        "dealer turns over 9c",
    ]


def test_a_blackjack_against_a_blackjack_is_a_push():
    """Seed 004: "unless they too have blackjack, the player wins" """
    played = play(CASINO, shoe="As Ah | Kd Qc")
    assert played.hands == ["1.1 As Kd push 1500 -> 1500"]


def test_a_blackjack_is_paid_before_the_other_seats_play():
    played = play(CASINO, stakes={1: 1000, 2: 1500}, shoe="9s As 7h | 8d Kd Tc")
    assert (played.hands, played.question()) == (
        ["1.1 9s 8d open 1000", "2.1 As Kd blackjack 1500 -> 3750"],
        "1.1 hit stand double",
    )


def test_a_blackjack_is_not_asked_for_a_decision():
    played = play(CASINO, stakes={1: 1000, 2: 1500}, shoe="As 9s 7h | Kd 8d Tc")
    assert played.question() == "2.1 hit stand double"


def test_a_blackjack_beats_a_later_21_of_the_dealer():
    played = play(
        CASINO,
        stakes={1: 1500, 2: 1000},
        shoe="As Ks 7h | Kd Qd 4c | Tc",
        actions="2:stand",
    )
    assert (played.dealer, played.hands) == (
        "7h 4c Tc",
        ["1.1 As Kd blackjack 1500 -> 3750", "2.1 Ks Qd lose 1000 -> 0"],
    )


@pytest.mark.parametrize(
    ("hole", "ending"),
    [("Ac", "1.1 As Kd push 1500 -> 1500"), ("9c", "1.1 As Kd blackjack 1500 -> 3750")],
)
def test_a_blackjack_is_never_paid_before_the_dealers_is_ruled_out(hole: str, ending: str):
    """No preset pays blackjacks without a look at the hole card; then they wait for the end."""
    assert play(replace(CASINO, peek=False), shoe=f"As Kh | Kd {hole}").hands == [ending]


def test_a_21_of_three_cards_is_no_blackjack():
    """Seed 004: "If the player has a total of 21 with two cards they have "blackjack"." """
    played = play(CASINO, shoe="5s 7h | 6d Tc | Ks", actions="1:hit")
    assert played.hands == ["1.1 5s 6d Ks win 1500 -> 3000"]


# Without the check of the hole card, and without odds


def test_without_a_check_a_blackjack_is_not_asked_and_is_paid_after_the_dealer_has_played():
    played = play(replace(CASINO, peek=False), shoe="As 9c | Kd 7h | 2d")
    assert played.round.turn is None
    assert played.hands == ["1.1 As Kd blackjack 1500 -> 3750"]


def test_where_a_blackjack_is_just_21_it_does_not_win_at_once():
    played = play(replace(CASINO, natural_pays=None), shoe="As Tc | Kd 5h | 6d")
    assert played.hands == ["1.1 As Kd push 1500 -> 1500"]


# Soft 17


@pytest.mark.parametrize(
    ("hits", "total", "ending"), [(False, 17, "win 1500 -> 3000"), (True, 21, "lose 1500 -> 0")]
)
def test_a_dealer_who_hits_soft_17_draws_to_it(hits: bool, total: int, ending: str):
    rules = replace(CASINO, hits_soft_17=hits)
    played = play(rules, shoe="9s 6h | 9d Ah | 4c 2c", actions="1:stand")
    assert played.round.dealer.total == total
    assert played.hands == [f"1.1 9s 9d {ending}"]
