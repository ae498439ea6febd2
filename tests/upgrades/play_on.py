"""The house goes on with the data of an earlier version: ``python -m tests.upgrades.play_on``.

It runs on the database in ``BLACKJACK_DATA``, migrates it, plays every round on that is being
played, and prints what came of it as JSON. The tests look at that.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from tables.engine.cards import unpack_cards

PAGES = (
    "/", "/home/", "/history/", "/history/rounds.csv", "/history/rounds.json", "/statement/",
    "/statement.csv", "/figures/", "/leaderboard/", "/account/", "/account/limits/", "/rebuy/",
)  # fmt: skip


def main() -> None:
    """Migrate, play on, look at everything."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "blackjack_site.settings"
    cards_before = _undealt(Path(os.environ["BLACKJACK_DATA"]) / "db.sqlite3")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    report: dict[str, Any] = {"faults_before": _faults()}
    report["tables"] = _play_on(cards_before)
    report["graded"] = _grade()
    report["faults_after"] = _faults()
    report |= _results()
    report["pages"] = _pages()
    sys.stdout.write(json.dumps(report))


def _undealt(database: Path) -> dict[int, list[str]]:
    """The cards that come next at each table where a round is being played, as they were stored."""
    with closing(sqlite3.connect(database)) as rows, rows:
        stored = rows.execute("SELECT id, state FROM tables_table WHERE phase = 'playing'")
        return {table: _next_cards(json.loads(state)) for table, state in stored}


def _next_cards(state: dict[str, Any]) -> list[str]:
    if state["version"] == 1:
        cards, dealt = state["round"]["shoe"].split(), state["round"]["dealt"]
    elif state["version"] == 2:
        cards, dealt = state["shoe"]["cards"]["cards"].split(), state["shoe"]["cards"]["dealt"]
    else:
        cards, dealt = (
            unpack_cards(state["shoe"]["cards"]["order"]),
            state["shoe"]["cards"]["dealt"],
        )
    return [str(card) for card in cards[dealt:]]


def _faults() -> list[str]:
    from accounts.ledger.audit import ignore_progress, read_snapshot
    from tables.operators.books import audit_runs

    with read_snapshot():
        return list(audit_runs.find_all_faults(ignore_progress))


def _grade() -> dict[str, int]:
    """Grade the rounds that wait; the number of grades before and after it."""
    from tables.models import Grade
    from tables.realtime import grading_worker
    from tables.results import projector

    before = Grade.objects.count()
    projector.catch_up()
    while grading_worker.grade_batch():
        pass
    return {"before": before, "after": Grade.objects.count()}


def _play_on(cards_before: dict[int, list[str]]) -> dict[int, dict[str, Any]]:
    """The last table's round has waited for days; the others' for a moment."""
    from django.utils import timezone

    from tables.game import deadlines, recovery
    from tables.game.deadlines import GRACE
    from tables.models import Round, Table

    playing = Table.objects.filter(phase="playing").order_by("pk")
    forgotten = playing.last()
    assert forgotten is not None
    with_clock = Table.objects.exclude(deadline_at=None).exclude(pk=forgotten.pk)
    with_clock.update(deadline_at=timezone.now() - dt.timedelta(seconds=30))
    playing.filter(pk=forgotten.pk).update(deadline_at=timezone.now() - dt.timedelta(days=2))
    tables = {}
    for row in [*playing, *with_clock.filter(phase="betting")]:
        round_ = Round.objects.filter(table=row, finished_at=None).latest("pk")
        cards = _now_next(row.pk) == cards_before.get(row.pk)
        recovery.resume_after_outage(row.pk, timezone.now())
        extended = Table.objects.get(pk=row.pk).deadline_at
        for _ in range(30):
            deadline_at = Table.objects.get(pk=row.pk).deadline_at
            if deadline_at is None or Round.objects.get(pk=round_.pk).finished_at:
                break
            deadlines.apply_deadline(row.pk, deadline_at + GRACE)
        round_.refresh_from_db()
        tables[row.pk] = {
            "rules": row.rules_key,
            "was_playing": row.phase == "playing",
            "same_cards": cards,
            "was_given_time": extended is not None and extended > timezone.now(),
            "is_finished": round_.finished_at is not None,
            "is_void": round_.voided_at is not None,
            "hands": len(round_.results.all().list_hands()),
            "is_forgotten": row.pk == forgotten.pk,
        }
    return tables


def _now_next(table_id: int) -> list[str]:
    from tables.models import Table
    from tables.state.live_table import LiveTable

    live = LiveTable.from_stored(Table.objects.get(pk=table_id), dt.datetime.now(dt.UTC))
    shoe = live.game.shoe
    if shoe is None or shoe.cards is None:
        return []
    return [str(card) for card in shoe.cards.cards[shoe.cards.dealt :]]


def _results() -> dict[str, int]:
    from tables.models import Result

    results = Result.objects.filter(round__voided_at=None)
    return {"played": results.with_hands().count(), "results": results.count()}


def _pages() -> dict[str, int]:
    """The status of every page of a player."""
    from django.test import Client
    from django.test.utils import override_settings, setup_test_environment

    from accounts.models import User
    from tables.models import Round, Table

    setup_test_environment()
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    ann = User.objects.get(username="ann")  # who sits everywhere
    rounds = Round.objects.filter(results__in=ann.results.with_hands()).order_by("pk")
    addresses = [
        *PAGES,
        *(f"/tables/{pk}/" for pk in Table.objects.values_list("pk", flat=True)),
        *(f"/rounds/{pk}/" for pk in rounds.values_list("pk", flat=True)),
    ]
    client = Client()
    with override_settings(STORAGES={"staticfiles": {"BACKEND": plain}}):
        client.force_login(ann)
        return {path: client.get(path).status_code for path in addresses}


if __name__ == "__main__":
    main()
