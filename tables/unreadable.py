"""Reset of a table whose stored state cannot be decoded."""

from __future__ import annotations

import datetime as dt

import structlog
from django.db import transaction

from tables import breaking_off, hosting
from tables.committed import Committed
from tables.game import Game, UnreadableState
from tables.live_table import LiveTable
from tables.models import Round
from tables.stored import lock_row

log = structlog.get_logger()


def break_off(table_id: int, now: dt.datetime) -> tuple[Committed, ...]:
    """Break off what is open at a table whose state cannot be read; harmless when it can be.

    Everybody stays in their seats. Raises ``Table.DoesNotExist``.
    """
    with transaction.atomic():
        row = lock_row(table_id)
        try:
            Game.from_text(row.rules, row.state)
        except UnreadableState as error:
            log.exception("state_unreadable", table_id=table_id, error=str(error))
        else:
            return ()
        live = LiveTable.of(row, now, Game(row.rules))
        for round_ in Round.objects.filter(table=row, finished_at=None).order_by("pk"):
            breaking_off.void(live, round_, str(breaking_off.IS_UNREADABLE))
        breaking_off.begin_anew(live)
        return (hosting.write(live),)
