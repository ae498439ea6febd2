"""How a script is read: seats, stakes, rounds from one shoe, and the score of piles."""

from __future__ import annotations

import pytest

from tables.engine.presets import PRESETS
from tests.engine.scripted import play_script

# Seats, stakes and rounds


@pytest.mark.parametrize(
    ("rules", "smallest"),
    [("classic", 0), ("heads-up", 0), ("piles", 0), ("pot", 200), ("casino", 1000), ("vegas", 500)],
)
def test_without_stakes_the_smallest_is_staked(rules: str, smallest: int):
    (seat,) = play_script(rules, "9s 8s 7h 6h 2s 3s")["rounds"][0]["seats"]
    assert (seat["seat"], seat["hands"][0]["stake"]) == (1, smallest)


@pytest.mark.parametrize("rules", [key for key, preset in PRESETS.items() if preset.seats == 3])
def test_three_seats_are_dealt_in_order(rules: str):
    (round_,) = play_script(rules, "2s 3s 4s 5s 6s 7s 8s 9s", seats=3)["rounds"]
    assert [seat["seat"] for seat in round_["seats"]] == [1, 2, 3]


def test_every_seat_has_its_own_stake():
    (round_,) = play_script("pot", "2s 3s 4s 5s 6s 7s 8s 9s", seats=3, stakes="2,500,30")["rounds"]
    assert [seat["hands"][0]["stake"] for seat in round_["seats"]] == [200, 50_000, 3000]


def test_nothing_may_be_staked_by_saying_so():
    (round_,) = play_script("classic", "2s 3s 4s 5s", stakes="0")["rounds"]
    assert round_["seats"][0]["hands"][0]["stake"] == 0


def test_no_stake_is_too_large_to_be_doubled_and_split():
    """What a player can afford is no question of a script."""
    (round_,) = play_script("casino", "8s 7h | 8d Tc", stakes="999999999999")["rounds"]
    assert round_["turn"]["legal"] == ["hit", "stand", "double", "split"]


@pytest.mark.parametrize("rules", [key for key in PRESETS if key != "piles"])
def test_further_rounds_go_on_from_the_same_shoe(rules: str):
    shoe = "Ts 9s 9d 8d | Tc 9c 9h 8h"
    played = play_script(rules, shoe, "1:stand 1:stand", rounds=2)
    cards = [round_["seats"][0]["hands"][0]["cards"] for round_ in played["rounds"]]
    at_a_casino = rules in ("casino", "vegas")
    assert cards == (["Ts 9d", "Tc 9h"] if at_a_casino else ["Ts 9s", "Tc 9c"])


def test_no_round_is_begun_after_one_that_waits():
    played = play_script("classic", "Ts 9s 9d 8d | Tc 9c 9h 8h", rounds=2)
    assert [round_["finished"] for round_ in played["rounds"]] == [False]


def test_a_round_that_nobody_is_asked_in_needs_no_action():
    played = play_script("casino", "As 7h | Ks Tc | 9s 7d | 8d Td", rounds=2)
    assert [round_["finished"] for round_ in played["rounds"]] == [True, False]


def test_cards_that_are_left_over_do_not_matter():
    assert (
        play_script("classic", "9s 8s Tc 7h 2d 3d")["rounds"]
        == play_script("classic", "9s 8s Tc 7h")["rounds"]
    )


@pytest.mark.parametrize("action", ["1:split", "1.1:split"])
def test_the_hand_is_the_one_that_is_asked_unless_it_is_said(action: str):
    played = play_script("vegas", "8s 7h | 8d Tc | 2c 3c | 4c", f"{action} 1:stand 1:hit")
    hands = played["rounds"][0]["seats"][0]["hands"]
    assert [hand["cards"] for hand in hands] == ["8s 2c", "8d 3c 4c"]


# The score of piles


@pytest.mark.parametrize(
    ("shoe", "actions", "score"),
    [
        ("9s 8s | 7h 6c | 2d 3d 4d 5d 6d 7d", "", (0, 0, 0, 6, False, None)),
        ("9s 8s | 7h 6c | 2d", "", (0, 0, 0, 1, False, None)),
        ("9s 8s | 9h Tc | 2d 3d 4d 5d 6d 7d", "1:stand", (0, 4, 0, 6, False, None)),
        ("9s 8s | 9h 8c | 2d 3d 4d", "1:stand", (0, 0, 4, 3, True, "draw")),
        ("As Ks | 9h 8c", "", (4, 0, 0, 0, True, "player")),
        ("2s 3s 4s 5s", "", (0, 0, 0, 4, True, "draw")),
        ("", "", (0, 0, 0, 0, True, "draw")),
    ],
    ids=["waits", "waits with the last cards", "goes on", "over", "last card", "too low", "none"],
)
def test_the_piles_are_told_after_the_last_hand(
    shoe: str, actions: str, score: tuple[int, int, int, int, bool, str | None]
):
    names = ("player", "house", "discard", "deck", "game_over", "winner")
    assert play_script("piles", shoe, actions)["piles"] == dict(zip(names, score, strict=True))


@pytest.mark.parametrize("rules", [key for key in PRESETS if key != "piles"])
def test_there_are_no_piles_in_any_other_game(rules: str):
    assert play_script(rules, "9s 8s 7h 6h 2s 3s")["piles"] is None
