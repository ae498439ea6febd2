"""``python -m tables.odds`` as a person calls it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.helpers.servers.process import ROOT

HAND = ("hand", "--rules", "vegas", "--hand", "Ts 6h", "--up", "9c")


def run(*arguments: str, shell: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tables.odds", *arguments]
    if shell:
        command = ["sh", "-c", f'"$@" {shell}', "sh", *command]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_a_hand_is_one_json_object() -> None:
    data = json.loads(run(*HAND, "--seen", "2c 5d", "--json").stdout)
    assert list(data) == ["best", "actions", "insurance"]
    assert data["best"] == next(iter(data["actions"])) == "surrender"
    assert data["actions"]["surrender"] == -0.5
    assert data["insurance"] is None


def test_a_game_echoes_its_options() -> None:
    data = json.loads(run("edge", "--rules", "pot", "--set", "hits_soft_17=true", "--json").stdout)
    assert list(data) == [
        "rules", "options", "ev", "ev_total_dependent", "win", "tie", "lose", "sd",
    ]  # fmt: skip
    assert data["options"] == {"hits_soft_17": True}
    assert data["win"] + data["tie"] + data["lose"] == pytest.approx(1, abs=1e-11)


def test_a_chart_has_all_rows() -> None:
    data = json.loads(run("chart", "--rules", "heads-up", "--json").stdout)
    assert list(data) == ["hard", "soft", "pairs"]
    assert list(data["hard"]) == [str(total) for total in range(5, 21)]
    assert list(data["soft"]) == [str(total) for total in range(13, 21)]
    assert list(data["pairs"]) == ["22", "33", "44", "55", "66", "77", "88", "99", "TT", "AA"]
    assert all(list(row) == list("23456789TA") for rows in data.values() for row in rows.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("edge", "--rules", "none"), "The rules are one of casino,"),
        (("edge", "--rules", "vegas", "--set", "decks"), "Write an option as OPTION=VALUE"),
        (("edge", "--rules", "vegas", "--set", "decks=9"), "Decks can't be 9."),
        (("edge", "--rules", "vegas", "--set", "decks=" + 3000 * "["), "Decks can't be '["),
        (("edge", "--rules", "vegas", "--set", "x\ny=1"), "'Unknown option"),
        (("hand", "--rules", "casino", "--hand", "As As", "--up", "9c"), "There are 2 times As"),
        (("hand", "--rules", "casino", "--hand", "Ts Th 5c", "--up", "9c"), "This hand is over 21"),
        (("hand", "--rules", "casino", "--hand", "Ts", "--up", "9c"), "A hand has at least two"),
        ((*HAND[:-1], "9c 9d"), "The dealer has one up card"),
        (
            ("hand", "--rules", "pot", "--hand", "8s 8h", "--up", "9c", "--from-split"),
            "These rules",
        ),
        (("play",), "Argument edge | hand | chart"),
    ],
)
def test_a_wrong_argument_is_one_sentence(arguments: tuple[str, ...], message: str) -> None:
    ended = run(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(message)
    assert ended.stderr.count("\n") == 1


def test_an_output_that_is_closed_is_no_traceback() -> None:
    for shell in (">&-", ">/dev/full"):
        ended = run(*HAND, shell=shell)
        assert ended.returncode == 2
        assert ended.stderr.count("\n") == 1
