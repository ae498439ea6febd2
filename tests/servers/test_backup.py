"""A backup that is made while people play, and the house that goes on from it."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
import sqlite3
import subprocess
import tarfile
import time
import uuid
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tables.backups import archive, sqlite
from tables.backups.archive import DamagedBackup
from tables.lib import process_lock
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer
from tests.servers.conftest import CASINO, House

SHOE = "8s 6h 8d Kc 2c 3d 9s Th 4c 5d"


async def manage(server: Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(server.manage, *arguments)


async def back_up(server: Server, folder: Path) -> Path:
    result = await manage(server, "backup", str(folder))
    assert result.returncode == 0, result.stderr
    (path,) = folder.glob("blackjack-*.tar.gz")
    return path


def get_public_state(table: dict[str, Any]) -> dict[str, Any]:
    """What must be the same again."""
    return {key: table[key] for key in ("phase", "round", "seats", "dealer", "asked", "shoe")}


async def test_a_house_goes_on_from_a_backup_that_was_made_in_mid_round(
    house: House, server: Server, tmp_path: Path
) -> None:
    server.stack(SHOE)
    # Backups may take a while.
    with closing(sqlite3.connect(server.data / "db.sqlite3")) as rows, rows:
        rows.execute("UPDATE tables_table SET turn_seconds = 300")
    ann = await house.seated("ann", 1)
    ben = await house.watching("ben")
    staked_from = ann.balance
    await ann.decide("bet", stake=1000)
    before, epoch = get_public_state(ann.table), (await ann.frame_of("heartbeat"))["epoch"]
    talk = asyncio.create_task(talk_on(ben))  # the house is written to while it is copied
    path = await back_up(server, tmp_path / "backups")
    talk.cancel()
    assert path.stat().st_mode & 0o777 == 0o600
    # What happens from here on will never have happened.
    lost = {"t": "hit", "turn": ann.table["turn"], "id": str(uuid.uuid4())}
    assert (await ann.send(**lost))["t"] == "done"
    await ann.decide("stand")
    later = ann.seq
    refused = await manage(server, "restore", str(path), "--yes")
    assert refused.returncode == 1
    assert "A server runs" in refused.stderr
    server.stop()
    refused = await manage(server, "restore", str(path))
    assert refused.returncode == 1
    assert "--yes" in refused.stderr
    restored = await manage(server, "restore", str(path), "--yes")
    assert restored.returncode == 0, restored.stderr
    assert "everything adds up" in restored.stdout
    server.start()
    snapshot = await ann.open(CASINO)
    assert snapshot["table"]["phase"] == "betting"
    assert snapshot["you"]["balance"] == staked_from
    assert snapshot["table"]["shoe"]["commitment"] != before["shoe"]["commitment"]
    assert snapshot["epoch"] != epoch
    assert snapshot["seq"] < later
    assert (await ann.frame_of("heartbeat"))["epoch"] == snapshot["epoch"]
    again = await ann.send(**lost)
    assert (again["t"], again["code"]) == ("err", "stale_turn")
    audit = await manage(server, "audit")
    assert audit.returncode == 0, audit.stderr


async def talk_on(player: SocketPlayer) -> None:
    while True:
        await player.send(t="say", text="Is it my turn?")
        await asyncio.sleep(1.1)


@pytest.mark.long
def test_what_is_no_backup_is_refused_and_changes_nothing(server: Server, tmp_path: Path) -> None:
    server.stop()
    path = asyncio.run(back_up(server, tmp_path))
    (server.data / "db.sqlite3").rename(tmp_path / "kept")
    whole = path.read_bytes()
    for wrong, what in (
        (b"nonsense", "is no backup"),
        (whole[: len(whole) // 2], "damaged"),
        (with_other_data(path, tmp_path), "is damaged"),
        (with_other_words(path, tmp_path, "kind: sqlite", "kind: postgresql"), "DATABASE_URL"),
        (with_other_words(path, tmp_path, "tables.0", "tables.9"), "newer version"),
        (with_other_words(path, tmp_path, "migrations: ", "migrations: \nx-"), "nothing of this"),
    ):
        (tmp_path / "wrong.tar.gz").write_bytes(wrong)
        refused = server.manage("restore", str(tmp_path / "wrong.tar.gz"))
        assert refused.returncode == 1
        assert what in refused.stderr
        assert "Traceback" not in refused.stderr
        assert not (server.data / "db.sqlite3").exists()
    (server.data / ".blackjack-restore-killed").mkdir()
    # Nothing is there that could be lost: no --yes is asked for.
    restored = server.manage("restore", str(path))
    assert restored.returncode == 0, restored.stderr
    assert not (server.data / ".blackjack-restore-killed").exists()


def test_a_backup_has_the_migrations_that_it_says(tmp_path: Path) -> None:
    database = tmp_path / "house"
    with closing(sqlite3.connect(database)) as here:
        here.execute("CREATE TABLE django_migrations (app text, name text)")
        rows = [("tables", "0001"), ("tables", "0002"), ("accounts", "0001"), ("auth", "0012")]
        here.executemany("INSERT INTO django_migrations VALUES (?, ?)", rows)
        here.commit()
    sqlite.verify_migrations(database, "tables.0002 accounts.0001")
    for migrations in ("tables.0001 accounts.0001", "tables.0002 accounts.0002"):
        with pytest.raises(DamagedBackup, match="not the one that its about"):
            sqlite.verify_migrations(database, migrations)
    (tmp_path / "empty").touch()
    with pytest.raises(DamagedBackup):
        sqlite.verify_migrations(tmp_path / "empty", "tables.0002")


def test_a_restore_that_is_killed_leaves_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / name for name in ("db.sqlite3", "backup", "db.sqlite3.before")]
    old, new, aside = paths
    for path in (old, new):
        with closing(sqlite3.connect(path)) as here:
            here.execute(f"CREATE TABLE {path.stem} (id integer)")
    content = old.read_bytes()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(Path, "replace", die)
        with pytest.raises(KeyboardInterrupt):
            sqlite.restore(new, old, aside)
    assert (old.read_bytes(), aside.read_bytes()) == (content, content)
    aside.unlink()
    sqlite.restore(new, old, aside)
    assert aside.read_bytes() == content
    with closing(sqlite3.connect(old)) as here:
        assert here.execute("SELECT name FROM sqlite_master").fetchall() == [("backup",)]


def test_an_old_database_keeps_what_was_in_its_log_alone(tmp_path: Path) -> None:
    """After a kill the log stays: it is lost if its file gets a new name before it does."""
    database, aside = tmp_path / "db.sqlite3", tmp_path / "db.sqlite3.before"
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE hand (id integer)")
        writer.commit()
        shutil.copytree(tmp_path, tmp_path / "killed")  # as the kill leaves the files
    killed = tmp_path / "killed" / "db.sqlite3"
    assert Path(f"{killed}-wal").stat().st_size
    sqlite.set_aside(killed, aside)
    assert [path.name for path in tmp_path.glob("*.before*")] == [aside.name]  # without a log
    with closing(sqlite3.connect(aside)) as old:
        assert old.execute("SELECT name FROM sqlite_master").fetchall() == [("hand",)]


def test_a_path_with_any_character_is_backed_up(tmp_path: Path, prepared: Path) -> None:
    """SQLite's addresses end at # and ?, and read %41 as a letter."""
    for number, name in enumerate(("card room #1", "a?b", "a%41b", "ä ö;'[1]~")):
        server = Server(tmp_path / name)
        shutil.copytree(prepared, server.data)
        folder = tmp_path / f"backups-{number}"
        result = server.manage("backup", str(folder))
        assert result.returncode == 0, result.stderr
        (path,) = folder.glob("*.tar.gz")
        assert path.stat().st_size > 10_000
        assert not (tmp_path / "card room ").exists()
        restored = server.manage("restore", str(path), "--yes")
        assert restored.returncode == 0, restored.stderr
        assert "everything adds up" in restored.stdout


