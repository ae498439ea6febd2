"""Limits of sockets, commands and snapshots for each address, and of pages for each player."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Final

from django.conf import settings

from tables.lib.network_address import rate_limit_key
from tables.lib.token_bucket import TokenBucket, TokenBuckets
from tables.protocol.commands import AnyCommand, React, Say
from tables.realtime.hub import Socket

PAGES_PER_USER: Final = 5
"""The limit of a player's open table pages; a further one closes the oldest."""


class ConnectionLimits:
    """Counts the open sockets of this process by address (IPv6: by /64)."""

    def __init__(self) -> None:
        self._pages: dict[int, list[Socket]] = {}
        self._places: Counter[Hashable] = Counter()
        self._place_of: dict[Socket, Hashable] = {}
        self._strangers: set[Socket] = set()

    def add_socket(self, address: str | None, socket: Socket, *, is_stranger: bool) -> bool:
        """Count a socket; false, without counting, over the limit of its address or of visitors."""
        place = rate_limit_key(address)
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

    def add_page(self, user_id: int, socket: Socket) -> Socket | None:
        """Count a player's table page; return the oldest one if it has to be closed."""
        pages = self._pages.setdefault(user_id, [])
        pages.append(socket)
        return pages[0] if len(pages) > PAGES_PER_USER else None

    def remove_socket(self, socket: Socket) -> None:
        """Remove a socket; no effect if it is unknown."""
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
"""Limits per address in one process: enough for many friends, not for many bots."""
for_long: Final = TokenBuckets(per_second=4, at_once=5_000)
"""The long-term limit of commands: twenty friends who decide every five seconds. It bounds the rows
of one address in a day; see docs/reliability.md."""
looks: Final = TokenBuckets(per_second=50, at_once=300)
strangers_looks: Final = TokenBucket(per_second=100, at_once=1000)
"""For all visitors without a login together, so that players' commands have priority."""


def is_over_command_rate(address: str | None, command: AnyCommand) -> bool:
    """Count a command; true if its address is over a limit. Limits of the player are separate."""
    place = rate_limit_key(address)
    if place is None:
        return False
    counted = (
        [commands, for_long, lines] if isinstance(command, Say | React) else [commands, for_long]
    )
    return not all(allowances.get_bucket(place).take() for allowances in counted)


def is_over_snapshot_rate(address: str | None, user_id: int | None) -> bool:
    """Count a snapshot; true over the limit of its address or of visitors without a login."""
    place = rate_limit_key(address)
    if place is not None and not looks.get_bucket(place).take():
        return True
    return user_id is None and not strangers_looks.take()
