"""Revenue of tables by day: the projector adds settled rounds, and a void moves them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import F

from accounts.ledger import gaming_days
from accounts.ledger.gaming_days import GamingDays
from accounts.lib.sql.write import AddOrInsert, NewInstance
from tables.models import Hand, Round, Takings
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

    rounds: int = 0
    plays: int = 0
    staked: int = 0
    paid: int = 0
    bets: int = 0
    bets_squared: int = 0

    def add_round(self, hands: Iterable[Hand]) -> None:
        """Add a settled round, including the insurance in its hands.

        Bets behind a seat count with its first bet: they are won and lost together.
        """
        self.rounds += 1
        bets: dict[int, int] = {}
        for hand in hands:
            self.staked += hand.stake + hand.insurance_stake
            self.paid += hand.payout + hand.insurance_payout
            if hand.number == 1:
                bet = get_first_bet(stake=hand.stake, is_doubled=hand.is_doubled)
                self.plays += not hand.is_behind
                bets[hand.seat] = bets.get(hand.seat, 0) + bet
        self.bets += sum(bets.values())
        self.bets_squared += sum(bet * bet for bet in bets.values())


def get_first_bet(*, stake: int, is_doubled: bool) -> int:
    """The bet before the deal, from the final stake of the first hand of a seat.

    The stakes of a split are on the other hands.
    """
    return stake // 2 if is_doubled else stake


def encode_options(options: Mapping[str, Any]) -> str:
    """The options as a canonical text, sorted by name."""
    return codec.encode(dict(sorted(options.items())))


SettledHands = tuple[Round, Iterable[Hand]]
"""A round and its hands."""
_Key = tuple[int, dt.date, str, str]
"""Table, day, rule set and options."""


def add_revenue(settled: Iterable[SettledHands]) -> None:
    """Add settled rounds to the revenue of their tables, each on the gaming day when it ended.

    The figures are locked.
    """
    days = gaming_days.load()
    sums: dict[_Key, HandSums] = {}
    for round_, hands in settled:
        sums.setdefault(_build_key(round_, days), HandSums()).add_round(hands)
    _add(_build_row(*day) for day in sums.items())


def _build_key(round_: Round, days: GamingDays) -> _Key:
    assert round_.finished_at is not None
    return (
        round_.table_id, days.day_of(round_.finished_at), round_.rules_key,
        encode_options(round_.rules_options),
    )  # fmt: skip


def _build_row(key: _Key, sums: HandSums) -> Takings:
    table_id, day, rules_key, options = key
    return _new_takings(
        table_id=table_id,
        day=day,
        rules_key=rules_key,
        options=options,
        rounds=sums.rounds,
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
    sums = HandSums()
    sums.add_round(hands)
    table_id, ended_on, rules_key, options = _build_key(round_, gaming_days.load())
    day = Takings.objects.filter(table=table_id, day=ended_on, rules_key=rules_key, options=options)
    row_count = day.update(
        void_rounds=F("void_rounds") + 1,
        void_plays=F("void_plays") + sums.plays,
        void_staked=F("void_staked") + sums.staked,
        void_paid=F("void_paid") + sums.paid,
    )
    if row_count != 1:
        raise RuntimeError(f"{round_} stands in no takings")
