"""From the first bet of a round to its last payout."""

from __future__ import annotations

from collections.abc import Iterable

from tables import shoes
from tables.engine import fair
from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.events import (
    Event,
    HandDoubled,
    HandSettled,
    HandSplit,
    InsuranceSettled,
    InsuranceTaken,
    Outcome,
)
from tables.engine.player_hand import PlayerHand
from tables.engine.round import Round
from tables.live_table import LiveTable
from tables.models import Hand, Seat
from tables.models import Round as RoundRow
from tables.own_limits import loss_limit_reached, verify_no_break
from tables.table_events import BetPlaced, BetReturned, ClockRanOut, Reason

MISSED_ROUNDS_TO_LOSE_A_SEAT = 2


# Bets


def bet(live: LiveTable, user_id: int, turn: int, stake: int, words: str = "") -> None:
    """Place ``stake`` hundredths on the coming round, which is dealt when all have bet.

    Until then it may be bet anew: the stake before comes back first. ``words`` are the player's
    part in the shuffle of a fresh shoe. Raises :class:`RuleViolation` ``not_seated``,
    ``stale_turn``, ``on_break``, ``wrong_phase``, ``bad_bet``, ``bad_words``, ``cannot_afford``,
    ``loss_limit``, ``rack_cannot_match``.
    """
    seat = _own_seat(live, user_id, turn)
    verify_no_break(live.seats[seat].user, live.now)
    if live.game.is_playing:
        raise RuleViolation("wrong_phase", "The cards are dealt; bet on the next round.")
    live.rules.verify_stake(stake)
    if not fair.are_words(words):
        raise RuleViolation("bad_words", "Words for the shuffle are plain letters on one line.")
    if seat in live.game.bets:
        _return_bet(live, seat)
    elif not live.game.bets:
        _open_round(live)
    if stake:
        live.stake(seat, 1, stake, f"stake:{live.row.seq + 1}")
    if stake and live.rules.is_matched:
        live.match(seat, stake)
    live.game.bets[seat] = stake
    if words:
        live.game.words[seat] = words
    live.events.append(BetPlaced(seat, stake))
    deal_if_all_have_bet(live)


def _open_round(live: LiveTable) -> None:
    live.round_row = RoundRow.objects.create(
        table=live.row,
        rules_key=live.rules.key,
        rules_options=live.row.rules_options,
        opened_at=live.now,
    )
    live.game.round_id = live.round_row.pk
    if live.row.deadline_at is None:
        live.set_clock(live.row.betting_seconds)


def take_back(live: LiveTable, user_id: int, turn: int) -> None:
    """Return the player's bet, on their own wish.

    Raises :class:`RuleViolation` ``not_seated``, ``stale_turn``, ``wrong_phase``, ``no_bet``.
    """
    seat = _own_seat(live, user_id, turn)
    if live.game.is_playing:
        raise RuleViolation("wrong_phase", "The cards are dealt; the bet stays.")
    if seat not in live.game.bets:
        raise RuleViolation("no_bet", "There is no bet of yours to take back.")
    take_bet_back(live, seat)


def _return_bet(live: LiveTable, seat: int) -> None:
    stake = live.game.bets.pop(seat)
    live.game.words.pop(seat, None)
    if stake:
        live.refund(seat, stake)
    live.events.append(BetReturned(seat, stake))


def take_bet_back(live: LiveTable, seat: int) -> None:
    """Return a bet before the cards fall; harmless without one."""
    if seat not in live.game.bets:
        return
    _return_bet(live, seat)
    if not live.game.bets:
        _round_row(live).finished_at = live.now  # called off before the cards
        if not live.rules.asks_to_play_again:
            live.set_clock(None)


# Cards


def deal_if_all_have_bet(live: LiveTable) -> None:
    """Betting closes as soon as every seated player has bet."""
    if live.game.bets and not live.game.is_playing and live.seats.keys() == live.game.bets.keys():
        _deal(live)


def _deal(live: LiveTable) -> None:
    game = live.game
    for seat in list(live.seats.values()):
        _count_missed_round(live, seat)
    cards = shoes.open_for_round(live)
    assert game.shoe is not None
    row = _round_row(live)
    row.dealt_at, row.first_card = live.now, cards.dealt
    row.shoe_id = game.shoe.id or None
    game.round, events = Round.deal(live.rules, game.bets, cards)
    game.players = {seat: live.seats[seat].user_id for seat in game.bets}
    game.bets, game.decisions = {}, {}
    _follow(live, events)


def _count_missed_round(live: LiveTable, seat: Seat) -> None:
    """Note a round that is dealt without this seat. Who was asked "play again?" and did not
    answer gives the seat up (RULES, 000); who has just sat down has time for another round.
    """
    if seat.number in live.game.bets:
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
        live.seats_changed.append(seat)


