"""Bytes on the wire: the frame of a hit at a table of three, and all that one of three hears of a
round, for each rule set with three seats.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tables.engine.presets import PRESETS
from tests.bench.playing import STAKE, close_pages, play_round, take_seats
from tests.bench.servers import line, opened
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer

MOST_OF_A_HIT: Final = 1_200
MOST_OF_A_ROUND: Final = 20_000
"""Bytes, with the heads of the frames."""
THREE_SEATS: Final = tuple(key for key, rules in PRESETS.items() if rules.seats == 3)
NAMES: Final = ("player_one", "player_two", "player_three")
SHOE: Final = (
    "2s 2h 2d 9c 3s 3h 3d 8c 2c 4s 6h 4h 4d 5s 4c 5h 6d"
    " 7s 7h 7d 7c 8s 8h 8d 5d 5c 6s 6c 9s 9h 9d Ts Th Td Tc Js Jh Jd Jc Qs Qh Qd Qc"
)
"""All three hit three times where the dealer has two cards at once."""
HIT_BELOW: Final = 17


@dataclass(frozen=True, slots=True)
class Weights:
    """Of one round, in bytes: the heaviest hit, and all frames of who heard most."""

    hit: int
    hits: int
    """How many hits there were."""
    whole: int


class WeighingPlayer(SocketPlayer):
    """Keeps every frame, with the bytes it took."""

    def __init__(self, url: str, name: str) -> None:
        super().__init__(url, name)
        self.frame_weights: list[tuple[dict[str, Any], int]] = []

    async def text(self) -> str:
        text = await super().text()
        self.frame_weights.append((json.loads(text), on_the_wire(text)))
        return text


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """Two JSON lines a rule set."""
    with opened(folder, module="tests.helpers.servers.stacked") as (server, _):
        players = three_players(server)
        for key in THREE_SEATS:
            weights = asyncio.run(weigh(server, players, key))
            limit = "the most that it may be"
            yield line(f"bytes_of_a_hit_{key}", weights.hit, MOST_OF_A_HIT, limit)
            yield line(f"bytes_of_a_round_{key}", weights.whole, MOST_OF_A_ROUND, limit)


def three_players(server: Server) -> list[WeighingPlayer]:
    """Three who have signed up."""
    players = [WeighingPlayer(server.url, name) for name in NAMES]
    for player in players:
        player.sign_up()
    return players


async def weigh(server: Server, players: list[WeighingPlayer], rules_key: str) -> Weights:
    """A round at the house's table of these rules, from the first bet to the end of the last hand,
    answers and wallets included.
    """
    server.stack(SHOE)
    await take_seats(players, table_of(server, rules_key))
    for player in players:
        player.frame_weights.clear()
    stake = STAKE if PRESETS[rules_key].stakes else 0
    await play_round(players, hit_below=HIT_BELOW, stake=stake, pause=0.03)
    await close_pages(players)
    hits = [weight for player in players for frame, weight in player.frame_weights if is_hit(frame)]
    whole = max(sum(weight for _, weight in player.frame_weights) for player in players)
    return Weights(max(hits), len(hits) // len(players), whole)


def is_hit(frame: dict[str, Any]) -> bool:
    """Whether the frame tells of a card that a player took, and of a bust perhaps. What ends a
    round tells of the dealer, too, and counts with the round.
    """
    kinds = [event["type"] for event in frame.get("events", ())]
    return kinds[:1] == ["card_dealt"] and set(kinds) <= {"card_dealt", "hand_settled"}


def on_the_wire(text: str) -> int:
    """Bytes of a frame that a server sends: it is not masked, and not compressed."""
    payload = len(text.encode())
    return payload + (2 if payload < 126 else 4 if payload < 65536 else 10)


def table_of(server: Server, rules_key: str) -> int:
    """The house's own table of these rules."""
    with closing(sqlite3.connect(server.data / "db.sqlite3")) as database:
        ((table_id,),) = database.execute(
            "SELECT id FROM tables_table WHERE rules_key = ? AND maker_id IS NULL LIMIT 1",
            (rules_key,),
        )
    return int(table_id)
