"""Adjustments: play money that an operator adds to a wallet or removes, and their reversal.

Both count, in either direction, towards the operator's limits per adjustment and per gaming day.
Amounts are integer hundredths.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Sum
from django.utils.translation import gettext

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.ledger import days, gaming_days, transfers
from accounts.ledger.transfers import InsufficientFunds, Posting
from accounts.lib.errors import OperationRefused
from accounts.lib.money import format_money
from accounts.models import Account, Act, Transfer, User
from accounts.staff import waiting_changes

WITHOUT_LIMIT: Final = "accounts.adjust_without_limit"
"""The permission to move any amount."""
MOST: Final = 10**14
"""The limit of one adjustment for all operators."""
_OF_VOIDS = "void:"
"""The prefix of references of adjustments and reversals that belong to a void."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """The result of an adjustment."""

    user_id: int
    transfer_id: int
    balance: int
    """The new balance of the wallet."""
    is_new: bool
    """False for a repeated request, which moved nothing."""


@dataclass(frozen=True, slots=True)
class AdjustmentPlan:
    """The balance of a wallet before and after, in hundredths."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class AdjustmentLimits:
    """An operator's limits, in hundredths; ``None`` for no limit."""

    at_once: int | None
    today: int | None


def adjust(
    operator: Operator, user_id: int, amount: int, *, key: UUID, reason: str, now: dt.datetime
) -> Adjustment:
    """Move ``amount`` from the bank to the user's wallet, or back if it is negative.

    A repeated ``key`` is executed once. Raises :class:`OperationRefused`.
    """
    reference = f"adjust:{key}"
    with transaction.atomic():
        by, user = _lock_users(operator, user_id)
        wallet, bank = _lock_wallet_and_bank(user)
        before = Transfer.objects.filter(reference=reference).first()
        if before is not None:
            return _get_repeated(before, wallet, amount)
        _verify_limits(by, abs(amount), now)
        debit, credit = (bank, wallet) if amount > 0 else (wallet, bank)
        kind = Transfer.Kind.ADJUSTMENT
        movement = Posting(kind, debit.pk, credit.pk, abs(amount), reference)
        adjustment = _post(movement, wallet, operator, now)
        _record(operator, Act.What.ADJUST, wallet.balance, adjustment, reason, now)
    return adjustment


def reverse(operator: Operator, transfer_id: int, *, reason: str, now: dt.datetime) -> Adjustment:
    """Reverse a whole adjustment, by a new transfer that is linked to it.

    A repeated call returns it with ``is_new`` false. Raises :class:`OperationRefused`.
    """
    original = Transfer.objects.select_related("debit", "credit").filter(pk=transfer_id).first()
    user_id = _get_adjusted_user(original)
    with transaction.atomic():
        by, user = _lock_users(operator, user_id)
        wallet, _bank = _lock_wallet_and_bank(user)
        before = Transfer.objects.filter(reverses=transfer_id).first()
        if before is not None:
            return Adjustment(user_id, before.pk, wallet.balance, is_new=False)
        assert original is not None
        _verify_limits(by, original.amount, now)
        movement = Posting(
            Transfer.Kind.REVERSAL, original.credit_id, original.debit_id, original.amount,
            f"reverse:{transfer_id}", reverses=transfer_id,
        )  # fmt: skip
        adjustment = _post(movement, wallet, operator, now)
        _record(operator, Act.What.REVERSE, wallet.balance, adjustment, reason, now, transfer_id)
    return adjustment


def preview(operator: Operator, user_id: int, amount: int, *, now: dt.datetime) -> AdjustmentPlan:
    """Return the result of :func:`adjust` without locks. Raises :class:`OperationRefused` as it does."""
    _verify_other(operator, user_id)
    by, user = _get_users(operator, user_id, User.objects.in_bulk([operator.user_id, user_id]))
    wallet = Account.objects.filter(user=user).first()
    if wallet is None:
        raise _no_wallet_error()
    _verify_limits(by, abs(amount), now)
    if wallet.balance + amount < 0:
        raise _low_balance_error(wallet)
    return AdjustmentPlan(wallet.balance, wallet.balance + amount)


def preview_reversal(operator: Operator, transfer_id: int, *, now: dt.datetime) -> AdjustmentPlan:
    """The result of :func:`reverse`. Raises as :func:`preview` does, and after a reversal."""
    original = Transfer.objects.select_related("debit", "credit").filter(pk=transfer_id).first()
    user_id = _get_adjusted_user(original)
    if Transfer.objects.filter(reverses=transfer_id).exists():
        raise OperationRefused(gettext("This adjustment has already been reversed."))
    assert original is not None
    gave = original.credit.user_id == user_id
    return preview(operator, user_id, -original.amount if gave else original.amount, now=now)


def find_reversible(transfer_ids: Iterable[int]) -> set[int]:
    """The transfers among these that :func:`reverse` accepts."""
    ours = Transfer.objects.filter(
        pk__in=list(transfer_ids),
        kind=Transfer.Kind.ADJUSTMENT,
        reversals=None,
    ).exclude(reference__startswith=_OF_VOIDS)
    return set(ours.values_list("pk", flat=True))


def adjustment_limits(user: User, now: dt.datetime) -> AdjustmentLimits:
    """The limits of this operator: per adjustment, and for the rest of the day."""
    if user.has_perm(WITHOUT_LIMIT):
        return AdjustmentLimits(None, None)
    settings = waiting_changes.load_settings(now)
    rest = max(0, settings.adjustment_day_limit - sum_moved_today(user.pk, now))
    return AdjustmentLimits(min(settings.adjustment_limit, rest), rest)


