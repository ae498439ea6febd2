"""Remembered rows are used as long as they are the stored ones, and not a moment longer."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.lib.sql import optimistic
from accounts.lib.sql.driver import Statement
from accounts.lib.sql.optimistic import Conflict, RememberedRows
from accounts.lib.sql.select import Select, build_in_condition
from accounts.lib.sql.write import CompareAndSet
from accounts.models import Account, HouseSettings, Transfer, User

pytestmark = pytest.mark.django_db(transaction=True)
on_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="SQLite's own counters")

_settings = Select(
    lambda *keys: HouseSettings.objects.filter(build_in_condition("pk", keys)).values_list(
        "pk", "announcement"
    )
)
_set_balance = CompareAndSet(Account, "balance", counted="seq")


@pytest.fixture(autouse=True)
def _kept_connection() -> Iterator[None]:
    yield
    connection.close()


class Announcements:
    """What a thread remembers of the settings, and how often it has read them."""

    def __init__(self) -> None:
        self.reads = 0
        self.rows: RememberedRows[int, str] = RememberedRows(self._send)

    def _send(self, keys: list[int]) -> Callable[[], dict[int, str]]:
        self.reads += 1
        get_rows = _settings.send(*keys)
        return lambda: dict(get_rows())

    def get(self) -> str | None:
        """As a transaction sees it that relies on what is remembered."""
        return optimistic.run(self._get)

    def _get(self) -> str | None:
        with optimistic.transaction():
            text = self.rows.load([1])[1]
            with optimistic.pipeline():
                pass
        return text


def announce() -> str:
    # What was there before is nothing new: then SQLite writes nothing.
    text = f"News of {uuid.uuid4()}."
    HouseSettings.objects.filter(pk=1).update(announcement=text)
    return text


def elsewhere(work: Callable[[], object]) -> None:
    """Have it done on another connection."""

    def run() -> None:
        work()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def write_optimistically() -> None:
    with optimistic.transaction():
        announce()


def roll_back() -> None:
    with suppress(RuntimeError), optimistic.transaction():
        announce()
        raise RuntimeError


def roll_back_within() -> None:
    with optimistic.transaction(), suppress(RuntimeError), transaction.atomic():
        announce()
        raise RuntimeError


def reconnect() -> None:
    """Another connection counts anew what it writes."""
    connection.close()
    announce()


@pytest.mark.parametrize(
    "deed",
    [
        announce,
        lambda: elsewhere(announce),
        lambda: elsewhere(write_optimistically),
        roll_back,
        roll_back_within,
        reconnect,
    ],
    ids=[
        "written", "by another connection", "optimistically by that one", "taken back",
        "taken back in the middle", "a new connection",
    ],
)  # fmt: skip
def test_what_is_seen_is_what_is_stored(deed: Callable[[], object]) -> None:
    announcements = Announcements()
    first = announce()
    assert [announcements.get(), announcements.get()] == [first, first]
    deed()
    stored = HouseSettings.objects.get(pk=1).announcement
    assert [announcements.get(), announcements.get()] == [stored, stored]


@on_sqlite
def test_what_nobody_has_changed_is_read_once() -> None:
    announcements = Announcements()
    first = announce()
    assert [announcements.get() for _ in range(5)] == [first] * 5
    assert announcements.reads == 1
    elsewhere(lambda: announcements.get())
    assert announcements.reads == 2, "each thread remembers for itself"
    elsewhere(roll_back)
    announcements.get()
    assert announcements.reads == 2, "nothing was committed"


@on_sqlite
def test_what_a_transaction_writes_itself_ends_nothing() -> None:
    announcements = Announcements()
    announcements.get()
    with optimistic.transaction():
        assert transfers.get_bank().balance <= 0
        Account.objects.filter(kind="bank").update(seq=7)
    announcements.get()
    assert announcements.reads == 1


def test_outside_of_such_a_transaction_everything_is_read() -> None:
    announcements = Announcements()
    for _ in range(3):
        text = announce()
        assert announcements.rows.load([1]) == {1: text}
    assert announcements.rows.load([1, 404]) == {1: text, 404: None}


def test_a_balance_that_another_connection_changed_is_a_conflict(ann: User) -> None:
    def stake() -> None:
        with optimistic.transaction(), optimistic.pipeline():
            announce_in_pipeline()
            _set_balance([(ann.wallet.pk, (50_000, 1), (49_000, 2))])

    elsewhere(lambda: Account.objects.filter(pk=ann.wallet.pk).update(balance=700))
    before = HouseSettings.objects.get(pk=1).announcement
    with pytest.raises(Conflict):
        stake()
    ann.wallet.refresh_from_db()
    assert ann.wallet.balance == 700
    assert HouseSettings.objects.get(pk=1).announcement == before


def announce_in_pipeline() -> None:
    Statement("UPDATE accounts_housesettings SET announcement = %s WHERE id = %s").write([("", 1)])


def test_a_row_that_another_process_inserted_first_is_a_conflict_once(ann: User) -> None:
    """After that it is an error of the statement."""
    again = Statement("INSERT INTO accounts_account (id, kind, balance) VALUES (%s, %s, %s)")

    def insert() -> None:
        with optimistic.transaction(), optimistic.pipeline():
            _set_balance([(ann.wallet.pk, (50_000, 1), (49_000, 2))])
            again.write([(ann.wallet.pk, "pot", 0)])

    with pytest.raises(Conflict):
        insert()
    with pytest.raises(IntegrityError):
        optimistic.run(insert)
    ann.wallet.refresh_from_db()
    assert ann.wallet.balance == 50_000


def test_a_changed_balance_is_a_conflict_also_where_a_later_statement_fails(ann: User) -> None:
    bad = Statement("INSERT INTO accounts_account (id, kind, balance) VALUES (%s, %s, %s)")
    with pytest.raises(Conflict, match="0 rows, not 1"), optimistic.transaction():
        write_both(ann, bad)


def write_both(ann: User, bad: Statement) -> None:
    with optimistic.pipeline():
        _set_balance([(ann.wallet.pk, (1, 1), (2, 2))])
        bad.write([(ann.wallet.pk, "pot", 0)])


def test_it_is_tried_again_as_long_as_others_are_faster() -> None:
    attempts: list[int] = []

    def unlucky() -> str:
        attempts.append(1)
        if len(attempts) < 5:
            raise Conflict
        return "done"

    def hopeless() -> None:
        attempts.append(1)
        raise Conflict

    assert optimistic.run(unlucky) == "done"
    attempts.clear()
    with pytest.raises(Conflict):
        optimistic.run(hopeless)
    assert len(attempts) == optimistic.MAX_ATTEMPTS


def pay_in(user: User) -> int:
    """One hundredth; the balance after it."""
    with transaction.atomic():
        bank, reference = transfers.get_bank().pk, f"test:{uuid.uuid4()}"
        grant = Posting(Transfer.Kind.GRANT, bank, user.wallet.pk, 1, reference)
        return transfers.post([grant], at=timezone.now())[user.wallet.pk].amount


def test_money_that_another_connection_moved_is_on_the_account(ann: User) -> None:
    assert pay_in(ann) == 50_001
    elsewhere(lambda: pay_in(ann))
    assert pay_in(ann) == 50_003
