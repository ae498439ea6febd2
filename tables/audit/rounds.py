"""Audit of rounds: stakes, settled hands and racks against entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from accounts.ledger.audit import (
    ReportProgress,
    describe_balance,
    ignore_progress,
    sum_transfers,
    with_progress,
)
from accounts.models import Account, Transfer, WalletEntry
from tables.audit import grades, results, revenue, voids
from tables.models import Change, Result, Round, Stack, Table
from tables.state.game_state import GameState, UnreadableState


def find_round_faults(report: ReportProgress = ignore_progress) -> Iterator[str]:
    """Yield a sentence for each error of tables and rounds."""
    at_stake = _sum_open_rounds()
    tables = Table.objects.order_by("pk").iterator()
    for table in with_progress(tables, report, "tables", Table.objects.count()):
        yield from _find_stake_faults(table, at_stake.get(table.pk, 0))
        yield from _find_sequence_faults(table)
    yield from _find_total_fault(sum(at_stake.values()))
    won: dict[int, int] = defaultdict(int)
    yield from _find_entry_faults(report, won)
    yield from _find_rack_faults(won)
    report("voids", 0, 0)
    yield from voids.find_void_faults()
    report("takings", 0, 0)
    yield from revenue.find_revenue_faults()
    report("results", 0, 0)
    yield from results.find_result_faults()
    yield from grades.find_grade_faults(report)


def _sum_open_rounds() -> dict[int, int]:
    """Stakes less payouts of the open rounds, by table."""
    tables = dict(Round.objects.filter(finished_at=None).order_by().values_list("pk", "table"))
    entries = WalletEntry.objects.filter(round__in=list(tables)).order_by().values_list("round")
    at_stake: dict[int, int] = defaultdict(int)
    for round_id, amount in entries.annotate(sum=Sum("amount")):
        assert round_id is not None
        at_stake[tables[round_id]] -= int(amount)
    return at_stake


def _find_stake_faults(table: Table, at_stake: int) -> Iterator[str]:
    """Check that the entries of the open round are exactly its bets and hands."""
    try:
        game = GameState.from_text(table.rules, table.state)
    except UnreadableState as error:
        sentence = _("the state of table %(table)s cannot be read: %(error)s")
        yield sentence % {"table": table.pk, "error": error}
        return
    # What the rack has won already is not on the table, and the bets that it matches are.
    for pot in {at_stake - game.rack_due, table.staked, at_stake - table.rack_due}:
        if pot != game.staked:
            sentence = _("the pot of table %(table)s holds %(held)s, but %(staked)s is staked")
            yield sentence % {"table": table.pk, "held": pot, "staked": game.staked}


def _find_total_fault(at_stake: int) -> Iterator[str]:
    """Check that all accounts and the stakes of open rounds are 0 together."""
    total = (Account.objects.aggregate(total=Sum("balance"))["total"] or 0) + at_stake
    if total:
        yield _("all accounts together hold %(total)s, not 0") % {"total": total}


def _find_sequence_faults(table: Table) -> Iterator[str]:
    changes = Change.objects.filter(table=table).count()
    if changes != table.seq:
        sentence = _("table %(table)s is at seq %(seq)s, but %(changes)s changes are stored")
        yield sentence % {"table": table.pk, "seq": table.seq, "changes": changes}


@dataclass(slots=True)
class _EntrySums:
    """The entries of a round, summed."""

    staked: int = 0
    paid: int = 0
    moved: int = 0
    """The number of entries."""
    reversals: int = 0
    """The number of reversals."""
    sum: int = 0
    """With the reversals."""
    nets: dict[int, int] = field(default_factory=dict)
    """What each account got, by its id, without the reversals."""


def _find_entry_faults(report: ReportProgress, won: dict[int, int]) -> Iterator[str]:
    """Compare the hands with the entries. A void round is completely reversed, others not at all.

    Adds the results of the rounds to ``won``, by table: what their rack got.
    """
    booked, accounts = _sum_entries(report), _PlayAccounts()
    finished = Round.objects.filter(finished_at__isnull=False).order_by("pk")
    rows = finished.values_list("pk", "table", "finished_at", "voided_at")
    sums = _iter_hand_sums()
    following = next(sums, None)
    for pk, table_id, finished_at, voided_at in with_progress(
        rows.iterator(), report, "rounds", finished.count()
    ):
        stake, payout, nets = 0, 0, dict[int, int]()
        if following is not None and following[0] == pk:
            stake, payout, nets = following[1:]
            following = next(sums, None)
        books = booked.get(pk, _EntrySums())
        won[table_id] -= books.sum
        has_hands = finished_at != voided_at or stake or payout
        if has_hands and books.staked != stake:
            sentence = _("round %(round)s: its hands staked %(hands)s, the books say %(books)s")
            yield sentence % {"round": pk, "hands": stake, "books": books.staked}
        if has_hands and books.paid != payout:
            sentence = _("round %(round)s: its hands were paid %(hands)s, the books say %(books)s")
            yield sentence % {"round": pk, "hands": payout, "books": books.paid}
        for user_id, net in nets.items() if stake else ():
            account = accounts.find(table_id, user_id)
            if books.nets.get(account, 0) != net:
                sentence = _(
                    "round %(round)s: the hands of user %(user)s came to %(hands)s, the books of "
                    "account %(account)s say %(books)s"
                )
                yield sentence % {
                    "round": pk, "user": user_id, "hands": net, "account": account,
                    "books": books.nets.get(account, 0),
                }  # fmt: skip
        if voided_at and books.reversals != books.moved:
            remaining = books.moved - books.reversals
            sentence = _("round %(round)s is void, but %(left)s of its transfers were not reversed")
            yield sentence % {"round": pk, "left": remaining}
        if not voided_at and books.reversals:
            sentence = _("round %(round)s is not void, but %(back)s of its transfers were reversed")
            yield sentence % {"round": pk, "back": books.reversals}


class _PlayAccounts:
    """The accounts that players play with: their wallets, or the stacks of a table."""

    def __init__(self) -> None:
        wallets = Account.objects.filter(kind=Account.Kind.WALLET).order_by()
        self._wallets = dict(wallets.values_list("user", "pk"))
        stacks = Stack.objects.order_by().values_list("table", "user", "account")
        self._stacks = {(table, user): account for table, user, account in stacks}

    def find(self, table_id: int, user_id: int) -> int:
        """The account of a player at a table; 0 without one."""
        return self._stacks.get((table_id, user_id)) or self._wallets.get(user_id, 0)


def _iter_hand_sums() -> Iterator[tuple[int, int, int, dict[int, int]]]:
    """The id of each finished round with hands, their stakes and payouts, and the net of each user, in
    the order of the ids.
    """
    results = Result.objects.with_hands().filter(round__finished_at__isnull=False)
    results = results.order_by("round_id")
    rows = results.only("round", "user", "seat", "is_behind", "hands").iterator()
    for round_id, of_round in groupby(rows, key=attrgetter("round_id")):
        staked, paid, nets = 0, 0, defaultdict[int, int](int)
        for result in of_round:
            for hand in result.list_readable_hands():
                staked, paid = staked + hand.staked, paid + hand.paid
                nets[result.user_id] += hand.paid - hand.staked
        yield round_id, staked, paid, nets


def _sum_entries(report: ReportProgress) -> Mapping[int, _EntrySums]:
    """The sums of entries by round, in one pass."""
    booked: dict[int, _EntrySums] = defaultdict(_EntrySums)
    is_bet = Q(kind__in=(Transfer.Kind.STAKE, Transfer.Kind.REFUND))
    entries = WalletEntry.objects.filter(round__isnull=False).order_by()
    grouped = entries.values_list("round", "wallet")
    rows = grouped.annotate(
        staked=Coalesce(Sum("amount", filter=is_bet), 0),
        paid=Coalesce(Sum("amount", filter=Q(kind=Transfer.Kind.PAYOUT)), 0),
        moved=Count("pk", filter=Q(reverses=None)),
        taken_back=Count("pk", filter=Q(reverses__isnull=False)),
        sum=Sum("amount"),
        net=Coalesce(Sum("amount", filter=Q(reverses=None)), 0),
    )
    for round_id, wallet, staked, paid, moved, back, sum_, net in with_progress(
        rows.iterator(), report, "booked", Round.objects.count()
    ):
        assert round_id is not None
        sums = booked[round_id]
        sums.staked -= int(staked)
        sums.paid += int(paid)
        sums.moved += moved
        sums.reversals += back
        sums.sum += int(sum_)
        sums.nets[wallet] = int(net)
    return booked


def _find_rack_faults(won: Mapping[int, int]) -> Iterator[str]:
    """Check that each rack holds its transfers and the results of the rounds of its table."""
    tables = dict(Table.objects.order_by().values_list("rack", "pk"))
    net = Coalesce(sum_transfers("credit"), 0) - Coalesce(sum_transfers("debit"), 0)
    racks = Account.objects.filter(kind=Account.Kind.RACK).annotate(net=net)
    for rack in racks.order_by("pk").iterator():
        balance = rack.net + won.get(tables.get(rack.pk, 0), 0)
        if rack.balance != balance:
            yield describe_balance(rack, balance)
