"""How many cards a round takes at most: worked out, and looked for in the worst orders."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from tables.engine.actions import Action
from tables.engine.cards import DECK, Card
from tables.engine.errors import OptionError, RuleViolation
from tables.engine.options import apply_stored, customize
from tables.engine.presets import PRESETS
from tables.engine.round import Round
from tables.engine.rules import Ruleset, count_worst_case_cards
from tables.engine.shoe import Shoe

GREEDY = (Action.DECLINE, Action.SPLIT, Action.HIT)
"""What takes the most cards."""


def combinations() -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything that bears on how many cards a round may take."""
    for key, seats, decks, hands, stands, soft, aces in product(
        PRESETS, (1, 2, 3), range(1, 9), (1, 2, 3, 4), *[(False, True)] * 3
    ):
        yield (
            key,
            {
                "seats": seats,
                "decks": decks,
                "max_hands": hands,
                "twenty_one_stands": stands,
                "hits_soft_17": soft,
                "split_aces_once": aces,
            },
        )


def accepted() -> Iterator[Ruleset]:
    for key, options in combinations():
        try:
            yield customize(key, options)
        except OptionError:
            continue


ACCEPTED = list(accepted())


def last_start(rules: Ruleset) -> int:
    """After how many cards the last round of a shoe may begin."""
    if rules.cut_position is None:
        return 0
    return min(rules.cut_position - 1, rules.cards - rules.most_cards_of_a_round)


def orders(rules: Ruleset, random: Random, number: int) -> Iterator[tuple[Card, ...]]:
    """Shoes with the smallest cards where the last round begins, in orders of all kinds."""
    cards = sorted(DECK * rules.decks, key=lambda card: 1 if card.rank == "A" else card.points)
    start = last_start(rules)
    small, rest = cards[: rules.cards - start], cards[rules.cards - start :]
    yield (*rest, *small)
    yield (*rest, *small[::-1])
    for _ in range(number):
        width = random.choice((2, 5, 12, 30, len(small)))
        mixed = sorted(range(len(small)), key=lambda place: place + random.random() * width)
        yield (*rest, *(small[place] for place in mixed))


def count_cards(rules: Ruleset, cards: tuple[Card, ...], start: int = 0) -> int:
    """A round of a full table that takes whatever it can. Raises ``shoe_exhausted``."""
    shoe = Shoe(cards, start)
    stake = rules.stakes.minimum if rules.stakes else 0
    round_, _ = Round.deal(rules, dict.fromkeys(range(1, rules.seats + 1), stake), shoe)
    while (turn := round_.turn) is not None:
        round_.act(next(a for a in GREEDY if round_.can(a, turn, 10**12)), turn, 10**12)
    return shoe.dealt - start


def ids(rules: Ruleset) -> str:
    return f"{rules.key}-{rules.seats}x{rules.max_hands}-{rules.decks}"


def test_case_49_no_accepted_table_of_few_hands_runs_out_of_cards() -> None:
    """In none of the worst orders that were found; those of more than seven hands are left out."""
    random, tried = Random(9), 0
    for rules in ACCEPTED:
        if rules.has_piles:
            continue
        hands = rules.seats * rules.max_hands
        worst = count_worst_case_cards(hands, rules.decks, stands=rules.twenty_one_stands)
        is_certain = worst <= rules.cards - last_start(rules)
        assert is_certain or (rules.cut_position is not None and hands > 6), ids(rules)
        for cards in orders(rules, random, 3):
            try:
                count = count_cards(rules, cards, last_start(rules))
            except RuleViolation:
                assert not is_certain, ids(rules)
            else:
                assert count <= worst, ids(rules)
                tried += 1
    assert tried > 2_000


@pytest.mark.parametrize("rules", [r for r in ACCEPTED if r.has_piles], ids=ids)
def test_a_game_of_piles_ends_with_its_deck(rules: Ruleset) -> None:
    for cards in orders(rules, Random(2), 20):
        for start in range(49):
            assert count_cards(rules, cards, start) <= 52 - start


@pytest.mark.parametrize(("seats", "hands"), [(1, 1), (2, 1), (3, 1), (1, 2)])
@pytest.mark.parametrize("decks", [1, 2])
def test_a_search_for_the_worst_order_comes_close_to_what_was_worked_out(
    seats: int, hands: int, decks: int
) -> None:
    rules = apply_stored("vegas", {"seats": seats, "max_hands": hands, "decks": decks})
    worst = count_worst_case_cards(seats * hands, decks, stands=True)
    small = sorted(DECK * decks, key=lambda card: 1 if card.rank == "A" else card.points)
    order, random, most = [*small[worst::-1], *small[worst + 1 :]], Random(4), 0
    for _ in range(4_000):
        tried = order[:]
        for _ in range(random.choice((1, 2, 3))):
            one, other = random.randrange(worst + 4), random.randrange(worst + 4)
            tried[one], tried[other] = tried[other], tried[one]
        count = count_cards(rules, tuple(tried))
        if count >= most:
            order, most = tried, count
    assert worst - 3 * seats * hands <= most <= worst, (most, worst)


def test_one_hand_at_one_deck_takes_more_cards_than_lie_behind_the_cut_card() -> None:
    """Such a table could be opened once, and then stood still."""
    options = {"seats": 1, "decks": 1, "max_hands": 1}
    with pytest.raises(OptionError):
        customize("vegas", options)
    rules = apply_stored("vegas", options)
    assert rules.cards - (rules.cut_position or 0) == 13
    most = max(
        count_cards(rules, cards[last_start(rules) :] + cards)
        for cards in orders(rules, Random(1), 200)
    )
    assert most > 13


def test_a_table_of_before_gets_its_next_shoe_in_time() -> None:
    """What is not accepted any more is played on, with fewer rounds from each shoe."""
    random = Random(5)
    for key, options in combinations():
        if key != "vegas" or options["seats"] * options["max_hands"] > 6:
            continue
        rules = apply_stored(key, options)
        if rules.cards < rules.most_cards_of_a_round:
            continue
        for cards in orders(rules, random, 1):
            count_cards(rules, cards, last_start(rules))
