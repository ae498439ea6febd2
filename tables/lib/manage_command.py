"""How ``manage.py`` is called for the database in use, for sentences that name a command."""

from __future__ import annotations

import os
from typing import Final

VARIABLE: Final = "BLACKJACK_MANAGE"
"""Set by programs that have another way to call it, such as ``deploy/manage``."""


def name(command: str) -> str:
    """The command line of a command, without the variables that every command needs.

    >>> name("prepare")
    'manage.py prepare'
    """
    return f"{os.environ.get(VARIABLE) or 'manage.py'} {command}"
