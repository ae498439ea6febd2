"""The tables where a user has a bet behind that is not settled."""

from __future__ import annotations

from django.db.models import Q

from tables.models import Table
from tables.state.game_state import GameState


def list_backed_tables(user_id: int) -> list[int]:
    """Their ids. Only tables with stakes are read, of which there are few."""
    has_backers = Q(state__contains='"behind":') | Q(state__contains='"backed":')
    tables = Table.objects.filter(has_backers, staked__gt=0, closed_at=None).order_by("pk")
    return [table.pk for table in tables if user_id in _read_backers(table)]


def _read_backers(table: Table) -> set[int]:
    game = GameState.from_text_or_none(table.rules, table.state)
    return game.backer_ids if game else set()
