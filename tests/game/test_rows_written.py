"""What one player, or one address, can make the house write down."""

from __future__ import annotations

import uuid
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.lib.sql import optimistic
from accounts.models import Transfer, User
from tables.game import lifecycle, rounds
from tables.models import Change, Round, Table
from tables.protocol.commands import Bet, Close
from tables.realtime.connections import rate_limits
from tests.helpers.rounds import faults, least_stake, new_table, play_round, sit_down
from tests.helpers.table_client import TableClient, balance_of, code

pytestmark = pytest.mark.django_db


def rows() -> tuple[int, ...]:
    return (Change.objects.count(), Round.objects.count(), Transfer.objects.count())


@pytest.mark.parametrize("key", ["casino", "pot", "classic"])
def test_case_56_the_same_bet_again_and_again_leaves_few_rows(
    key: str, ann: User, ben: User
) -> None:
    at = new_table(key)
    sit_down(at, ann, ben)
    before = rows()[0]
    codes = {code(at.bet(ann, least_stake(at))) for _ in range(100)}
    assert codes == {"done", "too_fast"}
    assert rows()[0] - before == rounds.MOST_BETS


def test_case_56_bets_are_changed_no_more_often_than_a_hand_can(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    codes = [code(casino.bet(ann, 1000 + 100 * n)) for n in range(200)]
    assert codes == ["done"] * rounds.MOST_BETS + ["too_fast"] * (200 - rounds.MOST_BETS)
    assert code(casino.take_back(ann)) == "done"
    assert code(casino.bet(ann, 1000)) == "too_fast"
    casino.later(61)
    assert code(casino.bet(ann, 1000)) == "done"
    assert faults() == []


def test_who_has_changed_a_bet_too_often_plays_the_round(casino: TableClient, ann: User) -> None:
    ben_seat = 2
    casino.sit(ann, 1)
    assert code(casino.bet(ann, 1000)) == "done"
    assert casino.live.game.bets_made == {}, "the cards have fallen"
    assert casino.live.seats.get(ben_seat) is None


def test_case_56_a_round_that_is_called_off_again_and_again_is_one_row(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    for _ in range(30):
        assert code(casino.bet(ann, 1000)) == "done"
        assert code(casino.take_back(ann)) == "done"
    assert Round.objects.count() == 1
    assert Round.objects.get().finished_at is not None
    start = balance_of(ann)
    casino.later(61)
    for user in (ann, ben):
        casino.bet(user, 1000)
    assert Round.objects.count() == 1
    while (decision := casino.view.asked) is not None:
        casino.act(
            (ann, ben)[decision.seat - 1], "stand" if "stand" in decision.legal else "decline"
        )
    assert Round.objects.get().finished_at is not None
    assert start == balance_of(ann) or casino.live.seats[1].net == balance_of(ann) - start
    assert faults() == []


def test_a_round_that_was_called_off_long_ago_has_a_row_of_its_own(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.take_back(ann)
    casino.later(601)
    casino.bet(ann, 1000)
    assert Round.objects.count() == 2


def test_after_a_change_of_rules_the_row_is_another(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.take_back(ann)
    Table.objects.update(rules_options={"minimum": 2000})
    optimistic.forget_all()
    casino.bet(ann, 2000)
    assert [r.rules_options for r in Round.objects.order_by("pk")] == [{}, {"minimum": 2000}]


def test_case_56_a_player_opens_so_many_tables_in_an_hour(
    ann: User, client: Client, settings: Any
) -> None:
    settings.TABLES_PER_HOUR = 3
    for _ in range(3):
        at = TableClient(lifecycle.open_table(name="Den", rules_key="casino", host_id=ann.pk).pk)
        at.send(ann, Close(uuid.uuid4()))
    with pytest.raises(lifecycle.TooManyInAnHour):
        lifecycle.open_table(name="Den", rules_key="casino", host_id=ann.pk)
    client.force_login(ann)
    fields = {"name": "Den", "rules_key": "casino", "betting_seconds": 20, "turn_seconds": 30}
    page = client.post("/tables/new/", fields)
    assert b"You&#x27;ve created 3 tables in the last hour." in page.content
    Table.objects.update(opened_at="2020-01-01T00:00Z")
    assert lifecycle.open_table(name="Den", rules_key="casino", host_id=ann.pk).opened_by == ann


A_DAY = 86_400
PER_COMMAND = 3_000
"""So many bytes a command writes at most in the mean, indexes included."""
A_DAYS_MEGABYTES = 1_100
"""What one address can have one server process write in a day."""


def test_case_56_what_an_address_writes_in_a_day_is_bounded() -> None:
    commands = [
        rate_limits.is_over_command_rate("192.0.2.99", Bet(uuid.uuid4(), 1, 1)) for _ in range(400)
    ]
    assert not all(commands)
    burst, each_second = 5_000, 4
    assert (burst + each_second * A_DAY) * PER_COMMAND < A_DAYS_MEGABYTES * 1_000_000
    bucket = rate_limits.for_long.get_bucket("192.0.2.98")
    assert sum(bucket.take() for _ in range(6_000)) in range(burst, burst + 50)


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="counts SQLite's pages")
def test_a_command_writes_no_more_than_the_arithmetic_says(ann: User, ben: User) -> None:
    at = new_table("casino", seats=2)
    sit_down(at, ann, ben)
    before, commands = _size(), Change.objects.count()
    for seed in range(60):
        at.bet(ann, 1000)
        at.take_back(ann)
        play_round(at, [ann, ben], Random(seed))
        at.later(30)
    commands = Change.objects.count() - commands
    assert (_size() - before) / commands < PER_COMMAND


def _size() -> int:
    with connection.cursor() as cursor:
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        free = cursor.execute("PRAGMA freelist_count").fetchone()[0]
        return int(pages - free) * int(cursor.execute("PRAGMA page_size").fetchone()[0])
