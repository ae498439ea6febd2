"""Tables, players and their log-ins, made inside the data of a server: for hundreds of bots.

``python -m tests.chaos.fixtures`` takes what is wanted as JSON and prints what was made.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import Any

from tests.chaos.pages import Player
from tests.helpers.servers.fork_server import with_packages
from tests.helpers.servers.process import Server


@dataclass(frozen=True)
class SetupPlan:
    """``rules``: of each table. The clocks are in seconds."""

    rules: list[str]
    players: int
    betting_seconds: int = 6
    turn_seconds: int = 6


@dataclass(frozen=True)
class Setup:
    """``tables``: id and rule set of each. ``seats`` and ``stakes``: of a table, by rule set."""

    tables: list[tuple[int, str]]
    seats: dict[str, int]
    stakes: dict[str, int]
    players: list[Player]


def set_up(server: Server, plan: SetupPlan) -> Setup:
    """Make it in the data of ``server``, which need not run."""
    command = ["-m", "tests.chaos.fixtures", json.dumps(plan.__dict__)]
    process = with_packages().run(command, server.environment, timeout=120)
    if process.returncode:
        raise RuntimeError(process.stderr)
    values = json.loads(process.stdout)
    players = [Player(name, cookie) for name, cookie in values.pop("players")]
    tables = [(table, key) for table, key in values.pop("tables")]
    return Setup(tables=tables, players=players, **values)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    import django

    django.setup()
    from django.db import transaction

    plan = SetupPlan(**json.loads(sys.argv[1]))
    with transaction.atomic():
        values = _make(plan)
    json.dump(values, sys.stdout)


def _make(plan: SetupPlan) -> dict[str, Any]:
    from django.utils import timezone

    from accounts.ledger import transfers
    from accounts.models import User
    from tables.engine.presets import PRESETS
    from tables.game import lifecycle

    clocks = {
        "betting_seconds": plan.betting_seconds,
        "turn_seconds": plan.turn_seconds,
    }
    tables = [
        (lifecycle.open_table(name=f"Table {number}", rules_key=key, **clocks).pk, key)
        for number, key in enumerate(plan.rules, start=1)
    ]
    players = []
    for number in range(1, plan.players + 1):
        user = User.objects.create_user(f"bot{number}")
        transfers.get_or_open_wallet(user, at=timezone.now())
        players.append((user.username, log_in(user)))
    stakes = {key: rules.stakes.minimum if rules.stakes else 0 for key, rules in PRESETS.items()}
    seats = {key: rules.seats for key, rules in PRESETS.items()}
    return {"tables": tables, "players": players, "seats": seats, "stakes": stakes}


def log_in(user: Any) -> str:
    """The cookie of a browser in which this user has logged in."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


if __name__ == "__main__":
    main()
