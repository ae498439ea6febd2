"""The address that rate limits count: an IPv4 address, or the /64 of an IPv6 address."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

UNCOUNTED: Final = ("127.0.0.1", "::1")
"""This machine itself, or a proxy on it without ``X-Forwarded-For``."""


@lru_cache(maxsize=10_000)
def rate_limit_key(address: str | None) -> str | None:
    """The unit that limits count: an IPv4 address or an IPv6 /64; ``None`` if it is not counted.

    >>> rate_limit_key("192.0.2.7"), rate_limit_key("2001:db8::7"), rate_limit_key("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    >>> rate_limit_key("127.0.0.1"), rate_limit_key(None), rate_limit_key("nonsense")
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
