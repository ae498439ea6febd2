"""The cards of tables in the lobby: rendered for a page, or for all open lobbies after a change."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.translation import get_language, override

from tables.lobby import table_list
from tables.lobby.table_list import ChangedTable, LobbyTable
from tables.protocol.frames import LobbyCard

Viewer = tuple[int | None, str]
"""The user of an open lobby, or ``None`` without a login, and its language."""


def render_card(table: LobbyTable) -> str:
    """Render a table of the list in the active language."""
    return _render(table, get_language())


@lru_cache(maxsize=1_000)
def _render(table: LobbyTable, _language: str | None) -> str:
    """The cached result serves all viewers who see the same."""
    return render_to_string("tables/lobby/_table.html", {"table": table})


@dataclass(frozen=True, slots=True)
class ChangedCards:
    """The cards of changed tables."""

    public: dict[str, tuple[LobbyCard, ...]]
    """By language, for everybody: nothing of private tables."""
    own: dict[Viewer, tuple[LobbyCard, ...]]
    """For viewers who see some tables otherwise, or private ones: in place of the public card."""

    def cards_for(self, viewer: Viewer) -> tuple[LobbyCard, ...]:
        """The cards of a viewer, whose language must be one of those asked for."""
        own = {card.id: card for card in self.own.get(viewer, ())}
        public = [own.pop(card.id, card) for card in self.public[viewer[1]]]
        return (*public, *own.values())


def draw_changes(
    table_ids: Collection[int], hidden: Collection[int], viewers: Collection[Viewer]
) -> ChangedCards:
    """Draw the cards of tables that changed, each once for all who see the same.

    ``hidden`` are those that were public and became private.
    """
    tables = table_list.load_changed(table_ids, {user for user, _ in viewers if user is not None})
    public = {
        language: _draw_public(tables, hidden, language)
        for language in {language for _, language in viewers}
    }
    own = {viewer: cards for viewer in viewers if (cards := _draw_own(tables, viewer))}
    return ChangedCards(public, own)


def _draw_public(
    tables: Iterable[ChangedTable], hidden: Collection[int], language: str
) -> tuple[LobbyCard, ...]:
    with override(language):
        return tuple(
            _draw(table, None)
            for table in tables
            if not table.row.is_private or table.row.pk in hidden
        )


def _draw_own(tables: Iterable[ChangedTable], viewer: Viewer) -> tuple[LobbyCard, ...]:
    user_id, language = viewer
    with override(language):
        return tuple(_draw(table, user_id) for table in tables if user_id in table.insiders)


def _draw(table: ChangedTable, user_id: int | None) -> LobbyCard:
    row = table.row
    is_listed = row.closed_at is None and (not row.is_private or user_id in table.insiders)
    if not is_listed:
        return LobbyCard(row.pk, None)
    return LobbyCard(row.pk, render_card(table.row_for(user_id))[:])  # a plain str, to be encoded
