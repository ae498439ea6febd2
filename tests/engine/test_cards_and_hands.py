"""Cards as text, what they are worth, and what a hand of them is worth."""

from __future__ import annotations

import pytest

from tables.engine.cards import DECK, Card, format_cards, parse_cards
from tables.engine.errors import CardError
from tables.engine.hand import Hand

# Cards


def test_the_deck_has_52_different_cards():
    """Seed 000: "Blackjack is played with a "deck" (pile) of 52 cards." """
    assert len(set(DECK)) == len(DECK) == 52


def test_the_deck_has_13_faces_in_each_of_4_suits():
    """Seed 000: "Each card has one of 4 possible "suits": spades, hearts, clubs, or diamonds."
    "Each card also has one of 13 possible "faces": ace (A), 2, 3, 4, 5, 6, 7, 8, 9, 10, jack (J),
    queen (Q), or king (K)."
    """
    assert {str(card) for card in DECK} == {
        face + suit for face in "A23456789TJQK" for suit in "shcd"
    }


@pytest.mark.parametrize(
    ("face", "points"),
    [*((str(number), number) for number in range(2, 10)), *((ten, 10) for ten in "TJQK")],
)
def test_a_numbered_card_counts_its_number_and_a_picture_10(face: str, points: int):
    """Seed 000: "Numbered cards are worth their number of points. Jacks, queens, and kings are
    all worth 10 points each."
    Seed 004: "Card values are as follows: Numbered cards take their shown value." "Picture cards
    (Jack, Queen, King) are worth 10."
    """
    assert Card.parse(f"{face}s").points == Card.parse(f"{face}s").hard_points == points


@pytest.mark.parametrize("face", "A23456789TJQK")
def test_the_suit_of_a_card_does_not_matter(face: str):
    """Seed 000: "The face of a card determines its numerical scoring value." """
    cards = [Card.parse(face + suit) for suit in "shdc"]
    assert len({(card.points, card.hard_points) for card in cards}) == 1


def test_an_ace_is_worth_11_or_1():
    """Seed 000: "Aces can be worth 1 point or 11 points, depending on the circumstances." """
    assert (Card.parse("Ah").points, Card.parse("Ah").hard_points) == (11, 1)


@pytest.mark.parametrize("card", DECK, ids=str)
def test_a_card_is_read_as_it_is_written(card: Card):
    assert Card.parse(str(card)) == card


def test_a_card_is_its_rank_and_suit():
    assert Card("9", "h") == Card.parse("9h") != Card.parse("9s")


