"""Kinds of alerts. They are here, because the site's settings choose among them."""

from __future__ import annotations

import secrets
from base64 import b64encode
from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what secrets begin with
"""Standard Webhooks: what follows is the key in Base64."""


class AlertKind(models.TextChoices):
    """What operators are called for."""

    REPORT = "report", _("a report waits for an answer")
    VOID = "void", _("a void waits for approval")
    ACCOUNT = "account", _("an account waits for approval")
    CHANGE = "change", _("a raised limit or a new manager waits for a second operator")
    RACK = "rack", _("a table is paused by its empty rack")
    BAND = "band", _("a result is outside of its range")
    AUDIT = "audit", _("the audit has failed")
    BACKUP = "backup", _("the last backup is too old")
    PROCESS = "process", _("a server process is gone")


def list_all_kinds() -> str:
    """All kinds as they are stored, separated by commas."""
    return ",".join(AlertKind.values)


def parse_kinds(stored: str) -> list[AlertKind]:
    """The stored kinds, in the order of :class:`AlertKind`; others are ignored."""
    chosen = set(stored.split(","))
    return [kind for kind in AlertKind if kind.value in chosen]


def generate_secret() -> str:
    """Generate a key that signs webhooks, of 32 random bytes."""
    return SECRET_PREFIX + b64encode(secrets.token_bytes(32)).decode()