def act(live: LiveTable, user_id: int, turn: int, action: Action) -> None:
    """Do what the player decided about the hand that is asked.

    Raises :class:`RuleViolation` ``not_seated``, ``stale_turn``, ``wrong_phase``,
    ``not_your_turn``, and what :meth:`Round.verify` raises.
    """
    seat = _own_seat(live, user_id, turn)
    round_ = live.game.round
    if round_ is None or round_.turn is None:
        raise RuleViolation("wrong_phase", "There is no hand to play now.")
    if seat != round_.turn.seat:
        raise RuleViolation("not_your_turn", "It is somebody else's turn.")
    try:
        events = round_.act(action, round_.turn, live.funds(seat))
    except RuleViolation as violation:
        if violation.code == "cannot_afford" and live.is_held_back(seat):
            raise loss_limit_reached() from violation
        raise
    live.game.decisions[seat] = live.game.decisions.get(seat, 0) + 1
    _follow(live, events)


def decide_for_who_cannot(live: LiveTable) -> None:
    """Decide for a player who quit, or who cannot pay an insurance: nobody waits for that."""
    round_ = live.game.round
    if round_ is None or round_.turn is None:
        return
    seat = round_.turn.seat
    if live.seats[seat].is_leaving:
        _follow(live, round_.act(round_.passive_action, round_.turn, 0))
    elif round_.is_insurance_asked and not round_.can(Action.INSURE, round_.turn, live.funds(seat)):
        _follow(live, round_.act(Action.DECLINE, round_.turn, 0))


def time_is_up(live: LiveTable) -> None:
    """Apply the deadline of the present decision: close betting, or play on for who is away."""
    round_ = live.game.round
    if round_ is not None and round_.turn is not None:
        live.events.append(ClockRanOut(round_.turn.seat, round_.turn.hand))
        _follow(live, round_.act(round_.passive_action, round_.turn, 0))
        return
    live.events.append(ClockRanOut())
    if live.game.bets:
        _deal(live)
        return
    for seat in list(live.seats.values()):
        _count_missed_round(live, seat)
    shoes.retire_if_over(live)
    live.next_decision(None)


def _follow(live: LiveTable, events: Iterable[Event]) -> None:
    """Write down what the engine said happened, move its money, and open the next decision."""
    for event in events:
        live.events.append(event)
        match event:
            case HandDoubled(seat, hand, stake) if stake:
                live.stake(seat, hand, stake, "double")
            case HandSplit(seat, hand, stake) if stake:
                live.stake(seat, hand + 1, stake, f"split:{_hand_count(live, seat)}")
            case InsuranceTaken(seat, stake):
                live.insure(seat, stake)
            case InsuranceSettled(seat, stake, payout):
                live.settle_insurance(seat, stake, payout)
            case HandSettled(seat, hand, _, stake, payout):
                live.settle(seat, hand, stake, payout)
    round_ = live.game.round
    assert round_ is not None
    if round_.is_finished:
        _finish(live, round_)
    else:
        live.next_decision(live.row.turn_seconds)
        decide_for_who_cannot(live)


def _finish(live: LiveTable, round_: Round) -> None:
    """Write the hands down, free the seats of who quit, and wait for bets."""
    row = _round_row(live)
    row.finished_at = live.now
    row.dealer_cards = str(round_.dealer)
    for seat, hands in round_.seats.items():
        for number, hand in enumerate(hands, start=1):
            settled = _settled(live, seat, number, hand)
            live.settled_hands.append(settled)
            _keep_score(live, seat, settled)
    if live.game.piles is not None:
        live.events.append(live.game.piles.collect(round_))
    for taken in [taken for taken in live.seats.values() if taken.is_leaving]:
        live.free_seat(taken, Reason.LEFT)
    shoes.retire_if_over(live)
    is_asked = live.rules.asks_to_play_again and bool(live.seats)
    live.next_decision(live.row.betting_seconds if is_asked else None)


def _settled(live: LiveTable, seat: int, number: int, hand: PlayerHand) -> Hand:
    """The row of a hand that has ended; the first of a seat keeps its insurance as well."""
    round_ = live.game.round
    assert round_ is not None
    assert hand.outcome is not None
    insurance = round_.insurance.get(seat) if number == 1 else None
    return Hand(
        round=_round_row(live),
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


def _keep_score(live: LiveTable, number: int, hand: Hand) -> None:
    """What the seat has come to: money, or won, lost and pushed where none is staked (seed 000)."""
    seat = live.seats[number]
    live.seats_changed.append(seat)
    if live.rules.stakes is not None:
        seat.net += hand.net
    elif hand.outcome == Outcome.WIN:
        seat.won += 1
    elif hand.outcome == Outcome.PUSH:
        seat.pushed += 1
    else:
        seat.lost += 1


def _round_row(live: LiveTable) -> RoundRow:
    """The row of the round that is bet on or played, to be written with this change."""
    if live.round_row is None:
        assert live.game.round_id is not None
        live.round_row = RoundRow.objects.get(pk=live.game.round_id)
    return live.round_row


def _hand_count(live: LiveTable, seat: int) -> int:
    assert live.game.round is not None
    return len(live.game.round.seats[seat])


def _own_seat(live: LiveTable, user_id: int, turn: int) -> int:
    """The number of the user's seat, if the command speaks of the present decision."""
    seat = live.seat_of(user_id)
    if seat is None:
        raise RuleViolation("not_seated", "Take a seat first.")
    if turn != live.row.turn:
        raise RuleViolation("stale_turn", "That was already decided.")
    return seat.number
