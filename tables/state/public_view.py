"""The public view of a table: the only way from its private state to a page.

Every public field is listed by name; nothing is copied implicitly.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from accounts.lib.times import to_milliseconds
from tables.engine import legal_actions
from tables.engine.cards import Card
from tables.engine.hand import Hand
from tables.engine.piles import Piles
from tables.engine.player_hand import PlayerHand
from tables.engine.round import Round
from tables.models import QueueEntry, Table
from tables.protocol import codec
from tables.protocol.public import (
    Asked,
    MatchStanding,
    PublicBacker,
    PublicDealer,
    PublicHand,
    PublicInsurance,
    PublicMatch,
    PublicPiles,
    PublicQueueEntry,
    PublicSeat,
    PublicShoe,
    PublicTable,
    Score,
)
from tables.state import idle_seats, plans, time_banks
from tables.state.behind import Backing, is_offered
from tables.state.game_state import UNSEALED, GameState
from tables.state.live_table import LiveTable
from tables.state.match_state import rank

FACE_DOWN = "??"


def build_public_table(live: LiveTable) -> PublicTable:
    """Build the public view of a table."""
    row, round_ = live.row, live.game.round
    insurance = _list_insurance_decisions(live)
    return PublicTable(
        phase=row.phase,
        turn=row.turn,
        deadline=_get_deadline(live),
        clock=_get_clock(live),
        on_bank=live.game.bank_since is not None,
        round=live.game.round_id,
        number=_round_number(live),
        seats=tuple([_build_seat(live, number) for number in range(1, live.rules.seats + 1)]),
        dealer=_build_dealer(round_) if round_ else PublicDealer(),
        asked=insurance[0] if insurance else _build_decision(live, round_),
        insurance=insurance,
        shoe=_build_shoe(live),
        rack=live.rack_balance if live.rules.is_matched else None,
        piles=_build_piles(live.game) if live.rules.has_piles else None,
        stack=row.stack_size,
        top_ups=row.top_ups,
        maker=row.maker.username if row.maker else None,
        private=row.is_private,
        locked=row.is_locked,
        chat=row.has_chat,
        hints_allowed=row.has_hints,
        behind=is_offered(row, live.rules),
        closing=row.is_closing,
        paused=row.paused_because if row.paused_at else None,
        paused_by_host=row.is_paused_by_host,
        queue=tuple([_build_queue_entry(entry) for entry in live.queue]),
        watchers=row.watchers,
        match=_build_match(live),
        edition=_edition_hash(row),
    )


def _get_deadline(live: LiveTable) -> int | None:
    """The deadline; none while the server finds the best play, which nobody is asked for."""
    deadline_at = live.row.deadline_at
    return (
        None
        if deadline_at is None or plans.is_best_play_due(live)
        else to_milliseconds(deadline_at)
    )


def _get_clock(live: LiveTable) -> int:
    row, since = live.row, live.game.bank_since
    if since is not None and row.deadline_at is not None:
        return max(1, round((to_milliseconds(row.deadline_at) - since) / 1_000))
    return row.turn_seconds if live.game.is_playing else row.betting_seconds


def _edition_hash(row: Table) -> str:
    return _short_hash(codec.encode([row.name, sorted(row.rules_options.items())]))


@lru_cache(maxsize=1_000)
def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _build_seat(live: LiveTable, number: int) -> PublicSeat:
    seat, game = live.seats.get(number), live.game
    if seat is None:
        return PublicSeat(number)
    user, stack, round_ = seat.user, seat.stack, game.round
    is_theirs = round_ is not None and game.players.get(number) == seat.user_id
    return PublicSeat(
        seat=number,
        player=user.username,
        colour=user.accent,
        stake=game.bets.get(number),
        missed=seat.missed_rounds,
        leaving=seat.is_leaving,
        hints=seat.has_hints,
        sitting_out=seat.is_sitting_out,
        rounds_out=seat.rounds_sat_out,
        bank=time_banks.get_bank(live, seat.user_id),
        hands=tuple([_build_hand(hand) for hand in round_.seats[number]])
        if round_ and is_theirs
        else (),
        insurance=_build_insurance(round_, number) if round_ and is_theirs else None,
        answered=number in game.insurance_answers,
        tally=None if game.rules.stakes else Score(seat.won, seat.lost, seat.pushed),
        since=to_milliseconds(seat.sat_at),
        net=seat.net,
        # Chips that are missing would tell an answer that others may not know yet.
        chips=live.balance_of(seat) + game.secret_insurance(number) if stack else None,
        top_ups=stack.top_ups if stack else 0,
        asks=stack is not None and stack.asked_at is not None,
        commitment=game.commitments.get(number),
        away=to_milliseconds(seat.away_since) if seat.away_since else None,
        idle=to_milliseconds(freed) if (freed := idle_seats.get_freeing_time(live, seat)) else None,
        behind=_build_backers(game.behind, number) if game.behind else (),
        backed=_build_backers(game.backed, number) if game.backed and is_theirs else (),
    )


def _build_backers(backings: list[Backing], seat: int) -> tuple[PublicBacker, ...]:
    return tuple(
        PublicBacker(one.name, tuple(one.stakes), one.goes_along, one.paid)
        for one in backings
        if one.seat == seat
    )


def _build_queue_entry(entry: QueueEntry) -> PublicQueueEntry:
    until = to_milliseconds(entry.until) if entry.until else None
    return PublicQueueEntry(entry.user.username, entry.seat, until)


def _build_insurance(round_: Round, seat: int) -> PublicInsurance | None:
    answer = round_.insurance.get(seat)
    if answer is None:
        return None
    return PublicInsurance(answer.stake, answer.payout, settled=not round_.is_insurance_asked)


def _round_number(live: LiveTable) -> int | None:
    """The number of the current or last round; older states do not have it."""
    if live.game.round_id is None:
        return None
    return live.game.round_number or live.row.round_count


def _build_shoe(live: LiveTable) -> PublicShoe | None:
    """The seal and the counts of the shoe, without its cards. It is the last one sealed here."""
    game, shoe = live.game, live.game.shoe
    if shoe is None or shoe.id == UNSEALED:
        return None
    size = len(shoe.cards.cards) if shoe.cards else game.rules.cards
    remaining = shoe.cards.left if shoe.cards else size
    return PublicShoe(
        id=shoe.public_id,
        number=live.row.shoe_count,
        commitment=shoe.commitment,
        size=size,
        left=remaining,
        cut=game.rules.cut_position,
    )


def _build_piles(game: GameState) -> PublicPiles:
    piles = game.piles or Piles()
    deck = game.deck_left
    if deck is None:
        deck = game.shoe.cards.left if game.shoe and game.shoe.cards else game.rules.cards
    is_over = game.deck_left is not None
    winner = str(piles.winner) if is_over else None
    return PublicPiles(piles.player, piles.house, piles.discard, deck, is_over, winner)


def _build_match(live: LiveTable) -> PublicMatch | None:
    match = live.game.match
    if match is None:
        return None
    # Of who is seated the present name: players may change it.
    names = {seat.user_id: seat.user.username for seat in live.seats.values()}
    return PublicMatch(
        id=match.id,
        kind=match.kind,
        state=match.state,
        rounds=match.rounds,
        played=match.played,
        stack=match.stack,
        standings=tuple(
            MatchStanding(
                player=names.get(player.user_id, player.name),
                place=place,
                stack=player.stack,
                change=player.change,
                out=player.out_in_round,
                left=player.has_left,
            )
            for place, player in rank(match.players)
        ),
        rematch=match.rematch,
    )


def _build_hand(hand: PlayerHand) -> PublicHand:
    return PublicHand(
        cards=tuple(map(str, hand.hand.cards)),
        total=hand.hand.total,
        soft=hand.hand.is_soft,
        stake=hand.stake,
        doubled=hand.is_doubled,
        outcome=hand.outcome,
        payout=hand.payout,
    )


def _build_dealer(round_: Round) -> PublicDealer:
    visible: tuple[Card | None, ...] = round_.visible_dealer_cards
    hand = Hand.from_cards(card for card in visible if card is not None)
    return PublicDealer(
        cards=tuple(FACE_DOWN if card is None else str(card) for card in visible),
        total=hand.total,
        soft=hand.is_soft,
    )


def _list_insurance_decisions(live: LiveTable) -> tuple[Asked, ...]:
    round_ = live.game.round
    if round_ is None or not round_.is_insurance_asked:
        return ()
    return tuple(
        Asked(seat, 1, tuple(map(str, legal_actions.answers(round_, seat, live.funds(seat)))))
        for seat in live.game.seats_to_insure
    )


def _build_decision(live: LiveTable, round_: Round | None) -> Asked | None:
    if round_ is None or round_.turn is None or plans.is_best_play_due(live):
        return None
    legal = round_.legal_actions(live.funds(round_.turn.seat))
    return Asked(round_.turn.seat, round_.turn.hand, tuple(map(str, legal)))
