"""A transfer as text: kind, table, round, other party."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, Act, Transfer
from tables.models import Result, Round, Void
from tables.texts.refusals import translate_stored

Kind = Transfer.Kind

KIND_WORDS = {
    Kind.GRANT: _("starting chips"),
    Kind.STAKE: _("bet"),
    Kind.MATCH: _("dealer's match"),
    Kind.PAYOUT: _("payout"),
    Kind.CREDIT: _("lost bet"),
    Kind.REFUND: _("returned bet"),
    Kind.FILL: _("rack fill"),
    Kind.REBUY: _("more chips"),
    Kind.RETURN: _("returned when the account was deleted"),
    Kind.ADJUSTMENT: _("adjusted by an operator"),
    Kind.REVERSAL: _("reversed by an operator"),
}

_SIDES = {
    Account.Kind.BANK.value: _("the bank"),
    Account.Kind.POT.value: _("the table's pot"),
    Account.Kind.RACK.value: _("the table's chips"),
    Account.Kind.WALLET.value: _("another wallet"),
}

_CLOSER = (
    (Kind.STAKE, "insurance/", _("insurance")),
    (Kind.STAKE, "/double", _("bet, doubled")),
    (Kind.STAKE, "/split", _("bet on a split hand")),
    (Kind.PAYOUT, "insurance/", _("insurance payout")),
)
"""Labels by reference, more specific than the kind."""

_UNDONE = {
    Kind.STAKE.value: _("bet returned: the round is void"),
    Kind.REFUND.value: _("returned bet reversed: the round is void"),
    Kind.PAYOUT.value: _("payout reversed: the round is void"),
    Kind.ADJUSTMENT.value: _("adjustment reversed"),
}
"""Labels of reversals, by the kind of the reversed transfer."""
_COVERED = _("covered by the bank: a round is void")

_REFERENCE = re.compile(r"round:(\d{1,18})/seat:\d+/(.*)", re.ASCII)
_OF_VOID = re.compile(r"void:(\d{1,18})/.*", re.ASCII)


@dataclass(frozen=True, slots=True)
class LineRound:
    """The round of a transfer."""

    id: int
    number: int | None
    """The number at its table; ``None`` before the deal."""
    table: str
    is_playing: bool
    """Whether the round is in play."""
    was_dealt: bool
    """Whether any card was dealt."""
    has_page: bool
    """Whether this player may open its page."""


@dataclass(frozen=True, slots=True)
class LineText:
    """A transfer in words."""

    kind: str
    what: str
    other_side: str
    round: LineRound | None
    because: str = ""
    """The operator's reason, if an operator made it."""


@dataclass(frozen=True, slots=True)
class _HandReference:
    """The round of a transfer, and its seat and hand."""

    round_id: int
    words: str = ""


def describe_transfers(transfers: Sequence[Transfer], user_id: int) -> dict[int, LineText]:
    """Describe these transfers of one player, by id, in one query; a few more for transfers by
    operators.

    The transfers need ``other_kind``, the kind of the other account.
    """
    undone = _find_reversed(transfers)
    places = {
        t.pk: place
        for t in transfers
        if (place := _parse_reference(undone.get(t.reverses_id or 0, t)))
    }
    rounds = _load_rounds({place.round_id for place in places.values()}, user_id)
    reasons = _load_reasons(transfers, places, user_id)
    words = {}
    for transfer in transfers:
        place = places.get(transfer.pk)
        words[transfer.pk] = LineText(
            kind=transfer.kind,
            what=_name_kind(transfer, place, undone.get(transfer.reverses_id or 0)),
            other_side=str(_SIDES[getattr(transfer, "other_kind", "")]),
            round=rounds.get(place.round_id) if place else None,
            because=translate_stored(reasons.get(transfer.pk, "")),
        )
    return words


def _name_kind(transfer: Transfer, place: _HandReference | None, undone: Transfer | None) -> str:
    if undone is not None:
        return str(_UNDONE.get(undone.kind, KIND_WORDS[Kind.REVERSAL]))
    if place is not None and transfer.kind == Kind.ADJUSTMENT:
        return str(_COVERED)
    words = place.words if place else ""
    closer = (said for of, part, said in _CLOSER if transfer.kind == of and part in words)
    return str(next(closer, KIND_WORDS[Kind(transfer.kind)]))


def _find_reversed(transfers: Sequence[Transfer]) -> dict[int, Transfer]:
    """The reversed transfers, by id of their reversal."""
    ids = [transfer.reverses_id for transfer in transfers if transfer.reverses_id is not None]
    return Transfer.objects.in_bulk(ids) if ids else {}


def _parse_reference(transfer: Transfer) -> _HandReference | None:
    if found := _REFERENCE.fullmatch(transfer.reference):
        return _HandReference(int(found[1]), found[2])
    if found := _OF_VOID.fullmatch(transfer.reference):
        return _HandReference(int(found[1]))
    return None


def _load_reasons(
    transfers: Sequence[Transfer], places: Mapping[int, _HandReference], user_id: int
) -> dict[int, str]:
    """The operators' reasons by transfer id, from the round's void or the audit log."""
    theirs = [t for t in transfers if t.kind in (Kind.ADJUSTMENT, Kind.REVERSAL)]
    if not theirs:
        return {}
    round_ids = {places[transfer.pk].round_id for transfer in theirs if transfer.pk in places}
    done = Void.objects.filter(round__in=round_ids, status=Void.Status.DONE)
    of_rounds = dict(done.values_list("round", "reason"))
    kinds = (Act.What.ADJUST, Act.What.REVERSE)
    acts = Act.objects.filter(subject=f"user:{user_id}", what__in=kinds)
    of_acts = {
        (after or {}).get("transfer"): reason
        for after, reason in acts.filter(at__in={t.at for t in theirs}).values_list(
            "after", "reason"
        )
    }
    return {
        t.pk: of_rounds.get(places[t.pk].round_id, "") if t.pk in places else of_acts.get(t.pk, "")
        for t in theirs
    }


def _load_rounds(round_ids: set[int], user_id: int) -> dict[int, LineRound]:
    """The rounds by id. A called-off round has no page, a private one only for its players."""
    if not round_ids:
        return {}
    played_in = Result.objects.with_hands().filter(round=OuterRef("pk"), user=user_id)
    rows = Round.objects.filter(pk__in=round_ids).order_by().annotate(is_mine=Exists(played_in))
    told = {}
    columns = (
        "pk",
        "number",
        "table__name",
        "table__is_private",
        "dealt_at",
        "finished_at",
        "is_mine",
    )
    for pk, number, table, is_private, dealt_at, finished_at, is_mine in rows.values_list(*columns):
        is_over, was_dealt = finished_at is not None, dealt_at is not None
        has_page = is_over and was_dealt and (is_mine or not is_private)
        told[pk] = LineRound(pk, number, table, not is_over, was_dealt, has_page)
    return told
