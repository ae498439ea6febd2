"""Seats: sitting down, getting in line for one, leaving, absence."""

from __future__ import annotations

import datetime as dt
import math

from django.conf import settings

from accounts.ledger import transfers
from accounts.models import HouseSettings, User
from tables import access
from tables.engine.errors import RuleViolation
from tables.game import decisions, rounds, shoes
from tables.game.chips import stacks
from tables.lib.network_address import rate_limit_key
from tables.models import QueueEntry, Removal, Seat
from tables.protocol.events import (
    HintsSwitched,
    PlayerAway,
    PlayerBack,
    PlayerSat,
    QueueJoined,
    Reason,
    WordsCommitted,
)
from tables.protocol.plans import Plan
from tables.state import commitments, idle_seats, plans, sitting_out, waiting_line
from tables.state.live_table import LiveTable
from tables.state.loss_limits import verify_not_on_break
from tables.state.match_state import MatchState

ABSENCE = dt.timedelta(seconds=60)
"""How long a seat without an open page is kept, between rounds."""
TO_ARRIVE = dt.timedelta(seconds=5)
"""How long a page may take to open after sitting down."""
REMOVAL = dt.timedelta(minutes=10)
"""How long a player whose seat the host freed may not sit down at the table again."""
MOST_IN_LINE = 20
"""The limit of players in line at a table."""


def sit_down(live: LiveTable, user_id: int, number: int, commitment: str | None = None) -> None:
    """Give a free seat to the user, who plays from the next round on, and store the user's
    commitment for the shuffle.

    Raises :class:`RuleViolation` ``no_such_seat``, ``already_seated``, ``seat_taken``,
    ``seat_offered``, ``not_invited``, ``table_closed``, ``match_running``, ``match_over``,
    ``table_locked``, ``removed``, ``banned``, ``too_many_seats``, ``too_fast``, ``not_allowed``,
    ``on_break``.
    """
    if not 1 <= number <= live.rules.seats:
        raise RuleViolation("no_such_seat", "This table has no such seat.")
    if live.seat_of(user_id) is not None:
        raise RuleViolation("already_seated", "You already have a seat at this table.")
    if number in live.seats:
        raise RuleViolation("seat_taken", "That seat was just taken. Choose another one.")
    _verify_may_sit(live, user_id)
    _verify_not_offered(live, user_id, number)
    place = rate_limit_key(live.author.address) or ""
    seat = seat_player(live, number, user_id, place)
    if live.game.piles is not None and live.game.players.get(1) != user_id:
        _restart_game(live)
    if not live.game.is_playing:
        shoes.ensure_sealed(live)
    if commitment is not None:
        commitments.store_commitment(live.game, seat.number, commitment)


def seat_player(live: LiveTable, number: int, user_id: int, place: str = "") -> Seat:
    """Give a free seat to the user, at the address ``place``.

    Raises :class:`RuleViolation` ``not_allowed``, ``on_break``, ``too_many_seats``.
    """
    # Locked: a deletion of the account either finds the seat, or is detected here.
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    access.verify_may_play(user)
    verify_not_on_break(user, live.now)
    _verify_address(live, place)
    user.wallet = transfers.get_or_open_wallet(user, at=live.now)
    seat = Seat(table=live.row, number=number, user=user, sat_at=live.now, place=place)
    if live.row.has_chips:
        seat.stack = stacks.get_or_open(live, user)
    seat.idle_since = live.now
    seat.save(force_insert=True)  # at once, so that concurrent commands count it
    live.seats[number] = seat
    live.seats_taken.append(seat)
    if (entry := live.queue_entry_of(user_id)) is not None:
        live.leave_queue(entry)
    live.return_behind_of(user_id)
    live.events.append(PlayerSat(number, user.username))
    return seat


