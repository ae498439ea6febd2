"""Rounds from the first bet to the last payout: bets, deal, actions, time-outs."""

from __future__ import annotations

import datetime as dt

from accounts.lib.sql.write import InsertRows, NewInstance
from tables.engine.actions import Action
from tables.engine.errors import RuleViolation, StoredText
from tables.engine.round import Round
from tables.game import decisions, settlement, shoes
from tables.models import Round as RoundRow
from tables.models import Seat
from tables.protocol.commands import Bet, DecideAhead
from tables.protocol.events import BetPlaced, BetReturned, ClockRanOut, Reason
from tables.state import commitments, idle_seats, plans, sitting_out, time_banks
from tables.state.live_table import LiveTable
from tables.state.loss_limits import loss_limit_error, verify_not_on_break

MISSED_ROUNDS_TO_LOSE_A_SEAT = 2
MOST_BETS, SECONDS_OF_BETS = 60, 60
"""The limit of bets of one seat, and its period in seconds, until the deal."""
CALLED_OFF_FOR = dt.timedelta(minutes=10)
"""A round that was called off and is opened again within this time keeps its row."""

_new_round = NewInstance(RoundRow)
_insert_round = InsertRows(RoundRow)


# Bets


def place_bet(live: LiveTable, user_id: int, command: Bet) -> None:
    """Place a bet on the next round, which is dealt when all have bet.

    A second bet replaces the first, whose stake is returned. Raises
    :class:`RuleViolation` ``not_seated``, ``stale_turn``, ``on_break``, ``wrong_phase``,
    ``match_waits``, ``match_over``, ``table_paused``, ``maintenance``, ``bad_bet``, ``bad_words``,
    ``words_not_shown``, ``too_fast``, ``cannot_afford``, ``loss_limit``, ``rack_cannot_match``.
    """
    seat, stake = _require_seat(live, user_id, command.turn), command.stake
    _verify_may_bet(live, seat, stake)
    commitments.verify_words(live.game, seat, command.words)
    is_first = not live.game.bets and not live.game.behind
    if seat in live.game.bets:
        _return_bet(live, seat)
    # All refusals come before the round's row is written: a batch has no rollback of one command.
    count_bet(live, live.game.bets_made, seat)
    live.verify_stake(seat, stake)
    if live.rules.is_matched:
        live.verify_match(stake)
    sitting_out.come_back(live, live.seats[seat])
    if is_first:
        open_round(live)
    if live.row.deadline_at is None:
        live.set_clock(live.row.betting_seconds)
    if stake:
        live.stake(seat, 1, stake, f"stake:{live.row.seq + 1}")
    live.game.bets[seat] = stake
    if live.game.match is None or not live.game.match.is_duplicate:
        commitments.store_words(live.game, seat, command.words, command.commitment)
    live.events.append(BetPlaced(seat, stake))
    deal_if_all_have_bet(live)


def _verify_may_bet(live: LiveTable, seat: int, stake: int) -> None:
    verify_not_on_break(live.seats[seat].user, live.now)
    if live.game.is_playing:
        raise RuleViolation("wrong_phase", "The cards are dealt. Bet on the next round.")
    verify_round_may_begin(live)
    live.rules.verify_stake(stake)


def count_bet(live: LiveTable, bet_counts: dict[int, tuple[int, int]], key: int) -> None:
    """Refuse more bets than a person can place by hand. Each may also be taken back once.

    ``bet_counts`` counts them, by seat or by user. Raises :class:`RuleViolation` ``too_fast``.
    """
    now = int(live.now.timestamp())
    count, since = bet_counts.get(key, (0, now))
    if now - since >= SECONDS_OF_BETS:
        count, since = 0, now
    if count >= MOST_BETS:
        raise RuleViolation(
            "too_fast", "You've changed this bet too often. Wait a minute, then bet again."
        )
    bet_counts[key] = (count + 1, since)


def verify_round_may_begin(live: LiveTable) -> None:
    """Raise :class:`RuleViolation` ``table_paused``, ``maintenance``, ``match_waits`` or
    ``match_over`` if no round can begin.
    """
    row, match = live.row, live.game.match
    if match is not None and match.is_waiting:
        raise RuleViolation("match_waits", "The match has not begun. Its host starts it.")
    if match is not None and not match.is_running:
        raise RuleViolation("match_over", "The match at this table is over.")
    if row.paused_at is not None:
        raise RuleViolation(
            "table_paused",
            "This table is paused: %(because)s",
            because=StoredText(row.paused_because),
        )
    if live.site.maintenance is not None:
        raise RuleViolation("maintenance", "The site is under maintenance. No new rounds start.")


def open_round(live: LiveTable) -> None:
    """Open the round that the first bet belongs to. It has no clock yet."""
    if not _reopen_round(live):
        _insert_round_row(live)


def _reopen_round(live: LiveTable) -> bool:
    """Reopen the round that was called off last, so that many of them leave one row."""
    if not live.game.is_called_off:
        return False
    live.game.is_called_off = False
    row = settlement.get_current_round_row(live)
    is_same = row.rules_options == live.row.rules_options and row.voided_at is None
    if not is_same or live.now - row.opened_at > CALLED_OFF_FOR:
        return False
    row.finished_at = None
    return True


