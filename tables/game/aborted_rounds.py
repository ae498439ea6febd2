"""Aborted rounds: void, with every stake returned, and the players told why.

That is so where the stored state cannot be read (it was written by another version, or is damaged),
where the shoe runs out inside the round, where the site was away for a day, where a backup was
restored, and where an operator voids a round that is still played. Who staked what is read from the
round's transfers and changes, and never from the state. If the site causes it, winnings that were
already paid are kept: the bank covers them.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Final

from django.utils.translation import gettext_lazy as _

from accounts.ledger import transfers
from tables.game import seats, settlement, shoes, void_plan
from tables.models import VOID, Change, Result, Round, Shoe, Void
from tables.protocol import codec
from tables.protocol.events import Reason, RoundBrokenOff
from tables.results import recording
from tables.state.game_state import GameState
from tables.state.live_table import LiveTable
from tables.state.round_bets import RoundBets

LONGEST_OUTAGE: Final = dt.timedelta(hours=24)
"""A round that was interrupted for longer is not gone on with."""

IS_UNREADABLE: Final = _("The site was updated and the round could not continue.")
IS_TOO_OLD: Final = _("The site was down for more than a day.")
IS_RESTORED: Final = _(
    "The site was restored from a backup. Rounds in play were cancelled and every bet "
    "returned. The secret of every shoe was revealed, and new shoes were sealed."
)
IS_OUT_OF_CARDS: Final = _("The shoe ran out of cards.")


def abort_if_out_of_cards(live: LiveTable) -> None:
    """Break off the round if it took more cards than the shoe had.

    Stakes of this very change are posted first, so that they are returned with the others.
    """
    if not live.is_out_of_cards:
        return
    live.is_out_of_cards = False
    movements = [replace(one, by=live.author.user_id) for one in live.movements]
    live.movements.clear()
    if movements:
        live.balances |= transfers.post(movements, at=live.now)
    void(live, settlement.current_round_row(live), str(IS_OUT_OF_CARDS))
    clear_round(live)


def abort_if_stale(live: LiveTable) -> bool:
    """Break off the round in play if nobody could play it for a day. Whether there is a change to
    write.
    """
    deadline_at = live.row.deadline_at
    if deadline_at is None or not live.game.is_playing or live.now - deadline_at < LONGEST_OUTAGE:
        return False
    assert live.game.round_id is not None
    void(live, Round.objects.get(pk=live.game.round_id), str(IS_TOO_OLD))
    clear_round(live)
    return True


def clear_round(live: LiveTable) -> None:
    """Clear the table of a round that has been voided while it was played."""
    shoes.retire_in_use(live, Shoe.Retired.BROKEN_OFF)
    clear(live.game)
    begin_anew(live)


def clear(game: GameState) -> None:
    """Remove the round, its bets and its score from the state. The shoe stays."""
    game.round, game.players, game.decisions = None, {}, {}
    game.piles, game.deck_left = None, None
    game.bets, game.words = {}, {}


def mark_aborted(live: LiveTable, round_: Round, because: str) -> None:
    """Say that the round is over, void and without hands: to its players, for good."""
    round_.voided_at = round_.finished_at = live.now
    round_.save(update_fields=["voided_at", "finished_at"])
    if round_.dealt_at is not None:
        _write_results(live, round_)
    live.events.append(RoundBrokenOff(round_.pk, because))


def void(live: LiveTable, round_: Round, because: str) -> None:
    """Give every stake of the round back, as the books say; who has won already keeps it."""
    round_.table = live.row
    void_plan.lock_accounts(round_)
    planned = void_plan.plan(round_, keeps_wins=True)
    live.balances |= transfers.post(list(planned.movements()), at=live.now, by=None)
    Void.objects.create(
        round=round_,
        status=Void.Status.DONE,
        reason=because,
        asked_at=live.now,
        decided_at=live.now,
    )
    mark_aborted(live, round_, because)


def begin_anew(live: LiveTable) -> None:
    """Have the table wait for bets, with everybody in their seats but who was leaving."""
    for seat in [seat for seat in live.seats.values() if seat.is_leaving]:
        live.free_seat(seat, Reason.LEFT)
    if live.seats:
        shoes.ensure_sealed(live)
    seats.restart_absence_timers(live)
    live.next_decision(None)


def _write_results(live: LiveTable, round_: Round) -> None:
    """The round stands in the history of who played it, as one that counts nowhere."""
    made = [
        Result(
            user_id=user_id,
            round=round_,
            table=live.row,
            rules_key=round_.rules_key,
            seat=seat,
            finished_at=live.now,
            decisions=live.game.decisions.get(seat, 0),
            outcome=VOID,
            stake=0,
            payout=0,
        )
        for seat, user_id in (_players(round_) | live.game.players_of(round_.pk)).items()
    ]
    if round_.rules.has_piles and round_.shoe_id is not None:
        recording.find_games(round_.shoe_id, made)
    Result.objects.bulk_create(made)


def _players(round_: Round) -> dict[int, int]:
    """User ids by seat, of those whose bets lay there when the cards fell."""
    bets = RoundBets()
    changes = Change.objects.filter(round=round_).order_by("seq")
    for user_id, events in changes.values_list("user", "events"):
        for event in codec.decode_events(events):
            bets.apply(event, user_id)
    return bets.players
