"""Changes that need a second operator: raised limits, and the role of managers.

Such a change takes effect after 24 hours, or at once when a second operator approves it. Limits go by
the time (:func:`load_settings`), and :func:`apply_due` only stores them, with an entry in the audit log.
A role is given by :func:`apply_due`, some seconds after its time.

The row of the settings is the lock of all waiting changes. It is locked after users.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.lib.money import format_money
from accounts.lib.times import format_time
from accounts.models import Act, HouseSettings, User, WaitingChange
from accounts.staff import roles
from accounts.staff.second_operator import (
    LEAST_TIME,
    verify_time_in_role,
    verify_time_of_requester,
)

Status = WaitingChange.Status

LIMITS: Final[Mapping[str, str | Promise]] = {
    "adjustment_limit": _("maximum per adjustment"),
    "adjustment_day_limit": _("maximum adjustments per day"),
    "void_limit": _("maximum void without approval"),
}
"""The settings whose raise loosens a rule for two operators, and their names. All are in hundredths."""


@dataclass(frozen=True, slots=True)
class LimitsChange:
    """What became of changed limits, by the fields of the settings."""

    lowered: tuple[str, ...]
    """In effect at once."""
    waiting: tuple[str, ...]
    """Raises that wait."""


# Reading


def load_settings(now: dt.datetime) -> HouseSettings:
    """Load the settings with the limits that are in effect at this time. Not to be saved."""
    return put_in_effect(HouseSettings.objects.get(pk=1), now)


def put_in_effect(settings: HouseSettings, now: dt.datetime) -> HouseSettings:
    """Set the limits of ``settings`` to those that are in effect, without storing them."""
    for change in _list_due(now).filter(kind=WaitingChange.Kind.LIMIT):
        setattr(settings, change.name, change.after)
    return settings


def list_waiting(now: dt.datetime) -> QuerySet[WaitingChange]:
    """The changes that are not in effect yet, oldest first."""
    rows = WaitingChange.objects.select_related("asked_by", "user")
    return rows.filter(status=Status.WAITING, takes_effect_at__gt=now).order_by("pk")


def get_label(change: WaitingChange) -> str | Promise:
    """The name of the limit, or of the role."""
    if change.kind == WaitingChange.Kind.ROLE:
        return change.name
    return LIMITS[change.name]


def describe(change: WaitingChange) -> str:
    """A waiting change in a sentence: who, what, and when it takes effect."""
    words = {
        "name": change.asked_by.username,
        "time": format_time(change.takes_effect_at, "j M Y, H:i"),
        "what": str(get_label(change)),
    }
    if change.kind == WaitingChange.Kind.ROLE:
        assert change.user is not None
        sentence = gettext(
            "%(name)s asks to give %(user)s the role %(what)s. It takes effect on %(time)s."
        )
        return sentence % {**words, "user": change.user.username}
    assert change.before is not None
    assert change.after is not None
    sentence = gettext(
        "%(name)s asks to raise the %(what)s from %(before)s to %(after)s. "
        "It takes effect on %(time)s."
    )
    amounts = {"before": format_money(change.before), "after": format_money(change.after)}
    return sentence % {**words, **amounts}


# Requests


def change_limits(operator: Operator, values: Mapping[str, int], now: dt.datetime) -> LimitsChange:
    """Lower limits at once, and store raises as waiting changes. ``values`` is by field.

    A lower limit withdraws its waiting raise; another raise replaces it, and its 24 hours begin anew.
    """
    lowered, waiting = [], []
    with transaction.atomic():
        settings = _lock_settings(now)
        rows = WaitingChange.objects.filter(status=Status.WAITING, kind=WaitingChange.Kind.LIMIT)
        changes = {change.name: change for change in rows}
        for name, value in values.items():
            current = getattr(settings, name)
            before = changes.get(name)
            if value > current:
                waiting.append(name)
                if before is not None and before.after == value:
                    continue
                if before is not None:
                    _end(before, Status.REPLACED, operator, now)
                _ask(operator, now, kind=WaitingChange.Kind.LIMIT, name=name,
                     before=current, after=value)  # fmt: skip
            elif value < current:
                lowered.append(name)
                if before is not None:
                    _end(before, Status.WITHDRAWN, operator, now)
                setattr(settings, name, value)
                settings.save(update_fields=[name])
                audit_log.record(
                    operator, Act.What.SETTINGS, audit_log.build_subject(settings),
                    before={name: current}, after={name: value}, at=now,
                )  # fmt: skip
    return LimitsChange(tuple(lowered), tuple(waiting))


def ask_role(operator: Operator, user: User, role: str, now: dt.datetime) -> None:
    """Request a role for a user, who is locked. A request that waits already is left as it is."""
    with transaction.atomic():
        _lock_settings(now)
        waiting = WaitingChange.objects.filter(status=Status.WAITING, name=role, user=user)
        if not waiting.exists():
            _ask(operator, now, kind=WaitingChange.Kind.ROLE, name=role, user=user)


# Decisions


def verify_may_approve(change: WaitingChange, by: User, now: dt.datetime) -> None:
    """Raise :class:`OperationRefused` if it is decided, or if this operator may not approve it."""
    verify_may_refuse(change, by, now)
    if change.asked_by_id == by.pk:
        raise OperationRefused(gettext("You requested this, so another operator must approve it."))
    verify_time_in_role(by, now)
    verify_time_of_requester(change.asked_by, now)


def verify_may_refuse(change: WaitingChange, by: User, now: dt.datetime) -> None:
    """Raise :class:`OperationRefused` if it is decided, or if this operator may not decide."""
    _verify_waits(change, now)
    if not (by.is_active and by.has_perm(roles.APPROVE)):
        raise OperationRefused(gettext("Your role does not have access to this."))
    if change.user_id == by.pk:
        raise OperationRefused(gettext("This is about your own role, so others must decide."))


def approve(change_id: int, operator: Operator, now: dt.datetime) -> WaitingChange:
    """Put another operator's change into effect.

    Raises ``WaitingChange.DoesNotExist``, :class:`OperationRefused`.
    """
    with transaction.atomic():
        change, by = _lock_change(change_id, operator, now)
        verify_may_approve(change, by, now)
        _execute(change, operator, now)
    return change


def refuse(change_id: int, operator: Operator, reason: str, now: dt.datetime) -> WaitingChange:
    """Refuse a change, or withdraw one's own. Raises as :func:`approve` does."""
    with transaction.atomic():
        change, by = _lock_change(change_id, operator, now)
        verify_may_refuse(change, by, now)
        status = Status.WITHDRAWN if change.asked_by_id == by.pk else Status.REFUSED
        _end(change, status, operator, now, reason)
    return change


