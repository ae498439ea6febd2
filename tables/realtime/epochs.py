"""Epochs: a restored, copied or reset database is detected and begins a new one.

Such a database goes on with secrets that were published already. So each process compares it with
marks that are stored outside of it, before it plays and every two seconds. If they differ, or one
is missing, a new epoch begins: rounds in play are void, shoes are retired, and every page draws its
table anew. A new epoch that was not needed costs only a shoe.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from accounts.lib import server_clock
from accounts.models import HouseSettings
from accounts.models.house import new_epoch
from tables.game import aborted_rounds, commit, shoes, unreadable_state
from tables.lib import database_identity
from tables.models import (
    AuditRun,
    Change,
    DatabaseIdentity,
    Round,
    ServerProcess,
    Table,
    Visit,
)
from tables.realtime import last_published
from tables.realtime.last_published import ENDED_WELL, Mark
from tables.state.effects import ChangeNotice
from tables.state.live_table import LiveTable
from tables.state.public_view import milliseconds

log = structlog.get_logger()

TURNS_APART: Final = 1_000_000
"""So many decisions are never made at a table between a backup and its return: the token of a
decision that was made meanwhile is that of none to come."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What is to be compared."""

    epoch: str
    row: DatabaseIdentity | None
    identity: str
    marks: list[Mark]

    @property
    def is_first(self) -> bool:
        """Whether no server has run with this database since it can hold an identity."""
        return (self.row is None or not self.row.identity) and not self.marks

    def doubt(self) -> str:
        """Why the data may have been set back; empty where there is no reason to think so."""
        row = self.row
        if row is None or not row.identity:
            return "no_identity"
        if row.epoch != self.epoch:
            return "another_epoch"
        if row.identity != self.identity:
            return "another_database"
        if not self.marks and connection.vendor == "sqlite":
            return "no_mark"
        return next((why for mark in self.marks if (why := _doubt_of(mark, row))), "")


class EpochGuard:
    """What one process knows of it. It does nothing before :meth:`start`."""

    def __init__(self) -> None:
        self._is_on = self._is_sure = False
        self._epoch = ""
        self.on_begun: Callable[[], None] = lambda: None
        """Called by the thread that found that another epoch has begun."""

    def start(self) -> None:
        """Compare from now on. Only what serves the house does: others have told nobody."""
        self._is_on, self._is_sure = True, False

    def stop(self) -> None:
        """Write down that all that was told is in the database."""
        if self._is_on:
            last_published.of_process.end()
        self._is_on, self._epoch = False, ""

    def invalidate(self) -> None:
        """Have the next :meth:`verify_epoch` compare: the database may be another one by then."""
        self._is_sure = False

    def verify_epoch(self) -> None:
        """Compare, unless that was done since it could be another one. Outside a transaction.

        Raises ``OperationalError`` when the database is out of reach: then nothing may be played.
        """
        if not self._is_on or self._is_sure:
            return
        server = database_identity.of_server()
        why = _find(server).doubt()
        if why and connection.vendor == "sqlite":
            connection.close()  # the file may have been replaced
            server = database_identity.of_server()
            why = _find(server).doubt()
        if why:
            _begin_if_in_doubt(server)
        epoch, before = _epoch(), self._epoch
        if not before:
            _renew_identity(server)
        if epoch != before:
            self._epoch = epoch
            last_published.of_process.begin(epoch, milliseconds(server_clock.now()))
        self._is_sure = True
        if before and epoch != before:
            self.on_begun()


def begin() -> int:
    """Begin a new epoch, whatever the present one is; how many tables were changed by that.

    For data that were put back. No server may run.
    """
    server = database_identity.of_server()
    with transaction.atomic():
        _lock()
        changed = _begin(_find(server), server)
    last_published.of_process.begin(_epoch(), milliseconds(server_clock.now()))
    last_published.of_process.end()
    return changed


def _begin_if_in_doubt(server: str) -> None:
    with transaction.atomic():
        _lock()
        found = _find(server)
        why = found.doubt()
        if not why:
            return  # another process was faster
        if found.is_first:
            _write_identity(found, found.epoch, server)
            return
        changed = _begin(found, server)
    log.warning("epoch_begun", because=why, tables=changed)


