"""``python -m tables.engine`` as a program: arguments, exit status, what it prints where."""

from __future__ import annotations

import json
import subprocess
import sys
from random import Random
from runpy import run_path
from typing import Any

import pytest

from tests.engine.program import ROOT, Run, RunResult, as_process
from tests.engine.scripted import a_hand, a_seat, deal, settled

PLAY = ("play", "--rules", "casino", "--shoe", "As 7h Kd Tc")
FINISHED = {
    "rules": "casino",
    "rounds": [
        {
            "finished": True,
            "seats": [
                a_seat(
                    1,
                    a_hand("As Kd", 21, soft=True, outcome="blackjack", stake=1500, payout=3750),
                )
            ],
            "dealer": {"cards": "7h Tc", "total": 17, "soft": False},
            "turn": None,
            "events": [
                *deal("1.1 As", "7h", "1.1 Kd", "??"),
                settled(1, 1, "blackjack", 1500, 3750),
                {"type": "hole_card_revealed", "card": "Tc"},
            ],
        }
    ],
    "piles": None,
}


# A real process


def test_it_prints_one_object_and_succeeds():
    result = as_process(*PLAY, "--stakes", "15", "--json")
    assert (result.status, result.err, result.json) == (0, "", FINISHED)


def test_it_plays_seats_stakes_rounds_and_actions():
    shoe = "8s Ts 7h 8d 9d Tc 3c 2c Kc 4c | Ks Kh 9c Qs Qh 9h"
    actions = "1:split 1.1:double 1.2:hit 1.2:stand 2:stand 1:stand 2:stand"
    result = as_process(
        *("play", "--rules", "casino", "--seats", "2", "--stakes", "10,25", "--rounds", "2"),
        *("--shoe", shoe.replace("|", ""), "--actions", actions, "--json"),
    )
    hands = [
        [f"{hand['cards']} {hand['outcome']} {hand['payout']}" for hand in seat["hands"]]
        for round_ in result.json["rounds"]
        for seat in round_["seats"]
    ]
    assert (result.status, hands) == (
        0,
        [
            ["8s 3c Kc win 4000", "8d 2c 4c lose 0"],
            ["Ts 9d win 5000"],
            ["Ks Qs win 2000"],
            ["Kh Qh win 5000"],
        ],
    )


def test_an_illegal_action_ends_it_with_its_code_and_place():
    result = as_process(
        *("play", "--rules", "classic", "--shoe", "2s 3s Tc 7h 4d", "--json"),
        *("--actions", "1:hit 1:double"),
    )
    assert (result.status, result.err, result.json) == (
        2,
        "",
        {
            "error": {
                "code": "cannot_double",
                "message": "This table has no doubling.",
                "at": 1,
            }
        },
    )


def test_it_needs_nothing_but_python():
    """That is also why it starts at once."""
    code = (
        "import sys, tables.engine.__main__ as m; m.main(); "
        "print({'django', 'msgspec', 'channels'} & set(sys.modules) != set())"
    )
    arguments = [sys.executable, "-c", code, *PLAY, "--json"]
    run = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[1:] == ["False"]


# In this process


def test_the_program_and_the_process_say_the_same(run: Run):
    arguments = (*PLAY, "--stakes", "15", "--json")
    assert run(*arguments) == as_process(*arguments)


def test_the_module_is_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", ["tables.engine", *PLAY, "--stakes", "15", "--json"])
    with pytest.raises(SystemExit) as error:
        run_path(str(ROOT / "tables" / "engine" / "__main__.py"), run_name="__main__")
    assert (error.value.code, json.loads(capsys.readouterr().out)) == (0, FINISHED)


def test_without_json_it_prints_the_same_for_people(run: Run):
    result = run(*PLAY, "--stakes", "15")
    assert (result.status, json.loads(result.out), len(result.out.splitlines()) > 20) == (
        0,
        FINISHED,
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("--actions", "1:hit"),
            "round_over: There is no round to play any more. (action 0)\n",
        ),
        (("--stakes", "9"), "bad_bet: The minimum bet at this table is 10.\n"),
        (("--shoe", "As 7h 1d"), "bad_card: In the shoe: not a card: '1d'.\n"),
        (("--seats", "4"), "no_such_seat: Casino has 1 to 3 seats.\n"),
    ],
)
def test_without_json_an_error_is_a_line_for_people(
    run: Run, arguments: tuple[str, ...], error: str
):
    assert run(*PLAY, *arguments) == RunResult(2, "", error)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--stakes", "9"), {"code": "bad_bet", "at": None}),
        (("--stakes", "10,10"), {"code": "bad_bet", "at": None}),
        (("--shoe", "As 7h 1d"), {"code": "bad_card", "at": None}),
        (("--shoe", "As 7h As Tc"), {"code": "duplicate_card", "at": None}),
        (("--shoe", "As 7h Ks"), {"code": "shoe_exhausted", "at": None}),
        (("--seats", "0"), {"code": "no_such_seat", "at": None}),
        (("--rounds", "0"), {"code": "bad_rounds", "at": None}),
        (("--rules", "whist"), {"code": "no_such_rules", "at": None}),
        (("--actions", "1:hit"), {"code": "round_over", "at": 0}),
        (("--seats", "two"), {"code": "usage", "at": None}),
        (("--rounds", "1.5"), {"code": "usage", "at": None}),
        (("--cheat",), {"code": "usage", "at": None}),
        (("more",), {"code": "usage", "at": None}),
        (("--shoe",), {"code": "usage", "at": None}),
    ],
)
def test_every_error_is_one_object_and_status_2(
    run: Run, arguments: tuple[str, ...], error: dict[str, Any]
):
    result = run(*PLAY, "--json", *arguments)
    assert (result.status, result.err, list(result.json)) == (2, "", ["error"])
    message = result.json["error"]["message"]
    assert result.json["error"] == {**error, "message": message}


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("play",),
        ("play", "--rules", "casino"),
        ("deal",),
        ("verify",),
        ("play", "--seats", "x"),
        ("play", "--rules", "casino", "--shoe", "As", "--actions=--"),
    ],
)
def test_a_call_that_lacks_something_is_told_so(run: Run, arguments: tuple[str, ...]):
    for_people, for_programs = run(*arguments), run(*arguments, "--json")
    assert (for_people.status, for_people.out) == (2, "")
    assert for_people.err.startswith("usage: ")
    assert (for_programs.status, for_programs.json["error"]["code"]) == (2, "usage")


def test_it_explains_itself(run: Run):
    result = run("play", "--help")
    assert (result.status, "--actions" in result.out, result.err) == (0, True, "")


WORDS = (
    *("play", "verify", "--rules", "casino", "piles", "--shoe", "As 7h Kd Tc 2s 3s 4s", "9z"),
    *("--seats", "1", "2", "-1", "--stakes", "10", "10,20", "x", "--rounds", "3", "--actions"),
    *("1:hit 1:stand", "1:split", "--json", "-", "--", "", "\0", "é", "--js", "=", "-h"),
)


def test_no_arguments_whatever_make_it_stumble(run: Run):
    """Said in words or in one object, with status 0, 1 or 2, and never a traceback."""
    random = Random(3)
    for _ in range(400):
        start = random.choice([(), ("play",), PLAY, (*PLAY, "--json")])
        result = run(*start, *random.choices(WORDS, k=random.randint(0, 6)), stdin="{")
        assert result.status in (0, 1, 2)
        assert result.out or result.err