def queue_up(live: LiveTable, user_id: int) -> None:
    """Put the user at the end of the line for a seat.

    Raises :class:`RuleViolation` ``already_seated``, ``already_in_line``, ``seat_free``,
    ``line_full``, ``too_many_seats``, and what :func:`sit_down` raises for a user who may not sit
    down here.
    """
    if live.seat_of(user_id) is not None:
        raise RuleViolation("already_seated", "You already have a seat at this table.")
    if live.queue_entry_of(user_id) is not None:
        raise RuleViolation("already_in_line", "You are already in line at this table.")
    _verify_may_sit(live, user_id)
    if waiting_line.list_free_for_all(live):
        raise RuleViolation("seat_free", "A seat is free. You can take it right away.")
    if len(live.queue) >= MOST_IN_LINE:
        raise RuleViolation("line_full", "The line at this table is full. Try again later.")
    place = rate_limit_key(live.author.address) or ""
    # Locked: a deletion of the account either finds the entry, or is detected here.
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    access.verify_may_play(user)
    verify_not_on_break(user, live.now)
    _verify_address_in_line(live, place)
    entry = QueueEntry(table=live.row, user=user, joined_at=live.now, place=place)
    entry.save(force_insert=True)  # at once, so that concurrent commands count it
    if not live.queue:
        idle_seats.restart_timer_of_sitting_out(live)
    live.queue.append(entry)
    live.events.append(QueueJoined(user.username))


def leave_queue(live: LiveTable, user_id: int) -> None:
    """Take the user out of the line. A seat that is offered to the user goes to the next one.

    Raises :class:`RuleViolation` ``not_in_line``.
    """
    if not waiting_line.leave(live, user_id):
        raise RuleViolation("not_in_line", "You are not in line at this table.")


def store_commitment(live: LiveTable, user_id: int, commitment: str) -> None:
    """Store the user's commitment for the shuffle.

    Raises :class:`RuleViolation` ``not_seated``, ``no_words``, ``too_fast``.
    """
    seat = live.seat_of(user_id)
    if seat is None:
        raise RuleViolation("not_seated", "Take a seat first.")
    if live.game.match is not None and live.game.match.is_duplicate:
        raise RuleViolation(
            "no_words", "In a duplicate match all get the same cards, so no words are mixed in."
        )
    commitments.store_commitment(live.game, seat.number, commitment)
    live.events.append(WordsCommitted(seat.number, commitment))


def _verify_not_offered(live: LiveTable, user_id: int, number: int) -> None:
    """Refuse a free seat that is offered to another player in line."""
    offered = live.offer_of(number)
    if offered is not None and offered.user_id != user_id:
        raise RuleViolation(
            "seat_offered",
            "Seat %(seat)s is offered to %(name)s, who is next in line.",
            seat=number,
            name=offered.user.username,
        )


def _verify_may_sit(live: LiveTable, user_id: int) -> None:
    row = live.row
    if not access.may_see(row, user_id, {}):
        raise RuleViolation(
            "not_invited", "This table is private. Ask a player there for the link."
        )
    if row.is_closing:
        raise RuleViolation("table_closed", "This table closes after this round.")
    if live.game.match is not None and not live.game.match.is_waiting:
        raise _match_error(live.game.match)
    if row.maker_id == user_id:
        return
    if row.is_locked:
        raise _locked_error(row.maker)
    _verify_not_removed(live, user_id)


def _match_error(match: MatchState) -> RuleViolation:
    if match.is_running:
        return RuleViolation(
            "match_running", "A match is being played here. You can watch until it is over."
        )
    return RuleViolation("match_over", "The match at this table is over.")


def _verify_not_removed(live: LiveTable, user_id: int) -> None:
    removal = live.row.removals.filter(user=user_id).first()
    if removal is None:
        return
    if removal.is_ban:
        raise RuleViolation("banned", "The host has banned you from this table.")
    if removal.at <= live.now - REMOVAL:
        return
    minutes = math.ceil((removal.at + REMOVAL - live.now) / dt.timedelta(minutes=1))
    if minutes == 1:
        raise RuleViolation(
            "removed",
            "The host freed your seat. You can sit down again in one minute.",
        )
    raise RuleViolation(
        "removed",
        "The host freed your seat. You can sit down again in %(minutes)s minutes.",
        minutes=minutes,
    )


