"""``manage.py nightly``: a backup and an audit each night, where no timer starts them."""

from __future__ import annotations

import datetime as dt
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from types import FrameType
from typing import Any, Final, NoReturn

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from tables.backups import archive
from tables.lib import arguments, error_text
from tables.management.commands.backup import MOST_BACKUPS

log = structlog.get_logger()

FAILURE: Final = "nightly-failed.txt"
"""This file in the folder has the errors of the last night; there is none after a good one."""
DAY: Final = dt.timedelta(days=1)
LONGEST_SLEEP: Final = 60.0
"""Seconds, after which the clock is read again: somebody may have corrected it."""


class Command(BaseCommand):
    help = "Make a backup in this folder and run the audit each night, until SIGTERM."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=arguments.parse_path)
        parser.add_argument(
            "--keep", type=arguments.whole_number_parser(1, MOST_BACKUPS), default=14,
            help="remove older backups, so that so many are there",
        )  # fmt: skip
        parser.add_argument(
            "--at", type=arguments.parse_time, default=dt.time(3, 15), metavar="HH:MM",
            help="the time of day, in UTC",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _exit)
        folder: Path = options["folder"]
        now = timezone.now()
        is_due = _find_last_backup(folder) < now - DAY
        due = now if is_due else compute_next(now, options["at"])
        while True:
            _wait_until(due)
            run_night(folder, options["keep"])
            due = compute_next(timezone.now(), options["at"])


def run_night(folder: Path, keep: int) -> None:
    """Make a backup and run the audit. Errors are logged, and written into :data:`FAILURE`."""
    failures = [
        failure
        for command in (("backup", str(folder), "--keep", str(keep)), ("audit",))
        if (failure := _run(*command))
    ]
    report = folder / FAILURE
    try:
        if failures:
            folder.mkdir(parents=True, exist_ok=True)
            report.write_text("\n".join(failures) + "\n")
        else:
            report.unlink(missing_ok=True)
    except OSError as error:
        log.error("nightly_report_failed", path=str(report), why=error_text.describe(error))


def compute_next(now: dt.datetime, at: dt.time) -> dt.datetime:
    """Return the first moment after ``now`` with this time of day, in UTC."""
    today = dt.datetime.combine(now.date(), at, tzinfo=dt.UTC)
    return today if today > now else today + DAY


def _run(name: str, *options: str) -> str:
    """Run a command of ``manage.py`` in a process of its own. Return its error, or nothing."""
    program = [sys.executable, str(settings.BASE_DIR / "manage.py"), name, *options]
    process = subprocess.run(  # noqa: S603 - our own arguments, and no shell
        program, stderr=subprocess.PIPE, text=True, check=False
    )
    if process.returncode == 0:
        return ""
    why = process.stderr.strip() or f"manage.py {name} ended with {process.returncode}."
    log.error("nightly_failed", command=name, why=why)
    return why


def _find_last_backup(folder: Path) -> dt.datetime:
    """Return the time of the newest backup; the beginning of time if there is none."""
    times = [path.stat().st_mtime for path in folder.glob(archive.PATTERN)]
    return dt.datetime.fromtimestamp(max(times, default=0), tz=dt.UTC)


def _wait_until(due: dt.datetime) -> None:
    while (remaining := (due - timezone.now()).total_seconds()) > 0:
        time.sleep(min(remaining, LONGEST_SLEEP))


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(0)
