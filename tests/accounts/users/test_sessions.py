"""Where somebody is logged in: the list, logging out elsewhere, and the pages that this closes."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.lib.user_agents import name_browser
from accounts.models import User
from accounts.users import sessions
from blackjack_site.asgi import application
from tables.models import Seat
from tests.accounts.users.test_sign_up import PASSWORD, log_in
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import ORIGIN, Page, page, session_cookie

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
)
END = "/account/sessions/end/"
AT_ONCE = 4
"""Seconds, on a busy machine; without a word the pages are looked at after 20."""


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def browser(user: User, agent: str = FIREFOX, address: str = "127.0.0.1") -> Client:
    """A browser in which the user is logged in, and has looked at a page."""
    client = Client(headers={"User-Agent": agent}, REMOTE_ADDR=address)
    assert log_in(client, user.username)
    client.get("/rules/")
    return client


def from_before(user: User) -> Client:
    """A browser that was logged in before that was written down, and has looked at a page."""
    client = Client()
    client.force_login(user)
    client.get("/rules/")
    return client


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def listed(client: Client) -> str:
    html = client.get("/account/").content.decode()
    return " ".join(html.split('class="session-list"')[1].split("</ul>")[0].split())


# The list


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (PHONE, "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/126.0 Safari/537.36 Edg/126.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 14) Chrome/126.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14) Version/17 Safari/605", "Safari on macOS"),
        ("", "Unknown browser"),
        ("<script>", "Unknown browser"),
    ],
)
def test_a_browser_is_told_in_words(agent: str, words: str) -> None:
    assert name_browser(agent) == words


@pytest.mark.django_db
def test_the_list_tells_browser_address_and_which_one_this_is(ann: User) -> None:
    browser(ann, PHONE, "203.0.113.9")
    here = browser(ann)
    text = listed(here)
    assert text.index('Firefox on Linux</b> <span class="here">this device') < text.index("Safari")
    assert "Address 127.0.0.1, since" in text
    assert "Address 203.0.113.9, since" in text
    assert text.count("Last seen") == 1
    assert text.count("this device") == 1


@pytest.mark.django_db
def test_other_peoples_are_not_in_it(ann: User, ben: User) -> None:
    browser(ben, PHONE)
    assert listed(browser(ann)).count("<li") == 1


@pytest.mark.django_db
def test_a_login_from_before_is_listed_when_its_browser_comes_by(ann: User) -> None:
    before = Client(headers={"User-Agent": PHONE})
    before.force_login(ann)
    here = browser(ann)
    assert "iPhone" not in listed(here)
    before.get("/rules/")
    before.get("/")
    assert "Safari on iPhone" in listed(here)


@pytest.mark.django_db
def test_guests_are_listed_too(client: Client) -> None:
    client.post("/accounts/guest/")
    assert "this device" in listed(client)


@pytest.mark.django_db
def test_one_that_is_over_is_not_listed_any_more(ann: User) -> None:
    other, here = browser(ann, PHONE), browser(ann)
    assert "iPhone" in listed(here)
    other.post("/accounts/logout/")
    assert "iPhone" not in listed(here)
    assert UserSession.objects.count() == 1


@pytest.mark.django_db
def test_an_address_that_changes_is_told_as_the_latest(ann: User) -> None:
    here = browser(ann)
    listed(here)
    here.defaults["REMOTE_ADDR"] = "203.0.113.7"
    text = listed(here)
    assert "203.0.113.7" in text
    assert "127.0.0.1" not in text


@pytest.mark.django_db
def test_a_page_alone_asks_nothing_about_sessions(
    ann: User, django_assert_max_num_queries: Any
) -> None:
    client = Client()
    client.force_login(ann)
    with django_assert_max_num_queries(10) as queries:
        client.get("/rules/")
    assert not [query for query in queries.captured_queries if "usersession" in query["sql"]]


@pytest.mark.django_db
def test_who_was_here_is_written_down_by_the_process(ann: User) -> None:
    client = Client(headers={"User-Agent": "x" * 3000})
    client.force_login(ann)
    client.get("/")
    later = timezone.now() + dt.timedelta(minutes=3)
    sessions.flush_activity(later)
    key = client.session.session_key
    row = UserSession.objects.get(session_key=key)
    assert (row.last_seen_at, len(row.user_agent)) == (
        later,
        row._meta.get_field("user_agent").max_length,
    )
    much_later = later + dt.timedelta(hours=1)
    sessions.flush_activity(much_later)
    assert UserSession.objects.get(session_key=key).last_seen_at == later
    sessions.flush_activity(much_later, {key} if key else set())
    assert UserSession.objects.get(session_key=key).last_seen_at == much_later


@pytest.mark.django_db
def test_what_is_over_is_forgotten_in_time(ann: User) -> None:
    first, second = browser(ann), browser(ann, PHONE)
    listed(second)
    assert UserSession.objects.count() == 2
    key = first.session.session_key
    Session.objects.filter(session_key=key).update(expire_date=timezone.now())
    sessions.delete_ended(timezone.now())
    assert UserSession.objects.count() == 1
    assert not Session.objects.filter(session_key=key).exists()
    assert is_in(second)


@pytest.mark.django_db
def test_what_could_not_be_written_down_is_not_lost(ann: User) -> None:
    key = from_before(ann).session.session_key
    with connection.execute_wrapper(no_more_rows), pytest.raises(OperationalError):
        sessions.flush_activity(timezone.now())
    sessions.flush_activity(timezone.now())
    assert UserSession.objects.filter(session_key=key).exists()


@pytest.mark.django_db
def test_what_was_seen_meanwhile_is_newer(ann: User) -> None:
    here = from_before(ann)

    def moved(execute: Any, sql: str, *rest: Any) -> Any:
        if is_new_row(sql):
            here.get("/rules/", REMOTE_ADDR="203.0.113.7")
        return no_more_rows(execute, sql, *rest)

    with connection.execute_wrapper(moved), pytest.raises(OperationalError):
        sessions.flush_activity(timezone.now())
    sessions.flush_activity(timezone.now())
    assert UserSession.objects.get().ip == "203.0.113.7"


def is_new_row(sql: str) -> bool:
    return sql.startswith("INSERT") and "usersessions" in sql


def no_more_rows(execute: Any, sql: str, *rest: Any) -> Any:
    if is_new_row(sql):
        raise OperationalError("database is locked")
    return execute(sql, *rest)


@pytest.mark.django_db
def test_who_was_here_may_be_written_down_by_another_thread_at_once(
    ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    class TakenMeanwhile(dict[str, Any]):
        def __iter__(self) -> Any:
            keys = list(super().__iter__())
            self.clear()
            return iter(keys)

    from_before(ann)
    monkeypatch.setattr(sessions, "_noticed", TakenMeanwhile(sessions._noticed.items()))
    sessions.flush_activity(timezone.now())
    assert UserSession.objects.count() == 0


@pytest.mark.django_db
def test_sessions_are_compared_one_by_one_and_not_with_a_list_of_all(ann: User) -> None:
    browser(ann)
    with CaptureQueriesContext(connection) as queries:
        sessions.delete_ended(timezone.now())
        sessions.end_sessions(ann.pk, timezone.now())
    compared = [query["sql"] for query in queries if "EXISTS" in query["sql"]]
    assert len(compared) == 2
    assert not [
        query for query in queries if "(SELECT" in query["sql"].replace("EXISTS(SELECT", "")
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_sessions_are_forgotten_while_the_writer_plays(ann: User) -> None:
    from tables.realtime import periodic_tasks
    from tables.realtime.writers.writer import writer

    await sync_to_async(browser)(ann)
    await sync_to_async(sessions.flush_activity)(timezone.now())
    await Session.objects.all().adelete()
    assert await UserSession.objects.acount() == 1
    go_on = threading.Event()
    writer.submit(go_on.wait)  # else a batch might hold the database meanwhile
    try:
        await asyncio.wait_for(periodic_tasks.delete_ended_sessions(), 5)
    finally:
        go_on.set()
    assert await UserSession.objects.acount() == 0


@pytest.mark.django_db
def test_the_page_asks_no_more_with_more_browsers(
    ann: User, django_assert_max_num_queries: Any
) -> None:
    here = browser(ann)
    for number in range(12):
        browser(ann, PHONE, f"203.0.113.{number}")
    listed(here)
    with django_assert_max_num_queries(14):
        listed(here)


# Logging out elsewhere


@pytest.mark.django_db
def test_the_others_are_logged_out_and_this_one_is_not(ann: User, ben: User) -> None:
    here, phone, from_before, bens = browser(ann), browser(ann, PHONE), Client(), browser(ben)
    from_before.force_login(ann)
    here.post(END, {"others": ""})
    assert [is_in(client) for client in (here, phone, from_before, bens)] == [
        True, False, False, True,
    ]  # fmt: skip


@pytest.mark.django_db
def test_everywhere_is_here_too(ann: User) -> None:
    here, phone = browser(ann), browser(ann, PHONE)
    response = here.post(END, {"everywhere": ""}, follow=True)
    assert "You are logged out on all devices." in response.content.decode()
    assert (is_in(here), is_in(phone)) == (False, False)
    assert UserSession.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/service-worker.js", "/offline/en/", "/lobby/tables/"])
def test_what_a_page_fetches_beside_deletes_no_cookie(ann: User, path: str) -> None:
    """It may have been sent before a login and be answered after it."""
    ended = browser(ann).cookies[settings.SESSION_COOKIE_NAME].value
    Session.objects.all().delete()

    def answered(accept: str) -> Any:
        client = Client()
        client.cookies[settings.SESSION_COOKIE_NAME] = ended
        client.get(path, headers={"Accept": accept})
        return client.cookies[settings.SESSION_COOKIE_NAME].value

    assert answered("*/*") == ended
    assert answered("text/html") == "", "a page that is looked at"


def test_a_get_logs_nobody_out(ann: User) -> None:
    here = browser(ann)
    assert here.get(END).headers["Location"] == "/account/"
    assert is_in(here)


# The pages that are open


def cookie_of(client: Client) -> str:
    return f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}"


async def seconds_until_closed(opened: Page) -> float:
    begun = time.monotonic()
    assert await opened.closed() == 4401
    return time.monotonic() - begun


def post(client: Client, path: str, form: dict[str, str]) -> Callable[[], Any]:
    return database_sync_to_async(lambda: client.post(path, form))


NEW = "another-good-1!"
SIT = '{"t":"sit","id":"6f1f4f0e-8f0a-4b9e-9c57-0b6f2b3d9a11","seat":1}'
PASSWORDS = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
@pytest.mark.parametrize(
    ("path", "form"),
    [
        (END, {"others": ""}),
        (END, {"everywhere": ""}),
        ("/accounts/password/change/", PASSWORDS),
        ("/account/delete/", {"name": "ann", "password": PASSWORD}),
    ],
)
async def test_open_tables_of_other_sessions_are_closed_at_once(
    casino: TableClient, ann: User, ben: User, path: str, form: dict[str, str]
) -> None:
    here = await sync_to_async(browser)(ann)
    async with page(casino.table_id, ann) as other, page(casino.table_id, ben) as bens:
        await other.frame_of("snapshot")
        await bens.frame_of("snapshot")
        await post(here, path, form)()
        assert await seconds_until_closed(other) < AT_ONCE
        assert (await bens.send(t="sit", seat=2))["t"] == "done"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_a_plain_logout_closes_its_own_tables_and_no_others(
    casino: TableClient, ann: User
) -> None:
    here = await sync_to_async(browser)(ann)
    cookie = await sync_to_async(cookie_of)(here)
    async with (
        page(casino.table_id, cookie=cookie) as mine,
        page(casino.table_id, ann) as other,
    ):
        await mine.frame_of("snapshot")
        await other.frame_of("snapshot")
        await post(here, "/accounts/logout/", {})()
        assert await seconds_until_closed(mine) < AT_ONCE
        await asyncio.sleep(0.2)
        assert (await other.send(t="sit", seat=1))["t"] == "done"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_a_new_password_leaves_the_browsers_own_tables_until_it_has_its_new_key(
    casino: TableClient, ann: User
) -> None:
    here = await sync_to_async(browser)(ann)
    cookie = await sync_to_async(cookie_of)(here)
    async with page(casino.table_id, cookie=cookie) as mine, page(casino.table_id, ann) as other:
        await mine.frame_of("snapshot")
        await other.frame_of("snapshot")
        await post(here, "/accounts/password/change/", PASSWORDS)()
        assert await seconds_until_closed(other) < AT_ONCE
        # Not closed with the others: it comes back under the new key when it asks for something.
        await mine.communicator.send_to(text_data=SIT)
        assert await mine.closed() == 4401
        assert not await Seat.objects.aexists()
    assert await sync_to_async(is_in)(here)


async def end_by_a_new_password(ann: User, _ben: User) -> User | None:
    ann.set_password(NEW)
    await ann.asave()
    return ann


async def end_by_freezing(ann: User, _ben: User) -> User | None:
    ann.is_active, ann.frozen_at = False, timezone.now()
    await ann.asave()
    return ann


async def end_by_a_logout(_ann: User, _ben: User) -> User | None:
    return None


async def end_by_another_login(_ann: User, ben: User) -> User | None:
    return ben


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
@pytest.mark.parametrize(
    "end", [end_by_a_new_password, end_by_freezing, end_by_a_logout, end_by_another_login]
)
async def test_a_players_page_whose_line_was_cut_meanwhile_comes_back_to_be_loaded_again(
    casino: TableClient,
    ann: User,
    ben: User,
    end: Callable[[User, User], Awaitable[User | None]],
) -> None:
    """It could not be closed in the moment itself, and goes on as nobody's if it is let in."""
    cookies = {None: "", ann: await session_cookie(ann), ben: await session_cookie(ben)}
    async with page(casino.table_id, cookie=cookies[ann], drawn_for=ann.pk) as anns:
        assert (await anns.frame_of("snapshot"))["you"]["player"] == "ann"
    cookie = cookies[await end(ann, ben)]
    async with page(casino.table_id, cookie=cookie, drawn_for=ann.pk) as back:
        assert await back.closed() == 4401
        assert back.heard == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
