"""Options of every program, with values that are none: a sentence and status 2, no traceback."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import ManagementUtility, get_commands

import manage
from tests.engine.program import ROOT

LONG = "9" * 5000
WRONG = {"dashes": "--", "empty": "", "zero byte": "1\0", "long": LONG}
PROGRAMS = (
    "tables.engine.__main__", "tables.odds.__main__", "deploy.__main__", "tests.chaos.__main__",
    "tests.chaos.load", "tests.chaos.soak", "tests.chaos.storm", "tests.adversarial.fuzz",
    "tests.bench.model",
)  # fmt: skip
OF_DJANGO = ("makemessages", "migrate")
"""Ours in name: their options are Django's."""
OWN = [name for name, app in get_commands().items() if app == "tables" and name not in OF_DJANGO]

PLAY = ("play", "--rules=casino", "--shoe=As 7h Kd Tc")
SIMULATE = ("simulate", "--rules=casino", "--strategy=basic", "--rounds=1")
IN_ORDER = {
    ("tables.engine.__main__", "--actions", "empty"),  # no actions at all
    ("tests.adversarial.fuzz", "--seed", "empty"),  # a new one
    *(
        ("tests.adversarial.fuzz", "--seed", wrong) for wrong in ("zero byte", "long")
    ),  # any text is one
}
"""Values that are in order there."""


def valued(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options of a parser, and of the parsers of its commands, that take a value."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from valued(each)
        elif action.option_strings and action.nargs != 0:
            yield action.option_strings[-1]


def parser_of(module: str) -> argparse.ArgumentParser:
    """The parser that a program makes, taken from its start."""
    parsers: list[argparse.ArgumentParser] = []

    def parse(self: argparse.ArgumentParser, *_: object) -> None:
        parsers.append(self)
        raise SystemExit

    with pytest.MonkeyPatch.context() as patch, suppress(SystemExit):
        patch.setattr(argparse.ArgumentParser, "parse_args", parse)
        import_module(module).main()
    return parsers[0]


OF_PROGRAMS = [
    (module, option, wrong)
    for module in PROGRAMS
    for option in valued(parser_of(module))
    for wrong in WRONG
    if (module, option, wrong) not in IN_ORDER
]
OF_COMMANDS = [
    (name, option)
    for name in OWN
    for option in valued(ManagementUtility().fetch_command(name).create_parser("", name))
    if option not in ("--pythonpath", "--settings")
]


def refused(run: Callable[[], object], capsys: pytest.CaptureFixture[str]) -> str:
    """What a program says that ends with status 2 and one sentence."""
    try:
        status = run()
    except SystemExit as exit_:
        status = exit_.code
    output = capsys.readouterr()
    assert status == 2, output
    assert "Traceback" not in output.err
    last = output.err.splitlines()[-1]
    assert ": " in last
    return last


@pytest.mark.parametrize(("module", "option", "wrong"), OF_PROGRAMS)
def test_case_48_a_wrong_value_of_a_programs_option_is_a_sentence(
    module: str, option: str, wrong: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    first = PLAY if module == "tables.engine.__main__" else ()
    monkeypatch.setattr(sys, "argv", [module, *first, f"{option}={WRONG[wrong]}"])
    refused(import_module(module).main, capsys)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(("command", "option"), OF_COMMANDS)
def test_case_48_a_wrong_value_of_a_commands_option_is_a_sentence(
    command: str, option: str, wrong: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    words = SIMULATE if command == "simulate" else (command,)
    monkeypatch.setattr(sys, "argv", ["manage.py", *words, f"{option}={WRONG[wrong]}"])
    refused(manage.main, capsys)


@pytest.mark.parametrize("wrong", [wrong for wrong in WRONG if wrong != "dashes"])
@pytest.mark.parametrize("command", ["backup", "nightly", "restore"])
def test_case_48_so_is_a_wrong_path(
    command: str, wrong: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["manage.py", command, WRONG[wrong]])
    assert "is not a path" in refused(manage.main, capsys)


@pytest.mark.parametrize("option", ["-v=--", "-v--", "--verb=--", "--settings=--"])
def test_case_48_djangos_own_options_are_looked_at_as_well(
    option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["manage.py", "check", option])
    assert refused(manage.main, capsys).endswith("expected a value, and not --")


@pytest.mark.parametrize("program", [
    ("-m", "tables.engine", *PLAY, "--actions=--"),
    ("-m", "deploy", "--host="),
    ("manage.py", "serve", "--host=--"),
    ("manage.py", "prepare", f"--wait={LONG}"),
    ("manage.py", "check", f"--settings={LONG}"),
    ("manage.py", "check", "--settings=.."),
], ids=lambda words: words[-1][:20])  # fmt: skip
def test_case_48_a_real_program_ends_with_status_2(
    program: tuple[str, ...], tmp_path: Path
) -> None:
    run = subprocess.run(
        [sys.executable, *program], cwd=ROOT, capture_output=True, text=True, timeout=60,
        env={**os.environ, "BLACKJACK_DATA": str(tmp_path)},
    )  # fmt: skip
    assert (run.returncode, run.stdout, "Traceback" in run.stderr) == (2, "", False)
    assert "error: argument --" in run.stderr.splitlines()[-1]
