"""Files and folders that only their owner may read: created and repaired."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

UMASK: Final = 0o077
FILE: Final = 0o600
FOLDER: Final = 0o700
PASSABLE_FOLDER: Final = 0o711
"""Of a house whose parts run as users of their own: they pass through, and nobody lists it."""

OURS: Final = (
    "db.sqlite3*", "secret_key*", "*.log", "nginx.conf", "nginx.pid", "static", "backups",
    "blackjack-*.tar.gz*",
)  # fmt: skip
"""What the site keeps in its folder. Anything else there may be somebody else's."""


def make_private(folder: Path) -> None:
    """Make what this process writes readable for its user alone, and so what it wrote before."""
    os.umask(UMASK)
    if _mode(folder) != PASSABLE_FOLDER:
        _restrict(folder)
    for path in _ours(folder):
        _restrict(path)


def make_database_private(database: Path) -> None:
    """The same for a database that is kept elsewhere, and what SQLite keeps beside it."""
    for path in database.parent.glob(f"{database.name}*"):
        _restrict(path)


def make_passable(folder: Path, *, root: Path) -> None:
    """Let users of their own pass through a folder, and those between it and ``root``."""
    for each in (folder, *folder.parents):
        if not each.is_relative_to(root) and each != folder:
            return
        each.chmod(PASSABLE_FOLDER)


def _ours(folder: Path) -> Iterator[Path]:
    for pattern in OURS:
        for path in folder.glob(pattern):
            yield path
            if path.is_dir() and not path.is_symlink():
                yield from path.rglob("*")


def _restrict(path: Path) -> None:
    """Take rights from others; not from what is somebody else's, or meant for all, as /tmp is."""
    with suppress(OSError):  # it may have gone meanwhile, as SQLite's log does
        found = path.lstat()
        is_folder = stat.S_ISDIR(found.st_mode)
        wanted = FOLDER if is_folder else FILE
        is_plain = is_folder or stat.S_ISREG(found.st_mode)
        is_shared = bool(found.st_mode & stat.S_ISVTX) or found.st_uid != os.geteuid()
        if is_plain and not is_shared and stat.S_IMODE(found.st_mode) & ~wanted:
            path.chmod(wanted)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
