"""The rows of the history are rendered once, and again when anything in them has changed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from random import Random
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from accounts.models import User
from tables.game.commands import BetBehind
from tables.models import VOID, Report, Result, Round, Table
from tables.records import entry_rows
from tables.records.entry_rows import render_rows
from tables.records.rounds import list_rounds
from tests.helpers.rounds import play_round, sit_down
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    entry_rows._render.cache_clear()
    yield
    entry_rows._render.cache_clear()


@pytest.fixture
def played(casino: TableClient, ann: User) -> User:
    sit_down(casino, ann)
    for _ in range(3):
        play_round(casino, [ann], Random(1))
    return ann


def rendered(user: User) -> tuple[list[str], int]:
    """The rows of the first page, and how many of them were rendered for it."""
    before = entry_rows._render.cache_info().misses
    rows = render_rows(list_rounds(user))
    return rows, entry_rows._render.cache_info().misses - before


def test_a_row_is_rendered_once(played: User) -> None:
    rows, count = rendered(played)
    assert (len(rows), count) == (3, 3)
    with CaptureQueriesContext(connection) as queries:
        assert rendered(played) == (rows, 0)
    assert len(queries) == 1


def test_another_language_and_another_zone_have_rows_of_their_own(played: User) -> None:
    english, _ = rendered(played)
    with translation.override("de"):
        german, count = rendered(played)
        assert count == 3
        assert "Runde" in german[0]
    with timezone.override(ZoneInfo("Asia/Tokyo")):
        tokyo, count = rendered(played)
        assert count == 3
        assert tokyo[0] != english[0]
    assert rendered(played) == (english, 0)


def test_a_void_a_new_name_and_an_answer_are_seen_at_once(played: User) -> None:
    before, _ = rendered(played)
    newest = Round.objects.latest("pk")
    Result.objects.filter(round=newest).update(outcome=VOID)
    rows, count = rendered(played)
    assert (count, rows[1:]) == (1, before[1:])
    assert "void: it does not count" in rows[0]

    Table.objects.update(name="Renamed")
    rows, count = rendered(played)
    assert count == 3
    assert all("Renamed" in row for row in rows)

    report = Report.objects.create(round=newest, user=played, at=timezone.now())
    assert rendered(played) == (rows, 0)
    Report.objects.filter(pk=report.pk).update(answered_at=timezone.now())
    answered, count = rendered(played)
    assert (count, answered[1:]) == (1, rows[1:])
    assert "Your report has been answered" in answered[0]


def test_the_row_of_a_bet_behind_has_the_name_of_the_player_now(
    casino: TableClient, ann: User, dora: User
) -> None:
    sit_down(casino, ann)
    casino.send(dora, BetBehind(uuid.uuid4(), 1, casino.row.turn, 1000))
    play_round(casino, [ann], Random(1))
    (row,), _ = rendered(dora)
    assert "bet behind ann<" in row
    own, _ = rendered(ann)
    User.objects.filter(pk=ann.pk).update(username="anna")
    (row,), count = rendered(dora)
    assert count == 1
    assert "bet behind anna<" in row
    assert rendered(ann) == (own, 0)


def test_a_game_of_piles_grows_by_each_hand(piles: TableClient, ann: User) -> None:
    sit_down(piles, ann)
    rows = []
    for _ in range(3):
        play_round(piles, [ann], Random(1))
        (row,), count = rendered(ann)
        assert count == 1
        rows.append(row)
    assert len(set(rows)) == 3
    assert rendered(ann) == ([row], 0)
    Result.objects.filter(user=ann).update(outcome=VOID)
    (row,), count = rendered(ann)
    assert count == 1
    assert "void: it does not count" in row
