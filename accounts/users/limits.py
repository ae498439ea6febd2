"""Players' own limits: reminder, daily loss, break.

A stricter limit applies at once, a looser one after a day; until then the old one applies as well.
So rows are never changed: of the current ones the strictest applies.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Sum

from accounts.ledger import days, gaming_days
from accounts.ledger.entries import find_first_seqs
from accounts.models import OwnLimit, Transfer, User, WalletEntry

LOOSENED_AFTER = dt.timedelta(hours=24)

Kind = OwnLimit.Kind


@dataclass(frozen=True, slots=True)
class CurrentLimits:
    """The current limits of a player. Empty values are no limits."""

    reminder_minutes: int | None = None
    daily_loss: int | None = None
    """In hundredths."""
    break_ends_at: dt.datetime | None = None
    """The begin of the first gaming day on which the player plays again, or later if that day was
    moved to an earlier hour after the break was set.
    """


@dataclass(frozen=True, slots=True)
class LaterLimit:
    """A later value of a limit and its begin. ``None`` is no limit."""

    since: dt.datetime
    value: int | None


@dataclass(frozen=True, slots=True)
class LimitSchedule:
    """One kind of limit: the current value, and the later ones."""

    value: int | None
    steps: tuple[LaterLimit, ...]


def load_current_limits(user: User, now: dt.datetime) -> CurrentLimits:
    """The current limits of this player."""
    if not user.has_own_limits:
        return CurrentLimits()
    values: dict[str, list[int]] = {}
    current = _list_current(user, now)
    for limit in current:
        values.setdefault(limit.kind, []).append(limit.value)
    breaks = [_end_of_break(limit) for limit in current if limit.kind == Kind.BREAK]
    return CurrentLimits(
        reminder_minutes=min(values.get(Kind.REMINDER, []), default=None),
        daily_loss=min(values.get(Kind.DAILY_LOSS, []), default=None),
        break_ends_at=max(breaks, default=None),
    )


def load_reminder_minutes(user_ids: Iterable[int], now: dt.datetime) -> dict[int, int]:
    """The minutes between reminders by user id, for players who have set them."""
    wished = _filter_unended(now).filter(kind=Kind.REMINDER, user__in=user_ids).values("user")
    return dict(wished.annotate(minutes=Min("value")).values_list("user", "minutes"))


def load_schedule(user: User, kind: OwnLimit.Kind, now: dt.datetime) -> LimitSchedule:
    """The current and later values of one kind of limit."""
    holding = _list_current(user, now, kind) if user.has_own_limits else []
    value = _find_strictest(holding)
    steps: list[LaterLimit] = []
    for moment in sorted({end for limit in holding if (end := _end_of(limit)) is not None}):
        later = _find_strictest([limit for limit in holding if not _is_over(limit, moment)])
        before = steps[-1].value if steps else value
        # The end of a break by its date is no later step.
        if later != before and not (
            kind == Kind.BREAK
            and moment in [_end_of_break(limit) for limit in holding if limit.value == before]
        ):
            steps.append(LaterLimit(moment, later))
    return LimitSchedule(value, tuple(steps))


def set_limit(user: User, kind: OwnLimit.Kind, value: int | None, now: dt.datetime) -> bool:
    """Set a limit, or remove it with ``None``; a stricter one ends in a day.

    Returns whether a stricter one applies until then. No effect on a deleted account.
    """
    with transaction.atomic():
        locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if not locked.is_active:
            return False
        before = _list_current(locked, now, kind)
        stricter = [limit for limit in before if value is None or _is_stricter(limit, value)]
        same = [limit for limit in before if limit.value == value and limit.ends_at is None]
        for limit in stricter:
            if limit.ends_at is None:
                limit.ends_at = now + LOOSENED_AFTER
                limit.save(update_fields=["ends_at"])
        ids = [limit.pk for limit in (*stricter, *same[:1])]
        OwnLimit.objects.filter(user=locked, kind=kind).exclude(pk__in=ids).delete()
        if value is not None and not same:
            OwnLimit.objects.create(user=locked, kind=kind, value=value, set_at=now)
        if value is not None:
            locked.has_own_limits = user.has_own_limits = True
            locked.save(update_fields=["has_own_limits"])
    return bool(stricter)


def get_remaining_loss(wallet_id: int, daily_loss: int, now: dt.datetime) -> int:
    """The amount in hundredths that may still be staked on this gaming day under this ``daily_loss``.

    A stake counts as lost until it is paid back. It counts on the day of the bet: if it is returned
    on the next day, only its winnings count for that day. Void rounds do not count. The result is
    negative if more was lost before the limit was set.
    """
    begin = gaming_days.load().begin_of_limits(now)
    (first,) = find_first_seqs(wallet_id, [begin - days.LONGEST_WRITE])
    # The range of numbers uses the index; the times are exact. Reversed entries do not count: neither
    # the stakes of a void round nor its payouts.
    undone = WalletEntry.objects.filter(reverses=OuterRef("pk"))
    play = WalletEntry.objects.filter(~Exists(undone), wallet=wallet_id).order_by()
    of_today = play.filter(seq__gte=first, at__gte=begin)
    staked = -_sum_amounts(of_today.filter(kind=Transfer.Kind.STAKE))
    back = of_today.filter(kind__in=(Transfer.Kind.PAYOUT, Transfer.Kind.REFUND))
    sums: dict[int | None, int] = dict(back.values_list("round").annotate(sum=Sum("amount")))
    # Rounds that began before this day have entries from before it.
    lay = (Transfer.Kind.STAKE, Transfer.Kind.REFUND)
    earlier = play.filter(round__in=sums, at__lt=begin, kind__in=lay)
    staked_before = earlier.values_list("round").annotate(sum=Sum("amount"))
    from_before: int = sum(min(-amount, sums[round_id]) for round_id, amount in staked_before)
    return daily_loss - staked + sum(sums.values()) - from_before


def _is_stricter(limit: OwnLimit, value: int) -> bool:
    return limit.value > value if limit.kind == Kind.BREAK else limit.value < value


def _find_strictest(limits: list[OwnLimit]) -> int | None:
    values = [limit.value for limit in limits]
    if not values:
        return None
    return max(values) if limits[0].kind == Kind.BREAK else min(values)


def _filter_unended(now: dt.datetime) -> QuerySet[OwnLimit]:
    """The limits of all players that were not replaced by a looser one."""
    return OwnLimit.objects.filter(Q(ends_at=None) | Q(ends_at__gt=now)).order_by()


def _list_current(user: User, now: dt.datetime, kind: Kind | None = None) -> list[OwnLimit]:
    """The current limits of a player, of one kind or of all. A break ends on its day."""
    rows = _filter_unended(now).filter(user=user)
    limits = list(rows if kind is None else rows.filter(kind=kind))
    return [limit for limit in limits if limit.kind != Kind.BREAK or not _is_over(limit, now)]


def _end_of(limit: OwnLimit) -> dt.datetime | None:
    """The end of a limit; ``None`` without an end."""
    if limit.kind != Kind.BREAK:
        return limit.ends_at
    over = _end_of_break(limit)
    return over if limit.ends_at is None else min(limit.ends_at, over)


def _is_over(limit: OwnLimit, moment: dt.datetime) -> bool:
    end = _end_of(limit)
    return end is not None and end <= moment


def _end_of_break(limit: OwnLimit) -> dt.datetime:
    return gaming_days.load().end_of_break(dt.date.fromordinal(limit.value), limit.set_at)


def _sum_amounts(entries: QuerySet[WalletEntry]) -> int:
    amount: int = entries.aggregate(sum=Sum("amount", default=0))["sum"]
    return amount
