"""What one page did and was told, in order: the word of a player, to hold the house to."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Line = dict[str, Any]

UNSURE = ("busy", "internal")
"""Refusals behind which the command may have been committed all the same."""


@dataclass
class History:
    """The lines of one page at one table. Each has ``what``, and ``at`` in seconds of one clock.

    ``invoke`` (a command, before it is sent), ``sent``, ``ok`` and ``fail`` (its answers),
    ``unknown`` (in the end: never answered), ``snapshot`` and ``changed`` (with ``is_applied``:
    whether the page went on from there), ``wallet``, ``opened`` and ``closed``.
    """

    player: str
    table: int
    lines: list[Line] = field(default_factory=list)
    is_kept: bool = True
    """Whether anybody will ask; a long measurement has no use for it."""

    def note(self, what: str, **values: Any) -> None:
        """Add a line."""
        if self.is_kept:
            self.lines.append({"what": what, "at": time.monotonic(), **values})

    def of(self, *what: str) -> list[Line]:
        """The lines of these kinds."""
        return [line for line in self.lines if line["what"] in what]

    def write(self, folder: Path, number: int) -> None:
        """Into a file of its own: the first line says whose it is."""
        head = {"player": self.player, "table": self.table}
        text = "\n".join(json.dumps(line) for line in (head, *self.lines))
        (folder / f"{number:04}.jsonl").write_text(text)


def read_all(folder: Path) -> list[History]:
    """The histories that were written into a folder."""
    histories = []
    for path in sorted(folder.glob("*.jsonl")):
        head, *lines = map(json.loads, path.read_text().splitlines())
        histories.append(History(head["player"], head["table"], lines))
    return histories


def cards_of(table: dict[str, Any]) -> Line:
    """The cards that a table shows: what must be the same for everybody, whenever they look.

    ``round`` is the one they belong to; null once there are bets on another.
    """
    is_bet_on = any(seat.get("stake") is not None for seat in table["seats"])
    return {
        "round": None if is_bet_on else table["round"],
        "dealer": table["dealer"].get("cards", []),
        "hands": {
            str(seat["seat"]): [
                [*hand["cards"], hand.get("outcome")] for hand in seat.get("hands", [])
            ]
            for seat in table["seats"]
            if seat.get("hands")
        },
    }