def _verify_address(live: LiveTable, place: str) -> None:
    """Refuse a seat over ``SEATS_PER_ADDRESS`` at the site's own tables."""
    if _is_over_limit(live, place, Seat):
        raise RuleViolation(
            "too_many_seats",
            "%(seats)s players from your network are already seated at public tables, which "
            "is the limit. Create your own table to play.",
            seats=settings.SEATS_PER_ADDRESS,
        )


def _verify_address_in_line(live: LiveTable, place: str) -> None:
    """Refuse a place in line over ``SEATS_PER_ADDRESS`` at the site's own tables."""
    if _is_over_limit(live, place, QueueEntry):
        raise RuleViolation(
            "too_many_seats",
            "%(players)s players from your network are already in line at public tables, which "
            "is the limit.",
            players=settings.SEATS_PER_ADDRESS,
        )


def _is_over_limit(live: LiveTable, place: str, model: type[Seat | QueueEntry]) -> bool:
    """Whether the address has all its rows of ``model`` at the site's own tables."""
    if not place or live.row.maker_id is not None:
        return False
    HouseSettings.objects.select_for_update().get(pk=1)  # serialises concurrent counts
    rows = model._default_manager.filter(place=place, table__maker=None)
    return rows.count() >= settings.SEATS_PER_ADDRESS


def _locked_error(maker: User | None) -> RuleViolation:
    if maker is None:
        return RuleViolation("table_locked", "This table is locked. Nobody new can sit down.")
    return RuleViolation(
        "table_locked",
        "%(name)s has locked this table. Nobody new can sit down.",
        name=maker.username,
    )


def _restart_game(live: LiveTable) -> None:
    """Start a new game of piles for another player than the last one."""
    live.game.piles, live.game.deck_left = None, None
    live.game.round, live.game.players = None, {}
    shoes.retire_in_use(live)


def leave(live: LiveTable, user_id: int) -> None:
    """Free the user's seat; a hand in play stands first and is settled (docs/rules.md).

    Raises :class:`RuleViolation` ``not_seated``.
    """
    seat = live.seat_of(user_id)
    if seat is None:
        raise RuleViolation("not_seated", "You have no seat at this table.")
    if live.is_in_round(seat):
        if seat.is_leaving:
            raise RuleViolation("already_leaving", "You leave your seat after this round.")
        seat.is_leaving = True
        live.store_seat(seat)
        plans.drop_plan(live, seat.number)
        decisions.auto_decide(live)
        return
    free_seat(live, seat.number, Reason.LEFT)


def switch_hints(live: LiveTable, user_id: int, *, is_on: bool) -> None:
    """Turn hints on or off for the user's seat. All at the table see it.

    A round in which they were on counts as one with hints, also if they are off at its end.

    Raises :class:`RuleViolation` ``not_seated``, ``hints_off``.
    """
    seat = live.seat_of(user_id)
    if seat is None:
        raise RuleViolation("not_seated", "Take a seat first.")
    if is_on and not live.row.has_hints:
        raise RuleViolation("hints_off", "Hints are not allowed at this table.")
    if seat.has_hints != is_on:
        seat.has_hints = is_on
        live.store_seat(seat)
        had_hints = live.game.seats_with_hints
        if is_on and live.is_in_round(seat) and seat.number not in had_hints:
            had_hints.append(seat.number)
        live.events.append(HintsSwitched(seat.number, seat.user.username, is_on))


def drop_forbidden_hints(live: LiveTable) -> None:
    """Turn hints off at all seats if the table no longer allows them."""
    if live.row.has_hints:
        return
    _drop_best_plays(live)
    for seat in live.seats.values():
        if seat.has_hints:
            seat.has_hints = False
            live.store_seat(seat)


def _drop_best_plays(live: LiveTable) -> None:
    """Forget all decisions ahead to play what is best. One that is due now is asked of its player."""
    is_due = plans.is_best_play_due(live)
    for number in [n for n, plan in live.game.plans.items() if plan is Plan.BEST]:
        plans.drop_plan(live, number)
    if is_due:
        live.next_decision(live.row.turn_seconds)


