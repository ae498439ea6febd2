"""The settlement sheet: who took which stacks, who holds what, and what squares it.

Everything is computed from the transfers and entries of the ledger, so that it adds up to 0 with the
dealer. A round in play is not counted: its bets are still their players'.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import Sum

from accounts.ledger.audit import read_snapshot
from accounts.models import Transfer, WalletEntry
from tables.engine.events import Outcome
from tables.models import VOID, WON, Result, Round, Stack, Table
from tables.records.sheet.payments import Payment, find_payments

DEALER = 0
"""The dealer in payments, where players have their user ids."""


@dataclass(slots=True)
class SheetPlayer:
    """One player's line. Amounts in hundredths."""

    user_id: int
    name: str
    stacks: int
    """The number of stacks, with the first one."""
    taken: int
    """The chips that the bank has given."""
    held: int
    """The chips now, or when the table closed."""
    rounds: int = 0
    blackjacks: int = 0
    """Hands."""
    biggest_win: int = 0
    """The largest net win of a round."""
    best_streak: int = 0
    """The most rounds won in a row."""
    _streak: int = field(default=0, repr=False)

    @property
    def net(self) -> int:
        return self.held - self.taken

    def count(self, result: Result) -> None:
        """Add a round. They are added in the order of their ends."""
        self.rounds += 1
        self.biggest_win = max(self.biggest_win, result.net)
        hands = result.list_readable_hands()
        self.blackjacks += sum(hand.outcome == Outcome.BLACKJACK for hand in hands)
        self._streak = self._streak + 1 if result.outcome in WON else 0
        self.best_streak = max(self.best_streak, self._streak)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The sheet of a table at one moment. Amounts in hundredths."""

    table: Table
    players: tuple[SheetPlayer, ...]
    """The largest result first."""
    dealer: int
    """The net result of the dealer's rack."""
    payments: tuple[Payment[int], ...]
    """Between players and :data:`DEALER`, by user id."""
    rounds: int

    def name_of(self, party: int) -> str | None:
        """The name of a party of a payment; ``None`` for the dealer."""
        return next((one.name for one in self.players if one.user_id == party), None)


def build_sheet(table: Table) -> Sheet:
    """The sheet of a table with chips of its own, read at one moment."""
    with nullcontext() if connection.in_atomic_block else read_snapshot():
        players = _load_players(table)
        dealer = _sum_dealer(table)
        rounds = _add_rounds(table, players)
    ranked = tuple(sorted(players.values(), key=lambda player: (-player.net, player.name)))
    nets = {player.user_id: player.net for player in ranked}
    payments = find_payments({**nets, DEALER: -sum(nets.values())})
    return Sheet(table, ranked, dealer, tuple(payments), rounds)


def _load_players(table: Table) -> dict[int, SheetPlayer]:
    stacks = Stack.objects.filter(table=table).select_related("user", "account").order_by("pk")
    accounts = [stack.account_id for stack in stacks]
    credit_sums, debit_sums = _sum_transfers("credit", accounts), _sum_transfers("debit", accounts)
    in_play = _sum_open_bets(table, accounts)
    return {
        stack.user_id: SheetPlayer(
            user_id=stack.user_id,
            name=stack.user.username,
            stacks=1 + stack.top_ups,
            taken=credit_sums[stack.account_id],
            held=stack.account.balance + debit_sums[stack.account_id] + in_play[stack.account_id],
        )
        for stack in stacks
    }


def _sum_transfers(side: str, accounts: Iterable[int]) -> dict[int, int]:
    """The transfers of these accounts on one side. Play has none."""
    sums: dict[int, int] = defaultdict(int)
    rows = Transfer.objects.filter(**{f"{side}__in": list(accounts)}).order_by().values_list(side)
    for account, amount in rows.annotate(sum=Sum("amount")):
        sums[account] = int(amount)
    return sums


def _sum_open_bets(table: Table, accounts: Iterable[int]) -> dict[int, int]:
    """Bets less payouts of the round in play, by account."""
    rounds = list(Round.objects.filter(table=table, finished_at=None).values_list("pk", flat=True))
    entries = WalletEntry.objects.filter(round__in=rounds, wallet__in=list(accounts)).order_by()
    sums: dict[int, int] = defaultdict(int)
    for account, amount in entries.values_list("wallet").annotate(sum=Sum("amount")):
        sums[account] = -int(amount)
    return sums


def _sum_dealer(table: Table) -> int:
    """What the rack has won or lost in finished rounds: its balance without its transfers."""
    rack = Table.objects.values_list("rack__balance", flat=True).get(pk=table.pk)
    accounts = [table.rack_id]
    credit_sums, debit_sums = _sum_transfers("credit", accounts), _sum_transfers("debit", accounts)
    return rack - credit_sums[table.rack_id] + debit_sums[table.rack_id]


def _add_rounds(table: Table, players: dict[int, SheetPlayer]) -> int:
    """Add the rounds to the lines of their players, but for those that a player has cleared from the
    history. Returns the number of rounds at the table.
    """
    results = Result.objects.shown().filter(user__in=players, round__table=table)
    for result in results.exclude(outcome=VOID).order_by("finished_at", "round_id").iterator():
        players[result.user_id].count(result)
    finished = Round.objects.filter(table=table, finished_at__isnull=False, voided_at=None)
    return finished.filter(dealt_at__isnull=False).count()
