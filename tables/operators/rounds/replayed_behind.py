"""The bets behind of a stored round, replayed from its events.

Which stakes went along on a double or a split depends on wallets, so that is read from the events. All
amounts follow from them, and are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from tables.engine.events import Outcome
from tables.engine.payouts import payout
from tables.engine.rules import Ruleset
from tables.models import Change
from tables.operators.rounds.replayed_money import ExpectedMoney, Kind
from tables.protocol.commands import BetBehind


@dataclass(slots=True)
class _Bet:
    """One bet behind: the stake and the payout of each hand of its seat."""

    user_id: int
    seat: int
    first: int
    goes_along: bool
    stakes: list[int]
    payouts: list[int]


@dataclass(slots=True)
class ReplayedBehind:
    """The bets behind so far. Their entries are added to ``money``."""

    money: ExpectedMoney
    rules: Ruleset
    bets: dict[str, _Bet] = field(default_factory=dict)
    """By the name of the backer."""
    hands: dict[int, int] = field(default_factory=dict)
    """The number of hands by seat, where it was split."""
    outcomes: dict[tuple[int, int], Outcome] = field(default_factory=dict)
    """Those of settled hands, by seat and hand."""

    def apply(self, change: Change, command: object) -> str:
        """Apply the events of a change; returns what is wrong with them, or an empty text."""
        doubled: set[tuple[int, int]] = set()
        for event in change.events:
            match event:
                case {"type": "bet_behind_placed"}:
                    if not self._place(change, command, event):
                        return _("the command is not the bet that was placed")
                case {"type": "bet_behind_returned"}:
                    if not self._return(change, event):
                        return _("the returned bet differs from the placed bet")
                case {"type": "hand_doubled", "seat": seat, "hand": hand}:
                    doubled.add((seat, hand))
                case {"type": "hand_split", "seat": seat, "hand": hand}:
                    self._split(seat, hand)
                    doubled.add((seat, hand + 1))
                case {"type": "hand_settled", "seat": seat, "hand": hand, "outcome": outcome}:
                    self.outcomes[seat, hand] = Outcome(outcome)
                case {"type": "bet_behind_raised", "seat": seat, "hand": hand}:
                    if (seat, hand) not in doubled or not self._raise(event):
                        return _("a bet behind was not raised as it must be")
                case {"type": "bet_behind_settled"}:
                    if not self._settle(event):
                        return _("a bet behind was not settled as its hand")
                case _:
                    pass
        return ""

    def list_results(self) -> dict[int, tuple[int, list[tuple[int, int]]]]:
        """The seat and the stakes and payouts of its hands, by user id."""
        return {
            bet.user_id: (bet.seat, list(zip(bet.stakes, bet.payouts, strict=True)))
            for bet in self.bets.values()
        }

    def _place(self, change: Change, command: object, event: dict[str, Any]) -> bool:
        values = (event["seat"], event["stake"], event["along"])
        if not isinstance(command, BetBehind) or change.user_id is None:
            return False
        seat, stake, goes_along = values
        self.bets[event["player"]] = _Bet(change.user_id, seat, stake, goes_along, [stake], [0])
        place = f"hand:1/stake:{change.seq}"
        self.money.add_behind(change.user_id, seat, place, Kind.STAKE, -stake)
        return values == (command.seat, command.stake, command.along)

    def _return(self, change: Change, event: dict[str, Any]) -> bool:
        bet = self.bets.pop(event["player"], None)
        if bet is None or (bet.seat, bet.first) != (event["seat"], event["stake"]):
            return False
        place = f"hand:1/refund:{change.seq}"
        self.money.add_behind(bet.user_id, bet.seat, place, Kind.REFUND, bet.first)
        return True

    def _split(self, seat: int, hand: int) -> None:
        self.hands[seat] = self.hands.get(seat, 1) + 1
        for bet in self.bets.values():
            if bet.seat == seat:
                bet.stakes.insert(hand, 0)
                bet.payouts.insert(hand, 0)

    def _raise(self, event: dict[str, Any]) -> bool:
        """On a double the same stake again; on a split that of the hand before."""
        bet, hand, added = self.bets.get(event["player"]), event["hand"], event["stake"]
        if bet is None or bet.seat != event["seat"] or not bet.goes_along:
            return False
        is_split = bet.stakes[hand - 1] == 0
        expected = bet.stakes[hand - 2] if is_split else bet.stakes[hand - 1]
        bet.stakes[hand - 1] += added
        what = f"split:{self.hands.get(bet.seat, 1)}" if is_split else "double"
        place = f"hand:{hand}/{what}"
        self.money.add_behind(bet.user_id, bet.seat, place, Kind.STAKE, -added)
        return bool(added == expected)

    def _settle(self, event: dict[str, Any]) -> bool:
        bet, seat, hand = self.bets.get(event["player"]), event["seat"], event["hand"]
        outcome = self.outcomes.get((seat, hand))
        if bet is None or bet.seat != seat or outcome is None:
            return False
        paid = payout(self.rules, outcome, bet.stakes[hand - 1])
        bet.payouts[hand - 1] = paid
        self.money.add_behind(bet.user_id, seat, f"hand:{hand}/payout", Kind.PAYOUT, paid)
        return (bet.stakes[hand - 1], paid) == (event["stake"], event["payout"])
