"""Reports of players: the list, what surrounds a report, and the answer."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.lib.pagination import first_page
from accounts.lists.id_ranges import ALL_TIMES, TimeRange, filter_times
from accounts.models import Act, User
from tables.models import ChatLine, Notice, Report, Result
from tables.realtime import publishing
from tables.social import notices
from tables.state.effects import Effects

PAGE: Final = 50
LINES_AROUND: Final = 10
"""How many lines before and after a reported one are shown."""
MOST_FORMER: Final = 20


@dataclass(frozen=True, slots=True)
class ReportFilters:
    """The filter of reports. Empty fields do not filter."""

    is_open: bool = True
    kind: str = ""
    table: int | None = None
    player: User | None = None
    """Who reports or is reported."""
    times: TimeRange = ALL_TIMES


@dataclass(frozen=True, slots=True)
class ReportContext:
    """What an operator has to know beside a report of a person or a line."""

    lines: list[ChatLine]
    """The lines around it at its table, also removed ones, oldest first."""
    former: list[Report]
    """Other reports about the same person, newest first."""
    is_more: bool
    """Whether there are more of them."""


def answer_report(report_id: int, operator: Operator, text: str, now: dt.datetime) -> Report:
    """Answer a report; who reported gets a notice and reads it. The reported person is not told.

    Raises ``Report.DoesNotExist``, and :class:`OperationRefused` if it was answered, or concerns the
    operator.
    """
    with transaction.atomic():
        report = Report.objects.select_for_update(of=("self",), no_key=True).get(pk=report_id)
        if report.answered_at is not None:
            assert report.answered_by is not None
            name = report.answered_by.username
            raise OperationRefused(_("%(name)s has already answered this.") % {"name": name})
        _verify_is_neutral(report, operator)
        report.answer, report.answered_at = text, now
        report.answered_by_id = operator.user_id
        report.save(update_fields=["answer", "answered_at", "answered_by"])
        is_round = report.kind == Report.Kind.ROUND
        subject = f"round:{report.round_id}" if is_round else f"user:{report.about_id}"
        after = {"report": report.pk, "answer": text}
        audit_log.record(operator, Act.What.ANSWER, subject, after=after, at=now)
        frames = notices.create_decision(
            [report.user_id], Notice.Kind.ANSWERED, now, round_=report.round
        )
        transaction.on_commit(partial(publishing.publish_threadsafe, Effects(None, frames=frames)))
    return report


def _verify_is_neutral(report: Report, operator: Operator) -> None:
    if report.kind == Report.Kind.ROUND:
        own = Result.objects.filter(round=report.round_id, user=operator.user_id)
        if own.with_hands().exists():
            raise OperationRefused(_("You played this round, so another operator must answer."))
    elif operator.user_id in (report.about_id, report.user_id):
        raise OperationRefused(_("This report concerns you, so another operator must answer."))


def filter_for(viewer_id: int | None) -> QuerySet[Report]:
    """The reports that this operator may read: all but those about the operator."""
    return Report.objects.exclude(about=viewer_id)


def list_reports(
    filters: ReportFilters, viewer_id: int, *, before: int | None = None, size: int = PAGE
) -> tuple[list[Report], int | None]:
    """``size`` reports for this operator and the next cursor: open ones oldest first, or answered
    newest first.
    """
    rows = filter_for(viewer_id).select_related(
        "user", "about", "round__table", "table", "answered_by"
    )
    rows = rows.defer("round__table__state", "table__state")
    rows = rows.filter(answered_at__isnull=filters.is_open)
    if filters.kind:
        rows = rows.filter(kind=filters.kind)
    if filters.table is not None:
        rows = rows.filter(Q(table=filters.table) | Q(round__table=filters.table))
    if filters.player is not None:
        rows = rows.filter(Q(user=filters.player) | Q(about=filters.player))
    rows = filter_times(rows, "at", filters.times)
    if before is not None:
        rows = rows.filter(pk__gt=before) if filters.is_open else rows.filter(pk__lt=before)
    return first_page(rows.order_by("pk" if filters.is_open else "-pk"), size)


def load_context(report: Report) -> ReportContext:
    """What surrounds a report of a person or a line."""
    about = Report.objects.filter(about=report.about_id).exclude(pk=report.pk)
    former = list(about.select_related("table", "user").defer("table__state")[: MOST_FORMER + 1])
    return ReportContext(
        _load_lines(report), former[:MOST_FORMER], is_more=len(former) > MOST_FORMER
    )


def _load_lines(report: Report) -> list[ChatLine]:
    lines = ChatLine.objects.filter(table=report.table_id).select_related("user")
    newest = lines.order_by("-pk")
    if report.line_id is None:
        return list(newest.filter(at__lte=report.at)[: 2 * LINES_AROUND])[::-1]
    before = list(newest.filter(pk__lte=report.line_id)[: LINES_AROUND + 1])
    after = list(lines.filter(pk__gt=report.line_id).order_by("pk")[:LINES_AROUND])
    return [*before[::-1], *after]
