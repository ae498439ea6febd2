"""Presence: open pages at a table, over all server processes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Container, Mapping

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from tables.game import commit
from tables.game import seats as game_seats
from tables.models import OpenPage, QueueEntry, Seat, ServerProcess, Table, Visit
from tables.protocol.frames import Watching
from tables.protocol.topics import table_topic
from tables.state import idle_seats, waiting_line, watchers
from tables.state.effects import ChangeNotice, Effects
from tables.state.live_table import LiveTable

Pages = Mapping[int | None, int]
"""The number of open pages by user id; ``None`` for visitors without a login."""


def update_table(
    table_id: int,
    process: str,
    pages: Pages,
    now: dt.datetime,
    *,
    in_sight: Container[int | None] | None = None,
) -> Effects[None]:
    """Store the pages that this process has open at a table, free abandoned seats and places in line,
    and offer a free seat to a player in line who is back.

    ``in_sight``: the users with a page in sight; by default all.
    """
    viewers = pages if in_sight is None else in_sight
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        has_moved = _write_visits(live.row, process, pages, viewers, now)
        before, live.row.watchers = live.row.watchers, watchers.count_watchers(live)
        present = watchers.list_present_users(live.row, now)
        game_seats.update_presence(live, present)
        waiting_line.update_presence(live, present, game_seats.ABSENCE)
        idle_seats.free_idle_seats(live)
        game_seats.free_absent_seats(live)
        waiting_line.offer_free_seats(live)
        changes: tuple[ChangeNotice, ...] = ()
        if live.events:
            changes = (commit.commit_table(live),)
        else:
            for seat in live.seats_changed.values():
                seat.save(update_fields=["idle_since"])
            if live.row.watchers != before:
                live.row.save(update_fields=["watchers"])
        if live.row.watchers == before and not has_moved:
            return Effects(None, changes)
        frame = Watching(live.row.watchers, watchers.list_present_names(table_id, now))
        lobby = (table_id,) if live.row.watchers != before else ()
        return Effects(None, changes, frames=((table_topic(table_id), frame),), lobby=lobby)


def name_again(user_id: int, now: dt.datetime) -> Effects[None]:
    """Publish who is present at the tables where this user, whose name has changed, has a page open."""
    tables = Table.objects.filter(pk__in=watchers.list_visited_tables(user_id))
    frames = tuple(
        (table_topic(pk), Watching(number, watchers.list_present_names(pk, now)))
        for pk, number in tables.values_list("pk", "watchers")
    )
    return Effects(None, frames=frames)


def store_open_pages(process: str, users: Collection[int], now: dt.datetime) -> None:
    """Store the users who have a page open in this process."""
    own = OpenPage.objects.filter(process=process)
    stored_ids = set(own.values_list("user", flat=True))
    if old_ids := stored_ids.difference(users):
        own.filter(user__in=old_ids).delete()
    come = [OpenPage(process=process, user_id=pk) for pk in users if pk not in stored_ids]
    OpenPage.objects.bulk_create(come, ignore_conflicts=True)


def drop_pages_of_dead_processes(now: dt.datetime) -> None:
    """Delete the open pages of processes that have not reported for a minute."""
    running = ServerProcess.objects.filter(seen_at__gt=now - watchers.STALE)
    OpenPage.objects.exclude(process__in=running.values("key")).delete()


def refresh_visits(process: str, now: dt.datetime) -> None:
    """Refresh the visits of this process."""
    Visit.objects.filter(process=process).update(seen_at=now)


def list_tables_to_check(now: dt.datetime) -> list[int]:
    """The ids of tables to check for absent players.

    These have visits of a dead process, a seat whose player never opened a page, or a seat or a
    place in line whose absence or idle time is over.
    """
    stale = Visit.objects.filter(seen_at__lte=now - watchers.STALE)
    theirs = Visit.objects.filter(table=OuterRef("table"), user=OuterRef("user"))
    unseen = Q(away_since=None, sat_at__lte=now - game_seats.TO_ARRIVE) & ~Exists(theirs)
    absent = Q(
        away_since__lte=now - game_seats.ABSENCE,
        table__phase=Table.Phase.BETTING,
        table__paused_at=None,
    )
    seats = Seat.objects.filter(unseen | absent | idle_seats.build_due_condition(now))
    away = Q(away_since=None) & ~Exists(theirs) | Q(away_since__lte=now - game_seats.ABSENCE)
    waiting = QueueEntry.objects.filter(away).order_by().values_list("table", flat=True)
    ids = {*waiting, *stale.values_list("table", flat=True), *seats.values_list("table", flat=True)}
    return sorted(ids)


def _write_visits(
    table: Table, process: str, pages: Pages, viewers: Container[int | None], now: dt.datetime
) -> bool:
    """Write the visits; returns whether somebody has come or gone."""
    table.visits.filter(seen_at__lte=now - watchers.STALE).exclude(process=process).delete()
    visits = {visit.user_id: visit for visit in table.visits.filter(process=process)}
    old_ids = [visit.pk for user_id, visit in visits.items() if user_id not in pages]
    if old_ids:
        Visit.objects.filter(pk__in=old_ids).delete()
    fresh = [
        Visit(
            table=table,
            process=process,
            user_id=user_id,
            pages=number,
            is_in_sight=user_id in viewers,
            seen_at=now,
        )
        for user_id, number in pages.items()
        if user_id not in visits
    ]
    Visit.objects.bulk_create(fresh)
    here = {user_id: visit for user_id, visit in visits.items() if user_id in pages}
    for user_id, visit in here.items():
        values = (pages[user_id], user_id in viewers)
        if values != (visit.pages, visit.is_in_sight):
            visit.pages, visit.is_in_sight = values
            visit.save(update_fields=["pages", "is_in_sight"])
    if here:
        Visit.objects.filter(pk__in=[visit.pk for visit in here.values()]).update(seen_at=now)
    return bool(old_ids or fresh)
