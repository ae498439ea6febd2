"""Seed 001, sentence by sentence: one player against the dealer, and what an ace is worth.

The shoe is dealt as the player's two cards, then the dealer's down card and up card.
"""

from __future__ import annotations

import pytest

from tables.engine.errors import RuleViolation
from tables.engine.hand import Hand
from tables.engine.presets import HEADS_UP
from tables.engine.round import Round
from tables.engine.shoe import Shoe
from tests.engine.scenario import play

# The game


def test_one_player_plays_against_the_dealer():
    """Seed 001: "A one on one blackjack game between you and the shuffler." """
    assert play(HEADS_UP, shoe="9s 8s | Tc 7h").story == [
        "1.1 gets 9s",
        "1.1 gets 8s",
        "dealer gets ??",
        "dealer gets 7h",
    ]


def test_there_is_no_second_seat():
    """Seed 001: "A one on one blackjack game between you and the shuffler." """
    with pytest.raises(RuleViolation) as refusal:
        Round.deal(HEADS_UP, {1: 0, 2: 0}, Shoe.parse("9s 8s 9d 8d Tc 7h"))
    assert refusal.value.code == "no_such_seat"


@pytest.mark.parametrize(
    ("hand", "dealer", "outcome"),
    [
        ("Ts 9s", "Tc 8h", "win"),
        ("Ts 8s", "Tc 9h", "lose"),
        ("Ts 8s", "Tc 8h", "push"),
        ("2s 3s", "Tc 6h | Kh", "win"),
        ("5s 6s", "Ac Kh", "lose"),
        ("As Ks", "Ac Kh", "push"),
    ],
)
def test_the_higher_total_wins(hand: str, dealer: str, outcome: str):
    """Seed 001: "The goal of the card game is for the player's cards to total more than the
    dealer's without going over a total of 21 (aka a "bust")."
    """
    played = play(HEADS_UP, shoe=f"{hand} | {dealer}", actions="1:stand")
    assert played.hands == [f"1.1 {hand} {outcome}"]


@pytest.mark.parametrize(
    ("cards", "total"),
    [("2s 3s", 5), ("4s 5s", 9), ("6s 7s", 13), ("8s 9s", 17), ("Ts 9s", 19)]
    + [(f"{face}s 2s", 12) for face in "JQK"],
)
def test_a_card_has_the_value_shown_and_a_face_card_10(cards: str, total: int):
    """Seed 001: "Non face-cards have the value shown on the card (i.e. 2-10) while Jacks, Queens,
    and Kings have a value of 10."
    """
    assert Hand.parse(cards).total == total


# Hit and stand


def test_the_player_decides_first():
    """Seed 001: "Gameplay starts with the player who must decide whether to "stand" (not ask for
    another card) or "hit" (ask for another card in an attempt to get closer to a count of 21, or
    even hit 21 exactly)."
    """
    assert play(HEADS_UP, shoe="9s 8s | Tc 7h").question() == "1.1 hit stand"


def test_the_player_may_stand_on_the_two_cards():
    """Seed 001: "Thus, a player may stand on the two cards originally dealt him/her, or he/she may
    ask the dealer for additional cards, one at a time, until the player either decides to stand on
    the total (if it is 21 or under), or goes "bust" (if it is over 21)."
    """
    played = play(HEADS_UP, shoe="9s 8s | Tc 8h", actions="1:stand")
    assert played.hands == ["1.1 9s 8s lose"]


def test_the_player_may_take_cards_one_at_a_time():
    """Seed 001: "he/she may ask the dealer for additional cards, one at a time" """
    played = play(HEADS_UP, shoe="2s 3s | Tc 7h | 4s 5s", actions="1:hit")
    assert (played.story[4:], played.question()) == (["1.1 gets 4s"], "1.1 hit stand")


@pytest.mark.parametrize(
    ("cards", "actions"),
    [("As Ks", ""), ("5s 6s", "1:hit")],
    ids=["21 with two cards", "hit 21 exactly"],
)
def test_the_player_is_asked_at_21_too(cards: str, actions: str):
    """Seed 001: "until the player either decides to stand on the total (if it is 21 or under)" """
    assert (
        play(HEADS_UP, shoe=f"{cards} | Tc 7h | Kd", actions=actions).question() == "1.1 hit stand"
    )


