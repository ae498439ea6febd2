"""The list of operators, with what a manager looks after."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from allauth.mfa.models import Authenticator
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.users import sessions
from accounts.users.sessions import OwnSession

MOST: Final = 200
"""The most operators that are listed."""
FACTORS: Final[dict[str, str | Promise]] = {
    Authenticator.Type.TOTP: _("authenticator app"),
    Authenticator.Type.WEBAUTHN: _("passkey"),
}
"""The kinds of second factors. Recovery codes are none of their own."""


@dataclass(frozen=True, slots=True)
class StaffMember:
    """An operator."""

    user: User
    roles: tuple[str, ...]
    factors: tuple[str, ...]
    """The kinds of second factors; empty without one."""
    sessions: list[OwnSession]

    @property
    def last_seen(self) -> dt.datetime | None:
        """The last activity in a session that still goes on, or the last login."""
        times = [each.last_seen for each in self.sessions]
        if self.user.last_login is not None:
            times.append(self.user.last_login)
        return max(times, default=None)


def list_staff(now: dt.datetime) -> list[StaffMember]:
    """List the operators by name. The number of queries does not depend on theirs."""
    operators = User.objects.filter(is_staff=True).prefetch_related("groups")
    users = list(operators.order_by("folded")[:MOST])
    user_ids = [user.pk for user in users]
    active = sessions.list_sessions_of(user_ids, now)
    factors: dict[int, set[str]] = {user_id: set() for user_id in user_ids}
    rows = Authenticator.objects.filter(user__in=user_ids, type__in=FACTORS)
    for user_id, kind in rows.values_list("user", "type"):
        factors[user_id].add(kind)
    return [
        StaffMember(
            user,
            tuple(sorted(group.name for group in user.groups.all())),
            tuple(str(words) for kind, words in FACTORS.items() if kind in factors[user.pk]),
            active[user.pk],
        )
        for user in users
    ]
