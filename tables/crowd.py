"""How many sockets of this process are one player's, nobody's, or come from one address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Final

from django.conf import settings

from tables.hub import Socket
from tables.places import place_of

PAGES_PER_USER: Final = 5
"""So many tables one player may have open; the page that was opened first is closed for a sixth."""


class Crowd:
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


crowd: Final = Crowd()
"""Those of this process."""