def test_a_database_behind_a_link_is_restored_where_it_is(tmp_path: Path, prepared: Path) -> None:
    server, disk = Server(tmp_path / "house"), tmp_path / "disk"
    shutil.copytree(prepared, server.data)
    disk.mkdir()
    (server.data / "db.sqlite3").rename(disk / "house")
    (server.data / "db.sqlite3").symlink_to(disk / "house")
    assert server.manage("backup", str(tmp_path / "backups")).returncode == 0
    (path,) = (tmp_path / "backups").iterdir()
    restored = server.manage("restore", str(path), "--yes")
    assert restored.returncode == 0, restored.stderr
    assert (server.data / "db.sqlite3").is_symlink()
    assert len([*disk.glob("house.before-*")]) == 1


def test_a_restore_at_the_moment_of_another_one_is_refused(server: Server, tmp_path: Path) -> None:
    server.stop()
    path = asyncio.run(back_up(server, tmp_path))
    with process_lock.lock_file(process_lock.get_path(server.data / "db.sqlite3")):
        refused = server.manage("restore", str(path), "--yes")
    assert refused.returncode == 1
    assert "A server runs" in refused.stderr


def test_two_databases_are_set_aside_in_one_second(tmp_path: Path) -> None:
    database, now = tmp_path / "db.sqlite3", dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
    names = []
    for _ in range(3):
        aside = sqlite.find_aside(database, now)
        aside.touch()
        names.append(aside.name)
    first = "db.sqlite3.before-2026-01-02T030405Z"
    assert names == [first, f"{first}-2", f"{first}-3"]


