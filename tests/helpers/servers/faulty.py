"""The real server, which dies at a named point or has its clock set when a test wishes it.

``python -m tests.helpers.servers.faulty``: everything else is ``manage.py serve`` with stacked shoes. The
product itself has no such doors.
"""

from __future__ import annotations

import datetime as dt
import os
import signal
from pathlib import Path
from typing import Any, Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")

POINTS: Final = {
    "written and not committed": ("tables.game.commit", "commit_tables", "after"),
    "committed and nobody told": ("tables.realtime.dispatch", "_after_commit", "before"),
    "in the dealer's play": ("tables.engine.round.Round", "_deal_to_dealer", "before"),
    "in the settlement": ("tables.results.recording", "record_results", "before"),
}
"""Where it may die: a function, and whether that is before or after it."""


def dies_at(data: Path) -> Path:
    """The file that names the point at which a server on this data dies next."""
    return data / "dies_at"


def clock_of(data: Path, port: int) -> Path:
    """The file that says by how many seconds the clock of the server on this port is set."""
    return data / f"clock-{port}"


def main() -> None:
    """Serve, until it is to die."""
    django.setup()
    from django.conf import settings

    for point in POINTS:
        _make_mortal(point, dies_at(settings.DATA_DIR))
    _make_adjustable(clock_of(settings.DATA_DIR, settings.PORT))
    from tests.helpers.servers import stacked

    stacked.main()


def _make_mortal(point: str, path: Path) -> None:
    from django.utils.module_loading import import_string

    place, name, moment = POINTS[point]
    owner: Any = (
        import_string(place) if place.endswith("Round") else __import__(place, fromlist=[""])
    )
    lives = getattr(owner, name)

    def may_die(*args: Any, **options: Any) -> Any:
        is_called = path.exists() and path.read_text() == point
        if name == "_deal_to_dealer" and len(args[0].dealer.cards) < 2:
            is_called = False  # the deal of everybody's first cards
        if is_called and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        value = lives(*args, **options)
        if is_called:
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    setattr(owner, name, may_die)


def _make_adjustable(path: Path) -> None:
    from django.utils import timezone

    true_now = timezone.now

    def now() -> dt.datetime:
        seconds = float(path.read_text() or 0) if path.exists() else 0.0
        return true_now() + dt.timedelta(seconds=seconds)

    timezone.now = now


if __name__ == "__main__":
    main()
