"""``manage.py simulate`` as an engineer calls it."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tables.engine.presets import PRESETS
from tables.engine.strategies import STRATEGIES
from tables.odds.games import evaluate_game

KEYS = [
    "rules",
    "strategy",
    "rounds",
    "seed",
    "rounds_per_second",
    "win",
    "lose",
    "push",
    "edge",
    "standard_error",
]


def simulate(**options: object) -> dict[str, object]:
    out = StringIO()
    call_command("simulate", stdout=out, json=True, **options)
    figures: dict[str, object] = json.loads(out.getvalue())
    return figures


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_plays_every_rule_set(
    rules: str, strategy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = simulate(rules=rules, strategy=strategy, rounds=300, seed=3)
    assert list(figures) == KEYS
    won, lost, pushed = (figures[key] for key in ("win", "lose", "push"))
    assert isinstance(won, int)
    assert isinstance(lost, int)
    assert isinstance(pushed, int)
    assert won + lost + pushed == 300
    if PRESETS[rules].stakes is None:
        assert figures["edge"] == (won - lost) / 300
    assert "100 %" in capsys.readouterr().err


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_case_58_it_warns_where_the_chart_is_wrong(
    rules: str, strategy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """``basic`` is a chart for rules where ties push; the others are charts for nothing."""
    call_command("simulate", rules=rules, strategy=strategy, rounds=1, seed=1)
    warned = f"Warning: basic is not meant for {rules}: " in capsys.readouterr().err
    assert warned == (strategy == "basic" and rules in ("pot", "piles"))


@pytest.mark.long
@pytest.mark.parametrize("rules", PRESETS)
def test_the_exact_strategy_wins_what_was_computed(rules: str) -> None:
    """Within four standard errors, and at the standard deviation that was computed."""
    figures = simulate(rules=rules, strategy="exact", rounds=60_000, seed=5)
    game = evaluate_game(PRESETS[rules])
    edge, error = figures["edge"], figures["standard_error"]
    assert isinstance(edge, float)
    assert isinstance(error, float)
    assert edge == pytest.approx(game.ev_total_dependent, abs=4 * error)
    assert error * 60_000**0.5 == pytest.approx(game.sd, rel=0.02)


def test_the_help_says_for_which_rules_the_chart_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("simulate", "--help")
    assert "basic is for rules where ties push" in " ".join(capsys.readouterr().out.split())


def test_the_same_seed_plays_the_same_rounds() -> None:
    first, second, other = (
        simulate(rules="casino", strategy="basic", rounds=500, seed=seed) for seed in (7, 7, 8)
    )
    del first["rounds_per_second"], second["rounds_per_second"]
    assert first == second
    assert (first["win"], first["lose"]) != (other["win"], other["lose"])


def test_without_json_it_is_a_list_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("simulate", rules="pot", strategy="mimic", rounds=50, seed=1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == KEYS


@pytest.mark.parametrize("rounds", ["0", "-5", "many"])
def test_it_refuses_to_play_no_rounds(rounds: str) -> None:
    with pytest.raises(CommandError, match="rounds"):
        call_command("simulate", "--rules=casino", "--strategy=basic", f"--rounds={rounds}")
