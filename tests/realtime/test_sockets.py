"""Sockets, through the whole ASGI application."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from accounts.models import User
from accounts.users import staff_sessions
from blackjack_site.asgi import application
from tables.models import Table
from tables.realtime import heartbeats, snapshots
from tables.realtime.connections import socket_url
from tests.helpers.table_client import TableClient, balance_of, fingerprint

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]

ORIGIN = settings.SITE_ORIGINS[0]
PATIENCE = 30
"""Seconds for what has to come. Other tests use the processors as well."""


class Page:
    """A browser's socket, with the frames it has got so far."""

    def __init__(self, communicator: WebsocketCommunicator) -> None:
        self.communicator = communicator
        self.snapshot: dict[str, Any] = {}
        self.table: dict[str, Any] = {}
        self.heard: list[str] = []

    async def frame(self) -> dict[str, Any]:
        text = await self.communicator.receive_from(timeout=PATIENCE)
        self.heard.append(text)
        frame: dict[str, Any] = json.loads(text)
        if "table" in frame:
            self.table = frame["table"]
        return frame

    async def frame_of(self, kind: str) -> dict[str, Any]:
        """The next frame of this kind; heartbeats and others before it are only noted."""
        while True:
            frame = await self.frame()
            if frame["t"] == kind:
                return frame

    async def send(self, **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        command = {"id": str(uuid.uuid4()), **fields}
        await self.communicator.send_to(text_data=json.dumps(command))
        while True:
            frame = await self.frame()
            if frame.get("id") == command["id"]:
                return frame

    async def closed(self) -> int:
        """Wait for the close code."""
        while True:
            message = await self.communicator.receive_output(timeout=PATIENCE)
            if message["type"] == "websocket.close":
                return int(message["code"])


@asynccontextmanager
async def page(
    table_id: int, user: User | None = None, *, origin: str = ORIGIN, cookie: str = "",
    address: str = "", drawn_for: int | None = None, language: str = "en", seq: object = "",
) -> AsyncIterator[Page]:  # fmt: skip
    """An open socket, always disconnected in the end."""
    if user is not None:
        cookie = await session_cookie(user)
    communicator = WebsocketCommunicator(
        application,
        f"{socket_url.build_table_url(table_id, drawn_for, language)}&seq={seq}",
        headers=[(b"origin", origin.encode()), (b"cookie", cookie.encode())],
    )
    if address:
        communicator.scope["client"] = [address, 54321]
    connected, _ = await communicator.connect(timeout=PATIENCE)
    assert connected
    opened = Page(communicator)
    try:
        yield opened
    finally:
        await communicator.disconnect()


@database_sync_to_async
def session_cookie(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    # As who is logged in by a test's ``force_login``: the password was entered just now.
    entered = {"method": "password", "at": time.time(), "reauthenticated": True}
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [entered]
    session["account_authentication_methods_user"] = str(user.pk)
    session[staff_sessions.SESSION_KEY] = time.time()
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


async def test_a_socket_is_greeted_with_the_table_as_it_is(casino: TableClient, ann: User) -> None:
    async with page(casino.table_id, ann) as anns:
        snapshot = await anns.frame_of("snapshot")
        assert snapshot["t"] == "snapshot"
        assert snapshot["seq"] == 0
        assert snapshot["you"] == {
            "player": "ann", "balance": 50000, "balance_seq": 1, "guest": False, "runs": False,
            "silenced": [], "banned": [], "invite": (await current(casino)).code, "insurance": None,
            "plan": None,
        }  # fmt: skip
        assert snapshot["chat"] == []
        assert snapshot["table"]["seats"] == [{"seat": 1}, {"seat": 2}, {"seat": 3}]


async def test_three_pages_see_one_round(
    casino: TableClient, ann: User, ben: User, dora: User, stack: Callable[..., None]
) -> None:
    stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th")
    async with (
        page(casino.table_id, ann) as anns,
        page(casino.table_id, ben) as bens,
        page(casino.table_id) as watcher,
    ):
        await watcher.frame_of("snapshot")
        await anns.send(t="sit", seat=1)
        await bens.send(t="sit", seat=2)
        await anns.send(t="bet", turn=1, stake=1000)
        await bens.send(t="bet", turn=1, stake=2000)
        for who, what in ((anns, "split"), (anns, "double"), (anns, "stand"), (bens, "stand")):
            turn = (await current(casino)).turn
            assert (await who.send(t=what, turn=turn))["t"] == "done"
        seqs = []
        while len(seqs) < 8:
            seqs.append((await watcher.frame_of("changed"))["seq"])
        assert seqs == [1, 2, 3, 4, 5, 6, 7, 8]
        results = [
            hand["outcome"] for seat in watcher.table["seats"] for hand in seat.get("hands", [])
        ]
        assert results == ["win", "win", "win"]
        assert (await anns.frame_of("wallet"))["balance"] == 53000
        assert not any('"wallet"' in text for text in watcher.heard)


async def test_a_page_that_comes_in_mid_hand_sees_the_table_as_it_is(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 5h")
    async with page(casino.table_id, ann) as first:
        await first.send(t="sit", seat=1)
        await first.send(t="bet", turn=1, stake=1000)
        turn = (await current(casino)).turn
        await first.send(t="hit", turn=turn)
        async with page(casino.table_id, ann) as second:
            snapshot = await second.frame_of("snapshot")
            assert snapshot["table"] == first.table
            assert snapshot["you"]["balance"] == 49000
            assert (await second.send(t="stand", turn=first.table["turn"]))["t"] == "done"
        assert (await first.frame_of("changed"))["table"]["phase"] == "betting"


async def test_a_gap_is_healed_by_asking_for_the_table(casino: TableClient, ann: User) -> None:
    async with page(casino.table_id) as watcher:
        await watcher.frame_of("snapshot")
        async with page(casino.table_id, ann) as anns:
            await anns.send(t="sit", seat=1)
        await watcher.communicator.send_to(text_data='{"t":"resync"}')
        snapshot = await watcher.frame_of("snapshot")
        assert snapshot["seq"] == 1
        assert snapshot["table"]["seats"][0]["player"] == "ann"


async def test_the_heartbeat_says_the_seq_to_be_at(
    casino: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    await database_sync_to_async(casino.sit)(ann, 1)
    async with page(casino.table_id) as watcher:
        await watcher.frame_of("snapshot")
        await heartbeats.of_process.send_all()
        beat = await watcher.frame_of("heartbeat")
        assert beat["seq"] == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad_frame"),
        ("nonsense", "bad_json"),
        ("[]", "bad_json"),
        ("[" * 3000, "bad_json"),
        (" " * 5000, "too_large"),
        ('{"t":"fold"}', "bad_cmd"),
        (
            '{"t":"bet","id":"6f1f4f0e-8f0a-4b9e-9c57-0b6f2b3d9a11","turn":1,"stake":true}',
            "bad_bet",
        ),
    ],
)
async def test_a_bad_frame_is_refused_and_the_socket_stays_good(
    casino: TableClient, ann: User, text: str, code: str
) -> None:
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        before = await database_sync_to_async(fingerprint)(casino)
        await anns.communicator.send_input({"type": "websocket.receive", "text": text})
        answer = await anns.frame_of("err")
        assert answer["code"] == code
        assert await database_sync_to_async(fingerprint)(casino) == before
        assert (await anns.send(t="sit", seat=1))["t"] == "done"


async def test_a_binary_frame_is_refused_and_the_socket_stays_good(
    casino: TableClient, ann: User
) -> None:
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        await anns.communicator.send_to(bytes_data=b"\x00\xff")
        assert (await anns.frame_of("err"))["code"] == "bad_frame"
        assert (await anns.send(t="sit", seat=1))["t"] == "done"


async def test_an_unreadable_command_is_answered_under_its_id(
    casino: TableClient, ann: User
) -> None:
    async with page(casino.table_id, ann) as anns:
        answer = await anns.send(t="bet", turn=1, stake="all of it")
        assert (answer["t"], answer["code"]) == ("err", "bad_bet")


async def test_five_bad_frames_close_the_socket(casino: TableClient, ann: User) -> None:
    async with page(casino.table_id, ann) as anns:
        for _ in range(5):
            await anns.communicator.send_to(text_data="nonsense")
        assert await anns.closed() == 4400


async def test_too_many_frames_close_the_socket(casino: TableClient, ann: User) -> None:
    async with page(casino.table_id, ann) as anns:
        for _ in range(40):
            await anns.communicator.send_to(text_data='{"t":"resync"}')
        assert await anns.closed() == 4429


async def test_who_is_not_logged_in_may_watch_and_not_play(casino: TableClient) -> None:
    async with page(casino.table_id) as watcher:
        snapshot = await watcher.frame_of("snapshot")
        assert (snapshot["you"]["player"], snapshot["you"]["balance"]) == (None, None)
        answer = await watcher.send(t="sit", seat=1)
        assert (answer["t"], answer["code"]) == ("err", "login_required")


async def test_a_table_that_does_not_exist_closes_the_socket(db: None) -> None:
    async with page(999_999) as nowhere:
        assert await nowhere.closed() == 4404


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example", "null", "http://localhost:1", "https://localhost:8000",
        "http://localhost.evil.example:8000", "http://evil-localhost:8000", "",
    ],
)  # fmt: skip
async def test_a_page_of_another_origin_cannot_open_a_socket(
    casino: TableClient, ann: User, origin: str
) -> None:
    communicator = WebsocketCommunicator(
        application, f"/ws/tables/{casino.table_id}/", headers=[(b"origin", origin.encode())]
    )
    connected, _ = await communicator.connect(timeout=PATIENCE)
    assert not connected


