"""The live state of a table: what lies in ``Table.state``, decoded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from tables import protocol
from tables.engine.round import Round
from tables.engine.rules import Ruleset

STATE_VERSION = 1


@dataclass(slots=True)
class Game:
    """Bets for the coming round, and the round that is played or was played last."""

    rules: Ruleset
    round_id: int | None = None
    """The round that bets are placed on, or that is played, or that was played last."""
    bets: dict[int, int] = field(default_factory=dict)
    """What is staked on the coming round, in hundredths by seat."""
    players: dict[int, int] = field(default_factory=dict)
    """Whose hands ``round`` holds: user ids by seat."""
    round: Round | None = None

    @property
    def is_playing(self) -> bool:
        """Whether a round waits for a decision."""
        return self.round is not None and not self.round.is_finished

    def to_text(self) -> str:
        """The private state as it is stored, undealt cards included."""
        return protocol.encode(
            {
                "version": STATE_VERSION,
                "round_id": self.round_id,
                "bets": {str(seat): stake for seat, stake in self.bets.items()},
                "players": {str(seat): user for seat, user in self.players.items()},
                "round": self.round.to_state() if self.round else None,
            }
        )

    @classmethod
    def from_text(cls, rules: Ruleset, text: str) -> Self:
        """What :meth:`to_text` stored; an empty object is a table that was never played at."""
        state = protocol.decode_state(text)
        if not state:
            return cls(rules)
        if state["version"] != STATE_VERSION:
            raise RuntimeError(f"stored state has version {state['version']}")
        return cls(
            rules=rules,
            round_id=state["round_id"],
            bets=_by_seat(state["bets"]),
            players=_by_seat(state["players"]),
            round=Round.from_state(rules, state["round"]) if state["round"] else None,
        )


def _by_seat(values: dict[str, Any]) -> dict[int, int]:
    return {int(seat): value for seat, value in values.items()}
