"""A table taken out of the database for one change, and put back in one go.

What a change does is decided in memory; :meth:`LiveTable.write` stores it all, money first.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Self
from uuid import UUID

from accounts import bank
from accounts.bank import Movement
from accounts.maintenance import HouseAt
from accounts.models import Account, Transfer
from accounts.money import money
from tables import protocol, results, takings
from tables.engine.errors import RuleViolation
from tables.engine.events import Event, plain_event
from tables.engine.rules import Ruleset
from tables.game import Game
from tables.models import Change, Hand, PileGame, Round, Seat, Table
from tables.own_limits import LossLimits, loss_limit_reached
from tables.table_events import PlayerLeft, Reason, TableEvent

RACK_FILL = 1_000_000
"""The rack is filled from the bank in steps of this many hundredths, when it runs low. Where the
dealer matches the stakes, its account is opened with as many of them as its bets need."""

_ROW_FIELDS = (
    "seq", "turn", "phase", "deadline_at", "state", "used_at", "watchers",
    "maker", "code", "is_locked", "has_chat", "is_closing", "closed_at",
    "paused_at", "paused_because", "coming", "auto_filled",
)  # fmt: skip
_SEAT_FIELDS = ("missed_rounds", "is_leaving", "away_since", "won", "lost", "pushed", "net")


def whole_fills(lacking: int) -> int:
    """What a rack that lacks so many hundredths is given."""
    return -(-lacking // RACK_FILL) * RACK_FILL


def least_to_match(rules: Ruleset) -> int:
    """The smallest bets of a full table: what a dealer who matches bets must have for a round."""
    assert rules.stakes is not None
    return rules.seats * rules.stakes.minimum


def lock_row(table_id: int) -> Table:
    """The table's row, locked until the transaction ends. Raises ``Table.DoesNotExist``."""
    tables = Table.objects.select_for_update(of=("self",)).select_related("maker")
    return tables.get(pk=table_id)


