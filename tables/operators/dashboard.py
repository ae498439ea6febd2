"""The operators' first page: work that waits. Counts stop at a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from tables.models import Report, Table, Void
from tables.operators.tables import table_list

MOST: Final = 99


@dataclass(frozen=True, slots=True)
class Waits:
    """Pending work: its text and the URL of its page."""

    words: str
    address: str


def for_whom(user: User | AnonymousUser) -> list[Waits]:
    """The pending work that this operator has the permission for."""
    found: list[Waits] = []
    if user.has_perm("tables.answer_report"):
        number = _count(Report.objects.filter(answered_at=None))
        words = ngettext("%(n)s report to answer", "%(n)s reports to answer", _many(number))
        found += _waits(number, words, "reports")
    if user.has_perm("tables.approve_void"):
        # The requester cannot decide it.
        others = Void.objects.filter(status=Void.Status.WAITING).exclude(asked_by=user.pk)
        number = _count(others)
        words = ngettext("%(n)s void to decide", "%(n)s voids to decide", _many(number))
        found += _waits(number, words, "rounds", "?flag=waiting")
    if user.has_perm("tables.fill_rack"):
        number = _count(table_list.out_of_chips(Table.objects.all()))
        words = ngettext("%(n)s rack to fill", "%(n)s racks to fill", _many(number))
        found += _waits(number, words, "racks", "?state=empty")
    if user.has_perm("tables.run_table"):
        number = _count(Table.objects.filter(closed_at=None).exclude(paused_at=None))
        words = ngettext("%(n)s table is paused", "%(n)s tables are paused", _many(number))
        found += _waits(number, words, "floor")
    return found


def _count(rows: QuerySet[Any]) -> int:
    return rows.order_by()[: MOST + 1].count()


def _many(number: int) -> int:
    return min(number, MOST)


def _waits(number: int, words: str, name: str, query: str = "") -> list[Waits]:
    if not number:
        return []
    shown = _("more than %(most)s") % {"most": MOST} if number > MOST else str(number)
    return [Waits(words % {"n": shown}, reverse(f"admin:{name}") + query)]