def sum_moved_today(user_id: int, now: dt.datetime) -> int:
    """The amount that this operator has moved on this gaming day, in both directions.

    See :meth:`GamingDays.begin_of_limits`.
    """
    begin = gaming_days.load().begin_of_limits(now)
    first = days.find_first_id(begin)
    if first is None:
        return 0
    bank_id, sum_ = transfers.get_bank().pk, 0
    # One query for each side of the bank and each kind, by index.
    for side in ("debit", "credit"):
        for kind in (Transfer.Kind.ADJUSTMENT, Transfer.Kind.REVERSAL):
            moved = Transfer.objects.filter(**{side: bank_id}, kind=kind, pk__gte=first)
            mine = moved.filter(at__gte=begin, by=user_id).exclude(reference__startswith=_OF_VOIDS)
            sum_ += mine.order_by().aggregate(sum=Sum("amount", default=0))["sum"]
    return sum_


def _get_adjusted_user(original: Transfer | None) -> int:
    """The user of an adjusted wallet. Raises :class:`OperationRefused` for other transfers."""
    if original is None:
        raise OperationRefused(gettext("No such transfer."))
    if original.kind == Transfer.Kind.REVERSAL:
        raise OperationRefused(gettext("You can't reverse a reversal. Adjust the wallet instead."))
    is_of_void = original.reference.startswith(_OF_VOIDS)
    if original.kind != Transfer.Kind.ADJUSTMENT or is_of_void:
        raise OperationRefused(
            gettext("You can only reverse adjustments here. To undo a round, void it.")
        )
    user_id = original.debit.user_id or original.credit.user_id
    assert user_id is not None
    return user_id


def _lock_users(operator: Operator, user_id: int) -> tuple[User, User]:
    """Lock operator and owner: adjustments are counted one at a time, accounts cannot be deleted."""
    _verify_other(operator, user_id)
    ids = {operator.user_id, user_id}
    users = User.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    return _get_users(operator, user_id, {user.pk: user for user in users})


def _verify_other(operator: Operator, user_id: int) -> None:
    if operator.user_id == user_id:
        raise OperationRefused(gettext("You can't adjust your own wallet. Ask another operator."))


def _get_users(operator: Operator, user_id: int, users: Mapping[int, User]) -> tuple[User, User]:
    if user_id not in users or users[user_id].is_deleted:
        raise OperationRefused(
            gettext("This account was deleted. Its money was returned to the bank.")
        )
    return users[operator.user_id], users[user_id]


def _lock_wallet_and_bank(user: User) -> tuple[Account, Account]:
    try:
        return transfers.lock_wallet_and_bank(user.pk)
    except Account.DoesNotExist:
        raise _no_wallet_error() from None


def _no_wallet_error() -> OperationRefused:
    return OperationRefused(
        gettext("This player has no wallet yet. It is created when they first sit down.")
    )


def _low_balance_error(wallet: Account) -> OperationRefused:
    message = gettext("The wallet holds %(holds)s and can't go below zero.")
    return OperationRefused(message % {"holds": format_money(wallet.balance)})


def _verify_limits(by: User, amount: int, now: dt.datetime) -> None:
    if not 0 < amount <= MOST:
        raise OperationRefused(gettext("Enter a valid amount."))
    if by.has_perm(WITHOUT_LIMIT):
        return
    settings = waiting_changes.load_settings(now)
    if amount > settings.adjustment_limit:
        message = gettext("You can adjust at most %(most)s at a time.")
        raise OperationRefused(message % {"most": format_money(settings.adjustment_limit)})
    rest = settings.adjustment_day_limit - sum_moved_today(by.pk, now)
    if amount > rest:
        message = gettext("You can adjust at most %(left)s more today.")
        raise OperationRefused(message % {"left": format_money(max(0, rest))})


def _post(movement: Posting, wallet: Account, operator: Operator, now: dt.datetime) -> Adjustment:
    assert wallet.user_id is not None
    try:
        balances = transfers.post([movement], at=now, by=operator.user_id)
    except InsufficientFunds:
        raise _low_balance_error(wallet) from None
    transfer = Transfer.objects.only("pk").get(reference=movement.reference)
    return Adjustment(wallet.user_id, transfer.pk, balances[wallet.pk].amount, is_new=True)


def _get_repeated(before: Transfer, wallet: Account, amount: int) -> Adjustment:
    moved = before.amount if before.credit_id == wallet.pk else -before.amount
    if wallet.pk not in (before.debit_id, before.credit_id) or moved != amount:
        raise OperationRefused(gettext("This form was already used. Start again."))
    assert wallet.user_id is not None
    return Adjustment(wallet.user_id, before.pk, wallet.balance, is_new=False)


def _record(
    operator: Operator, what: Act.What, before: int, adjustment: Adjustment, reason: str,
    now: dt.datetime, reverses: int | None = None,
) -> None:  # fmt: skip
    after = {"balance": adjustment.balance, "transfer": adjustment.transfer_id}
    if reverses is not None:
        after["reverses"] = reverses
    audit_log.record(
        operator, what, f"user:{adjustment.user_id}",
        before={"balance": before}, after=after, reason=reason, at=now,
    )  # fmt: skip
