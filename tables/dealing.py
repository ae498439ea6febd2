"""From the first bet of a round to its last payout."""

from __future__ import annotations

from collections.abc import Iterable
from secrets import SystemRandom

from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.events import Event, HandDoubled, HandSettled, HandSplit
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.live_table import LiveTable
from tables.models import Hand, Seat
from tables.models import Round as RoundRow
from tables.table_events import BetPlaced, ClockRanOut, Reason

MISSED_ROUNDS_TO_LOSE_A_SEAT = 2


def new_shoe(rules: Ruleset) -> Shoe:
    """A fresh shoe for one round, shuffled with the operating system's randomness."""
    return Shoe.shuffled(rules.decks, SystemRandom())


# Bets


def bet(live: LiveTable, user_id: int, turn: int, stake: int) -> None:
    """Place ``stake`` hundredths on the coming round, which is dealt when all have bet.

    Raises :class:`RuleViolation` ``not_seated``, ``stale_turn``, ``wrong_phase``, ``already_bet``,
    ``bad_bet``, ``cannot_afford``.
    """
    seat = _own_seat(live, user_id, turn)
    if live.game.is_playing:
        raise RuleViolation("wrong_phase", "The cards are dealt; bet on the next round.")
    if seat in live.game.bets:
        raise RuleViolation("already_bet", "Your bet lies on the table already.")
    _verify_stake(live.rules, stake)
    if not live.game.bets:
        _open_round(live)
    if stake:
        live.stake(seat, 1, stake, f"stake:{live.row.seq + 1}")
    live.game.bets[seat] = stake
    live.events.append(BetPlaced(seat, stake))
    deal_if_all_have_bet(live)


def _verify_stake(rules: Ruleset, stake: int) -> None:
    if rules.stakes is None:
        if stake:
            raise RuleViolation("bad_bet", "Nothing is staked at this table.")
        return
    if stake < rules.stakes.minimum:
        least = rules.stakes.minimum // 100
        raise RuleViolation("bad_bet", f"The smallest bet at this table is {least}.")
    if rules.stakes.maximum is not None and stake > rules.stakes.maximum:
        most = rules.stakes.maximum // 100
        raise RuleViolation("bad_bet", f"The largest bet at this table is {most}.")
    if stake % rules.stakes.unit:
        raise RuleViolation("bad_bet", "Bets are made in whole units.")


def _open_round(live: LiveTable) -> None:
    live.round_row = RoundRow.objects.create(
        table=live.row, rules_key=live.rules.key, opened_at=live.now
    )
    live.game.round_id = live.round_row.pk
    live.set_clock(live.row.betting_seconds)


def call_off(live: LiveTable) -> None:
    """End a round for which every bet was taken back before the cards."""
    _round_row(live).finished_at = live.now
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
    _round_row(live).dealt_at = live.now
    game.round, events = Round.deal(live.rules, game.bets, new_shoe(live.rules))
    game.players = {seat: live.seats[seat].user_id for seat in game.bets}
    game.bets = {}
    _follow(live, events)


def _count_missed_round(live: LiveTable, seat: Seat) -> None:
    missed = 0 if seat.number in live.game.bets else seat.missed_rounds + 1
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
    _follow(live, round_.act(action, round_.turn, live.funds(seat)))


def stand_for_who_left(live: LiveTable) -> None:
    """Let a hand stand whose player quit, so that nobody waits for it."""
    round_ = live.game.round
    if round_ is not None and round_.turn is not None and live.seats[round_.turn.seat].is_leaving:
        _follow(live, round_.act(Action.STAND, round_.turn, 0))


def time_is_up(live: LiveTable) -> None:
    """Apply the deadline of the present decision: close betting, or let the hand stand."""
    round_ = live.game.round
    if round_ is not None and round_.turn is not None:
        live.events.append(ClockRanOut(round_.turn.seat, round_.turn.hand))
        _follow(live, round_.act(Action.STAND, round_.turn, 0))
    else:
        live.events.append(ClockRanOut())
        _deal(live)


def _follow(live: LiveTable, events: Iterable[Event]) -> None:
    """Write down what the engine said happened, move its money, and open the next decision."""
    for event in events:
        live.events.append(event)
        match event:
            case HandDoubled(seat, hand, stake) if stake:
                live.stake(seat, hand, stake, "double")
            case HandSplit(seat, hand, stake) if stake:
                live.stake(seat, hand + 1, stake, f"split:{_hand_count(live, seat)}")
            case HandSettled(seat, hand, _, stake, payout):
                live.settle(seat, hand, stake, payout)
    round_ = live.game.round
    assert round_ is not None
    if round_.is_finished:
        _finish(live, round_)
    else:
        live.next_decision(live.row.turn_seconds)
        stand_for_who_left(live)


def _finish(live: LiveTable, round_: Round) -> None:
    """Write the hands down, free the seats of who quit, and wait for bets."""
    row = _round_row(live)
    row.finished_at = live.now
    row.dealer_cards = str(round_.dealer)
    for seat, hands in round_.seats.items():
        for number, hand in enumerate(hands, start=1):
            assert hand.outcome is not None
            live.settled_hands.append(
                Hand(
                    round=row,
                    seat=seat,
                    number=number,
                    user_id=live.game.players[seat],
                    cards=str(hand.hand),
                    total=hand.hand.total,
                    is_doubled=hand.is_doubled,
                    outcome=hand.outcome.value,
                    stake=hand.stake,
                    payout=hand.payout,
                )
            )
    for taken in [taken for taken in live.seats.values() if taken.is_leaving]:
        live.free_seat(taken, Reason.LEFT)
    live.next_decision(None)


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
