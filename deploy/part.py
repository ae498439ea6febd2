"""One program of the site: start, wait, stop."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

READY_SECONDS = 30
STOP_SECONDS = 15
LAST_WORDS = 6
"""The number of log lines to print of a part that ended."""


class CannotStart(Exception):
    """A part cannot start. The message names the reason and the remedy."""


class Part:
    """A program that runs until it gets a signal. Its output is in ``log``."""

    programs: Sequence[str] = ()
    """The required programs."""
    package = ""
    """Debian's package of the program."""
    places: Sequence[Path] = (Path("/usr/sbin"), Path("/usr/local/sbin"))
    """Folders to search after ``PATH``."""
    stop_signal = signal.SIGTERM

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.log = folder / f"{name.replace(' ', '-')}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.started_at = 0.0
        """A time of ``time.monotonic``."""
        self._log_begins = 0
        """The size of the log when it was started last."""

    def command(self) -> Sequence[str]:
        """The program and its arguments."""
        raise NotImplementedError

    def is_ready(self) -> bool:
        """Whether it is ready for use."""
        raise NotImplementedError

    def environment(self) -> Mapping[str, str]:
        """The environment variables."""
        return os.environ

    def user(self) -> dict[str, Any]:
        """The user as arguments of ``subprocess``; empty for the current user."""
        return {}

    def start(self) -> None:
        """Start it. What it writes is appended to its log. Raises :class:`CannotStart`."""
        self.started_at = time.monotonic()
        with self.log.open("ab") as log:
            self._log_begins = log.tell()
            self.process = subprocess.Popen(
                [*self._end_with_parent(), *self.command()], env=self.environment(), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log,
                # Ctrl-C must reach only this program, which stops the parts in order.
                start_new_session=True, **self.user(),
            )  # fmt: skip

    def _end_with_parent(self) -> Sequence[str]:
        """The words before the command that end it with this program, also if that is killed; none where
        there is no such program.
        """
        setpriv = shutil.which("setpriv")
        name = self.stop_signal.name.removeprefix("SIG")
        return (setpriv, "--pdeathsig", name, "--") if setpriv else ()

    def wait_until_ready(self) -> None:
        """Wait until it is ready. Raises :class:`CannotStart` if it ends or takes too long."""
        until = time.monotonic() + READY_SECONDS
        while not self.is_ready():
            if not self.is_running():
                raise CannotStart(self.describe_exit())
            if time.monotonic() > until:
                raise CannotStart(f"{self.name} is not ready after {READY_SECONDS} seconds.")
            time.sleep(0.05)  # programs send no ready signal

    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self.process is not None and self.process.poll() is None

    def describe_exit(self) -> str:
        """A sentence about its end, and its last log lines."""
        status = self.process.poll() if self.process is not None else None
        if status is None:
            return f"{self.name} was not started."
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with {status}"
        output = self.log.read_bytes()[self._log_begins :].decode(errors="replace")
        lines = output.splitlines()[-LAST_WORDS:]
        return "\n".join([f"{self.name} ended {how}. What it said last ({self.log}):", *lines])

    def request_stop(self) -> None:
        """Send the signal for a regular stop."""
        if self.process is not None and self.is_running():
            self.process.send_signal(self.stop_signal)

    def stop(self) -> None:
        """Stop it; kill it after :data:`STOP_SECONDS`."""
        if self.process is None:
            return
        self.request_stop()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        # Processes of its own that a kill has left, such as nginx's workers, would keep the port.
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """Kill it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    @classmethod
    def verify_installed(cls) -> None:
        """Raise :class:`CannotStart` if a program is not installed."""
        for name in cls.programs:
            cls.find_program(name)

    @classmethod
    def find_program(cls, name: str) -> str:
        """The path of a program. Raises :class:`CannotStart` if it is not installed."""
        path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, cls.places)])
        program = shutil.which(name, path=path)
        if program is None:
            raise CannotStart(
                f"{name} is not installed. As root on Debian: apt-get install {cls.package}"
            )
        return program


def is_listening(port: int, host: str = "127.0.0.1") -> bool:
    """Whether a program accepts connections on this port."""
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError:
        return False
    return True


def find_free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
