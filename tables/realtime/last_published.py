"""The last change that this process has published, stored outside the database.

A database without that change was restored from a backup, or its log was truncated. The file is
written before the change is published, without a sync to disk: it survives a killed process. It
also has the boot id, to detect a power failure.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from django.conf import settings

from tables.lib.database import identity as database_identity
from tables.state.effects import ChangeNotice

BYTES: Final = 160
ENDED_WELL: Final = "-"
"""Replaces the boot id after a clean end: all data is on the disk."""
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class LastPublished:
    """The last published change of one process."""

    epoch: str
    boot: str
    table_id: int
    """0 before the first publication."""
    seq: int
    at: int
    """In milliseconds."""


DAMAGED: Final = LastPublished("", ENDED_WELL, 0, 0, 1 << 62)
"""An unreadable mark. It contradicts every database."""


def read_boot_id() -> str:
    """The boot id of this machine; :data:`ENDED_WELL` if the system has none."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ENDED_WELL


class PublishedMark:
    """The mark of one process, in a file. Thread-safe."""

    def __init__(self) -> None:
        self._file: int | None = None
        self.mark: LastPublished | None = None

    def begin(self, epoch: str, at: int) -> None:
        """Begin an epoch without publications. If the folder is missing, no file is written."""
        if self._file is None:
            path = database_identity.path_beside_database(f"told-{settings.PORT}")
            with suppress(OSError):
                self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._write(LastPublished(epoch, read_boot_id(), 0, 0, at))
        self._sync()

    def record(self, changes: Sequence[ChangeNotice]) -> None:
        """Store the last of these changes, before it is published."""
        if self.mark is None or not changes:
            return
        last = changes[-1]
        frame = last.changed
        self._write(replace(self.mark, table_id=last.table_id, seq=frame.seq, at=frame.now))

    def end(self) -> None:
        """Store that the process ended cleanly, with all data on the disk."""
        if self.mark is not None:
            self._write(replace(self.mark, boot=ENDED_WELL))
            self._sync()
        if self._file is not None:
            os.close(self._file)
        self._file, self.mark = None, None

    def _write(self, mark: LastPublished) -> None:
        self.mark = mark
        if self._file is None:
            return
        line = f"{mark.epoch} {mark.boot} {mark.table_id} {mark.seq} {mark.at}"
        with suppress(OSError):  # an older mark is still correct
            os.pwrite(self._file, line.ljust(BYTES - 1).encode() + b"\n", 0)

    def _sync(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                os.fsync(self._file)


def load_marks() -> list[LastPublished]:
    """The marks of all processes that have run with this folder."""
    return [mark for path in list_paths() if (mark := _read_mark(path)) is not None]


def delete_damaged() -> None:
    """Remove the marks that cannot be read."""
    for path in list_paths():
        if _read_mark(path) is DAMAGED:
            path.unlink(missing_ok=True)


def delete_all() -> None:
    """Remove the marks of all processes: the database was replaced."""
    for path in list_paths():
        path.unlink(missing_ok=True)


def list_paths() -> list[Path]:
    """The files of the marks of all processes that have run with this database."""
    path = database_identity.path_beside_database("told-")
    return sorted(path.parent.glob(f"{path.name}*"))


def _read_mark(path: Path) -> LastPublished | None:
    """The mark in the file; ``None`` if a process was killed before it wrote one."""
    try:
        text = path.read_text()
        if not text:
            return None
        epoch, boot, table_id, seq, at = text.split()
        return LastPublished(epoch, boot, int(table_id), int(seq), int(at))
    except (OSError, ValueError):
        return DAMAGED


of_process: Final = PublishedMark()
"""The mark of this process."""
