"""E-mail addresses of players, and which of them may reset a password."""

from __future__ import annotations

from typing import Final

from allauth.account.models import EmailAddress
from django.db.models import Exists, OuterRef, Q

from accounts.models import User

MOST_OF_ONE: Final = 10
"""The limit of accounts in an e-mail to an unconfirmed address, oldest first."""


def store_address(user: User) -> None:
    """Store the address of a user created on the command line in allauth's table."""
    if user.email and not EmailAddress.objects.filter(user=user).exists():
        EmailAddress.objects.get_or_create(
            user=user, email=user.email.lower(), defaults={"primary": True}
        )


def list_reset_addresses(user: User) -> set[str]:
    """The confirmed addresses; without any, the one given at sign-up.

    That is the first address, still the primary one: no other address becomes primary before it is
    confirmed.
    """
    store_address(user)
    rows = list(EmailAddress.objects.filter(user=user).order_by("pk"))
    confirmed = {row.email for row in rows if row.verified}
    return confirmed or {row.email for row in rows[:1] if row.primary}


def find_owners(email: str) -> list[User]:
    """The accounts whose password an e-mail to this address may reset; one if it is confirmed."""
    email = email.lower()
    without_row = User.objects.filter(email__iexact=email, is_active=True, emailaddress=None)
    for user in without_row[:MOST_OF_ONE]:
        store_address(user)
    rows = EmailAddress.objects.filter(email=email, user__is_active=True)
    confirmed = rows.filter(verified=True)
    others = EmailAddress.objects.filter(user=OuterRef("user"))
    sign_up_addresses = rows.filter(
        ~Exists(others.filter(Q(verified=True) | Q(pk__lt=OuterRef("pk")))), primary=True
    )
    first = sign_up_addresses.order_by("pk")[:MOST_OF_ONE]
    owners = [row.user for row in confirmed.select_related("user")]
    if owners or EmailAddress.objects.filter(email=email, verified=True).exists():
        return owners
    return [row.user for row in first.select_related("user")]


def is_taken(email: str, *, but: int | None) -> bool:
    """Whether another account has confirmed this address."""
    rows = EmailAddress.objects.filter(email=email.lower(), verified=True)
    return bool(rows.exclude(user=but).exists())
