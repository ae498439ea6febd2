"""Opening a match, and the match that follows one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from tables import access
from tables.engine.options import customize
from tables.game import commit, lifecycle
from tables.models import Match, MatchPlayer, Removal, Table
from tables.state.effects import Effects
from tables.state.game_state import GameState
from tables.state.live_table import LiveTable
from tables.state.match_state import MatchState

COPIED = (
    "rules_options", "betting_seconds", "turn_seconds", "time_bank_seconds", "is_private", "has_chat",
    "has_hints", "idle_minutes",
)  # fmt: skip
"""The settings of a table that the next match has too."""


class MatchGoesOn(OperationRefused):
    """The match has not ended."""

    def __init__(self) -> None:
        super().__init__(gettext("This match is not over yet."))


class Banned(OperationRefused):
    """The host has banned the player from the table of the match."""

    def __init__(self) -> None:
        super().__init__(gettext("The host has banned you from this table."))


def find_host(match: Match, players: Sequence[MatchPlayer]) -> int | None:
    """The id of the user who may start a duplicate match: its maker, or else the first player."""
    ids = [player.user_id for player in players]
    return match.maker_id if match.maker_id in ids or not ids else ids[0]


def open_match(
    *,
    name: str,
    rules_key: str,
    rules_options: dict[str, Any],
    host_id: int,
    rounds: int | None,
    stack: int,
    **settings: Any,
) -> Table:
    """Create a match with its table, which waits for players and for the host's start.

    ``rounds`` is empty for a match until one player is left, ``stack`` is in hundredths. Raises what
    :func:`lifecycle.open_table` does.
    """
    rules = customize(rules_key, rules_options)
    with transaction.atomic():
        match = Match.objects.create(
            name=name,
            maker_id=host_id,
            rounds=rounds,
            stack=stack,
            created_at=server_clock.now(),
        )
        return lifecycle.open_table(
            name=name,
            rules_key=rules_key,
            rules_options=rules_options,
            host_id=host_id,
            match=match,
            stack_size=stack,
            state=GameState(rules, match=MatchState.of(match)).to_text(),
            **settings,
        )


def open_rematch(match_id: int, user_id: int, now: dt.datetime) -> Effects[int]:
    """Open the match that follows, with the same settings, for all players of this one; returns the id
    of its table. If another player was faster, it is that player's, as long as its table is open. Bans
    hold at the new table too.

    Raises ``Match.DoesNotExist`` if the user did not play in the match, :class:`MatchGoesOn`,
    :class:`Banned`, and what
    :func:`lifecycle.open_table` does.
    """
    with transaction.atomic():
        players = MatchPlayer.objects.filter(match=match_id, match__kind=Match.Kind.TABLE)
        mine = players.filter(user=user_id).first()
        if mine is None or mine.table_id is None:
            raise Match.DoesNotExist
        live = LiveTable.lock(mine.table_id, now)  # one after the other
        match = Match.objects.get(pk=match_id)
        if not match.has_ended:
            raise MatchGoesOn
        row = live.row
        if access.is_banned(row, user_id):
            raise Banned
        next_tables = Table.objects.filter(match=match.rematch_id, closed_at=None)
        if match.rematch_id is not None and (opened := next_tables.first()):
            return Effects(opened.pk)
        table = open_match(
            name=match.name,
            rules_key=row.rules_key,
            host_id=user_id,
            rounds=match.rounds,
            stack=match.stack,
            **{name: getattr(row, name) for name in COPIED},
        )
        match.rematch_id = table.match_id
        match.save(update_fields=["rematch"])
        Removal.objects.bulk_create(
            Removal(table=table, user_id=one.user_id, at=one.at, is_ban=True)
            for one in row.removals.filter(is_ban=True)
        )
        for other in players.exclude(user=user_id).filter(user__is_active=True):
            if not access.is_banned(row, other.user_id):
                access.grant_access(table, other.user_id)
        if live.game.match is None or row.closed_at is not None:
            return Effects(table.pk, lobby=(table.pk,))
        live.game.match.rematch = table.pk
        return Effects(table.pk, (commit.commit_table(live),), lobby=(table.pk,))
