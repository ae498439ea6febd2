"""Sends messages about alerts, each until it arrives or is given up.

A delivery is a row, so that it outlasts the process. A process claims an attempt by raising the number of
attempts, and moves the time of the next one: if it dies, another process tries then. So a message may
arrive twice, with the same id.
"""

from __future__ import annotations

import datetime as dt
import smtplib
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog
from django.core.mail import EmailMessage
from django.db.models import Exists, OuterRef, QuerySet

from accounts.lib import server_clock
from accounts.mail import queue as mail_queue
from accounts.models import HouseSettings
from tables.lib import webhooks
from tables.models import AlertDelivery
from tables.operators.alerts import messages

log = structlog.get_logger()

BACKOFF: Final = tuple(
    dt.timedelta(minutes=minutes) for minutes in (1, 5, 30, 2 * 60, 6 * 60, 12 * 60)
)
"""Between one attempt and the next. After the last one the message is given up."""
LEASE: Final = dt.timedelta(minutes=2)
"""After this time an attempt without a result was that of a process that died."""
MOST_AT_ONCE: Final = 50
LONGEST: Final = 20.0
"""Seconds after which further messages wait for the next time."""
_MOST_ANSWER: Final = 300

Channel = AlertDelivery.Channel
Status = AlertDelivery.Status


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an attempt."""

    is_sent: bool
    answer: str
    """What the receiver answered, or the error."""


def send_due(now: dt.datetime) -> int:
    """Send the deliveries that are due; return the number of attempts."""
    if not AlertDelivery.objects.filter(status=Status.WAITING, due_at__lte=now).exists():
        return 0
    settings = HouseSettings.objects.get(pk=1)
    return _send_emails(settings, now) + _send_webhooks(settings, now)


def _list_due(channel: Channel, now: dt.datetime) -> QuerySet[AlertDelivery]:
    """The due ones of a channel. Nobody reads that an alert is over before that it was opened."""
    opening = AlertDelivery.objects.filter(
        alert=OuterRef("alert"), channel=channel, status=Status.WAITING, pk__lt=OuterRef("pk")
    )
    waiting = AlertDelivery.objects.filter(
        ~Exists(opening), channel=channel, status=Status.WAITING, due_at__lte=now
    )
    return waiting.select_related("alert").order_by("pk")[:MOST_AT_ONCE]


def _claim(delivery: AlertDelivery, now: dt.datetime) -> bool:
    """Whether this process makes the next attempt."""
    unchanged = AlertDelivery.objects.filter(
        pk=delivery.pk, status=Status.WAITING, attempts=delivery.attempts
    )
    delivery.attempts += 1
    return bool(unchanged.update(attempts=delivery.attempts, due_at=now + LEASE, tried_at=now))


def _send_emails(settings: HouseSettings, now: dt.datetime) -> int:
    """Send one e-mail about all that is due: many reports at once are no reason for many e-mails."""
    claimed = [each for each in _list_due(Channel.EMAIL, now) if _claim(each, now)]
    if not claimed:
        return 0
    outcome = send_email(messages.build_email(claimed, list_addresses(settings)))
    for delivery in claimed:
        _store(delivery, outcome)
    return len(claimed)


def _send_webhooks(settings: HouseSettings, now: dt.datetime) -> int:
    until, number = time.monotonic() + LONGEST, 0
    for delivery in _list_due(Channel.WEBHOOK, now):
        if time.monotonic() > until:
            break
        if _claim(delivery, now):
            body = messages.build_webhook(delivery, server_clock.now())
            _store(delivery, send_webhook(settings, delivery.uid, body))
            number += 1
    return number


def _store(delivery: AlertDelivery, outcome: Outcome) -> None:
    """Store the result of an attempt."""
    now = server_clock.now()
    status, due_at = Status.SENT, now
    if not outcome.is_sent:
        is_last = delivery.attempts > len(BACKOFF)
        status = Status.FAILED if is_last else Status.WAITING
        due_at = now if is_last else now + BACKOFF[delivery.attempts - 1]
        log.warning(
            "alert_not_sent", channel=delivery.channel, alert=delivery.alert_id,
            attempt=delivery.attempts, is_last=is_last,
        )  # fmt: skip
    mine = AlertDelivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts)
    mine.update(status=status, due_at=due_at, tried_at=now, answer=outcome.answer)


def send_email(letter: EmailMessage) -> Outcome:
    """Send an e-mail, and wait for the mail server's answer."""
    if not letter.to:
        return Outcome(is_sent=False, answer="No address is set.")
    try:
        mail_queue.send_now(letter)
    except smtplib.SMTPResponseException as error:
        reply = error.smtp_error
        text = reply.decode(errors="replace") if isinstance(reply, bytes) else reply
        return Outcome(is_sent=False, answer=_shorten(f"{error.smtp_code} {text}"))
    except (OSError, smtplib.SMTPException, ValueError) as error:  # an address that cannot be used
        return Outcome(is_sent=False, answer=_shorten(f"{type(error).__name__}: {error}"))
    if mail_queue.prints_to_console():
        return Outcome(is_sent=True, answer="Printed to the console: EMAIL_URL is not set.")
    return Outcome(is_sent=True, answer="The mail server has accepted it.")


def send_webhook(settings: HouseSettings, uid: uuid.UUID, body: bytes) -> Outcome:
    """Send a message to the webhook, and wait for its answer."""
    if not settings.alert_webhook:
        return Outcome(is_sent=False, answer="No webhook is set.")
    timestamp = int(server_clock.now().timestamp())
    try:
        answer = webhooks.send(
            settings.alert_webhook, settings.alert_webhook_secret, str(uid), timestamp, body
        )
    except webhooks.WebhookFailed as failure:
        return Outcome(is_sent=False, answer=_shorten(str(failure)))
    text = f"{answer.status} {answer.reason} {answer.text}"
    return Outcome(is_sent=200 <= answer.status < 300, answer=_shorten(text))


def _shorten(text: str) -> str:
    """In one line, without characters that no page shows."""
    printable = "".join(one if one.isprintable() else " " for one in text)
    return " ".join(printable.split())[:_MOST_ANSWER]


def list_addresses(settings: HouseSettings) -> Sequence[str]:
    """The addresses for alerts."""
    return settings.alert_emails.split()
