"""Play what is best for players who have decided so ahead.

The process that committed the change which brought the turn computes the action in a thread of its
own, as :mod:`tables.realtime.hints` does, from the cards that the player can see. The writer thread
then plays it, if that decision is still open. If this process ends before that, the short clock of
the decision runs out, or is extended at the next start: the process that commits this tries again.
"""

from __future__ import annotations

import datetime as dt
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Final

import structlog
from django.db import connection

from accounts.lib import server_clock
from tables.engine.actions import Action
from tables.models import Table
from tables.realtime.best_play import change
from tables.state import plans
from tables.state.effects import Effects
from tables.state.game_state import UnreadableState
from tables.state.live_table import LiveTable

log = structlog.get_logger()
Run = Callable[[Callable[[dt.datetime], Effects[None]]], None]
"""Runs work in the writer thread and publishes its effects: :func:`tables.realtime.dispatch.run`."""


class BestPlayer:
    """The thread of one process."""

    def __init__(self) -> None:
        self._run: Run | None = None
        self._thread: threading.Thread | None = None
        self._jobs: queue.SimpleQueue[tuple[int, int] | None] = queue.SimpleQueue()

    def start(self, run: Run) -> None:
        """Play from now on, with ``run``. The thread starts with its first job."""
        self._run = run

    def stop(self, seconds: float) -> None:
        """End the thread. Waits ``seconds`` at most, for a database that hangs."""
        thread, self._thread, self._run = self._thread, None, None
        if thread is not None:
            self._jobs.put(None)
            thread.join(seconds)

    def note_change(self, table_id: int, turn: int | None) -> None:
        """Play the decision ``turn`` of a table that this process has changed; ``None``: nothing is to
        be played. Called on the event loop.
        """
        if turn is None or self._run is None:
            return
        if self._thread is None:
            self._jobs = queue.SimpleQueue()
            run = partial(_run_jobs, self._jobs, self._run)
            self._thread = threading.Thread(target=run, name="best_play", daemon=True)
            self._thread.start()
        self._jobs.put((table_id, turn))


def _run_jobs(jobs: queue.SimpleQueue[tuple[int, int] | None], run: Run) -> None:
    """The thread: a connection of its own, which only reads."""
    while (job := jobs.get()) is not None:
        table_id, turn = job
        try:
            play(table_id, turn, run)
        except Exception as error:
            # Without its traceback, which may contain hidden cards. The clock tries again.
            log.warning("best_play_failed", table_id=table_id, error=type(error).__name__)
            connection.close()
    connection.close()


def play(table_id: int, turn: int, run: Run) -> None:
    """Find the best action of a decision, and have the writer thread play it. Takes up to 100 ms.

    Raises ``DatabaseError`` or ``TimeoutError`` when the site is too busy.
    """
    try:
        action = find_best_action(table_id, turn)
    except LookupError:
        return
    run(partial(change.play_best, table_id, turn, action))


def find_best_action(table_id: int, turn: int) -> Action | None:
    """The best action that the player can pay for; ``None`` if its value is not known.

    Raises :class:`LookupError` if that decision is not open.
    """
    # With NumPy, which commands of manage.py do not need.
    from tables.advice.hints import compute_hint

    row = Table.objects.select_related("maker", "rack").filter(pk=table_id, turn=turn).first()
    if row is None:
        raise LookupError(turn)
    try:
        live = LiveTable.from_stored(row, server_clock.now())
    except UnreadableState:
        raise LookupError(turn) from None
    round_ = live.game.round
    if not plans.is_best_play_due(live) or round_ is None or round_.turn is None:
        raise LookupError(turn)
    legal = round_.legal_actions(live.funds(round_.turn.seat))
    values = compute_hint(round_, round_.turn, legal)
    return Action(values[0].action) if values else None


of_process: Final = BestPlayer()
"""The one of this process."""
