"""Audit of rounds: stakes against pots, settled hands against transfers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from django.utils.translation import gettext as _

from accounts.ledger.audit import ReportProgress, ignore_progress, with_progress
from accounts.models import Account, Transfer
from tables.audit import results, revenue, voids
from tables.models import Change, Result, Round, Table
from tables.state.game_state import GameState, UnreadableState


def find_round_faults(report: ReportProgress = ignore_progress) -> Iterator[str]:
    """Yield a sentence for each error of tables and rounds."""
    tables = Table.objects.select_related("pot").order_by("pk").iterator()
    for table in with_progress(tables, report, "tables", Table.objects.count()):
        yield from _find_pot_faults(table)
        yield from _find_sequence_faults(table)
    yield from _find_transfer_faults(report)
    report("voids", 0, 0)
    yield from voids.find_void_faults()
    report("takings", 0, 0)
    yield from revenue.find_revenue_faults()
    report("results", 0, 0)
    yield from results.find_result_faults()


def _find_pot_faults(table: Table) -> Iterator[str]:
    """Check that the pot holds exactly the stakes of bets and open hands."""
    try:
        game = GameState.from_text(table.rules, table.state)
    except UnreadableState as error:
        said = _("the state of table %(table)s cannot be read: %(error)s")
        yield said % {"table": table.pk, "error": error}
        return
    staked = sum(game.bets.values())
    if game.round is not None:
        hands = [hand for seat in game.round.seats.values() for hand in seat]
        staked += sum(hand.stake for hand in hands if hand.is_open)
    if table.rules.is_matched:
        staked *= 2  # with the dealer's half
    staked += game.insurance_staked
    if table.pot.balance != staked:
        said = _("the pot of table %(table)s holds %(held)s, but %(staked)s is staked")
        yield said % {"table": table.pk, "held": table.pot.balance, "staked": staked}


def _find_sequence_faults(table: Table) -> Iterator[str]:
    changes = Change.objects.filter(table=table).count()
    if changes != table.seq:
        said = _("table %(table)s is at seq %(seq)s, but %(changes)s changes are stored")
        yield said % {"table": table.pk, "seq": table.seq, "changes": changes}


@dataclass(slots=True)
class _TransferSums:
    """The transfers of a round, summed."""

    staked: int = 0
    paid: int = 0
    moved: int = 0
    """The number of transfers."""
    taken_back: int = 0
    """The number of reversed transfers."""


def _find_transfer_faults(report: ReportProgress) -> Iterator[str]:
    """Compare the hands with the transfers. A void round is completely reversed, others not at all."""
    booked = _sum_transfers(report)
    finished = Round.objects.filter(finished_at__isnull=False).order_by("pk")
    rows = finished.values_list("pk", "finished_at", "voided_at").iterator()
    sums = _iter_hand_sums()
    following = next(sums, None)
    for pk, finished_at, voided_at in with_progress(rows, report, "rounds", finished.count()):
        stake, payout = 0, 0
        if following is not None and following[0] == pk:
            stake, payout = following[1:]
            following = next(sums, None)
        books = booked.get(pk, _TransferSums())
        has_hands = finished_at != voided_at or stake or payout
        if has_hands and books.staked != stake:
            said = _("round %(round)s: its hands staked %(hands)s, the books say %(books)s")
            yield said % {"round": pk, "hands": stake, "books": books.staked}
        if has_hands and books.paid != payout:
            said = _("round %(round)s: its hands were paid %(hands)s, the books say %(books)s")
            yield said % {"round": pk, "hands": payout, "books": books.paid}
        if voided_at and books.taken_back != books.moved:
            left = books.moved - books.taken_back
            said = _("round %(round)s is void, but %(left)s of its transfers were not reversed")
            yield said % {"round": pk, "left": left}
        if not voided_at and books.taken_back:
            said = _("round %(round)s is not void, but %(back)s of its transfers were reversed")
            yield said % {"round": pk, "back": books.taken_back}


def _iter_hand_sums() -> Iterator[tuple[int, int, int]]:
    """The id of each finished round with hands, their stakes and payouts, in the order of the ids."""
    results = Result.objects.with_hands().filter(round__finished_at__isnull=False)
    results = results.order_by("round_id")
    told = results.only("round", "user", "seat", "hands").iterator()
    for round_id, of_round in groupby(told, key=attrgetter("round_id")):
        hands = [hand for result in of_round for hand in result.list_hands()]
        yield round_id, sum(hand.staked for hand in hands), sum(hand.paid for hand in hands)


def _sum_transfers(report: ReportProgress) -> dict[int, _TransferSums]:
    """The sums of transfers by round, in one pass."""
    booked: dict[int, _TransferSums] = {}
    reversals = Transfer.objects.filter(reverses__isnull=False).order_by()
    reversed_ids = set(reversals.values_list("reverses", flat=True).iterator())
    transfers = Transfer.objects.filter(reference__startswith="round:").order_by()
    rows = transfers.values_list("pk", "reference", "kind", "credit__kind", "amount").iterator()
    of = Transfer.objects.count()
    for pk, reference, kind, credit, amount in with_progress(rows, report, "booked", of):
        round_id = int(reference.removeprefix("round:").split("/", 1)[0])
        books = booked.setdefault(round_id, _TransferSums())
        books.moved += 1
        books.taken_back += pk in reversed_ids
        # Returns to the rack are the dealer's half of a matched pot.
        if not (kind == Transfer.Kind.REFUND and credit == Account.Kind.RACK):
            books.staked += _STAKED.get(kind, 0) * amount
        books.paid += amount if kind == Transfer.Kind.PAYOUT else 0
    return booked


_STAKED = {Transfer.Kind.STAKE.value: 1, Transfer.Kind.REFUND.value: -1}
