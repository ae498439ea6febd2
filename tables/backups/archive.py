"""The backup file: a ``.tar.gz`` with a manifest and the data."""

from __future__ import annotations

import datetime as dt
import fcntl
import hashlib
import io
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Final

ABOUT: Final = "about.txt"
DATA: Final = "house"
"""The name of the data in the archive: an SQLite file, or the SQL dump of PostgreSQL."""
PATTERN: Final = "blackjack-*.tar.gz"
UNPACKED: Final = ".blackjack-backup-"
"""The beginning of the name of a folder with a copy that is not packed yet."""
UNFINISHED: Final = ".part"
CHUNK: Final = 1 << 20
_DATED: Final = re.compile(r"blackjack-\d{4}-\d{2}-\d{2}T\d{6}Z\.tar\.gz")


class DamagedBackup(Exception):
    """The file is no backup, or is damaged."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a backup, one line per field."""

    kind: str
    """``sqlite`` or ``postgresql``."""
    made_at: str
    migrations: str
    """The last migration of each app: the version of the data."""
    sha256: str
    """The hash of the data."""


def backup_name(made_at: dt.datetime) -> str:
    """The name of a backup of that time. Sorted names are in the order of time."""
    return f"blackjack-{made_at:%Y-%m-%dT%H%M%SZ}.tar.gz"


def pack(data: Path, target: Path, *, kind: str, made_at: dt.datetime, migrations: str) -> Manifest:
    """Write the backup atomically, readable only by its owner; return its manifest.

    Raises ``FileExistsError``, and ``OSError`` when the disk is full.
    """
    about = Manifest(kind, made_at.isoformat(timespec="seconds"), migrations, _sha256(data))
    unfinished = target.with_name(target.name + UNFINISHED)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as tar:
                _add_file(tar, ABOUT, _write_manifest(about))
                tar.add(data, DATA, filter=_remove_owner)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            raise FileExistsError(f"{target} is there already")
        unfinished.rename(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return about


def unpack(source: Path, folder: Path) -> tuple[Manifest, Path]:
    """Extract a backup: return its manifest, and its data as a file in ``folder``.

    Raises :class:`DamagedBackup`, and ``OSError``.
    """
    data = folder / DATA
    try:
        with tarfile.open(source, "r:gz") as tar:
            about = _read_manifest(_open_member(tar, ABOUT).read(CHUNK).decode())
            with data.open("xb") as file:
                shutil.copyfileobj(_open_member(tar, DATA), file, CHUNK)
    except (tarfile.TarError, zlib.error, EOFError, UnicodeDecodeError, KeyError) as error:
        raise DamagedBackup(
            f"{source} is no backup of this program, or is damaged ({error})."
        ) from error
    if _sha256(data) != about.sha256:
        raise DamagedBackup(f"{source} is damaged: its data is not what was written.")
    return about, data


def delete_old(newest: Path, keep: int) -> list[Path]:
    """Remove backups beside the ``newest``, so that ``keep`` are left; return the removed ones.

    Files with other names are not counted. A backup of a later time was made while the clock was wrong,
    and goes first.
    """
    others = [
        path
        for path in newest.parent.glob(PATTERN)
        if path != newest and _DATED.fullmatch(path.name)
    ]
    others.sort(key=lambda path: (path.name < newest.name, path.name))
    old = others[: max(0, len(others) - (keep - 1))]
    for path in old:
        path.unlink()
    return old


@contextmanager
def lock_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder of backups. False if another backup is being made there, or if it cannot be locked."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # so do some file systems of networks
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def delete_unfinished(folder: Path) -> None:
    """Remove what backups that were killed have left, with the folder locked."""
    for path in folder.glob(f"{UNPACKED}*"):
        shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob(f"{PATTERN}{UNFINISHED}"):
        path.unlink()


def _write_manifest(about: Manifest) -> bytes:
    return "".join(f"{name}: {value}\n" for name, value in asdict(about).items()).encode()


def _read_manifest(text: str) -> Manifest:
    values = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    return Manifest(*(values[field.name] for field in fields(Manifest)))


def _add_file(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    tar.addfile(member, io.BytesIO(content))


def _remove_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o600
    return member


def _open_member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    file = tar.extractfile(name)
    if file is None:
        raise KeyError(name)
    return file


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
