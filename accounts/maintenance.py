"""Maintenance: from a time set by operators, no bet is accepted and no round begins."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from accounts.lib.sql.select import Select
from accounts.lib.sql.sqlite_cache import GenerationCache
from accounts.models import HouseSettings


@dataclass(frozen=True, slots=True)
class Maintenance:
    """The begin of maintenance, and its text for players."""

    at: dt.datetime
    says: str


_settings = Select(
    lambda: HouseSettings.objects.filter(pk=1).values_list("maintenance_at", "maintenance_says")
)
_heard: Final[GenerationCache[str, Maintenance | None]] = GenerationCache()


def get_planned() -> Maintenance | None:
    """The planned or current maintenance."""
    return _read_planned(_heard.current())


def _read_planned(heard: dict[str, Maintenance | None]) -> Maintenance | None:
    if "planned" not in heard:
        at, says = _settings.first() or (None, "")
        heard["planned"] = None if at is None else Maintenance(at, says)
    return heard["planned"]


class SiteStatus:
    """The state of the site at one moment. It is read lazily, once."""

    def __init__(self, now: dt.datetime) -> None:
        self._now = now
        self._heard = _heard.current()

    @property
    def maintenance(self) -> Maintenance | None:
        """The current maintenance."""
        found = _read_planned(self._heard)
        return found if found is not None and found.at <= self._now else None
