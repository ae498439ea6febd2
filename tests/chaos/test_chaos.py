"""A short run of the crash rig on each set-up. ``make chaos`` has the long ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.runner import run
from tests.chaos.servers import SCALED, SQLITE

SEED = 20_261_122
"""Which things break in which order. When, and what is played, differs from run to run."""


@pytest.mark.long(seconds=30)
@pytest.mark.parametrize(("on", "seconds"), [(SQLITE, 14), (SCALED, 16)])
async def test_nothing_is_lost_doubled_or_stuck_while_processes_are_killed(
    on: str, seconds: float, tmp_path: Path, prepared: Path, cluster: Path
) -> None:
    folders = {"prepared": prepared, "cluster": cluster}
    report = await run(on, tmp_path, seed=SEED, seconds=seconds, kills=5, **folders)
    assert report.faults == [], str(report)
    assert report.kills >= 5, str(report)
    assert report.figures["acknowledged"] > 50, str(report)
    assert report.figures["rounds"] > 5, str(report)
    print(report)
