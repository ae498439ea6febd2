"""The conditions that alerts are about, each by the rule of the page where it is seen to."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.doors import approvals
from accounts.ledger import gaming_days
from accounts.lib.times import format_utc
from accounts.models import AlertKind, HouseSettings, WaitingChange
from accounts.staff import waiting_changes
from tables.models import AuditRun, Backup, DatabaseIdentity, Report, ServerProcess, Table, Void
from tables.operators.books import audit_runs, revenue
from tables.operators.books.forms import describe_combination
from tables.operators.books.house_edge import RuleVariant
from tables.operators.books.revenue import RULES, TABLE, RevenueFilters
from tables.operators.books.revenue_row import RevenueRow
from tables.operators.tables.table_list import filter_out_of_chips
from tables.realtime.process_registry import is_stale

MOST: Final = 50
"""Conditions of one kind, oldest first. The next ones follow when these are seen to."""
BAND_DAYS: Final = 30
"""The results of these last days are compared with their band."""
BAND_WIDTH: Final = 1.5
"""How much wider than that of the books a band is that calls. One row in twenty leaves the band of the
books by chance, one in three hundred this one: 1.5 * 1.96 standard deviations."""
BAND_KINDS: Final = frozenset({AlertKind.BAND})
"""They change slowly and cost more queries."""
QUICK_KINDS: Final = frozenset(AlertKind) - BAND_KINDS
SITE: Final = "house"


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that waits for an operator, or that is wrong."""

    kind: AlertKind
    subject: str
    text: str
    path: str
    """The path of the page where it is seen to."""
    since: dt.datetime


def list_conditions(
    kinds: Iterable[AlertKind], settings: HouseSettings, now: dt.datetime
) -> list[Condition]:
    """The conditions of these kinds that hold now. A query or two for each kind."""
    conditions: list[Condition] = []
    for kind in kinds:
        conditions += _list_of_kind(kind, settings, now)
    return conditions


def _list_of_kind(
    kind: AlertKind, settings: HouseSettings, now: dt.datetime
) -> Iterator[Condition]:
    match kind:
        case AlertKind.REPORT:
            return _list_reports()
        case AlertKind.VOID:
            return _list_voids()
        case AlertKind.ACCOUNT:
            return _list_accounts()
        case AlertKind.CHANGE:
            return _list_changes(now)
        case AlertKind.RACK:
            return _list_racks()
        case AlertKind.BAND:
            return _list_bands(now)
        case AlertKind.AUDIT:
            return _list_audits(now)
        case AlertKind.BACKUP:
            return _list_backups(settings, now)
        case AlertKind.PROCESS:
            return _list_processes(now)


def _list_reports() -> Iterator[Condition]:
    rows = Report.objects.filter(answered_at=None).order_by("pk")
    reports = list(rows[: MOST + 1])
    for report in reports[:MOST]:
        yield Condition(
            AlertKind.REPORT,
            f"report:{report.pk}",
            _("Report %(id)s waits for an answer.") % {"id": report.pk},
            reverse("admin:answer_report", args=[report.pk]),
            report.at,
        )
    for next_one in reports[MOST:]:
        number = rows.order_by().count() - MOST
        text = ngettext(
            "%(n)s more report waits for an answer.",
            "%(n)s more reports wait for an answer.",
            number,
        )
        path = reverse("admin:reports")
        yield Condition(AlertKind.REPORT, "reports", text % {"n": number}, path, next_one.at)


def _list_voids() -> Iterator[Condition]:
    rows = Void.objects.filter(status=Void.Status.WAITING).order_by("pk")
    for void in rows[:MOST]:
        yield Condition(
            AlertKind.VOID,
            f"void:{void.pk}",
            _("A void of round %(id)s waits for the approval of another operator.")
            % {"id": void.round_id},
            reverse("admin:decide_void", args=[void.pk]),
            void.asked_at,
        )


def _list_accounts() -> Iterator[Condition]:
    # The account of an invited operator waits for that operator alone.
    rows = approvals.filter_waiting().filter(staff_invite=None).order_by("pk")
    for user in rows[:MOST]:
        yield Condition(
            AlertKind.ACCOUNT,
            f"user:{user.pk}",
            _("The new account %(id)s waits for approval.") % {"id": user.pk},
            reverse("admin:approvals"),
            user.date_joined,
        )


def _list_changes(now: dt.datetime) -> Iterator[Condition]:
    for change in waiting_changes.list_waiting(now)[:MOST]:
        yield Condition(
            AlertKind.CHANGE,
            f"waitingchange:{change.pk}",
            _get_change_text(change) % {"time": format_utc(change.takes_effect_at)},
            reverse("admin:decide_change", args=[change.pk]),
            change.asked_at,
        )


