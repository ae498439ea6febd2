"""Which part of the house's time is spent in Django's own database code, by a profile.

``python -m tests.bench.orm_share`` plays at the busy tables that it reads from its input.
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import subprocess
import sys

from tests.bench.busy_tables import BusyTable
from tests.bench.recording import Bot
from tests.helpers.servers.process import ROOT, Server

COMMANDS = 600


def share_of_the_orm(server: Server, busy: list[BusyTable]) -> float:
    """Played in the data of ``server``, which does not run."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.bench.orm_share"],
        input=json.dumps([table.__dict__ for table in busy]),
        cwd=ROOT, env=server.environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if process.returncode:
        raise RuntimeError(process.stderr)
    return float(process.stdout)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    import django

    django.setup()
    bots = [Bot(BusyTable(**table)) for table in json.load(sys.stdin)]
    for bot in bots:
        bot.look()
        bot.do_next()
    profile = cProfile.Profile()
    profile.enable()
    for number in range(COMMANDS):
        bots[number % len(bots)].do_next()
    profile.disable()
    print(round(share(profile), 2))


def share(profile: cProfile.Profile) -> float:
    """Built-in functions that Django's code calls are not counted as its own."""
    own_times = [(file, row[2]) for (file, *_), row in pstats.Stats(profile).stats.items()]
    orm = sum(own for file, own in own_times if "/django/db/" in file)
    return float(orm / sum(own for _, own in own_times))


if __name__ == "__main__":
    main()