def _renew_identity(server: str) -> None:
    """With each start on SQLite: an older content of the same file names an identity of before."""
    if connection.vendor != "sqlite":
        return
    with transaction.atomic():
        _lock()
        row = DatabaseIdentity.objects.filter(pk=database_identity.ROW)
        row.update(identity=database_identity.renew(server))


def _find(server: str) -> _Found:
    row = DatabaseIdentity.objects.filter(pk=database_identity.ROW).first()
    return _Found(_epoch(), row, database_identity.of_row(server), last_published.kept())


def _epoch() -> str:
    return HouseSettings.objects.values_list("epoch", flat=True).get(pk=1)


def _lock() -> None:
    """Two processes that find the same take turns."""
    now = server_clock.now()
    DatabaseIdentity.objects.get_or_create(pk=database_identity.ROW, defaults={"began_at": now})
    DatabaseIdentity.objects.select_for_update().get(pk=database_identity.ROW)


def _doubt_of(mark: Mark, row: DatabaseIdentity) -> str:
    """What one process wrote down may not be in the database, or not as it was told."""
    if mark.epoch != row.epoch and mark.at < milliseconds(row.began_at):
        return ""  # the epoch has begun since, and whoever began it knew
    if mark.table_id == 0:
        return "" if mark.epoch == row.epoch else "later_epoch"
    change = Change.objects.filter(table=mark.table_id, seq=mark.seq).only("at").first()
    if change is None or milliseconds(change.at) != mark.at:
        return "change_lost"
    return "power_cut" if _may_have_lost(mark) else ""


def _may_have_lost(mark: Mark) -> bool:
    """Whether the machine was switched off, and commits had not waited for the disk."""
    is_lazy = connection.vendor == "sqlite" and settings.SQLITE_SYNCHRONOUS == "NORMAL"
    return is_lazy and mark.boot not in (ENDED_WELL, last_published.boot_id())


def _begin(found: _Found, server: str) -> int:
    epoch, now = new_epoch(), server_clock.now()
    HouseSettings.objects.update(
        epoch=epoch, announcement=str(aborted_rounds.IS_RESTORED), announced_at=now
    )
    Table.objects.update(turn=F("turn") + TURNS_APART)
    Visit.objects.all().delete()
    ServerProcess.objects.all().delete()
    AuditRun.objects.filter(finished_at=None).delete()
    ever_used = Table.objects.filter(closed_at=None).exclude(state="{}").order_by("pk")
    ids = list(ever_used.values_list("pk", flat=True))
    changed = sum(bool(_set_back(table_id, now)) for table_id in ids)
    _write_identity(found, epoch, server)
    return changed


def _set_back(table_id: int, now: dt.datetime) -> tuple[ChangeNotice, ...]:
    """Break off what is open at a table that was set back, and open its shoe: what would come of
    both may be known.
    """
    if changes := unreadable_state.reset_table(table_id, now):
        return changes
    live = LiveTable.lock(table_id, now)
    rounds = list(Round.objects.filter(table=live.row, finished_at=None).order_by("pk"))
    if live.game.shoe is None and not rounds:
        return ()
    for round_ in rounds:
        aborted_rounds.void(live, round_, str(aborted_rounds.IS_RESTORED))
    shoes.retire_restored(live)
    if rounds or live.game.piles is not None:
        aborted_rounds.clear(live.game)
    aborted_rounds.begin_anew(live)
    return (commit.commit_table(live),)


def _write_identity(found: _Found, epoch: str, server: str) -> None:
    """No savepoint may be between the two statements: PostgreSQL numbers them."""
    last_published.forget_damaged()
    known = [mark.at for mark in found.marks if mark is not last_published.DAMAGED]
    latest = max([milliseconds(server_clock.now()), *(at + 1 for at in known)])
    began_at = dt.datetime.fromtimestamp(latest / 1000, dt.UTC)
    row = DatabaseIdentity.objects.filter(pk=database_identity.ROW)
    row.update(epoch=epoch, began_at=began_at)
    row.update(identity=database_identity.renew(server))


of_process: Final = EpochGuard()
"""That of this process."""
