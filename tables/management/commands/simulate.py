"""``manage.py simulate``: many rounds by a strategy, and the player's edge."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from django.core.management.base import BaseCommand

from tables.engine.presets import PRESETS
from tables.engine.simulation import MOST_ROUNDS, simulate
from tables.engine.strategies import BASIC_IS_FOR, STRATEGIES, describe_misfit
from tables.lib import arguments
from tables.odds.chart_strategy import make_chart_strategy
from tables.protocol import codec

EXACT = "exact"
"""The strategy that is computed for the rules (:mod:`tables.odds`)."""
BAR = 40
"""The width of the progress bar in characters."""


@dataclass(slots=True)
class Progress:
    """A progress bar on stderr, updated for each per cent."""

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


class Command(BaseCommand):
    help = "Play many one-seat rounds by a strategy and print the player's edge."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rules", required=True, choices=list(PRESETS))
        parser.add_argument(
            "--strategy", required=True, choices=[EXACT, *STRATEGIES],
            help="exact is the best chart of the rules; mimic and never-bust play by any rules; "
            f"basic is for {BASIC_IS_FOR}",
        )  # fmt: skip
        rounds = arguments.whole_number_parser(1, MOST_ROUNDS)
        parser.add_argument("--rounds", type=rounds, default=100_000)
        parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        rules, strategy, rounds = options["rules"], options["strategy"], options["rounds"]
        if why := describe_misfit(strategy, PRESETS[rules]):
            self.stderr.write(
                f"Warning: {strategy} is not meant for {rules}: {why}. It is for {BASIC_IS_FOR}. "
                f"The edge below is that of a player who errs, and not the best for {rules}."
            )
        played = PRESETS[rules]
        play = make_chart_strategy(played) if strategy == EXACT else STRATEGIES[strategy]
        progress: Callable[[int], None] = Progress(rounds)
        started = time.perf_counter()
        random = Random(options["seed"])  # noqa: S311 - repeatable, and no player's cards
        result = simulate(played, play, rounds, random, progress)
        seconds = time.perf_counter() - started
        progress(rounds)
        values = {
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
            self.stdout.write(codec.encode(values))
            return
        for name, value in values.items():
            text = f"{value:+.4f}" if isinstance(value, float) else value
            self.stdout.write(f"{name:18} {text}")