def test_a_bust_ends_the_game_and_the_dealer_takes_no_card():
    """Seed 001: "In the latter case, the player loses immediately and the game is OVER (i.e. the
    dealer need not play or take any cards)."
    """
    played = play(HEADS_UP, shoe="9s 8s | 2c 3h | 5s 4c", actions="1:hit")
    assert (played.story[4:], played.question()) == (
        ["1.1 gets 5s", "1.1 bust: 0 pays 0", "dealer turns over 2c"],
        "nobody",
    )


def test_a_bust_loses_against_any_hand():
    """Seed 001: "the player loses immediately" """
    played = play(HEADS_UP, shoe="9s 8s | Tc 6h | 5s Kh", actions="1:hit")
    assert (played.dealer, played.hands) == ("Tc 6h", ["1.1 9s 8s 5s bust"])


# Aces


def test_an_ace_counts_11_by_default():
    """Seed 001: "Aces are special in that they have a value of 11 by default unless that value
    would cause the player to bust (i.e. have a total greater than 21) in which case the Ace may
    count as just 1."
    """
    assert [Hand.parse(cards).total for cards in ("As 2s", "As 9s", "As Ks 9s")] == [13, 20, 20]


def test_an_ace_counts_either_11_or_1():
    """Seed 001: "In 21, ace cards can be counted as EITHER 11 or 1." """
    hands = [Hand.parse("As 6h"), Hand.parse("As 6h 5c")]
    assert [(hand.total, hand.hard_total) for hand in hands] == [(17, 7), (12, 12)]


@pytest.mark.parametrize("other", "A23456789TJQK")
def test_an_ace_with_another_card_is_a_soft_hand(other: str):
    """Seed 001: "The combination of an ace with another card is known as a "soft hand," because
    the player can count the ace as a 1 or 11, and either draw cards or not."
    """
    played = play(HEADS_UP, shoe=f"As {other}d | Tc 7h")
    hand = played.round.seats[1][0].hand
    assert (hand.is_soft, hand.total - hand.hard_total) == (True, 10)
    assert played.question() == "1.1 hit stand"


def test_a_soft_17_is_7_or_17():
    """Seed 001: "For example with a "soft 17" (e.g. an ace and a 6), the total is 7 or 17." """
    hand = play(HEADS_UP, shoe="As 6s | Tc 7h").round.seats[1][0].hand
    assert (hand.hard_total, hand.total, hand.is_soft) == (7, 17, True)


def test_the_player_may_draw_to_a_soft_17():
    """Seed 001: "While a count of 17 is a good hand, the player may wish to draw for a higher
    total."
    """
    played = play(HEADS_UP, shoe="As 6s | Tc 7h | 3s", actions="1:hit 1:stand")
    assert played.hands == ["1.1 As 6s 3s win"]


def test_the_ace_of_the_example_becomes_1_and_the_game_goes_on():
    """Seed 001: "If the player draws a card that causes a bust by counting the ace as an 11, the
    player is allowed to count the ace as a 1 instead and continue playing by standing or hitting
    (asking the dealer for additional cards, one at a time)." "Going back to our example, if the
    player hits and receives a 5 (e.g. their hand contains an ace, 6, and 5), the player can now
    let their Ace be a 1 for a total of 12 and continue gameplay."
    """
    played = play(HEADS_UP, shoe="As 6s | Tc 7h | 5s", actions="1:hit")
    hand = played.round.seats[1][0].hand
    assert (hand.total, hand.is_soft, played.question()) == (12, False, "1.1 hit stand")


def test_the_second_ace_of_the_example_counts_1_as_well():
    """Seed 001: "If the player were to hit and receive a second ace, then it too can count as a
    1."
    """
    played = play(HEADS_UP, shoe="As 6s | Tc 7h | 5s Ad", actions="1:hit 1:hit")
    hand = played.round.seats[1][0].hand
    assert (hand.total, hand.is_soft, played.question()) == (13, False, "1.1 hit stand")


@pytest.mark.parametrize(
    ("cards", "total"),
    [
        ("As 9s", 20),
        ("As Ks", 21),
        ("As 9s Ad", 21),
        ("As Ks Ad", 12),
        ("As Ks Qs", 21),
        ("As Ks Qs Ad", 22),
    ],
)
def test_an_ace_counts_what_brings_the_hand_closer_to_21(cards: str, total: int):
    """Seed 001: "Thus, any ACE can be counted as either 11 or 1, whichever helps make the sum total
    of the player's hand closer to 21 without going over." "In your code, you should count an ACE as
    11 unless doing so causes the sum to be over 21 in which case you can recalculate the sum,
    making the ACE worth 1."
    """
    assert Hand.parse(cards).total == total


