"""Rebuys of players who cannot afford the minimum bet where they sit, or at any open table."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, When

from accounts.ledger import rebuys
from accounts.ledger.rebuys import RebuyState
from accounts.models import Account, HouseSettings, User
from tables.engine.options import apply_stored
from tables.engine.presets import PRESETS
from tables.models import Seat, Table
from tables.state.backed_tables import list_backed_tables
from tables.state.effects import Effects
from tables.state.game_state import GameState


def get_rebuy_state(user: User, now: dt.datetime) -> RebuyState:
    """Whether this player may rebuy now, and if not, why. Changes nothing."""
    wallet = Account.objects.filter(user=user).first()
    if wallet is None:  # it is opened with the grant when the player first sits down
        house = HouseSettings.objects.get(pk=1)
        answer, most = rebuys.RebuyDecision.HAS_ALL, house.rebuy_amount
        return RebuyState(answer, house.starting_money, 0, most, house.rebuy_hours, None)
    return rebuys.get_state(
        wallet, now, least_stake=find_least_stake(user.pk), has_stake=lambda: has_stake(user.pk)
    )


def rebuy(user: User, now: dt.datetime) -> Effects[RebuyState]:
    """Rebuy up to the amount of the site if that is allowed."""
    state = rebuys.rebuy(
        user, now, least_stake=find_least_stake(user.pk), has_stake=lambda: has_stake(user.pk)
    )
    return Effects(state, wallets=[user.pk] if state.allowed else [])


def find_least_stake(user_id: int) -> int:
    """The minimum bet that the user needs, in hundredths: that of the user's seats, the highest if there
    are several, and no less than the lowest of the public tables.
    """
    own_seats = Seat.objects.filter(
        user=user_id, is_leaving=False, table__is_closing=False, table__closed_at=None
    ).order_by()
    options = own_seats.values_list("table__rules_key", "table__rules_options")
    stakes = [apply_stored(key, chosen).stakes for key, chosen in options]
    minima = [limits.minimum for limits in stakes if limits is not None]
    return max([_find_lowest_minimum(user_id), *minima])


def _find_lowest_minimum(user_id: int) -> int:
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
    games = [(apply_stored(key, options), count) for key, options, count in played.distinct()]
    open_rules = [rules for rules, count in games if count < rules.seats]
    stakes = [rules.stakes.minimum for rules in open_rules if rules.stakes is not None]
    return min(stakes or [r.stakes.minimum for r in PRESETS.values() if r.stakes is not None])


def is_out_of_reach(table: Table) -> bool:
    """Whether several are seated, and none of them has a bet on the next round or can afford one."""
    limits = table.rules.stakes
    game = GameState.from_text_or_none(table.rules, table.state)
    if limits is None or (game.bets if game else table.staked):
        return False
    seated = table.seats.filter(is_leaving=False)
    able = seated.filter(user__wallet__balance__gte=limits.minimum)
    return seated.count() > 1 and not able.exists()


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
    """Whether this user has a bet or an unsettled hand on a table, or a bet behind, in money.

    Seats are searched for bets and hands: a seat is kept until its round is settled.
    """
    seats = Seat.objects.filter(user=user_id, stack=None).select_related("table")
    return bool(list_backed_tables(user_id)) or any(_is_staked(seat) for seat in seats)


def _is_staked(seat: Seat) -> bool:
    game = GameState.from_text_or_none(seat.table.rules, seat.table.state)
    if game is None:
        return seat.table.staked > 0
    if game.bets.get(seat.number):
        return True
    return any(hand.stake and hand.is_open for hand in game.hands_of(seat.number, seat.user_id))
