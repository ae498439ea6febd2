"""Races, which SQLite cannot lose: it writes one at a time. Run by ``test_postgresql.py``."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from accounts.ledger import audit, transfers
from accounts.ledger.transfers import InsufficientFunds, Posting
from accounts.lib.sql import optimistic
from accounts.lib.sql.driver import UnexpectedRows
from accounts.lib.sql.write import CompareAndSet
from accounts.models import Account, Transfer, User, WalletEntry
from tables.game import commands, commit, deadlines, lifecycle
from tables.game.commands import QueuedCommand
from tables.protocol import codec
from tables.protocol.commands import Bet, Sit, Stand
from tables.state import locking
from tables.state.live_table import LiveTable
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient, balance_of, code, new_player
from tests.multiprocess.parallel import AT_ONCE, at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_these_are_races_on_postgresql() -> None:
    assert connection.vendor == "postgresql"


@pytest.mark.parametrize("limit", ["statement_timeout", "idle_in_transaction_session_timeout"])
def test_an_audit_is_not_cut_off_for_taking_long(limit: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {limit}")
        assert cursor.fetchone() != ("0",)
        with audit.read_snapshot():
            cursor.execute(f"SHOW {limit}")
            assert cursor.fetchone() == ("0",)


def test_the_statements_of_commands_are_prepared_and_no_others(
    casino: TableClient, ann: User
) -> None:
    """PostgreSQL parses and plans them once for each connection, and not with each command."""
    casino.sit(ann, 1)
    assert code(casino.bet(ann, 1000)) == "done"
    for _ in range(10):
        assert User.objects.filter(username="ann").count() == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        prepared = [statement for (statement,) in cursor.fetchall()]
    for written in ('UPDATE "tables_table"', 'INSERT INTO "tables_change"', 'FROM "tables_seat"'):
        assert any(written in statement for statement in prepared), written
    assert not any("COUNT(*)" in statement for statement in prepared)


def test_rows_that_one_statement_writes_are_locked_in_the_order_of_their_keys() -> None:
    """So that nobody waits for a row of another one who waits for theirs (a deadlock)."""
    set_balances = CompareAndSet(Account, "balance", counted="seq")
    racks = [Account.objects.create(kind=Account.Kind.RACK).pk for _ in range(40)]

    def add_at_all(order: list[int]) -> int:
        """How often others were faster."""
        lost = 0
        with connection.cursor() as cursor:  # the plan of a large table
            cursor.execute("SET enable_hashjoin = off; SET enable_seqscan = off")
        for _ in range(10):
            with suppress(UnexpectedRows), transaction.atomic():
                lost += 1
                before = {
                    row.pk: (row.balance, row.seq) for row in Account.objects.filter(pk__in=order)
                }
                set_balances(
                    [(pk, before[pk], (before[pk][0] + 1, before[pk][1] + 1)) for pk in order]
                )
                lost -= 1
        return lost

    orders = [racks if number % 2 else racks[::-1] for number in range(AT_ONCE)]
    lost = sum(at_once([lambda order=order: add_at_all(order) for order in orders]))
    rows = Account.objects.filter(pk__in=racks)
    assert set(rows.values_list("balance", flat=True)) == {10 * AT_ONCE - lost}
    assert lost < 10 * AT_ONCE


def test_two_processes_that_remember_one_of_two_tables_each_do_not_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each locks the other table at first: it has to lock both, in order (no deadlock)."""
    tables = [new_table("casino"), new_table("casino")]
    players = [[new_player(f"{name}{at.table_id}") for name in ("ann", "ben")] for at in tables]
    for at, users in zip(tables, players, strict=True):
        sit_down(at, *users)
    all_remember, both_have_read = threading.Barrier(2), threading.Barrier(2)
    commit_tables = commit.commit_tables

    def wait_and_commit(lives: list[LiveTable]) -> object:
        if len(lives) == 2:
            with suppress(threading.BrokenBarrierError):  # the other one waits for the locks
                both_have_read.wait(1)
        return commit_tables(lives)

    monkeypatch.setattr(commit, "commit_tables", wait_and_commit)

    def bet(seat: int, *numbers: int) -> list[QueuedCommand]:
        return [
            QueuedCommand(at.table_id, players[n][seat].pk, Bet(uuid.uuid4(), at.row.turn, 1000))
            for n in numbers
            for at in [tables[n]]
        ]

    def play(seat: int, first: int) -> str:
        commands.execute(bet(seat, first), timezone.now())  # and it is remembered
        all_remember.wait(10)
        try:
            commands.execute(bet(seat, 0, 1), timezone.now())
        except optimistic.Conflict:
            return "slower"
        return "faster"

    assert sorted(at_once([lambda: play(0, 0), lambda: play(1, 1)])) == ["faster", "slower"]


