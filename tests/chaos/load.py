"""``make load``: 300 players at 100 tables at the pace of people, and how long they wait.

``python -m tests.chaos.load --on sqlite --sockets 300 --seconds 60``. Exits with 1 when the slowest
hundredth of the commands takes longer than a quarter of a second to everybody at the table.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import quantiles

from tables.engine.command_line import Parser
from tables.lib import arguments
from tests.chaos.bots import until
from tests.chaos.metrics import MEGABYTE, SEATS, Meter, furnished, needs_of, seated, shares
from tests.chaos.servers import SCALED, SQLITE

SLOWEST = 0.25
WARM_UP = 10


async def load(on: str, folder: Path, *, sockets: int, seconds: float) -> int:
    """Play so long, print the figures; the exit status."""
    tables = -(-sockets // SEATS)
    async with furnished(on, folder, tables=tables, players=sockets) as (opened, setup):
        meter = Meter()
        bots = seated(opened, setup, setup.players, meter=meter)
        try:
            for bot in bots:
                bot.start()
            if await until(lambda: all(bot.own_seat for bot in bots), 60) is None:
                print("not everybody found a seat")
                return 1
            await asyncio.sleep(WARM_UP)
            before = [needs_of(server) for server in opened.servers]
            lines = sum(bot.page.lines_opened for bot in bots)
            meter.is_on, began = True, time.monotonic()
            await asyncio.sleep(seconds)
            took, meter.is_on = time.monotonic() - began, False
            lost = sum(bot.page.lines_opened for bot in bots) - lines
            after = [needs_of(server) for server in opened.servers]
        finally:
            await asyncio.gather(*(bot.stop() for bot in bots))
    times = meter.times()
    refusals = sum((bot.page.refusals for bot in bots), Counter())
    print(f"{sockets} sockets at {tables} tables on {on} for {took:.0f} s")
    print(f"{len(times)} commands done, {len(times) / took:.0f} a second")
    print(f"to the last viewer: {shares(times)}")
    print(f"to the answer: {shares(meter.answers)}")
    print(f"refused: {dict(refusals) or 'nothing'}; snapshots beside the first: {lost}")
    for old, new in zip(before, after, strict=True):
        print(
            f"a server process: {old.resident / MEGABYTE:.0f} MB, then "
            f"{new.resident / MEGABYTE:.0f} MB; {old.files} files, then {new.files}; "
            f"{(new.seconds - old.seconds) / took:.0%} of a processor"
        )
    return int(len(times) < 2 or quantiles(times, n=100)[98] > SLOWEST)


def main() -> int:
    parser = Parser(prog="python -m tests.chaos.load")
    parser.add_argument("--on", choices=[SQLITE, SCALED], default=SQLITE)
    parser.add_argument("--sockets", type=arguments.whole_number_parser(1, 100_000), default=300)
    parser.add_argument("--seconds", type=arguments.number_parser(0, 10**6), default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="blackjack-load-") as folder:
        return asyncio.run(
            load(options.on, Path(folder), sockets=options.sockets, seconds=options.seconds)
        )


if __name__ == "__main__":
    sys.exit(main())
