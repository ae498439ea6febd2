"""Sends an encrypted message to the push service of a browser.

The address came from a browser, so anybody may have written it: the name is looked up here, and
only public addresses are connected to. No redirect is followed, and nothing of an answer is read but
its status.
"""

from __future__ import annotations

import http.client
import time
from email.utils import parseaddr
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from tables.lib import outgoing_http

VALID_SECONDS: Final = 12 * 60 * 60
"""How long a signature is valid."""


class PushFailed(Exception):
    """The message was not sent; the text says why, without the address."""


def send(endpoint: str, public_key: str, secret: str, message: bytes, *, ttl: int) -> int:
    """Encrypt and send a message; return the status of the answer.

    ``ttl``: the seconds for which the service keeps it for a browser that is away.
    """
    # Here, because they take a third of a second to load.
    from py_vapid import Vapid02
    from pywebpush import WebPusher

    subscription = {"endpoint": endpoint, "keys": {"p256dh": public_key, "auth": secret}}
    body: bytes = WebPusher(subscription).encode(message)["body"]
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
        connection = open_connection(parts.hostname or "")
        return outgoing_http.post(connection, path, body, headers).status
    except (OSError, http.client.HTTPException) as error:
        raise PushFailed(type(error).__name__) from error


def open_connection(host: str) -> http.client.HTTPConnection:
    """Connect to a public address of this host, with TLS for its name."""
    try:
        return outgoing_http.connect(host, 443, is_tls=True, is_allowed=outgoing_http.is_public)
    except outgoing_http.AddressRefused as error:
        raise PushFailed("not a public address") from error


def _contact() -> str:
    """Whom a push service asks about this site."""
    if settings.SITE_URL.startswith("https://"):
        return str(settings.SITE_URL)
    return f"mailto:{parseaddr(settings.DEFAULT_FROM_EMAIL)[1]}"
