"""The second operator, who decides about what another one has requested."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.utils.translation import gettext

from accounts.lib.errors import OperationRefused
from accounts.models import User

LEAST_TIME: Final = dt.timedelta(hours=24)
"""The time in a role before its holder decides as a second operator, and the time after which a
change needs none. It holds for who requests and for who approves, so nobody brings in an account of
their own for one of the two.
"""


def verify_time_of_requester(user: User, now: dt.datetime) -> None:
    """Raise :class:`OperationRefused` if the operator who requests has the role for less than 24 hours.

    Otherwise one operator could bring in an account of their own to request what they then approve.
    """
    if user.role_since is not None and now - user.role_since < LEAST_TIME:
        message = gettext(
            "%(name)s, who requested this, has had the role for less than 24 hours. It can be approved "
            "after that."
        )
        raise OperationRefused(message % {"name": user.username})


def verify_time_in_role(user: User, now: dt.datetime) -> None:
    """Raise :class:`OperationRefused` if this operator has the role for less than 24 hours."""
    if user.role_since is not None and now - user.role_since < LEAST_TIME:
        raise OperationRefused(
            gettext(
                "You have had your role for less than 24 hours, so another operator must decide."
            )
        )
