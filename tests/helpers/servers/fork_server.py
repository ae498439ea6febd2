"""Programs of the site that are forked from a process which has loaded code.

To load the code takes longer than many a test. A fork server loads a module, and then forks a
process for each program that it is sent, with an environment of its own: a script of the project,
``-m`` and a module, or ``-c`` and code. It has opened no database and runs no thread and no loop.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

ROOT = Path(__file__).resolve().parents[3]


class ForkedProcess:
    """A forked program, with what is used of :class:`subprocess.Popen`."""

    def __init__(self, status_fd: int) -> None:
        self._status = os.fdopen(status_fd)
        self.pid = int(self._status.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """What it has ended with, or ``None``."""
        return self._ended_within(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises :class:`subprocess.TimeoutExpired`."""
        status = self._ended_within(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def _ended_within(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], seconds)[0]:
            self.returncode = int(self._status.readline())
            self._status.close()
        return self.returncode


class ForkServer:
    """The process that has loaded ``module`` and is forked. It ends with the process that made it."""

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._requests, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", __name__, module, str(theirs.fileno())],
                cwd=ROOT, env=environment, pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip
        atexit.register(process.wait)
        atexit.register(self._requests.close)

    def start(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        output: IO[Any],
        errors: IO[Any],
        *,
        folder: Path = ROOT,
    ) -> ForkedProcess:
        """Start what Python runs with these arguments."""
        reader, writer = os.pipe()
        with tempfile.TemporaryFile("w+") as request, open(writer, "w") as status:
            limit = resource.getrlimit(resource.RLIMIT_NOFILE)
            json.dump([command, dict(environment), str(folder), limit], request)
            request.flush()
            request.seek(0)
            files = [file.fileno() for file in (request, output, errors, status)]
            socket.send_fds(self._requests, [b"1"], files)
        return ForkedProcess(reader)

    def run(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        folder: Path = ROOT,
        timeout: float | None = 60,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            process = self.start(command, environment, output, errors, folder=folder)
            try:
                status = process.wait(timeout)
            finally:
                process.kill()
            output.seek(0)
            errors.seek(0)
            return subprocess.CompletedProcess(command, status, output.read(), errors.read())


@cache
def with_packages() -> ForkServer:
    """The fork server of this test process that has loaded what does not depend on settings."""
    return ForkServer("tests.helpers.servers.loaded_packages", own_environment())


def own_environment() -> dict[str, str]:
    """The variables of this process, without the settings of the tests."""
    return {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}


def main() -> None:
    """Load the module, and run in each forked process the program that was sent for."""
    module, requests = sys.argv[1:]
    import_module(module)
    gc.collect()
    gc.freeze()
    sys.argv = _forked(socket.socket(fileno=int(requests)))
    # As Python runs a command. Nothing is caught: status and traceback are the program's own.
    if sys.argv[0] == "-c":
        exec(sys.argv.pop(1), {"__name__": "__main__"})
    elif sys.argv[0] == "-m":
        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(str(ROOT / sys.argv[0]), run_name="__main__")


def _forked(requests: socket.socket) -> list[str]:
    """Fork for each request, and return the command in the forked process."""
    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        sent, files, *_ = socket.recv_fds(requests, 1, 4)
        if not sent:
            sys.exit()
        if os.fork() == 0:
            break
        for file in files:
            os.close(file)
    requests.close()
    signal.signal(signal.SIGCHLD, ended)
    request, output, errors, status = files
    if pid := os.fork():
        os.close(output)
        os.close(errors)
        _report(pid, status)
    os.close(status)
    signal.signal(signal.SIGINT, interrupted)
    os.dup2(output, sys.stdout.fileno())
    os.dup2(errors, sys.stderr.fileno())
    for file in (output, errors):
        os.close(file)
    with open(request) as file:
        command, environment, folder, limit = json.load(file)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    return list(command)


def _report(pid: int, status: int) -> NoReturn:
    """Report the id of the program, and what it ends with, from the process between."""
    with open(status, "w", buffering=1) as file:
        print(pid, file=file)
        _, ended = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(ended), file=file)
    os._exit(0)


if __name__ == "__main__":
    main()
