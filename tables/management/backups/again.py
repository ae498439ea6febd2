"""What is changed in data of before, so that nobody takes it for what they saw last."""

from __future__ import annotations

from typing import Final

from accounts.models.house import new_epoch

TURNS_APART: Final = 1_000_000
"""So many decisions are never made at a table between a backup and its return: the token of a
decision that was made meanwhile is that of none to come."""


def statements() -> list[str]:
    """Another epoch, other turns, and no server processes with their pages. Plain SQL."""
    return [
        f"UPDATE accounts_housesettings SET epoch = '{new_epoch()}'",  # noqa: S608 - our own
        f"UPDATE tables_table SET turn = turn + {TURNS_APART}",  # noqa: S608 - our own
        "DELETE FROM tables_visit",
        "DELETE FROM tables_serverprocess",
        "DELETE FROM tables_auditrun WHERE finished_at IS NULL",
    ]
