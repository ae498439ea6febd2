"""What rows said when they were read, to tell what has changed since."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Model


class AsRead:
    """The rows that a change may change."""

    def __init__(self) -> None:
        self._said: dict[Model, dict[str, Any]] = {}

    def remember(self, row: Model) -> None:
        """Remember what the database says of this row: what changes of it is to be written."""
        self._said[row] = dict(vars(row))

    def has_changed(self, row: Model, names: Iterable[str]) -> bool:
        """Whether one of these attributes is not what it was when the row was remembered."""
        before, now = self._said[row], vars(row)
        return any(now[name] != before[name] for name in names)

    def has_changed_but(self, row: Model, names: Iterable[str]) -> bool:
        """Whether anything but these attributes is not what it was."""
        before, now = self._said[row], vars(row)
        return not {name for name in now if now[name] != before.get(name)} <= set(names)
