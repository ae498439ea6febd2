"""The statement: all entries of a wallet, a page at a time, with a running check.

Entries are numbered by the changes of their wallet, so lines below the newest do not change while the
player goes on.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from accounts.ledger import days
from accounts.ledger.entries import find_first_seqs
from accounts.lib.ids import parse_id
from accounts.models import Account, Transfer, WalletEntry
from tables.models import Result
from tables.records.statement_text import LineText, describe_entries

PAGE = 25
"""The number of lines of a page."""

KINDS = (
    Transfer.Kind.STAKE, Transfer.Kind.PAYOUT, Transfer.Kind.REFUND, Transfer.Kind.GRANT,
    Transfer.Kind.REBUY, Transfer.Kind.ADJUSTMENT, Transfer.Kind.REVERSAL,
)  # fmt: skip
"""The kinds in statements. The others are between the site's accounts, or at account deletion."""
COMMON = ("stake", "payout")
"""The kinds that are not in the index ``entries_by_rare_kind``: nearly all entries are of them."""


@dataclass(frozen=True, slots=True)
class StatementFilters:
    """The filter of a statement. Days are those of ``zone``, both inclusive."""

    kind: str = ""
    first_day: dt.date | None = None
    last_day: dt.date | None = None
    zone: dt.tzinfo = dt.UTC
    """The zone of the viewer."""
    table: int | None = None
    """Only what belongs to rounds of this table."""

    @property
    def has_gaps(self) -> bool:
        """Whether entries in between are left out, so that nothing adds up."""
        return bool(self.kind) or self.table is not None


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One entry. Amounts in hundredths."""

    id: int
    seq: int
    """Its number in the wallet."""
    at: dt.datetime
    words: LineText
    amount: int
    """Negative for a debit of the wallet."""
    balance: int
    """The balance of the wallet afterwards, as stored in the entry."""
    transfer_id: int | None
    """The transfer, if the entry is not of a round."""


@dataclass(frozen=True, slots=True)
class StatementCheck:
    """The check that the lines of a page add up from the balance before to the one after."""

    opening: int
    came: int
    went: int
    closing: int
    count: int
    broken: frozenset[int]
    """The ids of lines whose balance does not follow from the line before."""
    is_checked: bool
    """False if lines are filtered out: then nothing can be checked."""
    holds: int | None
    """The current balance, if the newest line is on this page."""

    @property
    def moved(self) -> int:
        return self.came - self.went

    @property
    def is_right(self) -> bool:
        adds_up = self.opening + self.moved == self.closing and not self.broken
        return adds_up and self.holds in (None, self.closing)


@dataclass(frozen=True, slots=True)
class StatementPage:
    lines: list[StatementLine]
    sum: StatementCheck | None
    """``None`` without lines."""
    older: int | None
    """The line for the next page; ``None`` on the last."""


@dataclass(frozen=True, slots=True)
class _SeqRange:
    """A range of a wallet's entries: ``first <= seq < end``."""

    first: int
    end: int


def list_lines(
    user_id: int, filters: StatementFilters, *, before: str | None = None
) -> StatementPage:
    """:data:`PAGE` lines of this player's wallet, newest first, older than the line ``before``."""
    wallet = Account.objects.filter(user=user_id).first()
    if wallet is None:
        return StatementPage([], None, None)
    span = _find_range(wallet, filters)
    end = None if before is None else parse_id(before)
    if end is not None:
        span = _SeqRange(span.first, min(span.end, end))
    entries = _load_entries(wallet, span, filters, PAGE + 1)
    page_entries = entries[:PAGE]
    if not page_entries:
        return StatementPage([], None, None)
    lines = _build_lines(wallet, page_entries)
    if len(entries) > PAGE and not filters.has_gaps:
        opening = entries[PAGE].balance
    else:
        opening = _get_balance_before(wallet.pk, lines[-1].seq)
    holds = wallet.balance if lines[0].seq == wallet.seq else None
    check = _check_sum(lines, opening, holds, is_checked=not filters.has_gaps)
    return StatementPage(lines, check, lines[-1].seq if len(entries) > PAGE else None)


def iter_lines(
    user_id: int, filters: StatementFilters, *, at_once: int
) -> Iterator[list[StatementLine]]:
    """Iterate over all lines, newest first, with ``at_once`` of them in memory."""
    wallet = Account.objects.filter(user=user_id).first()
    if wallet is None:
        return
    span = _find_range(wallet, filters)
    while entries := _load_entries(wallet, span, filters, at_once):
        yield _build_lines(wallet, entries)
        span = _SeqRange(span.first, entries[-1].seq)


def _find_range(wallet: Account, filters: StatementFilters) -> _SeqRange:
    """The entries of the filter's days. A range has no gaps, so the sum can be checked."""
    first, last = filters.first_day, filters.last_day
    begins = None if first is None else days.day_begins(first, filters.zone)
    ends = None
    if last is not None and last < dt.date.max:
        ends = days.day_begins(last + dt.timedelta(days=1), filters.zone)
    moments = [moment for moment in (begins, ends) if moment is not None]
    seqs = iter(find_first_seqs(wallet.pk, moments))
    return _SeqRange(
        0 if begins is None else next(seqs), wallet.seq + 1 if ends is None else next(seqs)
    )


def _load_entries(
    wallet: Account, span: _SeqRange, filters: StatementFilters, most: int
) -> list[WalletEntry]:
    """The newest entries of a span, with what their words need."""
    rows = WalletEntry.objects.filter(wallet=wallet, seq__gte=span.first, seq__lt=span.end)
    if filters.kind:
        rows = rows.filter(kind=filters.kind)
        if filters.kind not in COMMON:
            rows = rows.exclude(kind__in=COMMON)  # the condition of their index
    if filters.table is not None:
        played = Result.objects.filter(user=wallet.user_id, table=filters.table)
        rows = rows.filter(round__in=played.values("round"))
    together = ("transfer__debit", "transfer__credit", "reverses")
    return list(rows.select_related(*together).order_by("-seq")[:most])


def _build_lines(wallet: Account, entries: list[WalletEntry]) -> list[StatementLine]:
    assert wallet.user_id is not None
    words = describe_entries(entries, wallet.user_id)
    return [
        StatementLine(
            id=entry.pk,
            seq=entry.seq,
            at=entry.at,
            words=words[entry.pk],
            amount=entry.amount,
            balance=entry.balance,
            transfer_id=entry.transfer_id,
        )
        for entry in entries
    ]


def _get_balance_before(wallet_id: int, seq: int) -> int:
    """The balance of the previous entry of any kind and day."""
    before = WalletEntry.objects.filter(wallet=wallet_id, seq__lt=seq).order_by("-seq")
    return before.values_list("balance", flat=True).first() or 0


def _check_sum(
    lines: list[StatementLine], opening: int, holds: int | None, *, is_checked: bool
) -> StatementCheck:
    broken, balance = set(), opening
    for line in reversed(lines):
        if is_checked and balance + line.amount != line.balance:
            broken.add(line.id)
        balance = line.balance
    return StatementCheck(
        opening=opening,
        came=sum(line.amount for line in lines if line.amount > 0),
        went=-sum(line.amount for line in lines if line.amount < 0),
        closing=lines[0].balance,
        count=len(lines),
        broken=frozenset(broken),
        is_checked=is_checked,
        holds=holds if is_checked else None,
    )
