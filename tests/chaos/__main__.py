"""``make chaos``: play while things break, audit what is left, and say what was found.

``python -m tests.chaos --on sqlite --minutes 3 --kills 20 --seed 7``; without a seed, a new one.
Exits with 1 if anything is lost, done twice, stuck or otherwise wrong. Ends what it has started,
also on Ctrl-C; with ``--keep FOLDER`` logs, histories and (on SQLite) the database stay there.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from tables.engine.command_line import Parser
from tables.lib import arguments
from tests.chaos.runner import Report, run
from tests.chaos.servers import SCALED, SQLITE

AT_MOST, AFTERWARDS = 3, 600
"""So many times the wished time, and seconds more, are given before it counts as hanging."""


async def _until_stopped(work: Coroutine[Any, Any, Report], seconds: float) -> Report:
    """On SIGTERM as on Ctrl-C, whatever has been started is ended on the way out."""
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await asyncio.wait_for(task, seconds)


def main() -> int:
    parser = Parser(prog="python -m tests.chaos")
    parser.add_argument("--on", choices=[SQLITE, SCALED], default=SQLITE)
    parser.add_argument("--minutes", type=arguments.number_parser(0, 10**6), default=3)
    parser.add_argument("--kills", type=arguments.whole_number_parser(0, 10**6), default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--keep", type=arguments.parse_path)
    options = parser.parse_args()
    if options.on == SCALED and shutil.which("redis-server") is None:
        parser.error("no redis-server here: apt-get install redis-server")
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="blackjack-chaos-") as passing:
        folder = options.keep or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        seconds = options.minutes * 60
        work = run(
            options.on, folder, seed=options.seed, seconds=seconds, kills=options.kills,
            tell=partial(print, flush=True),
        )  # fmt: skip
        try:
            report = asyncio.run(_until_stopped(work, AT_MOST * seconds + AFTERWARDS))
        except (KeyboardInterrupt, asyncio.CancelledError):
            print("stopped; everything that was started has ended")
            return 1
    print(report)
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
