"""A match at a table: the start, the count of its rounds, who is out, and the end.

The commit of a table calls :func:`apply_due`, so whatever changes a table keeps its match current.
Everything is in the table's state; the rows of the match are written with it.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db.models import Exists, OuterRef

from accounts.lib.sql.write import UpdateRows
from tables.engine.errors import RuleViolation, Text
from tables.game import rounds, shoes
from tables.models import Match, MatchPlayer, Round, Seat, Shoe, Table
from tables.protocol.events import MatchEnded, MatchRoundEnded, MatchStarted, Reason
from tables.state import waiting_line
from tables.state.live_table import LiveTable
from tables.state.match_state import MatchSeat, MatchState, rank

FEWEST: Final = 2
"""A match needs this number of players."""

# Stored in English, like the reasons of aborted rounds.
IS_CLOSED: Final = str(Text("The table was closed."))

_write_end = UpdateRows(Match, ("state", "played", "ended_at", "ended_because"))
_write_played = UpdateRows(Match, ("played",))
_write_players = UpdateRows(
    MatchPlayer, ("played", "stack", "change", "out_in_round", "has_left", "place")
)


def start(live: LiveTable) -> None:
    """Begin the match with the seated players. From now on nobody can join it.

    Raises :class:`RuleViolation` ``no_match``, ``match_started``, ``too_few_players``,
    ``table_closed``.
    """
    match = live.game.match
    if match is None:
        raise RuleViolation("no_match", "No match is played at this table.")
    if not match.is_waiting:
        raise RuleViolation("match_started", "The match has begun already.")
    if live.row.is_closing:
        raise RuleViolation("table_closed", "This table closes after this round.")
    if len(live.seats) < FEWEST:
        raise RuleViolation("too_few_players", "A match needs two players at least.")
    begin(live, match)
    waiting_line.empty_for_match(live)


def begin(live: LiveTable, match: MatchState) -> None:
    """Store the seated players as those of the match, and take bets."""
    for seat in live.seats.values():
        stack = get_stack(live, seat)
        player, _ = MatchPlayer.objects.update_or_create(
            match_id=match.id,
            user_id=seat.user_id,
            defaults={"table": live.row, "seat": seat.number, "stack": stack},
        )
        match.players.append(
            MatchSeat(player.pk, seat.user_id, seat.user.username, seat.number, stack)
        )
    match.state = Match.State.RUNNING
    Match.objects.filter(pk=match.id).update(state=match.state, started_at=live.now)
    live.events.append(MatchStarted(match.rounds))
    live.next_decision(None)  # the commit sets the clock
    shoes.ensure_sealed(live)


def get_stack(live: LiveTable, seat: Seat) -> int:
    """The stack of a player with the bet on the next round, in hundredths, after this change."""
    return live.balance_of(seat) + live.game.bets.get(seat.number, 0)


def apply_due(live: LiveTable) -> None:
    """Count a round that is over, note who is out, end the match, or run the clock for bets."""
    match = live.game.match
    if match is None or match.has_ended or live.game.is_playing:
        return
    if live.row.closed_at is not None and not match.is_duplicate:
        break_off(live, match, IS_CLOSED)
        return
    if match.is_waiting:
        return
    is_round_over = live.row.round_count != match.played
    match.played = live.row.round_count
    is_changed = _update_players(live, match, is_round_over=is_round_over)
    if is_round_over:
        leaders = [player for place, player in rank(match.players) if place == 1]
        names, stack = [player.name for player in leaders], leaders[0].stack
        live.events.append(MatchRoundEnded(match.played, match.rounds, names, stack))
    if len(match.players_in) < match.fewest or match.played >= match.last_round:
        _end(live, match)
        return
    if is_changed or is_round_over:
        _store_players(live, match)
    if is_round_over and not match.is_duplicate:
        row = Match(pk=match.id, played=match.played)
        live.writes.append(lambda: _write_played([row]))
    _run_clock(live)


def _update_players(live: LiveTable, match: MatchState, *, is_round_over: bool) -> bool:
    """Bring the players to the seats; returns whether anything changed."""
    is_changed = False
    seats = {seat.user_id: seat for seat in live.seats_before_and_now()}
    for player in match.players_in:
        seat = seats.get(player.user_id)
        before = player.stack
        if seat is not None:
            player.stack, player.name = get_stack(live, seat), seat.user.username
        if is_round_over:
            player.change = player.stack - before
        if seat is None or live.seats.get(player.seat) is not seat:
            player.out_in_round, player.has_left = match.played, True
        elif is_round_over and player.stack < _smallest_bet(live):
            player.out_in_round = match.played
            live.free_seat(seat, Reason.OUT_OF_MATCH)
        is_changed |= player.stack != before or player.out_in_round is not None
    return is_changed


def _smallest_bet(live: LiveTable) -> int:
    assert live.rules.stakes is not None
    return live.rules.stakes.minimum


def _run_clock(live: LiveTable) -> None:
    """The clock for bets starts by itself, so that nobody can hold up a match."""
    row = live.row
    is_held = row.paused_at is not None or row.is_closing or live.site.maintenance is not None
    if row.deadline_at is None and not is_held:
        live.set_clock(row.betting_seconds)


def _end(live: LiveTable, match: MatchState) -> None:
    """The match is over at this table. Unless others still play elsewhere, the places are final."""
    rounds.refund_all_bets(live)
    match.state = Match.State.OVER
    if match.is_duplicate:
        live.game.shoe = None
        live.events.append(MatchEnded([]))
        live.next_decision(None)
        _finish_duplicate(live, match)
        return
    places = {player.id: place for place, player in rank(match.players)}
    winners = [player.name for player in match.players if places[player.id] == 1]
    live.events.append(MatchEnded(winners))
    live.next_decision(None)
    _store_players(live, match, places)
    _store_end(live, match)


def _finish_duplicate(live: LiveTable, match: MatchState) -> None:
    """Store the player's result. The last player to finish ends the match for all."""
    _write_players(_build_rows(match))
    # Two players may finish at once: the second one to get the lock finds both.
    row = Match.objects.select_for_update().get(pk=match.id)
    players = list(row.players.order_by("pk"))
    if any(one.out_in_round is None and one.played < match.last_round for one in players):
        return
    for place, player in rank(players):
        MatchPlayer.objects.filter(pk=player.pk).update(place=place)
    reveal(row, live.now, Shoe.Retired.EVERY_ROUND)
    row.state, row.ended_at = Match.State.OVER, live.now
    row.played = max(player.played for player in players)
    row.save(update_fields=["state", "ended_at", "played"])
    tables = Table.objects.filter(match=row).exclude(pk=live.row.pk)
    live.other_cards += tuple(tables.values_list("pk", flat=True))


