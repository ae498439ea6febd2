"""Time zones by their names, such as ``Europe/Berlin``."""

from __future__ import annotations

import zoneinfo
from functools import cache
from itertools import groupby


@cache
def _all() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def is_zone(name: str) -> bool:
    """Whether there is a zone of this name."""
    return name in _all()


@cache
def list_choices() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """The zones of places, by continent and ocean, with the places as words: choices of a form."""
    places = sorted(name for name in _all() if "/" in name and _is_place(name))
    return tuple(
        (area, tuple((name, name.partition("/")[2].replace("_", " ")) for name in names))
        for area, names in groupby(places, key=lambda name: name.partition("/")[0])
    )


def _is_place(name: str) -> bool:
    """Whether it is named after a place, and not an old or a technical name such as ``Etc/GMT+1``."""
    return name.partition("/")[0] in _AREAS


_AREAS = {
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian",
    "Pacific",
}  # fmt: skip