def test_any_damage_to_a_backup_is_a_sentence(tmp_path: Path) -> None:
    chance, folder = Random(1), tmp_path / "inside"
    data = tmp_path / "data"
    data.write_text(" ".join(str(chance.randrange(1_000)) for _ in range(20_000)))
    whole = tmp_path / "whole.tar.gz"
    now = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
    archive.pack(data, whole, kind="sqlite", made_at=now, migrations="tables.0001")
    damaged = tmp_path / "damaged.tar.gz"
    for _ in range(300):
        content = bytearray(whole.read_bytes())
        for place in chance.choices(range(10, len(content) - 8), k=3):
            content[place] = chance.randrange(256)
        damaged.write_bytes(content)
        folder.mkdir()
        with suppress(DamagedBackup, OSError):
            archive.unpack(damaged, folder)
        shutil.rmtree(folder)


def test_what_a_killed_backup_has_left_goes_with_the_next_one(
    server: Server, tmp_path: Path
) -> None:
    left = tmp_path / ".blackjack-backup-x1"
    left.mkdir()
    (left / "house").touch()
    part = tmp_path / "blackjack-2026-01-01T030000Z.tar.gz.part"
    part.touch()
    with archive.lock_folder(tmp_path) as is_alone:
        assert is_alone
        assert server.manage("backup", str(tmp_path)).returncode == 0
        assert left.exists(), "another backup is being made"
    time.sleep(1.1)  # its name is the second
    assert server.manage("backup", str(tmp_path)).returncode == 0
    assert not left.exists()
    assert not part.exists()


@pytest.mark.parametrize(
    ("others", "keep", "left"),
    [
        (["blackjack-before-upgrade.tar.gz"], 1, ["blackjack-before-upgrade.tar.gz"]),
        (
            ["blackjack-2090-01-01T030000Z.tar.gz", "blackjack-2020-01-01T030000Z.tar.gz"], 2,
            ["blackjack-2020-01-01T030000Z.tar.gz"],
        ),
        (["blackjack-2090-01-01T030000Z.tar.gz"], 1, []),
        (
            ["blackjack-x.tar.gz", "blackjack-2020-01-01T030000Z.tar.gz"], 2,
            ["blackjack-2020-01-01T030000Z.tar.gz", "blackjack-x.tar.gz"],
        ),
    ],
    ids=["own name", "a clock that was wrong", "it alone", "own name among them"],
)  # fmt: skip
def test_a_backup_never_removes_itself_or_other_files(
    others: list[str], keep: int, left: list[str], tmp_path: Path
) -> None:
    newest = tmp_path / "blackjack-2026-01-02T030000Z.tar.gz"
    for name in (newest.name, *others):
        (tmp_path / name).touch()
    archive.delete_old(newest, keep)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([newest.name, *left])


def test_old_backups_go_and_the_newest_stay(server: Server, tmp_path: Path) -> None:
    for day in ("2020-01-01", "2020-01-02", "2020-01-03"):
        (tmp_path / f"blackjack-{day}T030000Z.tar.gz").touch()
    (tmp_path / "somebody-elses.tar.gz").touch()
    result = server.manage("backup", str(tmp_path), "--keep", "2")
    assert result.returncode == 0, result.stderr
    names = sorted(path.name for path in tmp_path.glob("*.tar.gz"))
    assert len(names) == 3
    assert names[0] == "blackjack-2020-01-03T030000Z.tar.gz"
    assert names[2] == "somebody-elses.tar.gz"


@pytest.mark.parametrize("is_there", [True, False], ids=["an empty file", "no file"])
def test_a_database_without_this_program_is_no_backup_and_removes_none(
    is_there: bool, tmp_path: Path
) -> None:
    """A wrong BLACKJACK_DATA in a line of cron would replace all good ones night by night."""
    good = tmp_path / "blackjack-2020-01-01T030000Z.tar.gz"
    good.touch()
    wrong = Server(tmp_path / "wrong")
    database = wrong.data / "db.sqlite3"
    database.parent.mkdir(exist_ok=True)
    if is_there:
        database.touch()
    for command in (["backup", str(tmp_path), "--keep", "1"], ["audit"]):
        result = wrong.manage(*command)
        assert result.returncode == 1
        assert len(result.stderr.splitlines()) == 1
    assert [path for path in tmp_path.iterdir() if path.is_file()] == [good]
    assert database.exists() == is_there


def _filter() -> dict[str, Any]:
    """Debian's Python 3.11 has no filters yet; since 3.12 they are asked for."""
    return {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


def with_other_data(path: Path, folder: Path) -> bytes:
    with tarfile.open(path) as tar:
        tar.extractall(folder / "inside", **_filter())
    with closing(sqlite3.connect(folder / "inside/house")) as database, database:
        database.execute("UPDATE accounts_account SET balance = balance + 1")
    return packed(folder)


def with_other_words(path: Path, folder: Path, what: str, by: str) -> bytes:
    with tarfile.open(path) as tar:
        tar.extractall(folder / "inside", **_filter())
    about = folder / "inside/about.txt"
    about.write_text(about.read_text().replace(what, by))
    return packed(folder)


def packed(folder: Path) -> bytes:
    with tarfile.open(folder / "other.tar.gz", "w:gz") as tar:
        for name in ("about.txt", "house"):
            tar.add(folder / "inside" / name, name)
    return (folder / "other.tar.gz").read_bytes()
