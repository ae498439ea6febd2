"""The lobby shows a page of tables, leads to all others, and costs the same with many of them."""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import Account, User
from tables import access
from tables.engine.presets import PRESETS
from tables.game import lifecycle
from tables.lobby import cards, table_list
from tables.lobby.table_list import A_PAGE
from tables.models import Admission, QueueEntry, Table
from tests.helpers.table_client import TableClient, new_player


def named(page: str) -> list[str]:
    """The tables on a page, as they follow each other."""
    return re.findall(r'id="table-\d+-link"[^>]*>([^<]+)<', page)


def pages_of(client: Client) -> list[list[str]]:
    """The tables on all pages, found by the link to more of them."""
    path, pages = "/", []
    for _ in range(10):
        page = client.get(path).content.decode()
        pages.append(named(page))
        onward = re.search(r'id="more-tables" href="([^"]+)"', page)
        if onward is None:
            return pages
        path = onward[1]
    raise AssertionError(f"no end of pages: {pages}")


def all_of(client: Client) -> list[str]:
    """The same, without the pages."""
    return [name for page in pages_of(client) for name in page]


def open_many(number: int, **settings: Any) -> list[Table]:
    """Tables straight into the database, as many as nobody could open one by one."""
    racks = Account.objects.bulk_create(Account(kind=Account.Kind.RACK) for _ in range(number))
    return Table.objects.bulk_create(
        Table(name=f"Table {at}", rules_key="casino", rack=rack, **settings)
        for at, rack in enumerate(racks)
    )


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    client.force_login(ann)
    return client


def test_a_card_says_what_is_not_as_in_the_rule_set(client: Client, casino: TableClient) -> None:
    assert "At this table:" not in client.get("/").content.decode()
    Table.objects.filter(pk=casino.table_id).update(rules_options={"decks": 2})
    assert "<b>At this table: two decks.</b>" in client.get("/").content.decode()


def test_every_table_is_on_one_of_the_pages_and_none_on_two(client: Client, ben: User) -> None:
    open_many(A_PAGE + 3)
    open_many(2 * A_PAGE, maker=ben)
    pages = pages_of(client)
    assert [len(page) for page in pages] == [A_PAGE, A_PAGE, A_PAGE, 3]
    houses = [f"Table {number}" for number in range(A_PAGE + 3)]
    bens = [f"Table {number}" for number in reversed(range(2 * A_PAGE))]
    assert all_of(client) == [*houses, *bens]


def test_where_one_sits_comes_first_and_is_on_no_later_page(anns: Client, ann: User) -> None:
    last = open_many(A_PAGE + 1)[-1]
    TableClient(last.pk).sit(ann, 1)
    pages = pages_of(anns)
    assert pages[0][0] == last.name
    assert len(pages) == 2
    assert len(all_of(anns)) == len(set(all_of(anns))) == A_PAGE + 1


def test_who_sits_at_more_tables_than_a_page_has_finds_them_all_on_it(
    anns: Client, ann: User
) -> None:
    mine = open_many(A_PAGE + 2)
    for table in mine:
        TableClient(table.pk).sit(ann, 1)
    free = lifecycle.open_table(name="Free", rules_key="casino")
    assert pages_of(anns) == [[table.name for table in mine], [free.name]]


def test_a_private_table_is_on_no_page_but_of_those_who_may_come(
    client: Client, ann: User, ben: User
) -> None:
    (friday,) = open_many(1, maker=ben, is_private=True)
    open_many(A_PAGE, maker=ben)
    assert len(all_of(client)) == A_PAGE
    client.force_login(ann)
    assert len(all_of(client)) == A_PAGE
    Admission.objects.create(table=friday, user=ann, code=friday.code)
    assert all_of(client)[0] == friday.name
    assert len(all_of(client)) == A_PAGE + 1


