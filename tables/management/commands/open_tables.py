"""``manage.py open_tables``: one public table for each rule set that has none."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import gettext

from tables.engine.presets import PRESETS
from tables.game import lifecycle
from tables.models import Table


class Command(BaseCommand):
    help = "Open one public table for each rule set that has none yet."

    def handle(self, *args: Any, **options: Any) -> None:
        for key, rules in PRESETS.items():
            if not Table.objects.filter(rules_key=key, maker=None, closed_at=None).exists():
                name = gettext("%(title)s table") % {"title": gettext(rules.title)}
                table = lifecycle.open_table(name=name, rules_key=key)
                self.stdout.write(f"Opened {table.name}.")
