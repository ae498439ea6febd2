"""The first page behind the counter: the places of its reader, and what waits for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from tables.models import Table, Void
from tables.operators import dashboard
from tables.operators.site import PLACES
from tests.operators import populated_site as worlds
from tests.operators.populated_site import PLAYER, SUPERUSER, WITHOUT_ROLE, World

pytestmark = pytest.mark.django_db
RAISE = "asker asks to raise the maximum void without approval from 1,000 to 5,000."


@pytest.fixture
def world(db: None) -> World:
    return worlds.build()


def words_for(user: User) -> list[str]:
    sentences = [each.words for each in dashboard.list_pending_work(user)]
    return [RAISE if words.startswith(RAISE) else words for words in sentences]


def test_what_waits_is_shown_to_who_can_do_something_about_it(world: World) -> None:
    Table.objects.filter(pk=world.ids["free_table"]).update(paused_at=timezone.now())
    assert words_for(world.actors["manager"]) == [
        "1 account to approve", "2 reports to answer", "1 void to decide", RAISE, "1 table is paused",
    ]  # fmt: skip
    assert words_for(world.actors["floor"]) == [
        "1 account to approve", "2 reports to answer", "1 table is paused",
    ]  # fmt: skip
    assert words_for(world.actors["cashier"]) == []


def test_a_void_does_not_wait_for_who_asked_for_it(world: World) -> None:
    manager = world.actors["manager"]
    Void.objects.update(asked_by=manager)
    assert words_for(manager) == ["1 account to approve", "2 reports to answer", RAISE]
    assert "1 void to decide" in words_for(world.actors[SUPERUSER])


def test_what_waits_leads_to_the_list_of_it(client: Client, world: World) -> None:
    client.force_login(world.actors["manager"])
    table = Table.objects.filter(pk=world.ids["table"])
    table.update(paused_at=timezone.now(), fill_limit=100, auto_filled=200)
    lead = {
        each.words: each.address for each in dashboard.list_pending_work(world.actors["manager"])
    }
    voids = client.get(lead["1 void to decide"]).context["rounds"]
    assert [each.row.pk for each in voids] == [world.ids["waiting_round"]]
    racks = client.get(lead["1 rack to fill"]).context["listed"].entries
    assert [entry.table.pk for entry in racks] == [world.ids["table"]]


@pytest.mark.parametrize(
    "unlike", [{"paused_at": None}, {"auto_filled": 100}, {"fill_limit": None}, {"is_closed": True}]
)
def test_only_a_table_that_is_out_of_chips_waits_for_the_cashier(
    unlike: dict[str, Any], world: World
) -> None:
    now, cashier = timezone.now(), world.actors["cashier"]
    table = Table.objects.filter(pk=world.ids["free_table"])
    table.update(paused_at=now, fill_limit=100, auto_filled=200)
    assert words_for(cashier) == ["1 rack to fill"]
    table.update(**({"closed_at": now} if "is_closed" in unlike else unlike))
    assert words_for(cashier) == []


def test_the_players_pages_lead_operators_behind_the_counter(client: Client, world: World) -> None:
    for actor, is_led in (("cashier", True), (PLAYER, False)):
        client.force_login(world.actors[actor])
        assert ('href="/admin/"' in client.get("/").content.decode()) is is_led


def test_nothing_is_counted_beyond_a_bound(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dashboard, "MOST", 1)
    Table.objects.update(paused_at=timezone.now())
    assert "more than 1 table is paused" in words_for(world.actors["floor"])


@pytest.mark.skipif(connection.vendor != "sqlite", reason="plans as SQLite tells them")
def test_reports_and_voids_that_wait_are_found_by_an_index(world: World) -> None:
    with CaptureQueriesContext(connection) as queries:
        dashboard.list_pending_work(world.actors["manager"])
    plans = []
    for query in queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plans += [row[3] for row in cursor.fetchall()]
    assert any("reports_that_wait" in step for step in plans), plans
    assert any("voids_that_wait" in step for step in plans), plans


def test_the_places_of_a_role_stand_first_each_with_a_sentence(
    client: Client, world: World
) -> None:
    client.force_login(world.actors["cashier"])
    page = client.get("/admin/").content.decode()
    places = page.split('class="operators-places"')[1].split("</ul>")[0]
    links = re.findall(r'<a href="([^"]+)"><b>([^<]+)</b>([^<]+)</a>', places)
    mine = [place for place in PLACES if world.actors["cashier"].has_perm(place.permission)]
    assert [words for _, words, _ in links] == [str(place.words) for place in mine]
    assert 0 < len(links) < len(PLACES)
    assert page.index("operators-places") < page.index("operators-kept")


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_every_place_says_what_is_done_there(place: object) -> None:
    assert str(place.says).endswith(".")


def test_who_has_no_role_yet_is_told_so(client: Client, world: World) -> None:
    client.force_login(world.actors[WITHOUT_ROLE])
    assert "You have no role yet." in client.get("/admin/").content.decode()


def test_the_first_page_needs_few_queries(
    client: Client, operator: Callable[..., User], world: World
) -> None:
    client.force_login(world.actors["manager"])
    with CaptureQueriesContext(connection) as queries:
        client.get("/admin/")
    assert len(queries) <= 13, [query["sql"] for query in queries]
