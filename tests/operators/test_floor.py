"""The floor: what it says of every table and of the servers, and what it never says."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from random import Random

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from tables import metrics
from tables.engine.presets import PRESETS
from tables.game import lifecycle
from tables.models import ServerProcess, Table
from tables.operators.floor import overview
from tables.operators.floor.overview import FloorTable
from tables.operators.floor.table_detail import load_table_state
from tables.realtime import gauges, presence, process_registry
from tests.helpers.leak_search import shown, tells_secret
from tests.helpers.rounds import new_table, round_at_random, sit_down
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

Role = Callable[..., User]
Stack = Callable[..., None]
CARD = re.compile(r"\b(10|[2-9AJQK])([♠♥♦♣])")
SUITS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def olgas(operator: Role) -> Client:
    """The browser of somebody who runs the floor."""
    client = Client()
    client.force_login(operator("floor", "olga"))
    return client


def on_floor(at: TableClient) -> FloorTable:
    (table,) = [one for one in overview.load_floor(at.now).tables if one.id == at.table_id]
    return table


def cards_in(text: str) -> set[str]:
    """The cards that a page names, as the engine writes them."""
    return {rank.replace("10", "T") + SUITS[suit] for rank, suit in CARD.findall(text)}


def text_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


# All tables


def test_a_table_shows_who_sits_what_lies_there_and_how_long_the_clock_runs(
    casino: TableClient, ann: User, cleo: User
) -> None:
    casino.sit(ann, 1)
    casino.sit(cleo, 3)
    casino.bet(ann, 1500)
    casino.later(5)
    presence.update_table(casino.table_id, "p", {ann.pk: 1, None: 2}, casino.now)
    casino.later(2)
    table = on_floor(casino)
    assert [(seat.player, seat.is_away) for seat in table.seats] == [
        ("ann", False), ("", False), ("cleo", True),
    ]  # fmt: skip
    assert (table.staked, table.left, table.watchers) == (1500, 13, 2)
    assert table.phase == "taking bets"
    assert table.used == "2 s ago"
    assert table.needs == ()


def test_what_is_staked_counts_every_hand_and_the_rack_is_the_tables_own(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("8s 5h Th 8d 6h 9c Kc 2c 3d 9s Ts Td Qh")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 2500)
    casino.act(ann, "split")
    table = on_floor(casino)
    assert table.staked == 4500
    assert table.rack == casino.chips.rack
    assert table.phase == "in play"


def test_marks_say_what_is_special_about_a_table(ann: User) -> None:
    row = lifecycle.open_table(name="T", rules_key="casino", host_id=ann.pk, is_private=True)
    Table.objects.filter(pk=row.pk).update(
        is_locked=True, has_chat=False, is_closing=True, paused_at=timezone.now()
    )
    table = on_floor(TableClient(row.pk))
    assert table.marks == ("private", "locked", "chat off")
    assert table.maker == "ann"


def test_what_needs_somebody_comes_first(casino: TableClient) -> None:
    now = casino.now
    names = ["idle", "watched", "in use", "paused", "spent", "late"]
    rows = {name: lifecycle.open_table(name=name, rules_key="casino") for name in names}

    def change(name: str, **fields: object) -> None:
        Table.objects.filter(pk=rows[name].pk).update(**fields)

    change("watched", watchers=1)
    change("in use", deadline_at=now - dt.timedelta(seconds=4))
    change("paused", paused_at=now, fill_limit=100, auto_filled=100)
    change("spent", paused_at=now, fill_limit=100, auto_filled=101)
    change("late", deadline_at=now - dt.timedelta(seconds=5))
    tables = overview.load_floor(now).tables
    order = [table.name for table in tables]
    assert order == ["late", "spent", "paused", "in use", "watched", "Casino", "idle"]
    assert [bool(table.needs) for table in tables] == [True, True, *[False] * 5]
    assert tables[0].late == 5
    assert overview.load_site_state(now).overdue == 1


def test_a_deadline_that_has_just_passed_is_not_overdue_yet(casino: TableClient) -> None:
    Table.objects.update(deadline_at=casino.now - dt.timedelta(seconds=4.9))
    assert on_floor(casino).needs == ()
    assert overview.load_site_state(casino.now).overdue == 0


@pytest.mark.parametrize(("seconds", "number"), [(1, 0), (6, 1)])
def test_the_floor_and_the_metrics_count_alike(
    seconds: int, number: int, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    now = timezone.now()
    Table.objects.update(deadline_at=now - dt.timedelta(seconds=seconds))
    gauges.update_gauges()
    assert metrics.REGISTRY.get_sample_value("blackjack_overdue_deadlines") == number
    assert metrics.REGISTRY.get_sample_value("blackjack_rounds_in_play") == 1
    house = overview.load_site_state(now)
    assert (house.overdue, house.rounds) == (number, 1)


def test_closed_tables_are_not_on_the_floor(casino: TableClient) -> None:
    Table.objects.update(closed_at=casino.now)
    assert overview.load_floor(casino.now).tables == ()


def test_a_hundred_tables_are_a_page_and_more_cost_no_more_queries(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    with CaptureQueriesContext(connection) as few:
        overview.load_floor(casino.now)
    for number in range(104):
        lifecycle.open_table(name=f"T{number}", rules_key="casino", host_id=None)
        if number < 50:
            TableClient(Table.objects.latest("pk").pk).sit(ann, 1)
    with CaptureQueriesContext(connection) as many:
        first = overview.load_floor(casino.now)
    assert len(many) == len(few) == 8
    assert (len(first.tables), first.has_more) == (overview.A_PAGE, True)
    second = overview.load_floor(casino.now, 2)
    assert (len(second.tables), second.has_more) == (5, False)
    assert {t.id for t in first.tables} | {t.id for t in second.tables} == set(
        Table.objects.values_list("pk", flat=True)
    )


def test_the_floor_reads_no_cards_at_all(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    with CaptureQueriesContext(connection) as queries:
        overview.load_floor(casino.now)
    assert not [one for one in queries if '"state"' in one["sql"]]


@pytest.mark.parametrize("page", ["", "0", "-1", "x", "1\0", "9" * 30, "²", "2"])
def test_a_page_that_is_none_is_no_fault(olgas: Client, casino: TableClient, page: str) -> None:
    for where in ("floor", "floor/now"):
        assert olgas.get(f"/admin/{where}/", {"page": page}).status_code == 200


def test_the_part_that_is_fetched_again_is_that_of_the_page(
    olgas: Client, casino: TableClient, ann: User
) -> None:
    casino.sit(ann, 1)
    part = text_of(olgas, "/admin/floor/now/")
    assert "<html" not in part
    assert re.search(r"Updated at \d\d:\d\d:\d\d UTC", part)
    assert f'href="/admin/floor/tables/{casino.table_id}/"' in part
    page = text_of(olgas, "/admin/floor/")
    assert 'data-live="/admin/floor/now/?page=1"' in page


def test_a_page_shows_only_the_buttons_that_its_reader_may_press(
    olgas: Client, operator: Role, casino: TableClient
) -> None:
    monas = Client()
    monas.force_login(operator("manager", "mona"))
    where = "/admin/floor/maintenance/"
    assert where not in text_of(olgas, "/admin/floor/")
    assert where in text_of(monas, "/admin/floor/")
    address = f"/admin/floor/tables/{casino.table_id}/"
    assert f"{address}pause/" in text_of(olgas, address)
    assert f"/admin/tables/{casino.table_id}/edit/" not in text_of(olgas, address)
    assert f"/admin/tables/{casino.table_id}/edit/" in text_of(monas, address)


# One table


@pytest.mark.parametrize("key", PRESETS)
def test_a_tables_page_names_no_card_before_its_time_and_no_secret(
    key: str, olgas: Client, ann: User, ben: User, cleo: User
) -> None:
    at = new_table(key)
    players = [ann, ben, cleo][: at.row.rules.seats]
    sit_down(at, *players)
    address = f"/admin/floor/tables/{at.table_id}/"
    cards: set[str] = set()
    for _played in round_at_random(at, players, Random(key)):
        cards |= shown(at)
        for where in (address, f"{address}now/"):
            page = text_of(olgas, where)
            assert cards_in(page) <= cards
            assert not tells_secret(at, page)
            assert "words of" not in page
    assert cards_in(page) == cards


def test_a_tables_page_shows_seats_hands_turn_and_the_card_that_lies_face_down(
    olgas: Client, casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts Kd 9c 9h 8c 7d")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 2500)
    state = load_table_state(casino.table_id, casino.now)
    assert state.dealer == "9♣ [face down]: 9"
    assert [place.hands for place in state.places] == [
        ("10♠ 9♥: 19, bet 10",), ("K♦ 8♣: 18, bet 25",), (),
    ]  # fmt: skip
    assert [place.is_asked for place in state.places] == [True, False, False]
    assert state.changes[0].by == "ben"
    assert state.changes[0].command == "bet 25"
    assert "The dealer gets 9♣." in state.changes[0].events
    assert state.seq == casino.row.seq
    page = text_of(olgas, f"/admin/floor/tables/{casino.table_id}/")
    assert "to act" in page
    assert state.table.shoe is not None
    assert state.table.shoe.commitment in page


def test_a_closed_table_can_still_be_looked_at(olgas: Client, casino: TableClient) -> None:
    Table.objects.update(closed_at=casino.now)
    page = text_of(olgas, f"/admin/floor/tables/{casino.table_id}/")
    assert "closed" in page
    assert "/pause/" not in page


def test_what_players_write_is_shown_as_text(olgas: Client, casino: TableClient) -> None:
    Table.objects.update(
        name="<b>T</b>", paused_at=casino.now, paused_because="<script>alert(1)</script>"
    )
    page = text_of(olgas, f"/admin/floor/tables/{casino.table_id}/")
    assert "<script>alert" not in page
    assert "<b>T</b>" not in page
    assert "<b>T</b>" not in text_of(olgas, "/admin/floor/")


# What runs


def test_a_process_says_that_it_runs_and_what_it_serves(casino: TableClient) -> None:
    now = casino.now
    process_registry.record_process("a" * 32, 3, now)
    process_registry.record_process("b" * 32, 4, now)
    process_registry.record_process("a" * 32, 5, now + dt.timedelta(seconds=20))
    house = overview.load_site_state(now + dt.timedelta(seconds=21))
    assert [(one.sockets, one.seen) for one in house.processes] == [(5, "1 s ago"), (4, "21 s ago")]
    assert house.sockets == 9


def test_a_process_that_is_not_heard_of_is_shown_and_its_sockets_do_not_count(
    olgas: Client, casino: TableClient
) -> None:
    now = timezone.now()
    process_registry.record_process("a" * 32, 3, now - dt.timedelta(seconds=60))
    process_registry.record_process("b" * 32, 4, now)
    house = overview.load_site_state(now)
    assert [one.is_stale for one in house.processes] == [True, False]
    assert house.sockets == 4
    assert "not responding" in text_of(olgas, "/admin/floor/")
    process_registry.record_process("b" * 32, 4, now + dt.timedelta(days=1))
    assert [one.key for one in ServerProcess.objects.all()] == ["b" * 32]


def test_a_process_that_ends_in_order_is_gone(casino: TableClient) -> None:
    process_registry.record_process("a" * 32, 3, casino.now)
    process_registry.unregister("a" * 32)
    assert overview.load_site_state(casino.now).processes == ()
