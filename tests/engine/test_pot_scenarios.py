"""Seed 003, sentence by sentence: a bet into a pot that the dealer matches, and ties are his.

The shoe is dealt as both cards of every seat in turn, then the dealer's up card and down card.
A payout of twice the stake is the whole pot: the player's bet and the dealer's.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from tables.engine.errors import RuleViolation
from tables.engine.hand import Hand
from tables.engine.presets import POT
from tables.engine.round import Round
from tables.engine.shoe import Shoe
from tests.engine.scenario import play

# The bet


def test_a_bet_is_placed_before_the_cards():
    """Seed 003: "Before the cards are dealt, each player places a bet." """
    shoe = Shoe.parse("9s 8s 7h Tc")
    with pytest.raises(RuleViolation) as refusal:
        Round.deal(POT, {1: 0}, shoe)
    assert (refusal.value.code, shoe.dealt) == ("bad_bet", 0)


def test_each_player_bets_for_himself():
    """Seed 003: "Before the cards are dealt, each player places a bet." """
    played = play(POT, stakes={1: 200, 3: 50_000}, shoe="9s 8s | 9d 8d | 7h Tc")
    assert played.hands == ["1.1 9s 8s open 200", "3.1 9d 8d open 50000"]


@pytest.mark.parametrize(
    ("stake", "is_dealt"),
    [(100, False), (199, False), (200, True), (50_000, True), (50_001, False), (50_100, False)],
)
def test_a_bet_is_2_to_500(stake: int, is_dealt: bool):
    """Seed 003: "Minimum bet is $2 and maximum bet is $500" """
    shoe = Shoe.parse("9s 8s 7h Tc")
    with suppress(RuleViolation):
        Round.deal(POT, {1: stake}, shoe)
    assert (shoe.dealt == 4) is is_dealt


def test_the_dealers_account_matches_the_bet_into_the_pot():
    """Seed 003: "Subtract wager amount from player and computer accounts" """
    assert POT.is_matched is True


def test_the_winner_takes_the_pot_of_both():
    """Seed 003: "Put wager amounts in the pot" """
    played = play(POT, stakes={1: 700}, shoe="Ts 9s | Th 8c", actions="1:stand")
    assert played.hands == ["1.1 Ts 9s win 700 -> 1400"]


# The deal


def test_a_deck_is_shuffled_before_every_round():
    """Seed 003: "Shuffle deck" """
    assert (POT.keeps_its_shoe, POT.cards) == (False, 52)
    assert Shoe.shuffled(POT.decks, Random(1)).cards != Shoe.shuffled(POT.decks, Random(2)).cards


def test_the_player_gets_two_cards_and_sees_one_of_the_dealers():
    """Seed 003: "Deal 2 cards to the player" "Show faceup computer card" """
    played = play(POT, shoe="9s 8s | 7h Tc")
    assert (played.story, played.dealer) == (
        ["1.1 gets 9s", "1.1 gets 8s", "dealer gets 7h", "dealer gets ??"],
        "7h ??",
    )


def test_every_player_is_dealt_to_before_the_dealer():
    played = play(POT, stakes={2: 200, 1: 300}, shoe="9s 8s | 5d 4d | 7h Tc")
    assert played.story == [
        "1.1 gets 9s",
        "1.1 gets 8s",
        "2.1 gets 5d",
        "2.1 gets 4d",
        "dealer gets 7h",
        "dealer gets ??",
    ]


# What the cards are worth


@pytest.mark.parametrize(
    ("cards", "total"), [("2s 9s", 11), ("7s Ts", 17), ("Js Qs", 20), ("Ks 3s", 13)]
)
def test_face_cards_are_10_and_others_their_own_value(cards: str, total: int):
    """Seed 003: "Face cards are 10 and any other card is its own value." """
    assert Hand.parse(cards).total == total


@pytest.mark.parametrize(
    ("cards", "one", "best"),
    [("As 6s", 7, 17), ("As 9s Ad", 11, 21), ("As 6s 5s", 12, 12), ("As Ks", 11, 21)],
)
def test_an_ace_counts_as_the_player_would_decide(cards: str, one: int, best: int):
    """Seed 003: "Ace is worth 1 or 11, individual player decides." """
    hand = Hand.parse(cards)
    assert (hand.hard_total, hand.total) == (one, best)


# Stand or hit


def test_the_player_decides_between_stand_and_hit():
    """Seed 003: "After cards are dealt, player must decide whether to "stand" (not ask for another
    card) or "hit" (ask for another card to get closer to a count of 21)."
    """
    assert play(POT, shoe="9s 8s | 7h Tc").question() == "1.1 hit stand"


def test_the_player_is_asked_until_he_stands():
    """Seed 003: "Prompt player to enter 'stand' or 'hit' in a loop until stand is entered or player
    busts" "If hit: give player new card"
    """
    played = play(POT, shoe="2s 3s | 7h Tc | 4s 5s", actions="1:hit 1:hit")
    assert (played.story[4:], played.question()) == (
        ["1.1 gets 4s", "1.1 gets 5s"],
        "1.1 hit stand",
    )


@pytest.mark.parametrize(
    ("cards", "actions"), [("As Ks", ""), ("5s 6s", "1:hit")], ids=["two cards", "three cards"]
)
def test_a_21_is_asked_as_well(cards: str, actions: str):
    """Seed 003: "Player may stand on the two cards originally dealt, or ask the dealer for
    additional cards, one at a time, until he/she decides to stand on the total (if it's 21 or
    under) of goes bust (if it is over 21)."
    """
    assert play(POT, shoe=f"{cards} | Th 7c | Kd", actions=actions).question() == "1.1 hit stand"


def test_the_dealer_collects_the_bet_of_a_bust():
    """Seed 003: "If a player goes bust, the dealer collects the bet wagered" """
    played = play(POT, shoe="9s 8s | 2h 3c | 5s 4c", actions="1:hit")
    assert played.story[4:] == ["1.1 gets 5s", "1.1 bust: 1500 pays 0", "dealer turns over 3c"]


def test_a_bust_stays_lost_when_the_dealer_busts_as_well():
    """Seed 003: "If a player goes bust, the dealer collects the bet wagered" """
    played = play(
        POT,
        stakes={1: 200, 2: 300},
        shoe="9s 8s | 2d 3d | Th 6c | 5s Kh",
        actions="1:hit 2:stand",
    )
    assert played.hands == ["1.1 9s 8s 5s bust 200 -> 0", "2.1 2d 3d win 300 -> 600"]


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
def test_nothing_can_be_added_to_the_pot_and_nothing_taken_back(action: str, code: str):
    assert play(POT, shoe="8s 8d | Ah 7c").refusal(action) == code


# The dealer


def test_the_dealer_turns_his_card_up_when_he_has_served_every_player():
    """Seed 003: "When the dealer has served every player, his face-down card is turned up." """
    deal = {"stakes": {1: 200, 2: 200}, "shoe": "9s 8s | 9d 8d | 7h Tc"}
    stood = play(POT, **deal, actions="1:stand")
    served = play(POT, **deal, actions="1:stand 2:stand")
    assert (stood.dealer, served.dealer) == ("7h ??", "7h Tc")


def test_a_stand_makes_the_dealer_show_the_second_card():
    """Seed 003: "If stand: computer shows second card" """
    assert play(POT, shoe="9s 8s | 7h Tc", actions="1:stand").story[4:6] == [
        "1.1 stands",
        "dealer turns over Tc",
    ]


@pytest.mark.parametrize("dealer", ["Kh Ac", "Ah Kc"])
def test_the_dealer_does_not_look_at_the_card_before(dealer: str):
    """Seed 003: "When the dealer has served every player, his face-down card is turned up." """
    played = play(POT, shoe=f"9s 8s | {dealer}")
    assert (played.story[4:], played.question()) == ([], "1.1 hit stand")


@pytest.mark.parametrize("cards", ["Th 7c", "9h 9c", "Kh Qc", "Ah Kc"])
def test_the_dealer_stands_on_17_or_more(cards: str):
    """Seed 003: "If the total is 17 or more, he must stand." """
    assert play(POT, shoe=f"9s 9d | {cards} | 2d", actions="1:stand").dealer == cards


@pytest.mark.parametrize(
    ("cards", "final"),
    [
        ("Th 6c | Ad", "Th 6c Ad"),
        ("2h 3c | 4c 5c 2d Ad", "2h 3c 4c 5c 2d Ad"),
        ("Ah 5c | Kd 2d", "Ah 5c Kd 2d"),
        ("7h 9c | Kd", "7h 9c Kd"),
    ],
    ids=["hard 16", "hard 5", "soft 16 that becomes hard 16", "a bust"],
)
def test_the_dealer_takes_cards_at_16_or_under_until_17(cards: str, final: str):
    """Seed 003: "If the total is 16 or under, he must take a card." "He must continue to take cards
    until the total is 17 or more, at which point the dealer must stand."
    """
    assert play(POT, shoe=f"9s 9d | {cards}", actions="1:stand").dealer == final


def test_every_card_of_the_dealer_is_shown():
    """Seed 003: "While dealer's cards are less than 17, the computer gets new card and shows it"
    each time.
    """
    assert play(POT, shoe="9s 9d | 6h 5c | 2c 3c 4c", actions="1:stand").story[5:9] == [
        "dealer turns over 5c",
        "dealer gets 2c",
        "dealer gets 3c",
        "dealer gets 4c",
    ]


@pytest.mark.parametrize("cards", ["Ah 6c", "6h Ac", "Ah 9c"])
def test_the_dealer_counts_an_ace_as_11_and_stands_on_17_to_21(cards: str):
    """Seed 003: "If the dealer has an ace, and counting it as 11 would bring his total to 17 or
    more (but not over 21), he must count the ace as 11 and stand."
    """
    assert play(POT, shoe=f"9s 9d | {cards} | 2d", actions="1:stand").dealer == cards


def test_only_the_player_has_choices():
    """Seed 003: "The dealer's decisions, then, are automatic on all plays, whereas the player
    always has the option of taking one or more cards."
    """
    hit = play(POT, shoe="Ts 9s | 2h 3c | Ad", actions="1:hit")
    stood = play(POT, shoe="Ts 9s | 2h 3c | Ad Kc 4c", actions="1:hit 1:stand")
    assert (hit.question(), stood.question(), stood.dealer) == (
        "1.1 hit stand",
        "nobody",
        "2h 3c Kc 4c",
    )


# The end


@pytest.mark.parametrize(
    ("player", "dealer", "ending"),
    [
        ("Ts 9s", "Th 8c", "win 1500 -> 3000"),
        ("Ts 8s", "Th 9c", "lose 1500 -> 0"),
        ("2s 3s", "Th 6c Kh", "win 1500 -> 3000"),
        ("As Ks", "Th 9c", "win 1500 -> 3000"),
    ],
    ids=["higher", "lower", "the dealer busts", "a blackjack is just 21"],
)
def test_the_hand_closer_to_21_wins(player: str, dealer: str, ending: str):
    """Seed 003: "Each participant attempts to beat the dealer by getting a count as close to 21 as
    possible, without going over 21." "Player and computer compare hands" "hand with higher number
    wins"
    """
    played = play(POT, shoe=f"{player} | {dealer}", actions="1:stand")
    assert played.hands == [f"1.1 {player} {ending}"]


@pytest.mark.parametrize(
    ("player", "dealer"),
    [("Ts 8s", "9h 9c"), ("As Ks", "Ah Kc"), ("As Ks", "7h 4c Td"), ("As 7s", "Th 8c")],
)
def test_the_dealer_wins_a_tie(player: str, dealer: str):
    """Seed 003: "if tie then dealer wins" """
    played = play(POT, shoe=f"{player} | {dealer}", actions="1:stand")
    assert (played.dealer, played.hands) == (dealer, [f"1.1 {player} lose 1500 -> 0"])


def test_every_player_plays_for_his_own_pot():
    played = play(
        POT,
        stakes={1: 200, 2: 300, 3: 400},
        shoe="Ts 9s | Td 7d | Tc 8c | Th 8h",
        actions="1:stand 2:stand 3:stand",
    )
    assert played.hands == [
        "1.1 Ts 9s win 200 -> 400",
        "2.1 Td 7d lose 300 -> 0",
        "3.1 Tc 8c lose 400 -> 0",
    ]