def _get_change_text(change: WaitingChange) -> str:
    if change.kind == WaitingChange.Kind.ROLE:
        return _("A new manager waits for a second operator, or until %(time)s.")
    return _("A raised limit waits for a second operator, or until %(time)s.")


def _list_racks() -> Iterator[Condition]:
    rows = filter_out_of_chips(Table.objects.all()).defer("state").order_by("pk")
    for table in rows[:MOST]:
        assert table.paused_at is not None
        yield Condition(
            AlertKind.RACK,
            f"table:{table.pk}",
            _("The table %(table)s is paused by its empty rack.") % {"table": table.name},
            f"{reverse('admin:racks')}?state=empty",
            table.paused_at,
        )


def _list_bands(now: dt.datetime) -> Iterator[Condition]:
    since = gaming_days.load().day_of(now) - dt.timedelta(days=BAND_DAYS)
    query = {"by": RULES, "from": since.isoformat()}
    outliers = []
    for by in (RULES, TABLE):
        for rows in revenue.iter_pages(RevenueFilters(by=by, since=since)):
            outliers += [row for row in rows if _leaves_band(row)]
    for row in outliers[:MOST]:
        if isinstance(row.key, RuleVariant):
            name, subject = describe_combination(row.key), _build_subject(row.key)
            path = f"{reverse('admin:books')}?{urlencode(query)}"
        else:
            name, subject = row.name, f"table:{row.key}"
            of_table = {**query, "by": "day", "table": str(row.key)}
            path = f"{reverse('admin:books')}?{urlencode(of_table)}"
        text = _("The result of %(name)s in the last %(days)s days is outside of its range.")
        yield Condition(
            AlertKind.BAND, subject, text % {"name": name[:150], "days": BAND_DAYS}, path, now
        )


def _leaves_band(row: RevenueRow) -> bool:
    return row.band is not None and row.band.is_outside(row.judged.made, width=BAND_WIDTH)


def _build_subject(way: RuleVariant) -> str:
    digest = hashlib.sha256(way.options.encode()).hexdigest()[:12]
    return f"rules:{way.key}" if way.options == "{}" else f"rules:{way.key}:{digest}"


def _list_audits(now: dt.datetime) -> Iterator[Condition]:
    for run in AuditRun.objects.order_by("-pk")[:2]:
        is_lost = audit_runs.is_lost(run, now)
        if run.finished_at is None and not is_lost:
            continue  # it runs: the one before it counts
        number = len(run.faults)
        if is_lost:
            text = _("The last audit has not finished: its process ended.")
        else:
            text = ngettext(
                "The last audit found %(n)s error.", "The last audit found %(n)s errors.", number
            ) % {"n": number}
        if is_lost or number:
            since = run.finished_at or run.seen_at
            yield Condition(AlertKind.AUDIT, SITE, text, reverse("admin:audit"), since)
        return


def _list_backups(settings: HouseSettings, now: dt.datetime) -> Iterator[Condition]:
    if not settings.alert_backup_hours:
        return
    longest = dt.timedelta(hours=settings.alert_backup_hours)
    newest = Backup.load_newest()
    if newest is not None:
        last, text = newest.finished_at, _("The last backup was made at %(time)s.")
    else:
        # A new site, and one that was restored, has as long as between two backups.
        began_at = DatabaseIdentity.objects.values_list("began_at", flat=True).first()
        if began_at is None:
            return
        last, text = began_at, _("No backup has been made since %(time)s.")
    if now - last > longest:
        yield Condition(
            AlertKind.BACKUP, SITE, text % {"time": format_utc(last)},
            reverse("admin:alerts"), last + longest,
        )  # fmt: skip


def _list_processes(now: dt.datetime) -> Iterator[Condition]:
    """Processes that ended without unregistering, and that no later one has replaced."""
    rows = list(ServerProcess.objects.all())
    starts = sorted(row.started_at for row in rows if not is_stale(row, now))
    stale_rows = sorted((row for row in rows if is_stale(row, now)), key=lambda row: row.seen_at)
    for row in stale_rows[:MOST]:
        replacement = next((start for start in starts if start > row.seen_at), None)
        if replacement is not None:
            starts.remove(replacement)
            continue
        yield Condition(
            AlertKind.PROCESS,
            f"process:{row.key}",
            _("Process %(pid)s on %(host)s has not reported since %(time)s.")
            % {"pid": row.pid, "host": row.host, "time": format_utc(row.seen_at)},
            reverse("admin:floor"),
            row.seen_at,
        )
