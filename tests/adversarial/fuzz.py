"""Frames at random against the real server: ``make fuzz FRAMES=100000 SEED=``.

The seed is told, and makes the same frames again. Every connection has a chance of its own, so
that they do not depend on which of several at once comes first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
import uuid
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from tables.engine.command_line import Parser
from tables.lib import arguments
from tests.adversarial.abused_server import CASINO, IllTreated, cookies_of
from tests.adversarial.raw_socket import NO_CLOSE_FRAME, Refused, close_frame, frame, open_raw
from tests.helpers.servers.process import prepare, serving

FRAMES = 100_000
AT_ONCE = 8
"""Connections that are open at a time."""
LENGTHS = (3, 20, 40, 100, 150)
"""Of what is sent over one connection, in frames. The site hears twenty at once."""
PLAYERS = ("abe", "bea", "cid", "deb")
SHARE_OF_WARMING_UP = 0.5
"""Until then the grading worker and the hints have loaded what they use again and again."""
MOST_GROWTH = 1.2
"""Memory at the end, by that after warming up."""
LONGEST_WAIT = 10.0
"""Seconds that a neighbour may have to wait for an answer, on a busy machine."""

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 1.5, "", "\0", "\ud800", "x" * 300,
    "\u202e", "1", [], {}, [[[[[[[]]]]]]], {"t": "hit"}, "websocket.disconnect",
)  # fmt: skip


class Fuzz:
    """Sends frames from a seed, and counts what became of them."""

    def __init__(self, house: IllTreated, seed: str) -> None:
        self.house = house
        self.seed = seed
        self.cookies = [""]
        self.sent = 0
        self.connections = 0
        self.ends: Counter[int] = Counter()
        """How connections ended, by close code; 0: by us."""

    async def sign_up(self) -> None:
        """Make the accounts from which some of the frames come."""
        for name in PLAYERS:
            self.cookies.append(cookies_of(await self.house.player(name)))

    async def send(self, frames: int) -> None:
        """Send so many frames more, over many connections."""
        goal = self.sent + frames

        async def keep_sending() -> None:
            while self.sent < goal:
                await self._connect(Random(f"{self.seed}/{self.connections}"), goal)

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(keep_sending())

    async def _connect(self, chance: Random, goal: int) -> None:
        self.connections += 1
        many = max(0, min(chance.choice(LENGTHS), goal - self.sent))
        self.sent += many
        frames = some_frames(chance, many)
        cookies = chance.choice(self.cookies) if chance.random() < 0.4 else ""
        try:
            raw = await open_raw(
                self.house.server.url, f"/ws/tables/{CASINO}/", cookies=cookies, reads=False
            )
        except Refused:
            self.ends[NO_CLOSE_FRAME] += 1
            return
        cut = chance.randrange(len(frames) + 1)
        await raw.send(*frames[:cut])
        await raw.send(*frames[cut:], *[close_frame()] * (chance.random() < 0.8))
        with suppress(TimeoutError):
            await asyncio.wait_for(raw.ended.wait(), 0.3)
        code = NO_CLOSE_FRAME if raw.close_code is None else raw.close_code
        self.ends[code if raw.ended.is_set() else 0] += 1
        raw.drop()


def some_frames(chance: Random, many: int) -> list[bytes]:
    """What one connection sends: mostly of one kind, now and then something that ends it."""
    kinds = (a_command, nearly_a_command, some_json, some_text, some_bits)
    usual = chance.choice(kinds)
    odd = 0.02 if usual is not some_bits else 1
    return [chance.choice(kinds)(chance) if chance.random() < odd else usual(chance)
            for _ in range(many)]  # fmt: skip


def a_command(chance: Random) -> bytes:
    """Something that the protocol knows."""
    return frame(json.dumps(_command(chance)))


def nearly_a_command(chance: Random) -> bytes:
    """The same with a field, or a letter, that is not as it should be."""
    command = _command(chance)
    if chance.random() < 0.6:
        command[chance.choice([*command, "extra"])] = chance.choice(ODD)
        return frame(json.dumps(command))
    text = json.dumps(command)
    at = chance.randrange(len(text))
    return frame(
        text[:at] + chance.choice(["", '"', "{", "}", ",", "\\", "\u202e"]) + text[at + 1 :]
    )


def some_json(chance: Random) -> bytes:
    """Values in values."""
    value: Any = chance.choice(ODD)
    for _ in range(chance.randrange(9)):
        value = [value, chance.choice(ODD)] if chance.random() < 0.5 else {"t": value}
    return frame(json.dumps(value))


def some_text(chance: Random) -> bytes:
    """Letters that mean nothing, of any length around the limits."""
    length = chance.choice([0, 1, 20, 125, 126, 1000, 4096, 4097])
    return frame(chance.choice(["x", "[", "ä", "\u0301", "\0", "\U0001f0a1", '"']) * length)


def some_bits(chance: Random) -> bytes:
    """Any kind, flag, mask and length, also false ones; parts, pings and closes among them."""
    payload = chance.randbytes(chance.choice([0, 1, 2, 16, 125, 126, 300]))
    return frame(
        payload,
        chance.choice([0, 1, 2, 8, 9, 9, 10, 10, chance.randrange(16)]),
        fin=chance.random() < 0.8,
        rsv=chance.choice([0] * 9 + [chance.randrange(8)]),
        masked=chance.random() < 0.95,
        mask=chance.randbytes(4),
        length=chance.choice([None] * 19 + [chance.getrandbits(chance.randrange(64))]),
    )


def _command(chance: Random) -> dict[str, Any]:
    kind = chance.choice(
        ["sit", "leave", "bet", "take_back", "hit", "stand", "double", "split", "say", "unsay",
         "silence", "lock", "renew", "free", "resync", "close", "hand_on"]
    )  # fmt: skip
    fields: dict[str, Any] = {"t": kind}
    if kind != "resync":
        fields["id"] = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    if kind in {"bet", "take_back", "hit", "stand", "double", "split"}:
        fields["turn"] = chance.randrange(1, 60)
    if kind in {"sit", "free"}:
        fields["seat"] = chance.randrange(1, 4)
    if kind in {"silence", "hand_on"}:
        fields["player"] = chance.choice(PLAYERS)
    if kind in {"silence", "lock"}:
        fields["on"] = chance.random() < 0.5
    if kind == "bet":
        fields["stake"] = chance.choice([0, 1000, 2000, 50_000])
    if kind == "say":
        fields["text"] = chance.choice(["hello", "\u202e", "x" * 200, "<b>"])
    if kind == "unsay":
        fields["line"] = chance.randrange(1, 99)
    return fields


async def run(house: IllTreated, *, seed: str, frames: int) -> list[str]:
    """Treat the house badly while its neighbours play, insist that nobody noticed, and tell."""
    await house.settle_in()
    fuzz = Fuzz(house, seed)
    await fuzz.sign_up()
    for neighbour in house.neighbours:
        await neighbour.play_round()
        neighbour.waits.clear()
    playing = [asyncio.create_task(neighbour.play_on()) for neighbour in house.neighbours]
    began = time.monotonic()
    await fuzz.send(int(frames * SHARE_OF_WARMING_UP))
    warm = house.memory()
    await fuzz.send(frames - fuzz.sent)
    seconds = time.monotonic() - began
    memory = house.memory()
    rounds = min(neighbour.rounds for neighbour in house.neighbours)
    waits = sorted(wait for neighbour in house.neighbours for wait in neighbour.waits)
    for neighbour in house.neighbours:
        neighbour.has_enough = True
    await asyncio.gather(*playing)
    lines = [
        f"{fuzz.sent} frames over {fuzz.connections} connections in {seconds:.1f} s",
        f"ends by close code: {dict(fuzz.ends.most_common())}",
        f"commands and refusals: {house.measured('blackjack_commands_total'):.0f}",
        f"memory in MB: {warm:.1f} when warm, {memory:.1f} at the end",
        f"neighbours: {rounds} rounds and more each; an answer took {waits[len(waits) // 2]:.3f} s"
        f" in the middle, {waits[-1]:.3f} at most",
    ]
    assert memory <= warm * MOST_GROWTH, lines
    assert rounds >= 2, lines
    assert waits[-1] < LONGEST_WAIT, lines
    await house.verify_is_well()
    audit = await asyncio.to_thread(house.server.manage, "audit")
    assert audit.returncode == 0, audit.stderr
    return lines


async def _against(server: Any, options: argparse.Namespace) -> list[str]:
    house = IllTreated(server)
    try:
        return await run(house, seed=options.seed, frames=options.frames)
    finally:
        await house.close()


def main() -> None:
    """Start a server of its own, send, and tell what came of it; fails as a test does."""
    parser = Parser(description=__doc__)
    parser.add_argument("--frames", type=arguments.whole_number_parser(1, 10**9), default=FRAMES)
    parser.add_argument("--seed", default="")
    options = parser.parse_args()
    options.seed = options.seed or uuid.uuid4().hex[:8]
    sys.stdout.write(f"seed {options.seed}\n")
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder, "prepared")
        prepared.mkdir()
        with serving(Path(folder), prepare(prepared)) as server:
            lines = asyncio.run(_against(server, options))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
