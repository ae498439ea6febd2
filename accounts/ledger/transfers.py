"""Movements of money: the only code that changes a balance.

A transfer moves money between two accounts, and has an entry if one of them is a wallet or a stack.
Play has entries alone: a bet, payout or returned bet changes a wallet or a stack, and the result of a
round its rack.

Lock order everywhere: tables by id, then the user if needed, then accounts by id, then the figures.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from accounts import site_settings
from accounts.lib.sql.select import Select, build_in_condition, pad_arguments
from accounts.lib.sql.write import CompareAndSet, InsertRows, NewInstance
from accounts.models import WITH_ENTRIES, Account, Transfer, User, WalletEntry

_select_for_update = Select(
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
_insert_entries = InsertRows(
    WalletEntry,
    (
        "wallet", "seq", "kind", "amount", "balance", "by", "round", "place", "transfer",
        "reverses", "at",
    ),
)  # fmt: skip
_new_transfer, _new_entry = NewInstance(Transfer), NewInstance(WalletEntry)


class InsufficientFunds(Exception):
    """An account would go below zero that may not. No money was moved."""

    def __init__(self, account: Account) -> None:
        super().__init__(f"{account} holds {account.balance}")
        self.account = account


@dataclass(frozen=True, slots=True)
class Posting:
    """A transfer to post: ``amount`` hundredths from account ``debit`` to account ``credit``.

    One of them may be a wallet or a stack; its entry is added.
    """

    kind: Transfer.Kind
    debit: int
    credit: int
    amount: int
    reference: str
    reverses: int | None = None
    """The id of the reversed transfer."""
    by: int | None = None
    """The acting user, if postings of several users are carried out together."""
    is_automatic: bool = False
    """Whether the site causes it by itself, so that nobody is its user."""


@dataclass(frozen=True, slots=True)
class Play:
    """A change of a wallet or a stack by play, to post: ``amount`` hundredths, negative out of it."""

    kind: Transfer.Kind
    wallet: int
    amount: int
    round: int
    place: str
    """The unique purpose within the round: ``seat:2/hand:1/payout``."""
    reverses: int | None = None
    """The id of the reversed entry."""
    by: int | None = None
    """The acting user, if several are carried out together."""


@dataclass(frozen=True, slots=True)
class RackResult:
    """The result of a round for a rack, to post: ``amount`` hundredths, negative if it lost."""

    rack: int
    amount: int


Movement = Posting | Play | RackResult


class Balance(NamedTuple):
    """The balance of an account, in hundredths. The one with the higher ``seq`` is newer."""

    amount: int
    seq: int


def get_unopened_balance() -> Balance:
    """The balance of a wallet that is not yet opened."""
    return Balance(site_settings.get().starting_money, 0)


@dataclass(slots=True)
class _AccountState:
    """The balance of an account during :func:`apply`."""

    pk: int
    kind: str
    balance: int
    seq: int

    def add(self, amount: int) -> None:
        """Add hundredths. Raises :class:`InsufficientFunds`."""
        if amount < 0 and self.balance + amount < 0 and self.kind != Account.Kind.BANK:
            raise InsufficientFunds(Account.objects.get(pk=self.pk))
        self.balance += amount


@dataclass(slots=True)
class Postings:
    """Movements that were carried out in memory, to be written."""

    before: dict[int, Balance]
    balances: dict[int, Balance]
    """The new balances by account id."""
    transfers: list[tuple[Transfer, WalletEntry | None]]
    """New ones, each with the entry of its wallet, if one of its accounts is one. Without times."""
    entries: list[WalletEntry]
    """All new entries."""

    def write(self, *, at: dt.datetime) -> None:
        """Write balances, transfers and entries in the caller's transaction.

        Raises ``UnexpectedRows`` if a balance is not what it was, in a pipeline at the end of it, and
        ``IntegrityError`` when a reference was used before. Transfers of wallets are not for a
        pipeline, because their ids are read.
        """
        changed = sorted(pk for pk, new in self.balances.items() if new != self.before[pk])
        _set_balances([(pk, self.before[pk], self.balances[pk]) for pk in changed])
        for transfer, entry in self.transfers:
            transfer.at = at
            if entry is None:
                _insert_transfers([transfer])
            else:
                entry.transfer_id = _insert_transfers.insert_one(transfer).pk
        for entry in self.entries:
            entry.at = at
        _insert_entries(self.entries)


def post(
    movements: Sequence[Movement], *, at: dt.datetime, by: int | None = None
) -> dict[int, Balance]:
    """Carry out ``movements`` in order, all or none, and return the new balances by account id.

    Must run inside a transaction. Raises :class:`InsufficientFunds` before anything is written, and
    ``IntegrityError`` when a reference was used before.
    """
    postings = apply(movements, by=by)
    postings.write(at=at)
    return postings.balances


def apply(
    movements: Sequence[Movement], accounts: Iterable[Account] = (), *, by: int | None = None
) -> Postings:
    """Carry out ``movements`` in memory, in order. Raises :class:`InsufficientFunds`.

    The balances of ``accounts`` are used as they are, and verified by the write; others are
    read and locked.
    """
    holdings = _load_accounts(movements, accounts)
    before = {pk: Balance(holding.balance, holding.seq) for pk, holding in holdings.items()}
    postings = Postings(before, {}, [], [])
    for movement in movements:
        match movement:
            case Posting():
                _apply_posting(movement, holdings, postings, movement.by or by)
            case Play():
                entry = _change_wallet(
                    holdings[movement.wallet], movement.kind, movement.amount, movement.by or by
                )
                entry.round, entry.place = movement.round, movement.place
                entry.reverses_id = movement.reverses
                postings.entries.append(entry)
            case RackResult():
                holdings[movement.rack].add(movement.amount)
    for pk, holding in holdings.items():
        # The seq of an account with entries is that of the last one; others count changes.
        is_counted = holding.kind not in WITH_ENTRIES and holding.balance != before[pk].amount
        postings.balances[pk] = Balance(holding.balance, holding.seq + is_counted)
    return postings


def apply_balances(account: Account, balances: Mapping[int, Balance]) -> None:
    """Set the balance of an account object to the result of :func:`post`."""
    if account.id in balances:
        account.balance, account.seq = balances[account.id]


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
    """The user's wallet, opened with the starting money of the site if missing."""
    wallet = Account.objects.filter(user=user).first()
    if wallet is not None:
        return wallet
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        wallet, is_new = Account.objects.get_or_create(kind=Account.Kind.WALLET, user=user)
        if is_new:
            reference = f"user:{user.pk}/grant"
            money = site_settings.get().starting_money
            grant = Posting(Transfer.Kind.GRANT, get_bank().pk, wallet.pk, money, reference)
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
    condition = Q(user=user_id) | Q(kind=Account.Kind.BANK)
    rows = list(Account.objects.select_for_update().filter(condition).order_by("pk"))
    by_kind = {row.kind: row for row in rows}
    if Account.Kind.WALLET not in by_kind:
        raise Account.DoesNotExist(f"user {user_id} has no wallet")
    return by_kind[Account.Kind.WALLET.value], by_kind[Account.Kind.BANK.value]