@pytest.mark.parametrize(
    "text", ["", "A", "s", "sA", "AS", "as", "1s", "10s", "Xs", "Ax", "A s", " As", "Ass", "??"]
)
def test_text_that_is_no_card_is_refused_by_its_name(text: str):
    with pytest.raises(CardError, match="not a card: ") as error:
        Card.parse(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("rank", ["", "1", "10", "a", "23", "X"])
def test_a_card_of_no_rank_cannot_be_made(rank: str):
    with pytest.raises(CardError, match="no such rank"):
        Card(rank, "s")


@pytest.mark.parametrize("suit", ["", "S", "sh", "x"])
def test_a_card_of_no_suit_cannot_be_made(suit: str):
    with pytest.raises(CardError, match="no such suit"):
        Card("A", suit)


def test_a_card_error_is_a_value_error():
    assert issubclass(CardError, ValueError)


def test_cards_are_read_in_order_whatever_the_blanks():
    assert parse_cards("  As\tKd \n 9h ") == (Card("A", "s"), Card("K", "d"), Card("9", "h"))


def test_no_text_is_no_cards():
    assert parse_cards("") == ()


def test_one_bad_card_refuses_the_whole_text():
    with pytest.raises(CardError, match="'Zz'"):
        parse_cards("As Zz 9h")


def test_cards_are_written_with_single_blanks():
    assert format_cards(parse_cards("As  Kd   9h")) == "As Kd 9h"


# Totals


@pytest.mark.parametrize(
    ("cards", "total", "hard_total"),
    [
        ("", 0, 0),
        ("2s 3s", 5, 5),
        ("Ks Qs", 20, 20),
        ("Ts 9s 2s", 21, 21),
        ("Ks Qs 2s", 22, 22),
        ("As", 11, 1),
        ("As 6s", 17, 7),
        ("As 6s 5s", 12, 12),
        ("As 6s 5s Ad", 13, 13),
        ("As Ad", 12, 2),
        ("As Ad Ac Ah", 14, 4),
        ("As Ad 9s", 21, 11),
        ("As Ad Ts", 12, 12),
        ("As Ks", 21, 11),
        ("As Ks Qs", 21, 21),
        ("As Ks Qs Ad", 22, 22),
    ],
)
def test_a_hand_counts_one_ace_as_11_where_it_fits(cards: str, total: int, hard_total: int):
    """Seed 000: "1 or 11, whichever would bring the score of the player's hand closer to 21
    without exceeding it."
    """
    hand = Hand.parse(cards)
    assert (hand.total, hand.hard_total) == (total, hard_total)


def test_a_hand_is_its_cards_and_its_score_their_sum():
    """Seed 000: "A player's "hand" is the set of cards the player currently holds." "The score of
    the hand is the sum of the point values of its cards."
    """
    hand = Hand.parse("2s 7h Kd")
    assert (str(hand), hand.total, hand.with_card(Card.parse("2c")).total) == ("2s 7h Kd", 19, 21)


@pytest.mark.parametrize("cards", ["As", "As 6s", "As Ad", "As Ad 9s", "5s 5d As", "As Ks"])
def test_a_hand_with_an_ace_that_counts_11_is_soft(cards: str):
    assert Hand.parse(cards).is_soft is True


@pytest.mark.parametrize("cards", ["", "Ks 7s", "As 6s 5s", "As Ad Ts", "As Ks Qs"])
def test_any_other_hand_is_hard(cards: str):
    assert Hand.parse(cards).is_soft is False


@pytest.mark.parametrize("cards", ["Ks Qs 2s", "As Ks Qs Ad", "Ks Qs Js"])
def test_a_hand_over_21_is_bust(cards: str):
    """Seed 000: "without going over 21 ("busting")" """
    assert Hand.parse(cards).is_bust is True


@pytest.mark.parametrize("cards", ["", "Ks Qs Ad", "As Ad Ks 9s", "Ts 9s 2s"])
def test_a_hand_of_21_or_less_is_not_bust(cards: str):
    assert Hand.parse(cards).is_bust is False


# Naturals


@pytest.mark.parametrize("cards", ["As Ts", "Js Ad", "As Qs", "Kh Ac"])
def test_21_with_two_cards_is_a_natural(cards: str):
    """Seed 004: "If the player has a total of 21 with two cards they have "blackjack"." """
    assert Hand.parse(cards).is_natural is True


@pytest.mark.parametrize("cards", ["As 9s", "Ks Qs", "As Ad", "5s 6s Ks", "As Ad 9s", "As Ks Qs"])
def test_anything_else_is_not_a_natural(cards: str):
    assert Hand.parse(cards).is_natural is False


def test_a_split_hand_is_never_a_natural():
    assert Hand.parse("As Ks", from_split=True).is_natural is False


# Hands as values


def test_a_hand_with_a_card_more_is_another_hand():
    hand = Hand.parse("As 6h")
    assert (str(hand.with_card(Card.parse("5c"))), str(hand)) == ("As 6h 5c", "As 6h")


def test_a_split_hand_stays_one_with_a_card_more():
    assert Hand.parse("As", from_split=True).with_card(Card.parse("Kc")).from_split is True


def test_a_hand_that_was_dealt_stays_one_with_a_card_more():
    assert Hand.parse("As").with_card(Card.parse("Kc")).is_natural is True


@pytest.mark.parametrize(
    ("value", "name"), [(Card("A", "s"), "rank"), (Hand.parse("As"), "cards")], ids=str
)
def test_cards_and_hands_cannot_be_changed(value: Card | Hand, name: str):
    with pytest.raises(AttributeError):
        setattr(value, name, "K")


def test_cards_and_hands_can_be_counted_and_looked_up():
    assert {Card("A", "s"): 1, Hand.parse("As"): 2} == {Hand.parse("As"): 2, Card("A", "s"): 1}
