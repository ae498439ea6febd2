"""Three players at one table over real sockets: their rounds, one command after the other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from tests.helpers.socket_player import SocketPlayer

PAUSE = 0.045
"""Seconds between commands: no socket may send more than ten a second."""
STAKE = 1_000
"""0 is bet where nothing is staked."""


async def take_seats(players: Sequence[SocketPlayer], table_id: int) -> None:
    """Everybody opens the table and sits down."""
    for seat, player in enumerate(players, start=1):
        await player.open(table_id)
        await player.send(t="sit", seat=seat)
    await catch_up(players)


async def close_pages(players: Sequence[SocketPlayer]) -> None:
    """Everybody closes the page that was opened last; the seats are held for a while."""
    for player in players:
        await player.sockets.pop().close()


async def play_round(
    players: Sequence[SocketPlayer],
    *,
    hit_below: int = 12,
    stake: int = STAKE,
    pause: float = PAUSE,
) -> None:
    """Bets, decisions, and the round's end, with so many seconds after each command."""
    bets = len(players)
    while bets or players[0].table["asked"]:
        await one_command(players, hit_below, stake)
        await asyncio.sleep(pause)
        bets = max(bets - 1, 0)


async def one_command(
    players: Sequence[SocketPlayer], hit_below: int = 12, stake: int = STAKE
) -> float:
    """The next command of whoever is to decide: how many seconds till all three have its frame."""
    player, fields = next_command(players, hit_below, stake)
    seq = player.seq + 1
    began = time.perf_counter()
    others = [other.until(seq) for other in players if other is not player]
    answer, *_ = await asyncio.gather(player.send(turn=player.table["turn"], **fields), *others)
    took = time.perf_counter() - began
    if answer["t"] != "done":
        raise RuntimeError(f"{fields} was answered {answer}")
    await catch_up(players)
    return took


def next_command(
    players: Sequence[SocketPlayer], hit_below: int, stake: int
) -> tuple[SocketPlayer, dict[str, Any]]:
    """Who is to decide, and what they do: hit below so many, or bet."""
    table = players[0].table
    if table["asked"]:
        seat = table["asked"]["seat"]
        if "decline" in table["asked"]["legal"]:
            return players[seat - 1], {"t": "decline"}
        hand = table["seats"][seat - 1]["hands"][table["asked"]["hand"] - 1]
        return players[seat - 1], {"t": "hit" if hand["total"] < hit_below else "stand"}
    waiting = next(seat for seat in table["seats"] if seat.get("stake") is None)
    return players[waiting["seat"] - 1], {"t": "bet", "stake": stake}


async def catch_up(players: Sequence[SocketPlayer]) -> None:
    """Wait until everybody has heard of the last change."""
    last = max(player.seq for player in players)
    for player in players:
        await player.until(last)
