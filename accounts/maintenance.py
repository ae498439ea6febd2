"""Maintenance: from a time set by operators, no bet is accepted and no round begins."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from accounts.lib.sql.optimistic import RememberedRows
from accounts.lib.sql.select import Select
from accounts.models import HouseSettings


@dataclass(frozen=True, slots=True)
class Maintenance:
    """The begin of maintenance, and its text for players."""

    at: dt.datetime
    says: str


_settings = Select(
    lambda: HouseSettings.objects.filter(pk=1).values_list(
        "pk", "maintenance_at", "maintenance_says"
    )
)


def _send_settings(_keys: list[int]) -> Callable[[], dict[int, Maintenance | None]]:
    get_rows = _settings.send()
    return lambda: {pk: Maintenance(at, says) if at else None for pk, at, says in get_rows()}


_remembered: Final = RememberedRows(_send_settings)


def get_planned() -> Maintenance | None:
    """The planned or current maintenance."""
    return _remembered.load([1])[1]


class SiteStatus:
    """The state of the site at one moment. It is read lazily, once."""

    def __init__(self, now: dt.datetime) -> None:
        self._now = now

    @cached_property
    def maintenance(self) -> Maintenance | None:
        """The current maintenance."""
        found = get_planned()
        return found if found is not None and found.at <= self._now else None