def _insert_round_row(live: LiveTable) -> None:
    opened = _new_round(
        table_id=live.row.pk,
        rules_key=live.rules.key,
        rules_options=live.row.rules_options,
        opened_at=live.now,
    )
    live.writes.append(_insert_round.reserve_key(opened))
    live.game.round_id = live.attach_round_row(opened).pk
    live.game.round_number = live.row.round_count + 1


def take_bet_back(live: LiveTable, user_id: int, turn: int) -> None:
    """Return the bet at the player's request.

    Raises :class:`RuleViolation` ``not_seated``, ``stale_turn``, ``wrong_phase``, ``no_bet``.
    """
    seat = _require_seat(live, user_id, turn)
    if live.game.is_playing:
        raise RuleViolation("wrong_phase", "The cards are dealt, so the bet stays.")
    if seat not in live.game.bets:
        raise RuleViolation("no_bet", "You have no bet to undo.")
    refund_bet(live, seat)
    live.game.is_called_off = not live.game.bets and not live.game.behind


def _return_bet(live: LiveTable, seat: int) -> None:
    stake = live.game.bets.pop(seat)
    if stake:
        live.refund(seat, stake)
    live.events.append(BetReturned(seat, stake))


def refund_bet(live: LiveTable, seat: int) -> None:
    """Return a bet before the deal; no effect without one."""
    if seat not in live.game.bets:
        return
    _return_bet(live, seat)
    if not live.game.bets:
        commitments.drop_words(live.game)
        if not live.game.behind:
            settlement.get_current_round_row(live).finished_at = live.now  # called off
        # In a match a bet that is taken back gives nobody more time.
        if not live.rules.asks_to_play_again and not live.game.is_match_running:
            live.set_clock(None)


def refund_all_bets(live: LiveTable) -> None:
    """Return all bets on the next round; no effect without any."""
    live.return_all_behind()
    for seat in list(live.game.bets):
        refund_bet(live, seat)


def call_off_if_empty(live: LiveTable) -> None:
    """Call the round off before the deal if a bet behind was returned and was the last bet."""
    game = live.game
    if not live.has_returned_behind or game.is_playing or game.bets or game.behind:
        return
    row = settlement.get_current_round_row(live)
    if row.dealt_at is None:
        row.finished_at = live.now


def reopen_betting(live: LiveTable) -> None:
    """Ask for bets again after a pause, with the full time for "play again?"."""
    players = live.game.players
    is_asked = live.rules.asks_to_play_again and any(
        players.get(seat.number) == seat.user_id for seat in sitting_out.list_active(live)
    )
    live.next_decision(live.row.betting_seconds if is_asked else None)


# Cards


def deal_if_all_have_bet(live: LiveTable) -> None:
    """Deal if every player who does not sit out has bet; in maintenance the deadline returns the bets
    instead.
    """
    game = live.game
    is_decided = game.match is not None and len(live.seats) < game.match.fewest
    if not game.bets or game.is_playing or is_decided or live.site.maintenance is not None:
        return
    if all(seat.number in game.bets for seat in sitting_out.list_active(live)):
        _deal(live)


def _deal(live: LiveTable) -> None:
    game = live.game
    # Before seats are freed: the proof lists seats that committed and did not bet.
    cards = shoes.open_for_round(live)
    for backing in [one for one in game.behind if one.seat not in game.bets]:
        live.return_behind(backing)
    for seat in list(live.seats.values()):
        if seat.is_sitting_out:
            is_limited = idle_seats.get_allowed_time(live.row) is not None
            sitting_out.count_round(live, seat, is_limited=is_limited)
        else:
            _count_missed_round(live, seat)
    assert game.shoe is not None
    row, first_card = settlement.get_current_round_row(live), cards.dealt
    try:
        game.round, events = Round.deal(live.rules, game.bets, cards)
    except RuleViolation as violation:
        decisions.mark_exhausted_shoe(live, violation)
        return
    live.row.round_count += 1
    row.number = game.round_number = live.row.round_count
    row.dealt_at, row.first_card = live.now, first_card
    row.shoe_id = game.shoe.id or None
    game.players = {seat: live.seats[seat].user_id for seat in game.bets}
    game.seats_with_hints = [seat for seat in game.players if live.seats[seat].has_hints]
    game.backed = game.behind
    game.bets, game.decisions, game.bets_made, game.plans = {}, {}, {}, {}
    game.behind, game.behind_made = [], {}
    for number in game.players:
        sitting_out.note_dealt_in(live, live.seats[number])
    time_banks.grow_banks(live)
    decisions.apply_events(live, events)


