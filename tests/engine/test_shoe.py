"""The shoe deals its cards once each, in their order."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tables.engine.cards import DECK
from tables.engine.errors import CardError, RuleViolation
from tables.engine.shoe import Shoe


def test_a_stacked_shoe_deals_in_the_order_in_which_it_is_written():
    shoe = Shoe.parse("As Kd 9h")
    assert [str(shoe.draw()) for _ in range(3)] == ["As", "Kd", "9h"]


def test_a_shoe_counts_the_cards_that_are_left():
    shoe = Shoe.parse("As Kd 9h")
    shoe.draw()
    assert (shoe.left, shoe.dealt) == (2, 1)


def test_a_shoe_keeps_the_cards_that_are_dealt():
    shoe = Shoe.parse("As Kd")
    shoe.draw()
    assert shoe.cards == Shoe.parse("As Kd").cards


def test_an_empty_shoe_deals_nothing():
    shoe = Shoe.parse("As")
    shoe.draw()
    with pytest.raises(RuleViolation) as refusal:
        shoe.draw()
    assert (refusal.value.code, shoe) == ("shoe_exhausted", Shoe(shoe.cards, dealt=1))


def test_a_shoe_of_text_that_is_no_card_is_refused():
    with pytest.raises(CardError, match="'1s'"):
        Shoe.parse("As 1s")


@pytest.mark.parametrize("decks", [1, 2, 6])
def test_a_shuffled_shoe_holds_every_card_of_every_deck(decks: int):
    shoe = Shoe.shuffled(decks, Random(21))
    assert Counter(shoe.cards) == Counter(DECK * decks)


def test_a_shuffled_shoe_has_dealt_nothing():
    assert Shoe.shuffled(1, Random(21)).left == 52


def test_a_shoe_is_shuffled():
    assert Shoe.shuffled(1, Random(21)).cards != DECK


def test_a_shoe_is_shuffled_by_the_randomness_it_is_given():
    assert Shoe.shuffled(1, Random(21)) == Shoe.shuffled(1, Random(21))


def test_two_shoes_of_one_randomness_differ():
    random = Random(21)
    assert Shoe.shuffled(1, random) != Shoe.shuffled(1, random)
