"""A small house for tests that do anything at all in it: two tables, four players, operators.

Everything happens through the house's own functions, at a time that the test moves. Nothing is
left to chance but what is drawn from ``chance``, so that every way can be gone a second time.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace

import msgspec
from django.db import connection, transaction

from accounts.audit_log import Operator
from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.lib.sql import optimistic
from accounts.models import HouseSettings, Transfer, User, WalletEntry
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.game import deadlines, lifecycle, shoes
from tables.game.commands import CommandResult
from tables.models import Change, PileGame, Round, Seat, Table, Void
from tables.protocol import codec
from tables.protocol.commands import TableCommand
from tables.protocol.frames import Done
from tables.realtime import presence, snapshots
from tables.state.effects import ChangeNotice
from tables.state.game_state import SealedShoe
from tests.helpers.invariants import Eye, Ledger
from tests.helpers.rounds import last_movement
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient, balance_of, code, new_player
from tests.state_machine.fault_points import Killed, dying

OPENS_AT = dt.datetime(2025, 6, 2, 20, tzinfo=dt.UTC)
PURSES = {"ann": 50_000, "ben": 7_300, "cleo": 2_050, "dora": 900}
"""What the players have when it begins: from plenty to less than any bet at the casino."""
FACES_OF_INTEREST = "A78TJQK"
"""With these on top there are blackjacks, pairs, insurance, and dealers who have just 17."""
NEVER = {"internal", "shoe_exhausted", "round_over", "bad_words"}
"""What nobody hears who sends what the page could send, at whatever moment."""

CardsInOrder = Callable[[Ruleset, SealedShoe, list[tuple[int, str]]], Shoe]


@dataclass(frozen=True)
class Before:
    """What was made once, before the first way through the house."""

    key: str
    players: list[User]
    operators: list[Operator]
    table_ids: list[int]
    counts: Counter[str] = field(default_factory=Counter)
    """What has happened in all ways through the house together."""


@dataclass(frozen=True)
class Sent:
    """A command that was done."""

    at: TableClient
    user: User
    command: TableCommand
    answer: str


def prepare(key: str) -> Before:
    """The people, a table of this rule set that ann runs, and one of the house's own."""
    players = [new_player(name) for name in PURSES]
    for user, purse in zip(players, PURSES.values(), strict=True):
        _leave_in_purse(user, purse)
    ruled = lifecycle.open_table(name="Ann's", rules_key=key, host_id=players[0].pk)
    other = lifecycle.open_table(name="The other", rules_key="casino")
    HouseSettings.objects.update(void_limit=4_000)
    operators = [Operator(new_player(name).pk) for name in ("olga", "otto")]
    return Before(key, players, operators, [ruled.pk, other.pk])


def _leave_in_purse(user: User, amount: int) -> None:
    over = balance_of(user) - amount
    if over:
        kind, to = Transfer.Kind.GRANT, transfers.get_bank().pk
        with transaction.atomic():
            transfers.post(
                [Posting(kind, user.wallet.pk, to, over, f"{user.pk}/less")], at=OPENS_AT
            )


