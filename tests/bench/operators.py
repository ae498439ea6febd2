"""The operators' pages of a house with a million hands in its books, beside one with a hundredth.

Two real servers on two databases, asked by turns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from tests.bench.bulk_ledger import Books
from tests.bench.pages import HANDS, Reader, compared, page_of
from tests.helpers.servers.process import Server

FLOOR_IS = "the same page of a house with a hundredth of the hands"
PLAYERS = {"full": 30_000, "small": 300}
"""In so many rounds is the player whose page is asked for."""
OTHERS = 200
DEEP_PAGE = 1_000

PAGES = {
    "floor": "/admin/floor/",
    "players": "/admin/players/",
    "player": "/admin/players/1/",
    "players_statement": "/admin/players/1/statement/",
    "players_rounds": "/admin/players/1/rounds/",
    "rounds": "/admin/rounds/",
    "rounds_of_a_table": "/admin/rounds/?table=1",
    "rounds_of_a_player": "/admin/rounds/?player=player",
    "round": "/admin/rounds/300/",
    "reports": "/admin/reports/",
    "trail": "/admin/trail/",
    "transfers": "/admin/accounts/transfer/",
    "changes": "/admin/tables/change/",
    "books_by_month": "/admin/books/?by=month",
}


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """One JSON line a page, in milliseconds."""
    with ExitStack() as stack:
        full, small = (
            _operator(stack, folder / name, hands, PLAYERS[name])
            for name, hands in (("full", HANDS), ("small", HANDS // 100))
        )
        for name, path in PAGES.items():
            yield compared(f"{name}_ms", full, path, small, path, FLOOR_IS)
        deep = page_of(full, "/admin/rounds/", DEEP_PAGE)
        yield compared("rounds_page_1000_ms", full, deep, small, "/admin/rounds/", FLOOR_IS)


def _operator(stack: ExitStack, folder: Path, hands: int, rounds: int) -> Reader:
    """An operator of a house of its own, in which so many hands were played."""
    folder.mkdir(parents=True)
    server = Server(folder)
    prepared = server.manage("prepare")
    if prepared.returncode:
        raise RuntimeError(prepared.stderr)
    server.start()
    stack.callback(server.end)
    Reader(server, "player")
    reader = Reader(server, "operator")
    server.stop()
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        database.execute(
            "UPDATE accounts_user SET is_staff = 1, is_superuser = 1 WHERE username = 'operator'"
        )
        database.commit()
    Books(folder / "db.sqlite3").fill(hands=hands, rounds_of={"player": rounds}, others=OTHERS)
    server.start()
    return reader
