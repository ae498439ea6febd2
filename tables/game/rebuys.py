"""Rebuys of players who cannot afford a seat at any open table."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, When

from accounts.ledger import rebuys
from accounts.ledger.rebuys import RebuyState
from accounts.ledger.transfers import STARTING_GRANT
from accounts.models import Account, User
from tables.engine.options import apply_stored
from tables.engine.presets import PRESETS
from tables.models import Seat, Table
from tables.state.effects import Effects
from tables.state.game_state import GameState


def get_rebuy_state(user: User, now: dt.datetime) -> RebuyState:
    """Whether this player may rebuy now, and if not, why. Changes nothing."""
    wallet = Account.objects.filter(user=user).first()
    if wallet is None:  # it is opened with the grant when the player first sits down
        return RebuyState(rebuys.RebuyDecision.HAS_ALL, STARTING_GRANT, 0, 0, None)
    return rebuys.get_state(
        wallet, now, least_stake=find_least_stake(user.pk), has_stake=lambda: has_stake(user.pk)
    )


def rebuy(user: User, now: dt.datetime) -> Effects[RebuyState]:
    """Rebuy up to the starting grant if that is allowed."""
    state = rebuys.rebuy(
        user, now, least_stake=find_least_stake(user.pk), has_stake=lambda: has_stake(user.pk)
    )
    return Effects(state, wallets=[user.pk] if state.allowed else [])


def find_least_stake(user_id: int) -> int:
    """The smallest stake of any open public table at which this user can play, in hundredths.

    Locked or full tables of others do not count, because the user cannot play there. Without any
    table it is the smallest stake of the presets.
    """
    is_strangers = Q(maker__isnull=False, is_own=False)
    played = (
        _unlocked_tables(user_id)
        .order_by()
        .values_list("rules_key", "rules_options", Case(When(is_strangers, "taken"), default=0))
    )
    found = [(apply_stored(key, options), taken) for key, options, taken in played.distinct()]
    open_rules = [rules for rules, taken in found if taken < rules.seats]
    stakes = [rules.stakes.minimum for rules in open_rules if rules.stakes is not None]
    return min(stakes or [r.stakes.minimum for r in PRESETS.values() if r.stakes is not None])


def smaller_table(user_id: int, balance: int) -> Table | None:
    """The open public table with the smallest stake where this user can sit down and bet.

    ``None`` if ``balance``, in hundredths, is not enough for any.
    """
    free = [
        (table.rules.stakes.minimum, table.pk, table)
        for table in _unlocked_tables(user_id).defer("state")
        if table.rules.stakes is not None and table.taken < table.rules.seats
    ]
    affordable = [entry for entry in free if entry[0] <= balance]
    return min(affordable)[2] if affordable else None


def _unlocked_tables(user_id: int) -> QuerySet[Table, Any]:
    """The open public tables that are not locked for this user, with the number of taken seats."""
    own_seat = Seat.objects.filter(table=OuterRef("pk"), user=user_id)
    tables = Table.objects.filter(
        is_private=False, is_closing=False, closed_at__isnull=True, stack_size=None
    )
    tables = tables.annotate(is_own=Q(maker=user_id) | Q(Exists(own_seat)), taken=Count("seats"))
    return tables.filter(Q(is_locked=False) | Q(is_own=True))


def has_stake(user_id: int) -> bool:
    """Whether this user has a bet or an unsettled hand on a table, in money.

    Only seats are searched: a seat is kept until its round is settled.
    """
    seats = Seat.objects.filter(user=user_id, stack=None).select_related("table")
    return any(
        _is_staked(GameState.from_text(seat.table.rules, seat.table.state), seat) for seat in seats
    )


def _is_staked(game: GameState, seat: Seat) -> bool:
    if game.bets.get(seat.number):
        return True
    return any(hand.stake and hand.is_open for hand in game.hands_of(seat.number, seat.user_id))
