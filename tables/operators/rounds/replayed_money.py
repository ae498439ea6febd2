"""The transfers that a round must have, derived from its events.

It is independent of the code that moves money at tables, so that it can find errors there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from accounts.ledger.round_transfers import list_round_transfers
from accounts.models import Transfer
from tables.engine.rules import Ruleset

Kind = Transfer.Kind


@dataclass(frozen=True, slots=True)
class TransferLine:
    """A transfer, without time and balances."""

    kind: str
    debit: int
    credit: int
    amount: int

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}: {self.debit} → {self.credit}"


def load_transfer_lines(round_id: int) -> dict[str, TransferLine]:
    """The transfers of the round, by reference."""
    return {
        made.reference: TransferLine(made.kind, made.debit_id, made.credit_id, made.amount)
        for made in list_round_transfers(round_id)
    }


@dataclass(slots=True)
class ExpectedMoney:
    """Collects the expected transfers; accounts are ids."""

    round_id: int
    wallets: dict[int, int]
    """By user."""
    rack: int
    pot: int
    lines: dict[str, TransferLine] = field(default_factory=dict)

    def add_bet(self, rules: Ruleset, user_id: int, event: dict[str, Any], change: int) -> None:
        """Add a bet before the deal, in the change with this number, and the dealer's match."""
        seat, stake = event["seat"], event["stake"]
        self._add(seat, f"hand:1/stake:{change}", Kind.STAKE, self.wallets[user_id], stake)
        if rules.is_matched:
            self._add(seat, f"hand:1/match:{change}", Kind.MATCH, self.rack, stake)

    def add_returned_bet(
        self, rules: Ruleset, user_id: int, event: dict[str, Any], change: int
    ) -> None:
        """Add a bet that was returned before the deal."""
        seat, stake = event["seat"], event["stake"]
        wallet = self.wallets[user_id]
        self._add(seat, f"hand:1/refund:{change}", Kind.REFUND, wallet, stake, is_out=True)
        if rules.is_matched:
            place = f"hand:1/unmatch:{change}"
            self._add(seat, place, Kind.REFUND, self.rack, stake, is_out=True)

    def add_event(self, rules: Ruleset, user_id: int, event: dict[str, Any], hands: int) -> None:
        """Add the transfers of an event; ``hands`` is the seat's current number of hands."""
        seat, wallet = event["seat"], self.wallets.get(user_id, 0)
        match event:
            case {"type": "hand_doubled", "hand": hand, "stake": stake}:
                self._add(seat, f"hand:{hand}/double", Kind.STAKE, wallet, stake)
            case {"type": "hand_split", "hand": hand, "stake": stake}:
                self._add(seat, f"hand:{hand + 1}/split:{hands}", Kind.STAKE, wallet, stake)
            case {"type": "insurance_taken", "stake": stake}:
                self._add(seat, "insurance/stake", Kind.STAKE, wallet, stake)
            case {"type": "insurance_settled", "stake": stake, "payout": payout}:
                self._add_settlement(seat, "insurance", wallet, stake, payout)
            case {"type": "hand_settled", "hand": hand, "stake": stake, "payout": payout}:
                in_pot = 2 * stake if rules.is_matched else stake
                self._add_settlement(seat, f"hand:{hand}", wallet, in_pot, payout)

    def _add_settlement(self, seat: int, place: str, wallet: int, in_pot: int, payout: int) -> None:
        if payout > in_pot:
            self._add(seat, f"{place}/match", Kind.MATCH, self.rack, payout - in_pot)
        self._add(seat, f"{place}/payout", Kind.PAYOUT, wallet, payout, is_out=True)
        if payout < in_pot:
            left = in_pot - payout
            self._add(seat, f"{place}/credit", Kind.CREDIT, self.rack, left, is_out=True)

    def _add(
        self, seat: int, place: str, kind: Kind, account: int, amount: int, *, is_out: bool = False
    ) -> None:
        """Add a transfer to or from the pot, unless the amount is 0."""
        if amount:
            debit, credit = (self.pot, account) if is_out else (account, self.pot)
            reference = f"round:{self.round_id}/seat:{seat}/{place}"
            self.lines[reference] = TransferLine(kind.value, debit, credit, amount)
