"""What a stored round looks like, and that it is the same round again."""

from __future__ import annotations

import json

import pytest

from tables.engine.events import Outcome
from tables.engine.presets import CASINO, CLASSIC
from tables.engine.round import Round, Turn
from tables.engine.rules import Ruleset
from tests.engine.scenario import Played, play


def restored(played: Played) -> Round:
    """The round after a journey through JSON text."""
    return Round.from_state(played.round.rules, json.loads(json.dumps(played.round.to_state())))


def a_round_in_its_middle() -> Played:
    """Seat 1 has a blackjack; seat 2 has split, doubled its first hand, and is asked again."""
    return play(
        CASINO,
        stakes={1: 1500, 2: 1000},
        shoe="As 8s 7h | Kd 8d Tc | 3c 2c | 5c 6c",
        actions="2:split 2.1:double",
    )


def test_a_round_is_stored_as_plain_values():
    assert json.loads(json.dumps(a_round_in_its_middle().round.to_state())) == {
        "shoe": "As 8s 7h Kd 8d Tc 3c 2c 5c 6c",
        "dealt": 9,
        "seats": {
            "1": [
                {
                    "cards": "As Kd",
                    "from_split": False,
                    "stake": 1500,
                    "doubled": False,
                    "stood": False,
                    "outcome": "blackjack",
                    "payout": 3750,
                }
            ],
            "2": [
                {
                    "cards": "8s 3c 5c",
                    "from_split": True,
                    "stake": 2000,
                    "doubled": True,
                    "stood": False,
                    "outcome": None,
                    "payout": 0,
                },
                {
                    "cards": "8d 2c",
                    "from_split": True,
                    "stake": 1000,
                    "doubled": False,
                    "stood": False,
                    "outcome": None,
                    "payout": 0,
                },
            ],
        },
        "dealer": "7h Tc",
        "hole_position": 1,
        "hole_revealed": False,
        "turn": [2, 2],
    }


def test_a_round_in_its_middle_is_restored():
    played = a_round_in_its_middle()
    assert restored(played) == played.round


def test_a_finished_round_is_restored():
    played = play(CASINO, shoe="Ks 7h | Qd Tc", actions="1:stand")
    assert restored(played) == played.round


def test_a_hand_that_stood_is_restored():
    played = play(CLASSIC, stakes={1: 0, 2: 0}, shoe="9s 8s | 5d 4d | Tc 7h", actions="1:stand")
    assert restored(played) == played.round


def test_a_restored_turn_is_a_turn():
    assert restored(a_round_in_its_middle()).turn == Turn(2, 2)


def test_a_restored_outcome_is_an_outcome():
    assert restored(a_round_in_its_middle()).seats[1][0].outcome is Outcome.BLACKJACK


@pytest.mark.parametrize(
    ("rules", "shoe", "seen"),
    [(CASINO, "2s 7h | 3s 9c", "7h ??"), (CLASSIC, "2s 3s | 9c 7h", "?? 7h")],
    ids=["casino", "classic"],
)
def test_the_hole_card_of_a_restored_round_is_still_face_down(rules: Ruleset, shoe: str, seen: str):
    assert Played(restored(play(rules, shoe=shoe)), ()).dealer == seen