def reveal(match: Match, now: dt.datetime, because: Shoe.Retired) -> None:
    """Publish the secrets of all shoes of a duplicate match, also of those that nobody has used."""
    for number, secret in enumerate(match.secrets, start=1):
        sealed = Shoe.objects.filter(table__match=match, number=number, retired_at=None)
        used = Exists(Round.objects.filter(shoe=OuterRef("pk"), dealt_at__isnull=False))
        values = {"secret": secret, "retired_at": now}
        sealed.filter(~used).update(**values, retired_because=Shoe.Retired.TABLE_EMPTY)
        sealed.update(**values, retired_because=because)


def break_off(live: LiveTable, match: MatchState, because: str) -> None:
    """End the match without a winner. ``because`` is stored in English."""
    rounds.refund_all_bets(live)
    match.state = Match.State.BROKEN_OFF
    live.events.append(MatchEnded([], because))
    live.next_decision(None)
    _store_players(live, match)
    _store_end(live, match, because)


def restore(live: LiveTable) -> None:
    """Build the match again from its rows, for a table whose state could not be read. It goes on."""
    row = live.row.match
    if row is None:
        return
    match = MatchState.of(row)
    match.played = row.played
    if row.rematch_id is not None:
        rematch = Table.objects.filter(match=row.rematch_id).values_list("pk", flat=True)
        match.rematch = rematch.first()
    if match.is_duplicate:
        match.first_table = Table.objects.filter(match=row).values_list("pk", flat=True).first()
    match.players = [
        MatchSeat(
            player.pk, player.user_id, player.user.username, player.seat, player.stack,
            player.change, player.out_in_round, player.has_left,
        )
        for player in row.players.filter(table=live.row).select_related("user")
    ]  # fmt: skip
    live.game.match = match


def end_if_broken_off(live: LiveTable) -> bool:
    """End a duplicate match here that was broken off for all its tables; returns whether it was.

    Its shoes are revealed.
    """
    match, row = live.game.match, live.row.match
    if match is None or row is None or not match.is_duplicate or not match.is_running:
        return False
    if row.state != Match.State.BROKEN_OFF:
        return False
    match.state = Match.State.BROKEN_OFF
    live.game.shoe = None
    live.events.append(MatchEnded([], row.ended_because))
    return True


def _store_players(
    live: LiveTable, match: MatchState, places: dict[int, int] | None = None
) -> None:
    rows = _build_rows(match, places)
    live.writes.append(lambda: _write_players(rows))


def _build_rows(match: MatchState, places: dict[int, int] | None = None) -> list[MatchPlayer]:
    return [
        MatchPlayer(
            pk=player.id,
            played=match.played if player.out_in_round is None else player.out_in_round,
            stack=player.stack,
            change=player.change,
            out_in_round=player.out_in_round,
            has_left=player.has_left,
            place=places[player.id] if places else None,
        )
        for player in match.players
    ]


def _store_end(live: LiveTable, match: MatchState, because: str = "") -> None:
    row = Match(pk=match.id, state=match.state, played=match.played)
    row.ended_at, row.ended_because = live.now, because
    live.writes.append(lambda: _write_end([row]))
