"""The operators' first page: work that waits. Counts stop at a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.doors import approvals
from accounts.lib import server_clock
from accounts.models import User
from accounts.staff import waiting_changes
from tables.models import Table, Void
from tables.operators.rounds import reports as rounds_reports
from tables.operators.tables import table_list

MOST: Final = 99


@dataclass(frozen=True, slots=True)
class PendingWork:
    """Pending work: its text and the URL of its page."""

    words: str
    address: str


def list_pending_work(user: User | AnonymousUser) -> list[PendingWork]:
    """The pending work that this operator has the permission for."""
    entries: list[PendingWork] = []
    if user.has_perm("accounts.approve_user"):
        number = _count_up_to_limit(approvals.filter_waiting())
        words = ngettext(
            "%(n)s account to approve", "%(n)s accounts to approve", _format_count(number)
        )
        entries += _pending_entry(number, words, "approvals")
    if user.has_perm("tables.answer_report"):
        number = _count_up_to_limit(rounds_reports.filter_for(user.pk).filter(answered_at=None))
        words = ngettext("%(n)s report to answer", "%(n)s reports to answer", _format_count(number))
        entries += _pending_entry(number, words, "reports")
    if user.has_perm("tables.approve_void"):
        # The requester cannot decide it.
        others = Void.objects.filter(status=Void.Status.WAITING).exclude(asked_by=user.pk)
        number = _count_up_to_limit(others)
        words = ngettext("%(n)s void to decide", "%(n)s voids to decide", _format_count(number))
        entries += _pending_entry(number, words, "rounds", "?flag=waiting")
    if user.has_perm("accounts.approve_change"):
        waiting = waiting_changes.list_waiting(server_clock.now())[:MOST]
        entries += [
            PendingWork(
                waiting_changes.describe(change), reverse("admin:decide_change", args=[change.pk])
            )
            for change in waiting
        ]
    if user.has_perm("tables.fill_rack"):
        number = _count_up_to_limit(table_list.filter_out_of_chips(Table.objects.all()))
        words = ngettext("%(n)s rack to fill", "%(n)s racks to fill", _format_count(number))
        entries += _pending_entry(number, words, "racks", "?state=empty")
    if user.has_perm("tables.run_table"):
        paused = Table.objects.filter(closed_at=None, is_paused_by_host=False).exclude(
            paused_at=None
        )
        number = _count_up_to_limit(paused)
        words = ngettext("%(n)s table is paused", "%(n)s tables are paused", _format_count(number))
        entries += _pending_entry(number, words, "floor")
    return entries


def _count_up_to_limit(rows: QuerySet[Any]) -> int:
    return rows.order_by()[: MOST + 1].count()


def _format_count(number: int) -> int:
    return min(number, MOST)


def _pending_entry(number: int, words: str, name: str, query: str = "") -> list[PendingWork]:
    if not number:
        return []
    count = _("more than %(most)s") % {"most": MOST} if number > MOST else str(number)
    return [PendingWork(words % {"n": count}, reverse(f"admin:{name}") + query)]
