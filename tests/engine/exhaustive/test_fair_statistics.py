"""Every order is equally likely: the shuffle stands tests in which wrong shuffles are found out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations

import pytest

from tables.engine.cards import DECK, Card
from tables.engine.provably_fair import shuffle as provably_fair_shuffle
from tests.engine.statistics_of_shuffles import (
    IMPROBABLE,
    is_within,
    p_of_places,
    p_value,
    sum_of_squares,
)

SHUFFLES = 10_000
NUMBER_OF = {card: number for number, card in enumerate(DECK)}

Shuffle = Callable[[list[Card], Iterator[int]], list[Card]]


def orders(shuffle: Shuffle, cards: int, number: int) -> Iterator[list[int]]:
    """Shuffled cards as numbers, every shuffle with a secret of its own."""
    for shoe in range(number):
        stream = provably_fair_shuffle.generate_numbers(shoe.to_bytes(32, "big"), "statistics", [])
        yield [NUMBER_OF[card] for card in shuffle(list(DECK[:cards]), stream)]


# Three ways that look like a shuffle


def swap_with_any(cards: list[Card], stream: Iterator[int]) -> list[Card]:
    """Every card changes places with any other: 52 to the 52nd ways do not divide by 52!."""
    for place in range(len(cards)):
        other = next(stream) % len(cards)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def off_by_one(cards: list[Card], stream: Iterator[int]) -> list[Card]:
    """No card may stay where it is: only the orders of one cycle come."""
    for last in range(len(cards) - 1, 0, -1):
        place = next(stream) % last
        cards[last], cards[place] = cards[place], cards[last]
    return cards


def byte_modulo(cards: list[Card], stream: Iterator[int]) -> list[Card]:
    """A byte is too small a number: 256 divides by few numbers of places."""
    for last in range(len(cards) - 1, 0, -1):
        place = next(stream) % 256 % (last + 1)
        cards[last], cards[place] = cards[place], cards[last]
    return cards


WRONG = pytest.mark.parametrize(
    "shuffle", [swap_with_any, off_by_one, byte_modulo], ids=lambda shuffle: shuffle.__name__
)


# Every card in every place


def test_every_card_lies_in_every_place_equally_often():
    """And not so equally that it is too good to be true."""
    assert (
        IMPROBABLE
        < p_of_places(orders(provably_fair_shuffle.shuffle, 52, SHUFFLES), 52)
        < 1 - IMPROBABLE
    )


@WRONG
def test_a_wrong_shuffle_is_found_out_by_its_places(shuffle: Shuffle):
    assert p_of_places(orders(shuffle, 52, SHUFFLES), 52) < IMPROBABLE


# Every order of a few cards


def p_of_orders(shuffle: Shuffle, number: int) -> float:
    """The chance that the 120 orders of five cards come as unevenly as they did."""
    by_order = Counter(map(tuple, orders(shuffle, 5, number)))
    counts = [by_order[order] for order in permutations(range(5))]
    assert sum(counts) == number
    return p_value(sum_of_squares(counts, number / 120), 119)


def test_every_order_of_five_cards_comes_equally_often():
    assert IMPROBABLE < p_of_orders(provably_fair_shuffle.shuffle, 24_000) < 1 - IMPROBABLE


@pytest.mark.parametrize("shuffle", [swap_with_any, off_by_one], ids=lambda s: s.__name__)
def test_a_wrong_shuffle_is_found_out_by_its_orders(shuffle: Shuffle):
    assert p_of_orders(shuffle, 24_000) < IMPROBABLE


# Naturals


@pytest.mark.parametrize(
    ("decks", "shoes", "percent"), [(1, 10_000, 4.827), (6, 3000, 4.749)], ids=["one", "six"]
)
def test_the_first_two_cards_are_a_natural_as_often_as_computed(
    decks: int, shoes: int, percent: float
):
    """Two times the aces times the ten-value cards, over all ordered pairs."""
    aces, tens, cards = 4 * decks, 16 * decks, 52 * decks
    probability = 2 * aces * tens / (cards * (cards - 1))
    assert round(100 * probability, 3) == percent
    naturals = 0
    for shoe in range(shoes):
        first, second, *_ = provably_fair_shuffle.shuffle_shoe(
            shoe.to_bytes(32, "big"), "naturals", [], decks
        )
        naturals += first.points + second.points == 21
    assert is_within(naturals, shoes, probability)


# The test itself


@pytest.mark.parametrize(
    ("chi_square", "degrees", "p"),
    [(67.505, 50, 0.05), (76.154, 50, 0.01), (124.342, 100, 0.05), (149.449, 100, 0.001)],
)
def test_the_chance_of_a_sum_of_squares_is_that_of_the_tables(
    chi_square: float, degrees: int, p: float
):
    assert p_value(chi_square, degrees) == pytest.approx(p, rel=0.02)


def test_the_first_card_cannot_be_told_from_the_players_words():
    """Whoever knows a good secret for one player's words knows nothing for other words."""
    first = Counter(
        provably_fair_shuffle.shuffle_shoe(bytes(32), "words", [(1, f"word {number}")], 1)[0]
        for number in range(2600)
    )
    assert p_value(sum_of_squares((first[card] for card in DECK), 50), 51) > IMPROBABLE
