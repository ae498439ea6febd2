"""From a player's command to the last of three seats having its frame, beside a bare fan-out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tests.server import Server, prepare, serving
from tests.wire_player import WirePlayer

RUNS = 5
COMMANDS = 60
PAUSE = 0.045
"""Seconds between commands: no socket may send more than ten a second."""
CASINO = 1


async def measure(folder: Path) -> list[dict[str, Any]]:
    """One JSON line a figure, in milliseconds."""
    folder.mkdir()
    prepared = prepare(folder / "prepared")
    with serving(folder, prepared, module="tests.bench.floor_server") as server:
        players = [WirePlayer(server.url, f"player{seat}") for seat in (1, 2, 3)]
        for seat, player in enumerate(players, start=1):
            player.sign_up()
            await player.open(CASINO)
            await player.send(t="sit", seat=seat)
        await catch_up(players)
        echoes = await floor_sockets(server)
        runs = [await one_run(players, echoes) for _ in range(RUNS)]
        for closing in (*echoes, *(player.socket for player in players)):
            await closing.close()
    return list(figures(runs))


def figures(runs: list[tuple[list[float], list[float]]]) -> Iterator[dict[str, Any]]:
    for name, of in (("p50", median), ("p99", lambda times: quantiles(times, n=100)[98])):
        value = median(of(product) for product, _ in runs) * 1000
        floor = median(of(echo) for _, echo in runs) * 1000
        yield {
            "name": f"command_to_last_of_three_seats_{name}_ms",
            "value": round(value, 2),
            "floor": round(floor, 2),
            "floor_is": "a bare Channels consumer with group_send to three, on the same server",
            "ratio": round(value / floor, 2),
        }


async def one_run(
    players: list[WirePlayer], echoes: list[ClientConnection]
) -> tuple[list[float], list[float]]:
    """Times of commands and of echoed messages, by turns."""
    product, floor = [], []
    for number in range(COMMANDS):
        product.append(await one_command(players))
        floor.append(await one_echo(echoes, f"{number:0>900}"))
        await asyncio.sleep(PAUSE)
    return product, floor


async def one_command(players: list[WirePlayer]) -> float:
    """The next sensible command of whoever is to decide, till all three have its frame."""
    player, fields = next_command(players)
    seq = players[0].seq + 1
    began = time.perf_counter()
    others = [other.until(seq) for other in players if other is not player]
    answer, *_ = await asyncio.gather(player.send(turn=player.table["turn"], **fields), *others)
    took = time.perf_counter() - began
    assert answer["t"] == "done", answer
    await catch_up(players)
    return took


def next_command(players: list[WirePlayer]) -> tuple[WirePlayer, dict[str, Any]]:
    table = players[0].table
    if table["asked"]:
        seat = table["asked"]["seat"]
        hand = table["seats"][seat - 1]["hands"][table["asked"]["hand"] - 1]
        return players[seat - 1], {"t": "hit" if hand["total"] < 12 else "stand"}
    waiting = next(seat for seat in table["seats"] if seat.get("stake") is None)
    return players[waiting["seat"] - 1], {"t": "bet", "stake": 1000}


async def catch_up(players: list[WirePlayer]) -> None:
    last = max(player.seq for player in players)
    for player in players:
        await player.until(last)


async def floor_sockets(server: Server) -> list[ClientConnection]:
    address = f"ws://localhost:{server.port}/floor/"
    return [await connect(address) for _ in range(3)]


async def one_echo(sockets: list[ClientConnection], text: str) -> float:
    began = time.perf_counter()
    await sockets[0].send(text)
    await asyncio.gather(*(socket.recv() for socket in sockets))
    return time.perf_counter() - began
