"""The mail queue: a thread sends letters, so that no request waits for a mail server.

A letter waits in memory. What cannot be sent is tried again and then given up, and what still waits
when the process ends is lost: both are counted and logged, without an address and without a text.
"""

from __future__ import annotations

import atexit
import queue
import threading
import time
from collections.abc import Sequence
from smtplib import SMTPException, SMTPResponseException, SMTPServerDisconnected
from typing import Any, Final

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

MOST_WAITING: Final = 500
TRIES: Final = 3
PAUSE_SECONDS: Final = 10
"""Between two tries of one letter."""
STOP_SECONDS: Final = 2.0
"""How long the end of a process waits for letters that are being sent."""

log = structlog.get_logger()


class MailQueue:
    """A bounded queue of letters, and the thread that sends them. Thread-safe."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._waiting: queue.Queue[EmailMessage] = queue.Queue(most)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def put(self, letter: EmailMessage) -> bool:
        """Take a letter to be sent; returns false, and logs it, when too many wait."""
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
        """Wait so long at most for what is being sent; returns, and logs, how many are lost."""
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
                connection = get_connection(settings.MAIL_QUEUE_BACKEND)
                connection.send_messages([letter])
                return
            except Exception as error:
                # Never the error itself: a mail server's words repeat the address.
                is_last = tried == TRIES or not _may_pass(error) or self._stopping.is_set()
                code = getattr(error, "smtp_code", None)
                log.warning(
                    "letter_lost" if is_last else "letter_waits",
                    why=type(error).__name__, code=code, tried=tried,
                )  # fmt: skip
            if is_last:
                return
            self._stopping.wait(PAUSE_SECONDS)


def _may_pass(error: Exception) -> bool:
    """Whether another try may help: the server is away, or says that it is busy."""
    if isinstance(error, SMTPResponseException):
        return error.smtp_code < 500
    if isinstance(error, SMTPException):
        return isinstance(error, SMTPServerDisconnected)
    return isinstance(error, OSError)


mail_queue = MailQueue()
atexit.register(mail_queue.stop)  # for commands; a server calls it when it leaves


class QueueBackend(BaseEmailBackend):
    """Django's way of sending, which returns at once."""

    def send_messages(self, email_messages: Sequence[Any]) -> int:
        """Take letters to be sent by ``MAIL_QUEUE_BACKEND``; returns how many were taken."""
        return sum(mail_queue.put(letter) for letter in email_messages)
