"""Stored changes, found and rewritten by what is in their bodies."""

from __future__ import annotations

from typing import Any

from tables.models import Change, Round
from tables.protocol import change_body, codec


def find_by_event(round_: Round, kind: str) -> list[Change]:
    """The changes of the round with an event of this type, in order."""
    changes = Change.objects.filter(round=round_).order_by("pk")
    return [one for one in changes if any(event["type"] == kind for event in one.events)]


def find_by_command(round_: Round, kind: str) -> list[Change]:
    """The changes of the round by a command of this type, in order."""
    changes = Change.objects.filter(round=round_).order_by("pk")
    return [one for one in changes if f'"t":"{kind}"' in one.command]


def rewrite(
    change: Change, *, command: str | None = None, events: list[dict[str, Any]] | None = None
) -> None:
    """Store the change as if it had been written otherwise."""
    body = change_body.encode(
        change.command if command is None else command,
        change.command_id,
        codec.encode(change.events if events is None else events),
    )
    Change.objects.filter(pk=change.pk).update(body=body)
