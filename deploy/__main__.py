"""``make scale``: PostgreSQL, Redis, several web processes and a proxy, until Ctrl-C or SIGTERM."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

from accounts.lib.private_files import UMASK, make_passable, make_private
from deploy.by_hand import SITE_URL_FILE, build_environment, find_folder, format_name
from deploy.nginx import Nginx
from deploy.part import CannotStart, Part
from deploy.postgres import Postgres
from deploy.redis import Redis
from deploy.web import Web
from tables.engine.command_line import Parser
from tables.lib import arguments, process_lock
from tables.servers.open_files import raise_limit
from tables.servers.ports import explain_taken_port

ROOT = Path(__file__).resolve().parent.parent
MOST_RESTARTS = 3
"""How often a web process is started again."""
STEADY_SECONDS = 600
"""After a run of this time its ends are counted from the beginning."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GREETING = """
The site is open at {url}/  (Ctrl-C closes it)
{link}An operator for {url}/admin/ is made by: {manage} createsuperuser
Other commands of manage.py are called in the same way; after Ctrl-C also: {manage} restore FILE
What its parts say is in {folder}
"""


class _Stopped(BaseException):
    """A signal to stop was received."""


def main() -> int:
    """Run the site until a signal. Returns 0 after a signal, 1 after an error."""
    parser = Parser(prog="python -m deploy", description=__doc__)
    several = arguments.whole_number_parser(1, 64)
    parser.add_argument("--processes", type=several, default=2, help="how many web processes")
    parser.add_argument(
        "--host", type=arguments.parse_host, default="127.0.0.1",
        help="address to listen on; 0.0.0.0: all",
    )  # fmt: skip
    options = parser.parse_args()
    os.chdir(ROOT)
    os.umask(UMASK)
    raise_limit()
    for number in SIGNALS:
        signal.signal(number, _handle_signal)
    try:
        port = _parse_port(os.environ.get("PORT") or "8000")
        if reason := explain_taken_port(options.host, port, "make scale"):
            raise CannotStart(reason)
        for kind in (Postgres, Redis, Nginx):
            kind.verify_installed()
        with run_site(options.host, port, options.processes) as parts:
            watch_parts(parts)
    except _Stopped:
        _print("Closed.")
        return 0
    except CannotStart as error:
        print(error, file=sys.stderr, flush=True)
        return 1


@contextmanager
def run_site(host: str, port: int, processes: int) -> Iterator[Sequence[Part]]:
    """Start all parts in order, and stop them in reverse order. Raises :class:`CannotStart`."""
    folder = find_folder()
    folder.mkdir(parents=True, exist_ok=True)
    make_private(folder)
    if os.geteuid() == 0:  # PostgreSQL and nginx then run as other users
        make_passable(folder, root=ROOT / "var")
    url = os.environ.get("SITE_URL") or f"http://localhost:{port}"
    with ExitStack() as stack:
        stack.enter_context(_lock_folder(folder))
        (folder / SITE_URL_FILE).write_text(url)
        try:
            postgres, redis = Postgres(folder, processes), Redis(folder)
            _start_parts(stack, postgres, redis)
            environment = build_environment(folder, postgres.url)
            environment |= {"SITE_URL": url, "REDIS_URL": redis.url}
            environment.setdefault("TRUSTED_PROXIES", "1")
            _prepare_site(environment)
            webs = [Web(number, folder, environment) for number in range(1, processes + 1)]
            nginx = Nginx(folder, host=host, port=port, ports=[web.port for web in webs])
            _start_parts(stack, nginx)
            _start_parts(stack, *webs)
            stack.callback(_ask_to_stop, webs)
            for web in webs:
                _print(f"{web.name} serves on port {web.port}, as process {_process_id(web)}")
            link = _make_first_link(environment)
            _print(GREETING.format(url=url, folder=folder, manage=format_name(folder), link=link))
            yield postgres, redis, nginx, *webs
        finally:
            _ignore_signals()


def _lock_folder(folder: Path) -> IO[str]:
    """Lock the folder until the file is closed. Raises :class:`CannotStart` if another one has it, or its
    PostgreSQL still runs.
    """
    path = folder / "scale.lock"
    try:
        lock = process_lock.lock_file(path)
    except BlockingIOError:
        raise CannotStart(
            f"make scale runs already with {folder}, as process {path.read_text()}. Stop it first, or "
            "name another folder by BLACKJACK_DATA."
        ) from None
    if Postgres.is_in_use(folder):
        lock.close()
        raise CannotStart(
            f"PostgreSQL still runs with {folder}, for a command of deploy/manage or since the last make "
            "scale. Wait until that has ended."
        )
    return lock


def _start_parts(stack: ExitStack, *parts: Part) -> None:
    for part in parts:
        stack.callback(part.stop)
        part.start()
    for part in parts:
        part.wait_until_ready()


def _prepare_site(environment: dict[str, str]) -> None:
    result = subprocess.run([sys.executable, "manage.py", "prepare"], env=environment, check=False)
    if result.returncode:
        raise CannotStart("manage.py prepare failed.")


def _make_first_link(environment: dict[str, str]) -> str:
    """A line with the link that makes the first operator; empty if there is one."""
    command = [sys.executable, "manage.py", "first_link"]
    result = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if result.returncode:
        return ""
    return f"The first operator is made in a browser, once: {result.stdout.strip()}\n"


def watch_parts(parts: Sequence[Part]) -> NoReturn:
    """Start web processes again that end, and wait for a signal, or for the end of a part that the site
    cannot run without.
    """
    running, restarts = list(parts), Counter[Part]()
    while True:
        # Waits until any child ends, without reaping it; the loop below finds which.
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        for part in [part for part in running if not part.is_running()]:
            if time.monotonic() - part.started_at > STEADY_SECONDS:
                restarts[part] = 0
            if isinstance(part, Web) and restarts[part] < MOST_RESTARTS:
                restarts[part] += 1
                _print(part.describe_exit())
                part.start()
                _print(f"{part.name} is started again, as process {_process_id(part)}")
                continue
            running.remove(part)
            if not isinstance(part, Web) or not any(isinstance(part, Web) for part in running):
                raise CannotStart(f"{part.describe_exit()}\nSo all of it ends.")
            _print(
                f"{part.describe_exit()}\nIt has ended too often to be started again. The others go on."
            )


def _ask_to_stop(parts: Sequence[Part]) -> None:
    """Signal all of them at once: each takes some seconds to stop."""
    for part in parts:
        part.request_stop()


def _process_id(part: Part) -> int:
    return part.process.pid if part.process is not None else 0


def _parse_port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise CannotStart(f"PORT is a whole number from 1 to 65535, and not {text!r}.")
    return int(text)


def _handle_signal(number: int, frame: FrameType | None) -> NoReturn:
    _ignore_signals()
    raise _Stopped


def _ignore_signals() -> None:
    """Ignore further signals during the stop."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _print(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main())
