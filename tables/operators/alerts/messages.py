"""The texts of messages about alerts: an e-mail, and the JSON of a webhook. In English."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.core.mail import EmailMessage

from accounts import site_settings
from accounts.lib.site_links import absolute_url, site_host, site_url
from accounts.lib.times import format_utc
from tables.models import Alert, AlertDelivery
from tables.protocol import codec

TEST_TEXT = "This is a test. Nothing waits, and nothing is wrong."


def build_email(deliveries: Sequence[AlertDelivery], addresses: Sequence[str]) -> EmailMessage:
    """One e-mail about all these."""
    number, first = len(deliveries), _head(deliveries[0]).rstrip(".")
    subject = f"{number} alerts, the first: {first}" if number > 1 else first
    parts = [
        f"{_head(each)}\n{absolute_url(each.alert.path)}\nsince {format_utc(each.alert.since)}"
        for each in deliveries
    ]
    return _build_letter(subject, parts, addresses)


def build_test_email(addresses: Sequence[str]) -> EmailMessage:
    """An e-mail to try whether e-mails arrive."""
    return _build_letter("Test", [TEST_TEXT], addresses)


def build_webhook(delivery: AlertDelivery, now: dt.datetime) -> bytes:
    """The JSON of a webhook: the same keys for each kind."""
    alert = delivery.alert
    return _encode(f"alert.{delivery.event}", delivery.uid, _head(delivery), now, _describe(alert))


def build_test_webhook(uid: UUID, now: dt.datetime) -> bytes:
    """The JSON to try whether messages arrive."""
    return _encode("test", uid, TEST_TEXT, now, None)


def _encode(
    kind: str, uid: UUID, text: str, now: dt.datetime, data: dict[str, Any] | None
) -> bytes:
    message = {
        "type": kind, "id": str(uid), "timestamp": _iso(now), "site": site_url(), "text": text,
        "data": data,
    }  # fmt: skip
    return codec.encode(message).encode()


def _describe(alert: Alert) -> dict[str, Any]:
    return {
        "alert": alert.pk,
        "kind": alert.kind,
        "subject": alert.subject,
        "url": absolute_url(alert.path),
        "since": _iso(alert.since),
        "ended": _iso(alert.ended_at) if alert.ended_at else None,
    }


def _head(delivery: AlertDelivery) -> str:
    """The sentence of the alert; with a word before it if it is over."""
    is_over = delivery.event == AlertDelivery.Event.RESOLVED
    return f"Resolved: {delivery.alert.text}" if is_over else delivery.alert.text


def _build_letter(subject: str, parts: Sequence[str], addresses: Sequence[str]) -> EmailMessage:
    body = "\n\n".join((*parts, f"All alerts: {absolute_url('/admin/alerts/')}"))
    line = " ".join(f"[{site_settings.get().name}] {subject}".split())
    # Nobody answers an e-mail of a machine with another one.
    headers = {"Auto-Submitted": "auto-generated"}
    return EmailMessage(line, f"{body}\n\n{site_host()}\n", to=list(addresses), headers=headers)


def _iso(time: dt.datetime) -> str:
    return time.astimezone(dt.UTC).isoformat(timespec="seconds")
