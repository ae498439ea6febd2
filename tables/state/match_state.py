"""The match at a table, as a part of the table's state, and the order of its players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Protocol, Self, TypeVar

from tables.models.matches import Match

MOST_ROUNDS_UNTIL_ONE: Final = 200
"""The limit of rounds of a match that ends when one player is left."""


class Ranked(Protocol):
    """What the place of a player depends on."""

    @property
    def stack(self) -> int: ...
    @property
    def out_in_round(self) -> int | None: ...


R = TypeVar("R", bound=Ranked)


def rank(players: Iterable[R]) -> list[tuple[int, R]]:
    """The players with their places, the best one first. Players with equal results share a place.

    A player who is in comes before one who is out, who went out later before one who went out
    earlier; then the larger stack decides.

    >>> a, b, c, d = (MatchSeat(n, n, str(n), n, *of) for n, of in enumerate(
    ...     [(900,), (1100,), (900,), (5000, 0, 3)], start=1))
    >>> [(place, player.name) for place, player in rank([a, b, c, d])]
    [(1, '2'), (2, '1'), (2, '3'), (4, '4')]
    """
    ordered = sorted(players, key=_merit, reverse=True)
    ranked: list[tuple[int, R]] = []
    for number, player in enumerate(ordered, start=1):
        is_equal = ranked and _merit(ranked[-1][1]) == _merit(player)
        ranked.append((ranked[-1][0] if is_equal else number, player))
    return ranked


def _merit(player: Ranked) -> tuple[bool, int, int]:
    return player.out_in_round is None, player.out_in_round or 0, player.stack


@dataclass(slots=True)
class MatchSeat:
    """A player of the match at this table."""

    id: int
    """Of the :class:`~tables.models.MatchPlayer`."""
    user_id: int
    name: str
    seat: int
    stack: int
    """After the last round, in hundredths."""
    change: int = 0
    """By the last round."""
    out_in_round: int | None = None
    has_left: bool = False


@dataclass(slots=True)
class MatchState:
    """The match at a table. ``players`` is empty until it begins."""

    id: int
    kind: str
    state: str
    rounds: int | None
    """``None``: until one player is left."""
    stack: int
    played: int = 0
    players: list[MatchSeat] = field(default_factory=list)
    rematch: int | None = None
    """The id of the table of the match that follows."""

    first_table: int | None = None
    """In a duplicate match: the table whose shoes all have."""

    @classmethod
    def of(cls, match: Match) -> Self:
        """The state of a match that has not begun."""
        return cls(match.pk, match.kind, match.state, match.rounds, match.stack)

    @property
    def is_waiting(self) -> bool:
        return self.state == Match.State.WAITING

    @property
    def is_running(self) -> bool:
        return self.state == Match.State.RUNNING

    @property
    def has_ended(self) -> bool:
        """Whether it is over or broken off."""
        return not self.is_waiting and not self.is_running

    @property
    def is_duplicate(self) -> bool:
        return self.kind == Match.Kind.DUPLICATE

    @property
    def last_round(self) -> int:
        """The number of the round after which the match ends at the latest."""
        return self.rounds or MOST_ROUNDS_UNTIL_ONE

    @property
    def fewest(self) -> int:
        """With fewer players than this the match is decided."""
        return 1 if self.is_duplicate else 2

    @property
    def players_in(self) -> Sequence[MatchSeat]:
        """The players who are not out."""
        return [player for player in self.players if player.out_in_round is None]

    def rename(self, user_id: int, name: str) -> None:
        """Use another name of a player, whose account is deleted."""
        for player in self.players:
            if player.user_id == user_id:
                player.name = name

    def to_state(self) -> dict[str, Any]:
        """The match as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The match that :meth:`to_state` stored."""
        return cls(**state | {"players": [MatchSeat(**one) for one in state["players"]]})
