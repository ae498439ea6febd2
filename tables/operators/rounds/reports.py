"""Replies to players' reports."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.lib.pagination import first_page
from accounts.models import Act
from tables.models import Notice, Report, Result
from tables.realtime import publishing
from tables.social import notices
from tables.state.effects import Effects

PAGE: Final = 50


def answer_report(report_id: int, operator: Operator, text: str, now: dt.datetime) -> Report:
    """Answer a report; its player gets a notice, and reads it on the round's page.

    Raises ``Report.DoesNotExist``, and :class:`OperationRefused` if it was answered, or is about a round
    that the operator played.
    """
    with transaction.atomic():
        report = Report.objects.select_for_update(of=("self",)).get(pk=report_id)
        if report.answered_at is not None:
            assert report.answered_by is not None
            name = report.answered_by.username
            raise OperationRefused(_("%(name)s has already answered this.") % {"name": name})
        own = Result.objects.filter(round=report.round_id, user=operator.user_id)
        if own.with_hands().exists():
            raise OperationRefused(_("You played this round, so another operator must answer."))
        report.answer, report.answered_at = text, now
        report.answered_by_id = operator.user_id
        report.save(update_fields=["answer", "answered_at", "answered_by"])
        subject = f"round:{report.round_id}"
        after = {"report": report.pk, "answer": text}
        audit_log.record(operator, Act.What.ANSWER, subject, after=after, at=now)
        told = notices.create_decision(
            [report.user_id], Notice.Kind.ANSWERED, now, round_=report.round
        )
        transaction.on_commit(partial(publishing.publish_threadsafe, Effects(None, frames=told)))
    return report


def list_reports(*, is_open: bool, before: int | None = None) -> tuple[list[Report], int | None]:
    """:data:`PAGE` reports and the next cursor: open ones oldest first, or answered newest first."""
    rows = Report.objects.select_related("user", "round__table", "answered_by")
    rows = rows.defer("round__table__state").filter(answered_at__isnull=is_open)
    if before is not None:
        rows = rows.filter(pk__gt=before) if is_open else rows.filter(pk__lt=before)
    return first_page(rows.order_by("pk" if is_open else "-pk"), PAGE)
