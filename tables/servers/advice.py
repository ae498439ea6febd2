"""Command lines for messages, with the environment of the database in use."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping
from typing import Final

_NAMING: Final = ("BLACKJACK_DATA", "DATABASE_URL")
"""The variables that say which database a command opens."""


def command_line(environment: Mapping[str, str], *words: str) -> str:
    """``manage.py`` with these words, and with what names the database of this environment.

    >>> command_line({"DATABASE_URL": "postgres://house:secret@db/house"}, "audit").split()[0]
    'DATABASE_URL=postgres://house:PASSWORD@db/house'
    """
    named = [
        f"{name}={shlex.quote(_without_password(environment[name]))}"
        for name in _NAMING
        if environment.get(name)
    ]
    return " ".join([*named, os.path.relpath(sys.executable), "manage.py", *words])


def _without_password(url: str) -> str:
    """A log is read by more people than a password is for."""
    return re.sub(r"(://[^:/@]*:)[^@]+@", r"\1PASSWORD@", url)
