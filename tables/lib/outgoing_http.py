"""HTTP requests of this site to other servers, whose addresses somebody else typed.

A name is looked up here, and only addresses that the caller allows are connected to. No redirect is
followed. Little of an answer is read.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

SECONDS: Final = 5.0
"""How long the other server may be silent."""
MOST_SECONDS: Final = 10.0
"""How long a request may take."""
_MOST_READ: Final = 1_000
_WITH_IPV4: Final = tuple(
    map(ipaddress.IPv6Network, ("64:ff9b::/96", "::/96", "::ffff:0:0:0/96", "fec0::/10"))
)
"""Addresses that may stand for one of IPv4, which may be private, and those of a site of old."""


class AddressRefused(Exception):
    """The name has no address that may be connected to."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of the other server."""

    status: int
    reason: str
    text: str
    """The beginning of its body; empty unless it was asked for."""


def is_public(address: str) -> bool:
    """Whether an address is on the internet, and not of this machine or its networks.

    >>> [is_public(one) for one in ("1.1.1.1", "127.0.0.1", "10.1.2.3", "169.254.169.254")]
    [True, False, False, False]
    >>> [is_public(one) for one in ("2606:4700::1111", "::1", "::ffff:10.1.2.3", "64:ff9b::a01:203")]
    [True, False, False, False]
    >>> [is_public(one) for one in ("::127.0.0.1", "::ffff:0:127.0.0.1", "fec0::1")]
    [False, False, False]
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and (
        ip.ipv4_mapped or ip.sixtofour or ip.teredo or any(ip in network for network in _WITH_IPV4)
    ):
        return False
    return ip.is_global and not ip.is_multicast


def is_loopback(address: str) -> bool:
    """Whether an address is this machine.

    >>> [is_loopback(one) for one in ("127.0.0.1", "::1", "10.1.2.3", "1.1.1.1")]
    [True, True, False, False]
    """
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback


def connect(
    host: str, port: int, *, is_tls: bool, is_allowed: Callable[[str], bool]
) -> http.client.HTTPConnection:
    """Connect to an address of this host, with TLS for its name if wanted.

    All its addresses must be allowed, else :class:`AddressRefused` is raised. Raises ``OSError`` too.
    """
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(address[0]) for *_, address in infos]
    if not addresses or not all(map(is_allowed, addresses)):
        raise AddressRefused
    # The address that was checked, and no other look-up.
    plain = _connect_to_first(addresses, port)
    if not is_tls:
        connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
        connection.sock = plain
        return connection
    connection = http.client.HTTPSConnection(host, port, timeout=SECONDS)
    try:
        connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise
    return connection


def _connect_to_first(addresses: list[str], port: int) -> socket.socket:
    """Connect to the first address that answers, of two at most."""
    *others, last = list(dict.fromkeys(addresses))[:2]
    for address in others:
        try:
            return socket.create_connection((address, port), SECONDS)
        except OSError:
            continue
    return socket.create_connection((last, port), SECONDS)


def post(
    connection: http.client.HTTPConnection,
    path: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    reads_body: bool = False,
) -> Answer:
    """Send a POST, and close the connection. Raises ``OSError`` and ``HTTPException``."""
    # A server that sends a byte now and then would not run into the time limit of the socket.
    guard = threading.Timer(MOST_SECONDS, _cut, (connection,))
    guard.daemon = True
    guard.start()
    try:
        connection.request("POST", path, body, dict(headers))
        answer = connection.getresponse()
        text = answer.read(_MOST_READ).decode(errors="replace") if reads_body else ""
        return Answer(answer.status, answer.reason, text)
    finally:
        guard.cancel()
        connection.close()


def _cut(connection: http.client.HTTPConnection) -> None:
    if connection.sock is not None:
        with suppress(OSError):  # it may be closed by now
            connection.sock.shutdown(socket.SHUT_RDWR)
