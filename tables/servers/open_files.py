"""The limit of open files and sockets of a process."""

from __future__ import annotations

import resource
from typing import Final

MANY: Final = 65_536
"""A socket is one of them, and two for a proxy. A shell gives 1,024."""


def raise_limit() -> None:
    """Let this process, and those that it starts, have :data:`MANY` open, or as many as the system
    lets it ask for.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY if hard == resource.RLIM_INFINITY else min(MANY, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
