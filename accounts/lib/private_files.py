"""Files and folders that only their owner may read: created and repaired."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Final

UMASK: Final = 0o077
FILE: Final = 0o600
FOLDER: Final = 0o700
PASSABLE_FOLDER: Final = 0o711
"""For ``make scale`` as root: other users may pass through, but not list it."""

OURS: Final = (
    "db.sqlite3*", "secret_key*", "vapid_key*", "*.log", "nginx.conf", "nginx.pid", "static", "backups",
    "blackjack-*.tar.gz*", "prepare.lock",
)  # fmt: skip
"""The site's own files in its folder. Other files there are not changed."""
BESIDE_DATABASE: Final = (
    "", "-wal", "-shm", "-journal", ".served", ".identity", ".told-*", ".before-*",
)  # fmt: skip
"""The endings of the files of an SQLite database."""


def make_private(folder: Path) -> None:
    """Set the umask, and correct the modes of existing files in the folder."""
    os.umask(UMASK)
    folder = folder.resolve()  # it may be a link to another disk
    if _allowed_mode(folder) != PASSABLE_FOLDER:
        _restrict(folder)
    for path in _list_own_files(folder):
        _restrict(path)


def make_database_private(database: Path) -> None:
    """Correct the modes of a database outside the folder, and of its files beside it."""
    file = database.resolve()
    for ending in BESIDE_DATABASE:
        for path in file.parent.glob(f"{escape(file.name)}{ending}"):
            if path.is_file():
                _restrict(path)


def make_passable(folder: Path, *, root: Path) -> None:
    """Let other users pass through a folder and its parents up to ``root``."""
    for each in (folder, *folder.parents):
        if not each.is_relative_to(root) and each != folder:
            return
        each.chmod(PASSABLE_FOLDER)


def _list_own_files(folder: Path) -> Iterator[Path]:
    for pattern in OURS:
        for path in folder.glob(pattern):
            yield path
            if path.is_dir() and not path.is_symlink():
                yield from path.rglob("*")


def _restrict(path: Path) -> None:
    """Remove rights of others, except on files of other users and sticky folders like /tmp."""
    with suppress(OSError):  # it may be deleted meanwhile, like SQLite's log
        status = path.lstat()
        is_folder = stat.S_ISDIR(status.st_mode)
        mode = FOLDER if is_folder else FILE
        is_plain = is_folder or stat.S_ISREG(status.st_mode)
        is_shared = bool(status.st_mode & stat.S_ISVTX) or status.st_uid != os.geteuid()
        if is_plain and not is_shared and stat.S_IMODE(status.st_mode) & ~mode:
            path.chmod(mode)


def _allowed_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
