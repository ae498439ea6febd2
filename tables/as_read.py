"""What rows said when they were read, to tell what has changed since."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Model


class AsRead:
    """The rows that a change may change."""

    def __init__(self) -> None:
        self._said: dict[int, dict[str, Any]] = {}  # by identity: rows are equal by their keys

    def remember(self, row: Model) -> None:
        """Remember what the database says of this row: what changes of it is to be written."""
        self._said[id(row)] = dict(vars(row))

    def changed(self, row: Model) -> set[str]:
        """The attributes that are not what they were when the row was remembered."""
        before = self._said[id(row)]
        return {name for name, value in vars(row).items() if before.get(name, _NOTHING) != value}


_NOTHING: Final = object()
