"""Limits that players set for themselves, and the house keeps for them.

Setting a stricter one holds at once; what was set before it holds on for a day when the new one is
looser. So a limit is never changed: of those that hold, the strictest counts.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet, Sum

from accounts.models import OwnLimit, Transfer, User

LOOSENED_AFTER = dt.timedelta(hours=24)

Kind = OwnLimit.Kind


@dataclass(frozen=True, slots=True)
class InForce:
    """What counts for a player now. Empty values are no limits."""

    reminder_minutes: int | None = None
    daily_loss: int | None = None
    """In hundredths."""
    break_until: dt.date | None = None
    """The first day (UTC) on which the player plays again."""


def in_force(user: User, now: dt.datetime) -> InForce:
    """The limits that hold for this player."""
    if not user.has_own_limits:
        return InForce()
    values: dict[str, list[int]] = {}
    for kind, value in _holding(user, now).values_list("kind", "value"):
        values.setdefault(kind, []).append(value)
    until = dt.date.fromordinal(max(values[Kind.BREAK])) if Kind.BREAK in values else None
    return InForce(
        reminder_minutes=min(values.get(Kind.REMINDER, []), default=None),
        daily_loss=min(values.get(Kind.DAILY_LOSS, []), default=None),
        break_until=until if until is not None and now.date() < until else None,
    )


def set_limit(user: User, kind: OwnLimit.Kind, value: int | None, now: dt.datetime) -> bool:
    """Let ``value`` hold from now on, or nothing for ``None``; what is stricter ends in a day.

    Returns whether something stricter holds until then.
    """
    with transaction.atomic():
        locked = User.objects.select_for_update().get(pk=user.pk)
        before = list(_holding(locked, now).filter(kind=kind))
        stricter = [limit for limit in before if value is None or _is_stricter(limit, value)]
        for limit in before:
            if limit not in stricter:
                limit.ends_at = now
            elif limit.ends_at is None:
                limit.ends_at = now + LOOSENED_AFTER
            limit.save(update_fields=["ends_at"])
        if value is not None:
            OwnLimit.objects.create(user=locked, kind=kind, value=value, set_at=now)
            locked.has_own_limits = user.has_own_limits = True
            locked.save(update_fields=["has_own_limits"])
    return bool(stricter)


def loss_left(wallet_id: int, daily_loss: int, now: dt.datetime) -> int:
    """What may still be staked today (UTC) under a limit of ``daily_loss``, in hundredths.

    What is staked now counts as lost until it is won back. Below zero: more was lost before the
    limit was set.
    """
    midnight = dt.datetime.combine(now.date(), dt.time(), tzinfo=dt.UTC)
    first = Transfer.objects.filter(at__gte=midnight).order_by("at", "id").first()
    if first is None:
        return daily_loss
    staked = _sum(Transfer.objects.filter(debit=wallet_id, kind=Transfer.Kind.STAKE), first.pk)
    won = Transfer.objects.filter(
        credit=wallet_id, kind__in=(Transfer.Kind.PAYOUT, Transfer.Kind.REFUND)
    )
    return daily_loss - staked + _sum(won, first.pk)


def _is_stricter(limit: OwnLimit, value: int) -> bool:
    return limit.value > value if limit.kind == Kind.BREAK else limit.value < value


def _holding(user: User, now: dt.datetime) -> QuerySet[OwnLimit]:
    return OwnLimit.objects.filter(Q(ends_at=None) | Q(ends_at__gt=now), user=user).order_by()


def _sum(transfers: QuerySet[Transfer], first_id: int) -> int:
    amount: int = transfers.filter(pk__gte=first_id).aggregate(sum=Sum("amount", default=0))["sum"]
    return amount
