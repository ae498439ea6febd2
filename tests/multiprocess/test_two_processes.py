"""One table, two server processes, PostgreSQL and Redis between them. Also: uvicorn."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from contextlib import suppress
from uuid import uuid4

import pytest
from redis import Redis
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from tables.protocol.topics import table_topic
from tests.helpers.socket_player import PASSWORD, SocketPlayer
from tests.multiprocess.two_servers import CASINO, ON_DAPHNE, ON_UVICORN, VEGAS, TwoServers

SOON = 10.0
"""Seconds, on a busy machine; what only the look round finds may take twenty."""


async def play_a_round(ann: SocketPlayer, ben: SocketPlayer) -> None:
    for player, other in ((ann, ben), (ben, ann)):
        await player.until(other.seq)
        await player.decide("bet", stake=1000)
    await finish_round(ann, ben)


async def finish_round(ann: SocketPlayer, ben: SocketPlayer) -> None:
    await ann.until(ben.seq)
    while (decision := ann.table["asked"]) is not None:
        player, other = (ann, ben) if decision["seat"] == 1 else (ben, ann)
        await player.until(other.seq)
        await player.decide("stand")
        await ann.until(player.seq)
    await ben.until(ann.seq)


async def test_friends_on_two_processes_see_one_table(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    ann, ben = friends
    for _ in range(3):
        await play_a_round(ann, ben)
        assert ann.table == ben.table
    audit = scaled.first.manage("audit")
    assert audit.returncode == 0, audit.stderr


@pytest.mark.long
@ON_UVICORN
async def test_of_what_two_processes_tell_of_a_wallet_it_is_known_which_is_later(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    ann, _ = friends
    elsewhere = await second_browser(ann, scaled.second.url)
    elsewhere.url = scaled.second.url
    await elsewhere.open(VEGAS)
    assert (await elsewhere.send(t="sit", seat=1))["t"] == "done"
    for page in (ann, elsewhere):
        bet = {"t": "bet", "id": str(uuid4()), "turn": page.table["turn"], "stake": 1000}
        await page.socket.send(json.dumps(bet))
    balances = []
    async with asyncio.timeout(SOON):
        for page in (ann, elsewhere):
            frames = [await page.frame_of("wallet") for _ in range(2)]
            balances.append({frame["seq"]: frame["balance"] for frame in frames})
    assert balances[0] == balances[1]
    you = (await ann.open(CASINO))["you"]
    assert max(balances[0].items()) == (you["balance_seq"], you["balance"])
    await elsewhere.close()


@pytest.mark.long(seconds=35)
@ON_UVICORN
async def test_case_60_a_seat_is_offered_across_processes_and_its_time_ends_when_one_dies(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    ann, _ = friends
    cleo, dora, erin = (
        SocketPlayer(server.url, name)
        for server, name in (
            (scaled.first, "cleo"), (scaled.second, "dora"), (scaled.second, "erin"),
        )
    )  # fmt: skip
    for player in (cleo, dora, erin):
        await asyncio.to_thread(player.sign_up)
        await player.open(CASINO)
    assert (await cleo.send(t="sit", seat=3))["t"] == "done"
    for player in (dora, erin):
        await player.until(cleo.seq)
        assert (await player.send(t="queue_up"))["t"] == "done"
    await asyncio.sleep(2)  # that their pages are open is written a little later
    assert (await ann.send(t="leave"))["t"] == "done"
    await asyncio.wait_for(dora.until(ann.seq), SOON)
    assert [(one["player"], one.get("seat")) for one in dora.table["queue"]] == [
        ("dora", 1),
        ("erin", None),
    ]
    assert (await ann.send(t="sit", seat=1))["code"] == "seat_offered"
    assert scaled.first.process is not None
    scaled.first.process.kill()  # it had set the end of the offer; the other one has to find it
    async with asyncio.timeout(30 + SOON):
        while dora.table["queue"][0]["player"] == "dora":
            await dora.frame()
    assert "offer_lapsed" in dora.happened
    assert (await dora.send(t="sit", seat=1))["code"] == "seat_offered"
    assert (await erin.send(t="sit", seat=1))["t"] == "done"
    await dora.close()
    await erin.close()


@pytest.mark.long
@ON_UVICORN
async def test_without_redis_play_goes_on_and_pages_catch_up_by_the_heartbeat(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    ann, ben = friends
    scaled.redis.kill()
    await ann.decide("bet", stake=1000)
    while (await ben.frame_of("heartbeat"))["seq"] <= ben.seq:
        pass
    await ben.socket.send('{"t":"resync"}')
    await ben.frame_of("snapshot")
    assert ben.seq == ann.seq
    scaled.redis.start()
    with Redis(port=scaled.redis.port) as client:
        channel = f"blackjack:0:{table_topic(CASINO)}"
        async with asyncio.timeout(SOON):
            while client.pubsub_numsub(channel)[0][1] < 2:  # both follow the table again
                await asyncio.sleep(0.1)
    await ben.decide("bet", stake=1000)
    await asyncio.wait_for(ann.until(ben.seq), SOON)
    assert ann.table == ben.table


@pytest.mark.long
@ON_UVICORN
async def test_what_was_told_without_redis_is_told_again_when_it_is_back(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    """A balance, what the house says to everybody, that the lobby has changed, who has left."""
    ann, ben = friends
    bens = await second_browser(ben, scaled.first.url)
    anns = await second_browser(ann, scaled.second.url)
    address = scaled.first.url.replace("http", "ws", 1)
    async with connect(f"{address}/ws/lobby/", origin=Origin(scaled.first.url)) as lobby:
        scaled.redis.kill()
        await ben.decide("bet", stake=1000)
        await asyncio.to_thread(anns.post, "/accounts/logout/", "/accounts/logout/")
        result = scaled.second.manage(
            "shell", "-c",
            "from accounts.models import HouseSettings; from django.utils import timezone;"
            "now = timezone.now();"
            "HouseSettings.objects.update(announcement='Wine is served', announced_at=now)",
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        await silence(lobby)
        scaled.redis.start()
        async with asyncio.timeout(SOON):
            assert await closed_within(anns, SOON)
            while (await bens.frame_of("house_news"))["house"].get("announcement") is None:
                assert bens.balance == 50_000
            while bens.balance != 49_000:
                await bens.frame_of("wallet")
            while json.loads(await lobby.recv())["t"] != "lobby_changed":
                pass
    for browser in (anns, bens):
        await browser.close()


async def silence(socket: ClientConnection) -> None:
    """Wait until what was sent before is heard."""
    with suppress(TimeoutError):
        while True:
            await asyncio.wait_for(socket.recv(), 1)


@ON_DAPHNE
async def test_a_killed_process_leaves_its_table_to_the_other(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    ann, ben = friends
    await ann.decide("bet", stake=1000)
    await ben.until(ann.seq)
    scaled.first.stop(signal.SIGKILL)
    await ben.decide("bet", stake=1000)
    ann.url = scaled.second.url
    await ann.open(CASINO)
    assert ann.table == ben.table
    assert ann.balance == 49_000 + paid_already(ann, 1)


@ON_UVICORN
async def test_a_process_that_hangs_holds_no_table(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    ann, ben = friends
    await ann.until(ben.seq)
    await ann.decide("bet", stake=1000)
    await ben.until(ann.seq)
    assert scaled.first.process is not None
    scaled.first.process.send_signal(signal.SIGSTOP)
    await ben.decide("bet", stake=1000)
    assert ben.balance == 49_000 + paid_already(ben, 2)
    scaled.first.process.send_signal(signal.SIGCONT)
    await finish_round(ann, ben)
    audit = await asyncio.to_thread(scaled.first.manage, "audit")
    assert audit.returncode == 0, audit.stderr


@ON_UVICORN
async def test_logging_out_everywhere_closes_the_pages_of_the_other_process(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    ann, ben = friends
    ann.url = scaled.second.url
    await ann.open(CASINO)
    ann.url = scaled.first.url
    here, there = ann.sockets
    form = {"everywhere": ""}
    page = await asyncio.to_thread(ann.post, "/account/", "/account/sessions/end/", **form)
    assert "You are logged out on all devices." in page
    for socket in (here, there):
        await asyncio.wait_for(socket.wait_closed(), SOON)
        assert socket.close_code == 4401
    assert (await ben.send(t="leave"))["t"] == "done"


def paid_already(player: SocketPlayer, seat: int) -> int:
    """What the player has won: the cards are not stacked, so the hand may be over at once."""
    hands = player.table["seats"][seat - 1]["hands"]
    return sum(hand.get("payout", 0) for hand in hands)


async def second_browser(player: SocketPlayer, url: str) -> SocketPlayer:
    """Another browser of the same player, with a page open at the server with this address."""
    other = SocketPlayer(player.url, player.name)
    path = "/accounts/login/"
    await asyncio.to_thread(other.post, path, path, login=player.name, password=PASSWORD)
    other.url = url
    await other.open(CASINO)
    other.url = player.url
    return other


async def closed_within(player: SocketPlayer, seconds: float) -> bool:
    """Whether the page that was opened last ends in time, as one whose session is over."""
    await asyncio.wait_for(player.socket.wait_closed(), seconds)
    return player.socket.close_code == 4401


@pytest.mark.long(seconds=20)
@ON_UVICORN
async def test_case_28_the_other_process_closes_pages_too_and_without_redis_a_little_later(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    ann, ben = friends
    logout, change = "/accounts/logout/", "/accounts/password/change/"
    new = {"oldpassword": PASSWORD, "password1": "another-1-good", "password2": "another-1-good"}
    out = await second_browser(ann, scaled.second.url)
    await asyncio.to_thread(out.post, logout, logout)
    assert await closed_within(out, SOON)
    elsewhere = await second_browser(ben, scaled.first.url)
    await asyncio.to_thread(ben.post, change, change, **new)
    assert await closed_within(elsewhere, SOON)
    idle, busy = [await second_browser(ann, scaled.second.url) for _ in range(2)]
    scaled.redis.kill()
    for browser in (idle, busy):
        await asyncio.to_thread(browser.post, logout, logout)
    ended = time.monotonic()
    with pytest.raises(ConnectionClosed):
        await busy.send(t="leave")
    assert await closed_within(busy, 1)
    # Nor do pages fail that count their requests in Redis.
    await asyncio.to_thread(SocketPlayer(scaled.first.url, "cleo").sign_up)
    assert await closed_within(idle, 30 - (time.monotonic() - ended))


@pytest.mark.long
@ON_DAPHNE
async def test_case_30_no_card_that_lies_face_down_goes_through_redis(
    scaled: TwoServers, friends: tuple[SocketPlayer, SocketPlayer]
) -> None:
    ann, ben = friends
    scaled.first.stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th")
    reader, writer = await asyncio.open_connection("127.0.0.1", scaled.redis.port)
    writer.write(b"MONITOR\r\n")
    assert await reader.readline() == b"+OK\r\n"
    for player, other in ((ann, ben), (ben, ann)):
        await player.until(other.seq)
        await player.decide("bet", stake=1000)
    await ann.until(ben.seq)
    assert ann.table["dealer"]["cards"] == ["6h", "??"]
    traffic = b""
    with suppress(TimeoutError):
        while True:
            traffic += await asyncio.wait_for(reader.read(65536), 1)
    writer.close()
    cards = {card for card in ("6h", "Kc", "2c", "3d", "9s") if f'\\"{card}\\"'.encode() in traffic}
    assert cards == {"6h"}
