#!/usr/bin/env python
"""Django's command line for the blackjack site."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, OperationalError

from tables.engine.command_line import describe_fault
from tables.lib import error_text, manage_command

WRONG_ARGUMENTS = 2
CONNECT_SECONDS = 10
REMEDIES = {
    "password authentication failed": "Correct the user and the password in DATABASE_URL.",
    "no password supplied": "Write the password into DATABASE_URL.",
    'role "': "Create the role with createuser, or correct the user in DATABASE_URL.",
    'database "': "Create the database with createdb, or correct its name in DATABASE_URL.",
    "resolve host": "Correct the host in DATABASE_URL.",
    "translate host": "Correct the host in DATABASE_URL.",
    "connection": "Start PostgreSQL, or correct the host and the port in DATABASE_URL.",
    "unable to open database file": (
        "Make its folder, and give it to the user who runs this; or correct DATABASE_URL or "
        "BLACKJACK_DATA."
    ),
    "readonly database": "Give the file and its folder to the user who runs this.",
    "file is not a database": "Correct DATABASE_URL, or restore a backup.",
    "malformed": "Restore a backup.",
    "disk is full": "Free some space on the disk.",
    "disk I/O error": "Free some space on the disk, or check it.",
}
"""What to do, by a part of the message of the driver; the first one counts."""


def main() -> None:
    """Run the command of the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    _open_closed_streams()
    if fault := describe_fault(sys.argv[1:]):
        _exit_with_error(fault)
    try:
        CommandLine(sys.argv).execute()
        sys.stdout.flush()
    except ImproperlyConfigured as error:
        sys.exit(f"This cannot start: {error}")
    except (DatabaseError, InterfaceError) as error:
        if "--traceback" in sys.argv or not (why := _describe_error(error)):
            raise
        sys.exit(f"The database cannot be used: {why}")
    except (ImportError, TypeError, ValueError):
        module = os.environ["DJANGO_SETTINGS_MODULE"]
        if _is_module(module):
            raise
        _exit_with_error(f"argument --settings: there is no module {module[:40]!r}")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Nobody reads the output any more. The status is that of a program that SIGPIPE has ended.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)


ABOUT_A_HOUSE = {
    "audit", "backup", "begin_epoch", "createsuperuser", "first_link", "nightly", "open_tables",
    "remove_second_factor", "serve",
}  # fmt: skip
"""Commands that need a database that is there. SQLite would make an empty file of it."""


class CommandLine(ManagementUtility):
    """Django's command line, with a connection pool for the server only: the pool hides errors."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """The command, with a plain connection unless it is the server."""
        if subcommand == "runserver":
            sys.exit("runserver does not lock the house. Use manage.py serve.")
        if subcommand in ABOUT_A_HOUSE and "--help" not in self.argv and (why := _describe_lack()):
            sys.exit(f"The database cannot be used: {why}")
        options = settings.DATABASES["default"].get("OPTIONS", {})
        if subcommand != "serve" and options.pop("pool", None):
            options.setdefault("connect_timeout", CONNECT_SECONDS)
        return super().fetch_command(subcommand)


def _open_closed_streams() -> None:
    """Open the streams that whoever started this has closed. Otherwise the first file to be opened, such as
    the database, would take their number, and Python has no stream to write to.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w"))


def _describe_error(error: Exception) -> str:
    """The reason of an error in one line, and what to do; empty for a program error."""
    why = error_text.describe(error)
    if "no such table" in why or ("relation" in why and "does not exist" in why):
        return f"{why}. A new one is made ready by: {manage_command.name('prepare')}"
    if (
        not isinstance(error, OperationalError | InterfaceError)
        and type(error) is not DatabaseError
    ):
        return ""
    remedy = next((todo for sign, todo in REMEDIES.items() if sign in why), "")
    return f"{why.rstrip('.?')}. {remedy}" if remedy else why


def _describe_lack() -> str:
    """Why there is no database, if it is a file that is not there; otherwise empty."""
    database = settings.DATABASES["default"]
    file = Path(database["NAME"])
    is_file = database["ENGINE"] == "django.db.backends.sqlite3"
    if not is_file or file.exists() or not file.parent.exists():  # which SQLite says itself
        return ""
    return (
        f"there is no file {file}. Correct BLACKJACK_DATA or DATABASE_URL; a new one is "
        f"made ready by: {manage_command.name('prepare')}"
    )


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, TypeError, ValueError):
        return False


def _exit_with_error(fault: str) -> NoReturn:
    sys.stderr.write(f"manage.py: error: {fault}\n")
    sys.exit(WRONG_ARGUMENTS)


if __name__ == "__main__":
    main()
