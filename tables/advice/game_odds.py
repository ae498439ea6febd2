"""Exact values of games for pages: those of the presets are shipped, others computed once.

A computation takes up to two seconds of a processor. It runs in the thread that needs the value (a
request's, a command's, the grading worker's, that of a periodic task), one at a time; never in the
event loop or the writer.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog
from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from tables.engine.options import apply_stored
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.models import GameOdds, Table
from tables.odds.charts import Chart
from tables.odds.games import Game, evaluate_game

log = structlog.get_logger()

VERSION: Final = 1
"""To be raised when the calculator returns other values. Then stored ones are computed again; those
of the presets by ``manage.py edges --presets``."""
SHIPPED: Final = Path(__file__).with_name("preset_odds.json")
"""The output of ``manage.py edges --presets``: a visitor of a new site does not wait."""
PATIENCE: Final = 8.0
"""The longest wait of a page, in seconds, for the computations before its own."""
NO_LIMIT: Final = -1.0
"""The patience of a worker, for which no page waits."""
MOST_GAMES: Final = 500
"""The limit of games in the memory of a process; each takes some 20 kB."""

FIELDS: Final = (
    "decks", "has_piles", "natural_pays", "twenty_one_wins", "twenty_one_stands", "peek",
    "hits_soft_17", "tie", "double_down", "double_after_split", "max_hands", "split_aces_once",
    "surrender",
)  # fmt: skip
"""The fields of a rule set that the value of its game depends on. Insurance is none of them:
before any card is seen, the best play never takes it.
"""
FIGURES: Final = tuple(field.name for field in fields(Game) if field.name != "chart")


@lru_cache
def digest(rules: Ruleset) -> str:
    """The name under which the value of a game is stored: equal for rules with equal odds."""
    if rules.max_hands == 1:
        rules = replace(rules, double_after_split=False, split_aces_once=False)
    if not rules.double_down:
        rules = replace(rules, double_after_split=False)
    text = "\n".join(f"{name}={getattr(rules, name)}" for name in FIELDS)
    return hashlib.sha256(text.encode()).hexdigest()


def find(rules: Ruleset) -> Game | None:
    """The value of a game if it is known. It computes nothing."""
    return find_all([rules]).get(rules)


def find_all(many: Iterable[Ruleset]) -> dict[Ruleset, Game]:
    """The known values of games, read by one query at most."""
    digests = {rules: digest(rules) for rules in many}
    shipped = _load_shipped()
    games = {
        key: game for key in digests.values() if (game := _memory.get(key) or shipped.get(key))
    }
    unknown = set(digests.values()) - games.keys()
    if unknown:
        for row in GameOdds.objects.filter(digest__in=unknown, version=VERSION):
            games[row.digest] = _keep(row.digest, decode(row.figures, row.chart))
    return {rules: games[key] for rules, key in digests.items() if key in games}


def get(
    rules: Ruleset, patience: float = PATIENCE, is_wanted: Callable[[], bool] = lambda: True
) -> Game | None:
    """The value of a game, computed and stored if it is not known.

    It returns ``None`` if other computations take longer than ``patience``, in seconds;
    :data:`NO_LIMIT` waits as long as they take. After them, ``is_wanted`` says whether it is still
    to be computed.
    """
    if (found := find(rules)) is not None:
        return found
    if not _computing.acquire(timeout=patience):
        return None
    try:
        if (found := find(rules)) is not None:  # another thread has computed the same
            return found
        if not is_wanted():
            return None
        game = _keep(digest(rules), evaluate_game(rules))
    finally:
        _computing.release()
    _store(rules, game)
    _news.add(digest(rules))
    return game


def compute_for_open_tables() -> bool:
    """Compute one value that open tables need and that is not known, and return whether there was
    one. One at a time, so that a process which stops waits for no more.
    """
    ways = _open_tables().values_list("rules_key", "rules_options").distinct()
    many = {apply_stored(key, options) for key, options in ways}
    unknown = [rules for rules in many - find_all(many).keys() if digest(rules) not in _failed]
    if not unknown:
        return False
    try:
        return get(unknown[0]) is not None
    except Exception:  # the other tables do not wait for it
        log.exception("odds_failed", rules=unknown[0].key)
        _failed.add(digest(unknown[0]))
        return True


def take_tables_with_news() -> tuple[int, ...]:
    """The open tables whose value this process has computed since the last call, for whomever."""
    news = {_news.pop() for _ in range(len(_news))}
    if not news:
        return ()
    tables = _open_tables().values_list("pk", "rules_key", "rules_options")
    return tuple(pk for pk, *way in tables if digest(apply_stored(*way)) in news)


def _open_tables() -> QuerySet[Table]:
    """Those with options of their own: the values of presets are shipped."""
    return Table.objects.filter(closed_at=None).exclude(rules_options={}).order_by()


def encode_presets() -> str:
    """Compute the presets, and return the text of :data:`SHIPPED`."""
    lines = [
        f"{_text(digest(rules))}: {_text(encode(evaluate_game(rules)))}"
        for rules in {digest(rules): rules for rules in PRESETS.values()}.values()
    ]
    return "{\n" + ",\n".join(lines) + "\n}"


def encode(game: Game) -> dict[str, Any]:
    """The figures and the chart of a game as plain values."""
    return {
        "figures": {name: float(getattr(game, name)) for name in FIGURES},
        "chart": game.chart.to_json(),
    }


def decode(figures: Mapping[str, float], chart: Mapping[str, Any]) -> Game:
    """The game of stored values."""
    return Game(**figures, chart=Chart(**chart))


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


@cache
def _load_shipped() -> dict[str, Game]:
    return {key: decode(**row) for key, row in msgspec.json.decode(SHIPPED.read_bytes()).items()}


def _store(rules: Ruleset, game: Game) -> None:
    """Store a game. A busy database loses only the time of the next process that needs it."""
    try:
        with transaction.atomic():
            GameOdds.objects.update_or_create(
                digest=digest(rules), defaults={"version": VERSION, **encode(game)}
            )
    except (DatabaseError, TimeoutError):
        log.warning("odds_not_stored", rules=rules.key, exc_info=True)


_memory: Final[dict[str, Game]] = {}
"""Games by digest, the oldest first."""
_failed: Final[set[str]] = set()
"""Digests of what this process could not compute."""
_news: Final[set[str]] = set()
"""Digests that this process has computed, and of which open lobbies do not know yet."""
_computing: Final = threading.Lock()
"""Held by the only computation of this process, which is to leave time for the game."""


def _keep(key: str, game: Game) -> Game:
    while len(_memory) >= MOST_GAMES:
        _memory.pop(next(iter(_memory)), None)
    _memory[key] = game
    return game


def forget() -> None:
    """Empty the memory of this process."""
    _memory.clear()
    _failed.clear()
    _news.clear()
