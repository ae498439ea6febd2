"""Whose session has ended is told so, and comes back to the same page."""

from __future__ import annotations

import datetime as dt
import html
import re
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.users import sessions
from tables.game import seats
from tables.models import Round
from tests.game.test_host_commands import close, made_by
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient, new_player

pytestmark = pytest.mark.django_db

TOLD = "You were logged out, here or on another device."
ACCEPT = {"Accept": "text/html,application/xhtml+xml"}


def look(client: Client, path: str) -> Any:
    """Open a page as a browser does."""
    return client.get(path, follow=True, headers=ACCEPT)


def text(answer: Any) -> str:
    page = answer.content.decode()
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    client.force_login(ann)
    return client


def log_out_elsewhere(user: User) -> None:
    sessions.end_sessions(user.pk, timezone.now())


@pytest.mark.parametrize("path", ["/", "/home/", "/history/", "/tables/new/", "/account/"])
def test_who_was_logged_out_elsewhere_is_told_once(anns: Client, ann: User, path: str) -> None:
    assert TOLD not in text(look(anns, path))
    log_out_elsewhere(ann)
    answer = look(anns, path)
    assert TOLD in text(answer)
    assert urlencode({"next": path}) in answer.content.decode()
    assert TOLD not in text(look(anns, path))


def test_a_new_password_elsewhere_is_told_like_a_log_out(anns: Client, ann: User) -> None:
    ann.set_password("another-21!")
    ann.save()
    assert TOLD in text(look(anns, "/home/"))


def test_the_page_of_a_public_table_tells_it_as_well(
    anns: Client, ann: User, casino: TableClient
) -> None:
    log_out_elsewhere(ann)
    assert TOLD in text(look(anns, f"/tables/{casino.table_id}/"))


def test_visitors_and_who_logs_out_themselves_are_told_nothing(anns: Client) -> None:
    assert TOLD not in text(look(Client(), "/"))
    anns.post(reverse("account_logout"))
    assert TOLD not in text(look(anns, "/"))


def test_a_script_that_fetches_is_told_nothing_and_the_next_page_is(
    anns: Client, ann: User
) -> None:
    log_out_elsewhere(ann)
    assert TOLD not in text(anns.get("/lobby/tables/", headers={"Accept": "*/*"}))
    assert TOLD in text(look(anns, "/"))
    assert TOLD not in text(look(anns, "/"))


def test_at_a_private_table_one_is_asked_to_log_in_and_comes_back(anns: Client, ann: User) -> None:
    friday = made_by(ann, is_private=True)
    place = f"/tables/{friday.table_id}/"
    log_out_elsewhere(ann)
    door = look(anns, place)
    assert door.status_code == 404
    assert TOLD in text(door)
    assert "Log in to see this page" in text(door)
    assert f'href="/accounts/login/?next={quote(place, safe="")}"' in door.content.decode()
    form = {"login": "ann", "password": "blackjack-21!", "next": place}
    back = anns.post(reverse("account_login"), form, follow=True)
    assert back.redirect_chain[-1][0] == place
    assert back.status_code == 200


def test_a_visitor_cannot_find_out_which_tables_and_rounds_there_are(ann: User) -> None:
    """One answer for a private table, a closed one and none, and for their rounds."""
    friday, closed = made_by(ann, is_private=True), made_by(ann)
    sit_down(friday, ann)
    friday.bet(ann, 1000)
    closed.send(ann, close())
    ids = [friday.table_id, closed.table_id, 424242]
    pages = {"table": ids, "table-rules": ids, "round": [Round.objects.get().pk, 424242]}
    for name, numbers in pages.items():
        answers = set()
        for one in numbers:
            path = reverse(name, args=[one])
            answer = Client().get(path)
            assert answer.status_code == 404
            assert "Log in to see this page" in text(answer)
            answers.add(answer.content.decode().replace(quote(path, safe=""), "PATH"))
        assert len(answers) == 1, name


def test_who_is_logged_in_is_not_asked_to(ann: User) -> None:
    friday = made_by(ann, is_private=True)
    doras = Client()
    doras.force_login(new_player("dora"))
    page_text = text(doras.get(f"/tables/{friday.table_id}/"))
    assert "Page not found" in page_text
    assert "Log in" not in page_text


def test_the_login_page_says_what_it_is_for(client: Client) -> None:
    answer = client.get("/tables/new/", follow=True)
    assert "Log in or sign up to create a table." in answer.content.decode()
    for path in ("/accounts/login/", "/accounts/login/?next=/history/"):
        text = client.get(path).content.decode()
        assert "Welcome back." in text
        assert "to create a table" not in text


def test_the_logout_page_says_how_long_a_seat_is_kept(casino: TableClient, ann: User) -> None:
    sentence = "Your seat is kept for one minute"
    client = Client()
    client.force_login(ann)
    assert sentence not in client.get("/accounts/logout/").content.decode()
    casino.sit(ann, 1)
    assert sentence in client.get("/accounts/logout/").content.decode()
    assert dt.timedelta(minutes=1) == seats.ABSENCE
