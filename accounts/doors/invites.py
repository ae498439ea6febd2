"""Invites to sign up: links for a number of people, until a time.

The browser that has opened a link keeps its secret in a signed cookie until the sign-up.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.lib.tokens import hash_token, make_token
from accounts.models import Act, SignUpInvite

COOKIE: Final = "invite"
LIFETIME_SECONDS: Final = 24 * 60 * 60
"""How long a sign-up after the link may take."""
MOST_PLACES: Final = 1000


@transaction.atomic
def create(
    operator: Operator, now: dt.datetime, *, label: str, places: int, until: dt.datetime | None
) -> tuple[SignUpInvite, str]:
    """Create an invite; return it and the secret of its link, which nobody can read again."""
    token = make_token()
    invite = SignUpInvite.objects.create(
        token_hash=hash_token(token),
        label=label,
        places=places,
        until=until,
        made_by_id=operator.user_id,
        made_at=now,
    )
    after = {"label": label, "places": places, "until": until and until.isoformat()}
    subject = audit_log.build_subject(invite)
    audit_log.record(operator, Act.What.INVITE_PLAYER, subject, after=after, at=now)
    return invite, token


@transaction.atomic
def withdraw(operator: Operator, invite_id: int, now: dt.datetime) -> bool:
    """End an invite. Its accounts stay. False if it was withdrawn already or does not exist."""
    invite = SignUpInvite.objects.select_for_update().filter(pk=invite_id).first()
    if invite is None or invite.withdrawn_at is not None:
        return False
    invite.withdrawn_at = now
    invite.save(update_fields=["withdrawn_at"])
    before = {"label": invite.label, "used": invite.used, "places": invite.places}
    subject = audit_log.build_subject(invite)
    audit_log.record(operator, Act.What.WITHDRAW, subject, before=before, at=now)
    return True


def filter_valid(now: dt.datetime) -> QuerySet[SignUpInvite]:
    """The invites by which somebody may sign up now."""
    has_time = Q(until=None) | Q(until__gt=now)
    return SignUpInvite.objects.filter(has_time, withdrawn_at=None, used__lt=F("places"))


def find(token: str) -> SignUpInvite | None:
    """The invite of this secret, valid or not."""
    return SignUpInvite.objects.filter(token_hash=hash_token(token)).first()


def is_valid(token: str, now: dt.datetime) -> bool:
    """Whether somebody may sign up with this secret now."""
    return filter_valid(now).filter(token_hash=hash_token(token)).exists()


def take_place(token: str, now: dt.datetime) -> SignUpInvite | None:
    """Take a place of the invite, in the transaction that makes the account.

    ``None`` if it has none left or is not valid: of two who want the last place, one gets it.
    """
    valid = filter_valid(now).filter(token_hash=hash_token(token))
    return find(token) if valid.update(used=F("used") + 1) else None


def remember(response: HttpResponse, token: str) -> None:
    """Store the secret in the browser until the sign-up."""
    response.set_cookie(
        COOKIE,
        signing.dumps(token, salt=COOKIE),
        max_age=LIFETIME_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def get_token(request: HttpRequest) -> str:
    """The secret that this browser keeps; empty without one."""
    cookie = request.COOKIES.get(COOKIE)
    if cookie is None:
        return ""
    try:
        token: str = signing.loads(cookie, salt=COOKIE, max_age=LIFETIME_SECONDS)
    except signing.BadSignature:
        return ""
    return token


def has_valid(request: HttpRequest) -> bool:
    """Whether this browser keeps a valid invite. Queries only with a cookie."""
    token = get_token(request)
    return bool(token) and is_valid(token, server_clock.now())
