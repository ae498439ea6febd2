"""Command lines for messages, with the environment of the database in use."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from typing import Final

from tables.lib import manage_command

_NAMING: Final = ("BLACKJACK_DATA", "DATABASE_URL")
"""The variables that select the database of a command."""


def format_command_line(environment: Mapping[str, str], *words: str) -> str:
    """``manage.py`` with these arguments, and the variables that select this database.

    >>> format_command_line({"DATABASE_URL": "postgres://house:secret@db/house"}, "audit").split()[0]
    'DATABASE_URL=postgres://house:PASSWORD@db/house'
    """
    if environment.get(manage_command.VARIABLE):
        return " ".join([environment[manage_command.VARIABLE], *words])
    named = [
        f"{name}={shlex.quote(_hide_password(environment[name]))}"
        for name in _NAMING
        if environment.get(name)
    ]
    return " ".join([*named, _name_python(), "manage.py", *words])


def _name_python() -> str:
    """The Python that runs now, by its name if that is enough, as in a container."""
    is_found = shutil.which("python") == sys.executable
    return "python" if is_found else os.path.relpath(sys.executable)


def _hide_password(url: str) -> str:
    """Hide the password of a URL, because logs have more readers."""
    return re.sub(r"(://[^:/@]*:)[^@]+@", r"\1PASSWORD@", url)
