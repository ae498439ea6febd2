"""Sends a signed message to a webhook, as Standard Webhooks describes it.

The message is JSON. Three headers go with it: ``webhook-id`` is the same in every attempt,
``webhook-timestamp`` the time of this one in seconds, and ``webhook-signature`` is ``v1,`` and the
HMAC-SHA256 in Base64 of id, timestamp and body, with dots in between.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ipaddress
from base64 import b64decode, b64encode
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from tables.lib import outgoing_http
from tables.lib.outgoing_http import Answer, is_loopback, is_public

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what secrets begin with
_SHARED: Final = ipaddress.ip_network("100.64.0.0/10")
"""Addresses of providers, which virtual private networks use too."""


class WebhookFailed(Exception):
    """The message was not sent; the text says why."""


def send(url: str, secret: str, message_id: str, timestamp: int, body: bytes) -> Answer:
    """Sign and send a message; return the answer, whatever its status.

    Raises :class:`WebhookFailed`.
    """
    parts = urlsplit(url)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "blackjack-webhook",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, message_id, timestamp, body),
    }
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    try:
        connection = _connect(parts.scheme, parts.hostname or "", parts.port)
        return outgoing_http.post(connection, path, body, headers, reads_body=True)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise WebhookFailed(f"{type(error).__name__}: {error}") from error


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of ``webhook-signature``."""
    key = b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return "v1," + b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def _connect(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
    """Connect with TLS; without it to this machine alone, if private addresses are allowed."""
    is_tls = scheme == "https"
    allowed = _may_connect if is_tls else _may_connect_without_tls
    try:
        return outgoing_http.connect(
            host, port or (443 if is_tls else 80), is_tls=is_tls, is_allowed=allowed
        )
    except outgoing_http.AddressRefused as error:
        if not is_tls and settings.WEBHOOK_PRIVATE:
            raise WebhookFailed("http:// is for this machine alone: use https://") from error
        if not is_tls:
            raise WebhookFailed(
                "http:// is for this machine alone, and needs WEBHOOK_PRIVATE=on: use https://"
            ) from error
        raise WebhookFailed(
            f"{host} has an address in a private network: WEBHOOK_PRIVATE=on allows that"
        ) from error


def _may_connect(address: str) -> bool:
    """Whether a webhook with TLS may have this address. Link-local ones are those of cloud metadata.

    Answers are shown, so this machine is as private as its networks.
    """
    if is_public(address):
        return True
    ip = ipaddress.ip_address(address.partition("%")[0])
    is_private = (ip.is_private or ip in _SHARED) and not ip.is_link_local
    return bool(settings.WEBHOOK_PRIVATE) and is_private


def _may_connect_without_tls(address: str) -> bool:
    return bool(settings.WEBHOOK_PRIVATE) and is_loopback(address)
