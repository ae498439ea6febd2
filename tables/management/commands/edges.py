"""``manage.py edges``: simulate the player's edge of the rule sets that are played."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from tables.engine.errors import OptionError
from tables.engine.presets import PRESETS
from tables.engine.simulation import MOST_ROUNDS
from tables.lib import arguments
from tables.models import Takings
from tables.operators.books import house_edge
from tables.operators.books.house_edge import RuleVariant
from tables.results import projector


class Command(BaseCommand):
    help = "Simulate the rule sets that were played, for the band in the books."

    def add_arguments(self, parser: ArgumentParser) -> None:
        rounds = arguments.whole_number_parser(1, MOST_ROUNDS)
        parser.add_argument("--rounds", type=rounds, default=house_edge.ROUNDS)
        parser.add_argument("--again", action="store_true", help="those that are known as well")
        parser.add_argument(
            "--presets", action="store_true", help="print what the presets come to; write nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        rounds = max(2, options["rounds"])
        if options["presets"]:
            ways = {RuleVariant(key) for key in PRESETS}
        else:
            projector.catch_up()
            played = Takings.objects.order_by().values_list("rules_key", "options").distinct()
            ways = {RuleVariant.from_stored(*way) for way in played}
        known = {} if options["again"] or options["presets"] else house_edge.load_edges(ways)
        for way in sorted(ways):
            if house_edge.is_staked(way) and way not in known:
                self._simulate(way, rounds, is_kept=not options["presets"])

    def _simulate(self, way: RuleVariant, rounds: int, *, is_kept: bool) -> None:
        try:
            found = house_edge.simulate_edge(way, rounds)
        except (OptionError, KeyError) as error:
            self.stderr.write(f"{way.key} {way.options}: not played any more ({error})")
            return
        if is_kept:
            house_edge.store_edge(way, found)
        self.stdout.write(
            f"{way.key} {way.options} {found.strategy}: edge {found.edge:+.6f}, "
            f"deviation {found.deviation:.4f}, error {found.standard_error:.6f}"
        )
