"""The announcements that are shown now, for operators."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from accounts import audit_log
from accounts.models import Act, HouseSettings
from tables.models import Table
from tables.social.announcements import SHOWN_FOR

MOST: Final = 200
"""The number of announcements of which the operator is looked up."""


@dataclass(frozen=True, slots=True)
class CurrentAnnouncement:
    """An announcement that open pages and new ones show."""

    text: str
    table_id: int | None
    """The only table that shows it; ``None`` if all do."""
    table: str
    by: str
    """The name of its operator; empty for the server."""
    since: dt.datetime

    @property
    def until(self) -> dt.datetime:
        """When it is shown no longer."""
        return self.since + SHOWN_FOR

    @property
    def id(self) -> str:
        """What a form sends of it."""
        return self.since.isoformat()


def list_current(now: dt.datetime, table_id: int | None = None) -> list[CurrentAnnouncement]:
    """The announcements that are shown now, that to everyone first; of one table only those that it
    shows. Three queries, or two without any.
    """
    oldest = now - SHOWN_FOR
    tables = Table.objects.filter(closed_at=None, announced_at__gt=oldest).exclude(announcement="")
    if table_id is not None:
        tables = tables.filter(pk=table_id)
    rows: list[Table | HouseSettings] = [
        *HouseSettings.objects.filter(announced_at__gt=oldest).exclude(announcement=""),
        *tables.only("name", "announcement", "announced_at").order_by("announced_at", "pk"),
    ]
    names = _load_operators(oldest) if rows else {}
    return [_build(row, names) for row in rows]


def _build(
    row: Table | HouseSettings, names: dict[tuple[str, dt.datetime], str]
) -> CurrentAnnouncement:
    is_table = isinstance(row, Table)
    subject = audit_log.build_subject(row) if is_table else audit_log.SITE
    assert row.announced_at is not None
    return CurrentAnnouncement(
        text=row.announcement,
        table_id=row.pk if is_table else None,
        table=row.name if isinstance(row, Table) else "",
        by=names.get((subject, row.announced_at), ""),
        since=row.announced_at,
    )


def _load_operators(oldest: dt.datetime) -> dict[tuple[str, dt.datetime], str]:
    """The names of operators by subject and time of their latest announcements."""
    acts = Act.objects.filter(what=Act.What.ANNOUNCE, at__gt=oldest).order_by("-id")[:MOST]
    rows = acts.values_list("subject", "at", "by__username")
    return {(subject, at): name for subject, at, name in rows}
