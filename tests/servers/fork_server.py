"""Servers and commands that are forked from a process which has loaded the site's code.

To load it takes longer than many a test. The process that is forked has read the settings, has
opened no database, and runs no thread and no loop. Its settings name a link to the data: before a
start, the link is set to the data of that server. So one server at a time can be forked, with its
commands, and all others are started as programs.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from multiprocessing import forkserver
from pathlib import Path
from typing import Final

_LOADED: Final = "tests.servers.loaded_site"
_context = multiprocessing.get_context("forkserver")


class ForkedProcess:
    """A forked program, with what is used of :class:`subprocess.Popen`."""

    def __init__(self, target: Callable[..., None], *arguments: object) -> None:
        self._process = _context.Process(target=target, args=arguments, daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        """What it has ended with, or ``None``."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises ``TimeoutError``."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise TimeoutError(f"process {self.pid} goes on after {timeout} s")
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()


class LoadedSite:
    """The process that is forked, and where its settings find data and port."""

    def __init__(self, prepared: Path, port: int) -> None:
        self.port = port
        self.is_taken = False
        self._link = Path(tempfile.mkdtemp(dir=prepared.parent)) / "data"
        self._link_to(prepared)
        own = dict(os.environ)
        _context.set_forkserver_preload([_LOADED])
        try:
            os.environ.pop("DJANGO_SETTINGS_MODULE", None)
            os.environ |= {"BLACKJACK_DATA": str(self._link), "PORT": str(port)}
            forkserver.ensure_running()
        finally:
            os.environ.clear()
            os.environ.update(own)

    def serve(self, data: Path, log: Path, port: int) -> ForkedProcess:
        """A server on this data and this port."""
        self._link_to(data)
        return ForkedProcess(_serve, log, port)

    def manage(self, arguments: tuple[str, ...], environment: dict[str, str]) -> tuple[int, Path]:
        """A command on the data of the server. Returns its exit status, and the folder of what it
        has written: ``stdout`` and ``stderr``.
        """
        folder = Path(tempfile.mkdtemp(dir=self._link.parent))
        return ForkedProcess(_manage, arguments, environment, folder).wait(60), folder

    def _link_to(self, data: Path) -> None:
        new = self._link.with_name("new")
        new.symlink_to(data, target_is_directory=True)
        new.replace(self._link)


def _serve(log: Path, port: int) -> None:
    """The program ``tests.servers.stacked``, in the forked process."""
    _write_to(log, log)
    from django.conf import settings

    from tests.servers import stacked

    settings.PORT = port
    sys.argv = ["tests.servers.stacked"]
    stacked.main()


def _manage(arguments: tuple[str, ...], environment: dict[str, str], folder: Path) -> None:
    """The program ``manage.py``, in the forked process."""
    _write_to(folder / "stdout", folder / "stderr")
    from django.core.management import execute_from_command_line

    os.environ |= environment
    sys.argv = ["manage.py", *arguments]
    execute_from_command_line(sys.argv)


def _write_to(*paths: Path) -> None:
    for path, stream in zip(paths, (sys.stdout, sys.stderr), strict=True):
        with path.open("ab") as file:
            os.dup2(file.fileno(), stream.fileno())
