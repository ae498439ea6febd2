"""Opening tables, closing unused tables, and ending forgotten pauses."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from accounts.doors import access
from accounts.ledger import transfers
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.models import Account, User
from tables.engine.options import customize
from tables.game import commit, pauses
from tables.game.chips.racks import get_minimum_for_matching, round_up_to_fills
from tables.models import Table
from tables.state.effects import ChangeNotice
from tables.state.live_table import LiveTable

AN_HOUR = dt.timedelta(hours=1)
MOST_TABLES = 5
"""The limit of open tables of one player."""
ENDED_MATCH = dt.timedelta(hours=1)
"""How long the table of a match stays open after its end, unused."""
UNUSED = {False: dt.timedelta(days=1), True: dt.timedelta(days=30)}
"""How long a player's table stays open unused, by whether it is private."""


class TooManyTables(OperationRefused):
    """The player has :data:`MOST_TABLES` tables open already."""

    def __init__(self) -> None:
        super().__init__(explain_most_tables())


class TooManyInAnHour(OperationRefused):
    """The player has opened the maximum number of tables within an hour."""

    def __init__(self) -> None:
        message = gettext("You've created %(number)s tables in the last hour. Try again later.")
        super().__init__(message % {"number": settings.TABLES_PER_HOUR})


class NoTableMaker(OperationRefused):
    """The settings of the site do not let this player open tables."""

    def __init__(self) -> None:
        super().__init__(access.explain_no_tables())


def open_table(
    *,
    name: str,
    rules_key: str,
    rules_options: dict[str, Any] | None = None,
    host_id: int | None = None,
    **settings: Any,
) -> Table:
    """Create a table with its own rack; a rack that matches bets is filled.

    ``settings`` are other fields of its row, such as ``is_private``. Raises :class:`OptionError`
    when ``rules_options`` cannot be played, ``ValueError`` for a stack that is not enough for a bet,
    :class:`TooManyTables` and :class:`NoTableMaker`.
    """
    rules = customize(rules_key, rules_options or {})
    stack_size = settings.get("stack_size")
    if stack_size is not None and (rules.stakes is None or stack_size < rules.stakes.minimum):
        raise ValueError(f"a stack of {stack_size} is not enough for {rules_key}")
    with transaction.atomic():
        if host_id is not None:
            verify_table_maker(host_id)
            _verify_may_open(host_id)
        table = Table.objects.create(
            name=name,
            rules_key=rules_key,
            rules_options=rules_options or {},
            maker_id=host_id,
            opened_by_id=host_id,
            opened_at=server_clock.now(),
            rack=transfers.open_account(Account.Kind.RACK),
            **settings,
        )
        if rules.is_matched:
            chips = round_up_to_fills(get_minimum_for_matching(rules))
            fill = transfers.rack_fill(table.rack_id, chips, f"table:{table.pk}/opening/fill")
            transfers.post([fill], at=server_clock.now())
    return table


def close_unused_tables(now: dt.datetime) -> tuple[ChangeNotice, ...]:
    """Close the tables of players that are unused for longer than :data:`UNUSED`."""
    closed = []
    free = Table.objects.filter(closed_at__isnull=True, seats=None)
    queries = [free.filter(match__ended_at__isnull=False, used_at__lte=now - ENDED_MATCH)]
    for is_private, age in UNUSED.items():
        player_tables = free.filter(maker__isnull=False, is_private=is_private)
        queries.append(player_tables.filter(used_at__lte=now - age))
    for table_id in sorted(
        {pk for unused in queries for pk in unused.values_list("pk", flat=True)}
    ):
        with transaction.atomic():
            live = LiveTable.lock(table_id, now)
            if live.seats:
                continue
            live.row.is_closing = True
            closed.append(commit.commit_table(live))
    return tuple(closed)


def end_forgotten_pauses(now: dt.datetime) -> tuple[ChangeNotice, ...]:
    """End the pauses of hosts that have lasted for ``pauses.LONGEST_OF_HOST``."""
    ended = []
    due = Table.objects.filter(
        is_paused_by_host=True, paused_at__lte=now - pauses.LONGEST_OF_HOST, closed_at__isnull=True
    )
    for table_id in due.values_list("pk", flat=True):
        with transaction.atomic():
            live = LiveTable.lock(table_id, now)
            if not pauses.is_forgotten(live):
                continue
            pauses.resume(live)
            ended.append(commit.commit_table(live))
    return tuple(ended)


def verify_table_maker(user_id: int) -> None:
    """Lock the user. Raises :class:`NoTableMaker` if the settings of the site let only others open
    tables.
    """
    if not access.may_create_tables(User.objects.select_for_update(no_key=True).get(pk=user_id)):
        raise NoTableMaker


def explain_most_tables() -> str:
    """Why a player with :data:`MOST_TABLES` tables opens no other one, as a sentence."""
    message = gettext(
        "You already have %(number)s open tables. Close one of them first: your home page lists them."
    )
    return message % {"number": MOST_TABLES}


def has_most_tables(user_id: int) -> bool:
    """Whether the player is the host of :data:`MOST_TABLES` open tables."""
    is_open = Q(closed_at__isnull=True) & Q(match__ended_at__isnull=True)
    return Table.objects.filter(is_open, maker=user_id).count() >= MOST_TABLES


def _verify_may_open(user_id: int) -> None:
    if has_most_tables(user_id):
        raise TooManyTables
    lately = Table.objects.filter(opened_by=user_id, opened_at__gt=server_clock.now() - AN_HOUR)
    if lately.count() >= settings.TABLES_PER_HOUR:
        raise TooManyInAnHour
