"""The bets of a round, derived from its stored events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class RoundBets:
    """The bets that are placed and not returned. Complete once the cards are dealt."""

    stakes: dict[int, int] = field(default_factory=dict)
    """In hundredths, by seat."""
    players: dict[int, int] = field(default_factory=dict)
    """User ids by seat."""
    behind: dict[str, int] = field(default_factory=dict)
    """The seats that are backed, by the name of the backer when the bet was placed."""
    backers: dict[str, int] = field(default_factory=dict)
    """User ids of backers, by that name."""

    def apply(self, event: Mapping[str, Any], user_id: int | None = None) -> None:
        """Add or remove the bet, or bet behind, of this event. Other events have no effect.

        ``user_id`` is the user of the change. Without it only the stakes are recorded.
        """
        if event["type"] == "bet_placed":
            self.stakes[event["seat"]] = event["stake"]
            if user_id is not None:
                self.players[event["seat"]] = user_id
        elif event["type"] == "bet_returned":
            self.stakes.pop(event["seat"], None)
            self.players.pop(event["seat"], None)
        elif event["type"] == "bet_behind_placed":
            self.behind[event["player"]] = event["seat"]
            if user_id is not None:
                self.backers[event["player"]] = user_id
        elif event["type"] == "bet_behind_returned":
            self.behind.pop(event["player"], None)
            self.backers.pop(event["player"], None)
