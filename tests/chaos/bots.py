"""Players who play by themselves: they sit, bet, decide, now and then do something silly."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from tables.engine.provably_fair import shuffle
from tests.chaos.cleanup import end
from tests.chaos.pages import Page, Patience, Player

__all__ = ["HUMAN", "QUICK", "Bot", "Pace", "Patience", "Place", "Player"]

STOPS_AT = 17
SILLY = 0.1
"""How often a bot decides by a coin and not by the rule of thumb."""
NO_MONEY = ("cannot_afford", "loss_limit")
LONGEST_IDLE = 3.0
"""Seconds after which a bot looks again although it has heard nothing."""


@dataclass(frozen=True)
class Pace:
    """How long a bot thinks, in seconds, and how often it makes trouble (0 to 1)."""

    least: float
    most: float
    mischief: float = 0.0


QUICK = Pace(0.05, 0.4, mischief=0.08)
HUMAN = Pace(1.0, 4.0)


@dataclass(frozen=True)
class Place:
    """A seat at a table. ``stake`` is what is bet there, in hundredths."""

    table: int
    rules: str
    seat: int
    stake: int


class Bot:
    """Plays in one seat through one page. ``chance`` is its own, from the seed of the run."""

    def __init__(
        self,
        site: str,
        player: Player,
        place: Place,
        *,
        seed: str,
        pace: Pace,
        patience: Patience,
        port: int | None = None,
    ) -> None:
        own = f"{seed}/page"
        self.page = Page(site, player, place.table, seed=own, patience=patience, port=port)
        self.place = place
        self.pace = pace
        self.is_leaving = False
        self.is_broke = False
        self._chance = Random(seed)
        self._idle_turn = 0
        self._words: dict[str | None, str] = {}
        """What was committed to, by its commitment."""
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Open the page and play until told to stop."""
        self.page.open()
        self._task = asyncio.create_task(self._play())

    async def stop(self) -> None:
        """Close the page wherever the game is."""
        if self._task is not None:
            await end(self._task)
        await self.page.close()

    @property
    def own_seat(self) -> dict[str, Any] | None:
        """The seat in which this player sits."""
        seats = self.page.table.get("seats", [])
        return next((s for s in seats if s.get("player") == self.page.player.name), None)

    @property
    def is_gone(self) -> bool:
        """Whether the player has left, and nobody sits there any more under that name."""
        return self.page.seq > 0 and self.own_seat is None and not self.page.is_waiting

    async def _play(self) -> None:
        while True:
            self.page.news.clear()
            await asyncio.sleep(self._chance.uniform(self.pace.least, self.pace.most))
            command = None if self.page.is_waiting else self._next_command()
            if command is not None:
                await self.page.give(**command)
                if self._is_mischievous():
                    await self.page.repeat()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.page.news.wait(), LONGEST_IDLE)

    def _next_command(self) -> dict[str, Any] | None:
        table, seat = self.page.table, self.own_seat
        if not table:
            return None
        if self.page.last_refusal in NO_MONEY:
            self.is_broke = self.is_leaving = True
        if seat is None:
            sit = {"t": "sit", "seat": self.place.seat, "commitment": self._commitment()}
            return None if self.is_leaving else sit
        if question := self._find_question():
            return self._decision(table, question)
        if self.is_leaving:
            return None if seat.get("leaving") else {"t": "leave"}
        if table["phase"] != "betting" or table["paused"] is not None:
            return None
        turn = table["turn"]
        if seat.get("stake") is None:
            return {
                "t": "bet",
                "turn": turn,
                "stake": self.place.stake,
                "words": self._words.get(seat.get("commitment"), ""),
                "commitment": self._commitment(),
            }
        if self._is_mischievous():
            return {"t": "take_back", "turn": turn}
        return None

    def _find_question(self) -> dict[str, Any] | None:
        """What this seat is asked; about insurance, others are asked at the same time."""
        table = self.page.table
        questions = table["insurance"] or [table["asked"]]
        return next((one for one in questions if one and one["seat"] == self.place.seat), None)

    def _decision(self, table: dict[str, Any], question: dict[str, Any]) -> dict[str, Any] | None:
        turn = table["turn"]
        if self._idle_turn == turn and not self.is_leaving:
            return None
        if self._is_mischievous():
            silly = self._chance.randrange(6)
            if silly == 0:  # the clock is to decide
                self._idle_turn = turn
                return None
            if silly == 1:  # a click that comes too late
                return {"t": "stand", "turn": max(turn - 1, 1)}
            if silly == 2 and not self.is_leaving:
                return {"t": "leave"}
        return {"t": self._action(table, question), "turn": turn}

    def _action(self, table: dict[str, Any], question: dict[str, Any]) -> str:
        legal: list[str] = question["legal"]
        if self._chance.random() < SILLY or "stand" not in legal:
            return self._chance.choice(legal)
        hand = table["seats"][self.place.seat - 1]["hands"][question["hand"] - 1]
        if "split" in legal and self._chance.random() < 0.5:
            return "split"
        if "double" in legal and hand["total"] in (10, 11):
            return "double"
        return "hit" if hand["total"] < STOPS_AT and "hit" in legal else "stand"

    def _commitment(self) -> str:
        """To fresh words for the shuffle, which are kept until they are shown."""
        words = f"luck {self._chance.randrange(10**9)}"
        commitment = shuffle.compute_commitment(self.place.seat, words)
        self._words[commitment] = words
        return commitment

    def _is_mischievous(self) -> bool:
        return not self.is_leaving and self._chance.random() < self.pace.mischief


async def until(condition: Any, seconds: float) -> float | None:
    """Wait for ``condition()``; how many seconds it took, or None if it never came true."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            return None
        await asyncio.sleep(0.05)
    return time.monotonic() - began
