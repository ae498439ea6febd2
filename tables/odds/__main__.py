"""``python -m tables.odds edge``, ``hand`` and ``chart``: exact values from the command line.

It needs no database and no settings. A wrong argument is one sentence on stderr, and status 2.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from tables.engine.cards import parse_cards
from tables.engine.command_line import Parser
from tables.engine.errors import CardError, OptionError
from tables.engine.options import customize
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.odds.decisions import Decision, evaluate
from tables.odds.games import Game, evaluate_game
from tables.odds.unseen_cards import CannotHappenError

FAILED = 2
LONGEST = 500
"""The characters of an error that are printed: it may quote an argument."""
PLACES = 12
"""The decimal places of a value."""


class _Parser(Parser):
    def error(self, message: str) -> NoReturn:
        _fail(f"{message[:1].upper()}{message[1:]}.")


def main() -> int:
    """Run the command of the command line and return the exit status."""
    arguments = _parser().parse_args()
    try:
        values, lines = arguments.run(arguments)
    except (CardError, OptionError, CannotHappenError, argparse.ArgumentTypeError) as error:
        _fail(str(error))
    if sys.stdout is None:  # closed by the shell
        _fail("There is no output to print to.")
    try:
        for line in [json.dumps(values)] if arguments.json else lines:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OSError as error:  # the output is closed, or the disk is full
        with suppress(OSError):
            sys.stdout.close()
        _fail(str(error))
    return 0


def _fail(sentence: str) -> NoReturn:
    if sys.stderr is not None:  # closed by the shell
        text = sentence if sentence.isprintable() else ascii(sentence)
        sys.stderr.write(f"{text[:LONGEST]}\n")
    sys.exit(FAILED)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m tables.odds", description="Exact values of blackjack.")
    commands = parser.add_subparsers(required=True, metavar="edge | hand | chart")
    edge = commands.add_parser("edge", help="the value of a game from a fresh shoe")
    edge.set_defaults(run=_edge)
    hand = commands.add_parser("hand", help="the value of each action with one hand")
    hand.add_argument("--hand", required=True, help='the cards of the hand: "Ts 6h"')
    hand.add_argument("--up", required=True, help="the dealer's up card: 9c")
    hand.add_argument("--seen", default="", help='other cards that are gone: "2c 5d"')
    hand.add_argument("--from-split", action="store_true", help="the hand comes from a split")
    hand.set_defaults(run=_hand)
    chart = commands.add_parser("chart", help="the best play by totals and pairs")
    chart.set_defaults(run=_chart)
    for command in (edge, hand, chart):
        command.add_argument("--rules", required=True, help=f"one of {', '.join(PRESETS)}")
        command.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="OPTION=VALUE",
            help="an option of a table, such as hits_soft_17=true; may be repeated",
        )
        command.add_argument("--json", action="store_true", help="one JSON object")
    return parser


Output = tuple[Mapping[str, Any], Iterator[str]]
"""The JSON object, and the same as lines of text."""


def _edge(arguments: argparse.Namespace) -> Output:
    rules, options = _read_rules(arguments)
    game = evaluate_game(rules)
    values = {
        "rules": arguments.rules,
        "options": options,
        "ev": _round(game.ev),
        "ev_total_dependent": _round(game.ev_total_dependent),
        "win": _round(game.win),
        "tie": _round(game.tie),
        "lose": _round(game.lose),
        "sd": _round(game.sd),
    }
    return values, _edge_lines(game)


def _edge_lines(game: Game) -> Iterator[str]:
    yield f"Best play: {game.ev:+.4%} of the stake on average."
    yield f"By the chart: {game.ev_total_dependent:+.4%}."
    yield f"Rounds won {game.win:.2%}, tied {game.tie:.2%}, lost {game.lose:.2%}."
    yield f"Standard deviation of a round: {game.sd:.4f} stakes."


def _hand(arguments: argparse.Namespace) -> Output:
    rules, _ = _read_rules(arguments)
    up = parse_cards(arguments.up)
    if len(up) != 1:
        raise CannotHappenError("The dealer has one up card, such as 9c.")
    if arguments.from_split and rules.max_hands == 1:
        raise CannotHappenError("These rules have no splitting.")
    decision = evaluate(
        rules,
        parse_cards(arguments.hand),
        up[0],
        parse_cards(arguments.seen),
        from_split=arguments.from_split,
    )
    values = {
        "best": decision.best,
        "actions": {action: _round(value) for action, value in decision.values.items()},
        "insurance": None if decision.insurance is None else _round(decision.insurance),
    }
    return values, _hand_lines(decision, "cards" if rules.has_piles else "stakes")


def _hand_lines(decision: Decision, unit: str) -> Iterator[str]:
    for action, value in decision.values.items():
        yield f"{action}: {value:+.6f} {unit}"
        if action in decision.chances:
            win, tie, lose = decision.chances[action]
            yield f"  wins {win:.2%}, ties {tie:.2%}, loses {lose:.2%}"
    if decision.insurance is not None:
        yield f"insurance: {decision.insurance:+.6f} {unit}"


def _chart(arguments: argparse.Namespace) -> Output:
    rules, _ = _read_rules(arguments)
    chart = evaluate_game(rules).chart.to_json()
    return chart, _chart_lines(chart)


def _chart_lines(chart: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Iterator[str]:
    for name, rows in chart.items():
        yield f"{name:6}" + "".join(f"{up:4}" for up in next(iter(rows.values())))
        for row, codes in rows.items():
            yield f"{row:6}" + "".join(f"{code:4}" for code in codes.values())


def _read_rules(arguments: argparse.Namespace) -> tuple[Ruleset, dict[str, Any]]:
    if arguments.rules not in PRESETS:
        raise CannotHappenError(f"The rules are one of {', '.join(PRESETS)}.")
    options: dict[str, Any] = {}
    for text in arguments.set:
        name, separator, value = text.partition("=")
        if not separator:
            raise CannotHappenError(f"Write an option as OPTION=VALUE, and not as {text}.")
        try:
            options[name] = json.loads(value.lower())
        except (ValueError, RecursionError):
            options[name] = value
    return customize(arguments.rules, options), options


def _round(value: float) -> float:
    return round(value, PLACES)


if __name__ == "__main__":
    sys.exit(main())
