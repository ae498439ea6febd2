"""The registry of running server processes."""

from __future__ import annotations

import datetime as dt
import os
import socket
from typing import Final

from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS, DatabaseError

from accounts.lib import server_clock
from tables.models import OpenPage, ServerProcess

STALE: Final = dt.timedelta(seconds=60)
"""A process that has not reported for this long has ended or hangs."""
FORGOTTEN: Final = dt.timedelta(days=1)
"""How long a process that ended without unregistering is still shown."""


def record_process(key: str, sockets: int, now: dt.datetime) -> None:
    """Record that the process runs, and its number of sockets; delete old entries."""
    where = {"host": socket.gethostname()[:100], "pid": os.getpid()}
    values = {"seen_at": now, "sockets": sockets}
    ServerProcess.objects.update_or_create(
        key=key, defaults=values, create_defaults={**where, **values, "started_at": now}
    )
    ServerProcess.objects.filter(seen_at__lte=now - FORGOTTEN).delete()


def unregister(key: str) -> None:
    """Unregister a process that ends."""
    ServerProcess.objects.filter(key=key).delete()
    OpenPage.objects.filter(process=key).delete()


def is_stale(process: ServerProcess, now: dt.datetime) -> bool:
    """Whether the process has not reported for :data:`STALE`."""
    return process.seen_at <= now - STALE


# Running servers


def verify_no_server_runs(database: str = DEFAULT_DB_ALIAS) -> None:
    """Check that the database lists no running server. Raises ``CommandError``."""
    try:
        rows = ServerProcess.objects.using(database)
        servers = [row for row in rows if _is_running(row)]
    except DatabaseError:
        return  # an unreadable database may be the reason to restore
    if servers:
        processes = ", ".join(f"process {row.pid} on {row.host}" for row in servers)
        raise CommandError(
            f"A server runs: {processes}. Stop it first. One that was killed on another machine is "
            "not heard of any more after a minute."
        )


def _is_running(row: ServerProcess) -> bool:
    if is_stale(row, server_clock.now()):
        return False
    if row.host != socket.gethostname()[:100]:
        return True
    try:
        os.kill(row.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
