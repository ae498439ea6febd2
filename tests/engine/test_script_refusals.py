"""What a script is refused for, and that nothing whatever makes it stumble."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.actions import Action
from tables.engine.cards import DECK
from tables.engine.presets import PRESETS
from tables.engine.scripted_rounds import ScriptError
from tests.engine.random_rounds import quick
from tests.engine.scripted import play_script

SHOE = "8s 7h 8d Tc 2c 3c 4c 5c 6c 9c Ts Jc"
NO_AMOUNTS = "| |10.50|-10|+10|1e3|ten|10,|,10|10;20| 10|10 |0x10|1_0|١٠|²|10\n|10,20|NaN"
NO_ACTIONS = """
    hit :hit 1: : 1.:hit .1:hit 1.1.1:hit 1-1:hit a:hit -1:hit 1:HIT 1:Hit 1:fold 1:double_down
    1:hit,1:stand 1;hit 1::hit 1:hit: ١:hit 1²:hit 100:hit 1.100:hit 1:hït
"""


def refusal(rules: str, shoe: str, actions: str = "", **options: Any) -> tuple[str, int | None]:
    """The code of the error and the action at which it came."""
    with pytest.raises(ScriptError) as error:
        play_script(rules, shoe, actions, **options)
    assert error.value.message.endswith(".")
    return error.value.code, error.value.at


# Before the first card


@pytest.mark.parametrize("rules", ["", "Casino", "casino ", "blackjack", "CASINO", "\0", "кости"])
def test_rules_that_do_not_exist_are_refused(rules: str):
    assert refusal(rules, "8s 7h 8d Tc") == ("no_such_rules", None)


@pytest.mark.parametrize(
    ("rules", "seats"),
    [(key, seats) for key, preset in PRESETS.items() for seats in (-1, 0, preset.seats + 1, 10**9)],
)
def test_seats_that_the_table_has_not_are_refused(rules: str, seats: int):
    assert refusal(rules, "8s 7h 8d Tc", seats=seats) == ("no_such_seat", None)


@pytest.mark.parametrize("rounds", [0, -1, -(10**9)])
def test_no_rounds_at_all_are_refused(rounds: int):
    assert refusal("classic", "8s 7h 8d Tc", rounds=rounds) == ("bad_rounds", None)


@pytest.mark.parametrize(
    ("rules", "stakes"),
    [
        ("pot", "1"),
        ("pot", "501"),
        ("casino", "9"),
        ("casino", "0"),
        ("vegas", "4"),
        ("vegas", "1001"),
        ("classic", "1"),
        ("heads-up", "10"),
        ("piles", "1"),
    ],
)
def test_a_stake_out_of_bounds_is_refused(rules: str, stakes: str):
    assert refusal(rules, "8s 7h 8d Tc", stakes=stakes) == ("bad_bet", None)


@pytest.mark.parametrize(
    "stakes",
    [
        *NO_AMOUNTS.split("|"),
        "1" * 13,
        "9" * 5000,
    ],
)
def test_a_stake_that_is_no_whole_amount_for_each_seat_is_refused(stakes: str):
    assert refusal("casino", "8s 7h 8d Tc", stakes=stakes) == ("bad_bet", None)


@pytest.mark.parametrize("stakes", ["10", "10,10", "10,10,10,10"])
def test_as_many_stakes_are_given_as_seats(stakes: str):
    assert refusal("casino", SHOE, seats=3, stakes=stakes) == ("bad_bet", None)


@pytest.mark.parametrize(
    "card", ["1s", "10s", "AS", "as", "Xh", "A", "s", "??", "As,Kd", "A♠", "AsKd", "-", "\ud800"]
)
def test_a_card_that_is_none_is_refused(card: str):
    assert refusal("vegas", f"8s 7h {card} Tc") == ("bad_card", None)


@pytest.mark.parametrize("rules", [key for key, preset in PRESETS.items() if preset.decks == 1])
def test_a_card_that_one_deck_has_not_twice_is_refused(rules: str):
    assert refusal(rules, "8s 7h 8d Tc 2c 3c 8s") == ("duplicate_card", None)


def test_six_decks_have_a_card_six_times_and_not_seven():
    assert play_script("vegas", "9s 7h 9s Tc" + " 9s" * 4)["rules"] == "vegas"
    assert refusal("vegas", "9s 7h 9s Tc" + " 9s" * 5) == ("duplicate_card", None)


@pytest.mark.parametrize("rules", [key for key in PRESETS if key != "piles"])
@pytest.mark.parametrize("shoe", ["", "8s", "8s 7h 8d"])
def test_a_shoe_that_is_too_short_for_a_deal_is_refused(rules: str, shoe: str):
    assert refusal(rules, shoe) == ("shoe_exhausted", None)


def test_a_shoe_that_is_too_short_for_the_next_round_is_refused():
    assert refusal("classic", "8s 9d Tc 7h 2c 3c 4c", "1:stand", rounds=2) == (
        "shoe_exhausted",
        None,
    )


# Actions


@pytest.mark.parametrize(
    ("rules", "shoe", "actions", "code", "at"),
    [
        ("classic", SHOE, "1:double", "cannot_double", 0),
        ("heads-up", SHOE, "1:hit 1:split", "cannot_split", 1),
        ("pot", SHOE, "1:surrender", "cannot_surrender", 0),
        ("piles", SHOE, "1:insure", "cannot_insure", 0),
        ("casino", SHOE, "1:decline", "cannot_insure", 0),
        ("casino", SHOE, "1:hit 1:double", "cannot_double", 1),
        ("casino", SHOE, "1:split 1.2:hit", "not_your_turn", 1),
        ("casino", SHOE, "1:split 1.3:hit", "not_your_turn", 1),
        ("casino", SHOE, "2:hit", "not_your_turn", 0),
        ("casino", SHOE, "0:hit", "not_your_turn", 0),
        ("casino", SHOE, "1.0:hit", "not_your_turn", 0),
        ("casino", SHOE, "99.99:hit", "not_your_turn", 0),
        ("casino", SHOE, "1:stand 1:hit", "round_over", 1),
        ("casino", SHOE, "1:stand 1:nonsense", "round_over", 1),
        ("casino", "As 7h Ks Tc", "1:hit", "round_over", 0),
        ("vegas", "8s Ah 8d 5c", "1:hit", "insurance_first", 0),
        ("vegas", "8s Ah 8d 5c", "1:decline 1:insure", "cannot_insure", 1),
        ("vegas", "8s 9s Ah 8d 9d 5c", "2:insure", "not_your_turn", 0),
        ("classic", "8s 9d Tc 7h", "1:hit", "shoe_exhausted", 0),
        ("classic", "2s 3d Tc 2h 4c", "1:hit 1:stand", "shoe_exhausted", 1),
        ("casino", "8s 7h 8d Tc 2c", "1:split", "shoe_exhausted", 0),
        ("piles", "2s 3s 4s 5s", "1:hit", "round_over", 0),
        ("piles", "9s 8s 7h 6h", "1:stand", "round_over", 0),
    ],
)
def test_an_action_that_is_illegal_is_refused_at_its_place(
    rules: str, shoe: str, actions: str, code: str, at: int
):
    seats = 2 if "2:insure" in actions else 1
    assert refusal(rules, shoe, actions, seats=seats) == (code, at)


def test_actions_are_counted_through_all_rounds():
    shoe = "Ts 9s 9d 8d | Tc 9c 9h 8h"
    assert refusal("classic", shoe, "1:stand 1:split", rounds=2) == ("cannot_split", 1)


@pytest.mark.parametrize(
    "action",
    [
        *NO_ACTIONS.split(),
        *("\0", "\ud800", "1" * 5000 + ":hit"),
    ],
)
def test_text_that_is_no_action_is_refused(action: str):
    assert refusal("casino", SHOE, f"1:hit {action}") == ("bad_action", 1)


@pytest.mark.parametrize("blanks", ["  1:hit   1:stand ", "1:hit\t1:stand\n", "\n1:hit\n\n1:stand"])
def test_blanks_between_actions_do_not_matter(blanks: str):
    assert play_script("classic", SHOE, blanks) == play_script("classic", SHOE, "1:hit 1:stand")


# Whatever is written


some_cards = st.lists(st.sampled_from([*map(str, DECK), "1s", "??", "as"]), max_size=20)
some_actions = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.builds(
            "{}{}:{}".format,
            st.integers(0, 4),
            st.sampled_from(["", ".1", ".2", ".5"]),
            st.sampled_from([*map(str, Action), "fold"]),
        ),
    ),
    max_size=8,
)


@quick
@given(
    rules=st.sampled_from([*PRESETS, "none"]),
    cards=st.one_of(some_cards, st.permutations(list(map(str, DECK)))),
    actions=some_actions,
    seats=st.integers(-1, 5),
    stakes=st.one_of(st.none(), st.text(max_size=8), st.sampled_from(["10", "10,20", "5,5,5"])),
    rounds=st.integers(-1, 40),
)
def test_a_script_is_played_or_refused_with_a_code(
    rules: str,
    cards: list[str],
    actions: list[str],
    seats: int,
    stakes: str | None,
    rounds: int,
):
    try:
        played = play_script(
            rules, " ".join(cards), " ".join(actions), seats=seats, stakes=stakes, rounds=rounds
        )
    except ScriptError as error:
        shape = (re.fullmatch("[a-z_]+", error.code), error.at is None or error.at >= 0)
        assert all(shape)
    else:
        assert set(played) == {"rules", "rounds", "piles"}