@pytest.mark.parametrize(("aces", "total"), [("As Ad", 12), ("As Ad Ac", 13), ("As Ad Ac Ah", 14)])
def test_one_of_several_aces_counts_11_and_the_others_1(aces: str, total: int):
    """Seed 001: "Again, if there are 2 or more aces in a hand, one of them can count as 11 while
    the others can be counted as 1 each."
    """
    assert Hand.parse(aces).total == total


# The dealer


def test_the_dealer_turns_the_card_up_and_plays_when_the_player_did_not_bust():
    """Seed 001: "If the player did not "bust" the dealer now plays." "Her face-down card is turned
    up."
    """
    played = play(HEADS_UP, shoe="9s 9d | 5c 6h | 4c 3c", actions="1:stand")
    assert played.story[4:] == [
        "1.1 stands",
        "dealer turns over 5c",
        "dealer gets 4c",
        "dealer gets 3c",
        "1.1 push: 0 pays 0",
    ]


def test_the_dealers_card_is_face_down_until_the_player_is_done():
    """Seed 001: "Her face-down card is turned up." """
    hit = play(HEADS_UP, shoe="9s 8s | Ac Kh | 2s", actions="1:hit")
    stood = play(HEADS_UP, shoe="9s 8s | Ac Kh | 2s", actions="1:hit 1:stand")
    assert (hit.dealer, stood.dealer) == ("?? Kh", "Ac Kh")


@pytest.mark.parametrize("cards", ["Tc 7h", "9c 9h", "Kc Qh", "Ac Kh"])
def test_the_dealer_stands_on_17_or_more(cards: str):
    """Seed 001: "If the total is 17 or more, the dealer must stand." """
    assert play(HEADS_UP, shoe=f"9s 9d | {cards} | 2d", actions="1:stand").dealer == cards


@pytest.mark.parametrize(
    ("cards", "final"),
    [
        ("Tc 6h | Ad", "Tc 6h Ad"),
        ("2c 3h | 4c 5c 2d Ad", "2c 3h 4c 5c 2d Ad"),
        ("Ac 5h | Kd 2d", "Ac 5h Kd 2d"),
        ("7c 9h | Kd", "7c 9h Kd"),
    ],
    ids=["hard 16", "hard 5", "soft 16 that becomes hard 16", "a bust"],
)
def test_the_dealer_takes_cards_at_16_or_under_until_17(cards: str, final: str):
    """Seed 001: "If the total is 16 or under, the dealer must take a card." "She must continue to
    take cards until the total is 17 or more, at which point the dealer must stand."
    """
    assert play(HEADS_UP, shoe=f"9s 9d | {cards}", actions="1:stand").dealer == final


@pytest.mark.parametrize(
    ("cards", "final"),
    [("Ac 6h", "Ac 6h"), ("6c Ah", "6c Ah"), ("Ac 2h | 4d", "Ac 2h 4d"), ("9c Ah", "9c Ah")],
)
def test_the_dealer_counts_an_ace_as_11_and_stands_on_17_to_21(cards: str, final: str):
    """Seed 001: "If the dealer has an ace, and counting it as 11 would bring her total to 17 or
    more (but not over 21), she must count the ace as 11 and stand."
    """
    assert play(HEADS_UP, shoe=f"9s 9d | {cards} | 2d", actions="1:stand").dealer == final


def test_only_the_player_has_choices():
    """Seed 001: "The dealer's decisions, then, are automatic (prescribed) on all plays, whereas the
    player has always has choice, taking zero or more cards."
    """
    hit = play(HEADS_UP, shoe="2s 3s | 2c 3h | 4s", actions="1:hit")
    stood = play(HEADS_UP, shoe="2s 3s | Tc 3h | 4s 4h", actions="1:hit 1:stand")
    assert (hit.question(), stood.question(), stood.dealer) == (
        "1.1 hit stand",
        "nobody",
        "Tc 3h 4h",
    )


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
    assert play(HEADS_UP, shoe="8s 8d | Tc Ah").refusal(action) == code
