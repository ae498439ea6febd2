"""Reset of a table whose stored state cannot be decoded."""

from __future__ import annotations

import datetime as dt

import structlog
from django.db import transaction

from tables.game import aborted_rounds, commit
from tables.game.matches import progress
from tables.models import Round
from tables.state.effects import ChangeNotice
from tables.state.game_state import GameState, UnreadableState
from tables.state.live_table import LiveTable
from tables.state.rooms import lock_row

log = structlog.get_logger()


def reset_table(table_id: int, now: dt.datetime) -> tuple[ChangeNotice, ...]:
    """Abort the open round of a table whose state cannot be read; no effect if it can.

    Players keep their seats. Raises ``Table.DoesNotExist``.
    """
    with transaction.atomic():
        row = lock_row(table_id)
        try:
            GameState.from_text(row.rules, row.state)
        except UnreadableState as error:
            log.exception("state_unreadable", table_id=table_id, error=str(error))
        else:
            return ()
        live = LiveTable.from_stored(row, now, GameState(row.rules))
        progress.restore(live)
        for round_ in Round.objects.filter(table=row, finished_at=None).order_by("pk"):
            aborted_rounds.return_stakes(live, round_, aborted_rounds.IS_UNREADABLE)
        aborted_rounds.wait_for_bets(live)
        return (commit.commit_table(live),)
