"""What the house writes is for its own user alone, whatever the umask of who starts it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.program import ROOT
from tests.helpers.servers.process import serving


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """What somebody else on this machine could read, write or enter."""
    paths = [folder, *folder.rglob("*")]
    return [
        f"{path} {stat.filemode(path.lstat().st_mode)}"
        for path in paths
        if not path.is_symlink() and path.stat().st_mode & 0o077
    ]


def manage(folder: Path, *arguments: str, **variables: str) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, check=True, capture_output=True,
        env={"PATH": os.environ["PATH"], "BLACKJACK_DATA": str(folder), **variables},
    )  # fmt: skip


@pytest.mark.long
def test_case_47_a_new_house_is_private_under_any_umask(tmp_path: Path) -> None:
    """The one that takes away nothing: others open less."""
    folder = tmp_path / "house"
    with umask(0o000):
        manage(folder, "prepare")
        manage(folder, "backup", str(folder / "backups"))
    names = {path.name for path in folder.iterdir()}
    assert {"db.sqlite3", "secret_key", "static", "backups"} <= names
    assert open_to_others(folder) == []


def test_case_47_a_house_of_before_is_mended_when_it_starts(tmp_path: Path, prepared: Path) -> None:
    before = tmp_path / "before"
    shutil.copytree(prepared, before)
    (before / "web-1.log").write_text("203.0.113.7")
    for path in (before, *before.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with umask(0o000), serving(tmp_path, before, is_forked=False) as server:
        server.log.chmod(0o600)  # who starts it has made this one
        assert open_to_others(server.data) == []
        assert (server.data / "db.sqlite3-wal").exists()


def test_case_47_what_is_not_the_houses_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    folder.mkdir()
    other = folder / "notes.txt"
    other.write_text("of somebody else")
    other.chmod(0o644)
    manage(folder, "check")
    assert stat.S_IMODE(other.stat().st_mode) == 0o644


def test_case_47_a_house_behind_links_is_mended_where_it_is(tmp_path: Path, prepared: Path) -> None:
    """Its folder and its database are on other disks."""
    disk, other_disk = tmp_path / "disk", tmp_path / "other"
    shutil.copytree(prepared, disk)
    other_disk.mkdir()
    (disk / "db.sqlite3").rename(other_disk / "house")
    (disk / "db.sqlite3").symlink_to(other_disk / "house")
    (tmp_path / "var").symlink_to(disk, target_is_directory=True)
    for path in (disk, other_disk / "house", disk / "secret_key"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with umask(0o000):
        manage(tmp_path / "var", "audit")
    assert open_to_others(disk) == []
    assert stat.S_IMODE((other_disk / "house").stat().st_mode) == 0o600


def test_case_47_files_beside_a_database_elsewhere_are_left_alone(
    tmp_path: Path, prepared: Path
) -> None:
    place = tmp_path / "srv"
    place.mkdir()
    shutil.copy(prepared / "db.sqlite3", place / "cards")
    (place / "cards.html").touch()
    (place / "cards-photos").mkdir()
    for path in place.iterdir():
        path.chmod(0o755 if path.is_dir() else 0o644)
    place.chmod(0o755)
    manage(tmp_path / "house", "check", DATABASE_URL=f"sqlite:///{place}/cards")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (place, *place.iterdir())}
    assert modes == {"srv": 0o755, "cards": 0o600, "cards.html": 0o644, "cards-photos": 0o755}
