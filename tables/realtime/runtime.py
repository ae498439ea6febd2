"""Start and stop of a server process: hub, deadline timer, connection monitor, heartbeats, checkpoints."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial
from typing import Protocol, TypeVar

import structlog

from accounts import site_settings
from accounts.doors import bans
from accounts.lib import server_clock
from accounts.users import sessions
from tables.lib import loop_queue, pending_replies
from tables.lib.database.wal_checkpoints import checkpoints
from tables.protocol import codec
from tables.protocol.frames import CloseCode, Snapshot
from tables.protocol.topics import EVICTIONS, LIST_AGAIN, LOBBY, SITE, parse_user
from tables.realtime import (
    dispatch,
    epochs,
    grading_worker,
    heartbeats,
    hints,
    periodic_tasks,
    presence,
    publishing,
    snapshots,
)
from tables.realtime.best_play import thread as best_play
from tables.realtime.connection_monitor import ConnectionMonitor
from tables.realtime.deadline_timer import DeadlineTimer
from tables.realtime.hub import hub
from tables.realtime.lobby_feed import LobbyFeed
from tables.realtime.writers.loop_writer import loop_writer
from tables.realtime.writers.writer import JobCallback, writer
from tables.social import announcements, call_sender

log = structlog.get_logger()
T = TypeVar("T")

HEARTBEAT_SECONDS = 5
HEARTBEATS_PER_CHECK = 4
FIGURES_SECONDS = 5
"""How often settled rounds are added to the figures. Pages that show figures do so themselves."""
ODDS_SECONDS = 15
"""How often the odds of new tables are computed. Most are known: their makers have seen them."""
CHECKS_PER_CLEANUP = 180
SITE_SECONDS = 1.0
"""How often the settings of the site and the bans are read."""
EPOCH_SECONDS = 10
"""How long a start waits for the epoch check, which runs before any play in any case."""


class Worker(Protocol):
    """A thread of a higher room, which this one may not import."""

    def start(self) -> None:
        """Start it."""

    def stop(self) -> None:
        """Stop it, within a second or two."""


workers: list[Worker] = []
"""They run while this process serves. ``blackjack_site/asgi.py`` adds them."""


class _Running:
    """The tasks of the running event loop."""

    loop: asyncio.AbstractEventLoop | None = None
    timer: DeadlineTimer | None = None
    monitor: ConnectionMonitor | None = None
    lobby: LobbyFeed | None = None
    tasks: tuple[asyncio.Task[None], ...] = ()


def ensure_started() -> None:
    """Start all tasks on the running loop, once. Every scope calls it: daphne has no hook."""
    loop = asyncio.get_running_loop()
    if _Running.loop is loop:
        return
    _Running.loop = loop
    hub.on_followed = resync_topics
    epochs.of_process.on_begun = partial(publishing.run_on_loop, _send_epoch)
    hub.start()
    hints.of_process.start(loop)
    best_play.of_process.start(dispatch.run)
    _Running.timer = DeadlineTimer()
    publishing.start(loop, _Running.timer.expect)
    _Running.monitor = ConnectionMonitor(hub)
    _Running.monitor.start()
    _Running.lobby = LobbyFeed(hub)
    _Running.lobby.start()
    checkpoints.start()
    grading_worker.worker.start()
    call_sender.of_process.start()
    for worker in workers:
        worker.start()
    loop_writer.start()
    _Running.tasks = (
        loop.create_task(_Running.timer.run()),
        loop.create_task(_run_heartbeat_loop()),
        loop.create_task(_run_periodic_loop()),
        loop.create_task(_run_figures_loop()),
        loop.create_task(_run_odds_loop()),
        loop.create_task(_run_site_loop()),
    )


async def stop() -> None:
    """Stop the tasks, answer pending commands, close all sockets, and finish pending writes.

    Takes less than ten seconds, also if the database does not answer: unconfirmed commands are
    not answered, and pages send them again.
    """
    for task in _Running.tasks:
        task.cancel()
    await pending_replies.wait_for(*_Running.tasks)
    await pending_replies.wait_for_replies()
    loop_writer.stop()
    monitor = _Running.monitor
    if monitor is not None:
        await pending_replies.wait_for(asyncio.create_task(monitor.stop()))
    if _Running.lobby is not None:
        await _Running.lobby.stop()
    await asyncio.to_thread(hints.of_process.stop, pending_replies.PATIENCE)
    await asyncio.to_thread(best_play.of_process.stop, pending_replies.PATIENCE)
    await asyncio.to_thread(call_sender.of_process.stop, pending_replies.PATIENCE)
    await hub.stop(CloseCode.RESTART)
    if monitor is not None:
        await pending_replies.wait_for(asyncio.create_task(monitor.unregister_process()))
    await asyncio.to_thread(writer.stop, pending_replies.PATIENCE)
    await asyncio.to_thread(checkpoints.stop)
    await asyncio.to_thread(grading_worker.worker.stop)
    for worker in workers:
        await asyncio.to_thread(worker.stop)
    await asyncio.to_thread(epochs.of_process.stop)
    server_clock.reset()
    heartbeats.of_process.clear()
    publishing.stop()
    _Running.loop, _Running.timer, _Running.monitor, _Running.tasks = None, None, None, ()
    _Running.lobby = None


def is_running() -> bool:
    """Whether the tasks run."""
    return _Running.timer is not None


def get_clock_age() -> float:
    """Seconds since the deadline timer has read the deadlines; 0 while it does not run."""
    timer = _Running.timer
    return timer.seconds_since_look if timer is not None else 0.0


def get_lobby_feed() -> LobbyFeed:
    """The feed of open lobbies. It runs while sockets are served."""
    assert _Running.lobby is not None
    return _Running.lobby


def request_snapshot(
    table_id: int,
    user_id: int | None,
    deliver: JobCallback[Snapshot],
    *,
    is_gone: Callable[[], bool],
    session: str | None = None,
    seq: int | None = None,
) -> None:
    """Read a snapshot for this viewer, and call ``deliver`` with it on the event loop. The page has the
    changes up to ``seq``, if that is known.

    It is read in the writer thread and delivered through the loop's queue, so snapshots and changes
    keep their order. If ``is_gone()`` is true when the job runs, nothing is read and ``None`` is
    delivered: short connections must not fill the writer's queue.
    """
    loop = asyncio.get_running_loop()

    def look() -> Snapshot | None:
        if is_gone():
            return None
        return snapshots.snapshot_for_session(
            table_id, user_id, server_clock.now(), session=session, seq=seq
        )

    def hand_over(snapshot: Snapshot | None, failure: Exception | None) -> None:
        loop_queue.get_queue(loop).post(partial(deliver, snapshot, failure))

    writer.submit_then(look, hand_over)


def begin_epochs() -> Future[None]:
    """Enable the epoch check, and run it in the writer thread.

    The future raises ``OperationalError`` if the database is out of reach: then the check runs once
    it answers, before any play.
    """
    epochs.of_process.start()
    return writer.submit(epochs.of_process.verify_epoch)


def _send_epoch() -> None:
    """Send heartbeats with the new epoch, so that all pages of this process redraw."""
    task = asyncio.get_running_loop().create_task(send_seqs(hub.topics()))
    task.add_done_callback(lambda future: future.cancelled() or future.exception())


async def _run_heartbeat_loop() -> None:
    """Send heartbeats in a loop. They let pages detect lost frames."""
    while True:
        await asyncio.sleep(HEARTBEAT_SECONDS)
        try:
            await heartbeats.of_process.send_all()
        except Exception:
            log.exception("heartbeat_failed")


async def _run_periodic_loop() -> None:
    """Run the periodic checks in a loop. They wait for the database; heartbeats do not."""
    assert _Running.monitor is not None
    await _Running.monitor.register_process()
    for number in itertools.count(1):
        await asyncio.sleep(HEARTBEAT_SECONDS * HEARTBEATS_PER_CHECK)
        try:
            await run_periodic_checks()
            if number % CHECKS_PER_CLEANUP == 0:
                await periodic_tasks.close_unused_tables()
                await periodic_tasks.delete_ended_sessions()
                await periodic_tasks.drop_old_notices()
                await periodic_tasks.sum_finished_days()
                await periodic_tasks.refresh_query_statistics()
        except Exception:
            log.exception("periodic_checks_failed")


async def _run_figures_loop() -> None:
    """Count settled rounds in a loop, first those that an earlier process has left."""
    while True:
        try:
            await periodic_tasks.count_settled_rounds()
        except Exception:
            log.exception("figures_failed")
        await asyncio.sleep(FIGURES_SECONDS)


async def _run_odds_loop() -> None:
    """Compute the odds of new tables in a loop of its own: that takes seconds, and nothing waits."""
    while True:
        await asyncio.sleep(ODDS_SECONDS)
        try:
            await periodic_tasks.compute_odds()
        except Exception:
            log.exception("odds_of_tables_failed")


async def _run_site_loop() -> None:
    """Read the settings of the site and the bans in a loop, and close the sockets of new bans. Of
    errors in a row the first is logged.
    """
    has_failed = False
    while True:
        try:
            if await dispatch.run_without_publishing(lambda _now: read_site()):
                close_banned()
            has_failed = False
        except Exception:
            if not has_failed:
                log.exception("site_settings_failed")
            has_failed = True
        await asyncio.sleep(SITE_SECONDS)


def read_site() -> bool:
    """Read the settings of the site and the bans into memory; true if there are other bans."""
    site_settings.refresh()
    return bans.refresh()


def close_banned() -> None:
    """Close the sockets of banned addresses in this process; the pages reload, and read why."""
    hub.close_addresses(
        lambda address: bans.find(address) is not None, int(CloseCode.SESSION_ENDED)
    )


async def send_seqs(topics: Iterable[str]) -> None:
    """Send a heartbeat on these topics, after the snapshots that were requested before."""
    table_ids = heartbeats.list_table_ids(topics)
    heartbeats.send_heartbeats(
        *await dispatch.run_without_publishing(lambda _now: heartbeats.read_seqs(table_ids))
    )


async def resync_topics(topics: set[str]) -> None:
    """Send the current state of newly subscribed topics: earlier frames were not received."""
    loop = asyncio.get_running_loop()
    post = loop_queue.get_queue(loop).post
    # Through the writer and the loop queue, to keep the order with changes.
    writer.submit(
        partial(_load_current_frames, topics),
        on_commit=lambda frames: post(partial(_publish_local_frames, frames)),
    )
    await send_seqs(topics)
    if EVICTIONS in topics and _Running.monitor is not None:
        await _Running.monitor.check_all_sockets()


def _load_current_frames(topics: set[str]) -> list[tuple[str, str]]:
    users = {user_id for topic in topics if (user_id := parse_user(topic)) is not None}
    frames = publishing.load_wallet_frames(users)
    if SITE in topics:
        frames.append((SITE, codec.encode(announcements.build_frame(server_clock.now()))))
    if LOBBY in topics:
        frames.append((LOBBY, LIST_AGAIN))
    return frames


def _publish_local_frames(frames: list[tuple[str, str]]) -> None:
    for topic, text in frames:
        hub.publish_local(topic, text)


async def run_periodic_checks() -> None:
    """Record that this process runs, close ended sessions, update presence, end forgotten pauses, and
    send reminders.
    """
    monitor = _Running.monitor
    assert monitor is not None
    await monitor.close_ended()
    await dispatch.run_without_publishing(partial(presence.refresh_visits, monitor.process))
    await monitor.record_process()
    await monitor.store_users()
    await dispatch.run_without_publishing(presence.drop_pages_of_dead_processes)
    for table_id in await dispatch.run_without_publishing(presence.list_tables_to_check):
        await monitor.update_presence(table_id)
    await periodic_tasks.end_forgotten_pauses()
    await periodic_tasks.apply_due_changes()
    await periodic_tasks.send_reminders()
    keys = hub.session_keys()
    await dispatch.run_without_publishing(lambda now: sessions.flush_activity(now, keys))