def _bet_smallest_for_late(live: LiveTable) -> None:
    """In a match, bet the smallest bet for every player who has not bet in time.

    Their words are not shown, so they are not in the shuffle; a commitment is listed as absent.
    """
    assert live.rules.stakes is not None
    stake = live.rules.stakes.minimum
    for seat in [number for number in live.seats if number not in live.game.bets]:
        if not live.game.bets:
            open_round(live)
        live.stake(seat, 1, stake, f"stake:{live.row.seq + 1}")
        live.game.bets[seat] = stake
        commitments.withhold(live.game, seat, live.seats[seat].user.username)
        live.events.append(BetPlaced(seat, stake))


def _count_missed_round(live: LiveTable, seat: Seat) -> None:
    """Count a missed round. After an unanswered "play again?" the seat is freed (docs/rules.md)."""
    if seat.number in live.game.bets or seat.is_sitting_out:
        missed = 0
    elif live.rules.asks_to_play_again and live.game.players.get(seat.number) == seat.user_id:
        live.free_seat(seat, Reason.NO_ANSWER)
        return
    else:
        missed = seat.missed_rounds + 1
    if missed >= MISSED_ROUNDS_TO_LOSE_A_SEAT:
        live.free_seat(seat, Reason.MISSED_ROUNDS)
    elif missed != seat.missed_rounds:
        seat.missed_rounds = missed
        live.store_seat(seat)


def play_action(live: LiveTable, user_id: int, turn: int, action: Action) -> None:
    """Play the player's decision on the current hand.

    Raises :class:`RuleViolation` ``not_seated``, ``stale_turn``, ``wrong_phase``,
    ``not_your_turn``, and what :meth:`Round.verify` raises. Insurance is asked of all seats at
    once; see :func:`tables.game.decisions.answer_insurance`.
    """
    seat = _require_seat(live, user_id, turn)
    round_ = live.game.round
    if round_ is None or round_.turn is None:
        raise RuleViolation("wrong_phase", "You have no hand to play now.")
    try:
        if round_.is_insurance_asked:
            decisions.answer_insurance(live, seat, action)
        else:
            if seat != round_.turn.seat:
                raise RuleViolation("not_your_turn", "It's another player's turn.")
            if seat in live.game.plans:  # its best play is being computed: the player is faster
                round_.verify(action, round_.turn, live.funds(seat))
                plans.drop_plan(live, seat)
            decisions.apply_action(live, action, live.funds(seat), decided_by=seat)
    except RuleViolation as violation:
        if violation.code == "cannot_afford" and live.is_held_back(seat):
            raise loss_limit_error(live.funds(seat)) from violation
        raise


def decide_ahead(live: LiveTable, user_id: int, command: DecideAhead) -> None:
    """Store what the player decides ahead for the own hand.

    Raises :class:`RuleViolation` ``not_seated``, ``already_leaving``, and what
    :func:`tables.state.plans.choose_plan` raises.
    """
    seat = live.seat_of(user_id)
    if seat is None:
        raise RuleViolation("not_seated", "Take a seat first.")
    if not live.is_in_round(seat):
        if command.turn != live.row.turn:
            raise RuleViolation("too_late", "Too late: the round is already over.")
        raise RuleViolation("wrong_phase", "You have no hand to decide about.")
    if seat.is_leaving:
        raise RuleViolation("already_leaving", "You leave your seat after this round.")
    plans.choose_plan(live, seat.number, command.turn, command.plan)


def apply_timeout(live: LiveTable) -> None:
    """Apply the deadline of the current decision: close betting, or decide automatically."""
    round_ = live.game.round
    if round_ is not None and round_.is_insurance_asked:
        decisions.decline_at_timeout(live)
        return
    if round_ is not None and round_.turn is not None:
        if plans.is_best_play_due(live):
            _wait_for_best_play(live, round_.turn.seat)
            return
        if time_banks.start_bank(live):
            return
        live.events.append(ClockRanOut(round_.turn.seat, round_.turn.hand))
        decisions.apply_action(live, round_.passive_action)
        return
    live.events.append(ClockRanOut())
    if live.site.maintenance is not None:
        refund_all_bets(live)
        live.next_decision(None)
        return
    if live.game.is_match_running:
        _bet_smallest_for_late(live)
    if live.game.bets:
        _deal(live)
        return
    live.return_all_behind()
    for seat in list(live.seats.values()):
        _count_missed_round(live, seat)
    shoes.retire_if_exhausted(live)
    live.next_decision(None)


def _wait_for_best_play(live: LiveTable, seat: int) -> None:
    """Have the best play computed again, or ask the player after :data:`plans.MOST_TRIES`."""
    live.game.best_tries += 1
    if live.game.best_tries < plans.MOST_TRIES:
        live.set_clock(plans.BEST_SECONDS)
    else:
        plans.drop_plan(live, seat)
        live.next_decision(live.row.turn_seconds)


def _require_seat(live: LiveTable, user_id: int, turn: int) -> int:
    """The number of the user's seat. Raises ``stale_turn`` if ``turn`` is not the current one."""
    seat = live.seat_of(user_id)
    if seat is None:
        raise RuleViolation("not_seated", "Take a seat first.")
    if turn != live.row.turn:
        raise RuleViolation("stale_turn", "You've already decided that.")
    return seat.number
