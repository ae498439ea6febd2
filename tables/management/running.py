"""Whether a server runs, for what may be done only while none does."""

from __future__ import annotations

import os
import socket

from django.core.management.base import CommandError
from django.db import DatabaseError
from django.utils import timezone

from tables import processes
from tables.models import ServerProcess


def verify_nobody_plays() -> None:
    """Check that no server runs, as far as the database knows. Raises ``CommandError``."""
    try:
        found = [row for row in ServerProcess.objects.all() if _runs(row)]
    except DatabaseError:
        return  # perhaps the reason to restore
    if found:
        told = ", ".join(f"process {row.pid} on {row.host}" for row in found)
        raise CommandError(
            f"A server runs: {told}. Stop it first. One that was killed on another machine is "
            "not heard of any more after a minute."
        )


def _runs(row: ServerProcess) -> bool:
    if processes.is_stale(row, timezone.now()):
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
