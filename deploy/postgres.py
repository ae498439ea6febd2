"""PostgreSQL of ``make scale``, with persistent data."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deploy.part import CannotStart, Part

SYSTEM_USER = "postgres"
"""The user if root starts it: PostgreSQL refuses to run as root."""
DATABASE_USER = "house"
CONNECTIONS_OF_A_PROCESS = 10
CONNECTIONS_OF_OTHERS = 20


def _read_version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdecimal() else 0


class Postgres(Part):
    """PostgreSQL on a unix socket in a folder that only its user and root may enter."""

    programs = ("initdb", "postgres", "pg_isready")
    package = "postgresql"
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_read_version, reverse=True)
    stop_signal = signal.SIGINT  # it ends every session first, and then itself

    def __init__(self, folder: Path, processes: int) -> None:
        super().__init__("postgresql", folder)
        self.data = folder / "postgresql"
        self.connections = CONNECTIONS_OF_A_PROCESS * processes + CONNECTIONS_OF_OTHERS
        # A short path: that of a unix socket has 100 characters at most.
        self.sockets = Path(tempfile.mkdtemp(prefix="blackjack-"))
        self.url = f"postgres://{DATABASE_USER}:@/postgres?host={self.sockets}"

    def command(self) -> Sequence[str]:
        return (
            self.find_program("postgres"), "-D", str(self.data), "-k", str(self.sockets),
            "-c", "listen_addresses=", "-c", f"max_connections={self.connections}",
        )  # fmt: skip

    def is_ready(self) -> bool:
        command = self._build_ready_command(str(self.sockets))
        return subprocess.run(command, check=False).returncode == 0

    def has_data(self) -> bool:
        """Whether its data was created."""
        return (self.data / "PG_VERSION").exists()

    @staticmethod
    def is_in_use(folder: Path) -> bool:
        """Whether a server runs on the data in this folder, or is about to end."""
        try:
            process = int((folder / "postgresql/postmaster.pid").read_text().splitlines()[0])
            os.kill(process, 0)
        except (OSError, IndexError, ValueError):
            return False
        return True

    def find_running(self) -> str:
        """The URL of a server that runs on this data already; empty if none does."""
        try:
            # Its format is documented: process, data, start, port, socket folder, …
            lines = (self.data / "postmaster.pid").read_text().splitlines()
            sockets = lines[4].strip()
        except (OSError, IndexError):
            return ""
        command = self._build_ready_command(sockets)
        if subprocess.run(command, check=False).returncode:
            return ""
        return f"postgres://{DATABASE_USER}:@/postgres?host={sockets}"

    def _build_ready_command(self, sockets: str) -> Sequence[str]:
        """The command that asks whether the server on these sockets answers."""
        # By default it names the user of this program and a database of that name: the server would log
        # an error.
        names = ("--username", DATABASE_USER, "--dbname", "postgres")
        return (self.find_program("pg_isready"), "--quiet", "--host", sockets, *names)

    def user(self) -> dict[str, Any]:
        if os.geteuid() != 0:
            return {}
        return {"user": SYSTEM_USER, "group": SYSTEM_USER, "extra_groups": []}

    def start(self) -> None:
        """Start it; create its data first if there is none. Raises :class:`CannotStart`."""
        initdb = self.find_program("initdb")
        self.data.mkdir(mode=0o700, exist_ok=True)
        for folder in (self.data, self.sockets):
            self._give_to_user(folder)
        if not self.has_data():
            # All users of the socket are trusted; the mode of its folder restricts them.
            result = subprocess.run(
                [initdb, "-D", str(self.data), "--username", DATABASE_USER, "--auth", "trust",
                 "--encoding", "utf8", "--locale", "C.UTF-8"],
                cwd="/", capture_output=True, text=True, check=False, **self.user(),
            )  # fmt: skip
            if result.returncode:
                raise CannotStart(f"PostgreSQL could make no database:\n{result.stderr.strip()}")
        super().start()

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self.sockets, ignore_errors=True)

    def _give_to_user(self, folder: Path) -> None:
        """Give a folder to the user of PostgreSQL."""
        if not self.user():
            return
        system_user = pwd.getpwnam(SYSTEM_USER)
        os.chown(folder, system_user.pw_uid, system_user.pw_gid)
        may_write = subprocess.run(
            ["/usr/bin/test", "-w", str(folder)], cwd="/", check=False, **self.user()
        )
        if may_write.returncode:
            raise CannotStart(
                f"PostgreSQL does not run as root, and the user {SYSTEM_USER} cannot enter "
                f"{folder}: name another folder by BLACKJACK_DATA, or start this as another user."
            )
