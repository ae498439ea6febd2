"""Bets behind: a watcher backs the player of a seat before the deal."""

from __future__ import annotations

from accounts.ledger import transfers
from accounts.models import User
from tables import access
from tables.engine.errors import RuleViolation
from tables.game import rounds
from tables.protocol.commands import BetBehind
from tables.protocol.events import BetBehindPlaced
from tables.state import behind
from tables.state.behind import MOST_BACKERS, Backing
from tables.state.live_table import LiveTable
from tables.state.loss_limits import verify_not_on_break


def place(live: LiveTable, user_id: int, command: BetBehind) -> None:
    """Stake on the next round of a seat's player. It replaces the user's bet behind at this table.

    It starts no clock, and the deal does not wait for it. Raises :class:`RuleViolation`
    ``behind_off``, ``already_seated``, ``not_invited``, ``banned``, ``table_closed``,
    ``wrong_phase``, ``table_paused``, ``maintenance``, ``no_such_seat``,
    ``seat_empty``, ``behind_full``, ``not_allowed``, ``on_break``, ``bad_bet``, ``too_fast``,
    ``cannot_afford``, ``loss_limit``.
    """
    game, seat, stake = live.game, command.seat, command.stake
    _verify_may_back(live, user_id)
    _verify_before_deal(live, command.turn)
    rounds.verify_round_may_begin(live)
    _verify_seat(live, user_id, seat)
    # Locked: a deletion of the account either finds the bet, or is detected here.
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    access.verify_may_play(user)
    verify_not_on_break(user, live.now)
    live.rules.verify_stake(stake)
    rounds.count_bet(live, game.behind_made, user_id)
    user.wallet = transfers.get_or_open_wallet(user, at=live.now)
    live.backers[user_id] = user
    is_first = not game.bets and not game.behind
    live.return_behind_of(user_id)
    live.verify_funds(user, stake)
    if is_first:
        rounds.open_round(live)
    live.stake_behind(seat, user, 1, stake, f"stake:{live.row.seq + 1}")
    game.behind.append(Backing.place(seat, user_id, user.username, stake, goes_along=command.along))
    live.events.append(BetBehindPlaced(seat, user.username, stake, command.along))


def take_back(live: LiveTable, user_id: int, turn: int) -> None:
    """Return the user's bet behind at the user's request.

    Raises :class:`RuleViolation` ``wrong_phase``, ``no_bet``.
    """
    if user_id not in live.game.backer_ids:
        raise RuleViolation("no_bet", "You have no bet to undo.")
    if live.game.is_playing:
        raise RuleViolation("wrong_phase", "The cards are dealt, so the bet stays.")
    _verify_before_deal(live, turn)
    live.return_behind_of(user_id)
    live.game.is_called_off = not live.game.bets and not live.game.behind


def _verify_may_back(live: LiveTable, user_id: int) -> None:
    row = live.row
    if row.has_chips:
        raise RuleViolation(
            "behind_off", "This table has its own chips, and only players at a seat have some."
        )
    if not behind.has_place(row, live.rules):
        raise RuleViolation(
            "behind_off", "You can't bet behind at this table, because of its rules."
        )
    if not behind.is_offered(row, live.rules):
        raise RuleViolation("behind_off", "Betting behind is turned off at this table.")
    if live.seat_of(user_id) is not None:
        raise RuleViolation(
            "already_seated", "You have a seat here. Only watchers can bet behind a player."
        )
    if not access.may_see(row, user_id, {}):
        raise RuleViolation(
            "not_invited", "This table is private. Ask a player there for the link."
        )
    if row.removals.filter(user=user_id, is_ban=True).exists():
        raise RuleViolation("banned", "The host has banned you from this table.")
    if row.is_closing:
        raise RuleViolation("table_closed", "This table closes after this round.")


def _verify_before_deal(live: LiveTable, turn: int) -> None:
    if live.game.is_playing:
        raise RuleViolation(
            "wrong_phase", "The cards are dealt, so nothing was staked. Bet on the next round."
        )
    if turn != live.row.turn:
        raise RuleViolation(
            "wrong_phase", "That round is over, so nothing was staked. Bet on the next one."
        )


def _verify_seat(live: LiveTable, user_id: int, number: int) -> None:
    if not 1 <= number <= live.rules.seats:
        raise RuleViolation("no_such_seat", "This table has no such seat.")
    if number not in live.seats:
        raise RuleViolation("seat_empty", "Nobody has that seat any more.")
    others = [one for one in live.game.behind if one.seat == number and one.user_id != user_id]
    if len(others) >= MOST_BACKERS:
        raise RuleViolation("behind_full", "Three people already bet behind this seat.")