def withdraw_of(user_id: int, operator: Operator, now: dt.datetime) -> None:
    """Withdraw what this user has requested, and what was requested for them.

    For a user who is frozen or deleted, in the caller's transaction. What is in effect by its time
    stays.
    """
    _withdraw(Q(asked_by=user_id) | Q(user=user_id), operator, now)


def withdraw_by(user_id: int, operator: Operator, now: dt.datetime) -> None:
    """Withdraw what this user has requested, and may no longer request."""
    _withdraw(Q(asked_by=user_id), operator, now)


def withdraw_for(user_id: int, operator: Operator, now: dt.datetime) -> None:
    """Withdraw what was requested for this user."""
    _withdraw(Q(user=user_id), operator, now)


def _withdraw(which: Q, operator: Operator, now: dt.datetime) -> None:
    # Also roles whose time has come: :func:`apply_due` must not give one to a frozen user.
    is_open = Q(kind=WaitingChange.Kind.ROLE) | Q(takes_effect_at__gt=now)
    rows = WaitingChange.objects.select_related("asked_by", "user").filter(
        is_open, which, status=Status.WAITING
    )
    if rows.exists():  # players have none, and need no lock
        _lock_settings(now)
        for change in rows:
            _end(change, Status.WITHDRAWN, operator, now)


def replace_role(user: User, role: str, operator: Operator, now: dt.datetime) -> None:
    """End a waiting request of this role, which the locked user gets in another way."""
    waiting = WaitingChange.objects.filter(status=Status.WAITING, name=role, user=user)
    if waiting.exists():
        _lock_settings(now)
        for change in waiting:
            _end(change, Status.REPLACED, operator, now)


def apply_due(now: dt.datetime) -> list[int]:
    """Store the changes whose time has come; return the ids of users with a new role."""
    user_ids: list[int] = []
    for due in _list_due(now):
        with transaction.atomic():
            roles.lock_users(due.user_id)
            _lock_settings(now)
            change = _list_due(now).filter(pk=due.pk).first()
            if change is not None:
                _execute(change, None, now)
                user_ids += [change.user_id] if change.user_id else []
    return user_ids


