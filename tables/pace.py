"""How much may come from one address, whoever plays there: commands, and lines of chat."""

from __future__ import annotations

from typing import Final

from tables.allowance import Allowances
from tables.crowd import place_of
from tables.messages import AnyCommand, Say

commands: Final = Allowances(per_second=100, at_once=300)
lines: Final = Allowances(per_second=3, at_once=30)
"""More than a room full of friends, and less than a room full of programs. Of one process."""


def is_too_fast(address: str | None, command: AnyCommand) -> bool:
    """Count a command; true when too many came from there. A player's own limits come on top."""
    place = place_of(address)
    if place is None:
        return False
    counted = [commands, lines] if isinstance(command, Say) else [commands]
    return not all(allowances.of(place).take() for allowances in counted)
