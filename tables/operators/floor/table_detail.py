"""One table and its latest events, for operators."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.lib.money import format_money
from accounts.models import Act
from tables.models import Change, Table
from tables.operators.floor import overview
from tables.operators.floor.change_author import ChangeAuthors, load_change_authors
from tables.operators.floor.current_announcements import CurrentAnnouncement, list_current
from tables.operators.floor.event_text import format_event
from tables.operators.floor.overview import FloorTable
from tables.protocol.public import PublicHand, PublicSeat, PublicTable
from tables.records.hand_view import list_visible_events
from tables.social import chat
from tables.state.live_table import LiveTable
from tables.state.public_view import build_public_table
from tables.texts.cards import format_card
from tables.texts.outcomes import format_outcome
from tables.texts.totals import Total, total_words

LAST: Final = 20
"""The number of changes, lines and actions shown, latest first."""


@dataclass(frozen=True, slots=True)
class SeatDetail:
    """A seat with its bet and hands, in words."""

    seat: PublicSeat
    hands: tuple[str, ...]
    is_asked: bool


@dataclass(frozen=True, slots=True)
class ChangeDetail:
    """A change of the table."""

    seq: int
    at: dt.datetime
    by: str
    command: str
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChatLineDetail:
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
    places: tuple[SeatDetail, ...]
    deadline: dt.datetime | None
    changes: tuple[ChangeDetail, ...]
    lines: tuple[ChatLineDetail, ...]
    silenced: tuple[str, ...]
    acts: tuple[Act, ...]
    announcements: list[CurrentAnnouncement]


def load_table_state(table_id: int, now: dt.datetime) -> TableState:
    """The table with this id, closed or not. Raises ``Table.DoesNotExist``."""
    row = Table.objects.select_related("maker", "rack").get(pk=table_id)
    table = build_public_table(LiveTable.from_stored(row, now))
    asked_seats = {one.seat for one in table.insurance or (table.asked,) if one is not None}
    changes = Change.objects.filter(table=row).select_related("user", "round__shoe")
    last_changes = list(changes.order_by("-seq")[:LAST])
    authors = load_change_authors(last_changes)
    lines = chat.list_last_lines(row)[-LAST:]
    return TableState(
        now=now,
        seq=row.seq,
        on_floor=overview.load_floor_table(table_id, now),
        table=table,
        dealer=_format_cards(
            table.dealer.cards,
            table.dealer.total,
            is_soft=table.dealer.soft and table.dealer.total < 17,
        ),
        places=tuple(
            SeatDetail(
                seat,
                tuple(_format_hand(hand) for hand in seat.hands),
                is_asked=seat.seat in asked_seats,
            )
            for seat in table.seats
        ),
        deadline=row.deadline_at,
        changes=tuple(_describe_change(change, authors) for change in last_changes),
        lines=tuple(
            ChatLineDetail(one.line, _to_datetime(one.at), one.player, one.text)
            for one in lines[::-1]
        ),
        silenced=chat.list_silenced(row),
        announcements=list_current(now, table_id),
        acts=tuple(audit_log.list_entries(audit_log.build_subject(row))[:LAST]),
    )


def _to_datetime(milliseconds: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(milliseconds / 1000, tz=timezone.get_current_timezone())


def _format_cards(cards: tuple[str, ...], total: int, *, is_soft: bool) -> str:
    if not cards:
        return ""
    return _("%(cards)s: %(total)s") % {
        "cards": " ".join(map(format_card, cards)),
        "total": total_words(Total(total, is_soft=is_soft)),
    }


def _format_hand(hand: PublicHand) -> str:
    words = [_format_cards(hand.cards, hand.total, is_soft=hand.soft and hand.outcome is None)]
    if hand.stake:
        words.append(_("bet %(stake)s") % {"stake": format_money(hand.stake)})
    if hand.doubled:
        words.append(_("doubled"))
    if hand.outcome is not None:
        words.append(format_outcome(hand.outcome))
    if hand.payout:
        words.append(_("paid %(payout)s") % {"payout": format_money(hand.payout)})
    return ", ".join(words)


def _describe_change(change: Change, authors: ChangeAuthors) -> ChangeDetail:
    """A change in words, without the player's words for the shuffle."""
    events = list_visible_events(change)
    return ChangeDetail(
        seq=change.seq,
        at=change.at,
        by=authors.describe_author(change, events),
        command=authors.describe_command(change),
        events=tuple(map(format_event, events)),
    )
