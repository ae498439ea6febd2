"""Aborted rounds: void, with every stake returned and the reason published.

That is so where the stored state cannot be read (it was written by another version, or is damaged),
where the shoe runs out inside the round, where the site was away for a day, where a backup was
restored, and where an operator voids a round that is still played. Who staked what is read from the
round's entries and changes, and never from the state. If the site causes it, winnings that were
already paid are kept: the bank covers them.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from accounts.ledger import transfers
from tables.engine.errors import Text
from tables.game import seats, settlement, shoes, void_plan
from tables.models import VOID, Change, Result, Round, Shoe, Void
from tables.protocol.events import Reason, RoundBrokenOff
from tables.results import recording
from tables.state import plans
from tables.state.game_state import GameState
from tables.state.live_table import LiveTable
from tables.state.round_bets import RoundBets

LONGEST_OUTAGE: Final = dt.timedelta(hours=24)
"""A round that was interrupted for longer is not gone on with."""

# Stored and published for all readers, so in English: translated where they are shown, in scripts by
# static/js/text/stored_sentences.js.
IS_UNREADABLE: Final = str(Text("The site was updated and the round could not continue."))
IS_TOO_OLD: Final = str(Text("The site was down for more than a day."))
IS_RESTORED: Final = str(
    Text(
        "The site was restored from a backup. Rounds in play were cancelled and every bet "
        "returned. The secret of every shoe was revealed, and new shoes were sealed."
    )
)
IS_OUT_OF_CARDS: Final = str(Text("The shoe ran out of cards."))


def abort_if_out_of_cards(live: LiveTable) -> None:
    """Abort the round if it took more cards than the shoe had.

    Stakes of this very change are posted first, so that they are returned with the others.
    """
    if not live.is_out_of_cards:
        return
    live.is_out_of_cards = False
    live.send_writes()
    if movements := live.take_movements():
        live.balances |= transfers.post(movements, at=live.now)
    return_stakes(live, settlement.get_current_round_row(live), IS_OUT_OF_CARDS)
    clear_round(live)


def abort_if_stale(live: LiveTable) -> bool:
    """Abort the round if no player could act for a day. Returns whether there is a change."""
    deadline_at = live.row.deadline_at
    if deadline_at is None or not live.game.is_playing or live.now - deadline_at < LONGEST_OUTAGE:
        return False
    assert live.game.round_id is not None
    return_stakes(live, Round.objects.get(pk=live.game.round_id), IS_TOO_OLD)
    clear_round(live)
    return True


def clear_round(live: LiveTable) -> None:
    """Clear the table of a round that has been voided while it was played."""
    shoes.retire_in_use(live, Shoe.Retired.BROKEN_OFF)
    for number in list(live.game.plans):
        plans.drop_plan(live, number)
    remove_round(live.game)
    wait_for_bets(live)


def remove_round(game: GameState) -> None:
    """Remove the round, its bets and its score from the state. The shoe stays."""
    game.round, game.players, game.decisions = None, {}, {}
    game.insurance_answers, game.plans, game.bank_since = {}, {}, None
    game.best_tries = 0
    game.piles, game.deck_left = None, None
    game.bets, game.words = {}, {}
    game.behind, game.backed = [], []


def mark_aborted(live: LiveTable, round_: Round, reason: str) -> None:
    """Store that the round is over, void and without hands, and publish it."""
    round_.voided_at = round_.finished_at = live.now
    round_.save(update_fields=["voided_at", "finished_at"])
    if round_.dealt_at is not None:
        _insert_void_results(live, round_)
    live.events.append(RoundBrokenOff(round_.pk, reason, round_.number))


def return_stakes(live: LiveTable, round_: Round, reason: str) -> None:
    """Return every stake of the round, by its entries; payouts already made stay."""
    round_.table = live.row
    void_plan.lock_accounts(round_)
    planned = void_plan.plan_void(round_, live.now, keeps_wins=True)
    live.balances |= transfers.post(list(planned.movements()), at=live.now, by=None)
    for share in planned.shares:
        if share.wallet_id and live.seat_of(share.user.pk) is None:
            live.backers.setdefault(share.user.pk, share.user)
    # A round has one void at a time, and of this one nobody has to decide any more.
    requests = Void.objects.filter(round=round_, status=Void.Status.WAITING)
    requests.update(status=Void.Status.WITHDRAWN, decided_at=live.now)
    Void.objects.create(
        round=round_,
        status=Void.Status.DONE,
        reason=reason,
        asked_at=live.now,
        decided_at=live.now,
    )
    mark_aborted(live, round_, reason)


def wait_for_bets(live: LiveTable) -> None:
    """Wait for bets again, without the players who were leaving."""
    for seat in [seat for seat in live.seats.values() if seat.is_leaving]:
        live.free_seat(seat, Reason.LEFT)
    if live.seats:
        shoes.ensure_sealed(live)
    seats.restart_absence_timers(live)
    live.next_decision(None)


def _insert_void_results(live: LiveTable, round_: Round) -> None:
    """The round stands in the history of who played or backed it, as one that counts nowhere."""
    bets = _read_bets(round_)
    played = bets.players | live.game.players_of(round_.pk)
    backed = {user_id: bets.behind[name] for name, user_id in bets.backers.items()}
    shares = [(seat, user_id, False) for seat, user_id in played.items()]
    shares += [(seat, user_id, True) for user_id, seat in backed.items() if seat in played]
    results = [
        Result(
            user_id=user_id,
            round=round_,
            table=live.row,
            rules_key=round_.rules_key,
            seat=seat,
            finished_at=live.now,
            decisions=0 if is_behind else live.game.decisions.get(seat, 0),
            is_behind=is_behind,
            outcome=VOID,
            stake=0,
            payout=0,
        )
        for seat, user_id, is_behind in shares
    ]
    if round_.rules.has_piles and round_.shoe_id is not None:
        recording.assign_games(round_.shoe_id, results)
    Result.objects.bulk_create(results)


def _read_bets(round_: Round) -> RoundBets:
    """The bets of the round, with their players and backers."""
    bets = RoundBets()
    changes = Change.objects.filter(round=round_).only("user", "command_id", "body")
    for change in changes.order_by("seq"):
        for event in change.events:
            bets.apply(event, change.user_id)
    return bets