@pytest.mark.parametrize("query", ["player=x", "player=0", "player=%ff", "player=", "&" * 2000])
async def test_what_an_address_says_of_its_page_is_not_believed_nor_does_it_do_harm(
    casino: TableClient, ann: User, query: str
) -> None:
    cookie = await session_cookie(ann)
    path = f"/ws/tables/{casino.table_id}/?{query}"
    headers = [(b"origin", ORIGIN.encode()), (b"cookie", cookie.encode())]
    opened = WebsocketCommunicator(application, path, headers=headers)
    assert (await opened.connect(timeout=5))[0]
    anns = Page(opened)
    if query.strip("&=") in ("player", ""):
        assert (await anns.frame_of("snapshot"))["you"]["player"] == "ann"
    else:
        assert await anns.closed() == 4401
    await opened.disconnect()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_another_name_has_ones_own_tables_loaded_again(
    casino: TableClient, ann: User
) -> None:
    here = await sync_to_async(browser)(ann)
    await post(here, "/accounts/reauthenticate/", {"password": PASSWORD})()
    async with page(casino.table_id, ann) as mine:
        await mine.frame_of("snapshot")
        await mine.send(t="sit", seat=1)
        await post(here, "/account/name/", {"username": "Annabel"})()
        assert await seconds_until_closed(mine) < AT_ONCE
    async with page(casino.table_id, ann) as again:
        snapshot = await again.frame_of("snapshot")
        assert snapshot["you"]["player"] == "Annabel"
        assert snapshot["table"]["seats"][0]["player"] == "Annabel"
