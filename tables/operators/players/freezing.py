"""Freezing and unfreezing players. Their balances do not change."""

from __future__ import annotations

import datetime as dt

from django.utils.translation import gettext

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.models import Act, User
from accounts.staff import invites, waiting_changes
from tables.game import commit, seats
from tables.protocol.topics import session_eviction
from tables.state import waiting_line
from tables.state.effects import ChangeNotice, Effects
from tables.state.live_table import LiveTable
from tables.state.locking import lock_user_and_tables


def freeze(operator: Operator, user_id: int, reason: str, now: dt.datetime) -> Effects[bool]:
    """Freeze a player, who reads ``reason``. False if the player was frozen already.

    An undealt bet is returned, and the seat or the place in line is freed. A hand in play stands,
    further decisions are automatic, and the seat is freed after the settlement. A bet behind is
    returned as well before the deal, and settled after it. The player's own
    tables stay open; the player's pages are closed in all processes. Raises
    :class:`OperationRefused`, ``User.DoesNotExist``.
    """
    return lock_user_and_tables(
        user_id, lambda user, table_ids: _freeze(operator, user, table_ids, reason, now)
    )


def unfreeze(operator: Operator, user_id: int, reason: str, now: dt.datetime) -> Effects[bool]:
    """Unfreeze a player, with the former sessions. False if the player was not frozen.

    Raises as :func:`freeze` does.
    """
    return lock_user_and_tables(
        user_id, lambda user, _table_ids: _unfreeze(operator, user, reason, now)
    )


def verify_may_freeze(by: User, user: User) -> None:
    """Raise :class:`OperationRefused` if this operator may not freeze or unfreeze this player."""
    if by.pk == user.pk:
        raise OperationRefused(gettext("You can't freeze yourself. Ask another operator."))
    if (user.is_staff or user.is_superuser) and not by.is_superuser:
        raise OperationRefused(gettext("This player is an operator. Only a superuser can do that."))
    if user.is_deleted:
        raise OperationRefused(gettext("This account was deleted. Nobody can log in to it."))


def _freeze(
    operator: Operator, user: User, table_ids: list[int], reason: str, now: dt.datetime
) -> Effects[bool]:
    verify_may_freeze(User.objects.get(pk=operator.user_id), user)
    if user.frozen_at is not None:
        return Effects(value=False)
    changes = [_leave_table(LiveTable.lock(table_id, now), user.pk) for table_id in table_ids]
    user.is_active, user.frozen_at, user.frozen_because = False, now, reason
    user.save(update_fields=["is_active", "frozen_at", "frozen_because"])
    subject = audit_log.build_subject(user)
    audit_log.record(operator, Act.What.FREEZE, subject, reason=reason, at=now)
    waiting_changes.withdraw_of(user.pk, operator, now)
    invites.withdraw_of(user.pk, operator, now)
    table_changes = tuple(change for change in changes if change is not None)
    return Effects(True, table_changes, evictions=(session_eviction(user.pk, None),))


def _leave_table(live: LiveTable, user_id: int) -> ChangeNotice | None:
    is_out = waiting_line.leave(live, user_id)
    is_out |= live.return_behind_of(user_id)
    seat = live.seat_of(user_id)
    if seat is not None and not seat.is_leaving:
        seats.leave(live, user_id)
    elif not is_out:
        return None
    return commit.commit_table(live)


def _unfreeze(operator: Operator, user: User, reason: str, now: dt.datetime) -> Effects[bool]:
    verify_may_freeze(User.objects.get(pk=operator.user_id), user)
    if user.frozen_at is None:
        return Effects(value=False)
    before = {"since": user.frozen_at.isoformat(), "because": user.frozen_because}
    user.is_active, user.frozen_at, user.frozen_because = True, None, ""
    user.save(update_fields=["is_active", "frozen_at", "frozen_because"])
    subject = audit_log.build_subject(user)
    audit_log.record(operator, Act.What.UNFREEZE, subject, before=before, reason=reason, at=now)
    return Effects(value=True)
