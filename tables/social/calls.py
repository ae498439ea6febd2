"""Calls by web push: the browsers in which a player has asked for them."""

from __future__ import annotations

import datetime as dt
import re
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from django.db import transaction

from accounts.users import sessions
from tables.models import PushSubscription

MOST_DEVICES: Final = 5
"""The limit of browsers of a player; the latest remain."""
LONGEST_ENDPOINT: Final = 500
POINT_BYTES, SECRET_BYTES = 65, 16


class NotASubscription(ValueError):
    """A browser would not have sent this."""


_BASE64: Final = re.compile(r"[A-Za-z0-9_-]{1,90}={0,2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Device:
    """What a browser tells: an address at its push service, and the keys for messages."""

    endpoint: str
    public_key: str
    secret: str

    def __post_init__(self) -> None:
        """Check the form. The addresses behind the name are checked when a message is sent."""
        if not _is_endpoint(self.endpoint):
            raise NotASubscription
        point = _decode(self.public_key)
        if len(point) != POINT_BYTES or point[0] != 4 or len(_decode(self.secret)) != SECRET_BYTES:
            raise NotASubscription


@dataclass(frozen=True, slots=True)
class Kinds:
    """What a device is called for. At first for what one waits for at a table."""

    turns: bool = True
    seats: bool = True
    friends: bool = False


def subscribe(
    user_id: int, session_key: str, device: Device, language: str, now: dt.datetime
) -> None:
    """Call this user on the device, until the session ends. Another user's calls there end."""
    values = {
        "user_id": user_id,
        "session_key": session_key,
        "public_key": device.public_key,
        "secret": device.secret,
        "language": language,
        "created_at": now,
    }
    with transaction.atomic():
        PushSubscription.objects.filter(endpoint=device.endpoint).exclude(user=user_id).delete()
        PushSubscription.objects.update_or_create(
            endpoint=device.endpoint,
            defaults=values,
            create_defaults={**values, **_as_columns(Kinds())},
        )
        own = PushSubscription.objects.filter(user=user_id).order_by("-created_at", "-pk")
        surplus = [one.pk for one in own[MOST_DEVICES : MOST_DEVICES + 10]]
        if surplus:
            PushSubscription.objects.filter(pk__in=surplus).delete()


def unsubscribe(user_id: int, session_key: str) -> None:
    """Call no more on the device of this session."""
    PushSubscription.objects.filter(user=user_id, session_key=session_key).delete()


def find_kinds(user_id: int, session_key: str) -> Kinds | None:
    """What the device of this session is called for; ``None`` if it is not called."""
    columns = ("is_for_turns", "is_for_seats", "is_for_friends")
    mine = PushSubscription.objects.filter(user=user_id, session_key=session_key)
    row = mine.values_list(*columns).first()
    return Kinds(*row) if row else None


def choose_kinds(user_id: int, session_key: str, kinds: Kinds) -> bool:
    """Call the device of this session for these; false if it is not called."""
    mine = PushSubscription.objects.filter(user=user_id, session_key=session_key)
    return bool(mine.update(**_as_columns(kinds)))


def list_devices(user_id: int, now: dt.datetime) -> list[PushSubscription]:
    """The devices of a user whose sessions go on; the others are dropped."""
    drop_ended(now, user_id)
    return list(PushSubscription.objects.filter(user=user_id))


def drop_ended(now: dt.datetime, user_id: int | None = None) -> None:
    """Drop the devices of ended sessions, of one user or of all."""
    devices = PushSubscription.objects.all()
    if user_id is not None:
        devices = devices.filter(user=user_id)
    ended = sessions.find_ended(set(devices.values_list("session_key", flat=True)), now)
    if ended:
        devices.filter(session_key__in=ended).delete()


def _as_columns(kinds: Kinds) -> dict[str, bool]:
    return {
        "is_for_turns": kinds.turns,
        "is_for_seats": kinds.seats,
        "is_for_friends": kinds.friends,
    }


def _is_endpoint(text: str) -> bool:
    """Whether the text can be an address of a push service: https, a name, and the usual port."""
    if len(text) > LONGEST_ENDPOINT or not text.isascii() or not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    name = parts.hostname or ""
    is_name = "." in name and not name.replace(".", "").isdigit() and ":" not in name
    has_user = "@" in parts.netloc
    return parts.scheme == "https" and is_name and not has_user and port in (None, 443)


def _decode(text: str) -> bytes:
    if not _BASE64.fullmatch(text):  # the decoder leaves other characters out
        raise NotASubscription
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError as error:
        raise NotASubscription from error
