"""How many sockets of this process are one player's, or come from one address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

from django.conf import settings

from tables.hub import Socket

PAGES_PER_USER: Final = 5
"""So many tables one player may have open; the page that was opened first is closed for a sixth."""
UNCOUNTED: Final = ("127.0.0.1", "::1")
"""This machine itself, or a proxy on it that does not say for whom it asks."""


class Crowd:
    """The open sockets of one process. Two of one place in it share what it may have."""

    def __init__(self) -> None:
        self._pages: dict[int, list[Socket]] = {}
        self._places: Counter[Hashable] = Counter()
        self._place_of: dict[Socket, Hashable] = {}

    def come_from(self, address: str | None, socket: Socket) -> bool:
        """Count a socket; false, and not counted, where too many are open from there."""
        place = place_of(address)
        if place is None:
            return True
        if self._places[place] >= settings.SOCKETS_PER_ADDRESS:
            return False
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


@lru_cache(maxsize=10_000)
def place_of(address: str | None) -> str | None:
    """Who counts as one: an address, of the newer ones their whole /64; ``None`` for nobody.

    >>> place_of("192.0.2.7"), place_of("2001:db8::7"), place_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    >>> place_of("127.0.0.1"), place_of(None), place_of("nonsense")
    (None, None, None)
    """
    try:
        number = ip_address(address or "")
    except ValueError:
        return None
    if isinstance(number, IPv6Address) and number.ipv4_mapped is not None:
        number = number.ipv4_mapped
    if str(number) in UNCOUNTED:
        return None
    if isinstance(number, IPv6Address):
        return f"{IPv6Address(int(number) >> 64 << 64)}/64"
    return str(number)


crowd: Final = Crowd()
"""Those of this process."""
