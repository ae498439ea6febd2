"""The settlement of a round: hands, score, and the next betting phase."""

from __future__ import annotations

from accounts.lib.sql.select import Select
from tables.engine.player_hand import PlayerHand
from tables.engine.round import Round
from tables.game import shoes
from tables.game.behind import hands as backed_hands
from tables.models import Hand
from tables.models import Round as RoundRow
from tables.protocol.events import Reason
from tables.results import scoring
from tables.state import idle_seats, plans, sitting_out
from tables.state.live_table import LiveTable

_rounds = Select(lambda round_id: RoundRow.objects.filter(pk=round_id))


def settle_round(live: LiveTable, round_: Round) -> None:
    """Store the hands, free the seats of players who quit, and open betting."""
    row = get_current_round_row(live)
    row.finished_at = live.now
    row.dealer_cards = str(round_.dealer)
    for seat, hands in round_.seats.items():
        for number, hand in enumerate(hands, start=1):
            settled = _build_hand(live, seat, number, hand)
            live.settled_hands.append(settled)
            _score_seat(live, seat, settled)
        live.settled_hands += backed_hands.build_hands(live, seat, hands)
    live.rack_result = -sum(hand.net for hand in live.settled_hands)
    if live.game.piles is not None:
        live.events.append(live.game.piles.collect(round_))
    plans.drop_finished_plans(live)
    idle_seats.restart_timer(live)
    for leaver in [leaver for leaver in live.seats.values() if leaver.is_leaving]:
        live.free_seat(leaver, Reason.LEFT)
    shoes.retire_if_exhausted(live)
    is_asked = live.rules.asks_to_play_again and bool(sitting_out.list_active(live))
    live.next_decision(live.row.betting_seconds if is_asked else None)


def _build_hand(live: LiveTable, seat: int, number: int, hand: PlayerHand) -> Hand:
    """The settled hand; the first hand of a seat also has its insurance."""
    round_ = live.game.round
    assert round_ is not None
    assert hand.outcome is not None
    insurance = round_.insurance.get(seat) if number == 1 else None
    assert live.game.round_id is not None
    return Hand(
        round_id=live.game.round_id,
        seat=seat,
        number=number,
        user_id=live.game.players[seat],
        cards=str(hand.hand),
        total=hand.hand.total,
        is_doubled=hand.is_doubled,
        outcome=hand.outcome.value,
        stake=hand.stake,
        payout=hand.payout,
        insurance_stake=insurance.stake if insurance else 0,
        insurance_payout=insurance.payout if insurance else 0,
    )


def _score_seat(live: LiveTable, number: int, hand: Hand) -> None:
    seat = live.seats[number]
    live.store_seat(seat)
    scoring.score_seat(seat, hand, is_staked=live.rules.stakes is not None)


def get_current_round_row(live: LiveTable) -> RoundRow:
    """The row of the current round, to be written with this change."""
    if live.round_row is not None:
        return live.round_row
    round_row = live.room.round_row
    if round_row is not None and round_row.pk == live.game.round_id:
        return live.attach_round_row(round_row)
    (row,) = _rounds(live.game.round_id)
    return live.attach_round_row(row)
