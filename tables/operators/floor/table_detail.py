"""One table and its latest events, for operators."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.lib.money import format_money
from accounts.models import Act
from tables.models import Change, Table
from tables.operators.floor import overview
from tables.operators.floor.event_text import card_words, sentence
from tables.operators.floor.overview import FloorTable
from tables.protocol import codec
from tables.protocol.public import PublicHand, PublicSeat, PublicTable
from tables.records.hand_view import shown_events
from tables.social import chat
from tables.state.live_table import LiveTable
from tables.state.public_view import public_table
from tables.texts.outcomes import outcome_words

LAST: Final = 20
"""The number of changes, lines and actions shown, latest first."""


@dataclass(frozen=True, slots=True)
class Place:
    """A seat with its bet and hands, in words."""

    seat: PublicSeat
    hands: tuple[str, ...]
    is_asked: bool


@dataclass(frozen=True, slots=True)
class Happened:
    """A change of the table."""

    seq: int
    at: dt.datetime
    by: str
    command: str
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A visible line of the chat."""

    id: int
    at: dt.datetime
    player: str
    text: str


@dataclass(frozen=True, slots=True)
class TableState:
    """The data of the table's page."""

    now: dt.datetime
    seq: int
    on_floor: FloorTable
    table: PublicTable
    dealer: str
    places: tuple[Place, ...]
    deadline: dt.datetime | None
    changes: tuple[Happened, ...]
    lines: tuple[Said, ...]
    silenced: tuple[str, ...]
    acts: tuple[Act, ...]


def table_state(table_id: int, now: dt.datetime) -> TableState:
    """The table with this id, closed or not. Raises ``Table.DoesNotExist``."""
    row = Table.objects.select_related("maker", "rack").get(pk=table_id)
    table = public_table(LiveTable.of(row, now))
    asked = table.asked
    changes = Change.objects.filter(table=row).select_related("user", "round__shoe")
    said = chat.last_lines(row)[-LAST:]
    return TableState(
        now=now,
        seq=row.seq,
        on_floor=overview.floor_table(table_id, now),
        table=table,
        dealer=_cards(table.dealer.cards, table.dealer.total),
        places=tuple(
            Place(
                seat,
                tuple(_hand(hand) for hand in seat.hands),
                is_asked=asked is not None and asked.seat == seat.seat,
            )
            for seat in table.seats
        ),
        deadline=row.deadline_at,
        changes=tuple(_happened(change) for change in changes.order_by("-seq")[:LAST]),
        lines=tuple(Said(one.line, _moment(one.at), one.player, one.text) for one in said[::-1]),
        silenced=chat.silenced_at(row),
        acts=tuple(audit_log.entries_for(audit_log.subject_of(row))[:LAST]),
    )


def _moment(milliseconds: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(milliseconds / 1000, tz=timezone.get_current_timezone())


def _cards(cards: tuple[str, ...], total: int) -> str:
    if not cards:
        return ""
    return _("%(cards)s: %(total)s") % {"cards": " ".join(map(card_words, cards)), "total": total}


def _hand(hand: PublicHand) -> str:
    words = [_cards(hand.cards, hand.total)]
    if hand.stake:
        words.append(_("bet %(stake)s") % {"stake": format_money(hand.stake)})
    if hand.doubled:
        words.append(_("doubled"))
    if hand.outcome is not None:
        words.append(outcome_words(hand.outcome))
    if hand.payout:
        words.append(_("paid %(payout)s") % {"payout": format_money(hand.payout)})
    return ", ".join(words)


def _happened(change: Change) -> Happened:
    """A change in words. Only the kind of a command is shown: a bet contains the player's words."""
    command = codec.decode_state(change.command)["t"] if change.command else ""
    events = shown_events(change)
    sentences = tuple(map(sentence, events))
    return Happened(change.seq, change.at, _by(change, events), command, sentences)


def _by(change: Change, events: list[dict[str, Any]]) -> str:
    if change.user:
        return change.user.username
    is_clock = any(event["type"] == "clock_ran_out" for event in events)
    return _("the clock") if is_clock else _("the site")
