"""Transfers between accounts: the only code that changes a balance.

Lock order everywhere: the table's row first, then the user's if it is needed, then accounts by id.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db import transaction
from django.db.models import Q

from accounts.lib.sql.driver import to_driver_value
from accounts.lib.sql.select import Select, build_in_condition, pad_arguments
from accounts.lib.sql.write import CompareAndSet, InsertRows
from accounts.models import Account, Transfer, User

STARTING_GRANT = 50_000
"""The starting grant of a new player, in hundredths (seed 004: "a starting balance of 500")."""


_MAY_BE_SHORT = (Account.Kind.BANK, Account.Kind.POT)

_accounts_locked = Select(
    lambda *ids: (
        Account.objects.select_for_update()
        .filter(build_in_condition("pk", ids))
        .order_by("pk")
        .values_list("pk", "kind", "balance", "seq")
    )
)
_set_balances = CompareAndSet(Account, "balance", counted="seq")
_insert_transfers = InsertRows(
    Transfer,
    (
        "kind", "debit", "credit", "amount", "reference", "debit_balance", "credit_balance",
        "by", "reverses", "at",
    ),
)  # fmt: skip


class InsufficientFunds(Exception):
    """An account would go below zero that may not. No money was moved."""

    def __init__(self, account: Account) -> None:
        super().__init__(f"{account} holds {account.balance}")
        self.account = account


@dataclass(frozen=True, slots=True)
class Posting:
    """A transfer to post: ``amount`` hundredths from account ``debit`` to account ``credit``."""

    kind: Transfer.Kind
    debit: int
    credit: int
    amount: int
    reference: str
    reverses: int | None = None
    """The id of the reversed transfer."""
    by: int | None = None
    """The acting user, if postings of several users are carried out together."""


class Balance(NamedTuple):
    """The balance of an account, in hundredths. The one with the higher ``seq`` is newer."""

    amount: int
    seq: int


NOT_OPENED: Final = Balance(STARTING_GRANT, 0)
"""The balance of a wallet that is not yet opened."""


@dataclass(slots=True)
class _LockedAccount:
    """The balance of an account during :func:`apply`."""

    pk: int
    kind: str
    balance: int
    seq: int

    @property
    def account(self) -> Account:
        """The account with its stored balance."""
        return Account.objects.get(pk=self.pk)


@dataclass(slots=True)
class Postings:
    """Postings that were carried out in memory, to be written."""

    rows: list[tuple[Any, ...]]
    """Of the transfers, without their time."""
    before: dict[int, int]
    balances: dict[int, Balance]
    """The new balances by account id."""

    def write(self, *, at: dt.datetime) -> None:
        """Write balances and transfers in the caller's transaction.

        Raises ``UnexpectedRows`` if a balance is not what it was, in a pipeline at the end of it, and
        ``IntegrityError`` when a reference was used before.
        """
        moved = sorted(pk for pk, new in self.balances.items() if new.amount != self.before[pk])
        _set_balances([(pk, self.before[pk], self.balances[pk].amount) for pk in moved])
        moment = to_driver_value(at)
        _insert_transfers.insert_values([(*row, moment) for row in self.rows])


def post(
    movements: Sequence[Posting], *, at: dt.datetime, by: int | None = None
) -> dict[int, Balance]:
    """Carry out ``movements`` in order, all or none, and return the new balances by account id.

    A pot may be below zero in between, for example if stakes are returned before payouts. Must run
    inside a transaction. Raises :class:`InsufficientFunds` before anything is written, and
    ``IntegrityError`` when a reference was used before.
    """
    postings = apply(movements, by=by)
    postings.write(at=at)
    return postings.balances


def apply(
    movements: Sequence[Posting], known: Iterable[Account] = (), *, by: int | None = None
) -> Postings:
    """Carry out ``movements`` in memory, in order. Raises :class:`InsufficientFunds`.

    The balances of ``known`` accounts are used as they are, and verified by the write; others are
    read and locked.
    """
    holdings = _load_accounts(movements, known)
    before = {pk: holding.balance for pk, holding in holdings.items()}
    rows = [_apply_posting(movement, holdings, by) for movement in movements]
    for holding in holdings.values():
        if holding.kind == Account.Kind.POT and holding.balance < 0:
            raise InsufficientFunds(holding.account)
    balances = {
        pk: Balance(holding.balance, holding.seq + (holding.balance != before[pk]))
        for pk, holding in holdings.items()
    }
    return Postings(rows, before, balances)


def apply_balances(account: Account, balances: Mapping[int, Balance]) -> None:
    """Set the balance of an account object to the result of :func:`post`."""
    if account.pk in balances:
        account.balance, account.seq = balances[account.pk]


def rack_fill(rack_id: int, amount: int, reference: str) -> Posting:
    """The posting of ``amount`` hundredths from the bank to a rack."""
    return Posting(Transfer.Kind.FILL, get_bank().pk, rack_id, amount, reference)


def rack_withdrawal(rack_id: int, amount: int, reference: str) -> Posting:
    """The posting of ``amount`` hundredths from a rack to the bank."""
    return Posting(Transfer.Kind.FILL, rack_id, get_bank().pk, amount, reference)


def open_account(kind: Account.Kind) -> Account:
    """Create an empty account without a user."""
    return Account.objects.create(kind=kind)


def get_bank() -> Account:
    """The account that issues and takes back play money, created by a migration."""
    return Account.objects.get(kind=Account.Kind.BANK)


def get_or_open_wallet(user: User, *, at: dt.datetime) -> Account:
    """The user's wallet, opened with the starting grant if missing."""
    wallet = Account.objects.filter(user=user).first()
    if wallet is not None:
        return wallet
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        wallet, is_new = Account.objects.get_or_create(kind=Account.Kind.WALLET, user=user)
        if is_new:
            reference = f"user:{user.pk}/grant"
            grant = Posting(
                Transfer.Kind.GRANT, get_bank().pk, wallet.pk, STARTING_GRANT, reference
            )
            apply_balances(wallet, post([grant], at=at))
    return wallet


