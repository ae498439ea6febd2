"""The rules in words: for every way to play that is accepted, they say what the engine does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from tables.engine.actions import Action
from tables.engine.errors import OptionError
from tables.engine.hand import Hand
from tables.engine.options import customize
from tables.engine.player_hand import PlayerHand, Turn
from tables.engine.presets import PRESETS
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.texts.rules import build_page, felt_text

YES_OR_NO = (
    "hits_soft_17", "peek", "twenty_one_stands", "double_down", "double_after_split",
    "split_aces_once", "insurance", "surrender",
)  # fmt: skip
PLENTY = 10**9


def ways(key: str) -> Iterator[Ruleset]:
    """Every combination of options that is accepted, but for seats, limits and decks."""
    preset = PRESETS[key]
    pays = ["3:2", "6:5", "none"] if preset.stakes else ["none"]
    hands = [1, 2, 3, 4] if preset.stakes else [1]
    decks = {} if preset.has_piles else {"decks": 8}
    for values in product([False, True], repeat=len(YES_OR_NO)):
        for natural_pays, max_hands in product(pays, hands):
            options: dict[str, Any] = dict(zip(YES_OR_NO, values, strict=True)) | decks
            try:
                yield customize(
                    key, options | {"natural_pays": natural_pays, "max_hands": max_hands}
                )
            except OptionError:
                continue


def words(rules: Ruleset) -> str:
    page = build_page(rules)
    return " ".join(sentence for section in page.sections for sentence in section.sentences)


def round_with(rules: Ruleset, *hands: str, dealer: str = "7h Tc", split: bool = False) -> Round:
    """The first of these hands is asked."""
    played = [PlayerHand(Hand.parse(cards, from_split=split), 1000) for cards in hands]
    return Round(
        rules, Shoe.parse("2c 3c 4c 5c"), {1: played}, dealer=Hand.parse(dealer), turn=Turn(1, 1)
    )


def can(action: Action, round_: Round) -> bool:
    return round_.can(action, Turn(1, 1), PLENTY)


def differing(rules: Ruleset) -> Iterator[str]:
    """What is said otherwise than it is played, or twice and differently."""
    text = words(rules)
    hits = round_with(rules, "Ts 8s", dealer="As 6h").dealer_draws()
    if ("and on soft 17 the" in text) != hits or (
        "on soft 17 the" in text and "stands too" in text
    ) == hits:
        yield "soft 17"
    if ("with 17 or more the" in text) == hits:
        yield "17 or more"
    is_asked = round_with(rules, "7s 7d 7c").has_choice(PlayerHand(Hand.parse("7s 7d 7c"), 1000))
    if not rules.twenty_one_wins and ("A 21 stands automatically" in text) == is_asked:
        yield "21"
    is_natural_asked = round_with(rules, "As Kd").has_choice(PlayerHand(Hand.parse("As Kd"), 1000))
    if "A 21 does not stand" in text and not is_natural_asked:
        yield "a blackjack is not asked"
    yield from _differing_splits(rules, text)
    if can(Action.SURRENDER, round_with(rules, "9s 7d")) != ("Surrender:" in text):
        yield "surrender"
    if "Surrender:" in text and ("is over before that" in text) != rules.peek:
        yield "surrender and the dealer's check"
    if ("all players are offered insurance at the same time" in text) != rules.insurance:
        yield "insurance"
    if rules.insurance and "checks the face-down card" not in text:
        yield "insurance without the dealer's check"


def _differing_splits(rules: Ruleset, text: str) -> Iterator[str]:
    if can(Action.SPLIT, round_with(rules, "Ks Jd")) != ("Split:" in text):
        yield "split"
    if rules.max_hands > 1:
        aces = round_with(rules, "As Ad", "Ah 9d", split=True)
        eights = round_with(rules, "8s 8d", "8h 9d", split=True)
        if (
            not can(Action.SPLIT, aces)
            and can(Action.SPLIT, eights)
            and "You can split aces once" not in text
        ):
            yield "aces and three hands"
        if can(Action.SPLIT, eights) != ("You can split aces once" in text):
            yield "said of aces where nothing is split again"
        has_choice = aces.has_choice(aces.seats[1][0])
        if has_choice == ("Split aces get one card each and then stand" in text):
            yield "split aces"
        doubles = can(Action.DOUBLE_DOWN, eights)
        if doubles != ("of a split hand too" in text):
            yield "doubling split hands"
        if doubles and not has_choice and "unless it has a split ace" not in text:
            yield "doubling split aces"
        if can(Action.SURRENDER, eights):
            yield "surrender of a split hand"
    if can(Action.DOUBLE_DOWN, round_with(rules, "6s 5d")) != ("Double:" in text):
        yield "double"


@pytest.mark.parametrize("key", PRESETS)
def test_case_50_for_every_way_to_play_the_words_are_what_is_played(key: str) -> None:
    wrong, count = {}, 0
    for rules in ways(key):
        count += 1
        if differences := list(differing(rules)):
            wrong[build_page(rules).differences] = differences
    assert wrong == {}
    assert count >= {"casino": 1000, "vegas": 1000}.get(key, 2)


@pytest.mark.parametrize("key", PRESETS)
def test_no_sentence_is_there_twice_and_the_felt_says_the_same_of_soft_17(key: str) -> None:
    for rules in ways(key):
        for section in build_page(rules).sections:
            assert len(set(section.sentences)) == len(section.sentences)
        if "soft 17" in felt_text(rules).lower() or "all 17s" in felt_text(rules):
            assert ("all 17s" in felt_text(rules)) != rules.hits_soft_17


def test_bets_carry_the_sign_that_the_seed_writes() -> None:
    """Seed 003: "Minimum bet is $2 and maximum bet is $500"; seed 004: "£10"; the others write none."""
    assert "from $2 to $500." in words(PRESETS["pot"])
    assert "from £10 up to all you have." in words(PRESETS["casino"])
    assert "for every £10 you win £15." in words(PRESETS["casino"])
    others = [rules for key, rules in PRESETS.items() if key not in ("pot", "casino")]
    assert not any(sign in words(rules) for rules in others for sign in "$£")