@dataclass(slots=True)
class LiveTable:
    """One table, locked, with the seats taken at it and what is to be written."""

    row: Table
    game: Game = field(repr=False)
    seats: dict[int, Seat]
    now: dt.datetime
    was_playing: bool
    loss_limits: LossLimits
    house: HouseAt
    events: list[TableEvent | Event] = field(default_factory=list)
    movements: list[Movement] = field(default_factory=list)
    seats_taken: list[Seat] = field(default_factory=list)
    seats_changed: list[Seat] = field(default_factory=list)
    seats_freed: list[Seat] = field(default_factory=list)
    round_row: Round | None = None
    """The round's own row where this change touches it."""
    settled_hands: list[Hand] = field(default_factory=list)
    ended_game: PileGame | None = None
    balances: dict[int, int] = field(default_factory=dict)
    """Balances that this change made, by account id."""

    @classmethod
    def lock(cls, table_id: int, now: dt.datetime) -> Self:
        """The table with this id, locked until the transaction ends.

        Raises ``Table.DoesNotExist``, :class:`~tables.game.UnreadableState`.
        """
        return cls.of(lock_row(table_id), now)

    @classmethod
    def of(cls, row: Table, now: dt.datetime, game: Game | None = None) -> Self:
        """The table of a row that was read already, to look at; with ``game`` in the place of what
        is stored, if that is given. Raises :class:`~tables.game.UnreadableState`.
        """
        taken = Seat.objects.select_related("user__wallet").filter(table=row)
        seats = {seat.number: seat for seat in taken}
        game = game or Game.from_text(row.rules, row.state)
        return cls(row, game, seats, now, game.is_playing, LossLimits(now), HouseAt(now))

    @property
    def rules(self) -> Ruleset:
        return self.game.rules

    def seat_of(self, user_id: int) -> Seat | None:
        """The seat this user has taken here."""
        return next((seat for seat in self.seats.values() if seat.user_id == user_id), None)

    def is_in_round(self, seat: Seat) -> bool:
        """Whether this player has a hand in the round that is being played."""
        return bool(self.game.hands_of(seat.number, seat.user_id))

    def funds(self, seat: int) -> int:
        """What the player at this seat can stake, in hundredths: what is in the wallet, less what
        this change has staked already and what the player's own limit holds back.
        """
        return max(0, self._balance(self.seats[seat].user.wallet) - self._floor(seat))

    def is_held_back(self, seat: int) -> bool:
        """Whether the player's own limit keeps back some of what is in the wallet."""
        return self._floor(seat) > 0

    def _floor(self, seat: int) -> int:
        user = self.seats[seat].user
        return self.loss_limits.floor(user, self.balances.get(user.wallet.pk, user.wallet.balance))

    def _balance(self, account: Account) -> int:
        """What will be on the account when this change is written."""
        if account.pk in self.balances:
            return self.balances[account.pk]
        return account.balance + self._moved(account.pk)

    def _moved(self, account_id: int) -> int:
        moved = sum(m.amount for m in self.movements if m.credit == account_id)
        return moved - sum(m.amount for m in self.movements if m.debit == account_id)

    def new_wallet_balances(self) -> dict[int, int]:
        """What this change left in the wallets it touched, in hundredths by user id."""
        users = {seat.user.wallet.pk: seat.user_id for seat in self._everybody()}
        return {users[pk]: balance for pk, balance in self.balances.items() if pk in users}

    def _everybody(self) -> list[Seat]:
        return [*self.seats.values(), *self.seats_freed]

    def free_seat(self, seat: Seat, reason: Reason) -> None:
        """Make the seat of somebody who has no stake on the table free again."""
        del self.seats[seat.number]
        self.seats_freed.append(seat)
        self.events.append(PlayerLeft(seat.number, seat.user.username, reason))

    # What is asked, and until when

    def next_decision(self, seconds: int | None) -> None:
        """A new decision is open: tokens of the one before are stale from now on."""
        self.row.turn += 1
        self.set_clock(seconds)

    def set_clock(self, seconds: int | None) -> None:
        """Let the present decision end in ``seconds``, or never by itself."""
        self.row.deadline_at = None if seconds is None else self.now + dt.timedelta(seconds=seconds)

    # Money, to be moved by write()

    def stake(self, seat: int, hand: int, amount: int, what: str) -> None:
        """From the player's wallet into the pot; ``what`` tells several on one hand apart.

        Raises :class:`RuleViolation` ``cannot_afford``, ``loss_limit``.
        """
        self._stake(seat, f"hand:{hand}/{what}", amount)

    def match(self, seat: int, amount: int) -> None:
        """The same amount as a bet from the rack into the pot (seed 003).

        Raises :class:`RuleViolation` ``rack_cannot_match``.
        """
        if self.rack_balance < amount:
            raise RuleViolation(
                "rack_cannot_match",
                "The dealer's account holds %(holds)s and cannot match that.",
                holds=money(self.rack_balance),
            )
        place = f"hand:1/match:{self.row.seq + 1}"
        self._move(Transfer.Kind.MATCH, self.row.rack_id, self.row.pot_id, amount, seat, place)

    def insure(self, seat: int, amount: int) -> None:
        """From the player's wallet into the pot, against the dealer's natural.

        Raises :class:`RuleViolation` ``cannot_afford``, ``loss_limit``.
        """
        self._stake(seat, "insurance/stake", amount)

    def refund(self, seat: int, amount: int) -> None:
        """A bet back to the wallet before any card was dealt, and its match to the rack."""
        change, pot = self.row.seq + 1, self.row.pot_id
        self._move(
            Transfer.Kind.REFUND, pot, self._wallet(seat), amount, seat, f"hand:1/refund:{change}"
        )
        if self.rules.is_matched:
            place = f"hand:1/unmatch:{change}"
            self._move(Transfer.Kind.REFUND, pot, self.row.rack_id, amount, seat, place)

    def settle(self, seat: int, hand: int, stake: int, payout: int) -> None:
        """Pay the player from the pot, and collect what is left of the stake for the rack."""
        self._settle(seat, f"hand:{hand}", stake, payout, is_matched=self.rules.is_matched)

    def settle_insurance(self, seat: int, stake: int, payout: int) -> None:
        """Pay or collect an insurance."""
        self._settle(seat, "insurance", stake, payout, is_matched=False)

    @property
    def rack_balance(self) -> int:
        """What the table's own account holds, in hundredths: less what this change matched."""
        return self._balance(self.row.rack)

    def _stake(self, seat: int, place: str, amount: int) -> None:
        if self._balance(self.seats[seat].user.wallet) < amount:
            raise RuleViolation("cannot_afford", "There is not enough money for that.")
        if self.funds(seat) < amount:
            raise loss_limit_reached()
        self._move(Transfer.Kind.STAKE, self._wallet(seat), self.row.pot_id, amount, seat, place)

    def _settle(self, seat: int, place: str, stake: int, payout: int, *, is_matched: bool) -> None:
        """A win that is not matched in the pot already is matched from the rack first."""
        pot, rack = self.row.pot_id, self.row.rack_id
        in_pot = 2 * stake if is_matched else stake
        if payout > in_pot:
            lacking = payout - in_pot
            self._move(Transfer.Kind.MATCH, rack, pot, lacking, seat, f"{place}/match")
        if payout:
            wallet = self._wallet(seat)
            self._move(Transfer.Kind.PAYOUT, pot, wallet, payout, seat, f"{place}/payout")
        if in_pot > payout:
            left = in_pot - payout
            self._move(Transfer.Kind.CREDIT, pot, rack, left, seat, f"{place}/credit")

    def _wallet(self, seat: int) -> int:
        return self.seats[seat].user.wallet.pk

    def _move(
        self, kind: Transfer.Kind, debit: int, credit: int, amount: int, seat: int, place: str
    ) -> None:
        reference = f"round:{self.game.round_id}/seat:{seat}/{place}"
        self.movements.append(Movement(kind, debit, credit, amount, reference))

    # Writing

    def write(self, *, user_id: int | None, command_id: UUID | None, command: str) -> None:
        """Store the change, in the caller's transaction.

        Raises ``bank.InsufficientFunds``, and :class:`RuleViolation` ``loss_limit``.
        """
        if self.movements:
            self.balances = bank.move(self.movements, at=self.now, by=user_id)
            staked = {m.debit for m in self.movements if m.kind == Transfer.Kind.STAKE}
            self.loss_limits.verify(
                seat.user for seat in self._everybody() if seat.user.wallet.pk in staked
            )
        if self.round_row is not None:
            self.round_row.save()
        if self.settled_hands:
            self._write_results()
        if self.ended_game is not None:
            self.ended_game.save(force_insert=True)
        for seat in self.seats_changed:
            seat.save(update_fields=_SEAT_FIELDS)
        for seat in self.seats_freed:
            seat.delete()
        for seat in self.seats_taken:
            seat.save(force_insert=True)
        self._write_row()
        Change.objects.create(
            table=self.row,
            seq=self.row.seq,
            round_id=self.game.round_id,
            at=self.now,
            user_id=user_id,
            command_id=command_id,
            command=command,
            events=protocol.encode([plain_event(event) for event in self.events]),
        )

    def _write_results(self) -> None:
        assert self.round_row is not None
        Hand.objects.bulk_create(self.settled_hands)
        decisions = self.game.decisions
        results.write(self.row, self.round_row, self.settled_hands, decisions, self.now)
        takings.write(self.row, self.round_row, self.settled_hands, self.now)

    def _write_row(self) -> None:
        row = self.row
        row.seq += 1
        row.phase = Table.Phase.PLAYING if self.game.is_playing else Table.Phase.BETTING
        row.state = self.game.to_text()
        row.used_at = self.now
        row.save(update_fields=_ROW_FIELDS)
