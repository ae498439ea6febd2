"""Actions on operators and sessions. Open pages of who loses something are closed at once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from django.db import transaction

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.models import Act, StaffInvite, User, WaitingChange
from accounts.staff import assignment, invites, waiting_changes
from accounts.staff.assignment import Assignment
from accounts.users import sessions
from tables.protocol.topics import reload_message
from tables.realtime import publishing
from tables.social import calls
from tables.state.effects import Effects


def assign_roles(
    operator: Operator, user_id: int, names: Collection[str], is_superuser: bool | None,
    now: dt.datetime,
) -> Effects[Assignment]:  # fmt: skip
    """Give a user these roles and no other. All pages of the user close, and open with the new ones.

    Raises as :func:`assignment.assign` does.
    """
    result = assignment.assign(operator, user_id, names, now, is_superuser=is_superuser)
    return Effects(result, evictions=(reload_message(user_id),) if result.is_changed else ())


def approve_change(change_id: int, operator: Operator, now: dt.datetime) -> Effects[WaitingChange]:
    """Approve a change. Raises as :func:`waiting_changes.approve` does."""
    change = waiting_changes.approve(change_id, operator, now)
    pages = () if change.user_id is None else (reload_message(change.user_id),)
    return Effects(change, evictions=pages)


def refuse_change(
    change_id: int, operator: Operator, reason: str, now: dt.datetime
) -> Effects[WaitingChange]:
    """Refuse or withdraw a change. Raises as :func:`waiting_changes.refuse` does."""
    return Effects(waiting_changes.refuse(change_id, operator, reason, now))


def create_invite(
    operator: Operator, role: str, now: dt.datetime
) -> Effects[tuple[StaffInvite, str]]:
    """Create an invite and its token. Raises as :func:`invites.create` does."""
    return Effects(invites.create(operator, role, now))


def withdraw_invite(operator: Operator, invite_id: int, now: dt.datetime) -> Effects[bool]:
    """Withdraw an invite. Raises as :func:`invites.withdraw` does."""
    return Effects(invites.withdraw(operator, invite_id, now))


def end_session(
    operator: Operator, user_id: int, session_id: int, reason: str, now: dt.datetime
) -> bool:
    """End one session of a user; false if it has ended already."""
    key = sessions.find_key(user_id, session_id)
    return key is not None and _end_sessions(operator, user_id, {key}, reason, now)


def end_all_sessions(operator: Operator, user_id: int, reason: str, now: dt.datetime) -> bool:
    """End all sessions of a user; false if there was none."""
    keys = sessions.find_keys(user_id, now)  # slow, so before the transaction and not in the writer
    return bool(keys) and _end_sessions(operator, user_id, keys, reason, now)


def _end_sessions(
    operator: Operator, user_id: int, keys: set[str], reason: str, now: dt.datetime
) -> bool:
    with transaction.atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user_id)
        sessions.delete_sessions(keys)
        calls.drop_ended(now, user_id)
        audit_log.record(
            operator, Act.What.END_SESSION, audit_log.build_subject(user),
            after={"sessions": len(keys)}, reason=reason, at=now,
        )  # fmt: skip
    publishing.close_ended_sessions(user_id)
    return True
