"""Guests: real accounts with a made-up name, and their conversion to full accounts."""

from __future__ import annotations

import datetime as dt
import secrets

from django.db import IntegrityError, transaction

from accounts.ledger import transfers
from accounts.models import User

SESSION = dt.timedelta(days=365)
"""How long a guest's browser stays logged in. There is no other way back into the account."""

TRIES = 12
"""Made-up names that may turn out to be taken before a last one is tried."""
_TRIES_WITH_TWO_DIGITS = 4

# Together with any word of the other list each of these is friendly, in its sound too, and no two
# of them with four digits are longer than a name may be. The digits make no number that says
# something of its own, and none of them looks like a letter.

_ADJECTIVES = """
Amber Autumn Brave Breezy Bright Calm Candid Cheery Clever Cosy Dapper Eager Early Fleet
Gentle Glad Happy Hardy Jolly Keen Kind Lively Lucky Mellow Merry Misty Neat Nimble
Patient Placid Polite Quick Quiet Ready Serene Silver Snowy Spry Steady Sunny Tidy Trusty
Velvet Winter Witty
"""
_ANIMALS = """
Alpaca Avocet Badger Bison Crane Curlew Deer Dipper Dolphin Dormouse Egret Eider Elk Falcon
Finch Gazelle Goldfinch Hare Hedgehog Heron Ibex Jay Koala Lark Lemur Linnet Llama
Lynx Marten Moose Osprey Otter Owl Panda Petrel Plover Puffin Rabbit Robin Siskin
Sparrow Squirrel Starling Stork Swan Tapir Teal Tern Wagtail Wombat Wren
"""
ADJECTIVES, ANIMALS = tuple(_ADJECTIVES.split()), tuple(_ANIMALS.split())
DIGITS = "23457"


def new_guest(*, at: dt.datetime) -> User:
    """A new user with a made-up name and a wallet with the starting grant, or nothing at all."""
    for attempt in range(TRIES):
        try:
            return _guest_called(_made_up_name(attempt), at)
        except IntegrityError:  # somebody has that name, since long ago or since this moment
            continue
    return _guest_called(_made_up_name(TRIES), at)


def keep(guest: User, *, name: str, encoded_password: str, email: str) -> User | None:
    """Make the guest a user like any other, whose money and history stay what they are.

    ``None`` when the account was kept already, by the same button pressed twice, or is gone. Must
    run inside a transaction. Raises ``IntegrityError`` when somebody else has that name.
    """
    user = User.objects.select_for_update().get(pk=guest.pk)
    if not (user.is_guest and user.is_active):
        return None
    user.username, user.email, user.password = name, email, encoded_password
    user.is_guest = False
    user.save(update_fields=["username", "email", "is_guest", "password"])
    return user


def _guest_called(name: str, at: dt.datetime) -> User:
    with transaction.atomic():
        guest = User.objects.create_user(name, is_guest=True)
        transfers.get_or_open_wallet(guest, at=at)
    return guest


def _made_up_name(attempt: int) -> str:
    """Such as "QuietHeron27", with more digits when shorter names were taken again and again."""
    words = secrets.choice(ADJECTIVES) + secrets.choice(ANIMALS)
    length = 2 if attempt < _TRIES_WITH_TWO_DIGITS else 4
    return words + "".join(secrets.choice(DIGITS) for _ in range(length))
