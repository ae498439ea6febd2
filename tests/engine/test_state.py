"""What a stored round looks like, and that it is the same round again."""

from __future__ import annotations

import json

import pytest

from tables.engine.actions import Action
from tables.engine.errors import CardError
from tables.engine.events import Outcome
from tables.engine.presets import CASINO, CLASSIC, VEGAS
from tables.engine.round import Round, Turn
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tests.engine.scenario import ScenarioResult, play, tell


def restored(played: ScenarioResult) -> Round:
    """The round and its shoe after a journey through JSON text."""
    stored = json.loads(json.dumps([played.round.shoe.to_state(), played.round.to_state()]))
    return Round.from_state(played.round.rules, Shoe.from_state(stored[0]), stored[1])


def a_round_in_its_middle() -> ScenarioResult:
    """Seat 1 has a blackjack; seat 2 has split, doubled its first hand, and is asked again."""
    return play(
        CASINO,
        stakes={1: 1500, 2: 1000},
        shoe="As 8s 7h | Kd 8d Tc | 3c 2c | 5c 6c",
        actions="2:split 2.1:double",
    )


def test_a_round_is_stored_as_plain_values():
    assert json.loads(json.dumps(a_round_in_its_middle().round.to_state())) == {
        "seats": {
            "1": [
                {
                    "cards": "As Kd",
                    "stake": 1500,
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
                },
                {
                    "cards": "8d 2c",
                    "from_split": True,
                    "stake": 1000,
                },
            ],
        },
        "dealer": "7h Tc",
        "turn": [2, 2],
    }


def test_a_shoe_is_stored_for_itself():
    assert a_round_in_its_middle().round.shoe.to_state() == {
        "order": "AHTmhwpors",
        "dealt": 9,
    }


def test_a_shoe_of_an_older_state_is_read():
    shoe = a_round_in_its_middle().round.shoe
    cards = "As 8s 7h Kd 8d Tc 3c 2c 5c 6c"
    assert Shoe.from_state({"cards": cards, "dealt": 9}) == Shoe.from_state(shoe.to_state()) == shoe


@pytest.mark.parametrize("order", ["A8", "A ", "Aä"])
def test_a_shoe_with_a_letter_of_no_card_is_not_read(order: str):
    with pytest.raises(CardError):
        Shoe.from_state({"order": order, "dealt": 0})


def test_insurance_is_stored_as_what_was_staked_and_what_came_back():
    """Seat 1 is insured and seat 2 is not; seat 3 is still asked."""
    played = play(
        VEGAS,
        stakes={1: 1000, 2: 1000, 3: 1000},
        shoe="9s 9d 9c Ah | 8s 8d 8c 5c",
        actions="1:insure 2:decline",
    )
    state = played.round.to_state()
    assert (state["insurance"], state["insurance_asked"]) == ({"1": [500, 0], "2": [0, 0]}, True)


def test_a_round_that_asks_about_insurance_is_restored_and_played_on():
    played = play(
        VEGAS,
        stakes={1: 1000, 2: 1000},
        shoe="9s 9d Ah | 8s 8d Kc",
        actions="1:insure",
    )
    again = restored(played)
    assert again == played.round
    events = again.act(Action.DECLINE, Turn(2, 1), 0)
    assert [tell(event) for event in events] == [
        "2 takes no insurance",
        "dealer turns over Kc",
        "1 insurance: 500 pays 1500",
        "1.1 lose: 1000 pays 0",
        "2.1 lose: 1000 pays 0",
    ]


def test_a_round_is_restored_onto_the_shoe_that_is_given():
    """The shoe outlives the round: it is stored once, by whoever keeps it."""
    played = play(CASINO, shoe="8s 7h | 8d Tc | 2c 3c")
    shoe = Shoe.from_state(played.round.shoe.to_state())
    again = Round.from_state(CASINO, shoe, played.round.to_state())
    again.act(Action.HIT, Turn(1, 1), 0)
    assert (again.shoe is shoe, shoe.dealt) == (True, 5)


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
    ("rules", "shoe", "dealer"),
    [(CASINO, "2s 7h | 3s 9c", "7h ??"), (CLASSIC, "2s 3s | 9c 7h", "?? 7h")],
    ids=["casino", "classic"],
)
def test_the_hole_card_of_a_restored_round_is_still_face_down(
    rules: Ruleset, shoe: str, dealer: str
):
    assert ScenarioResult(restored(play(rules, shoe=shoe)), ()).dealer == dealer


def test_a_round_that_is_printed_does_not_print_its_hidden_cards():
    """A traceback or a log line may print a round, and both are read by people."""
    printed = repr(play(CASINO, shoe="2s 7h | 3s 9c | 4d 5d").round)
    ranks = {rank for rank in "237945" if f"rank='{rank}'" in printed}
    assert ranks == {"2", "3"}