def switch_sit_out(live: LiveTable, user_id: int, *, is_on: bool) -> None:
    """Sit out from the next round on, or be back in. A bet that is not dealt yet is returned.

    Raises :class:`RuleViolation` ``not_seated``, ``already_leaving``, ``match_running``,
    ``sat_out``.
    """
    seat = live.seat_of(user_id)
    if seat is None:
        raise RuleViolation("not_seated", "Take a seat first.")
    if seat.is_leaving:
        raise RuleViolation("already_leaving", "You leave your seat after this round.")
    if is_on and live.game.match is not None:
        raise RuleViolation("match_running", "In a match, everyone plays every round.")
    if is_on and seat.sat_out_since is not None and not seat.is_sitting_out:
        # Else who comes back for a moment would keep the seat for ever without a bet.
        raise RuleViolation("sat_out", "Play a round before you sit out again.")
    if not is_on:
        sitting_out.come_back(live, seat)
        return
    rounds.refund_bet(live, seat.number)
    sitting_out.sit_out(live, seat)
    rounds.deal_if_all_have_bet(live)


def free_absent_seats(live: LiveTable) -> None:
    """Between rounds, free the seats of absent players without a bet.

    Does nothing during a pause, maintenance or a match.
    """
    if live.game.is_playing or live.row.paused_at is not None or live.game.is_match_running:
        return
    absent_seats = [
        seat
        for seat in live.seats.values()
        if seat.away_since is not None
        and seat.away_since + ABSENCE <= live.now
        and seat.number not in live.game.bets
    ]
    if absent_seats and live.site.maintenance is not None:
        return
    for seat in absent_seats:
        live.free_seat(seat, Reason.ABSENT)
    _continue_round(live)


def restart_absence_timers(live: LiveTable) -> None:
    """Restart the absence timer of all seats and players in line, after an outage or a pause."""
    idle_seats.restart_timer(live)
    for seat in live.seats.values():
        if seat.away_since is not None:
            seat.away_since = live.now
    for entry in live.queue:
        if entry.away_since is not None:
            entry.away_since = live.now
            entry.save(update_fields=["away_since"])


def update_presence(live: LiveTable, present: set[int]) -> None:
    """Store which players have open pages, and record ``player_away`` and ``player_back``. A player
    who leaves after the round is not away: ``player_left`` follows. After a match, a player who closes
    the page has left.
    """
    match = live.game.match
    is_over = match is not None and match.has_ended and not live.game.is_playing
    for seat in [*live.seats.values()]:
        if seat.user_id in present and seat.away_since is not None:
            seat.away_since = None
            live.events.append(PlayerBack(seat.number, seat.user.username))
        elif (
            seat.user_id not in present
            and not seat.is_leaving
            and seat.away_since is None
            and seat.sat_at + TO_ARRIVE <= live.now
        ):
            if is_over:
                free_seat(live, seat.number, Reason.LEFT)
                continue
            seat.away_since = live.now
            live.events.append(PlayerAway(seat.number, seat.user.username))
        else:
            continue
        live.store_seat(seat)


def bar_from_seats(live: LiveTable, user_id: int) -> None:
    """Refuse the user a seat for :data:`REMOVAL`. The host is never refused one."""
    live.row.removals.filter(at__lte=live.now - REMOVAL, is_ban=False).delete()
    Removal.objects.update_or_create(table=live.row, user_id=user_id, defaults={"at": live.now})


def free_seat(live: LiveTable, number: int, reason: Reason) -> None:
    """Free a seat between rounds; a bet on the next one is returned."""
    rounds.refund_bet(live, number)
    live.free_seat(live.seats[number], reason)
    _continue_round(live)


def _continue_round(live: LiveTable) -> None:
    """Deal if all remaining players have bet; at an empty table, retire the shoe in use."""
    rounds.deal_if_all_have_bet(live)
    if not live.seats:
        live.set_clock(None)
        shoes.retire_if_exhausted(live)
