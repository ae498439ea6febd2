"""The entries that a round must have, derived from its events.

It is independent of the code that moves money at tables, so that it can find errors there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from accounts.ledger.entries import list_round_entries
from accounts.models import Transfer

Kind = Transfer.Kind


@dataclass(frozen=True, slots=True)
class EntryLine:
    """An entry, without time and balance."""

    kind: str
    wallet: int
    amount: int
    """Negative out of the wallet."""

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}: {self.wallet}"


def load_entry_lines(round_id: int) -> dict[str, EntryLine]:
    """The entries of the round, by reference."""
    return {
        entry.reference: EntryLine(entry.kind, entry.wallet_id, entry.amount)
        for entry in list_round_entries(round_id)
    }


@dataclass(slots=True)
class ExpectedMoney:
    """Collects the expected entries."""

    round_id: int
    wallets: dict[int, int]
    """The ids of the wallets, by user."""
    lines: dict[str, EntryLine] = field(default_factory=dict)

    def add_bet(self, user_id: int, event: dict[str, Any], change: int) -> None:
        """Add a bet before the deal, in the change with this number."""
        seat, stake = event["seat"], event["stake"]
        self._add(seat, f"hand:1/stake:{change}", Kind.STAKE, self.wallets[user_id], -stake)

    def add_returned_bet(self, user_id: int, event: dict[str, Any], change: int) -> None:
        """Add a bet that was returned before the deal."""
        seat, stake = event["seat"], event["stake"]
        self._add(seat, f"hand:1/refund:{change}", Kind.REFUND, self.wallets[user_id], stake)

    def add_event(self, user_id: int, event: dict[str, Any], hands: int) -> None:
        """Add the entry of an event; ``hands`` is the seat's current number of hands."""
        seat, wallet = event["seat"], self.wallets.get(user_id, 0)
        match event:
            case {"type": "hand_doubled", "hand": hand, "stake": stake}:
                self._add(seat, f"hand:{hand}/double", Kind.STAKE, wallet, -stake)
            case {"type": "hand_split", "hand": hand, "stake": stake}:
                self._add(seat, f"hand:{hand + 1}/split:{hands}", Kind.STAKE, wallet, -stake)
            case {"type": "insurance_taken", "stake": stake}:
                self._add(seat, "insurance/stake", Kind.STAKE, wallet, -stake)
            case {"type": "insurance_settled", "payout": payout}:
                self._add(seat, "insurance/payout", Kind.PAYOUT, wallet, payout)
            case {"type": "hand_settled", "hand": hand, "payout": payout}:
                self._add(seat, f"hand:{hand}/payout", Kind.PAYOUT, wallet, payout)
            case _:
                pass

    def add_behind(self, user_id: int, seat: int, place: str, kind: Kind, amount: int) -> None:
        """Add an entry of a bet behind a seat; ``amount`` is negative out of the wallet."""
        self._add(seat, f"behind:{user_id}/{place}", kind, self.wallets.get(user_id, 0), amount)

    def _add(self, seat: int, place: str, kind: Kind, wallet: int, amount: int) -> None:
        """Add an entry, unless the amount is 0."""
        if amount:
            reference = f"round:{self.round_id}/seat:{seat}/{place}"
            self.lines[reference] = EntryLine(kind.value, wallet, amount)
