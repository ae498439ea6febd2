"""Home: the money, the games to resume or to quit, and the tables that are a player's own."""

from __future__ import annotations

import datetime as dt
import html
import re
from collections.abc import Callable

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.models import OwnLimit, Transfer, User
from accounts.users import guests, limits
from tables import access
from tables.game import lifecycle, rebuys
from tables.lobby import home
from tables.models import Admission, Seat, Table
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

PASSWORD = "blackjack-21!"


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    """A browser in which ann is logged in."""
    client.force_login(ann)
    return client


def text(client: Client, path: str = "/home/") -> str:
    """What the page says, without its tags."""
    page = client.get(path, follow=True).content.decode()
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def give_back_everything(user: User) -> None:
    """As if all of it had been lost."""
    now = timezone.now()
    wallet = transfers.get_or_open_wallet(user, at=now)
    reference = f"test/{Transfer.objects.count()}"
    lost = Posting(
        Transfer.Kind.RETURN, wallet.pk, transfers.get_bank().pk, wallet.balance, reference
    )
    with transaction.atomic():
        transfers.post([lost], at=now)


def test_home_is_where_a_login_leads(client: Client, ann: User) -> None:
    form = {"login": "ann", "password": PASSWORD}
    assert client.post("/accounts/login/", form)["Location"] == "/home/"
    assert "Your balance 500 " in text(client)


def test_home_asks_who_is_not_logged_in_to_log_in(client: Client) -> None:
    assert client.get("/home/")["Location"] == "/accounts/login/?next=/home/"


def test_who_sits_nowhere_can_start_a_new_game(anns: Client) -> None:
    page_text = text(anns)
    assert "You have no seat at a table." in page_text
    assert "Find a table" in page_text


