"""A real server process with data of its own, for tests that look at the product from outside."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import URLError

from deploy.part import is_listening
from deploy.web import WEB
from tests.helpers.servers.fork_server import (
    ROOT,
    ForkedProcess,
    ForkServer,
    own_environment,
    with_packages,
)

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


class LoadedSite:
    """The process that has loaded the whole site, and is forked for one server at a time.

    Its settings name a link to the data, which is set to the data of the server before a start.
    """

    def __init__(self, prepared: Path) -> None:
        self.is_taken = False
        self.environment = {
            "BLACKJACK_DATA": str(Path(tempfile.mkdtemp(dir=prepared.parent)) / "data"),
            "PORT": str(own_port()),
        }
        self.link_to(prepared)
        self.fork_server = ForkServer(
            "tests.helpers.servers.loaded_site", own_environment() | self.environment
        )

    def link_to(self, data: Path) -> None:
        """Have the next server use this data."""
        link = Path(self.environment["BLACKJACK_DATA"])
        new = link.with_name("new")
        new.symlink_to(data, target_is_directory=True)
        new.replace(link)


class Server:
    """daphne on a free port. It can be killed and started again on the same data.

    It is forked from the process that has loaded the ``site``, or from one that has loaded packages.
    """

    is_forked = True
    """``False``: it is started as a program."""
    root = ROOT
    """The folder with its code; that of another version of the site is never forked."""

    def __init__(
        self,
        data: Path,
        *,
        module: str = "tests.helpers.servers.stacked",
        program: str = "daphne",
        site: LoadedSite | None = None,
        url: str = "",
        **environment: str,
    ) -> None:
        """``url`` is its address if something stands before it."""
        self.data = data
        self.port = int(site.environment["PORT"]) if site else own_port()
        self.url = url or f"http://localhost:{self.port}"
        places = {"BLACKJACK_DATA": str(data), "PORT": str(self.port)}
        self.environment = own_environment() | places | environment
        if url:
            self.environment["SITE_URL"] = url
        self.log = data / f"server-{self.port}.log"
        self.command = [*WEB] if program == "uvicorn" else ["-m", module]
        self._site = site
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
        if self.root == ROOT:
            return with_packages().run(["manage.py", *arguments], self.environment)
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=self.root, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def _launch(self) -> subprocess.Popen[bytes] | ForkedProcess:
        with self.log.open("ab") as log:
            if not self.is_forked or self.root != ROOT:
                return subprocess.Popen(
                    [sys.executable, *self.command],
                    cwd=self.root, env=self.environment, stdout=log, stderr=log,
                )  # fmt: skip
            if self._site is None:
                return with_packages().start(self.command, self.environment, log, log)
            self._site.link_to(self.data)
            environment = self.environment | self._site.environment
            return self._site.fork_server.start(self.command, environment, log, log)

    def _is_ready(self) -> bool:
        try:
            ready = f"http://localhost:{self.port}/readyz"
            with urllib.request.urlopen(ready, timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False


_loaded_sites: list[LoadedSite] = []
"""Of this test process: one, as soon as it is needed."""


@contextmanager
def serving(
    folder: Path,
    prepared: Path,
    *,
    module: str = "tests.helpers.servers.stacked",
    program: str = "daphne",
    is_forked: bool = True,
    has_relay: bool = False,
    **environment: str,
) -> Iterator[Server]:
    """A started server on a copy of ``prepared`` data; whatever happens, it is ended.

    ``is_forked``: unless the test is about how the program starts. With ``has_relay``, its address
    is not its own port, but one at which the test relays to it.
    """
    data = folder / "data"
    shutil.copytree(prepared, data, copy_function=_copy)
    with ExitStack() as stack:
        url = f"http://localhost:{own_port()}" if has_relay else ""
        is_usual = (
            not environment
            and not url
            and (module, program) == ("tests.helpers.servers.stacked", "daphne")
        )
        site = stack.enter_context(_loaded_site(prepared)) if is_forked and is_usual else None
        server = Server(data, module=module, program=program, site=site, url=url, **environment)
        server.is_forked = is_forked
        stack.callback(server.end)
        server.start()
        yield server


def _copy(source: str, target: str) -> None:
    """The hundreds of collected files are only read: a link is enough."""
    (os.link if "/static/" in source else shutil.copy2)(source, target)


@contextmanager
def _loaded_site(prepared: Path) -> Iterator[LoadedSite | None]:
    """The loaded site, or ``None`` while another server is forked from it."""
    if not _loaded_sites:
        _loaded_sites.append(LoadedSite(prepared))
    (site,) = _loaded_sites
    if site.is_taken:
        yield None
        return
    site.is_taken = True
    try:
        yield site
    finally:
        site.is_taken = False


def prepare(folder: Path) -> Path:
    """Data as the first start makes it: migrated, static files collected, tables opened."""
    server = Server(folder)
    result = server.manage("prepare")
    assert result.returncode == 0, result.stderr
    return folder
