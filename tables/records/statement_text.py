"""An entry of a wallet as text: kind, table, round, other party."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.lib.ids import parse_id
from accounts.models import Account, Act, Transfer, WalletEntry
from tables.models import Result, Round, Seat, Void
from tables.texts.refusals import translate_stored

Kind = Transfer.Kind

KIND_WORDS = {
    Kind.GRANT: _("starting chips"),
    Kind.STAKE: _("bet"),
    Kind.PAYOUT: _("payout"),
    Kind.REFUND: _("returned bet"),
    Kind.FILL: _("rack fill"),
    Kind.REBUY: _("more chips"),
    Kind.RETURN: _("returned when the account was deleted"),
    Kind.ADJUSTMENT: _("adjusted by an operator"),
    Kind.REVERSAL: _("reversed by an operator"),
}

_SIDES = {
    Account.Kind.BANK.value: _("the bank"),
    Account.Kind.RACK.value: _("the table's chips"),
    Account.Kind.WALLET.value: _("another wallet"),
}
_STAKES = _("the table's pot")
"""The other side of an entry of a round."""

_CLOSER = (
    (Kind.STAKE, "insurance/", _("insurance")),
    (Kind.STAKE, "/double", _("bet, doubled")),
    (Kind.STAKE, "/split", _("bet on a split hand")),
    (Kind.PAYOUT, "insurance/", _("insurance payout")),
)
"""Labels by place, more specific than the kind."""

_BEHIND = {
    Kind.STAKE: _("bet behind %(name)s"),
    Kind.REFUND: _("returned bet behind %(name)s"),
    Kind.PAYOUT: _("payout of the bet behind %(name)s"),
}
"""Labels of bets behind; ``name`` is the player whose hand is backed, or a seat."""
_BEHIND_LATER = (
    ("/double", _("bet behind %(name)s, doubled")),
    ("/split", _("bet behind %(name)s, on a split hand")),
)
_BEHIND_UNDONE = {
    Kind.STAKE: _("bet behind %(name)s returned: the round is void"),
    Kind.REFUND: _("returned bet behind %(name)s reversed: the round is void"),
    Kind.PAYOUT: _("payout of the bet behind %(name)s reversed: the round is void"),
}

_UNDONE = {
    Kind.STAKE.value: _("bet returned: the round is void"),
    Kind.REFUND.value: _("returned bet reversed: the round is void"),
    Kind.PAYOUT.value: _("payout reversed: the round is void"),
    Kind.ADJUSTMENT.value: _("adjustment reversed"),
}
"""Labels of reversals, by the kind of the reversed entry."""
_COVERED = _("covered by the bank: a round is void")
_OF_VOID = "void:"
"""The begin of the reference of a transfer that belongs to the void of a round."""


@dataclass(frozen=True, slots=True)
class LineRound:
    """The round of an entry."""

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
    """An entry in words."""

    kind: str
    what: str
    other_side: str
    round: LineRound | None
    because: str = ""
    """The operator's reason, if an operator made it."""


def describe_entries(entries: Sequence[WalletEntry], user_id: int) -> dict[int, LineText]:
    """Describe these entries of one player, by id, in one query; a few more for entries by operators
    and for bets behind.

    Their ``transfer`` and ``reverses`` are loaded, with the accounts of the transfer.
    """
    of_rounds = {e.pk: round_id for e in entries if (round_id := _find_round(e)) is not None}
    rounds = _load_rounds(set(of_rounds.values()), user_id)
    reasons = _load_reasons(entries, of_rounds, user_id)
    backed = _load_backed_names(entries, rounds)
    return {
        entry.pk: LineText(
            kind=entry.kind,
            what=_name_kind(entry, backed),
            other_side=_name_other_side(entry),
            round=rounds.get(of_rounds[entry.pk]) if entry.pk in of_rounds else None,
            because=translate_stored(reasons.get(entry.pk, "")),
        )
        for entry in entries
    }


def _name_kind(entry: WalletEntry, backed: Mapping[_BackedSeat, str]) -> str:
    if (place := _find_backed_seat(entry)) is not None:
        return _name_behind(entry, place[1], backed.get(place, ""))
    if entry.reverses is not None:
        return str(_UNDONE.get(entry.reverses.kind, KIND_WORDS[Kind.REVERSAL]))
    if entry.kind == Kind.ADJUSTMENT and _find_round(entry) is not None:
        return str(_COVERED)
    closer = (words for of, part, words in _CLOSER if entry.kind == of and part in entry.place)
    return str(next(closer, KIND_WORDS[Kind(entry.kind)]))


