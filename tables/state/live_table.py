"""A table in memory for one change: its row, seats, game, events and money.

A change is decided in memory; :func:`tables.game.commit.commit_tables` stores it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final, Self
from uuid import UUID

from accounts.ledger.transfers import Balance, Movement, Play, Posting, RackResult
from accounts.lib.money import format_money_lazy
from accounts.maintenance import SiteStatus
from accounts.models import Account, Transfer, User
from tables.engine.errors import RuleViolation
from tables.engine.events import Event
from tables.engine.rules import Ruleset
from tables.models import Hand, PileGame, QueueEntry, Round, Seat, Table
from tables.protocol.events import BetBehindReturned, PlayerLeft, Reason, TableEvent
from tables.protocol.plans import Plan
from tables.state import commitments, rooms
from tables.state.behind import Backing
from tables.state.game_state import GameState
from tables.state.loss_limits import LossLimits, loss_limit_error
from tables.state.rooms import Room

WRITTEN_RARELY: Final = (
    "watchers", "maker_id", "code", "is_locked", "has_chat", "has_hints", "is_closing",
    "closed_at", "paused_at", "paused_because", "is_paused_by_host", "coming", "coming_by",
    "auto_filled",
)  # fmt: skip
"""The fields of a table's row that few changes write."""
ROUND_FIELDS: Final = ("number", "shoe_id", "first_card", "dealt_at", "finished_at", "dealer_cards")
_get_rarely_written: Final[Callable[[Table], tuple[Any, ...]]] = attrgetter(*WRITTEN_RARELY)
_get_round_fields: Final[Callable[[Round], tuple[Any, ...]]] = attrgetter(*ROUND_FIELDS)


@dataclass(frozen=True, slots=True)
class Author:
    """The user and the command of a change. Without a user it is a change by the server."""

    user_id: int | None = None
    command_id: UUID | None = None
    command: str = ""
    """The JSON text from the browser."""
    address: str | None = None
    """The client's address."""


