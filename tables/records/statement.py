"""The statement: all transfers of a wallet, a page at a time, with a running check.

The transfer ids of a wallet rise with its changes, because it is locked for each transfer. So lines
below the newest id do not change while the player goes on.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import F, Subquery

from accounts.ledger import days
from accounts.lib.ids import parse_id
from accounts.models import Account, Transfer
from tables.records.statement_text import LineText, describe_transfers

PAGE = 25
"""The number of lines of a page."""

KINDS = (
    Transfer.Kind.STAKE, Transfer.Kind.PAYOUT, Transfer.Kind.REFUND, Transfer.Kind.GRANT,
    Transfer.Kind.REBUY, Transfer.Kind.ADJUSTMENT, Transfer.Kind.REVERSAL,
)  # fmt: skip
"""The kinds in statements. The others are between the site's accounts, or at account deletion."""


@dataclass(frozen=True, slots=True)
class StatementFilters:
    """The filter of a statement. Days are those of ``zone``, both inclusive."""

    kind: str = ""
    first_day: dt.date | None = None
    last_day: dt.date | None = None
    zone: dt.tzinfo = dt.UTC
    """The zone of the viewer."""


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One transfer, from the wallet's side. Amounts in hundredths."""

    id: int
    at: dt.datetime
    words: LineText
    amount: int
    """Negative for a debit of the wallet."""
    balance: int
    """The balance of the wallet afterwards, as stored in the transfer."""


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
    """The id for the next page; ``None`` on the last."""


@dataclass(frozen=True, slots=True)
class _IdRange:
    """A range of transfer ids: ``first <= id < end``."""

    first: int
    end: int


def list_lines(
    user_id: int, filters: StatementFilters, *, before: str | None = None
) -> StatementPage:
    """:data:`PAGE` lines of this player's wallet, newest first, older than the id ``before``."""
    wallet = _load_wallet(user_id)
    if wallet is None:
        return StatementPage([], None, None)
    newest = _newest_id(wallet)
    span = _find_range(filters, newest)
    end = None if before is None else parse_id(before)
    if end is not None:
        span = _IdRange(span.first, min(span.end, end))
    transfers = _load_transfers(wallet.pk, span, filters.kind, PAGE + 1)
    shown = transfers[:PAGE]
    if not shown:
        return StatementPage([], None, None)
    lines = _build_lines(wallet, shown)
    opening = _get_balance_before(wallet.pk, lines[-1].id)
    holds = wallet.balance if lines[0].id == newest else None
    checked = _check_sum(lines, opening, holds, is_checked=not filters.kind)
    return StatementPage(lines, checked, lines[-1].id if len(transfers) > PAGE else None)


def iter_lines(
    user_id: int, filters: StatementFilters, *, at_once: int
) -> Iterator[list[StatementLine]]:
    """Iterate over all lines, newest first, with ``at_once`` of them in memory."""
    wallet = _load_wallet(user_id)
    if wallet is None:
        return
    span = _find_range(filters, _newest_id(wallet))
    while transfers := _load_transfers(wallet.pk, span, filters.kind, at_once):
        yield _build_lines(wallet, transfers)
        span = _IdRange(span.first, transfers[-1].pk)


def _load_wallet(user_id: int) -> Account | None:
    """The wallet with its newest debit and credit, read at one moment.

    The id is read first, so that PostgreSQL estimates the number of its transfers correctly.
    """
    wallet_id = Account.objects.filter(user=user_id).values_list("pk", flat=True).first()
    if wallet_id is None:
        return None
    newest = {
        side: Subquery(
            Transfer.objects.filter(**{side: wallet_id}).order_by("-pk").values("pk")[:1]
        )
        for side in ("debit", "credit")
    }
    wallets = Account.objects.filter(pk=wallet_id)
    return wallets.annotate(newest_out=newest["debit"], newest_in=newest["credit"]).first()


def _newest_id(wallet: Account) -> int:
    return max(getattr(wallet, "newest_out", None) or 0, getattr(wallet, "newest_in", None) or 0)


def _find_range(filters: StatementFilters, newest: int) -> _IdRange:
    """The range of transfer ids of the filter's days.

    A day begins with its first transfer of any account. A range of ids has no gaps between lines,
    so the sum can be checked.
    """
    span = _IdRange(0, newest + 1)
    if filters.first_day is not None:
        first = days.find_first_id(days.day_begins(filters.first_day, filters.zone))
        span = _IdRange(span.end if first is None else first, span.end)
    if filters.last_day is not None and filters.last_day < dt.date.max:
        end = days.find_first_id(
            days.day_begins(filters.last_day + dt.timedelta(days=1), filters.zone)
        )
        span = _IdRange(span.first, span.end if end is None else min(span.end, end))
    return span


def _load_transfers(wallet_id: int, span: _IdRange, kind: str, most: int) -> list[Transfer]:
    """The newest transfers of a span. Debits and credits are queried separately, by index."""
    found: list[Transfer] = []
    for side, other in (("debit", "credit"), ("credit", "debit")):
        rows = Transfer.objects.filter(**{side: wallet_id}, pk__gte=span.first, pk__lt=span.end)
        if kind:
            rows = rows.filter(kind=kind)
        found += rows.annotate(other_kind=F(f"{other}__kind")).order_by("-pk")[:most]
    return sorted(found, key=lambda transfer: -transfer.pk)[:most]


def _build_lines(wallet: Account, transfers: list[Transfer]) -> list[StatementLine]:
    assert wallet.user_id is not None
    words = describe_transfers(transfers, wallet.user_id)
    return [_build_line(wallet.pk, transfer, words[transfer.pk]) for transfer in transfers]


def _build_line(wallet_id: int, transfer: Transfer, words: LineText) -> StatementLine:
    went_out = transfer.debit_id == wallet_id
    return StatementLine(
        id=transfer.pk,
        at=transfer.at,
        words=words,
        amount=-transfer.amount if went_out else transfer.amount,
        balance=transfer.debit_balance if went_out else transfer.credit_balance,
    )


def _get_balance_before(wallet_id: int, line_id: int) -> int:
    """The balance of the previous line of any kind and day."""
    before = _load_transfers(wallet_id, _IdRange(0, line_id), "", 1)
    if not before:
        return 0
    (last,) = before
    return last.debit_balance if last.debit_id == wallet_id else last.credit_balance


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
