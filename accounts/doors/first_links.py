"""The one-time links that make the first operator, printed where a server starts.

Each server process prints a link of its own, and several may run: so the settings have the hash of
one link for each printer, which its next start replaces. None is valid while there is a superuser,
and all are forgotten when one is made by a link, at a start after that, and when a superuser's account
is deleted: no old link makes a second first operator.
"""

from __future__ import annotations

import datetime as dt
from secrets import compare_digest

from django.db import transaction
from django.urls import reverse

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.site_links import absolute_url
from accounts.lib.tokens import hash_token, make_token
from accounts.models import Act, HouseSettings, User


class LinkEnded(Exception):
    """The link is not valid (any more)."""


def has_operator() -> bool:
    """Whether there is a superuser."""
    return User.objects.filter(is_superuser=True, is_active=True).exists()


def make_link(printer: str, *, is_only: bool) -> str | None:
    """Make the link of a printer, in place of its last one; ``None`` if there is a superuser.

    With ``is_only`` the links of all others end.
    """
    with transaction.atomic():
        house = HouseSettings.objects.select_for_update().get(pk=1)
        if has_operator():
            if house.first_links:  # the first one was made on the command line
                house.first_links = {}
                house.save(update_fields=["first_links"])
            return None
        token = make_token()
        others = {} if is_only else house.first_links
        house.first_links = {**others, printer: hash_token(token)}
        house.save(update_fields=["first_links"])
    return absolute_url(reverse("first-operator", args=[token]))


def is_valid(token: str) -> bool:
    """Whether the link with this secret makes the first operator."""
    return _is_known(HouseSettings.objects.get(pk=1), token) and not has_operator()


def make_operator(
    token: str, *, name: str, encoded_password: str, address: str | None, now: dt.datetime
) -> User:
    """Make the first superuser, once: of two at the same moment, one gets :class:`LinkEnded`.

    Raises ``IntegrityError`` if the name is taken.
    """
    with transaction.atomic():
        house = HouseSettings.objects.select_for_update().get(pk=1)
        if not _is_known(house, token) or has_operator():
            raise LinkEnded
        user = User(username=name, is_staff=True, is_superuser=True, role_since=now)
        user.password = encoded_password
        user.save()
        house.first_links = {}
        house.save(update_fields=["first_links"])
        subject = audit_log.build_subject(user)
        operator = Operator(user.pk, address)
        audit_log.record(operator, Act.What.FIRST_OPERATOR, subject, at=now)
    return user


def _is_known(house: HouseSettings, token: str) -> bool:
    token_hash = hash_token(token)
    return any(compare_digest(token_hash, stored) for stored in house.first_links.values())
