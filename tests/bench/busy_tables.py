"""Tables at which somebody sits in every seat, rich and logged in, made in the data of a server.

``python -m tests.bench.busy_tables 20`` makes so many and prints them as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from dataclasses import dataclass
from typing import Any

from tests.helpers.servers.process import Server

SEATS = 3
MONEY = 100_000_000
"""What everybody is given, in hundredths: nobody is to go broke while it is measured."""
CLOCK_SECONDS = 3600
"""Nor is anybody's time to run out while the other side of a comparison is measured."""


@dataclass(frozen=True)
class BusyTable:
    """``cookies``: the log-in of each player, in the order of the seats."""

    table_id: int
    user_ids: list[int]
    cookies: list[str]


def make_busy(server: Server, tables: int) -> list[BusyTable]:
    """Make the tables in the data of ``server``, which need not run."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.bench.busy_tables", str(tables)],
        cwd=server.root, env=server.environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if process.returncode:
        raise RuntimeError(process.stderr)
    return [BusyTable(**values) for values in json.loads(process.stdout)]


def main(tables: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    import django

    django.setup()
    from django.db import transaction

    with transaction.atomic():
        busy = [_make(number) for number in range(1, tables + 1)]
    json.dump(busy, sys.stdout)


def _make(number: int) -> dict[str, Any]:
    from django.utils import timezone

    from accounts.ledger import transfers
    from accounts.models import Transfer, User
    from tables.game import commands, lifecycle
    from tables.game.commands import QueuedCommand
    from tables.protocol.commands import Sit
    from tables.protocol.frames import Done
    from tests.chaos.fixtures import log_in

    now = timezone.now()
    table = lifecycle.open_table(
        name=f"Busy {number}",
        rules_key="casino",
        betting_seconds=CLOCK_SECONDS,
        turn_seconds=CLOCK_SECONDS,
    )
    users = [User.objects.create_user(f"busy{number}-{seat}") for seat in range(1, SEATS + 1)]
    for seat, user in enumerate(users, start=1):
        wallet = transfers.get_or_open_wallet(user, at=now)
        reference = f"bench:{wallet.pk}"
        kind = Transfer.Kind.ADJUSTMENT
        transfers.post(
            [transfers.Posting(kind, transfers.get_bank().pk, wallet.pk, MONEY, reference)], at=now
        )
        played = commands.execute_one(
            QueuedCommand(table.pk, user.pk, Sit(uuid.uuid4(), seat)), now
        )
        assert isinstance(played.value, Done), played.value
    return {
        "table_id": table.pk,
        "user_ids": [user.pk for user in users],
        "cookies": [log_in(user) for user in users],
    }


if __name__ == "__main__":
    main(int(sys.argv[1]))