class WholeHouse:
    """The house while something goes on in it; :meth:`look` says whether all is well."""

    def __init__(self, before: Before, chance: Random, *, is_rich: bool) -> None:
        self.before, self.chance, self.is_rich = before, chance, is_rich
        self.players = before.players
        self.put_in_order: dict[int, list[str]] = {}
        self.tables = [TableClient(pk) for pk in before.table_ids]
        self.eyes = {at.table_id: Eye(at, self.put_in_order) for at in self.tables}
        self.ledger = Ledger()
        self.sent: list[Sent] = []
        self.counts = before.counts
        self.must_stay = False
        self.last_state: object = None
        self.viewers: list[User | None] = [*self.players, None]
        self.looks = self.last_change = 0
        self.now = OPENS_AT
        self.later(0)

    def later(self, seconds: float) -> None:
        self.now += dt.timedelta(seconds=seconds)
        for at in self.tables:
            at.now = self.now

    def get_remaining_seconds(self, at: TableClient) -> float:
        """Until what is asked there is decided by the clock; 0 when nothing is."""
        deadline_at = at.row.deadline_at
        return (deadline_at + deadlines.GRACE - at.now).total_seconds() if deadline_at else 0

    def watch_the_clock(self, seconds: float) -> None:
        """Let time pass, and apply every deadline as soon as it is over."""
        ends = self.now + dt.timedelta(seconds=seconds)
        while deadlines_by_table := deadlines.list_deadlines(max(ends, self.now) - deadlines.GRACE):
            due = min(deadlines_by_table.values())
            self.later(max(0.0, (due + deadlines.GRACE - self.now).total_seconds()))
            for table_id in deadlines.list_overdue_tables(self.now, deadlines_by_table):
                self.run_out(self.eyes[table_id].at)
        self.later(max(0.0, (ends - self.now).total_seconds()))

    def is_overdue(self, at: TableClient) -> bool:
        """Whether the clock should have decided there already."""
        deadline_at = at.row.deadline_at
        return deadline_at is not None and deadline_at + deadlines.GRACE <= at.now

    def run_out(self, at: TableClient) -> None:
        """What the clock of any process does."""
        self.hear(deadlines.apply_deadline(at.table_id, at.now))

    def new_id(self) -> uuid.UUID:
        return uuid.UUID(int=self.chance.getrandbits(128), version=4)

    @contextmanager
    def shuffling_by_chance(self) -> Iterator[None]:
        """Secrets of shoes are drawn from ``chance``; rich shoes have the best cards on top."""
        real, real_secrets = shoes.shuffle_sealed, shoes.secrets

        def cards_in_order(
            rules: Ruleset, sealed: SealedShoe, words: list[tuple[int, str]]
        ) -> Shoe:
            shoe = real(rules, sealed, words)
            if self.is_rich:
                cards = sorted(shoe.cards, key=lambda card: card.rank not in FACES_OF_INTEREST)
                shoe = Shoe(tuple(cards))
            self.put_in_order[sealed.id] = [str(card) for card in shoe.cards]
            return shoe

        shoes.shuffle_sealed = cards_in_order
        shoes.secrets = SimpleNamespace(token_bytes=self.chance.randbytes)
        try:
            yield
        finally:
            shoes.shuffle_sealed, shoes.secrets = real, real_secrets

    # Doing

    def send(self, at: TableClient, user: User, command: TableCommand) -> str:
        """Send a command; its code, or ``done``. A refused one must have changed nothing."""
        generation = optimistic.generation()
        played = at.send(user, command)
        self.hear(played.changes)
        self.counts["commands with nothing forgotten"] += optimistic.generation() == generation
        self._note(Sent(at, user, command, codec.encode(played.value)), played)
        self.must_stay = not played.changes
        return code(played)

    def _note(self, sent: Sent, played: CommandResult) -> None:
        if isinstance(played.value, Done):
            self.sent.append(sent)
        assert code(played) not in NEVER, played

    def send_again(self, sent: Sent) -> None:
        """It is answered again, in the same words, and not done again."""
        self.counts["repeats"] += 1
        self.must_stay = True
        played = sent.at.send(sent.user, sent.command)
        assert codec.encode(played.value) == sent.answer
        assert played.changes == ()

    def send_and_hear_nothing(self, at: TableClient, user: User, command: TableCommand) -> None:
        """The process dies after the commit and before the answer; the page sends it again."""
        first = at.send(user, command)
        if isinstance(first.value, Done):
            sent = Sent(at, user, command, codec.encode(first.value))
            self.sent.append(sent)
            self.look()
            self.send_again(sent)
            assert Change.objects.filter(user=user, command_id=command.id).count() == 1

    def die(self, where: str, deed: Callable[[], object]) -> bool:
        """The process dies in this deed, if it comes to that place, and another one does it.

        Nothing of what the first one did may be left. Returns whether it died.
        """
        before = self.as_it_is()
        try:
            with dying(where):
                deed()
        except Killed:
            self.counts["deaths"] += 1
            self.counts[f"died {where}"] += 1
            assert self.as_it_is() == before, f"something was left behind by a death {where}"
            deed()
            return True
        return False

    def come_and_go(self, at: TableClient, here: list[User]) -> None:
        """These have a page of the table open, and nobody else."""
        pages = {user.pk: 1 for user in here}
        self.hear(presence.update_table(at.table_id, "one", pages, at.now).changes)

    def hear(self, changes: Iterable[ChangeNotice]) -> None:
        """What was done is committed, and open pages are told of these changes."""
        commit()
        for change in changes:
            self.eyes[change.table_id].frames[change.changed.seq] = change.changed

    # Looking

    def as_it_is(self) -> object:
        """Everything that a command can change."""
        return self._changeable(Table.objects.in_bulk(list(self.eyes)))

    def _changeable(self, rows: dict[int, Table]) -> object:
        tables = [
            (row.seq, row.turn, row.state, row.deadline_at, row.is_locked, row.maker_id, row.code)
            for row in rows.values()
        ]
        seats = Seat.objects.order_by("table", "number").values_list(
            "table", "number", "user", "is_leaving", "net", "missed_rounds"
        )
        return tables, list(seats), last_movement()

    def look(self) -> None:
        """Whether everything adds up, is as it was told, and tells nothing that is hidden."""
        self.looks += 1
        commit()
        self.ledger.look()
        rows = Table.objects.in_bulk(list(self.eyes))
        must_stay, self.must_stay = self.must_stay, False
        before, self.last_state = self.last_state, self._changeable(rows)
        assert not must_stay or before == self.last_state, "nothing was to be changed"
        since = Change.objects.filter(pk__gt=self.last_change).order_by("pk")
        changes: dict[int, list[Change]] = {pk: [] for pk in self.eyes}
        for change in since:
            changes[change.table_id].append(change)
            self.last_change = change.pk
        for pk, eye in self.eyes.items():
            eye.look(rows[pk], changes[pk], self.ledger)
            if changes[pk] and self.looks % 3 == 0:
                eye.look_as(self.viewers[self.looks // 3 % len(self.viewers)], self.ledger)

    def count_up(self) -> None:
        """Note what this way has come to."""
        for hand in list_hands():
            self.counts[hand.outcome] += 1
            self.counts["splits"] += hand.number > 1
            self.counts["doubles"] += hand.is_doubled
            self.counts["insured"] += hand.insurance_stake > 0
        self.counts["rounds"] += Round.objects.exclude(dealt_at=None).count()
        self.counts["voids"] += Void.objects.filter(status="done", asked_by__isnull=False).count()
        self.counts["broken off"] += Void.objects.filter(asked_by=None).count()
        self.counts["games of piles"] += PileGame.objects.count()
        plays = WalletEntry.objects.filter(transfer=None)
        for rows in (Transfer.objects.all(), plays):
            for kind in rows.values_list("kind", flat=True):
                self.counts[f"{kind}s"] += 1

    def reconnect(self, at: TableClient, user: User | None, missed: int) -> None:
        """A page that has missed some changes finds each of them once, and the table as it is."""
        eye = self.eyes[at.table_id]
        last_seq = max(0, eye.seq - missed)
        since = Change.objects.filter(table=at.table_id, seq__gt=last_seq).order_by("seq")
        seqs = list(since.values_list("seq", flat=True))
        assert seqs == list(range(last_seq + 1, eye.seq + 1))
        snapshot = snapshots.snapshot_for_session(at.table_id, user.pk if user else None, self.now)
        assert snapshot.seq == eye.seq
        last = eye.frames.get(eye.seq)
        if last is not None:
            assert _without_choices(snapshot.table) == _without_choices(last.table)


def commit() -> None:
    """Have done what waits for a commit: the transaction around a test never comes to one."""
    callbacks, connection.run_on_commit = connection.run_on_commit, []
    for _, callback, _ in callbacks:
        callback()


def _without_choices(table: msgspec.Struct) -> object:
    """What is legal depends on the wallet, which other tables share; who looks on is told apart."""
    data = msgspec.to_builtins(table)
    for question in (data["asked"], *data["insurance"]):
        if question:
            question.pop("legal", None)
    del data["watchers"]
    return data
