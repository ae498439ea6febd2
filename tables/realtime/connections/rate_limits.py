"""Limits of sockets, commands and snapshots for each player and address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Final

from django.conf import settings

from tables.lib.network_address import place_of
from tables.lib.token_bucket import TokenBucket, TokenBuckets
from tables.protocol.commands import AnyCommand, Say
from tables.realtime.hub import Socket

PAGES_PER_USER: Final = 5
"""So many tables one player may have open; the page that was opened first is closed for a sixth."""


class ConnectionLimits:
    """The open sockets of one process. Two of one place in it share what it may have."""

    def __init__(self) -> None:
        self._pages: dict[int, list[Socket]] = {}
        self._places: Counter[Hashable] = Counter()
        self._place_of: dict[Socket, Hashable] = {}
        self._strangers: set[Socket] = set()

    def come_from(self, address: str | None, socket: Socket, *, is_stranger: bool) -> bool:
        """Count a socket; false, and not counted, where too many are open from there, or of people
        who are not logged in.
        """
        place = place_of(address)
        if place is not None and self._places[place] >= settings.SOCKETS_PER_ADDRESS:
            return False
        if is_stranger:
            if len(self._strangers) >= settings.SOCKETS_WITHOUT_LOGIN:
                return False
            self._strangers.add(socket)
        if place is not None:
            self._places[place] += 1
            self._place_of[socket] = place
        return True

    def open_page(self, user_id: int, socket: Socket) -> Socket | None:
        """Count a player's page with a table; the answer is the page that has to go, if one has."""
        pages = self._pages.setdefault(user_id, [])
        pages.append(socket)
        return pages[0] if len(pages) > PAGES_PER_USER else None

    def leave(self, socket: Socket) -> None:
        """Forget a socket; harmless when it is not known."""
        self._strangers.discard(socket)
        place = self._place_of.pop(socket, None)
        if place is not None:
            self._places[place] -= 1
            if not self._places[place]:
                del self._places[place]
        if socket.user_id is None:
            return
        pages = self._pages.get(socket.user_id, [])
        if socket in pages:
            pages.remove(socket)
            if not pages:
                del self._pages[socket.user_id]


crowd: Final = ConnectionLimits()
"""Those of this process."""


# Commands and snapshots

commands: Final = TokenBuckets(per_second=100, at_once=300)
lines: Final = TokenBuckets(per_second=3, at_once=30)
"""More than a room full of friends, and less than a room full of programs. Of one process."""
for_long: Final = TokenBuckets(per_second=4, at_once=5_000)
"""What adds up over hours: twenty friends who decide every five seconds, for as long as they like.
By this a day's rows of one address are bounded; see docs/reliability.md."""
looks: Final = TokenBuckets(per_second=50, at_once=300)
strangers_looks: Final = TokenBucket(per_second=100, at_once=1000)
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
