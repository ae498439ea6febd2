"""Guests: accounts without a password, and their conversion to full accounts."""

from __future__ import annotations

import datetime as dt
import secrets

from django.db import IntegrityError, transaction

from accounts.ledger import transfers
from accounts.lib import server_clock
from accounts.models import NAME_COLUMNS, User
from accounts.users import former_names

SESSION = dt.timedelta(days=365)
"""How long a guest's session lasts. It is the only access to the account."""

TRIES = 12
"""The number of tries with short names before a longer one."""
_TRIES_WITH_TWO_DIGITS = 4

# Each combination with a word of the other list is friendly, also in sound, and with four digits
# not longer than a name may be. The digits form no number with a meaning, and none of them looks
# like a letter.

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


def create_guest(*, at: dt.datetime, language: str = "", name: str = "", colour: str = "") -> User:
    """Create a user with a name of their choice or a generated one, and a wallet with the starting
    grant. Atomic.

    ``language`` is the language that the browser has chosen, ``colour`` that of the name. Raises
    ``IntegrityError`` if the chosen name is taken.
    """
    if name:
        return _create_named_guest(name, at, language, colour)
    for attempt in range(TRIES):
        try:
            return _create_named_guest(_generate_name(attempt), at, language, colour)
        except IntegrityError:  # the name is taken
            continue
    return _create_named_guest(_generate_name(TRIES), at, language, colour)


def convert(guest: User, *, name: str, encoded_password: str, email: str) -> User | None:
    """Convert the guest to a full account with the same money and history.

    ``None`` if it was converted already, for example by a double click, or is deleted. Must run
    inside a transaction. Raises ``IntegrityError`` if the name is taken.
    """
    user = User.objects.select_for_update(no_key=True).get(pk=guest.pk)
    if not (user.is_guest and user.is_active):
        return None
    user.email, user.password = email, encoded_password
    user.is_guest = False
    columns = ["email", "is_guest", "password"]
    if name != user.username:
        former_names.record(user, server_clock.now())
        user.rename(name)
        columns += NAME_COLUMNS
    user.save(update_fields=columns)
    return user


def _create_named_guest(name: str, at: dt.datetime, language: str, colour: str) -> User:
    with transaction.atomic():
        guest = User.objects.create_user(name, is_guest=True, language=language, colour=colour)
        transfers.get_or_open_wallet(guest, at=at)
    return guest


def _generate_name(attempt: int) -> str:
    """Generate a name such as "QuietHeron27", with more digits on later attempts."""
    words = secrets.choice(ADJECTIVES) + secrets.choice(ANIMALS)
    length = 2 if attempt < _TRIES_WITH_TWO_DIGITS else 4
    return words + "".join(secrets.choice(DIGITS) for _ in range(length))
