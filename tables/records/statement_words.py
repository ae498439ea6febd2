"""A transfer in words: what it was for, at which table and in which round, and with whom."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, Transfer
from tables.models import Hand, Round

Kind = Transfer.Kind

KIND_WORDS = {
    Kind.GRANT: _("starting money"),
    Kind.STAKE: _("stake"),
    Kind.MATCH: _("dealer's match"),
    Kind.PAYOUT: _("payout"),
    Kind.CREDIT: _("lost stake"),
    Kind.REFUND: _("stake returned"),
    Kind.FILL: _("rack fill"),
    Kind.REBUY: _("play money taken back up"),
    Kind.RETURN: _("returned with the account"),
}

_SIDES = {
    Account.Kind.BANK.value: _("the bank"),
    Account.Kind.POT.value: _("the table's pot"),
    Account.Kind.RACK.value: _("the table's chips"),
    Account.Kind.WALLET.value: _("another wallet"),
}

_CLOSER = (
    (Kind.STAKE, "insurance/", _("insurance")),
    (Kind.STAKE, "/double", _("stake, doubled")),
    (Kind.STAKE, "/split", _("stake on a split hand")),
    (Kind.PAYOUT, "insurance/", _("payout of the insurance")),
)
"""What the reference says more closely than the kind."""

_REFERENCE = re.compile(r"round:(\d{1,18})/seat:\d+/(.*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class LineRound:
    """The round that money moved in."""

    id: int
    table: str
    is_playing: bool
    """Whether it is not over yet."""
    was_dealt: bool
    """Whether any card of it was."""
    has_page: bool
    """Whether there is a page of it that this player may open."""


@dataclass(frozen=True, slots=True)
class LineWords:
    """What a transfer was."""

    kind: str
    what: str
    other_side: str
    round: LineRound | None


def words_of(transfers: Sequence[Transfer], user_id: int) -> dict[int, LineWords]:
    """The words for each of these transfers of one player, by id, in one query.

    They carry ``other_kind``: what kind of account their other side is.
    """
    places = {t.pk: found for t in transfers if (found := _REFERENCE.fullmatch(t.reference))}
    rounds = _rounds({int(found[1]) for found in places.values()}, user_id)
    words = {}
    for transfer in transfers:
        place = places.get(transfer.pk)
        words[transfer.pk] = LineWords(
            kind=transfer.kind,
            what=_what(transfer.kind, place[2] if place else ""),
            other_side=str(_SIDES[getattr(transfer, "other_kind", "")]),
            round=rounds.get(int(place[1])) if place else None,
        )
    return words


def _what(kind: str, place: str) -> str:
    closer = (said for of, part, said in _CLOSER if kind == of and part in place)
    return str(next(closer, KIND_WORDS[Kind(kind)]))


def _rounds(round_ids: set[int], user_id: int) -> dict[int, LineRound]:
    """A round that was called off has no page, and one of a private table is its players' own."""
    if not round_ids:
        return {}
    played_in = Hand.objects.filter(round=OuterRef("pk"), user=user_id)
    rows = Round.objects.filter(pk__in=round_ids).order_by().annotate(is_mine=Exists(played_in))
    told = {}
    columns = ("pk", "table__name", "table__is_private", "dealt_at", "finished_at", "is_mine")
    for pk, table, is_private, dealt_at, finished_at, is_mine in rows.values_list(*columns):
        is_over, was_dealt = finished_at is not None, dealt_at is not None
        has_page = is_over and was_dealt and (is_mine or not is_private)
        told[pk] = LineRound(pk, table, not is_over, was_dealt, has_page)
    return told
