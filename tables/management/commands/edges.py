"""``manage.py edges``: compute the exact edge of the rule sets that are played."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from tables.advice import game_odds
from tables.engine.errors import OptionError
from tables.models import Takings
from tables.operators.books import house_edge
from tables.operators.books.house_edge import RuleVariant
from tables.results import projector


class Command(BaseCommand):
    help = "Compute the rule sets that were played, for the band in the books."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--presets",
            action="store_true",
            help="print the presets as JSON, the content of tables/advice/preset_odds.json",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["presets"]:
            self.stdout.write(game_odds.encode_presets())
            return
        projector.catch_up()
        played = Takings.objects.order_by().values_list("rules_key", "options").distinct()
        for way in sorted({RuleVariant.from_stored(*way) for way in played}):
            if house_edge.is_staked(way):
                self._compute(way)

    def _compute(self, way: RuleVariant) -> None:
        try:
            game = game_odds.get(way.rules, game_odds.NO_LIMIT)
        except (OptionError, KeyError) as error:
            self.stderr.write(f"{way.key} {way.options}: not played any more ({error})")
            return
        assert game is not None
        self.stdout.write(
            f"{way.key} {way.options}: edge {game.ev:+.6f}, "
            f"with the chart {game.ev_total_dependent:+.6f}, deviation {game.sd:.4f}"
        )
