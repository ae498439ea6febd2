"""``manage.py audit``: recompute every balance and every settled round."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.lib import server_clock
from accounts.models import Account, Transfer, WalletEntry
from tables.models import Round
from tables.operators.books import audit_runs
from tables.realtime.writers.writer import writer


class Command(BaseCommand):
    help = "Recompute every balance; say everything that does not add up, and exit with 1 then."

    def handle(self, *args: Any, **options: Any) -> None:
        run = audit_runs.create_run(None, server_clock.now())
        if run is None:
            raise CommandError("The audit is running already.")
        try:
            faults = audit_runs.execute_run(run)
        finally:
            writer.stop()
        if faults:
            raise CommandError("\n".join(faults))
        plays = WalletEntry.objects.filter(transfer=None)
        moved = Transfer.objects.count() + plays.count()
        self.stdout.write(
            f"{Account.objects.count()} accounts, {moved} transfers, "
            f"{Round.objects.count()} rounds: everything adds up."
        )
