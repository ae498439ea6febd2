"""The mail queue: a thread sends e-mails, so that no request waits for a mail server.

E-mails wait in memory. One that cannot be sent is retried and then dropped; those that wait when
the process ends are lost. Both are counted and logged, without address and text.
"""

from __future__ import annotations

import atexit
import queue
import threading
import time
from collections.abc import Sequence
from smtplib import (
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)
from typing import Any, Final

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

MOST_WAITING: Final = 500
TRIES: Final = 3
PAUSE_SECONDS: Final = 10
"""The pause between two tries of an e-mail."""
CONSOLE: Final = "django.core.mail.backends.console.EmailBackend"
STOP_SECONDS: Final = 2.0
"""How long the end of a process waits for the queue."""

log = structlog.get_logger()


class MailQueue:
    """A bounded queue of e-mails, and the thread that sends them. Thread-safe."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._waiting: queue.Queue[EmailMessage] = queue.Queue(most)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def put(self, letter: EmailMessage) -> bool:
        """Queue an e-mail; returns false, and logs it, if the queue is full."""
        if self._stopping.is_set():
            log.warning("letter_lost", why="stopping")
            return False
        try:
            self._waiting.put_nowait(letter)
        except queue.Full:
            log.warning("letter_lost", why="queue_full")
            return False
        self._start()
        return True

    def stop(self, seconds: float = STOP_SECONDS) -> int:
        """Wait for the queue, ``seconds`` at most; return and log the number of lost e-mails."""
        self._stopping.set()
        until = time.monotonic() + seconds
        while self._waiting.unfinished_tasks and time.monotonic() < until:
            time.sleep(0.02)  # Queue.join() has no timeout
        lost = self._waiting.unfinished_tasks
        if lost:
            log.warning("letters_lost", count=lost, why="stopped")
        return lost

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="letters", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            letter = self._waiting.get()
            try:
                self._send(letter)
            finally:
                self._waiting.task_done()

    def _send(self, letter: EmailMessage) -> None:
        for tried in range(1, TRIES + 1):
            try:
                send_now(letter)
                return
            except Exception as error:
                # Never the error itself: mail servers repeat the address in it.
                is_last = tried == TRIES or not _is_temporary(error) or self._stopping.is_set()
                code = min(_list_codes(error), default=None)
                log.warning(
                    "letter_lost" if is_last else "letter_waits",
                    why=type(error).__name__, code=code, tried=tried,
                )  # fmt: skip
            if is_last:
                return
            self._stopping.wait(PAUSE_SECONDS)


def send_now(letter: EmailMessage) -> None:
    """Send an e-mail in this thread. Raises what the mail server or the network answers."""
    connection = get_connection(settings.MAIL_QUEUE_BACKEND)
    connection.send_messages([letter])


def prints_to_console() -> bool:
    """Whether e-mails are printed to the console, because no mail server is set."""
    return bool(settings.MAIL_QUEUE_BACKEND == CONSOLE)


def _is_temporary(error: Exception) -> bool:
    """Whether the error is temporary: the server is unreachable or busy, or lets a new sender wait."""
    if codes := _list_codes(error):
        return min(codes) < 500
    if isinstance(error, SMTPException):
        return isinstance(error, SMTPServerDisconnected)
    return isinstance(error, OSError)


def _list_codes(error: Exception) -> list[int]:
    """The codes of the mail server's reply; a refusal of recipients has one for each."""
    if isinstance(error, SMTPResponseException):
        return [error.smtp_code]
    if isinstance(error, SMTPRecipientsRefused):
        return [code for code, _text in error.recipients.values()]
    return []


mail_queue = MailQueue()
atexit.register(mail_queue.stop)  # for commands; a server calls it when it stops


class QueueBackend(BaseEmailBackend):
    """Django's e-mail backend, which queues e-mails."""

    def send_messages(self, email_messages: Sequence[Any]) -> int:
        """Queue e-mails for ``MAIL_QUEUE_BACKEND``; return the number of queued ones."""
        return sum(mail_queue.put(letter) for letter in email_messages)
