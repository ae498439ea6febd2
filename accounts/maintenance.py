"""Maintenance: from a moment that operators set, no bet is taken and no round begins."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from accounts.models import HouseSettings
from accounts.statements import Select


@dataclass(frozen=True, slots=True)
class Maintenance:
    """When it begins or began, and what players are told."""

    at: dt.datetime
    says: str


_settings = Select(
    lambda: HouseSettings.objects.filter(pk=1).values_list("maintenance_at", "maintenance_says")
)


def planned() -> Maintenance | None:
    """The maintenance that is to come or goes on."""
    at, says = _settings.first() or (None, "")
    return None if at is None else Maintenance(at, says)


class HouseAt:
    """The house at one moment. It is read when somebody asks, and once."""

    def __init__(self, now: dt.datetime) -> None:
        self._now = now
        self._answer: tuple[Maintenance | None] | None = None

    @property
    def maintenance(self) -> Maintenance | None:
        """The maintenance that goes on."""
        if self._answer is None:
            found = planned()
            self._answer = (found if found is not None and found.at <= self._now else None,)
        return self._answer[0]
