"""A real server process with data of its own, for tests that look at the product from outside."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import URLError

from deploy.part import is_listening
from deploy.web import WEB
from tests.servers.fork_server import ForkedProcess, LoadedSite

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 30
FIRST_PORT, PORTS_EACH, PROCESSES = 10_000, 2_000, 11
"""All of them below those that the system gives to whoever asks for any port."""


def _ports() -> Iterator[int]:
    """Those of this test process, over and over; two runs at once begin at different ones."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    number = (int(worker) + 1 if worker else 0) % PROCESSES
    for place in itertools.count(random.randrange(PORTS_EACH)):
        yield FIRST_PORT + number * PORTS_EACH + place % PORTS_EACH


_ports_of_ours = _ports()


def own_port() -> int:
    """A port that nobody listens on, and that no other test process takes meanwhile."""
    return next(port for port in _ports_of_ours if not is_listening(port))


def stacked_shoes(data: Path, table: int | None = None) -> Path:
    """The file from which a server under test takes the next shoes, one a line.

    Those of this table alone, or those of the table that comes first.
    """
    return data / ("stacked_shoes" if table is None else f"stacked_shoes_{table}")


class Server:
    """daphne on a free port. It can be killed and started again on the same data."""

    def __init__(
        self,
        data: Path,
        *,
        module: str = "tests.servers.stacked",
        program: str = "daphne",
        port: int | None = None,
        url: str = "",
        **environment: str,
    ) -> None:
        """``url`` is its address if something stands before it."""
        self.data = data
        self.port = port or own_port()
        self.url = url or f"http://localhost:{self.port}"
        kept = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
        self.environment = kept | {"BLACKJACK_DATA": str(data), "PORT": str(self.port)}
        self.environment |= environment | ({"SITE_URL": url} if url else {})
        self.log = data / f"server-{self.port}.log"
        self.command = [sys.executable, "-m", module]
        if program == "uvicorn":
            self.command = [sys.executable, *WEB]
        self.process: subprocess.Popen[bytes] | ForkedProcess | None = None

    def start(self) -> None:
        """Start the process and wait until it can serve."""
        self.process = self._launch()
        until = time.monotonic() + READY_SECONDS
        while self.process.poll() is None and time.monotonic() < until:
            if self._is_ready():
                return
            time.sleep(0.05)
        raise RuntimeError(f"the server did not start:\n{self.log.read_text()}")

    def stop(self, number: int = signal.SIGINT) -> int:
        """Send a signal and return what the process exits with."""
        assert self.process is not None
        self.process.send_signal(number)
        status = self.process.wait(15)
        self.process = None
        return status

    def end(self) -> None:
        """Kill the process if it still runs."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stack(self, *shoes: str, table: int | None = None) -> None:
        """Have the next rounds dealt from these shoes: at any table, or at this one."""
        stacked_shoes(self.data, table).write_text("\n".join(shoes))

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """``manage.py`` on the data of this server."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    def _launch(self) -> subprocess.Popen[bytes] | ForkedProcess:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                self.command,
                cwd=ROOT, env=self.environment, stdout=log, stderr=log,
            )  # fmt: skip

    def _is_ready(self) -> bool:
        try:
            ready = f"http://localhost:{self.port}/readyz"
            with urllib.request.urlopen(ready, timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False


class ForkedServer(Server):
    """A server as the variables of a test process make it, on data that comes from :func:`prepare`."""

    def __init__(self, data: Path, site: LoadedSite, *, has_relay: bool) -> None:
        port = own_port() if has_relay else site.port
        super().__init__(data, port=port)
        self.url = f"http://localhost:{site.port}"
        self._site = site

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The same in a forked process."""
        status, folder = self._site.manage(arguments, self.environment)
        written = [(folder / name).read_text() for name in ("stdout", "stderr")]
        return subprocess.CompletedProcess(arguments, status, *written)

    def _launch(self) -> ForkedProcess:
        return self._site.serve(self.data, self.log, self.port)


_loaded_sites: list[LoadedSite] = []
"""Of this test process: one, as soon as it is needed."""


@contextmanager
def serving(
    folder: Path,
    prepared: Path,
    *,
    module: str = "tests.servers.stacked",
    program: str = "daphne",
    is_forked: bool = True,
    has_relay: bool = False,
    **environment: str,
) -> Iterator[Server]:
    """A started server on a copy of ``prepared`` data; whatever happens, it is ended.

    It is forked where that can be, unless the test is about how the program starts. With
    ``has_relay``, its address is not its own port, but one at which the test relays to it.
    """
    data = folder / "data"
    shutil.copytree(prepared, data, copy_function=_copy)
    with ExitStack() as stack:
        is_usual = not environment and (module, program) == ("tests.servers.stacked", "daphne")
        if is_forked and is_usual:
            server = stack.enter_context(_forked_server(data, prepared, has_relay=has_relay))
        else:
            server = Server(
                data, module=module, program=program, url=_relay(has_relay), **environment
            )
        stack.callback(server.end)
        server.start()
        yield server


def _copy(source: str, target: str) -> None:
    """The hundreds of collected files are only read: a link is enough."""
    (os.link if "/static/" in source else shutil.copy2)(source, target)


def _relay(is_wanted: bool) -> str:
    return f"http://localhost:{own_port()}" if is_wanted else ""


@contextmanager
def _forked_server(data: Path, prepared: Path, *, has_relay: bool) -> Iterator[Server]:
    """A forked server, or a program while another one is forked."""
    if not _loaded_sites:
        _loaded_sites.append(LoadedSite(prepared, own_port()))
    (site,) = _loaded_sites
    if site.is_taken:
        yield Server(data, url=_relay(has_relay))
        return
    site.is_taken = True
    try:
        yield ForkedServer(data, site, has_relay=has_relay)
    finally:
        site.is_taken = False


def prepare(folder: Path) -> Path:
    """Data as the first start makes it: migrated, static files collected, tables opened."""
    server = Server(folder)
    done = server.manage("prepare")
    assert done.returncode == 0, done.stderr
    return folder