_BackedSeat = tuple[int, int]
"""A round and the seat that a bet behind is on."""


def _find_backed_seat(entry: WalletEntry) -> _BackedSeat | None:
    """The round and the seat of the entry of a bet behind; ``None`` for other entries."""
    seat, _slash, rest = entry.place.removeprefix("void/").partition("/")
    if entry.round is None or not rest.startswith("behind:"):
        return None
    number = parse_id(seat.removeprefix("seat:"))
    return None if number is None else (entry.round, number)


def _name_behind(entry: WalletEntry, seat: int, name: str) -> str:
    """A bet behind in words. ``name`` is empty if nobody played the seat."""
    if entry.reverses is not None:
        text = _BEHIND_UNDONE[Kind(entry.reverses.kind)]
    else:
        later = (words for part, words in _BEHIND_LATER if part in entry.place)
        text = next(later, _BEHIND[Kind(entry.kind)])
    return str(text) % {"name": name or gettext("seat %(seat)s") % {"seat": seat}}


def _load_backed_names(
    entries: Sequence[WalletEntry], rounds: Mapping[int, LineRound]
) -> dict[_BackedSeat, str]:
    """The names of the players of backed seats: of the round's results, or who sits there now."""
    places = {place for entry in entries if (place := _find_backed_seat(entry)) is not None}
    if not places:
        return {}
    played = Result.objects.own().filter(round__in={round_id for round_id, _seat in places})
    rows = played.values_list("round", "seat", "user__username")
    names = {(round_id, seat): name for round_id, seat, name in rows}
    open_ids = [round_id for round_id, _seat in places if rounds[round_id].is_playing]
    if open_ids:
        seated = Seat.objects.filter(table__rounds__in=open_ids)
        now = seated.values_list("table__rounds", "number", "user__username")
        names |= {(pk, seat): name for pk, seat, name in now.filter(table__rounds__in=open_ids)}
    return names


def _name_other_side(entry: WalletEntry) -> str:
    transfer = entry.transfer
    if transfer is None:
        return str(_STAKES)
    return str(
        _SIDES[(transfer.credit if transfer.debit_id == entry.wallet_id else transfer.debit).kind]
    )


def _find_round(entry: WalletEntry) -> int | None:
    """The id of the entry's round, also of one whose void the bank covers."""
    if entry.transfer is None:
        return entry.round
    prefix, _slash, _rest = entry.transfer.reference.partition("/")
    return parse_id(prefix.removeprefix(_OF_VOID)) if prefix.startswith(_OF_VOID) else None


def _load_reasons(
    entries: Sequence[WalletEntry], of_rounds: Mapping[int, int], user_id: int
) -> dict[int, str]:
    """The operators' reasons by entry id, from the round's void or the audit log."""
    theirs = [entry for entry in entries if entry.kind in (Kind.ADJUSTMENT, Kind.REVERSAL)]
    if not theirs:
        return {}
    round_ids = {of_rounds[entry.pk] for entry in theirs if entry.pk in of_rounds}
    voids = Void.objects.filter(round__in=round_ids, status=Void.Status.DONE)
    of_voids = dict(voids.values_list("round", "reason"))
    kinds = (Act.What.ADJUST, Act.What.REVERSE)
    acts = Act.objects.filter(subject=f"user:{user_id}", what__in=kinds)
    of_acts = {
        (after or {}).get("transfer"): reason
        for after, reason in acts.filter(at__in={entry.at for entry in theirs}).values_list(
            "after", "reason"
        )
    }
    return {
        entry.pk: of_voids.get(of_rounds[entry.pk], "")
        if entry.pk in of_rounds
        else of_acts.get(entry.transfer_id, "")
        for entry in theirs
    }


def _load_rounds(round_ids: set[int], user_id: int) -> dict[int, LineRound]:
    """The rounds by id. A called-off round has no page, a private one only for its players."""
    if not round_ids:
        return {}
    played_in = Result.objects.with_hands().filter(round=OuterRef("pk"), user=user_id)
    rows = Round.objects.filter(pk__in=round_ids).order_by().annotate(is_mine=Exists(played_in))
    rounds = {}
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
        rounds[pk] = LineRound(pk, number, table, not is_over, was_dealt, has_page)
    return rounds
