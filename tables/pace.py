"""How much may come from one address, whoever plays there: commands, lines of chat, and looks."""

from __future__ import annotations

from typing import Final

from tables.allowance import Allowance, Allowances
from tables.messages import AnyCommand, Say
from tables.places import place_of

commands: Final = Allowances(per_second=100, at_once=300)
lines: Final = Allowances(per_second=3, at_once=30)
"""More than a room full of friends, and less than a room full of programs. Of one process."""
for_long: Final = Allowances(per_second=4, at_once=5_000)
"""What adds up over hours: twenty friends who decide every five seconds, for as long as they like.
By this a day's rows of one address are bounded; see docs/reliability.md."""
looks: Final = Allowances(per_second=50, at_once=300)
strangers_looks: Final = Allowance(per_second=100, at_once=1000)
"""Of people who are not logged in, all together: players' commands come before that."""


def is_too_fast(address: str | None, command: AnyCommand) -> bool:
    """Count a command; true when too many came from there. A player's own limits come on top."""
    place = place_of(address)
    if place is None:
        return False
    counted = [commands, for_long, lines] if isinstance(command, Say) else [commands, for_long]
    return not all(allowances.of(place).take() for allowances in counted)


def is_looking_too_often(address: str | None, user_id: int | None) -> bool:
    """Count a wish to have the whole table; true when there were too many from there, or of people
    who are not logged in.
    """
    place = place_of(address)
    if place is not None and not looks.of(place).take():
        return True
    return user_id is None and not strangers_looks.take()
