"""``python -m tables.engine play`` and ``verify``: the engine from the command line.

``play`` plays scripted rounds from a stacked shoe, ``verify`` checks the published proof of a shoe.
Both need only Python's standard library.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from typing import Any, NoReturn

from tables.engine.command_line import Parser
from tables.engine.provably_fair import proof
from tables.engine.scripted_rounds import Script, ScriptError

FAILED = 2
FOUL = 1
LONGEST_NUMBER = 100
"""The limit of digits of a number; all known fields are far below it."""


class _Parser(Parser):
    """Reports wrong arguments in the same format as other errors."""

    def error(self, message: str) -> NoReturn:
        if "--json" in sys.argv:
            _fail_in_json(ScriptError("usage", message))
        super().error(message)


def main() -> int:
    """Run the command of the command line and return the exit status."""
    arguments = _parser().parse_args()
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except OSError as error:  # the output is closed, or the disk is full
        sys.stderr.write(f"{error}\n")
        with suppress(OSError):
            sys.stdout.close()
        return FAILED
    return status


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m tables.engine", description="Blackjack without a table.")
    commands = parser.add_subparsers(required=True, metavar="play | verify")
    play = commands.add_parser("play", help="play scripted rounds from a stacked shoe")
    play.add_argument("--rules", required=True, help="the rule set, such as casino")
    play.add_argument(
        "--shoe", required=True, help='cards in the order in which they are dealt: "As Kd 9h"'
    )
    play.add_argument("--seats", type=int, default=1, help="how many play (default 1)")
    play.add_argument(
        "--stakes", help="whole units for each seat: 10,25 (default the smallest bet)"
    )
    play.add_argument("--rounds", type=int, default=1, help="go on from the same shoe")
    play.add_argument("--actions", default="", help='"1:hit 2:split 1.2:stand 1:insure"')
    play.add_argument("--json", action="store_true", help="one JSON object")
    play.set_defaults(run=_play)
    verify = commands.add_parser("verify", help="check a shoe from what was published about it")
    verify.add_argument("proof", help="the file that a round's page offers; - is standard input")
    verify.add_argument("--seal", help="the seal that the table showed you before the bets")
    verify.add_argument(
        "--shoe", type=int, help="the number of the shoe that the table showed you with its seal"
    )
    verify.add_argument(
        "--words", action="append", default=[], help="the words that you added; may be repeated"
    )
    verify.set_defaults(run=_verify)
    return parser


def _play(arguments: argparse.Namespace) -> int:
    try:
        script = Script.read(
            rules=arguments.rules,
            shoe=arguments.shoe,
            seats=arguments.seats,
            stakes=arguments.stakes,
            rounds=arguments.rounds,
            actions=arguments.actions,
        )
        results = script.play()
    except ScriptError as error:
        if arguments.json:
            _fail_in_json(error)
        at = "" if error.at is None else f" (action {error.at})"
        sys.stderr.write(f"{error.code}: {error.message}{at}\n")
        return FAILED
    _print(json.dumps(results, indent=None if arguments.json else 2))
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    try:
        published = json.loads(
            _read_file(arguments.proof), parse_int=_parse_number, parse_constant=_refuse_constant
        )
        options = {"seal": arguments.seal, "shoe": arguments.shoe, "words": arguments.words}
        faults = list(proof.find_proof_faults(published, **options))
    except (OSError, ValueError, RecursionError) as error:
        sys.stderr.write(f"{error}\n")
        return FAILED
    for fault in faults:
        _print(fault.sentence)
    if not faults:
        _print("In order: the shoe was dealt as it was sealed.")
    for note in proof.list_limits(published):
        _print(f"Note: {note}")
    if arguments.seal is None:
        _print("Note: not compared with the seal that you saw. Give it with --seal.")
    return FOUL if faults else 0


def _read_file(path: str) -> str:
    if path == "-":
        if sys.stdin is None:  # closed by the shell
            raise OSError("There is no standard input to read.")
        return sys.stdin.read()
    with open(path, encoding="utf-8") as file:
        return file.read()


def _parse_number(digits: str) -> int | float:
    """Parse a number of any length, like other JSON parsers; Python refuses thousands of digits."""
    return int(digits) if len(digits) <= LONGEST_NUMBER else float(digits)


def _refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which are not JSON."""
    raise ValueError(f"{name} is not JSON.")


def _fail_in_json(error: ScriptError) -> NoReturn:
    details: dict[str, Any] = {"code": error.code, "message": error.message, "at": error.at}
    _print(json.dumps({"error": details}))
    sys.exit(FAILED)


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
