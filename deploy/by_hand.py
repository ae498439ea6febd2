"""``deploy/manage``: ``manage.py`` with the database of ``make scale``, whether that runs or not."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from accounts.lib.private_files import UMASK, make_passable
from deploy.part import CannotStart
from deploy.postgres import Postgres
from tables.lib import manage_command

ROOT = Path(__file__).resolve().parent.parent
SITE_URL_FILE = "site_url"
"""The file with the address of the site as it was started last, for links that a command prints."""
CREATES = ("restore", "prepare", "migrate", "move_database")
"""Commands that may begin with an empty folder."""


def main() -> int:
    """Run the command. Returns its status, or 1 if the database cannot be started."""
    words = sys.argv[1:]
    os.umask(UMASK)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: sys.exit(128 + got))
    try:
        with run_database(find_folder(), words[0] if words else "") as environment:
            program = [sys.executable, str(ROOT / "manage.py"), *words]
            return subprocess.run(program, env=environment, check=False).returncode
    except CannotStart as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def find_folder() -> Path:
    """The folder of ``make scale``."""
    return Path(os.environ.get("BLACKJACK_DATA") or ROOT / "var/scale").resolve()


def format_name(folder: Path) -> str:
    """How ``manage.py`` is called for the site in this folder."""
    return f"BLACKJACK_DATA={shlex.quote(str(folder))} deploy/manage"


def build_environment(folder: Path, url: str) -> dict[str, str]:
    """The variables of a command for this database."""
    site_url = ""
    with suppress(OSError):
        site_url = (folder / SITE_URL_FILE).read_text()
    return {
        **os.environ,
        "SITE_URL": os.environ.get("SITE_URL") or site_url,
        "BLACKJACK_DATA": str(folder),
        "DATABASE_URL": url,
        manage_command.VARIABLE: format_name(folder),
    }


@contextmanager
def run_database(folder: Path, command: str) -> Iterator[Mapping[str, str]]:
    """The variables for a command; PostgreSQL runs within the block. Raises :class:`CannotStart`."""
    if command == "serve":
        raise CannotStart("The servers of this site are started by: make scale")
    postgres = Postgres(folder, processes=1)
    try:
        if url := postgres.find_running():
            yield build_environment(folder, url)
            return
        if not postgres.has_data() and command not in CREATES:
            raise CannotStart(
                f"There is no site of make scale in {folder}. Start it once, or name its folder by "
                "BLACKJACK_DATA."
            )
        folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:  # PostgreSQL then runs as another user
            make_passable(folder, root=ROOT / "var")
        print("PostgreSQL runs for this command alone.", file=sys.stderr, flush=True)
        postgres.start()
        postgres.wait_until_ready()
        yield build_environment(folder, postgres.url)
    finally:
        postgres.stop()


if __name__ == "__main__":
    sys.exit(main())
