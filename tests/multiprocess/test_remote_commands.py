"""Commands that go to the process that owns the table, and come back when it can't execute them."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from uuid import uuid4

import pytest
from redis import Redis
from redis import asyncio as redis_asyncio
from websockets.exceptions import ConnectionClosed

from tests.helpers.socket_player import SocketPlayer
from tests.multiprocess.two_servers import (
    CASINO,
    ON_DAPHNE,
    ON_UVICORN,
    Scaled,
    remote_commands,
)

Friends = tuple[SocketPlayer, SocketPlayer]
SOON = 10.0
QUIET_SECONDS = 1.0
PROCESSES = "blackjack:0:process."


async def ann_bets(friends: Friends) -> None:
    """The first server owns the table afterwards, and the second one knows."""
    ann, ben = friends
    await ann.until(ben.seq)
    for command in ({"t": "leave"}, {"t": "sit", "seat": 1}):  # executed where they arrive
        assert (await ann.send(**command))["t"] == "done"
    await ann.decide("bet", stake=1000)
    await ben.until(ann.seq)


async def finish_round(friends: Friends) -> None:
    ann, ben = friends
    await ann.until(ben.seq)
    while (asked := ann.table["asked"]) is not None:
        player, other = (ann, ben) if asked["seat"] == 1 else (ben, ann)
        await player.until(other.seq)
        await player.decide("stand")
        await ann.until(player.seq)
    await ben.until(ann.seq)
    assert ann.table == ben.table


async def audit_finds_nothing(scaled: Scaled) -> None:
    audit = await asyncio.to_thread(scaled.second.manage, "audit")
    assert audit.returncode == 0, audit.stderr


@asynccontextmanager
async def listening(scaled: Scaled) -> AsyncIterator[list[tuple[str, bytes]]]:
    """What goes through Redis, as its channel and its data; all of it at the end of the block."""
    heard: list[tuple[str, bytes]] = []
    async with redis_asyncio.Redis(port=scaled.redis.port) as client, client.pubsub() as pubsub:
        await pubsub.psubscribe("*")
        assert (await pubsub.get_message(timeout=SOON))["type"] == "psubscribe"
        yield heard
        while message := await pubsub.get_message(timeout=QUIET_SECONDS):
            heard.append((message["channel"].decode(), message["data"]))


def own_messages(heard: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    return [(channel, data) for channel, data in heard if channel.startswith(PROCESSES)]


async def test_the_owner_of_a_table_executes_what_comes_to_the_other_process(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    _, ben = friends
    assert await remote_commands(scaled.second) == {}
    await ben.decide("bet", stake=1000)
    assert await remote_commands(scaled.second) == {"executed": 1}
    assert ben.balance == 49_000
    assert await remote_commands(scaled.first) == {}
    await finish_round(friends)
    await audit_finds_nothing(scaled)


@ON_UVICORN
async def test_a_refusal_of_the_owner_is_in_the_language_of_the_page(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    _, ben = friends
    await ben.open(CASINO, language="de")
    refused = await ben.send(t="bet", turn=ben.table["turn"], stake=100_000_000)
    assert await remote_commands(scaled.second) == {"executed": 1}
    assert (refused["t"], refused["code"]) == ("err", "cannot_afford")
    assert "Chips" in refused["message"], refused


@ON_UVICORN
async def test_a_command_whose_owner_was_killed_is_executed_at_once(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    _, ben = friends
    scaled.first.stop(signal.SIGKILL)
    await ben.decide("bet", stake=1000)
    assert await remote_commands(scaled.second) == {"undelivered": 1}
    await audit_finds_nothing(scaled)


@ON_DAPHNE
async def test_a_command_whose_owner_has_stopped_is_executed_at_once(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    _, ben = friends
    assert await asyncio.to_thread(scaled.first.stop, signal.SIGTERM) == 0
    await ben.decide("bet", stake=1000)
    assert await remote_commands(scaled.second) == {"undelivered": 1}


@ON_UVICORN
async def test_a_command_whose_owner_hangs_is_executed_once(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    ann, ben = friends
    assert scaled.first.process is not None
    scaled.first.process.send_signal(signal.SIGSTOP)
    await ben.decide("bet", stake=1000)
    assert await remote_commands(scaled.second) == {"late": 1}
    balance = ben.balance
    scaled.first.process.send_signal(signal.SIGCONT)  # it finds the request
    await ann.until(ben.seq)
    seq = ann.seq
    assert await only_other_frames(ann, QUIET_SECONDS)
    assert (ann.seq, ben.balance) == (seq, balance)
    await finish_round(friends)
    await audit_finds_nothing(scaled)


async def only_other_frames(player: SocketPlayer, seconds: float) -> bool:
    """Whether no change comes for so long."""
    before = player.seq
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while True:
                await player.frame()
    return player.seq == before


@ON_UVICORN
async def test_without_redis_a_process_executes_all_commands_itself(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    _, ben = friends
    scaled.redis.kill()
    await ben.decide("bet", stake=1000)
    assert "executed" not in await remote_commands(scaled.second)


@ON_UVICORN
async def test_a_page_whose_session_has_ended_is_closed_wherever_its_command_runs(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    _, ben = friends
    code = "from django.contrib.sessions.models import Session as s; s.objects.all().delete()"
    done = await asyncio.to_thread(scaled.second.manage, "shell", "-c", code)
    assert done.returncode == 0, done.stderr
    with pytest.raises(ConnectionClosed):
        await ben.send(t="bet", turn=ben.table["turn"], stake=1000)
    assert ben.socket.close_code == 4401
    assert await remote_commands(scaled.second) == {"returned": 1}
    await audit_finds_nothing(scaled)


@ON_UVICORN
async def test_a_table_without_pages_at_its_owner_moves_to_the_process_that_has_them(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    ann, ben = friends
    await ann.close()
    ann.url = scaled.second.url
    await ann.open(CASINO)
    await asyncio.sleep(QUIET_SECONDS)  # until the first server has seen its page go
    for _ in range(2):
        await ben.send(t="bet", turn=ben.table["turn"], stake=1000)
        await finish_round(friends)
        await ann.decide("bet", stake=1000)
        await ben.until(ann.seq)
    assert (await remote_commands(scaled.second)) == {"returned": 1}


@ON_UVICORN
async def test_who_reads_redis_learns_no_session_and_who_writes_to_it_plays_for_nobody(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    ann, ben = friends
    keys = [cookie.value for cookie in ben.cookies if cookie.name == "sessionid"]
    async with listening(scaled) as heard:
        await ben.decide("bet", stake=1000)
    messages = own_messages(heard)
    assert len(messages) == 2  # request and reply
    assert keys
    assert not any(key.encode() in data for _, data in heard for key in keys if key)
    await ann.until(ben.seq)
    balance, seq = ben.balance, ben.seq
    forged = {"t": "bet", "id": str(uuid4()), "turn": ben.table["turn"], "stake": 1000}
    with Redis(port=scaled.redis.port) as client:
        for channel in client.pubsub_channels(PROCESSES + "*"):
            for data in (
                *(data for _, data in messages),  # said again
                b"0" * 16 + json.dumps({"type": "request", "number": 1, "order": "AAAA"}).encode(),
                b"0" * 16 + json.dumps({"type": "request", "number": 1, "order": forged}).encode(),
                b"0" * 16 + b"no JSON",
                b"\xff",
            ):
                client.publish(channel, data)
    assert await only_other_frames(ann, QUIET_SECONDS)
    assert (ben.balance, ben.seq) == (balance, seq)
    await finish_round(friends)
    await audit_finds_nothing(scaled)


@ON_UVICORN
async def test_a_request_that_was_refused_is_not_executed_when_it_is_sent_again(
    scaled: Scaled, friends: Friends
) -> None:
    """A refusal leaves no trace, and the command would be allowed by now."""
    ann, ben = friends
    assert (await ben.send(t="leave"))["t"] == "done"
    await ann.until(ben.seq)
    for command in ({"t": "leave"}, {"t": "sit", "seat": 1}):
        assert (await ann.send(**command))["t"] == "done"
    await ben.until(ann.seq)
    client = redis_asyncio.Redis(port=scaled.redis.port)
    async with client, client.pubsub() as pubsub:
        await pubsub.psubscribe(PROCESSES + "*")
        assert (await pubsub.get_message(timeout=SOON))["type"] == "psubscribe"
        refused = await ben.send(t="bet", turn=ben.table["turn"], stake=1000)
        request = await pubsub.get_message(timeout=SOON)
        assert refused["code"] == "not_seated"
        assert (await ben.send(t="sit", seat=2))["t"] == "done"
        number = json.loads(request["data"][16:])["number"]
        for channel in await client.pubsub_channels(PROCESSES + "*"):
            for other in (number, number + 1):
                data = request["data"].replace(b":%d," % number, b":%d," % other)
                for sender in (data[:16], b"attackerattacker"):
                    await client.publish(channel, sender + data[16:])
    await ann.until(ben.seq)
    assert await only_other_frames(ann, QUIET_SECONDS)
    assert (await ben.send(t="bet", turn=ben.table["turn"], stake=2000))["t"] == "done"
    assert ben.balance == 48_000
    await audit_finds_nothing(scaled)


@ON_UVICORN
async def test_a_command_that_meets_a_stopping_owner_is_executed_once(
    scaled: Scaled, friends: Friends
) -> None:
    await ann_bets(friends)
    _, ben = friends
    assert scaled.first.process is not None
    scaled.first.process.send_signal(signal.SIGTERM)
    await ben.decide("bet", stake=1000)
    assert sum((await remote_commands(scaled.second)).values()) == 1
    assert scaled.first.process.wait(15) == 0
    bets = "from accounts.models import WalletEntry as w; print(w.objects.filter(kind='stake').count())"
    counted = await asyncio.to_thread(scaled.second.manage, "shell", "-c", bets)
    assert counted.stdout.split()[-1] == "2", counted.stdout + counted.stderr
    await audit_finds_nothing(scaled)
