"""Epochs: a restored, copied or reset database is detected and begins a new one.

Such a database would reuse secrets that are already published. So each process compares it with
marks outside of it, before play and every two seconds. If they differ, or one is missing, a new
epoch begins: rounds in play are void, shoes are retired, and every page redraws its table. A new
epoch without need costs only the open rounds and shoes.
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
from accounts.lib.sql import optimistic
from accounts.lib.times import to_milliseconds
from accounts.models import HouseSettings
from accounts.models.site import new_epoch
from tables.game import aborted_rounds, commit, shoes, unreadable_state
from tables.game.matches import duplicates, progress
from tables.lib.database import identity as database_identity
from tables.lib.database import move_marker
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
from tables.realtime.last_published import ENDED_WELL, LastPublished
from tables.state.effects import ChangeNotice
from tables.state.live_table import LiveTable

log = structlog.get_logger()

TURNS_APART: Final = 1_000_000
"""Added to every turn token. It is more than the decisions between a backup and its restore, so old
tokens never match a new decision."""


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The values to compare."""

    epoch: str
    row: DatabaseIdentity | None
    identity: str
    marks: list[LastPublished]

    @property
    def is_first(self) -> bool:
        """Whether no server has run with this database since the identity was introduced."""
        return (self.row is None or not self.row.identity) and not self.marks

    def doubt(self) -> str:
        """The reason to assume a restored database; empty if there is none."""
        row = self.row
        if row is None or not row.identity:
            return "no_identity"
        if row.epoch != self.epoch:
            return "another_epoch"
        if row.identity != self.identity:
            return "another_database"
        if not self.marks and connection.vendor == "sqlite":
            return "no_mark"
        return next((why for mark in self.marks if (why := _explain_doubt(mark, row))), "")


class EpochGuard:
    """The epoch check of one process. It does nothing before :meth:`start`."""

    def __init__(self) -> None:
        self._is_on = self._is_sure = False
        self._epoch = ""
        self.on_begun: Callable[[], None] = lambda: None
        """Called after a new epoch has begun, in the thread that detected it."""

    def start(self) -> None:
        """Enable the check. Only servers need it: other commands publish nothing."""
        self._is_on, self._is_sure = True, False

    def stop(self) -> None:
        """Record a clean end: all published changes are in the database."""
        if self._is_on:
            last_published.of_process.end()
        self._is_on, self._epoch = False, ""

    def invalidate(self) -> None:
        """Make the next :meth:`verify_epoch` compare again: the database may have been replaced."""
        self._is_sure = False

    @property
    def epoch(self) -> str:
        """The epoch as last verified; empty before that."""
        return self._epoch

    @property
    def is_sure(self) -> bool:
        """Whether :meth:`verify_epoch` would not compare now."""
        return self._is_sure or not self._is_on

    def verify_epoch(self) -> None:
        """Compare, unless the last comparison is still valid. Call it outside a transaction.

        Raises ``OperationalError`` if the database is out of reach, or marked as moved: then nothing
        may be played.
        """
        if self.is_sure:
            return
        move_marker.verify_servable()
        server = database_identity.read_server_identity()
        why = _load_comparison(server).doubt()
        if why and connection.vendor == "sqlite":
            connection.close()  # the file may have been replaced
            server = database_identity.read_server_identity()
            why = _load_comparison(server).doubt()
        if why:
            _begin_if_in_doubt(server)
        epoch, before = _read_epoch(), self._epoch
        if not before:
            _renew_identity(server)
        if epoch != before:
            self._epoch = epoch
            last_published.of_process.begin(epoch, to_milliseconds(server_clock.now()))
        self._is_sure = True
        if epoch != before:
            optimistic.forget_all()
        if before and epoch != before:
            self.on_begun()


def begin_epoch() -> int:
    """Begin a new epoch after a restore; return the number of changed tables. No server may run."""
    server = database_identity.read_server_identity()
    with transaction.atomic():
        _lock_identity()
        changed = _write_epoch(_load_comparison(server), server)
        move_marker.remove()
    last_published.of_process.begin(_read_epoch(), to_milliseconds(server_clock.now()))
    last_published.of_process.end()
    return changed


def explain_doubt() -> str:
    """Why this database may be a copy, or set back; empty if it is the one that servers ran with."""
    comparison = _load_comparison(database_identity.read_server_identity())
    return "" if comparison.is_first else comparison.doubt()


def adopt_database() -> None:
    """Make this database, a complete copy, the one of its epoch. No server may run with either.

    Call it in the transaction that has copied the rows.
    """
    identity = DatabaseIdentity.objects.filter(pk=database_identity.ROW).exclude(identity="")
    if identity.update(epoch=_read_epoch()):  # otherwise no server has run with it
        server = database_identity.read_server_identity()
        identity.update(identity=database_identity.renew_identity(server))


def begin_marks() -> None:
    """Store marks for the adopted database, in the place of those for what was there before."""
    last_published.delete_all()
    if not DatabaseIdentity.objects.exclude(identity="").exists():
        return  # no server has run with it
    last_published.of_process.begin(_read_epoch(), to_milliseconds(server_clock.now()))
    last_published.of_process.end()