def test_own_tables_come_before_those_of_friends_and_these_before_all_others(
    anns: Client, ann: User, ben: User, cleo: User, stack: Callable[..., None]
) -> None:
    """Friends are the players of the last rounds."""
    names = ["Of the house", "Bens place", "Cleos place", "Where I sit"]
    house, bens, cleos, mine = (
        TableClient(lifecycle.open_table(name=name, rules_key="casino").pk) for name in names
    )
    private = lifecycle.open_table(
        name="Private", rules_key="casino", host_id=cleo.pk, is_private=True
    )
    access.grant_access(private, ann.pk)
    lifecycle.open_table(name="My own", rules_key="casino", host_id=ann.pk)
    stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th")
    for seat, user in enumerate((ann, ben), 1):
        mine.sit(user, seat)
    for user in (ann, ben):
        mine.bet(user, 1000)
    bens.sit(ben, 1)
    cleos.sit(cleo, 1)
    while mine.view.asked is not None:
        mine.act([ann, ben][mine.view.asked.seat - 1], "stand")
    expected = ["Where I sit", "My own", "Private", "Bens place", "Of the house", "Cleos place"]
    assert all_of(anns) == expected
    assert house.table_id < bens.table_id, "without friends the first one would be first"
    assert all_of(Client()) == [
        "Of the house",
        "Bens place",
        "Cleos place",
        "Where I sit",
        "My own",
    ]


