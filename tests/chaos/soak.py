"""``make soak``: an evening of people who come and go, and whether memory and files stay flat.

``python -m tests.chaos.soak --minutes 30``: every ten seconds a line with what each server process
has, in the end by how much it grows in an hour. Exits with 1 when files grow or the audit fails.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import linear_regression

from tables.engine.command_line import Parser
from tables.lib import arguments
from tests.chaos.bots import Bot
from tests.chaos.metrics import MEGABYTE, SEATS, Needs, a_bot, furnished, needs_of, seated
from tests.chaos.servers import SCALED, SQLITE

EVERY = 10.0
CHURN = 0.05
"""The share of the players that goes in a minute, for others to come."""
WARM_UP = 1 / 6
"""The share of the time that does not count for the slope."""
MORE_FILES = 5


async def soak(on: str, folder: Path, *, sockets: int, minutes: float) -> int:
    """Play so long, print the figures; the exit status."""
    sockets -= sockets % SEATS
    async with furnished(on, folder, tables=sockets // SEATS, players=2 * sockets) as (
        opened,
        setup,
    ):
        bots = seated(opened, setup, setup.players[:sockets])
        waiting = setup.players[sockets:]
        chance, measured = Random(0), []
        try:
            for bot in bots:
                bot.start()
            began, due = time.monotonic(), 0.0
            while True:
                await asyncio.sleep(EVERY)
                now = time.monotonic() - began
                needs = [needs_of(server) for server in opened.servers]
                measured.append((now, needs))
                print(f"{now:5.0f} s: {_words(needs)}", flush=True)
                if now > minutes * 60:
                    break
                due += sockets * CHURN * EVERY / 60
                while due >= 1:
                    due -= 1
                    number = chance.randrange(sockets)
                    leaver: Bot = bots[number]
                    await leaver.stop()
                    # The seat is held for a while; whoever comes next tries until it is free.
                    bots[number] = a_bot(opened, setup, leaver.place, waiting.pop(0))
                    waiting.append(leaver.page.player)
                    bots[number].start()
        finally:
            await asyncio.gather(*(bot.stop() for bot in bots))
        logs = [server.log.read_text() for server in opened.servers]
        audited = opened.servers[0].manage("audit")
    print(audited.stdout.strip() or audited.stderr.strip())
    print(f"{sum(log.count('Traceback') for log in logs)} tracebacks")
    return max(_grown(measured, minutes * 60), audited.returncode)


def _words(needs: list[Needs]) -> str:
    return "; ".join(f"{n.resident / MEGABYTE:.1f} MB, {n.files} files" for n in needs)


def _grown(measured: list[tuple[float, list[Needs]]], seconds: float) -> int:
    """Print how each process grew after the warm-up; 1 if its open files did."""
    late = [(at, needs) for at, needs in measured if at > seconds * WARM_UP]
    status = 0
    for number in range(len(late[0][1])):
        times = [at for at, _ in late]
        memory, _ = linear_regression(times, [n[number].resident / MEGABYTE for _, n in late])
        files, _ = linear_regression(times, [n[number].files for _, n in late])
        print(
            f"process {number + 1}: {memory * 3600:+.1f} MB and {files * 3600:+.0f} files an hour"
        )
        status |= files * seconds > MORE_FILES
    return int(status)


def main() -> int:
    parser = Parser(prog="python -m tests.chaos.soak")
    parser.add_argument("--on", choices=[SQLITE, SCALED], default=SQLITE)
    parser.add_argument("--sockets", type=arguments.whole_number_parser(1, 100_000), default=200)
    parser.add_argument("--minutes", type=arguments.number_parser(0, 10**6), default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="blackjack-soak-") as folder:
        return asyncio.run(
            soak(options.on, Path(folder), sockets=options.sockets, minutes=options.minutes)
        )


if __name__ == "__main__":
    sys.exit(main())