def _begin_if_in_doubt(server: str) -> None:
    with transaction.atomic():
        _lock_identity()
        comparison = _load_comparison(server)
        why = comparison.doubt()
        if not why:
            return  # another process was faster
        if comparison.is_first:
            _write_identity(comparison, comparison.epoch, server)
            return
        changed = _write_epoch(comparison, server)
    log.warning("epoch_begun", because=why, tables=changed)


def _renew_identity(server: str) -> None:
    """On SQLite, write a new identity at each start, to detect older content of the file."""
    if connection.vendor != "sqlite":
        return
    with transaction.atomic():
        _lock_identity()
        row = DatabaseIdentity.objects.filter(pk=database_identity.ROW)
        row.update(identity=database_identity.renew_identity(server))


def _load_comparison(server: str) -> _Comparison:
    row = DatabaseIdentity.objects.filter(pk=database_identity.ROW).first()
    return _Comparison(
        _read_epoch(), row, database_identity.build_identity(server), last_published.load_marks()
    )


def _read_epoch() -> str:
    return HouseSettings.objects.values_list("epoch", flat=True).get(pk=1)


def _lock_identity() -> None:
    """Lock the identity row, so that one process at a time begins an epoch."""
    row = DatabaseIdentity(pk=database_identity.ROW, began_at=server_clock.now())
    # Not get_or_create: if several processes start, it would leave an error in PostgreSQL's log.
    DatabaseIdentity.objects.bulk_create([row], ignore_conflicts=True)
    DatabaseIdentity.objects.select_for_update().get(pk=database_identity.ROW)


def _explain_doubt(mark: LastPublished, row: DatabaseIdentity) -> str:
    """Why this mark contradicts the database; empty if it does not."""
    if mark.epoch != row.epoch and mark.at < to_milliseconds(row.began_at):
        return ""  # the epoch began after this mark
    if mark.table_id == 0:
        return "" if mark.epoch == row.epoch else "later_epoch"
    change = Change.objects.filter(table=mark.table_id, seq=mark.seq).only("at").first()
    if change is None or to_milliseconds(change.at) != mark.at:
        return "change_lost"
    return "power_cut" if _may_have_lost(mark) else ""


def _may_have_lost(mark: LastPublished) -> bool:
    """Whether the machine lost power after commits without a sync to disk."""
    is_lazy = connection.vendor == "sqlite" and settings.SQLITE_SYNCHRONOUS == "NORMAL"
    return is_lazy and mark.boot not in (ENDED_WELL, last_published.read_boot_id())


def _write_epoch(comparison: _Comparison, server: str) -> int:
    epoch, now = new_epoch(), server_clock.now()
    HouseSettings.objects.update(
        epoch=epoch, announcement=aborted_rounds.IS_RESTORED, announced_at=now
    )
    Table.objects.update(turn=F("turn") + TURNS_APART)
    Visit.objects.all().delete()
    ServerProcess.objects.all().delete()
    AuditRun.objects.filter(finished_at=None).delete()
    duplicates.break_off_all(now, aborted_rounds.IS_RESTORED)
    ever_used = Table.objects.filter(closed_at=None).exclude(state="{}").order_by("pk")
    ids = list(ever_used.values_list("pk", flat=True))
    changed = sum(bool(_reset_table(table_id, now)) for table_id in ids)
    _write_identity(comparison, epoch, server)
    return changed


def _reset_table(table_id: int, now: dt.datetime) -> tuple[ChangeNotice, ...]:
    """Abort the rounds of a restored table and retire its shoe: their outcome may be known."""
    if changes := unreadable_state.reset_table(table_id, now):
        return changes
    live = LiveTable.lock(table_id, now)
    is_broken_off = progress.end_if_broken_off(live)
    rounds = list(Round.objects.filter(table=live.row, finished_at=None).order_by("pk"))
    if live.game.shoe is None and not rounds and not is_broken_off:
        return ()
    for round_ in rounds:
        aborted_rounds.return_stakes(live, round_, aborted_rounds.IS_RESTORED)
    shoes.retire_restored(live)
    if rounds or live.game.piles is not None:
        aborted_rounds.remove_round(live.game)
    aborted_rounds.wait_for_bets(live)
    return (commit.commit_table(live),)


def _write_identity(comparison: _Comparison, epoch: str, server: str) -> None:
    """Store epoch and identity without a savepoint in between, which PostgreSQL numbers too."""
    last_published.delete_damaged()
    times = [mark.at for mark in comparison.marks if mark is not last_published.DAMAGED]
    latest = max([to_milliseconds(server_clock.now()), *(at + 1 for at in times)])
    began_at = dt.datetime.fromtimestamp(latest / 1000, dt.UTC)
    row = DatabaseIdentity.objects.filter(pk=database_identity.ROW)
    row.update(epoch=epoch, began_at=began_at)
    row.update(identity=database_identity.renew_identity(server))


of_process: Final = EpochGuard()
"""The guard of this process."""
