"""``manage.py begin_epoch``: after a restore that servers cannot detect."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tables.lib.database import move_marker
from tables.realtime import epochs
from tables.realtime.process_registry import verify_no_server_runs


class Command(BaseCommand):
    help = (
        "Retire every shoe and break off every round, because the data were set back. "
        "No server may run meanwhile."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if move_marker.read() == move_marker.UNFINISHED:
            move_marker.verify_servable()
        verify_no_server_runs()
        changed = epochs.begin_epoch()
        self.stdout.write(f"A new epoch has begun: {changed} tables have a new shoe.")
