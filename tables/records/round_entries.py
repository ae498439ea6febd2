"""Entries of the history: one for a round, or for a game of several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tables.models import VOID, Hand, PileGame, Result
from tables.records.hand_view import (
    PlayedCard,
    PlayedHand,
    build_played_hand,
    may_show_cards,
    parse_played_cards,
)


@dataclass(frozen=True)
class PlayedRound:
    """One round of one player: all hands and the result."""

    result: Result
    backed_player: str = ""
    """Of a bet behind: the player of the hands."""

    @cached_property
    def rows(self) -> list[Hand]:
        """The settled hands, as they are stored; of a bet behind those that it was on."""
        hands = self.result.list_hands()
        return [hand for hand in hands if hand.stake] if self.is_behind else hands

    @property
    def id(self) -> int:
        return self.result.round_id

    @property
    def number(self) -> int | None:
        """The number at its table."""
        return self.result.round.number

    @cached_property
    def is_hidden(self) -> bool:
        """Whether its cards are hidden in the piles of an unfinished game."""
        return not may_show_cards(self.result.round)

    @property
    def is_behind(self) -> bool:
        """Whether it is a bet behind the hands of another player."""
        return self.result.is_behind

    @property
    def is_void(self) -> bool:
        return self.result.outcome == VOID

    @property
    def is_answered(self) -> bool:
        """Whether the player has reported it and an operator has answered."""
        return bool(getattr(self.result, "is_answered", False))

    @cached_property
    def dealer_cards(self) -> tuple[PlayedCard, ...]:
        return () if self.is_hidden else parse_played_cards(self.result.round.dealer_cards)

    @cached_property
    def hands(self) -> tuple[PlayedHand, ...]:
        return tuple(build_played_hand(row, shows_cards=not self.is_hidden) for row in self.rows)

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
class HistoryEntry:
    """A round, or a game of piles with its hands so far."""

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
        """The final score of the game, if it is finished."""
        return getattr(self.rounds[-1].result.round, "pile_game", None)

    @cached_property
    def has_stakes(self) -> bool:
        return self.first.result.round.rules.stakes is not None

    @property
    def is_void(self) -> bool:
        """Whether all of its rounds are void."""
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
