"""A visitor presses a seat, and sits on it after the log-in, the sign-up, or as a guest."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tables.models import Table
from tables.social import seat_requests
from tests.game.test_host_commands import free, made_by
from tests.helpers.table_client import TableClient, new_player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stopped_writer")]

PASSWORD = "blackjack-21!"


@pytest.fixture(autouse=True)
def no_attempts_yet() -> None:
    """Rates are counted in the cache."""
    cache.clear()


def log_in(client: Client, onward: str) -> object:
    new_player("erin")
    form = {"login": "erin", "password": PASSWORD, "next": onward}
    return client.post(reverse("account_login"), form, follow=True)


def sign_up(client: Client, onward: str) -> object:
    form = {"username": "erin", "password1": PASSWORD, "next": onward}
    return client.post(reverse("account_signup"), form, follow=True)


def play_as_guest(client: Client, onward: str) -> object:
    return client.post(reverse("guest"), {"next": onward}, follow=True)


WAYS = [log_in, sign_up, play_as_guest]


def press(client: Client, at: TableClient, seat: int) -> str:
    """Press a seat in the lobby as a visitor; the address that the log-in leads to."""
    answer = client.post(f"/tables/{at.table_id}/seats/{seat}/")
    assert answer["Location"].startswith(f"{reverse('account_login')}?next=")
    page = client.get(answer["Location"]).content.decode()
    assert "Log in, sign up or play as a guest to take that seat." in page
    assert "nothing was changed" not in page
    return f"/tables/{at.table_id}/seats/{seat}/"


def read_text(answer: object) -> str:
    page = answer.content.decode()
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def seated(at: TableClient) -> list[bool]:
    return [seat.player is not None for seat in at.view.seats]


@pytest.mark.parametrize("come_in", WAYS)
def test_the_seat_that_was_pressed_is_taken_after_it(
    casino: TableClient, come_in: Callable[[Client, str], object]
) -> None:
    client = Client()
    answer = come_in(client, press(client, casino, 2))
    assert answer.redirect_chain[-1][0] == f"/tables/{casino.table_id}/"
    assert seated(casino) == [False, True, False]
    assert "was just taken" not in read_text(answer)


@pytest.mark.parametrize("come_in", WAYS)
def test_the_next_free_seat_is_taken_if_somebody_was_quicker(
    casino: TableClient, ann: User, come_in: Callable[[Client, str], object]
) -> None:
    client = Client()
    onward = press(client, casino, 2)
    casino.sit(ann, 2)
    answer = come_in(client, onward)
    assert seated(casino) == [False, True, True]
    assert "Seat 2 was just taken, so you have seat 3." in read_text(answer)


def test_who_finds_no_seat_left_watches(
    casino: TableClient, ann: User, ben: User, cleo: User
) -> None:
    client = Client()
    onward = press(client, casino, 3)
    for number, user in enumerate((ann, ben, cleo), 1):
        casino.sit(user, number)
    assert "so you are watching" not in read_text(play_as_guest(client, onward))
    assert seated(casino) == [True, True, True]


def test_who_may_not_sit_down_watches_and_is_told_why(casino: TableClient) -> None:
    client = Client()
    onward = press(client, casino, 3)
    Table.objects.update(is_locked=True)
    assert "so you are watching" in read_text(play_as_guest(client, onward))
    assert seated(casino) == [False, False, False]


def test_a_visitor_of_a_private_table_is_let_in_and_seated(ann: User) -> None:
    friday = made_by(ann, is_private=True)
    client = Client()
    client.get(reverse("join", args=[friday.row.code]))
    play_as_guest(client, press(client, friday, 2))
    assert seated(friday) == [False, True, False]


def test_a_link_from_elsewhere_seats_nobody(casino: TableClient, ann: User) -> None:
    """A GET without the cookie of one's own form, also on the way through the log-in."""
    client = Client()
    address = f"/tables/{casino.table_id}/seats/2/"
    client.get(address)
    log_in(client, address)
    client.get(address)
    assert seated(casino) == [False, False, False]


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Purpose": "prefetch"},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Dest": "iframe"},
        {"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_get_that_is_not_my_own_step_seats_nobody_and_my_own_step_does_after_it(
    casino: TableClient, headers: dict[str, str]
) -> None:
    client = Client()
    onward = press(client, casino, 2)
    answer = client.post(reverse("guest"), {"next": onward})
    assert answer["Location"] == onward
    answer = client.get(onward, headers=headers)
    assert answer["Location"] == f"/tables/{casino.table_id}/"
    assert seated(casino) == [False, False, False]
    client.get(onward, headers={"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "same-origin"})
    assert seated(casino) == [False, True, False]


@pytest.mark.parametrize("come_in", WAYS)
def test_a_log_in_that_leads_elsewhere_forgets_the_seat(
    casino: TableClient, come_in: Callable[[Client, str], object]
) -> None:
    client = Client()
    onward = press(client, casino, 2)
    come_in(client, "/home/")
    client.get(onward)
    assert seated(casino) == [False, False, False]


def test_a_log_out_forgets_the_seat(casino: TableClient, ann: User, ben: User) -> None:
    client = Client()
    onward = press(client, casino, 2)
    cookie = client.cookies[seat_requests.COOKIE].value
    client.force_login(ann)
    client.post(reverse("account_logout"))
    assert client.cookies[seat_requests.COOKIE].value == ""
    assert cookie
    client.force_login(ben)
    client.get(onward)
    assert seated(casino) == [False, False, False]


def test_a_wrong_password_does_not_forget_the_seat(casino: TableClient) -> None:
    client = Client()
    onward = press(client, casino, 2)
    form = {"login": "erin", "password": "wrong", "next": onward}
    client.post(reverse("account_login"), form)
    log_in(client, onward)
    assert seated(casino) == [False, True, False]


def test_a_form_from_elsewhere_asks_for_no_seat(casino: TableClient) -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post(f"/tables/{casino.table_id}/seats/2/")
    assert answer.status_code == 403
    assert seat_requests.COOKIE not in answer.cookies


def test_a_seat_is_asked_for_once(casino: TableClient) -> None:
    client = Client()
    onward = press(client, casino, 2)
    play_as_guest(client, onward)
    user = User.objects.get(is_guest=True)
    casino.leave(user)
    client.get(onward)
    assert seated(casino) == [False, False, False]


def test_the_cookie_of_another_seat_takes_none(casino: TableClient) -> None:
    client = Client()
    press(client, casino, 2)
    play_as_guest(client, f"/tables/{casino.table_id}/seats/1/")
    assert seated(casino) == [False, False, False]


@pytest.mark.parametrize("cookie", ["", "x", "WzEsMl0:1:2", '["1", 2]'])
def test_what_is_no_cookie_of_the_site_seats_nobody(casino: TableClient, cookie: str) -> None:
    client = Client()
    client.cookies[seat_requests.COOKIE] = cookie
    play_as_guest(client, f"/tables/{casino.table_id}/seats/2/")
    assert seated(casino) == [False, False, False]


def test_a_seat_that_does_not_exist_is_not_asked_for(casino: TableClient) -> None:
    client = Client()
    answer = client.post(f"/tables/{casino.table_id}/seats/9/", follow=True)
    assert "nothing was changed" in read_text(answer)
    assert seat_requests.COOKIE not in client.cookies


def test_who_was_sent_away_watches_and_reads_for_how_long(ann: User, ben: User) -> None:
    friday = made_by(ann)
    friday.sit(ben, 2)
    friday.send(ann, free(2))
    client = Client()
    client.force_login(ben)
    for answer in (
        client.post(f"/tables/{friday.table_id}/seats/2/", follow=True),
        client.get(reverse("join", args=[friday.row.code]), follow=True),
    ):
        assert "You can sit down again in 10 minutes" in read_text(answer)
        assert answer.status_code == 200
    assert seated(friday) == [False, False, False]
