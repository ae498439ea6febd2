"""Lobby, table page, history, health, admin: what a browser is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from tables.game import lifecycle
from tables.models import Seat
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    """A browser in which ann is logged in."""
    client.force_login(ann)
    return client


def play_a_round(at: TableClient, user: User, stack: Callable[..., None]) -> None:
    stack("As 9h Kd 7c")
    if not Seat.objects.filter(user=user, table=at.table_id).exists():
        at.sit(user, 1)
    at.bet(user, 1500)


def test_the_lobby_shows_tables_rules_limits_and_who_sits(
    client: Client, casino: TableClient, classic: TableClient, ben: User
) -> None:
    casino.sit(ben, 2)
    page = client.get("/").content.decode()
    assert "Casino" in page
    assert "Classic" in page
    assert "ben" in page
    assert page.count("Sit here") == 5
    assert re.search(r"minimum bet\s+10", page)


def test_the_list_of_the_lobby_is_also_there_alone(client: Client, casino: TableClient) -> None:
    whole = client.get("/").content.decode()
    part = client.get("/lobby/tables/").content.decode()
    assert "<html" not in part
    assert "Sit here" in part
    assert "Sit here" in whole


def test_the_lobby_needs_as_many_queries_for_many_tables_as_for_one(
    anns: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(10):
        lifecycle.open_table(name=f"Table {number}", rules_key="casino")
    # Session, user, tables of companions, where ann sits, her own tables, the house's, those of
    # players, seats, offered seats, wallet, notices.
    with django_assert_num_queries(11):
        anns.get("/")


def test_one_click_takes_a_seat(
    transactional_db: None, stopped_writer: None, client: Client, casino: TableClient, ann: User
) -> None:
    client.force_login(ann)
    response = client.post(f"/tables/{casino.table_id}/seats/2/")
    assert response.headers["Location"] == f"/tables/{casino.table_id}/"
    assert casino.view.seats[1].player == "ann"


def test_who_comes_too_late_for_a_seat_is_told_so_and_watches(
    transactional_db: None, stopped_writer: None, client: Client, casino: TableClient,
    ann: User, ben: User,
) -> None:  # fmt: skip
    casino.sit(ben, 2)
    client.force_login(ann)
    page = client.post(f"/tables/{casino.table_id}/seats/2/", follow=True).content.decode()
    assert "That seat was just taken. Choose another one." in page


def test_who_is_not_logged_in_is_asked_to_and_comes_back_to_the_table(
    client: Client, casino: TableClient
) -> None:
    path = f"/tables/{casino.table_id}/seats/2/"
    response = client.post(path)
    assert response.headers["Location"] == f"/accounts/login/?next={path}"
    assert Seat.objects.count() == 0


def test_a_get_takes_no_seat(anns: Client, casino: TableClient) -> None:
    response = anns.get(f"/tables/{casino.table_id}/seats/2/")
    assert response.headers["Location"] == f"/tables/{casino.table_id}/"
    assert Seat.objects.count() == 0


@pytest.mark.parametrize("path", ["/tables/999999/", "/tables/x/", "/nowhere/"])
def test_what_does_not_exist_is_a_404_in_our_own_words(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "Card Room" in response.content.decode()


def test_the_table_page_carries_the_table_as_it_is(
    anns: Client, casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    page = anns.get(f"/tables/{casino.table_id}/").content.decode()
    config = json.loads(re.search(r'id="table-config"[^>]*>(.*?)</script>', page, re.S)[1])
    assert config["you"] == "ann"
    you = config["snapshot"]["you"]
    assert (you["player"], you["balance"], you["runs"]) == ("ann", 49000, False)
    assert config["snapshot"]["table"]["dealer"]["cards"] == ["6h", "??"]
    assert config["rules"]["stakes"] == {"minimum": 1000, "maximum": None, "unit": 100}


def test_a_table_can_be_watched_by_anybody(client: Client, casino: TableClient) -> None:
    assert client.get(f"/tables/{casino.table_id}/").status_code == 200


def test_the_history_shows_my_rounds_newest_first(
    anns: Client, casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    play_a_round(casino, ann, stack)
    stack("Ts Th 8s 9h")
    casino.bet(ann, 2000)
    casino.act(ann, "stand")
    page = anns.get("/history/").content.decode()
    assert page.index("ten of spades") < page.index("king of diamonds")
    assert "37.50" in page
    assert "+22.50" in page
    assert "nine of hearts" in page


def test_a_split_round_is_one_line_with_its_hands_in_order_and_one_net(
    anns: Client, casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 3d 9s Ts Th")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    for action in ("split", "double", "stand"):
        casino.act(ann, action)
    (played,) = anns.get("/history/").context["page"].rounds
    assert [hand.total for hand in played.hands] == [19, 11]
    assert (played.stake, played.payout, played.net) == (3000, 6000, 3000)


def test_the_history_shows_nobody_elses_hands(
    client: Client, casino: TableClient, ann: User, dora: User, stack: Callable[..., None]
) -> None:
    play_a_round(casino, ann, stack)
    client.force_login(dora)
    assert "king of diamonds" not in client.get("/history/").content.decode()


def test_the_history_goes_on_on_older_pages(
    anns: Client, casino: TableClient, ann: User, stack: Callable[..., None],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:  # fmt: skip
    casino.sit(ann, 1)
    for _ in range(27):
        play_a_round(casino, ann, stack)
    # session, user, tables and their names, entries, rounds, wallet
    with django_assert_num_queries(8):
        first = anns.get("/history/")
    assert len(first.context["page"].rounds) == 25
    older = anns.get(first.context["older_url"])
    assert len(older.context["page"].rounds) == 2
    assert older.context["older_url"] is None
    ids = {played.id for page in (first, older) for played in page.context["page"].rounds}
    assert len(ids) == len(list_hands()) == 27


@pytest.mark.parametrize("before", ["x", "-1", "9" * 40, "１２", "0"])
def test_a_made_up_page_of_the_history_is_no_error(anns: Client, before: str) -> None:
    assert anns.get("/history/", {"before": before}).status_code == 200


def test_the_history_is_for_who_is_logged_in(client: Client) -> None:
    assert client.get("/history/").headers["Location"] == "/accounts/login/?next=/history/"


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_the_process_says_that_it_is_well(client: Client, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["/", "/history/", "/lobby/tables/", "/livez", "/readyz"])
@pytest.mark.parametrize("verb", ["put", "delete", "patch"])
def test_other_verbs_are_refused(anns: Client, path: str, verb: str) -> None:
    assert getattr(anns, verb)(path).status_code == 405


def test_pages_allow_nothing_but_their_own_files(client: Client) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_no_page_carries_inline_scripts_or_styles(
    anns: Client, casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    play_a_round(casino, ann, stack)
    for path in ("/", f"/tables/{casino.table_id}/", "/history/", "/accounts/password/change/"):
        page = anns.get(path).content.decode()
        assert not re.search(r"\sstyle=|\son\w+=|javascript:", page), path
        for script in re.findall(r"<script[^>]*>", page):
            assert "src=" in script or "application/json" in script, (path, script)


def test_the_admin_is_not_for_players(anns: Client) -> None:
    assert anns.get("/admin/").status_code in {302, 403}


def test_operators_see_tables_and_rounds_and_can_change_neither(
    client: Client, admin_user: User, casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    play_a_round(casino, ann, stack)
    client.force_login(admin_user)
    for path in ("tables/table", "tables/round", "tables/change", "accounts/transfer"):
        assert client.get(f"/admin/{path}/").status_code == 200, path
        if path != "tables/table":  # they open tables
            assert client.get(f"/admin/{path}/add/").status_code == 403, path
    form = client.get(f"/admin/tables/table/{casino.table_id}/change/").content.decode()
    assert 'name="_save"' not in form