def _load_accounts(
    movements: Sequence[Movement], accounts: Iterable[Account]
) -> dict[int, _AccountState]:
    ids = {account for movement in movements for account in _list_accounts(movement)}
    values = {one.id: (one.kind, one.balance, one.seq) for one in accounts if one.id in ids}
    if missing := ids - values.keys():
        rows = _select_for_update(*pad_arguments(missing))
        values |= {pk: (kind, balance, seq) for pk, kind, balance, seq in rows}
    return {pk: _AccountState(pk, *values[pk]) for pk in ids}


def _list_accounts(movement: Movement) -> tuple[int, ...]:
    match movement:
        case Posting():
            return movement.debit, movement.credit
        case Play():
            return (movement.wallet,)
        case RackResult():
            return (movement.rack,)


def _apply_posting(
    movement: Posting, holdings: dict[int, _AccountState], postings: Postings, by: int | None
) -> None:
    """Apply a posting to the balances; add its transfer, and the entry of its wallet."""
    entry: WalletEntry | None = None
    transfer = _new_transfer(
        kind=movement.kind.value,
        debit_id=movement.debit,
        credit_id=movement.credit,
        amount=movement.amount,
        reference=movement.reference,
        by_id=by,
        reverses_id=movement.reverses,
    )
    for account, amount in (
        (holdings[movement.debit], -movement.amount),
        (holdings[movement.credit], movement.amount),
    ):
        if account.kind not in WITH_ENTRIES:
            account.add(amount)
            continue
        entry = _change_wallet(account, movement.kind, amount, by)
        if movement.reverses is not None:
            original = WalletEntry.objects.filter(transfer=movement.reverses)
            entry.reverses_id = original.values_list("pk", flat=True).get()
        postings.entries.append(entry)
    transfer.debit_balance = holdings[movement.debit].balance
    transfer.credit_balance = holdings[movement.credit].balance
    postings.transfers.append((transfer, entry))


def _change_wallet(
    wallet: _AccountState, kind: Transfer.Kind, amount: int, by: int | None
) -> WalletEntry:
    """Change a wallet; return the new entry. Raises :class:`InsufficientFunds`."""
    wallet.add(amount)
    wallet.seq += 1
    return _new_entry(
        wallet_id=wallet.pk,
        seq=wallet.seq,
        kind=kind.value,
        amount=amount,
        balance=wallet.balance,
        by_id=by,
    )