def test_a_hand_that_is_open_can_be_resumed_from_home(
    anns: Client, casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    assert "Between rounds." in text(anns)
    casino.bet(ann, 1500)
    assert "15 bet" in text(anns)
    casino.bet(ben, 1000)
    page_text = text(anns)
    assert "It's your turn. 15 bet." in page_text
    casino.act(ann, "stand")
    assert "You have a hand in play. 15 bet." in text(anns)
    assert f'href="/tables/{casino.table_id}/"' in anns.get("/home/").content.decode()


def test_the_game_that_waits_for_me_comes_first(
    anns: Client, casino: TableClient, classic: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 3d 9s Th")
    classic.sit(ann, 1)
    casino.later(60)
    casino.sit(ann, 1)
    assert [seat.table for seat in home.list_seats(ann)] == ["Classic", "Casino"]
    casino.bet(ann, 1500)
    assert [seat.table for seat in home.list_seats(ann)] == ["Casino", "Classic"]


def test_a_split_hand_shows_all_that_is_staked(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 3d 9s Th")
    casino.sit(ann, 1)
    casino.bet(ann, 1500)
    casino.act(ann, "split")
    assert home.list_seats(ann)[0].staked == 3000


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_a_game_is_quit_from_home(anns: Client, casino: TableClient, ann: User, ben: User) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1500)
    assert "Your balance 485 " in text(anns)
    leave = f"/tables/{casino.table_id}/leave/"
    assert "Your bet of 15 will be returned." in text(anns, leave)
    assert Seat.objects.filter(user=ann).exists()
    page_text = html.unescape(anns.post(leave, follow=True).content.decode())
    assert "You have left Casino." in page_text
    assert not Seat.objects.filter(user=ann).exists()
    assert "Your balance 500 " in text(anns)
    assert "You no longer have a seat there." in text(anns, leave)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_quitting_alone_ends_the_round_at_once(
    anns: Client, casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 3d 9s Th")
    casino.sit(ann, 1)
    casino.bet(ann, 1500)
    page_text = html.unescape(
        anns.post(f"/tables/{casino.table_id}/leave/", follow=True).content.decode()
    )
    assert "You have left Casino." in page_text


def test_a_game_of_piles_is_not_given_up_without_a_word(
    anns: Client, piles: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts 9s 9h 8d  As Kh 5c 6c  2c 3c 4c 5d 6d 7d 8h 9d")
    piles.sit(ann, 1)
    piles.bet(ann, 0)
    piles.act(ann, "stand")
    page_text = text(anns, f"/tables/{piles.table_id}/leave/")
    assert "Your game ends if another player takes the seat." in page_text


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_quitting_with_an_open_hand_lets_it_stand(
    anns: Client, casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1500)
    casino.bet(ben, 1000)
    leave = f"/tables/{casino.table_id}/leave/"
    assert "It will stand with its bet" in text(anns, leave)
    page_text = html.unescape(anns.post(leave, follow=True).content.decode())
    assert "Your hand at Casino stands. You leave your seat after this round." in page_text
    assert "You leave after this round." in text(anns)
    assert casino.view.asked is not None
    assert casino.view.asked.seat == 2


def test_who_cannot_play_any_more_finds_the_way_to_play_money(
    anns: Client, casino: TableClient, ann: User
) -> None:
    assert "Get more chips" not in text(anns)
    give_back_everything(ann)
    assert "Get more chips" in text(anns)


def test_who_has_to_wait_for_play_money_is_told_until_when(
    anns: Client, casino: TableClient, ann: User
) -> None:
    give_back_everything(ann)
    rebuys.rebuy(ann, timezone.now())
    give_back_everything(ann)
    page_text = text(anns)
    assert "Get more chips" not in page_text
    assert "You've already topped up. Next top-up:" in page_text


def test_who_has_not_sat_down_yet_has_the_starting_money(client: Client) -> None:
    client.force_login(User.objects.create_user("newcomer"))
    assert "Your balance 500 " in text(client)


def test_a_break_is_told_and_nothing_is_offered_against_it(anns: Client, ann: User) -> None:
    give_back_everything(ann)
    until = timezone.now().date() + dt.timedelta(days=3)
    limits.set_limit(ann, OwnLimit.Kind.BREAK, until.toordinal(), timezone.now())
    page_text = text(anns)
    assert f"You're taking a break until {until.day} {until:%B %Y}, 00:00 UTC." in page_text
    assert "Get more chips" not in page_text


@pytest.mark.parametrize("table_id", ["999999", "9" * 30])
def test_a_table_where_i_do_not_sit_cannot_be_quit(anns: Client, table_id: str) -> None:
    page = anns.post(f"/tables/{table_id}/leave/", follow=True)
    assert page.redirect_chain == [("/home/", 302)]
    assert "You no longer have a seat there." in page.content.decode()


def test_tables_i_made_or_was_let_in_to_are_listed(anns: Client, ann: User, ben: User) -> None:
    def make(name: str, maker: User) -> int:
        table = lifecycle.open_table(
            name=name, rules_key="casino", host_id=maker.pk, is_private=True
        )
        return table.pk

    make("Mine", ann)
    bens = TableClient(make("Bens", ben))
    make("Not for me", ben)
    Admission.objects.create(table=bens.row, user=ann, code=bens.row.code)
    bens.sit(ben, 2)
    page_text = text(anns)
    assert re.search(
        r"Mine .*? private · you are the host · nobody seated · 3 free seats", page_text
    )
    assert re.search(r"Bens .*? private · you were invited · ben · 2 free seats", page_text)
    assert "Not for me" not in page_text
    Admission.objects.update(code="OLD")
    assert "Bens" not in text(anns)


def test_names_from_right_to_left_keep_the_lists_of_home_in_order(
    anns: Client, ann: User, ben: User
) -> None:
    bens = let_in(ann, ben)
    Table.objects.update(name="\u05e9\u05d5\u05dc\u05d7\u05df 7")
    miriam = User.objects.create_user("\u05de\u05e8\u05d9\u05dd12")
    access.grant_access(bens.row, miriam.pk)
    bens.sit(ben, 1)
    bens.sit(miriam, 2)
    page_text = text(anns)
    assert "ben, \u2068\u05de\u05e8\u05d9\u05dd12\u2069 · 1 free seat" in page_text
    assert "\u2068\u05e9\u05d5\u05dc\u05d7\u05df 7\u2069 " in page_text
    bens.sit(ann, 3)
    page = anns.get("/home/").content.decode()
    assert "<h3>\u2068\u05e9\u05d5\u05dc\u05d7\u05df 7\u2069</h3>" in page


def let_in(ann: User, ben: User) -> TableClient:
    """A private table of ben, to which ann was invited."""
    table = lifecycle.open_table(name="Bens", rules_key="casino", host_id=ben.pk, is_private=True)
    access.grant_access(table, ann.pk)
    return TableClient(table.pk)


def test_a_table_of_somebody_else_is_taken_off_the_list_until_the_next_visit(
    anns: Client, ann: User, ben: User
) -> None:
    bens = let_in(ann, ben)
    assert "Remove from my list" in text(anns)
    page_text = anns.post(f"/tables/{bens.table_id}/unlist/", follow=True).content.decode()
    assert "Removed Bens from your list." in page_text
    for page in ("/home/", "/"):
        assert "Bens" not in text(anns, page)
    again = anns.post(f"/tables/{bens.table_id}/unlist/", follow=True).content.decode()
    assert "from your list" not in again
    assert anns.get(f"/tables/{bens.table_id}/").status_code == 200
    for page in ("/home/", "/"):
        assert "Bens" in text(anns, page)


def test_the_own_table_stays_on_the_list(anns: Client, ann: User) -> None:
    table = lifecycle.open_table(name="Mine", rules_key="casino", host_id=ann.pk)
    assert "Remove from my list" not in text(anns)
    anns.post(f"/tables/{table.pk}/unlist/")
    assert "Mine" in text(anns)


def test_the_list_of_somebody_else_is_not_changed(
    client: Client, ann: User, ben: User, cleo: User
) -> None:
    bens = let_in(ann, ben)
    client.force_login(cleo)
    page = client.post(f"/tables/{bens.table_id}/unlist/", follow=True).content.decode()
    assert "Bens" not in page
    client.force_login(ann)
    assert "Bens" in text(client)


def test_a_private_table_that_nobody_uses_leaves_the_list(
    anns: Client, ann: User, ben: User
) -> None:
    let_in(ann, ben)
    lifecycle.open_table(name="Mine", rules_key="casino", host_id=ann.pk, is_private=True)
    Table.objects.update(used_at=timezone.now() - access.DESERTED + dt.timedelta(hours=1))
    assert "Bens" in text(anns)
    Table.objects.update(used_at=timezone.now() - access.DESERTED)
    assert "Bens" not in text(anns)
    assert "Mine" in text(anns)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_a_new_game_begins_at_a_free_table_of_the_chosen_rules(
    anns: Client, ann: User, ben: User, casino: TableClient
) -> None:
    empty = TableClient(lifecycle.open_table(name="Empty", rules_key="casino").pk)
    lifecycle.open_table(name="Other rules", rules_key="vegas")
    casino.sit(ben, 1)
    answer = anns.post("/home/start/", {"rules": "casino"}, follow=True)
    assert answer.redirect_chain[-1][0] == f"/tables/{empty.table_id}/"
    assert empty.live.seat_of(ann.pk) is not None
    anns.post("/home/start/", {"rules": "casino"})
    assert casino.live.seat_of(ann.pk) is not None, "another game, at the next table"
    answer = anns.post("/home/start/", {"rules": "casino"}, follow=True)
    assert "You already have a seat here." in html.unescape(answer.content.decode())


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_who_finds_no_free_table_is_told_what_to_do(
    anns: Client, ann: User, ben: User, heads_up: TableClient
) -> None:
    heads_up.sit(ben, 1)
    table = lifecycle.open_table(name="Locked", rules_key="heads-up", host_id=ben.pk)
    Table.objects.filter(pk=table.pk).update(is_locked=True)
    lifecycle.open_table(name="Private", rules_key="heads-up", host_id=ben.pk, is_private=True)
    answer = anns.post("/home/start/", {"rules": "heads-up"}, follow=True)
    page_text = html.unescape(answer.content.decode())
    assert "No seat is free at a public table with Heads-up rules." in page_text
    assert not Seat.objects.filter(user=ann).exists()


@pytest.mark.parametrize("rules", ["", "poker", "x" * 1000])
def test_a_game_of_unknown_rules_is_not_begun(anns: Client, ann: User, rules: str) -> None:
    answer = anns.post("/home/start/", {"rules": rules}, follow=True)
    assert "Choose one of the rule sets." in answer.content.decode()
    assert not Seat.objects.filter(user=ann).exists()


def test_the_rules_of_the_last_game_are_chosen(
    anns: Client, ann: User, vegas: TableClient, stack: Callable[..., None]
) -> None:
    assert '<option value="casino" selected' in anns.get("/home/").content.decode()
    stack("8s 6h 8d Kc 2c 3d 9s Th")
    vegas.sit(ann, 1)
    vegas.bet(ann, 1500)
    while vegas.view.asked is not None:
        vegas.act(ann, "stand")
    assert '<option value="vegas" selected' in anns.get("/home/").content.decode()


def test_a_guest_is_offered_to_keep_the_account(client: Client) -> None:
    guest = guests.create_guest(at=TableClient(0).now)
    client.force_login(guest)
    assert "Save this account" in text(client)


def test_home_needs_as_many_queries_for_many_seats_as_for_one(
    anns: Client, ann: User, ben: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(6):
        maker = ann.pk if number % 2 else None
        table = lifecycle.open_table(name=f"T{number}", rules_key="casino", host_id=maker)
        at = TableClient(table.pk)
        at.sit(ann, 1)
        at.sit(ben, 2)
        at.bet(ann, 1000)
    # user 2, seats 1, rules 1, tables 3, rebuy 5, matches 1, head 2
    with django_assert_num_queries(15):
        anns.get("/home/")
