"""What becomes at once of open pages when an operator changes what their player is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.http import get_socket_address
from accounts.models import User
from accounts.staff import assignment, roles
from accounts.staff.second_operator import LEAST_TIME
from blackjack_site.asgi import application
from tables.models import Table
from tables.operators.players import freezing
from tables.realtime import periodic_tasks
from tables.realtime.publishing import close_ended_sessions
from tables.realtime.writers.writer import writer
from tests.game.test_host_commands import made_by
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import ORIGIN, Page, page, session_cookie

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]

Role = Callable[..., User]


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def olga(db: None) -> User:
    """Says who may what."""
    return User.objects.create_superuser("olga", password="blackjack-21!")


@pytest.fixture
def olgas(olga: User) -> Client:
    """Her browser."""
    client = Client()
    client.force_login(olga)
    return client


async def post(client: Client, path: str, **data: str) -> None:
    answer = await sync_to_async(client.post)(path, data)
    assert answer.status_code == 302


async def test_who_is_an_operator_no_more_watches_no_private_table(
    ann: User, operator: Role, olgas: Client
) -> None:
    floor = await sync_to_async(operator)("floor")
    private = await sync_to_async(made_by)(ann, is_private=True)
    async with page(private.table_id, floor) as floors, page(private.table_id, ann) as anns:
        await floors.frame_of("snapshot")
        await anns.frame_of("snapshot")
        await post(olgas, f"/admin/players/{floor.pk}/role/")
        assert await floors.closed() == 4401
        async with page(private.table_id, floor) as again:
            assert await again.closed() == 4404
        assert (await anns.send(t="sit", seat=1))["t"] == "done"


async def test_a_password_that_a_superuser_sets_ends_what_is_open_under_the_old_one(
    casino: TableClient, ann: User, ben: User, olgas: Client
) -> None:
    async with page(casino.table_id, ann) as anns, page(casino.table_id, ben) as bens:
        await anns.frame_of("snapshot")
        await bens.frame_of("snapshot")
        path, new = f"/admin/accounts/user/{ann.pk}/password/", "another-21!"
        await post(olgas, path, password1=new, password2=new)
        assert await anns.closed() == 4401
        assert (await bens.send(t="sit", seat=1))["t"] == "done"


async def test_the_pages_of_a_session_that_an_operator_ends_close_at_once(
    casino: TableClient, ann: User, ben: User, olgas: Client
) -> None:
    async with page(casino.table_id, ann) as anns, page(casino.table_id, ben) as bens:
        await anns.frame_of("snapshot")
        await bens.frame_of("snapshot")
        await post(olgas, f"/admin/players/{ann.pk}/sessions/end/")
        assert await anns.closed() == 4401
        assert (await bens.send(t="sit", seat=1))["t"] == "done"


async def test_a_role_that_comes_after_24_hours_comes_with_the_periodic_checks(
    ann: User, operator: Role
) -> None:
    """And the open pages of its holder show it."""
    mia, now = await sync_to_async(operator)("manager"), timezone.now()
    ask = partial(assignment.assign, Operator(mia.pk), ann.pk, ["manager"], now - LEAST_TIME)
    private = await sync_to_async(made_by)(ann, is_private=True)
    assert (await sync_to_async(ask)()).waits
    async with page(private.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        await periodic_tasks.apply_due_changes()
        assert await anns.closed() == 4401
    assert await sync_to_async(roles.list_roles)(ann) == ["manager"]


async def test_a_password_that_was_refused_ends_nothing(
    casino: TableClient, ann: User, olgas: Client
) -> None:
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        path = f"/admin/accounts/user/{ann.pk}/password/"
        answer = await sync_to_async(olgas.post)(path, {"password1": "a", "password2": "b"})
        assert answer.status_code == 200
        await asyncio.sleep(0.2)
        assert (await anns.send(t="sit", seat=1))["t"] == "done"


async def test_a_page_that_is_opened_while_its_player_is_frozen_is_closed(
    casino: TableClient, ann: User, olga: User
) -> None:
    cookie = await session_cookie(ann)
    headers = [(b"origin", ORIGIN.encode()), (b"cookie", cookie.encode())]
    path = f"/ws/tables/{casino.table_id}/"
    is_busy, go_on = threading.Event(), threading.Event()
    writer.submit(lambda: is_busy.set() or go_on.wait(20))
    await asyncio.to_thread(is_busy.wait, 10)
    opened = WebsocketCommunicator(application, path, headers=headers)
    try:
        assert (await opened.connect(timeout=5))[0]  # let in at the door, and waits for the table
        frozen = await sync_to_async(freezing.freeze)(
            Operator(olga.pk), ann.pk, "Two accounts.", timezone.now()
        )
        assert frozen.value
        close_ended_sessions(ann.pk)
    finally:
        go_on.set()
    anns = Page(opened)
    assert await anns.closed() == 4401
    assert anns.heard == []
    await opened.disconnect()
    assert not await Table.objects.filter(seats__user=ann).aexists()


async def test_what_an_operator_does_on_the_players_page_is_written_down_with_the_address(
    ann: User, ben: User, operator: Role
) -> None:
    floor = await sync_to_async(operator)("floor")
    table = await sync_to_async(made_by)(ann)
    async with page(table.table_id, floor, address="192.0.2.7") as floors:
        await floors.frame_of("snapshot")
        for fields in (
            {"t": "lock", "on": True},
            {"t": "silence", "player": "ben", "on": True},
            {"t": "silence", "player": "ben", "on": False},
            {"t": "close"},
        ):
            assert (await floors.send(**fields))["t"] == "done"
    acts = await sync_to_async(lambda: list(audit_log.list_entries(f"table:{table.table_id}")))()
    assert [(act.what, act.address) for act in reversed(acts)] == [
        ("edit_table", "192.0.2.7"), ("silence", "192.0.2.7"), ("unsilence", "192.0.2.7"),
        ("close_table", "192.0.2.7"),
    ]  # fmt: skip


async def test_an_operator_behind_more_proxies_than_there_are_is_at_no_address(
    ann: User, operator: Role, settings: Any
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 2
    floor = await sync_to_async(operator)("floor")
    table = await sync_to_async(made_by)(ann)
    scope = {"type": "websocket", "path": "/", "headers": [(b"x-forwarded-for", b"192.0.2.7")]}
    assert get_socket_address(scope) is None
    forwarded = (b"x-forwarded-for", b"192.0.2.7, 10.0.0.1")
    assert get_socket_address({**scope, "headers": [forwarded]}) == "192.0.2.7"
    async with page(table.table_id, floor) as floors:
        assert (await floors.send(t="lock", on=True))["t"] == "done"
    assert (
        await sync_to_async(audit_log.list_entries(f"table:{table.table_id}").get)()
    ).address is None
