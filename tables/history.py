"""The rounds that a player has played, a page at a time."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from itertools import groupby

from tables.models import Hand, PileGame
from tables.played import PlayedCard, PlayedHand, played_cards, played_hand, shows_cards

PAGE = 25


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """What one round was for one player: every hand of theirs, and what it came to."""

    id: int
    table: str
    rules: str
    finished_at: dt.datetime | None
    dealer_cards: tuple[PlayedCard, ...]
    hands: tuple[PlayedHand, ...]
    has_stakes: bool
    is_hidden: bool
    """Whether its cards lie in the piles of a game that goes on."""
    game: PileGame | None
    """The game of piles that ended with it."""

    @property
    def stake(self) -> int:
        return sum(hand.all_staked for hand in self.hands)

    @property
    def payout(self) -> int:
        return sum(hand.all_paid for hand in self.hands)

    @property
    def net(self) -> int:
        return self.payout - self.stake


@dataclass(frozen=True, slots=True)
class Page:
    rounds: list[PlayedRound]
    before: int | None
    """Where the next page goes on; ``None`` on the last."""


def page_of_rounds(user_id: int, *, before: str | None) -> Page:
    """:data:`PAGE` rounds of this player, newest first, older than the one ``before`` names."""
    hands = Hand.objects.filter(user=user_id).order_by("-round_id")
    if before is not None and before.isascii() and before.isdigit() and len(before) < 19:
        hands = hands.filter(round__lt=int(before))
    round_ids = list(hands.values_list("round_id", flat=True).distinct()[: PAGE + 1])
    shown = round_ids[:PAGE]
    rows = Hand.objects.filter(user=user_id, round__in=shown).order_by("-round_id", "number")
    rows = rows.select_related("round__table", "round__shoe", "round__pile_game")
    rows = rows.defer("round__table__state")
    rounds = [_played(list(own)) for _, own in groupby(rows, key=lambda hand: hand.round_id)]
    return Page(rounds, shown[-1] if len(round_ids) > PAGE else None)


def _played(hands: list[Hand]) -> PlayedRound:
    round_ = hands[0].round
    is_shown = shows_cards(round_)
    return PlayedRound(
        id=round_.pk,
        table=round_.table.name,
        rules=round_.rules.title,
        finished_at=round_.finished_at,
        dealer_cards=played_cards(round_.dealer_cards) if is_shown else (),
        hands=tuple(played_hand(hand, shows_cards=is_shown) for hand in hands),
        has_stakes=round_.rules.stakes is not None,
        is_hidden=not is_shown,
        game=getattr(round_, "pile_game", None),
    )
