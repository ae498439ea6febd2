"""The limit of open files and sockets of a process."""

from __future__ import annotations

import resource
from typing import Final

MANY: Final = 65_536
"""Each socket uses one, or two in a proxy. The default is often 1,024."""


def raise_limit() -> None:
    """Raise the limit of this process and its children to :data:`MANY` or the maximum."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MANY if hard == resource.RLIM_INFINITY else min(MANY, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