async def test_the_lobby_hears_when_a_seat_is_taken(casino: TableClient, ann: User) -> None:
    lobby = WebsocketCommunicator(application, "/ws/lobby/", headers=[(b"origin", ORIGIN.encode())])
    assert (await lobby.connect(timeout=PATIENCE))[0]
    assert json.loads(await lobby.receive_from(timeout=PATIENCE))["t"] == "house_news"
    assert json.loads(await lobby.receive_from(timeout=PATIENCE)) == {"t": "lobby_changed"}
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        frame = json.loads(await lobby.receive_from(timeout=PATIENCE))
        assert (frame["t"], [card["id"] for card in frame["tables"]]) == (
            "lobby_tables", [casino.table_id],
        )  # fmt: skip
        assert "ann" in frame["tables"][0]["html"]
    await lobby.disconnect()


async def test_a_command_is_done_even_if_its_socket_dies_at_once(
    casino: TableClient, ann: User
) -> None:
    async with page(casino.table_id) as watcher:
        await watcher.frame_of("snapshot")
        async with page(casino.table_id, ann) as anns:
            await anns.frame_of("snapshot")
            command = {"t": "sit", "id": str(uuid.uuid4()), "seat": 1}
            await anns.communicator.send_to(text_data=json.dumps(command))
        assert (await watcher.frame_of("changed"))["table"]["seats"][0]["player"] == "ann"


