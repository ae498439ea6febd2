"""``manage.py audit``: recompute every balance and every settled round."""

from __future__ import annotations

from itertools import chain
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import audit as accounts_audit
from accounts.audit import one_moment
from accounts.models import Account, Transfer
from tables import audit as tables_audit
from tables.models import Round


class Command(BaseCommand):
    help = "Recompute every balance; exit with 1 at the first thing that does not add up."

    def handle(self, *args: Any, **options: Any) -> None:
        with one_moment():
            fault = next(chain(accounts_audit.faults(), tables_audit.faults()), None)
            if fault is not None:
                raise CommandError(fault)
            self.stdout.write(
                f"{Account.objects.count()} accounts, {Transfer.objects.count()} transfers, "
                f"{Round.objects.count()} rounds: everything adds up."
            )
