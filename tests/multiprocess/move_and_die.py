"""``manage.py move_database`` that is killed: ``python -m tests.multiprocess.move_and_die <when> <target>``.

When: ``migrating`` the new database, ``copying`` into it, ``verified``, or at the ``end``, when the old
database is marked and the new one is still.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import manage


def main(when: str, *words: str) -> None:
    """Move, and die then. The command goes on in another program: in this one again."""
    execute = os.execve

    def go_on(path: str, program: list[str], environment: dict[str, str]) -> None:
        own = [sys.executable, "-m", "tests.multiprocess.move_and_die", when, *program[3:]]
        execute(path, own, environment)

    os.execve = go_on
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    if "BLACKJACK_MOVE_SOURCE" in os.environ:
        _die(when)
    sys.argv = ["manage.py", "move_database", *words]
    manage.main()


def _die(when: str) -> None:
    from django.db.migrations.recorder import MigrationRecorder

    def die(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    record = MigrationRecorder.record_applied

    def record_or_die(self: MigrationRecorder, app: str, name: str) -> None:
        record(self, app, name)
        if name == "0003_company":
            die()

    if when == "migrating":
        MigrationRecorder.record_applied = record_or_die
        return
    import django

    django.setup()
    from tables.backups.table_copy import TableCopy
    from tables.operators.books import audit_runs
    from tables.realtime import epochs

    if when == "copying":
        TableCopy.sum_target = die
    elif when == "verified":
        audit_runs.find_all_faults = die
    elif when == "end":
        epochs.begin_marks = die


if __name__ == "__main__":
    main(*sys.argv[1:])
