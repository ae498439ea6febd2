"""Send hints to players who have turned them on: the values of the actions of their open decision.

Each process computes them for its own sockets, in a thread of its own, one after another. It reads
the table there and uses :mod:`tables.advice` with the cards that the player can see. Neither a command
nor another frame waits for that. A hint that is ready too late is dropped.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Final

import structlog
from django.db import connection

from tables.engine.actions import Action
from tables.engine.cards import Card, parse_cards
from tables.engine.options import apply_stored
from tables.engine.player_hand import Turn
from tables.engine.presets import VEGAS
from tables.lib import loop_queue
from tables.models import Seat
from tables.protocol import codec
from tables.protocol.frames import Hint, Snapshot
from tables.protocol.public import Asked, PublicTable
from tables.protocol.topics import table_topic, user_topic
from tables.realtime.hub import Hub, Socket, hub
from tables.state.game_state import GameState, UnreadableState

log = structlog.get_logger()

SWITCHED_ON: Final = '"hints":true'
"""What every encoded table has in which a player has turned hints on. Quotes of texts are escaped."""


@dataclass(frozen=True, slots=True)
class _Computed:
    """A hint, and for whom it is."""

    user_id: int
    text: str


@dataclass(slots=True)
class _OpenTurn:
    """The hints for one turn of a table."""

    turn: int
    by_seat: dict[int, _Computed | None] = field(default_factory=dict)
    """``None`` while it is computed."""


class HintSender:
    """The hints of one process. Its public methods are called on the event loop, except
    :meth:`stop`.
    """

    def __init__(self, of: Hub) -> None:
        self._hub = of
        self._open: dict[int, _OpenTurn] = {}
        """By table id, only where hints are on and a decision is open."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Send hints from now on."""
        self._loop = loop
        self._put(_load_odds)
        self._hub.on_foreign_frame = self.note_foreign_frame

    def stop(self, seconds: float) -> None:
        """Drop all hints and end the thread. Waits ``seconds`` at most, for a database that hangs."""
        thread, self._thread, self._loop = self._thread, None, None
        self._open.clear()
        if thread is not None:
            self._jobs.put(None)
            thread.join(seconds)

    def note_change(self, table_id: int, table: PublicTable) -> None:
        """Compute the hints that a published table asks for, each once for its turn."""
        decisions = _list_decisions_with_hints(table)
        if not decisions:
            self._open.pop(table_id, None)
            return
        for one in decisions:
            self._request(table_id, table.turn, one)

    def note_foreign_frame(self, table_id: int, text: str) -> None:
        """:meth:`note_change` for a frame of another process."""
        if not codec.is_changed(text):
            return
        if SWITCHED_ON in text:
            self.note_change(table_id, codec.decode_changed(text).table)
        else:
            self._open.pop(table_id, None)

    def note_snapshot(self, socket: Socket, table_id: int, snapshot: Snapshot) -> None:
        """Send the hint of an open decision to a page that opens or reconnects."""
        table = snapshot.table
        for one in _list_decisions_with_hints(table):
            if table.seats[one.seat - 1].player != snapshot.you.player:
                continue
            hint = self._find_open(table_id, table.turn).get(one.seat)
            if hint is not None:
                self._hub.send_to([socket], hint.text)
            else:
                self._request(table_id, table.turn, one)

    def _find_open(self, table_id: int, turn: int) -> dict[int, _Computed | None]:
        current = self._open.get(table_id)
        return current.by_seat if current is not None and current.turn == turn else {}

    def _request(self, table_id: int, turn: int, decision: Asked) -> None:
        if self._loop is None or decision.seat in self._find_open(table_id, turn):
            return
        viewers = self._list_viewers(table_id)
        if viewers <= {None}:
            return
        if not self._find_open(table_id, turn):
            self._open[table_id] = _OpenTurn(turn)
        self._open[table_id].by_seat[decision.seat] = None
        post = loop_queue.get_queue(self._loop).post

        def compute() -> None:
            # The turn may be over by now; a dictionary may be read in any thread.
            if decision.seat in self._find_open(table_id, turn):
                computed = _compute(table_id, turn, decision, viewers)
                post(partial(self._deliver, table_id, turn, decision, viewers, computed))

        self._put(compute)

    def _put(self, job: Callable[[], None]) -> None:
        if self._thread is None:
            self._jobs = queue.SimpleQueue()
            run = partial(_run_jobs, self._jobs)
            self._thread = threading.Thread(target=run, name="hints", daemon=True)
            self._thread.start()
        self._jobs.put(job)

    def _list_viewers(self, table_id: int) -> set[int | None]:
        return {socket.user_id for socket in self._hub.get_sockets(table_topic(table_id))}

    def _deliver(
        self,
        table_id: int,
        turn: int,
        decision: Asked,
        viewers: set[int | None],
        computed: _Computed | None,
    ) -> None:
        """Send a hint to the pages of its player at this table, unless the turn is over."""
        open_hints = self._find_open(table_id, turn)
        if decision.seat not in open_hints:
            return
        if computed is None:
            del open_hints[decision.seat]
            if self._list_viewers(table_id) - viewers:  # its player may have come meanwhile
                self._request(table_id, turn, decision)
            return
        open_hints[decision.seat] = computed
        pages = self._hub.get_sockets(table_topic(table_id))
        own = self._hub.get_sockets(user_topic(computed.user_id))
        self._hub.send_to(pages & own, computed.text)