def test_presence_that_commits_while_a_command_is_written_is_not_overwritten(
    ann: User, stack: Callable[..., None]
) -> None:
    """Presence writes a seat under the lock of its table, and leaves the number of changes as it is."""
    stack("8s 6h 8d Kc 5c")
    at = new_table("casino", seats=1)
    sit_down(at, ann)
    is_remembered, is_locked = threading.Event(), threading.Event()

    def note_absence() -> str:
        assert is_remembered.wait(10)
        with transaction.atomic():
            locking.lock_tables([at.table_id])
            at.row.seats.update(away_since=at.now)
            is_locked.set()
            time.sleep(0.5)  # the command waits for the lock meanwhile
        return "noted"

    def execute(kind: Callable[..., Bet | Stand], **fields: int) -> object:
        command = kind(uuid.uuid4(), at.row.turn, **fields)
        return commands.execute([QueuedCommand(at.table_id, ann.pk, command)], timezone.now())[0]

    def play() -> str:
        execute(Bet, stake=1000)
        is_remembered.set()
        assert is_locked.wait(10)
        with pytest.raises(optimistic.Conflict):  # the end of the round writes the seat
            execute(Stand)
        return "conflict"

    assert at_once([note_absence, play]) == ["noted", "conflict"]
    assert at.row.seats.get().away_since == at.now


def test_case_20_twenty_players_want_one_seat(casino: TableClient) -> None:
    players = [new_player(f"player{number}") for number in range(AT_ONCE)]
    played = at_once([lambda p=p: casino.sit(p, 2) for p in players])
    assert Counter(map(code, played)) == {"done": 1, "seat_taken": AT_ONCE - 1}
    assert casino.row.seats.count() == 1
    assert casino.row.seq == 1


def test_case_20_one_player_wants_twenty_seats(casino: TableClient, ann: User) -> None:
    played = at_once([lambda n=n: casino.sit(ann, n % 3 + 1) for n in range(AT_ONCE)])
    assert Counter(map(code, played))["done"] == 1
    assert casino.row.seats.count() == 1


def test_case_18_one_bankroll_is_bet_whole_at_once_from_twenty_sockets(
    casino: TableClient, ann: User
) -> None:
    casino.sit(ann, 1)
    casino.sit(new_player("ben"), 2)
    turn = casino.row.turn
    played = at_once([lambda: casino.bet(ann, 50_000, turn) for _ in range(AT_ONCE)])
    assert Counter(map(code, played)) == {"done": AT_ONCE}  # each takes the place of the one before
    assert balance_of(ann) == 0
    assert WalletEntry.objects.filter(kind="refund").count() == AT_ONCE - 1
    call_command("audit")


def test_case_19_one_bankroll_is_bet_whole_at_once_at_twenty_tables(ann: User) -> None:
    ben = new_player("ben")
    tables = []
    for number in range(AT_ONCE):
        table = TableClient(lifecycle.open_table(name=f"Table {number}", rules_key="casino").pk)
        table.sit(ann, 1)
        table.sit(ben, 2)
        tables.append(table)
    played = at_once([lambda t=t: t.bet(ann, 50_000) for t in tables])
    assert Counter(map(code, played)) == {"done": 1, "cannot_afford": AT_ONCE - 1}
    assert balance_of(ann) == 0
    assert sum(table.chips.staked for table in tables) == 50_000
    call_command("audit")