async def test_the_clock_stands_for_an_absent_player(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 8d Kc 5h")
    await Table.objects.filter(pk=casino.table_id).aupdate(turn_seconds=0)
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await anns.send(t="bet", turn=1, stake=1000)
        change = await anns.frame_of("changed")
        assert change["events"][0] == {"type": "clock_ran_out", "seat": 1, "hand": 1}
    assert await database_sync_to_async(balance_of)(ann) == 49000


async def test_a_full_outbox_ends_a_reader_who_does_not_read(
    casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tables.protocol.topics import table_topic
    from tables.realtime.connections.connection import Connection
    from tables.realtime.hub import hub

    async def never(*_: Any) -> None:
        await asyncio.Event().wait()

    async with page(casino.table_id) as watcher:
        await watcher.frame_of("snapshot")
        monkeypatch.setattr(Connection, "send", never)
        hub.publish([(table_topic(casino.table_id), "x" * 1000)] * 300)
        assert await watcher.closed() == 4013


@pytest.mark.long
async def test_a_reader_whose_line_takes_nothing_for_long_is_sent_away(
    casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tables.protocol.topics import table_topic
    from tables.realtime.connections import connection
    from tables.realtime.hub import hub

    room, took, frames = asyncio.Event(), [], [f"frame {number}" for number in range(3)]

    async def slowly(_: connection.Connection, text: str) -> None:
        await room.wait()
        if text in frames:
            took.append(text)

    monkeypatch.setattr(connection, "SECONDS_BEHIND", 2.0)
    async with page(casino.table_id) as watcher:
        await watcher.frame_of("snapshot")
        monkeypatch.setattr(connection.Connection, "send", slowly)
        hub.publish([(table_topic(casino.table_id), text) for text in frames])
        await asyncio.sleep(0.1)
        room.set()
        await asyncio.sleep(2.2)  # by then somebody has looked at the line
        assert took == frames, "it was slow, and not too slow"
        room.clear()
        hub.publish([(table_topic(casino.table_id), "the last one")])
        assert await watcher.closed() == 4013
    assert took == frames


@pytest.mark.long
async def test_a_snapshot_never_comes_after_a_newer_change(
    casino: TableClient, classic: TableClient, ann: User
) -> None:
    async with page(casino.table_id, ann) as anns, page(casino.table_id) as watcher:
        for number in range(40):
            kind = {"t": "sit", "seat": 1} if number % 2 == 0 else {"t": "leave"}
            command = {"id": str(uuid.uuid4()), **kind}
            await anns.communicator.send_to(text_data=json.dumps(command))
            await watcher.communicator.send_to(text_data='{"t":"resync"}')
            if number % 8 == 7:
                await asyncio.sleep(0.9)  # not too many frames at once
        seqs = [0]
        while seqs[-1] < 40:
            frame = await watcher.frame()
            if frame["t"] in {"changed", "snapshot"}:
                seqs.append(frame["seq"])
        assert seqs == sorted(seqs)


async def test_logging_out_elsewhere_closes_the_socket(casino: TableClient, ann: User) -> None:
    from django.contrib.sessions.models import Session

    from tables.realtime import runtime

    async with page(casino.table_id, ann) as anns, page(casino.table_id) as watcher:
        await anns.frame_of("snapshot")
        await watcher.frame_of("snapshot")
        await runtime.run_periodic_checks()
        assert (await anns.send(t="sit", seat=1))["t"] == "done"
        await Session.objects.all().adelete()
        await runtime.run_periodic_checks()
        assert await anns.closed() == 4401
        assert (await watcher.frame_of("changed"))["t"] == "changed"


async def test_who_was_hung_up_on_and_goes_on_sending_is_not_heard(
    casino: TableClient, ann: User
) -> None:
    from django.contrib.sessions.models import Session

    from tables.realtime import runtime

    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        await Session.objects.all().adelete()
        await runtime.run_periodic_checks()
        assert await anns.closed() == 4401
        command = {"t": "sit", "id": str(uuid.uuid4()), "seat": 1}
        await anns.communicator.send_to(text_data=json.dumps(command))
        assert await anns.communicator.receive_nothing(timeout=0.5)
    assert (await current(casino)).seq == 0


async def test_a_changed_password_closes_the_sockets_of_other_sessions(
    casino: TableClient, ann: User
) -> None:
    from tables.realtime import runtime

    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        ann.set_password("another-good-1!")
        await ann.asave()
        await runtime.run_periodic_checks()
        assert await anns.closed() == 4401


async def test_an_address_that_does_not_exist_is_closed_without_a_fuss(
    db: None, caplog: pytest.LogCaptureFixture
) -> None:
    for address in ("/ws/nope/", "/ws/tables/99999999999999999999999/", "/ws/tables/424242/"):
        headers = [(b"origin", ORIGIN.encode())]
        communicator = WebsocketCommunicator(application, address, headers=headers)
        assert (await communicator.connect(timeout=PATIENCE))[0]
        assert (await communicator.receive_output(timeout=PATIENCE))["code"] == 4404
        await communicator.disconnect()
    assert "Traceback" not in caplog.text


async def test_one_table_that_fails_does_not_stop_the_clocks_of_the_others(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    from datetime import timedelta

    from django.utils import timezone

    from tables.game import lifecycle

    stack("Ts 6h 8d Kc 5h")
    broken = await database_sync_to_async(lifecycle.open_table)(name="Broken", rules_key="casino")
    await Table.objects.filter(pk=casino.table_id).aupdate(turn_seconds=1)
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await Table.objects.filter(pk=broken.pk).aupdate(
            state='{"version": 99}', deadline_at=timezone.now() - timedelta(minutes=1)
        )
        await anns.send(t="bet", turn=1, stake=1000)
        change = await anns.frame_of("changed")
        assert change["events"][0] == {"type": "clock_ran_out", "seat": 1, "hand": 1}


async def current(at: TableClient) -> Table:
    return await Table.objects.aget(pk=at.table_id)


async def test_an_open_page_holds_the_seat_and_a_closed_one_does_not(
    casino: TableClient, ann: User, ben: User
) -> None:
    from datetime import timedelta

    from tables.models import Seat
    from tables.realtime import runtime

    await database_sync_to_async(casino.sit)(ann, 1)
    await database_sync_to_async(casino.sit)(ben, 2)
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        long_ago = casino.now - timedelta(minutes=2)
        await Seat.objects.aupdate(sat_at=long_ago)
        await runtime.run_periodic_checks()
        event = {"type": "player_away", "seat": 2, "player": "ben"}
        assert (await anns.frame_of("changed"))["events"] == [event]
        await Seat.objects.filter(user=ben).aupdate(away_since=long_ago)
        await runtime.run_periodic_checks()
        assert (await anns.frame_of("changed"))["events"] == [
            {"type": "player_left", "seat": 2, "player": "ben", "reason": "absent"}
        ]
        assert anns.table["seats"][0]["player"] == "ann"


async def test_sockets_are_counted_by_the_address_that_the_proxy_names(
    casino: TableClient, settings: Any
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT, settings.SOCKETS_PER_ADDRESS = 1, 1

    async def first_answer(address: bytes) -> tuple[WebsocketCommunicator, str]:
        headers = [(b"origin", ORIGIN.encode()), (b"x-forwarded-for", address)]
        path = f"/ws/tables/{casino.table_id}/"
        opened = WebsocketCommunicator(application, path, headers=headers)
        opened.scope["client"] = ("127.0.0.1", 1)
        await opened.connect(timeout=PATIENCE)
        answer = await opened.receive_output(timeout=PATIENCE)
        return opened, str(answer.get("code") or json.loads(answer["text"])["t"])

    answers = [await first_answer(a) for a in (b"192.0.2.7", b"192.0.2.7", b"192.0.2.8")]
    assert [answer for _, answer in answers] == ["snapshot", "4429", "snapshot"]
    for opened, _ in answers:
        await opened.disconnect()


async def test_a_page_is_told_the_events_that_it_has_missed(
    casino: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with page(casino.table_id, ann) as first:
        seq = (await first.frame_of("snapshot"))["seq"]
        for fields in ({"t": "sit", "seat": 1}, {"t": "bet", "turn": 1, "stake": 1000}):
            assert (await first.send(**{**fields, **turn_of(first, fields)}))["t"] == "done"
        await first.communicator.send_to(text_data=json.dumps({"t": "resync", "seq": seq}))
        missed = (await first.frame_of("snapshot"))["missed"]
        assert kinds(missed[0])[0] == "player_sat"
        assert kinds(missed[1])[0] == "bet_placed"
        assert [change["round"] for change in missed] == [None, 1]
        assert all(event["card"] is None for event in hole_cards(missed[1]))

        for unknown in ("", "x", seq + 2, seq + 3, "9" * 15, "9" * 30, "-1"):
            async with page(casino.table_id, seq=unknown) as other:
                assert (await other.frame_of("snapshot"))["missed"] == [], unknown
        async with page(casino.table_id, seq=seq) as other:
            assert (await other.frame_of("snapshot"))["missed"] == missed
        monkeypatch.setattr(snapshots, "MOST_MISSED", 1)
        async with page(casino.table_id, seq=seq) as other:
            assert (await other.frame_of("snapshot"))["missed"] == []


def turn_of(at: Page, fields: dict[str, Any]) -> dict[str, Any]:
    return {"turn": at.table["turn"]} if "turn" in fields else {}


def kinds(change: dict[str, Any]) -> list[str]:
    return [event["type"] for event in change["events"]]


def hole_cards(change: dict[str, Any]) -> list[dict[str, Any]]:
    """The second card of the dealer, where the deal has two."""
    return [one for one in change["events"] if one["type"] == "dealer_card_dealt"][1:2]
