"""The statement: all transfers of a wallet, a page at a time, with a running check.

Ids of one wallet's transfers rise in the order in which its balance changed, because it is locked
while money moves. So what lies below the newest id stays as it is while somebody plays on.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import F, Subquery

from accounts.ledger import days
from accounts.lib.ids import parse_id
from accounts.models import Account, Transfer
from tables.records.statement_text import LineWords, words_of

PAGE = 25
"""Digits. What is longer is no id."""

KINDS = (
    Transfer.Kind.STAKE, Transfer.Kind.PAYOUT, Transfer.Kind.REFUND, Transfer.Kind.GRANT,
    Transfer.Kind.REBUY, Transfer.Kind.ADJUSTMENT, Transfer.Kind.REVERSAL,
)  # fmt: skip
"""What happens to wallets that somebody looks at; the rest is between the house's own accounts,
or when the account is deleted."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What somebody wishes to see. Days are UTC and both belong to it."""

    kind: str = ""
    first_day: dt.date | None = None
    last_day: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One transfer, from the wallet's side. Amounts in hundredths."""

    id: int
    at: dt.datetime
    words: LineWords
    amount: int
    """Below zero when it left the wallet."""
    balance: int
    """What was in the wallet afterwards, as the transfer says."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Whether the lines of a page lead from the balance before them to the one after them."""

    opening: int
    came: int
    went: int
    closing: int
    count: int
    broken: frozenset[int]
    """The ids of lines whose balance does not follow from the one before."""
    is_checked: bool
    """False where lines are left out: then nothing can be said."""
    holds: int | None
    """What is in the wallet now, where the newest line of all is among them."""

    @property
    def moved(self) -> int:
        return self.came - self.went

    @property
    def is_right(self) -> bool:
        adds_up = self.opening + self.moved == self.closing and not self.broken
        return adds_up and self.holds in (None, self.closing)


@dataclass(frozen=True, slots=True)
class Page:
    lines: list[Line]
    sum: Sum | None
    """``None`` without lines."""
    older: int | None
    """Where the next page goes on; ``None`` on the last."""


@dataclass(frozen=True, slots=True)
class _Span:
    """A range of transfer ids: from ``first`` on, below ``end``."""

    first: int
    end: int


def page_of_lines(user_id: int, filters: Filters, *, before: str | None = None) -> Page:
    """:data:`PAGE` lines of this player's wallet, newest first, older than the id ``before``."""
    wallet = _wallet(user_id)
    if wallet is None:
        return Page([], None, None)
    newest = _newest(wallet)
    span = _span(filters, newest)
    end = None if before is None else parse_id(before)
    if end is not None:
        span = _Span(span.first, min(span.end, end))
    transfers = _transfers(wallet.pk, span, filters.kind, PAGE + 1)
    shown = transfers[:PAGE]
    if not shown:
        return Page([], None, None)
    lines = _lines(wallet, shown)
    opening = _balance_before(wallet.pk, lines[-1].id)
    holds = wallet.balance if lines[0].id == newest else None
    checked = _sum(lines, opening, holds, is_checked=not filters.kind)
    return Page(lines, checked, lines[-1].id if len(transfers) > PAGE else None)


def all_lines(user_id: int, filters: Filters, *, at_once: int) -> Iterator[list[Line]]:
    """All lines there are now, newest first, ``at_once`` of them in memory."""
    wallet = _wallet(user_id)
    if wallet is None:
        return
    span = _span(filters, _newest(wallet))
    while transfers := _transfers(wallet.pk, span, filters.kind, at_once):
        yield _lines(wallet, transfers)
        span = _Span(span.first, transfers[-1].pk)


def _wallet(user_id: int) -> Account | None:
    """The wallet with its newest transfers on either side, all as of one moment.

    Its id comes first, so that PostgreSQL can tell how few of all transfers are its own.
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


def _newest(wallet: Account) -> int:
    return max(getattr(wallet, "newest_out", None) or 0, getattr(wallet, "newest_in", None) or 0)


def _span(filters: Filters, newest: int) -> _Span:
    """The ids of the days that are asked for.

    A day begins with the first transfer of all that was made in it, whoever's: a range of ids
    leaves no line out between two others, so the sum can be checked.
    """
    span = _Span(0, newest + 1)
    if filters.first_day is not None:
        first = days.first_id(days.day_begins(filters.first_day))
        span = _Span(span.end if first is None else first, span.end)
    if filters.last_day is not None and filters.last_day < dt.date.max:
        end = days.first_id(days.day_begins(filters.last_day + dt.timedelta(days=1)))
        span = _Span(span.first, span.end if end is None else min(span.end, end))
    return span


def _transfers(wallet_id: int, span: _Span, kind: str, most: int) -> list[Transfer]:
    """The newest of a span. Each side has an index of its own, so each is asked for itself."""
    found: list[Transfer] = []
    for side, other in (("debit", "credit"), ("credit", "debit")):
        rows = Transfer.objects.filter(**{side: wallet_id}, pk__gte=span.first, pk__lt=span.end)
        if kind:
            rows = rows.filter(kind=kind)
        found += rows.annotate(other_kind=F(f"{other}__kind")).order_by("-pk")[:most]
    return sorted(found, key=lambda transfer: -transfer.pk)[:most]


def _lines(wallet: Account, transfers: list[Transfer]) -> list[Line]:
    assert wallet.user_id is not None
    words = words_of(transfers, wallet.user_id)
    return [_line(wallet.pk, transfer, words[transfer.pk]) for transfer in transfers]


def _line(wallet_id: int, transfer: Transfer, words: LineWords) -> Line:
    went_out = transfer.debit_id == wallet_id
    return Line(
        id=transfer.pk,
        at=transfer.at,
        words=words,
        amount=-transfer.amount if went_out else transfer.amount,
        balance=transfer.debit_balance if went_out else transfer.credit_balance,
    )


def _balance_before(wallet_id: int, line_id: int) -> int:
    """What the line before this one, whatever its kind and day, says was in the wallet."""
    before = _transfers(wallet_id, _Span(0, line_id), "", 1)
    if not before:
        return 0
    (last,) = before
    return last.debit_balance if last.debit_id == wallet_id else last.credit_balance


def _sum(lines: list[Line], opening: int, holds: int | None, *, is_checked: bool) -> Sum:
    broken, balance = set(), opening
    for line in reversed(lines):
        if is_checked and balance + line.amount != line.balance:
            broken.add(line.id)
        balance = line.balance
    return Sum(
        opening=opening,
        came=sum(line.amount for line in lines if line.amount > 0),
        went=-sum(line.amount for line in lines if line.amount < 0),
        closing=lines[0].balance,
        count=len(lines),
        broken=frozenset(broken),
        is_checked=is_checked,
        holds=holds if is_checked else None,
    )
