"""How many files and sockets programs may have open, as a shell gives them and as they are now."""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tables.servers.open_files import MANY

OF_A_SHELL = 1024
HARD = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
MOST = MANY if HARD == resource.RLIM_INFINITY else min(MANY, HARD)
"""What the house is to have here."""


@contextmanager
def as_in_a_shell() -> Iterator[None]:
    """What is started here begins with what a shell gives."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (OF_A_SHELL, HARD))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def open_at_most(pid: int) -> int:
    """How many the process with this id may have open."""
    limits = Path(f"/proc/{pid}/limits").read_text()
    return int(re.findall(r"^Max open files +(\d+)", limits, re.MULTILINE)[0])
