"""Revenue of tables by day, updated when a round is settled or voided."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import F

from accounts.lib.sql.write import Add, New
from tables.models import Hand, Round, Table, Takings
from tables.protocol import codec

_new_takings = New(Takings)
_add = Add(
    Takings,
    where=("table", "day", "rules_key", "options"),
    names=("rounds", "plays", "staked", "paid", "bets", "bets_squared"),
)


@dataclass(slots=True)
class Sums:
    """What the hands of a round, or of several, come to. Amounts in hundredths."""

    plays: int = 0
    staked: int = 0
    paid: int = 0
    bets: int = 0
    bets_squared: int = 0

    def add(self, hand: Hand) -> None:
        """Count a settled hand; the insurance that stands with it is staked and paid as well."""
        self.staked += hand.stake + hand.insurance_stake
        self.paid += hand.payout + hand.insurance_payout
        if hand.number == 1:
            bet = first_bet(stake=hand.stake, is_doubled=hand.is_doubled)
            self.plays += 1
            self.bets += bet
            self.bets_squared += bet * bet


def first_bet(*, stake: int, is_doubled: bool) -> int:
    """What was bet before the cards, from what stood on the first hand of a seat in the end.

    What a split put beside it stands on the hands after it.
    """
    return stake // 2 if is_doubled else stake


def plain_options(options: Mapping[str, Any]) -> str:
    """What is played differently, as one text for each way to play: in the order of the names."""
    return codec.encode(dict(sorted(options.items())))


def add_round_revenue(table: Table, round_: Round, hands: Iterable[Hand], now: dt.datetime) -> None:
    """Add a settled round to what its table made that day; ``now`` in UTC.

    To be called with the table's row locked: nobody else makes or changes this day's row.
    """
    sums = _sums_of(hands)
    made = _new_takings(
        table_id=table.pk,
        day=now.date(),
        rules_key=round_.rules_key,
        options=plain_options(round_.rules_options),
        rounds=1,
        plays=sums.plays,
        staked=sums.staked,
        paid=sums.paid,
        bets=sums.bets,
        bets_squared=Decimal(sums.bets_squared),  # too large for an integer of SQLite
    )
    if not _add(made):
        made.save(force_insert=True)


def move_to_void(round_: Round, hands: Iterable[Hand]) -> None:
    """Set a voided round beside what its table made on the day on which it was settled.

    Raises ``RuntimeError`` when that day was never written down.
    """
    assert round_.finished_at is not None
    sums = _sums_of(hands)
    day = Takings.objects.filter(
        table=round_.table_id,
        day=round_.finished_at.date(),
        rules_key=round_.rules_key,
        options=plain_options(round_.rules_options),
    )
    changed = day.update(
        void_rounds=F("void_rounds") + 1,
        void_plays=F("void_plays") + sums.plays,
        void_staked=F("void_staked") + sums.staked,
        void_paid=F("void_paid") + sums.paid,
    )
    if changed != 1:
        raise RuntimeError(f"{round_} stands in no takings")


def _sums_of(hands: Iterable[Hand]) -> Sums:
    sums = Sums()
    for hand in hands:
        sums.add(hand)
    return sums
