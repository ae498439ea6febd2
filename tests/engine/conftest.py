"""The engine's command line, run in the process of the test."""

from __future__ import annotations

import io
import sys

import pytest

from tables.engine.__main__ import main
from tests.engine.program import Run, RunResult


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A run of the program in this process, which is quicker and counts as covered."""

    def run_here(*arguments: str, stdin: str = "") -> RunResult:
        monkeypatch.setattr(sys, "argv", ["tables.engine", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        try:
            status = main()
        except SystemExit as error:
            status = error.code
        printed = capsys.readouterr()
        return RunResult(status, printed.out, printed.err)

    return run_here