def test_tables_of_friends_are_on_the_first_page_only(
    anns: Client, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    *_, last = open_many(A_PAGE + 3)
    at = TableClient(last.pk)
    stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th")
    for seat, user in enumerate((ann, ben), 1):
        at.sit(user, seat)
    for user in (ann, ben):
        at.bet(user, 1000)
    while at.view.asked is not None:
        at.act([ann, ben][at.view.asked.seat - 1], "stand")
    at.leave(ann)
    pages = pages_of(anns)
    assert pages[0][0] == last.name
    assert len(all_of(anns)) == len(set(all_of(anns))) == A_PAGE + 3


def test_a_deserted_private_table_leaves_the_list_of_its_guests(
    anns: Client, ann: User, ben: User
) -> None:
    (friday,) = open_many(1, maker=ben, is_private=True)
    (own,) = open_many(1, maker=ann, is_private=True)
    access.grant_access(friday, ann.pk)
    assert len(all_of(anns)) == 2
    Table.objects.update(used_at=timezone.now() - access.DESERTED)
    (table,) = table_list.list_tables(ann.pk).tables
    assert table.id == own.pk


def test_only_a_table_where_somebody_sits_can_be_watched(casino: TableClient, ann: User) -> None:
    assert "Watch" not in card(Client())
    assert "is-compact" in card(Client())
    casino.sit(ann, 1)
    assert "Watch" in card(Client())
    assert "is-compact" not in card(Client())


@pytest.mark.django_db
def test_who_comes_with_friends_reads_first_what_to_do(client: Client) -> None:
    page = client.get("/").content.decode()
    place = page.index("Playing with friends?")
    assert page.index("Create a table and send them the link.") > place
    assert page.index('href="/tables/new/"') > place
    assert page.index("Play as guest") > place


def test_a_page_keeps_itself_up_to_date_and_not_the_first_one(client: Client, ben: User) -> None:
    open_many(A_PAGE + 2)
    second = f"/?after={table_list.list_tables(None).more}"
    page = client.get(second).content.decode()
    source = re.search(r'data-source="([^"]+)"', page)
    assert source
    part = client.get(source[1]).content.decode()
    assert named(part) == named(page) == [f"Table {A_PAGE}", f"Table {A_PAGE + 1}"]
    assert 'id="first-tables" href="/"' in part


def test_a_page_whose_tables_are_gone_says_so(client: Client, casino: TableClient) -> None:
    page = client.get(f"/?after=made-{casino.table_id}").content.decode()
    assert "No more tables." in page


@pytest.mark.parametrize("after", ["x", "made-", "house-1\n", "-1", "house-" + "9" * 19])
def test_what_is_no_place_in_the_list_is_its_beginning(
    client: Client, casino: TableClient, after: str
) -> None:
    assert named(client.get("/", {"after": after}).content.decode()) == [casino.row.name]


def test_a_page_of_the_lobby_is_as_much_work_for_the_database_with_two_thousand_tables(
    ann: User, ben: User
) -> None:
    """Counted in steps of the database's own program: no clock, and the same each time."""
    assert len(PRESETS) < A_PAGE
    open_many(2 * A_PAGE)
    open_many(2 * A_PAGE, maker=ben)
    newest = table_list.LobbyCursor(10**15, "made")
    looks = [
        lambda: table_list.list_tables(None),
        lambda: table_list.list_tables(ann.pk),
        lambda: table_list.list_tables(ann.pk, newest),
    ]
    few = [steps_of(look) for look in looks]
    open_many(1000)
    open_many(1000, maker=new_player("cleo"))
    many = [steps_of(look) for look in looks]
    for with_few, with_many in zip(few, many, strict=True):
        assert with_many < 1.2 * with_few


def steps_of(work: Callable[[], object]) -> int:
    """How many steps the database takes for it."""
    if connection.vendor != "sqlite":
        pytest.skip("SQLite alone counts its steps")
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.ensure_connection()
    database = connection.connection
    assert isinstance(database, sqlite3.Connection)
    database.set_progress_handler(count, 1)
    try:
        work()
    finally:
        database.set_progress_handler(None, 0)
    return steps


# One card for all who are to see the same


def card(client: Client) -> str:
    """The only table that there is, as this client's lobby shows it."""
    page = client.get("/lobby/tables/").content.decode()
    (item,) = re.findall(r'<li class="table-card.*</li>(?=\s*</ul>)', page, re.DOTALL)
    return str(item)


def test_a_card_says_you_to_who_sits_there_and_to_nobody_else(
    casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    nobodys, anns, bens = Client(), Client(), Client()
    anns.force_login(ann)
    bens.force_login(ben)
    for _ in range(2):
        assert "is-you" in card(anns)
        assert "Back to your seat" in card(anns)
        assert "Sit here" not in card(anns)
        for other in (nobodys, bens):
            assert card(other).count("Sit here") == 2
            assert "is-you" not in card(other)
            assert ">ann<" in card(other)
    casino.leave(ann)
    assert card(anns) == card(bens) == card(nobodys)
    assert card(bens).count("Sit here") == 3


def test_a_locked_table_offers_its_seats_to_its_maker_alone(ann: User, ben: User) -> None:
    open_many(1, maker=ann, is_locked=True)
    anns, bens = Client(), Client()
    anns.force_login(ann)
    bens.force_login(ben)
    assert [card(each).count("Sit here") for each in (anns, bens, Client())] == [3, 0, 0]


def test_what_one_has_seen_is_not_drawn_anew_for_the_next(
    casino: TableClient, ann: User, ben: User
) -> None:
    bens = Client()
    bens.force_login(ben)
    card(Client())
    drawn = cards._render.cache_info().misses
    card(bens)
    assert cards._render.cache_info().misses == drawn
    casino.sit(ann, 2)
    card(bens)
    card(Client())
    assert cards._render.cache_info().misses == drawn + 1


@pytest.mark.usefixtures("stopped_writer")
def test_a_seat_is_taken_from_the_list_by_who_came_from_it(casino: TableClient, ann: User) -> None:
    """One form stands for the seats of all tables; its token is the viewer's own."""
    anns = Client(enforce_csrf_checks=True)
    anns.force_login(ann)
    page = anns.get("/lobby/tables/").content.decode()
    token = re.search(r'id="take-seat".*?name="csrfmiddlewaretoken" value="(\w+)"', page, re.DOTALL)
    button = re.search(r'form="take-seat" formaction="([^"]+)"[^>]* id="sit-\d+-2"', page)
    assert token
    assert button
    assert anns.post(button[1]).status_code == 403
    anns.post(button[1], {"csrfmiddlewaretoken": token[1]})
    assert casino.live.seat_of(ann.pk) is not None


def test_a_seat_that_is_offered_to_somebody_in_line_is_offered_to_nobody_else(
    client: Client, casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    until = timezone.now() + dt.timedelta(seconds=30)
    QueueEntry.objects.create(
        table=casino.row, user=ben, seat=2, until=until, joined_at=timezone.now()
    )
    button = f'id="sit-{casino.table_id}-2"'
    page = client.get("/").content.decode()
    assert button not in page
    assert "to a player in line" in page
    assert f'id="sit-{casino.table_id}-3"' in page
    client.force_login(ben)
    assert button in client.get("/").content.decode()
    (changed,) = table_list.load_changed([casino.table_id], [ann.pk, ben.pk])
    assert changed.row_for(None).seats[1].is_offered
    assert not changed.row_for(ben.pk).seats[1].is_offered
    assert ben.pk in changed.insiders
