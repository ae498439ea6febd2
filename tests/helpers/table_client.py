"""Playing at a table from a test: the house's own functions, with a clock that tests move."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any, NamedTuple

import msgspec
from django.db import connection
from django.utils import timezone

from accounts.ledger import transfers
from accounts.lib.sql import optimistic
from accounts.lib.sql.select import Select
from accounts.models import Account, User
from tables.engine.provably_fair import shuffle
from tables.game import commands, deadlines
from tables.game.commands import CommandResult, QueuedCommand
from tables.models import Table
from tables.protocol.commands import (
    Bet,
    Commit,
    Decline,
    Double,
    Hit,
    Insure,
    Leave,
    LeaveQueue,
    QueueUp,
    Sit,
    Split,
    Stand,
    Surrender,
    TableCommand,
    TakeBack,
    TurnCommand,
)
from tables.protocol.frames import Err
from tables.protocol.public import PublicTable
from tables.state.effects import ChangeNotice
from tables.state.live_table import LiveTable
from tables.state.public_view import build_public_table

COMMANDS: dict[str, type[TurnCommand]] = {
    "hit": Hit,
    "stand": Stand,
    "double": Double,
    "split": Split,
    "surrender": Surrender,
    "insure": Insure,
    "decline": Decline,
}

_rows = Select(lambda table_id: Table.objects.filter(pk=table_id))


class TableChips(NamedTuple):
    """The stakes on a table with the dealer's matches, and the free chips of its rack."""

    staked: int
    rack: int


def new_player(name: str) -> User:
    """A user with a wallet and the starting grant."""
    user = User.objects.create_user(name, password="blackjack-21!")
    transfers.get_or_open_wallet(user, at=timezone.now())
    return user


def balance_of(user: User) -> int:
    return Account.objects.get(user=user).balance


def told_of_wallets(change: ChangeNotice) -> dict[int, int]:
    """What players were told to have after a change, in hundredths by user id."""
    return {user_id: balance.amount for user_id, balance in change.wallets.items()}


class TableClient:
    """One table; ``now`` is what the house is told the time is."""

    def __init__(self, table_id: int) -> None:
        self.table_id = table_id
        self.now = timezone.now()
        self.words: dict[int, tuple[int, str]] = {}
        """What players have committed to, with the seat, by user id."""

    @property
    def row(self) -> Table:
        return _rows(self.table_id)[0]

    @property
    def chips(self) -> TableChips:
        """What is staked, and what is free in the rack."""
        row = self.row
        return TableChips(row.staked, row.free_chips)

    @property
    def live(self) -> LiveTable:
        return LiveTable.from_stored(self.row, self.now)

    @property
    def view(self) -> PublicTable:
        """What everybody sees."""
        return build_public_table(self.live)

    def later(self, seconds: float) -> None:
        self.now += dt.timedelta(seconds=seconds)

    def send(self, user: User, command: TableCommand) -> CommandResult:
        """Tests change rows as no other process does, of which PostgreSQL tells nobody: so each
        command is one of a process that has just read them.
        """
        if connection.vendor == "postgresql":
            optimistic.forget_all()
        return commands.execute_one(QueuedCommand(self.table_id, user.pk, command), self.now)

    def sit(self, user: User, seat: int, words: str | None = None) -> CommandResult:
        """Take a seat, and commit to these words, which come with each of the player's bets."""
        self.words.pop(user.pk, None)
        if words is None:
            return self.send(user, Sit(uuid.uuid4(), seat))
        self.words[user.pk] = seat, words
        return self.send(user, Sit(uuid.uuid4(), seat, shuffle.compute_commitment(seat, words)))

    def commit(self, user: User, seat: int, words: str) -> CommandResult:
        """Commit to words for the next shuffle."""
        self.words[user.pk] = seat, words
        return self.send(user, Commit(uuid.uuid4(), shuffle.compute_commitment(seat, words)))

    def leave(self, user: User) -> CommandResult:
        return self.send(user, Leave(uuid.uuid4()))

    def queue_up(self, user: User) -> CommandResult:
        return self.send(user, QueueUp(uuid.uuid4()))

    def leave_queue(self, user: User) -> CommandResult:
        return self.send(user, LeaveQueue(uuid.uuid4()))

    def bet(
        self, user: User, stake: int, turn: int | None = None, words: str | None = None
    ) -> CommandResult:
        """Bet, with the words that the player has committed to, if any, or with others."""
        turn = self.row.turn if turn is None else turn
        seat, own = self.words.get(user.pk, (0, ""))
        words_to_show = own if words is None else words
        again = shuffle.compute_commitment(seat, own) if seat else None
        return self.send(user, Bet(uuid.uuid4(), turn, stake, words_to_show, again))

    def take_back(self, user: User, turn: int | None = None) -> CommandResult:
        turn = self.row.turn if turn is None else turn
        return self.send(user, TakeBack(uuid.uuid4(), turn))

    def act(self, user: User, action: str, turn: int | None = None) -> CommandResult:
        turn = self.row.turn if turn is None else turn
        return self.send(user, COMMANDS[action](uuid.uuid4(), turn))

    def time_is_up(self) -> tuple[ChangeNotice, ...]:
        """Let the present clock run out."""
        deadline_at = self.row.deadline_at
        assert deadline_at is not None
        self.now = deadline_at + deadlines.GRACE
        return deadlines.apply_deadline(self.table_id, self.now)


def code(played: CommandResult) -> str:
    """The error code of a refused command, or ``done``."""
    return played.value.code if isinstance(played.value, Err) else "done"


def refusal(played: CommandResult) -> str:
    """The sentence of a refused command."""
    assert isinstance(played.value, Err)
    return played.value.message


def events(played: CommandResult) -> list[dict[str, Any]]:
    """What everybody was told happened."""
    return [event for change in played.changes for event in change.changed.events]


def fingerprint(at: TableClient) -> object:
    """Everything that a refused command must not change. How many watch is left out: pages that open
    and close are counted some time later.
    """
    row = at.row
    return (
        {**msgspec.to_builtins(at.view), "watchers": None},
        row.state,
        row.seq,
        row.deadline_at,
        list(Account.objects.order_by("pk").values_list("pk", "balance")),
        list(row.seats.values_list("number", "user", "missed_rounds", "is_leaving", "net")),
        (row.code, row.maker_id, row.is_locked, row.has_chat, row.is_closing, row.closed_at),
        list(row.queue.values_list("user", "seat", "until")),
        row.changes.count(),
    )
