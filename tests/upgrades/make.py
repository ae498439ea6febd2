"""A small house as some version of this program leaves it, in the middle of rounds, as SQL.

For each release that is to be upgraded from, once:

    git archive <commit> | tar x -C /tmp/old
    cd /tmp/old && $VENV/bin/python $HERE/tests/upgrades/make.py $HERE/tests/upgrades/<number>.sql

It runs with the code of the folder that it is called in, and the number is one more than that of
the file before it. At each table two rounds are over and one waits for a decision; at one more
table a bet waits for a second player. The rounds of the first table are graded, the others are counted.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any

PLAYERS = ("ann", "ben", "cleo")


def main(target: Path) -> None:
    """Play, and write what lies in the database then."""
    sys.path.insert(0, str(Path.cwd()))
    with tempfile.TemporaryDirectory() as data:
        os.environ["BLACKJACK_DATA"] = data
        os.environ["DJANGO_SETTINGS_MODULE"] = "blackjack_site.settings"
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        call_command("open_tables", verbosity=0)
        _play()
        call_command("audit")
        with contextlib.closing(sqlite3.connect(Path(data) / "db.sqlite3")) as database:
            target.write_text("\n".join(database.iterdump()) + "\n")


def _play() -> None:
    from tables.models import Table
    from tests.helpers.table_client import TableClient, new_player

    players = [new_player(name) for name in PLAYERS]
    for row in list(Table.objects.all()):
        at = TableClient(row.pk)
        seated = players[: min(2, row.rules.seats)]
        for number, player in enumerate(seated, 1):
            at.sit(player, number)
        for _ in range(2):
            _bet(at, seated)
            while _get_decision(at):
                _decide(at, seated)
        if row.pk == 1:
            _grade()
        for _ in range(20):  # a natural may end the round before anybody is asked
            _bet(at, seated)
            if _get_decision(at):
                break
    _count()
    waiting = TableClient(_open_one_more().pk)
    waiting.sit(players[2], 3)
    waiting.sit(players[1], 1)
    waiting.bet(players[2], 2500)


def _count() -> None:
    """Have all rounds counted, if the version has a projector."""
    with contextlib.suppress(ImportError):
        from tables.results import projector

        projector.catch_up()


def _grade() -> None:
    """Have all rounds graded; those of later tables wait."""
    _count()
    with contextlib.suppress(ImportError):
        from tables.realtime import grading_worker

        while grading_worker.grade_batch():
            pass


def _open_one_more() -> Any:
    try:
        from tables.game.lifecycle import open_table
    except ImportError:  # the first versions
        from tables.game.deadlines import open_table
    return open_table(name="One more", rules_key="casino")


def _bet(at: Any, seated: list[Any]) -> None:
    stakes = at.row.rules.stakes
    for player in seated:
        if _get_decision(at) is None:
            at.bet(player, stakes.minimum if stakes else 0)


def _get_decision(at: Any) -> Any:
    return at.view.asked


def _decide(at: Any, seated: list[Any]) -> None:
    """Hit once, then stand; no insurance."""
    decision = at.view.asked
    player = seated[decision.seat - 1]
    hand = at.view.seats[decision.seat - 1].hands[decision.hand - 1]
    if "decline" in decision.legal:
        at.act(player, "decline")
    elif len(hand.cards) == 2 and hand.total < 12:
        at.act(player, "hit")
    else:
        at.act(player, "stand")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