def _run_jobs(jobs: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    """The thread: a connection of its own, which only reads."""
    while (job := jobs.get()) is not None:
        try:
            job()
        except Exception:  # the next hint does not wait for this one
            log.exception("hint_failed")
    connection.close()


def _load_odds() -> None:
    """Load NumPy, which takes a fifth of a second, and evaluate a hand with many cards to come, before
    a round is played. Commands of manage.py, which import this module too, do not need it.
    """
    import_module("tables.advice.hints")
    decisions = import_module("tables.odds.decisions")
    decisions.evaluate(VEGAS, parse_cards("2s 2h"), Card.parse("2d"))


def _list_decisions_with_hints(table: PublicTable) -> list[Asked]:
    decisions: Iterable[Asked | None] = table.insurance or (table.asked,)
    return [one for one in decisions if one is not None and table.seats[one.seat - 1].hints]


def _compute(
    table_id: int, turn: int, decision: Asked, viewers: set[int | None]
) -> _Computed | None:
    """Compute a hint in the thread of the hints.

    ``None`` if the turn is over, if there is no value, or if the player has no page in this process.
    """
    try:
        return _compute_from_stored(table_id, turn, decision, viewers)
    except Exception as error:
        # Without its traceback, which may contain hidden cards.
        log.warning("hint_failed", table_id=table_id, error=type(error).__name__)
        connection.close()
        return None


def _compute_from_stored(
    table_id: int, turn: int, decision: Asked, viewers: set[int | None]
) -> _Computed | None:
    from tables.advice.hints import compute_hint

    seats = Seat.objects.filter(
        table=table_id, table__turn=turn, number=decision.seat, has_hints=True
    )
    row = seats.values_list(
        "user", "table__rules_key", "table__rules_options", "table__state"
    ).first()
    if row is None or row[0] not in viewers:
        return None
    user_id, key, options, state = row
    try:
        round_ = GameState.from_text(apply_stored(key, options), state).round
    except UnreadableState:
        return None
    if round_ is None or round_.turn is None:
        return None
    legal = [Action(name) for name in decision.legal]
    values = compute_hint(round_, Turn(decision.seat, decision.hand), legal)
    if not values:
        return None
    return _Computed(user_id, codec.encode(Hint(turn, decision.seat, decision.hand, values)))


of_process: Final = HintSender(hub)
"""The hints of this process."""
