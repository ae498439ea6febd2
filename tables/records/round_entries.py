"""Entries of the history: one for a round, or for a game of several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tables.models import VOID, Hand, PileGame, Result
from tables.records.hand_view import PlayedCard, PlayedHand, played_cards, played_hand, shows_cards


@dataclass(frozen=True)
class PlayedRound:
    """What one round was for one player: every hand of theirs, and what it came to."""

    result: Result
    rows: tuple[Hand, ...]

    @property
    def id(self) -> int:
        return self.result.round_id

    @cached_property
    def is_hidden(self) -> bool:
        """Whether its cards lie in the piles of a game that goes on."""
        return not shows_cards(self.result.round)

    @property
    def is_void(self) -> bool:
        return self.result.outcome == VOID

    @property
    def is_answered(self) -> bool:
        """Whether the player has reported it and an operator has answered."""
        return bool(getattr(self.result, "is_answered", False))

    @cached_property
    def dealer_cards(self) -> tuple[PlayedCard, ...]:
        return () if self.is_hidden else played_cards(self.result.round.dealer_cards)

    @cached_property
    def hands(self) -> tuple[PlayedHand, ...]:
        return tuple(played_hand(row, shows_cards=not self.is_hidden) for row in self.rows)

    @property
    def stake(self) -> int:
        return self.result.stake

    @property
    def payout(self) -> int:
        return self.result.payout

    @property
    def net(self) -> int:
        return self.result.net


@dataclass(frozen=True)
class Entry:
    """A round, or a game of piles with the hands that were played so far."""

    rounds: tuple[PlayedRound, ...]

    @property
    def first(self) -> PlayedRound:
        return self.rounds[0]

    @property
    def is_game(self) -> bool:
        return self.first.result.game_id is not None

    @property
    def is_going_on(self) -> bool:
        return self.is_game and self.rounds[-1].is_hidden

    @cached_property
    def score(self) -> PileGame | None:
        """Who collected how much, when the game was played to its end."""
        return getattr(self.rounds[-1].result.round, "pile_game", None)

    @cached_property
    def has_stakes(self) -> bool:
        return self.first.result.round.rules.stakes is not None

    @property
    def is_void(self) -> bool:
        """Whether nothing of it counts."""
        return all(played.is_void for played in self.rounds)

    @property
    def decisions(self) -> int:
        return sum(played.result.decisions for played in self.rounds)

    @property
    def stake(self) -> int:
        return sum(played.stake for played in self.rounds)

    @property
    def payout(self) -> int:
        return sum(played.payout for played in self.rounds)

    @property
    def net(self) -> int:
        return self.payout - self.stake
