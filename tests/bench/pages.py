"""Each of a player's own pages for somebody with 100,000 rounds, beside somebody with 100.

Both ask the same real server, which has a million hands in its books, by turns.
"""

from __future__ import annotations

import html
import http.client
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.bulk_ledger import Books
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer

HANDS = 1_000_000
ROUNDS = {"regular": 100_000, "newcomer": 100}
OTHERS = 200
RUNS = 5
REQUESTS = 9
"""So many in a row of one page in one run; their median counts."""
DEEP_PAGE = 1_000

PAGES = {
    "home": "/home/",
    "history": "/history/",
    "history_of_a_rule_set": "/history/?rules=vegas",
    "history_of_an_outcome": "/history/?outcome=push",
    "statement": "/statement/",
    "statement_of_a_kind": "/statement/?kind=payout",
    "figures": "/figures/",
    "figures_of_the_week": "/figures/?period=week",
    "leaderboard": "/leaderboard/",
    "account": "/account/",
}


class Reader:
    """A player whose browser fetches pages over one connection."""

    def __init__(self, server: Server, name: str) -> None:
        self.player = SocketPlayer(server.url, name)
        self.player.sign_up()
        self.port = server.port

    def get(self, path: str) -> str:
        """The page. Raises ``RuntimeError`` when it is none."""
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.player.cookies)
        connection = http.client.HTTPConnection("localhost", self.port, timeout=60)
        connection.request("GET", path, headers={"Cookie": cookies})
        answer = connection.getresponse()
        page = answer.read().decode()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}")
        return page

    def milliseconds(self, path: str) -> float:
        times = []
        for _ in range(REQUESTS):
            began = time.perf_counter()
            self.get(path)
            times.append(1000 * (time.perf_counter() - began))
        return median(times)


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """One JSON line a page, in milliseconds."""
    server = Server(folder)
    prepared = server.manage("prepare")
    if prepared.returncode:
        raise RuntimeError(prepared.stderr)
    server.start()
    regular, newcomer = (Reader(server, name) for name in ROUNDS)
    server.stop()
    Books(folder / "db.sqlite3").fill(hands=HANDS, rounds_of=ROUNDS, others=OTHERS)
    server.start()
    try:
        for name, path in PAGES.items():
            yield compared(f"{name}_ms", regular, path, newcomer, path)
        deep = page_of(regular, "/history/", DEEP_PAGE)
        yield compared("history_page_1000_ms", regular, deep, newcomer, "/history/")
        deep = page_of(regular, "/statement/", DEEP_PAGE)
        yield compared("statement_page_1000_ms", regular, deep, newcomer, "/statement/")
        rounds = [last_round(folder, name) for name in ROUNDS]
        yield compared("round_ms", regular, rounds[0], newcomer, rounds[1])
    finally:
        server.end()


def compared(
    name: str,
    regular: Reader,
    path: str,
    newcomer: Reader,
    floor_path: str,
    floor_is: str = f"the same page of a player with {ROUNDS['newcomer']} rounds",
) -> dict[str, Any]:
    """A page of the regular's beside one of the newcomer's, by turns."""
    much, little = [], []
    for _ in range(RUNS):
        much.append(regular.milliseconds(path))
        little.append(newcomer.milliseconds(floor_path))
    return {
        "name": name,
        "value": round(median(much), 1),
        "floor": round(median(little), 1),
        "floor_is": floor_is,
        "ratio": round(median(much) / median(little), 2),
    }


def page_of(reader: Reader, path: str, number: int) -> str:
    """Where page ``number`` is, found as a reader finds it: by the link to what is older."""
    for _ in range(number - 1):
        link = re.search(r'href="([^"]+)"[^>]*>Older', reader.get(path))
        if link is None:
            raise RuntimeError(f"{path} has no link to anything older")
        onward = html.unescape(link[1])
        path = onward if onward.startswith("/") else path.split("?")[0] + onward
    return path


def last_round(folder: Path, name: str) -> str:
    """The address of the round that this player played last."""
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database, database:
        ((number,),) = database.execute(
            "SELECT max(round_id) FROM tables_result WHERE user_id ="
            " (SELECT id FROM accounts_user WHERE username = ?)",
            (name,),
        )
    return f"/rounds/{number}/"
