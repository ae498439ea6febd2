"""Runs of ``python -m tables.engine``, for the tests of the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class RunResult:
    """How a run of the program ended and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object that was printed."""
        (line,) = self.out.splitlines()
        return json.loads(line)


def as_process(*arguments: str, stdin: str = "") -> RunResult:
    """A real run."""
    run = subprocess.run(
        [sys.executable, "-m", "tables.engine", *arguments],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return RunResult(run.returncode, run.stdout, run.stderr)


Run = Callable[..., RunResult]
"""A run with some arguments, and ``stdin``."""
