"""Open lobbies are sent the cards of tables that changed: drawn once, and to who may see them."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from accounts.lib import server_clock
from accounts.models import User
from tables import access
from tables.game import lifecycle
from tables.lobby import cards
from tables.protocol.topics import LIST_AGAIN, LOBBY_PAGES, hidden_table, table_topic, user_topic
from tables.realtime import lobby_feed
from tables.realtime.hub import Hub
from tables.realtime.lobby_feed import LobbyFeed
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db(transaction=True)
SOON = 5


class Lobby:
    """An open lobby, as the hub knows it."""

    session_key = None
    is_in_sight = True

    def __init__(self, hub: Hub, user: User | None = None, language: str = "en") -> None:
        self.user_id = user.pk if user else None
        self.language = language
        self.frames: list[dict[str, Any]] = []
        self.moments: list[float] = []
        """When each frame was sent, by the clock of the loop."""
        hub.register(self)
        hub.join(self, [LOBBY_PAGES])

    def push(self, text: str) -> None:
        self.frames.append(json.loads(text))
        self.moments.append(asyncio.get_running_loop().time())

    async def cards(self) -> dict[int, str | None]:
        """The cards of the next frame."""
        async with asyncio.timeout(SOON):
            while not self.frames:
                await asyncio.sleep(0.01)
        frame = self.frames.pop(0)
        assert frame["t"] == "lobby_tables"
        return {card["id"]: card["html"] for card in frame["tables"]}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, str]]]:
    """The cards that are rendered: table and language."""
    renderings: list[tuple[int, str]] = []
    render = cards.render_to_string

    def note(template: str, context: dict[str, Any]) -> str:
        renderings.append((context["table"].id, cards.get_language() or ""))
        return render(template, context)

    monkeypatch.setattr(cards, "render_to_string", note)
    cards._render.cache_clear()
    yield renderings
    cards._render.cache_clear()


@pytest.fixture
async def hub() -> Hub:
    return Hub()


@pytest.fixture
async def feed(hub: Hub) -> LobbyFeed:
    new_feed = LobbyFeed(hub)
    new_feed.start()
    return new_feed


def change(hub: Hub, at: TableClient) -> None:
    hub.publish([("lobby", table_topic(at.table_id))])


async def test_two_hundred_lobbies_cost_one_card_for_a_language(
    hub: Hub, feed: LobbyFeed, casino: TableClient, classic: TableClient,
    drawn: list[tuple[int, str]],
) -> None:  # fmt: skip
    lobbies = [Lobby(hub, language="de" if n % 2 else "en") for n in range(200)]
    for _ in range(50):
        change(hub, casino)
    change(hub, classic)
    for lobby in lobbies:
        assert (await lobby.cards()).keys() == {casino.table_id, classic.table_id}
    expected = [(at.table_id, language) for at in (casino, classic) for language in ("de", "en")]
    assert sorted(drawn) == sorted(expected)
    assert [lobby.frames for lobby in lobbies] == [[]] * 200


async def test_frames_are_a_second_apart(
    hub: Hub, feed: LobbyFeed, casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_feed, "SHORTEST_PAUSE", 1.0)
    lobby = Lobby(hub)
    for _ in range(4):
        change(hub, casino)
        await lobby.cards()
        change(hub, casino)
    assert all(b - a >= 0.25 for a, b in pairwise(lobby.moments[1:]))  # the first is drawn for long


async def test_who_sits_there_and_who_hosts_it_see_a_card_of_their_own(
    hub: Hub, feed: LobbyFeed, casino: TableClient, ann: User, ben: User
) -> None:
    await sync_to_async(casino.sit)(ann, 1)
    anns, bens, strangers = Lobby(hub, ann), Lobby(hub, ben), Lobby(hub)
    change(hub, casino)
    own, bens_card, public = [
        (await lobby.cards())[casino.table_id] or "" for lobby in (anns, bens, strangers)
    ]
    assert "Back to your seat" in own
    assert "Back to your seat" not in public
    assert bens_card == public


async def test_a_private_table_is_sent_to_its_host_players_and_guests_alone(
    hub: Hub, feed: LobbyFeed, ann: User, ben: User, cleo: User, dora: User
) -> None:
    def make() -> TableClient:
        private = lifecycle.open_table(
            name="Friday", rules_key="casino", host_id=ann.pk, is_private=True
        )
        access.grant_access(private, cleo.pk)
        at = TableClient(private.pk)
        access.grant_access(private, ben.pk)
        at.sit(ben, 1)
        return at

    at = await sync_to_async(make)()
    let_in = [Lobby(hub, user) for user in (ann, ben, cleo)]
    others = [Lobby(hub, dora), Lobby(hub)]
    change(hub, at)
    for lobby in let_in:
        assert "Friday" in ((await lobby.cards())[at.table_id] or "")
    await asyncio.sleep(0.2)
    assert [lobby.frames for lobby in others] == [[], []]
    await sync_to_async(access.take_off_lists)(at.table_id, cleo.pk)
    change(hub, at)
    await let_in[0].cards()
    await let_in[1].cards()
    assert let_in[2].frames == []


async def test_a_table_that_became_private_leaves_the_other_lists(
    hub: Hub, feed: LobbyFeed, ann: User
) -> None:
    table = await sync_to_async(lifecycle.open_table)(
        name="Secret now", rules_key="casino", host_id=ann.pk, is_private=True
    )
    anns, strangers = Lobby(hub, ann), Lobby(hub)
    hub.publish([("lobby", hidden_table(table.pk))])
    assert "Secret now" in ((await anns.cards())[table.pk] or "")
    assert await strangers.cards() == {table.pk: None}


async def test_who_has_lost_access_fetches_the_list(
    hub: Hub, feed: LobbyFeed, ann: User, ben: User
) -> None:
    """By a new code, a ban, or off the own list; the others are told nothing."""
    guest, other, since = Lobby(hub, ann), Lobby(hub, ben), server_clock.now()
    hub.publish([("lobby", user_topic(ann.pk))])
    assert guest.frames == [{"t": "lobby_changed"}]
    assert other.frames == []
    for user, frames in ((ann, [{"t": "lobby_changed"}]), (ben, [])):
        late = Lobby(hub, user)
        feed.add_page(late, since)
        assert late.frames == frames, "it was away meanwhile"


async def test_a_closed_table_leaves_the_lists(
    hub: Hub, feed: LobbyFeed, casino: TableClient
) -> None:
    def close() -> None:
        row = casino.row
        row.closed_at = server_clock.now()
        row.save(update_fields=["closed_at"])

    await sync_to_async(close)()
    lobby = Lobby(hub)
    change(hub, casino)
    assert await lobby.cards() == {casino.table_id: None}


async def test_a_page_is_told_what_changed_while_it_was_loaded(
    hub: Hub, feed: LobbyFeed, casino: TableClient
) -> None:
    began = server_clock.now()
    change(hub, casino)
    late = Lobby(hub)
    feed.add_page(late, began)
    assert (await late.cards()).keys() == {casino.table_id}


async def test_a_page_that_is_current_is_sent_nothing(
    hub: Hub, feed: LobbyFeed, casino: TableClient
) -> None:
    change(hub, casino)
    await asyncio.sleep(0.2)
    current = Lobby(hub)
    feed.add_page(current, server_clock.now())
    await asyncio.sleep(0.2)
    assert current.frames == []


@pytest.mark.parametrize("age", [None, dt.timedelta(minutes=5)], ids=["no time", "old"])
async def test_a_page_that_may_have_missed_something_fetches_the_list_once(
    hub: Hub, feed: LobbyFeed, age: dt.timedelta | None
) -> None:
    page = Lobby(hub)
    feed.add_page(page, None if age is None else server_clock.now() - age)
    assert page.frames == [{"t": "lobby_changed"}]


async def test_after_lost_messages_every_page_fetches_once(hub: Hub, feed: LobbyFeed) -> None:
    pages = [Lobby(hub) for _ in range(3)]
    began = server_clock.now()
    hub.publish([("lobby", LIST_AGAIN)])
    assert [page.frames for page in pages] == [[{"t": "lobby_changed"}]] * 3
    late = Lobby(hub)
    feed.add_page(late, began)
    assert late.frames == [{"t": "lobby_changed"}]


async def test_when_the_database_fails_pages_are_told_to_fetch(
    hub: Hub, feed: LobbyFeed, casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no database")

    monkeypatch.setattr(lobby_feed.cards, "draw_changes", broken)
    page = Lobby(hub)
    change(hub, casino)
    async with asyncio.timeout(SOON):
        while not page.frames:
            await asyncio.sleep(0.01)
    assert page.frames == [{"t": "lobby_changed"}]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    connection.close()
