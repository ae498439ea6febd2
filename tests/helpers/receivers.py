"""A receiver of webhooks and a mail server on this machine, as real as those of operators."""

from __future__ import annotations

import queue
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from django.test import override_settings


@dataclass
class ReceivedRequest:
    """A request as the receiver has it."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """An HTTP server that answers every POST with ``status``."""

    def __init__(self) -> None:
        self.posted: queue.Queue[ReceivedRequest] = queue.Queue()
        self.status = 200
        self.says = "thanks"
        self.url = ""

    def take(self, seconds: float = 20) -> ReceivedRequest:
        return self.posted.get(timeout=seconds)

    def take_all(self) -> list[ReceivedRequest]:
        """Those that have come so far."""
        return [self.posted.get_nowait() for _ in range(self.posted.qsize())]


@contextmanager
def webhook_receiver() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.posted.put(ReceivedRequest(self.path, headers, body))
            self.send_response(receiver.status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(receiver.says)))
            self.end_headers()
            self.wfile.write(receiver.says.encode())

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook?from=cards"
    try:
        with override_settings(WEBHOOK_PRIVATE=True):  # it is on this machine
            yield receiver
    finally:
        server.shutdown()
        server.server_close()


class Mailbox:
    """A mail server that keeps what it accepts."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.letters: queue.Queue[EmailMessage] = queue.Queue()
        self.refusal = ""
        """Its answer to every recipient, such as ``550 no such user``; empty to accept all."""

    def take(self, seconds: float = 20) -> EmailMessage:
        return self.letters.get(timeout=seconds)


class _Session(socketserver.StreamRequestHandler):
    """One connection: as much of SMTP as Python's client speaks."""

    def handle(self) -> None:
        box = cast("_MailServer", self.server).box
        self._say("220 ready")
        for line in self.rfile:
            word = line[:4].upper()
            if word == b"DATA":
                self._say("354 go on")
                box.letters.put(self._read_letter())
                self._say("250 kept")
            elif word == b"RCPT" and box.refusal:
                self._say(box.refusal)
            elif word == b"QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _read_letter(self) -> EmailMessage:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b"."))
        letter = message_from_bytes(b"".join(lines), policy=policy.default)
        assert isinstance(letter, EmailMessage)
        return letter

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class _MailServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    box: Mailbox


@contextmanager
def mail_server() -> Iterator[Mailbox]:
    with _MailServer(("127.0.0.1", 0), _Session) as server:
        server.box = Mailbox(int(server.server_address[1]))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.box
        server.shutdown()


def find_closed_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
