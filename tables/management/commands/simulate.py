"""``manage.py simulate``: many rounds by a strategy, and what they leave the player with."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from django.core.management.base import BaseCommand

from tables import protocol
from tables.engine.presets import PRESETS
from tables.engine.simulation import simulate
from tables.engine.strategies import STRATEGIES

BAR = 40
"""Characters of the progress bar."""


@dataclass(slots=True)
class Progress:
    """A bar on stderr, drawn again for every hundredth of the way."""

    rounds: int
    drawn: int = -1

    def __call__(self, played: int) -> None:
        share = 100 * played // self.rounds
        if share == self.drawn:
            return
        self.drawn = share
        full = BAR * share // 100
        sys.stderr.write(f"\r[{'#' * full}{'.' * (BAR - full)}] {share:3} %")
        if played == self.rounds:
            sys.stderr.write("\n")
        sys.stderr.flush()


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a whole number") from error
    if number < 1:
        raise ArgumentTypeError("at least one round has to be played")
    return number


class Command(BaseCommand):
    help = "Play many one-seat rounds by a strategy and print the player's edge."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rules", required=True, choices=list(PRESETS))
        parser.add_argument("--strategy", required=True, choices=list(STRATEGIES))
        parser.add_argument("--rounds", type=_positive, default=100_000)
        parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        rules, strategy, rounds = options["rules"], options["strategy"], options["rounds"]
        progress: Callable[[int], None] = Progress(rounds)
        started = time.perf_counter()
        random = Random(options["seed"])  # noqa: S311 - nobody's cards: it is to be repeatable
        result = simulate(PRESETS[rules], STRATEGIES[strategy], rounds, random, progress)
        seconds = time.perf_counter() - started
        progress(rounds)
        told = {
            "rules": rules,
            "strategy": strategy,
            "rounds": rounds,
            "seed": options["seed"],
            "rounds_per_second": round(rounds / seconds),
            "win": result.win,
            "lose": result.lose,
            "push": result.push,
            "edge": result.edge,
            "standard_error": result.standard_error,
        }
        if options["json"]:
            self.stdout.write(protocol.encode(told))
            return
        for name, value in told.items():
            shown = f"{value:+.4f}" if isinstance(value, float) else value
            self.stdout.write(f"{name:18} {shown}")
