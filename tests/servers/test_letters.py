"""A mail server that says nothing holds no page, and no end of the process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any, ClassVar

import pytest
import structlog
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from structlog.testing import capture_logs

from accounts.mail import queue as mail_queue
from accounts.mail.queue import MailQueue
from tests.helpers.servers.process import serving
from tests.helpers.socket_player import PASSWORD, SocketPlayer

ADDRESS = "ann@example.com"
RESET = "/accounts/password/reset/"


@contextmanager
def silent_listener() -> Iterator[int]:
    """The port of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connections: list[socket.socket] = []

        def take() -> None:
            while True:
                try:
                    connections.append(listener.accept()[0])
                except OSError:
                    return

        threading.Thread(target=take, daemon=True).start()
        yield int(listener.getsockname()[1])
        for line in connections:
            line.close()


@pytest.mark.long
def test_case_53_a_silent_mail_server_holds_no_page_and_no_stop(
    tmp_path: Path, prepared: Path
) -> None:
    with (
        silent_listener() as port,
        serving(tmp_path, prepared, EMAIL_URL=f"smtp://127.0.0.1:{port}") as server,
    ):
        ann = SocketPlayer(server.url, "ann")
        begun = time.monotonic()
        form = {"username": "ann", "email": ADDRESS, "password1": PASSWORD}
        ann.post("/accounts/signup/", "/accounts/signup/", **form)
        stranger = SocketPlayer(server.url, "stranger")
        for address in (ADDRESS, "nobody@example.com"):
            stranger.post(RESET, RESET, email=address)
        assert time.monotonic() - begun < 8  # one letter alone would take ten
        begun = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - begun < 10
        log = server.log.read_text()
        assert "letters_lost" in log
        assert "@example.com" not in log
        assert "Traceback" not in log


class Sent(BaseEmailBackend):
    """Fails as it is told, and then sends."""

    fails: ClassVar[list[Exception]] = []
    sent: ClassVar[list[EmailMessage]] = []

    def send_messages(self, email_messages: Any) -> int:
        if self.fails:
            raise self.fails.pop(0)
        self.sent.extend(email_messages)
        return len(email_messages)


@pytest.fixture(autouse=True)
def _sent(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MAIL_QUEUE_BACKEND = f"{__name__}.Sent"
    monkeypatch.setattr(mail_queue, "PAUSE_SECONDS", 0)
    # A logger that was used before keeps what it was configured with, and cannot be captured.
    monkeypatch.setattr(mail_queue, "log", structlog.get_logger())
    Sent.fails, Sent.sent = [], []


def letter() -> EmailMessage:
    return EmailMessage("Reset your password", "A link", to=[ADDRESS])


def test_case_53_letters_are_sent_in_their_order() -> None:
    queue = MailQueue()
    letters = [letter() for _ in range(5)]
    assert all(queue.put(each) for each in letters)
    assert queue.stop(5) == 0
    assert Sent.sent == letters


def test_case_53_a_mail_server_that_was_away_for_a_moment_is_tried_again() -> None:
    queue = MailQueue()
    Sent.fails = [ConnectionRefusedError(), SMTPServerDisconnected(f"{ADDRESS}?")]
    with capture_logs() as logs:
        queue.put(letter())
        assert wait_for_one()
    assert [entry["event"] for entry in logs] == ["letter_waits"] * 2
    assert ADDRESS not in str(logs)
    assert queue.stop(5) == 0


def test_case_53_a_mail_server_that_lets_new_senders_wait_gets_the_letter_later() -> None:
    """Greylisting: it refuses the recipient at first, with a code that says for now."""
    queue = MailQueue()
    Sent.fails = [SMTPRecipientsRefused({ADDRESS: (450, f"later, {ADDRESS}".encode())})]
    with capture_logs() as logs:
        queue.put(letter())
        assert wait_for_one()
    assert [(entry["event"], entry["code"]) for entry in logs] == [("letter_waits", 450)]
    assert ADDRESS not in str(logs)
    assert queue.stop(5) == 0


def wait_for_one() -> bool:
    until = time.monotonic() + 5
    while not Sent.sent and time.monotonic() < until:
        time.sleep(0.01)
    return bool(Sent.sent)


def test_case_53_what_is_refused_for_good_is_logged_without_the_address() -> None:
    queue = MailQueue()
    Sent.fails = [SMTPRecipientsRefused({ADDRESS: (550, f"no {ADDRESS} here".encode())})]
    with capture_logs() as logs:
        queue.put(letter())
        queue.put(letter())
        assert queue.stop(5) == 0
    assert [entry["event"] for entry in logs] == ["letter_lost"]
    assert ADDRESS not in str(logs)
    assert len(Sent.sent) == 1


def test_case_53_more_letters_than_may_wait_are_lost_and_logged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_send = threading.Event()
    monkeypatch.setattr(Sent, "send_messages", lambda self, letters: may_send.wait(5))
    queue = MailQueue(most=3)
    with capture_logs() as logs:
        answers = [queue.put(letter()) for _ in range(10)]
        assert answers.count(True) in (3, 4)  # one of them is perhaps being sent already
        lost = queue.stop(0)
    assert lost == answers.count(True)
    assert logs[-1] == {"event": "letters_lost", "log_level": "warning", "count": lost,
                        "why": "stopped"}  # fmt: skip
    may_send.set()
    assert queue.stop(5) == 0  # nothing is sent in the middle of another test