@dataclass(slots=True)
class LiveTable:
    """One table, locked or remembered, with its taken seats and the pending changes."""

    row: Table
    game: GameState = field(repr=False)
    seats: dict[int, Seat]
    now: dt.datetime
    was_playing: bool
    loss_limits: LossLimits
    site: SiteStatus
    room: Room = field(repr=False)
    """What is remembered of the table after the change."""
    queue: list[QueueEntry]
    """The players in line for a seat, the first one first."""
    backers: dict[int, User]
    """The users with a bet behind before or after this change, with their wallets, by id."""
    rarely_written: tuple[Any, ...]
    """The stored values of :data:`WRITTEN_RARELY`."""
    events: list[TableEvent | Event] = field(default_factory=list)
    event_dicts: tuple[dict[str, Any], ...] = ()
    """The events as they are stored and published."""
    movements: list[Posting] = field(default_factory=list)
    """Transfers of the rack."""
    plays: list[Play] = field(default_factory=list)
    """Changes of wallets or stacks."""
    rack_paid: int = 0
    """The winnings of this change, beyond the stakes and their matches, in hundredths."""
    rack_settled: int = 0
    """Stakes less payouts that this change settled, in hundredths."""
    rack_result: int = 0
    """The same of the whole round, if this change ends it: it is posted to the rack."""
    seats_taken: list[Seat] = field(default_factory=list)
    seats_changed: dict[int, Seat] = field(default_factory=dict)
    """By number; set by :meth:`store_seat`."""
    seats_freed: list[Seat] = field(default_factory=list)
    queue_changed: list[QueueEntry] = field(default_factory=list)
    queue_left: list[QueueEntry] = field(default_factory=list)
    round_row: Round | None = None
    """The round's row if this change uses it; set by :meth:`attach_round_row`."""
    settled_hands: list[Hand] = field(default_factory=list)
    ended_game: PileGame | None = None
    writes: list[Callable[[], None]] = field(default_factory=list)
    """Other statements of this change, to be sent with its rows. They read nothing."""
    plans_changed: dict[int, Plan | None] = field(default_factory=dict)
    """What players have decided ahead, where this change has changed it, by user id."""
    balances: dict[int, Balance] = field(default_factory=dict)
    """Balances after this change, by account id."""
    wallets: dict[int, Balance] = field(default_factory=dict)
    """The same for wallets, by user id."""
    round_fields: tuple[Any, ...] = ()
    """The stored values of :data:`ROUND_FIELDS`."""
    author: Author = Author()
    has_returned_behind: bool = False
    """Whether a bet behind was returned: the commit calls the round off if it was the last bet."""
    became_private: bool = False
    shut_out: tuple[int, ...] = ()
    """The ids of users whose access to this private table ends."""
    other_cards: tuple[int, ...] = ()
    """Other tables whose cards in the lobby change."""
    is_out_of_cards: bool = False
    """Whether the shoe ran out in the round: the commit aborts it."""

    @classmethod
    def lock(cls, table_id: int, now: dt.datetime) -> Self:
        """Lock the table until the transaction ends and load it.

        Raises ``Table.DoesNotExist``, :class:`~tables.state.game_state.UnreadableState`.
        """
        room = rooms.lock(table_id)
        if isinstance(room, Exception):
            raise room
        return cls.from_room(room, now)

    @classmethod
    def from_stored(
        cls,
        row: Table,
        now: dt.datetime,
        game: GameState | None = None,
        seats: Iterable[Seat] | None = None,
        queue: Iterable[QueueEntry] | None = None,
    ) -> Self:
        """Build the read-only table of a row, with ``game`` or the stored state (``UnreadableState``),
        and with ``seats`` and ``queue`` or those that are read now.
        """
        game = game or GameState.from_text(row.rules, row.state)
        seats_by_number = rooms.load_seats(row.pk) if seats is None else rooms.sort_seats(seats)
        waiting = rooms.load_queue(row.pk) if queue is None else list(queue)
        return cls.from_room(Room(row, game, seats_by_number, waiting), now)

    @classmethod
    def from_room(cls, room: Room, now: dt.datetime, site: SiteStatus | None = None) -> Self:
        """Build the table of a room. Its row, seats and state are changed in place."""
        row, game = room.row, room.game
        return cls(
            row, game, dict(room.seats), now, game.is_playing, LossLimits(now),
            site or SiteStatus(now), room, list(room.queue), dict(room.backers),
            _get_rarely_written(row),
        )  # fmt: skip

    @property
    def is_rarely_written_changed(self) -> bool:
        """Whether one of :data:`WRITTEN_RARELY` has to be stored."""
        return _get_rarely_written(self.row) != self.rarely_written

    @property
    def is_round_changed(self) -> bool:
        """Whether one of :data:`ROUND_FIELDS` has to be stored."""
        return self.round_row is not None and _get_round_fields(self.round_row) != self.round_fields

    @property
    def rules(self) -> Ruleset:
        return self.game.rules

    def seat_of(self, user_id: int) -> Seat | None:
        """The seat of this user, or ``None``."""
        for seat in self.seats.values():
            if seat.user_id == user_id:
                return seat
        return None

    def is_in_round(self, seat: Seat) -> bool:
        """Whether this player has a hand in the round in play."""
        return bool(self.game.hands_of(seat.number, seat.user_id))

    def funds(self, seat: int) -> int:
        """Return the funds of a seat in hundredths: wallet less stakes, within the player's own limit;
        or the stack, which no limit counts.
        """
        seat_row = self.seats[seat]
        return max(0, self._balance(seat_row.account) - self._floor(seat_row.user))

    def funds_of(self, user: User) -> int:
        """The funds of a user whose wallet is loaded, such as one of :attr:`backers`."""
        return max(0, self._balance(user.wallet) - self._floor(user))

    def balance_of(self, seat: Seat) -> int:
        """The balance of a seat's wallet or stack in hundredths, after this change."""
        return self._balance(seat.account)

    def is_held_back(self, seat: int) -> bool:
        """Whether the player's own limit reserves a part of the wallet."""
        return self._floor(self.seats[seat].user) > 0

    def load_limits(self) -> None:
        """Load the players' own limits, so that :meth:`funds` reads nothing after it."""
        for seat in self.seats.values():
            self._floor(seat.user)

    def _floor(self, user: User) -> int:
        if not user.has_own_limits or self.row.has_chips:
            return 0
        written = self.balances.get(user.wallet.id)
        return self.loss_limits.get_floor(user, written.amount if written else user.wallet.balance)

    def _balance(self, account: Account) -> int:
        """The balance of the account after this change."""
        if account.id in self.balances:
            return self.balances[account.id].amount
        return account.balance + self._sum_pending(account.id)

    def _sum_pending(self, account_id: int) -> int:
        moved = sum([play.amount for play in self.plays if play.wallet == account_id])
        if self.movements:
            moved += sum([m.amount for m in self.movements if m.credit == account_id])
            moved -= sum([m.amount for m in self.movements if m.debit == account_id])
        return moved + self.rack_result if account_id == self.row.rack_id else moved

    def seats_before_and_now(self) -> list[Seat]:
        """The seats taken before this change or now."""
        return [*self.seats.values(), *self.seats_freed]

    def store_seat(self, seat: Seat) -> None:
        """Write the seat with this change, once however often it has changed."""
        self.seats_changed[seat.number] = seat

    def free_seat(self, seat: Seat, reason: Reason) -> None:
        """Free a seat. Its player must have no stake on the table; bets behind are returned."""
        for backing in [one for one in self.game.behind if one.seat == seat.number]:
            self.return_behind(backing)
        del self.seats[seat.number]
        commitments.discard_seat(self.game, seat.number, seat.user.username)
        self.seats_freed.append(seat)
        self.events.append(PlayerLeft(seat.number, seat.user.username, reason))

    # The line for a seat

    def queue_entry_of(self, user_id: int) -> QueueEntry | None:
        """The place in line of this user, or ``None``."""
        return next((entry for entry in self.queue if entry.user_id == user_id), None)

    def offer_of(self, number: int) -> QueueEntry | None:
        """To whom this free seat is offered, or ``None``."""
        return next((entry for entry in self.queue if entry.seat == number), None)

    def leave_queue(self, entry: QueueEntry) -> None:
        """Take a player out of the line."""
        self.queue.remove(entry)
        self.queue_left.append(entry)

    @property
    def next_deadline(self) -> dt.datetime | None:
        """The end of the current decision or of an offer of a seat, whichever is first."""
        ends = [entry.until for entry in self.queue if entry.until is not None]
        if self.row.deadline_at is not None:
            ends.append(self.row.deadline_at)
        return min(ends, default=None)

    def attach_round_row(self, row: Round) -> Round:
        """Set the round's row, as it is in the database; returns it."""
        self.round_row, self.round_fields = row, _get_round_fields(row)
        return row

    def send_writes(self) -> None:
        """Run the pending statements of :attr:`writes`."""
        writes, self.writes = self.writes, []
        for write in writes:
            write()

    # The current decision and its deadline

    def next_decision(self, seconds: float | None) -> None:
        """Open a new decision with a deadline in ``seconds``; older turn tokens become stale."""
        self.row.turn += 1
        self.set_clock(seconds)

    def set_clock(self, seconds: float | None) -> None:
        """Set the deadline of the current decision; ``None`` removes it."""
        self.row.deadline_at = None if seconds is None else self.now + dt.timedelta(seconds=seconds)

    # Money, to be moved by ``commit.commit_tables``

    def stake(self, seat: int, hand: int, amount: int, what: str) -> None:
        """Post a stake out of the wallet; ``what`` distinguishes several of one hand.

        Raises :class:`RuleViolation` ``cannot_afford``, ``loss_limit``.
        """
        self._stake(seat, f"hand:{hand}/{what}", amount)

    def verify_match(self, amount: int) -> None:
        """Refuse a bet that the dealer cannot match (seed 003).

        Raises :class:`RuleViolation` ``rack_cannot_match``.
        """
        if self.rack_balance < amount:
            raise RuleViolation(
                "rack_cannot_match",
                "The dealer has %(holds)s and can't match that bet.",
                holds=format_money_lazy(self.rack_balance),
            )

    def insure(self, seat: int, amount: int) -> None:
        """Post an insurance stake out of the wallet.

        Raises :class:`RuleViolation` ``cannot_afford``, ``loss_limit``.
        """
        self._stake(seat, "insurance/stake", amount)

    def refund(self, seat: int, amount: int) -> None:
        """Return a bet to the wallet before the deal."""
        place = f"seat:{seat}/hand:1/refund:{self.row.seq + 1}"
        self._move(Transfer.Kind.REFUND, amount, self.seats[seat].account, place)

    def settle(self, seat: int, hand: int, stake: int, payout: int) -> None:
        """Pay a hand. The rack gets what is left of the stake, or pays, when the round is over."""
        account, place = self.seats[seat].account, f"seat:{seat}/hand:{hand}"
        self._settle(account, place, stake, payout, is_matched=self.rules.is_matched)

    def settle_insurance(self, seat: int, stake: int, payout: int) -> None:
        """Pay or collect an insurance."""
        account, place = self.seats[seat].account, f"seat:{seat}/insurance"
        self._settle(account, place, stake, payout, is_matched=False)

    # The same for bets behind

    def return_behind(self, backing: Backing) -> None:
        """Return a bet behind on the next round."""
        self.game.behind.remove(backing)
        self.refund_behind(backing.seat, self.backers[backing.user_id], backing.first)
        self.events.append(BetBehindReturned(backing.seat, backing.name, backing.first))
        self.has_returned_behind = True

    def return_behind_of(self, user_id: int) -> bool:
        """Return a user's bet behind on the next round; returns whether there was one."""
        bet = next((one for one in self.game.behind if one.user_id == user_id), None)
        if bet is not None:
            self.return_behind(bet)
        return bet is not None

    def return_all_behind(self) -> None:
        """Return all bets behind on the next round."""
        for backing in list(self.game.behind):
            self.return_behind(backing)

    def stake_behind(self, seat: int, user: User, hand: int, amount: int, what: str) -> None:
        """Post a backer's stake on a hand of a seat; the caller has verified the funds."""
        place = f"{_behind(seat, user)}/hand:{hand}/{what}"
        self._move(Transfer.Kind.STAKE, -amount, user.wallet, place)

    def refund_behind(self, seat: int, user: User, amount: int) -> None:
        """Return a bet behind to the wallet before the deal."""
        place = f"{_behind(seat, user)}/hand:1/refund:{self.row.seq + 1}"
        self._move(Transfer.Kind.REFUND, amount, user.wallet, place)

    def settle_behind(self, seat: int, user: User, hand: int, stake: int, payout: int) -> None:
        """Pay or collect a backer's stake on a hand."""
        place = f"{_behind(seat, user)}/hand:{hand}"
        self._settle(user.wallet, place, stake, payout, is_matched=False)

    @property
    def rack_balance(self) -> int:
        """The free chips of the rack in hundredths, after this change."""
        return self._balance(self.row.rack) + self.game.rack_due

    def list_movements(self) -> list[Movement]:
        """The movements of the change, with its user: some were created before the user was known. An
        automatic one has none.

        Fills come first, so that the rack can pay.
        """
        by = self.author.user_id
        movements: list[Movement] = [
            *(
                one if one.by == by or one.is_automatic else replace(one, by=by)
                for one in self.movements
            ),
            *(one if one.by == by else replace(one, by=by) for one in self.plays),
        ]
        if self.rack_result:
            movements.append(RackResult(self.row.rack_id, self.rack_result))
        return movements

    def take_movements(self) -> list[Movement]:
        """The movements so far, to be posted before the commit."""
        movements = self.list_movements()
        self.movements, self.plays = [], []
        self.rack_paid = self.rack_settled = self.rack_result = 0
        return movements

    def list_accounts(self) -> list[Account]:
        """The accounts of the table, and of its players and backers before and after this change."""
        seats = [seat.account for seat in self.seats_before_and_now()]
        return [self.row.rack, *seats, *(user.wallet for user in self.backers.values())]

    def verify_stake(self, seat: int, amount: int) -> None:
        """Refuse a stake over the wallet or over the player's own limit.

        Raises :class:`RuleViolation` ``cannot_afford``, ``loss_limit``.
        """
        seat_row = self.seats[seat]
        self._verify_funds(seat_row.account, seat_row.user, amount)

    def verify_funds(self, user: User, amount: int) -> None:
        """The same for a user whose wallet is loaded. Raises as :meth:`verify_stake` does."""
        self._verify_funds(user.wallet, user, amount)

    def _verify_funds(self, account: Account, user: User, amount: int) -> None:
        balance = self._balance(account)
        if balance < amount:
            raise RuleViolation("cannot_afford", "You don't have enough chips for that.")
        funds = max(0, balance - self._floor(user))
        if funds < amount:
            raise loss_limit_error(funds)

    def _stake(self, seat: int, place: str, amount: int) -> None:
        self.verify_stake(seat, amount)
        self._move(Transfer.Kind.STAKE, -amount, self.seats[seat].account, f"seat:{seat}/{place}")

    def _settle(
        self, account: Account, place: str, stake: int, payout: int, *, is_matched: bool
    ) -> None:
        """Post the payout, and count what the rack gets or pays."""
        self.rack_paid += max(0, payout - (2 * stake if is_matched else stake))
        self.rack_settled += stake - payout
        if payout:
            self._move(Transfer.Kind.PAYOUT, payout, account, f"{place}/payout")

    def _move(self, kind: Transfer.Kind, amount: int, account: Account, place: str) -> None:
        """Post ``amount`` to an account, or out of it if it is negative."""
        assert self.game.round_id is not None
        play = Play(kind, account.id, amount, self.game.round_id, place, by=self.author.user_id)
        self.plays.append(play)


def _behind(seat: int, user: User) -> str:
    """The place of a backer's entries: the wallet is the backer's, and a seat has several."""
    return f"seat:{seat}/behind:{user.pk}"
