"""Sends an encrypted message to the push service of a browser.

The address came from a browser, so anybody may have written it: the name is looked up here, and
only public addresses are connected to. No redirect is followed, and nothing of an answer is read but
its status.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
import time
from email.utils import parseaddr
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

SECONDS: Final = 5.0
"""How long a push service may be silent."""
MOST_SECONDS: Final = 10.0
"""How long a message may take."""
VALID_SECONDS: Final = 12 * 60 * 60
"""How long a signature is valid."""
_TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")
"""Addresses that a router translates into IPv4, which may be private."""


class PushFailed(Exception):
    """The message was not sent; the text says why, without the address."""


def send(endpoint: str, public_key: str, secret: str, message: bytes, *, ttl: int) -> int:
    """Encrypt and send a message; return the status of the answer.

    ``ttl``: the seconds for which the service keeps it for a browser that is away.
    """
    # Here, because they take a third of a second to load.
    from py_vapid import Vapid02
    from pywebpush import WebPusher

    told = {"endpoint": endpoint, "keys": {"p256dh": public_key, "auth": secret}}
    body: bytes = WebPusher(told).encode(message)["body"]
    parts = urlsplit(endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "sub": _contact(),
        "exp": int(time.time()) + VALID_SECONDS,
    }
    headers = {
        **Vapid02.from_raw(settings.VAPID_KEY.encode()).sign(claims),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(ttl),
        "Urgency": "high",
    }
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    try:
        return _post(parts.hostname or "", path, body, headers)
    except (OSError, http.client.HTTPException) as error:
        raise PushFailed(type(error).__name__) from error


def is_public(address: str) -> bool:
    """Whether an address is on the internet, and not of this machine or its networks.

    >>> [is_public(one) for one in ("1.1.1.1", "127.0.0.1", "10.1.2.3", "169.254.169.254")]
    [True, False, False, False]
    >>> [is_public(one) for one in ("2606:4700::1111", "::1", "::ffff:10.1.2.3", "64:ff9b::a01:203")]
    [True, False, False, False]
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and (
        ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip in _TRANSLATED
    ):
        return False
    return ip.is_global and not ip.is_multicast


def open_connection(host: str) -> http.client.HTTPConnection:
    """Connect to a public address of this host, with TLS for its name."""
    found = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    addresses = [str(address[0]) for *_, address in found]
    if not addresses or not all(map(is_public, addresses)):
        raise PushFailed("not a public address")
    # The address that was checked, and no other look-up.
    plain = socket.create_connection((addresses[0], 443), SECONDS)
    connection = http.client.HTTPSConnection(host, timeout=SECONDS)
    try:
        connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise
    return connection


def _post(host: str, path: str, body: bytes, headers: dict[str, str]) -> int:
    connection = open_connection(host)
    # A service that sends a byte now and then would not run into the time limit of the socket.
    guard = threading.Timer(MOST_SECONDS, _cut, (connection,))
    guard.start()
    try:
        connection.request("POST", path, body, headers)
        return connection.getresponse().status
    finally:
        guard.cancel()
        connection.close()


def _cut(connection: http.client.HTTPConnection) -> None:
    if connection.sock is not None:
        connection.sock.shutdown(socket.SHUT_RDWR)


def _contact() -> str:
    """Whom a push service asks about this site."""
    if settings.SITE_URL.startswith("https://"):
        return str(settings.SITE_URL)
    return f"mailto:{parseaddr(settings.DEFAULT_FROM_EMAIL)[1]}"