def test_case_13_one_command_arrives_twenty_times_at_once(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    casino.sit(new_player("ben"), 2)
    command = Bet(uuid.uuid4(), casino.row.turn, 1000)
    played = at_once([lambda: casino.send(ann, command) for _ in range(AT_ONCE)])
    assert {codec.encode(p.value) for p in played} == {codec.encode(played[0].value)}
    assert sum(len(p.changes) for p in played) == 1
    assert balance_of(ann) == 49_000


def test_case_14_one_id_arrives_at_twenty_tables_at_once(ann: User) -> None:
    tables = [
        TableClient(lifecycle.open_table(name=f"Table {number}", rules_key="classic").pk)
        for number in range(AT_ONCE)
    ]
    command = Sit(uuid.uuid4(), 1)
    played = at_once([lambda t=t: t.send(ann, command) for t in tables])
    assert Counter(map(code, played)) == {"done": 1, "id_reused": AT_ONCE - 1}
    assert ann.seats.count() == 1


def test_case_23_the_clock_of_twenty_processes_fires_once(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Td 6h 8d 9c Kc 5h")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    deadline_at = casino.row.deadline_at
    assert deadline_at is not None
    now = deadline_at + deadlines.GRACE
    fired = at_once(
        [lambda: deadlines.apply_deadline(casino.table_id, now) for _ in range(AT_ONCE)]
    )
    assert sum(len(changes) for changes in fired) == 1
    assert casino.view.asked is not None
    assert casino.view.asked.seat == 2, "it decided for one and not for both"
    assert casino.chips.staked == 2000
    call_command("audit")


def test_case_23_a_hit_and_the_clock_at_the_same_moment_decide_once(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("2s 6h 3d Kc 4h 5h 6d 7d 8d 9d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    turn, deadline_at = casino.row.turn, casino.row.deadline_at
    assert deadline_at is not None
    late = deadline_at + deadlines.GRACE

    def hit() -> str:
        return code(casino.act(ann, "hit", turn))

    def fire() -> str:
        return "fired" if deadlines.apply_deadline(casino.table_id, late) else "idle"

    results = at_once([hit, fire] * 5)
    # Before the deadline by their own clock: one hit may win, or the clock; never both of it.
    assert results.count("done") <= 1
    assert results.count("fired") <= 1
    assert results.count("done") + results.count("fired") >= 1
    call_command("audit")


def test_case_24_eight_workers_settle_a_round_and_it_is_paid_once(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    """Four clocks, and four times the command that ends the round."""
    stack("Ts 6h 9d Kc 9s")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    command, deadline_at = Stand(uuid.uuid4(), casino.row.turn), casino.row.deadline_at
    assert deadline_at is not None
    late = deadline_at + deadlines.GRACE

    def stand() -> object:
        return code(casino.send(ann, command))

    def fire() -> object:
        return len(deadlines.apply_deadline(casino.table_id, late))

    outcomes = at_once([stand, fire] * 4)
    assert outcomes.count(1) + ("done" in outcomes) == 1
    assert set(outcomes) <= {"done", "stale_turn", 0, 1}
    assert WalletEntry.objects.filter(kind="payout").count() == 1
    assert len(list_hands()) == 1
    assert (balance_of(ann), casino.chips.staked) == (51_000, 0)
    call_command("audit")


def test_case_19_a_wallet_pays_out_no_more_than_it_holds(ann: User) -> None:
    """The naive way accepts 400 of 100 legal bets here."""
    racks = [transfers.open_account(Account.Kind.RACK) for _ in range(AT_ONCE)]
    wallet = ann.wallet.pk

    def drain(rack: Account) -> int:
        paid = 0
        for number in range(10):
            reference = f"{rack.pk}/{number}"
            movement = Posting(Transfer.Kind.RETURN, wallet, rack.pk, 1_000, reference)
            try:
                with transaction.atomic():
                    transfers.post([movement], at=timezone.now())
                paid += 1
            except InsufficientFunds:
                pass
        return paid

    assert sum(at_once([lambda r=r: drain(r) for r in racks])) == 50
    assert balance_of(ann) == 0
    call_command("audit")


def test_wallets_are_locked_in_one_order_everywhere() -> None:
    """There are 58 deadlocks of 120 without it."""
    users = [new_player(f"player{number}") for number in range(6)]
    wallets = [user.wallet.pk for user in users]
    racks = [transfers.open_account(Account.Kind.RACK).pk for _ in range(AT_ONCE)]

    def shuffle_money(number: int) -> None:

        order = wallets if number % 2 else wallets[::-1]
        for turn in range(5):
            moves = [
                Posting(Transfer.Kind.RETURN, w, racks[number], 10, f"{number}/{turn}/{w}")
                for w in order
            ]
            with transaction.atomic():
                transfers.post(moves, at=timezone.now())

    at_once([lambda n=n: shuffle_money(n) for n in range(AT_ONCE)])
    call_command("audit")


def test_a_player_opens_one_wallet(db: None) -> None:
    user = User.objects.create_user("eve")
    opened = at_once(
        [lambda: transfers.get_or_open_wallet(user, at=timezone.now()).pk for _ in range(AT_ONCE)]
    )
    assert len(set(opened)) == 1
    assert balance_of(user) == 50_000