def _list_due(now: dt.datetime) -> QuerySet[WaitingChange]:
    return WaitingChange.objects.filter(status=Status.WAITING, takes_effect_at__lte=now)


def _lock_settings(now: dt.datetime) -> HouseSettings:
    """Lock the settings, with the limits whose time has come stored."""
    settings = HouseSettings.objects.select_for_update().get(pk=1)
    due: Iterable[WaitingChange] = _list_due(now).filter(kind=WaitingChange.Kind.LIMIT)
    for change in due:
        _execute(change, None, now)
        setattr(settings, change.name, change.after)
    return settings


def _lock_change(
    change_id: int, operator: Operator, now: dt.datetime
) -> tuple[WaitingChange, User]:
    user_id = WaitingChange.objects.values_list("user", flat=True).get(pk=change_id)
    users = roles.lock_users(operator.user_id, user_id)
    _lock_settings(now)
    change = WaitingChange.objects.select_related("asked_by", "decided_by").get(pk=change_id)
    return change, users[operator.user_id]


def _verify_waits(change: WaitingChange, now: dt.datetime) -> None:
    if change.status == Status.WAITING and change.takes_effect_at > now:
        return
    if change.status in (Status.WAITING, Status.DONE) and change.decided_by is None:
        raise OperationRefused(gettext("This change has already taken effect after 24 hours."))
    words = {
        Status.DONE: gettext("%(name)s has already approved this."),
        Status.REFUSED: gettext("%(name)s has already refused this."),
        Status.WITHDRAWN: gettext("%(name)s has already withdrawn this."),
        Status.REPLACED: gettext("%(name)s has replaced this by another change."),
    }
    assert change.decided_by is not None
    raise OperationRefused(words[Status(change.status)] % {"name": change.decided_by.username})


def _ask(operator: Operator, now: dt.datetime, **values: Any) -> None:
    until = now + LEAST_TIME
    change = WaitingChange.objects.create(
        asked_by_id=operator.user_id, asked_at=now, takes_effect_at=until, **values
    )
    before, after = _values(change)
    after["takes_effect"] = until.isoformat()
    audit_log.record(
        operator, Act.What.ASK_CHANGE, _subject(change), before=before, after=after, at=now
    )


def _execute(change: WaitingChange, operator: Operator | None, now: dt.datetime) -> None:
    """Put the change into effect: approved by ``operator``, or after its time."""
    if change.kind == WaitingChange.Kind.LIMIT:
        HouseSettings.objects.filter(pk=1).update(**{change.name: change.after})
    else:
        assert change.user_id is not None
        user = User.objects.get(pk=change.user_id)
        roles.store(user, {*roles.list_roles(user), change.name}, now)
    change.status, change.decided_at = Status.DONE, now
    change.decided_by_id = operator.user_id if operator else None
    change.save(update_fields=["status", "decided_by", "decided_at"])
    before, after = _values(change)
    after["asked_by"] = change.asked_by.username
    what = Act.What.APPROVE_CHANGE
    if operator is None:
        after["since"] = change.takes_effect_at.isoformat()
        what, operator = Act.What.TAKE_EFFECT, Operator(change.asked_by_id)
    audit_log.record(operator, what, _subject(change), before=before, after=after, at=now)


def _end(
    change: WaitingChange, status: Status, operator: Operator, now: dt.datetime, reason: str = ""
) -> None:
    change.status, change.decided_by_id, change.decided_at = status, operator.user_id, now
    change.save(update_fields=["status", "decided_by", "decided_at"])
    current, requested = _values(change)
    requested["asked_by"] = change.asked_by.username
    # From what was asked for back to what stays.
    audit_log.record(
        operator, Act.What.REFUSE_CHANGE, _subject(change),
        before=requested, after=current or {}, reason=reason, at=now,
    )  # fmt: skip


def _values(change: WaitingChange) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """What is stored in the audit log: before and after."""
    if change.kind == WaitingChange.Kind.ROLE:
        return None, {"role": change.name}
    return {change.name: change.before}, {change.name: change.after}


def _subject(change: WaitingChange) -> str:
    """The user who gets the role, or the settings."""
    return f"user:{change.user_id}" if change.user_id else "housesettings:1"