def get_balances(user_ids: Iterable[int]) -> dict[int, int]:
    """The wallet balances of these users, in hundredths by user id."""
    return {user_id: balance.amount for user_id, balance in get_wallet_balances(user_ids).items()}


def get_wallet_balances(user_ids: Iterable[int]) -> dict[int, Balance]:
    """The wallet balances of these users with their ``seq``, by user id."""
    wallets = Account.objects.filter(user__in=user_ids)
    rows = wallets.values_list("user", "balance", "seq")
    return {user_id: Balance(amount, seq) for user_id, amount, seq in rows if user_id}


def lock_wallet_and_bank(user_id: int) -> tuple[Account, Account]:
    """Lock the user's wallet and the bank until the transaction ends, in the order of ids.

    Raises ``Account.DoesNotExist`` without a wallet.
    """
    wanted = Q(user=user_id) | Q(kind=Account.Kind.BANK)
    rows = list(Account.objects.select_for_update().filter(wanted).order_by("pk"))
    found = {row.kind: row for row in rows}
    if Account.Kind.WALLET not in found:
        raise Account.DoesNotExist(f"user {user_id} has no wallet")
    return found[Account.Kind.WALLET.value], found[Account.Kind.BANK.value]


def _load_accounts(
    movements: Sequence[Posting], known: Iterable[Account]
) -> dict[int, _LockedAccount]:
    wanted = {account for m in movements for account in (m.debit, m.credit)}
    found = {one.pk: (one.kind, one.balance, one.seq) for one in known if one.pk in wanted}
    if missing := wanted - found.keys():
        rows = _accounts_locked(*pad_arguments(missing))
        found |= {pk: (kind, balance, seq) for pk, kind, balance, seq in rows}
    return {pk: _LockedAccount(pk, *found[pk]) for pk in wanted}


def _apply_posting(
    movement: Posting, holdings: dict[int, _LockedAccount], by: int | None
) -> tuple[Any, ...]:
    """Apply a posting to the balances; return the row of its transfer, without its time."""
    debit, credit = holdings[movement.debit], holdings[movement.credit]
    if debit.kind not in _MAY_BE_SHORT and debit.balance < movement.amount:
        raise InsufficientFunds(debit.account)
    debit.balance -= movement.amount
    credit.balance += movement.amount
    return (
        movement.kind.value, debit.pk, credit.pk, movement.amount, movement.reference,
        debit.balance, credit.balance, movement.by or by, movement.reverses,
    )  # fmt: skip
