"""Limits that players set for themselves, and the house keeps for them.

Setting a stricter one holds at once; what was set before it holds on for a day when the new one is
looser. So a limit is never changed: of those that hold, the strictest counts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Min, Q, QuerySet, Sum

from accounts.models import OwnLimit, Transfer, User

LOOSENED_AFTER = dt.timedelta(hours=24)
LONGEST_WRITE = dt.timedelta(minutes=1)
"""A transfer is in the database so soon after the moment that it names."""

Kind = OwnLimit.Kind


@dataclass(frozen=True, slots=True)
class InForce:
    """What counts for a player now. Empty values are no limits."""

    reminder_minutes: int | None = None
    daily_loss: int | None = None
    """In hundredths."""
    break_until: dt.date | None = None
    """The first day (UTC) on which the player plays again."""


@dataclass(frozen=True, slots=True)
class Step:
    """What will hold from a moment on, when something stricter has ended. ``None``: no limit."""

    since: dt.datetime
    value: int | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """One kind of limit: what holds now, and what is to come without any more doing."""

    value: int | None
    steps: tuple[Step, ...]


def in_force(user: User, now: dt.datetime) -> InForce:
    """The limits that hold for this player."""
    if not user.has_own_limits:
        return InForce()
    values: dict[str, list[int]] = {}
    for kind, value in _holding(user, now).values_list("kind", "value"):
        values.setdefault(kind, []).append(value)
    return InForce(
        reminder_minutes=min(values.get(Kind.REMINDER, []), default=None),
        daily_loss=min(values.get(Kind.DAILY_LOSS, []), default=None),
        break_until=dt.date.fromordinal(max(values[Kind.BREAK])) if Kind.BREAK in values else None,
    )


def reminders(user_ids: Iterable[int], now: dt.datetime) -> dict[int, int]:
    """After how many minutes these players wish to be reminded, by user id; others are left out."""
    wished = _still(now).filter(kind=Kind.REMINDER, user__in=user_ids).values("user")
    return dict(wished.annotate(minutes=Min("value")).values_list("user", "minutes"))


def outlook(user: User, kind: OwnLimit.Kind, now: dt.datetime) -> Outlook:
    """What holds of one kind, and what will hold from when."""
    holding = list(_holding(user, now).filter(kind=kind)) if user.has_own_limits else []
    value = _strictest(holding)
    steps: list[Step] = []
    for moment in sorted({end for limit in holding if (end := _end(limit)) is not None}):
        later = _strictest([limit for limit in holding if not _is_over(limit, moment)])
        before = steps[-1].value if steps else value
        # That a break is over on its own day is what its date says.
        if later != before and not (kind == Kind.BREAK and moment == _break_ends(before)):
            steps.append(Step(moment, later))
    return Outlook(value, tuple(steps))


def set_limit(user: User, kind: OwnLimit.Kind, value: int | None, now: dt.datetime) -> bool:
    """Let ``value`` hold from now on, or nothing for ``None``; what is stricter ends in a day.

    Returns whether something stricter holds until then.
    """
    with transaction.atomic():
        locked = User.objects.select_for_update().get(pk=user.pk)
        before = list(_holding(locked, now).filter(kind=kind))
        stricter = [limit for limit in before if value is None or _is_stricter(limit, value)]
        same = [limit for limit in before if limit.value == value and limit.ends_at is None]
        for limit in stricter:
            if limit.ends_at is None:
                limit.ends_at = now + LOOSENED_AFTER
                limit.save(update_fields=["ends_at"])
        kept = [limit.pk for limit in (*stricter, *same[:1])]
        OwnLimit.objects.filter(user=locked, kind=kind).exclude(pk__in=kept).delete()
        if value is not None and not same:
            OwnLimit.objects.create(user=locked, kind=kind, value=value, set_at=now)
        if value is not None:
            locked.has_own_limits = user.has_own_limits = True
            locked.save(update_fields=["has_own_limits"])
    return bool(stricter)


def loss_left(wallet_id: int, daily_loss: int, now: dt.datetime) -> int:
    """What may still be staked today (UTC) under a limit of ``daily_loss``, in hundredths.

    What is staked now counts as lost until it is won back. Below zero: more was lost before the
    limit was set.
    """
    midnight = _midnight(now.date())
    earlier = Transfer.objects.filter(at__lt=midnight - LONGEST_WRITE).order_by("at", "id")
    last = earlier.values_list("pk", flat=True).last()
    # The ids narrow it down to what an index finds; the times alone decide.
    of_today = Transfer.objects.filter(pk__gt=last or 0, at__gte=midnight)
    staked = _sum(of_today.filter(debit=wallet_id, kind=Transfer.Kind.STAKE))
    back = (Transfer.Kind.PAYOUT, Transfer.Kind.REFUND)
    return daily_loss - staked + _sum(of_today.filter(credit=wallet_id, kind__in=back))


def _is_stricter(limit: OwnLimit, value: int) -> bool:
    return limit.value > value if limit.kind == Kind.BREAK else limit.value < value


def _strictest(limits: list[OwnLimit]) -> int | None:
    values = [limit.value for limit in limits]
    if not values:
        return None
    return max(values) if limits[0].kind == Kind.BREAK else min(values)


def _still(now: dt.datetime) -> QuerySet[OwnLimit]:
    """What holds of all players' limits. A break is over by itself, on its day."""
    over = Q(kind=Kind.BREAK, value__lte=now.date().toordinal())
    return OwnLimit.objects.filter(Q(ends_at=None) | Q(ends_at__gt=now)).exclude(over).order_by()


def _holding(user: User, now: dt.datetime) -> QuerySet[OwnLimit]:
    return _still(now).filter(user=user)


def _end(limit: OwnLimit) -> dt.datetime | None:
    """When a limit holds no longer; ``None`` while it holds for good."""
    if limit.kind != Kind.BREAK:
        return limit.ends_at
    over = _break_ends(limit.value)
    return over if limit.ends_at is None or over is None else min(limit.ends_at, over)


def _is_over(limit: OwnLimit, moment: dt.datetime) -> bool:
    end = _end(limit)
    return end is not None and end <= moment


def _break_ends(day: int | None) -> dt.datetime | None:
    return None if day is None else _midnight(dt.date.fromordinal(day))


def _midnight(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), tzinfo=dt.UTC)


def _sum(transfers: QuerySet[Transfer]) -> int:
    amount: int = transfers.aggregate(sum=Sum("amount", default=0))["sum"]
    return amount
