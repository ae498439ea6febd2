"""A browser with a push service of its own: it reads what the site sends to its player."""

from __future__ import annotations

import http.client
import json
import queue
import secrets
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest.mock import patch

import http_ece
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tables.lib import push_service


def in_base64(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def from_base64(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Sent:
    """A request as the push service has it."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Device:
    """The keys of a browser for one subscription."""

    name: str = "phone"
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(16))

    @property
    def form(self) -> dict[str, str]:
        """What its page sends to the site."""
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {
            "endpoint": f"https://push.example/to/{self.name}",
            "p256dh": in_base64(point),
            "auth": in_base64(self.secret),
        }

    def read(self, sent: Sent) -> dict[str, Any]:
        """Decrypt a message."""
        plain = http_ece.decrypt(
            sent.body, private_key=self.key, auth_secret=self.secret, version="aes128gcm"
        )
        message: dict[str, Any] = json.loads(plain)
        return message


def read_signature(sent: Sent) -> tuple[str, dict[str, Any]]:
    """The key that has signed a request, and the claims, once the signature is checked."""
    kind, _, rest = sent.headers["authorization"].partition(" ")
    assert kind == "vapid"
    parts = dict(part.strip().split("=", 1) for part in rest.split(","))
    signed, _, signature = parts["t"].rpartition(".")
    raw = from_base64(signature)
    der = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_base64(parts["k"]))
    key.verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))
    claims: dict[str, Any] = json.loads(from_base64(signed.split(".")[1]))
    return parts["k"], claims


class PushService:
    """An HTTP server on this machine, in the place of all push services."""

    def __init__(self) -> None:
        self.sent: queue.Queue[Sent] = queue.Queue()
        self.status = 201
        self.may_answer = threading.Event()
        self.may_answer.set()

    def take(self, seconds: float = 8) -> Sent:
        return self.sent.get(timeout=seconds)

    @property
    def is_silent(self) -> bool:
        return self.sent.empty()


@contextmanager
def push_service_here() -> Iterator[PushService]:
    """While it runs, the site connects to it whatever the address is."""
    service = PushService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            service.sent.put(Sent(self.path, headers, body))
            service.may_answer.wait(10)
            self.send_response(service.status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def connect(host: str) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)

    try:
        with patch.object(push_service, "open_connection", connect):
            yield service
    finally:
        service.may_answer.set()
        server.shutdown()
        server.server_close()
