"""``make storm``: 500 pages, the process is killed, and how long until all of them are back.

``python -m tests.chaos.storm --on sqlite --clients 500``. Exits with 1 after more than 15 seconds.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tables.engine.command_line import Parser
from tables.lib import arguments
from tests.chaos.bots import Patience, until
from tests.chaos.metrics import furnished, shares
from tests.chaos.pages import Page, Player
from tests.chaos.servers import SCALED, SQLITE, House
from tests.helpers.servers.process import Server

PAGES_OF_ONE = 4
WITHIN = 15.0
AT_MOST = 120.0


def pages_of(
    house: House, server: Server, players: list[Player], tables: list[int], clients: int
) -> list[Page]:
    """Pages of people who watch, all of them served by one process; they wait as browsers do."""
    pages = []
    for number in range(clients):
        whose, what = players[number % len(players)], tables[number % len(tables)]
        page = Page(
            house.site, whose, what, seed=f"{number}", patience=Patience(), port=server.port
        )
        page.history.is_kept = False
        pages.append(page)
    return pages


async def storm(
    house: House, server: Server, pages: list[Page], at_most: float = AT_MOST
) -> list[float] | None:
    """Open the pages, kill the process, start another: the seconds from the kill until each page
    was back. None when not all of them came in, or back, in so many seconds each.
    """
    try:
        for page in pages:
            page.open()
        if await until(lambda: all(page.is_open for page in pages), at_most) is None:
            return None
        await house.kill(server)
        killed = time.monotonic()
        await house.start(server)
        if await until(lambda: all(p.refreshed_at > killed for p in pages), at_most) is None:
            return None
        return [page.refreshed_at - killed for page in pages]
    finally:
        await asyncio.gather(*(page.close() for page in pages))


async def run(on: str, folder: Path, clients: int) -> int:
    """Print the figures; the exit status."""
    tables = players = clients // PAGES_OF_ONE
    async with furnished(on, folder, tables=tables, players=players) as (house, setup):
        all_tables = [table for table, _ in setup.tables]
        pages = pages_of(house, house.servers[0], setup.players, all_tables, clients)
        back = await storm(house, house.servers[0], pages)
    if back is None:
        print(f"{clients} pages on {on}: not all of them came in, or back")
        return 1
    print(f"{clients} pages on {on}, back after the kill: {shares(back)}")
    return int(max(back) > WITHIN)


def main() -> int:
    parser = Parser(prog="python -m tests.chaos.storm")
    parser.add_argument("--on", choices=[SQLITE, SCALED], default=SQLITE)
    parser.add_argument("--clients", type=arguments.whole_number_parser(1, 100_000), default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="blackjack-storm-") as folder:
        return asyncio.run(run(options.on, Path(folder), options.clients))


if __name__ == "__main__":
    sys.exit(main())
