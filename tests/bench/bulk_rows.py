"""One block of books, and copies of it that follow each other: SQL writes them, not Python."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

_LATER = "date(substr({0}, 1, 10), :days) || substr({0}, 11)"
_ROUND = {"round_id": "round_id + :number * :rounds"}

MOVED: dict[str, dict[str, str]] = {
    "tables_round": {"id": "id + :number * :rounds"}
    | {name: _LATER.format(name) for name in ("opened_at", "dealt_at", "finished_at")},
    "accounts_walletentry": {
        "id": "id + :number * :entries",
        "round": "round + :number * :rounds",
        "at": _LATER.format("at"),
        "seq": "seq + :number * (SELECT entries FROM temp.entered WHERE wallet = wallet_id)",
        "balance": "balance + :number * (SELECT amount FROM temp.gained WHERE account = wallet_id)",
    },
    "tables_result": _ROUND | {"finished_at": _LATER.format("finished_at")},
    "tables_change": _ROUND
    | {
        "at": _LATER.format("at"),
        "seq": "seq + :number * (SELECT rounds FROM temp.dealt WHERE dealt.id = table_id)",
    },
    "tables_tally": {"day": "date(day, :days)"},
    "tables_takings": {"day": "date(day, :days)"},
}
"""What differs in copy ``:number`` of a row, by table and column."""


class Block:
    """The rows of one block, in memory until :meth:`copy` writes them into the database."""

    def __init__(self, database: sqlite3.Connection, inserts: Mapping[str, str]) -> None:
        self.database = database
        self.columns = {name: inserts[name] for name in MOVED}
        for name, columns in self.columns.items():
            database.execute(
                f"CREATE TEMP TABLE block_{name} AS SELECT {columns} FROM {name} LIMIT 0"
            )

    def take(self, rows: Mapping[str, list[tuple[Any, ...]]]) -> None:
        """Take these rows into the block; the lists are empty afterwards."""
        for name, columns in self.columns.items():
            marks = ", ".join("?" * len(columns.split(",")))
            self.database.executemany(f"INSERT INTO block_{name} VALUES ({marks})", rows[name])
            rows[name].clear()

    def copy(
        self,
        times: int,
        *,
        days: int,
        rounds: int,
        entries: int,
        entered: Mapping[int, int],
        gained: Mapping[int, int],
        dealt: Mapping[int, int],
    ) -> None:
        """Write the block so many times, each ``days`` after the one before.

        ``gained`` is what a block brings each account, ``entered`` how many entries each wallet,
        ``dealt`` how many rounds each table.
        """
        for name, columns, figures in (
            ("gained", "account, amount", gained), ("entered", "wallet, entries", entered),
            ("dealt", "id, rounds", dealt),
        ):  # fmt: skip
            first, second = columns.split(", ")
            self.database.execute(
                f"CREATE TEMP TABLE {name} ({first} INTEGER PRIMARY KEY, {second})"
            )
            self.database.executemany(f"INSERT INTO {name} VALUES (?, ?)", figures.items())
        for number in range(times):
            shift = {"number": number, "rounds": rounds, "entries": entries}
            for name, columns in self.columns.items():
                moved = ", ".join(MOVED[name].get(c, c) for c in columns.split(", "))
                self.database.execute(
                    f"INSERT INTO {name} ({columns}) SELECT {moved} FROM block_{name}",
                    shift | {"days": f"+{number * days} days"},
                )
            self.database.commit()
