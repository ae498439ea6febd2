"""Revenue of tables by day, updated when a round is settled or voided."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import F

from accounts.lib.sql.write import AddOrInsert, NewInstance
from tables.models import Hand, Round, Table, Takings
from tables.protocol import codec

_new_takings = NewInstance(Takings)
_add = AddOrInsert(
    Takings,
    unique=("table", "day", "rules_key", "options"),
    added=("rounds", "plays", "staked", "paid", "bets", "bets_squared"),
)


@dataclass(slots=True)
class HandSums:
    """Sums over the hands of one or more rounds. Amounts in hundredths."""

    plays: int = 0
    staked: int = 0
    paid: int = 0
    bets: int = 0
    bets_squared: int = 0

    def add(self, hand: Hand) -> None:
        """Add a settled hand, including the insurance in its row."""
        self.staked += hand.stake + hand.insurance_stake
        self.paid += hand.payout + hand.insurance_payout
        if hand.number == 1:
            bet = get_first_bet(stake=hand.stake, is_doubled=hand.is_doubled)
            self.plays += 1
            self.bets += bet
            self.bets_squared += bet * bet


def get_first_bet(*, stake: int, is_doubled: bool) -> int:
    """The bet before the deal, from the final stake of the first hand of a seat.

    The stakes of a split are on the other hands.
    """
    return stake // 2 if is_doubled else stake


def encode_options(options: Mapping[str, Any]) -> str:
    """The options as a canonical text, sorted by name."""
    return codec.encode(dict(sorted(options.items())))


SettledHands = tuple[Table, Round, Iterable[Hand]]
"""A table, its round, and the hands of the round."""


def add_revenue(settled: Iterable[SettledHands], now: dt.datetime) -> None:
    """Add settled rounds to the revenue of their tables on that day; ``now`` in UTC."""
    _add(_build_day(table, round_, hands, now) for table, round_, hands in settled)


def _build_day(table: Table, round_: Round, hands: Iterable[Hand], now: dt.datetime) -> Takings:
    """The row of a day with one round."""
    sums = _sum_hands(hands)
    return _new_takings(
        table_id=table.pk,
        day=now.date(),
        rules_key=round_.rules_key,
        options=encode_options(round_.rules_options),
        rounds=1,
        plays=sums.plays,
        staked=sums.staked,
        paid=sums.paid,
        bets=sums.bets,
        bets_squared=Decimal(sums.bets_squared),  # too large for an integer of SQLite
    )


def move_to_void(round_: Round, hands: Iterable[Hand]) -> None:
    """Move a voided round from the revenue of its day to the voids of that day.

    Raises ``RuntimeError`` if that day has no row.
    """
    assert round_.finished_at is not None
    sums = _sum_hands(hands)
    day = Takings.objects.filter(
        table=round_.table_id,
        day=round_.finished_at.date(),
        rules_key=round_.rules_key,
        options=encode_options(round_.rules_options),
    )
    changed = day.update(
        void_rounds=F("void_rounds") + 1,
        void_plays=F("void_plays") + sums.plays,
        void_staked=F("void_staked") + sums.staked,
        void_paid=F("void_paid") + sums.paid,
    )
    if changed != 1:
        raise RuntimeError(f"{round_} stands in no takings")


def _sum_hands(hands: Iterable[Hand]) -> HandSums:
    sums = HandSums()
    for hand in hands:
        sums.add(hand)
    return sums
