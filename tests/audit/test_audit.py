"""``manage.py audit`` finds what does not add up, and names it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.ledger.audit import read_snapshot
from accounts.lib.sql.append_only import make_append_only, make_changeable
from accounts.models import Account, Transfer, User, WalletEntry
from tables.models import Change, Result, Standing, Table, Tally
from tables.results import projector
from tests.helpers.settled_hands import change_hands
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def played(casino: TableClient, ann: User, ben: User, stack: Callable[..., None]) -> TableClient:
    """A settled round with a split and a double, which is counted, and a bet on the next one."""
    stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.bet(ben, 2000)
    for user, action in ((ann, "split"), (ann, "double"), (ann, "stand"), (ben, "stand")):
        casino.act(user, action)
    casino.bet(ann, 1000)
    projector.catch_up()
    return casino


def audit() -> str:
    out = StringIO()
    call_command("audit", stdout=out)
    return out.getvalue()


def test_honest_books_add_up(played: TableClient) -> None:
    assert audit() == "4 accounts, 11 transfers, 2 rounds: everything adds up.\n"


def test_books_add_up_in_mid_round(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Td 6h 8d 9c Kc 8s")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.bet(ben, 2000)
    casino.act(ann, "hit")
    assert "everything adds up" in audit()


def test_it_finds_a_balance_that_was_set(played: TableClient, ann: User) -> None:
    Account.objects.filter(user=ann).update(balance=1_000_000)
    with pytest.raises(CommandError, match=r"wallet of ann.*holds 1000000"):
        audit()


@contextmanager
def changeable(table: str) -> Iterator[None]:
    with connection.schema_editor() as editor:
        make_changeable(editor, table)
    yield
    with connection.schema_editor() as editor:
        make_append_only(editor, table)


def test_it_finds_an_entry_that_was_changed(played: TableClient) -> None:
    with changeable("accounts_walletentry"):
        WalletEntry.objects.filter(kind="payout").update(balance=7)
    with pytest.raises(CommandError, match=r"transfer \d+ \(round:\d+/seat:1/hand:1/payout\)"):
        audit()


def test_it_finds_a_rack_that_was_set(played: TableClient) -> None:
    Account.objects.filter(pk=played.row.rack_id).update(balance=1_000_001)
    with pytest.raises(
        CommandError, match=r"account \d+ \(rack\) holds 1000001, but its transfers make"
    ):
        audit()
    with pytest.raises(CommandError, match=r"all accounts together hold \d+, not 0"):
        audit()


def test_it_finds_an_entry_that_is_missing(played: TableClient, ann: User) -> None:
    wallet = Account.objects.get(user=ann)
    with changeable("accounts_walletentry"):
        WalletEntry.objects.filter(wallet=wallet, seq=3).delete()
    with pytest.raises(CommandError, match=rf"account {wallet.pk} has no entry between 2 and 4"):
        audit()


def test_it_finds_a_wallet_that_is_at_another_number(played: TableClient, ann: User) -> None:
    Account.objects.filter(user=ann).update(seq=99)
    with pytest.raises(CommandError, match=r"is at 99, but its last entry is \d+"):
        audit()


def test_it_finds_a_transfer_without_its_entry(played: TableClient, ann: User) -> None:
    with changeable("accounts_transfer"):
        Transfer.objects.filter(reference=f"user:{ann.pk}/grant").update(amount=7)
    message = rf"transfer \d+ \(user:{ann.pk}/grant\) has no such entry in its wallet"
    with pytest.raises(CommandError, match=message):
        audit()


def test_it_finds_a_hand_that_was_paid_otherwise(played: TableClient) -> None:
    change_hands(Result.objects.filter(seat=2), payout=9_999)
    with pytest.raises(CommandError, match=r"round \d+: its hands were paid"):
        audit()


def test_it_finds_what_another_player_got(played: TableClient, ann: User, ben: User) -> None:
    """The sums of the round are right."""
    stakes = WalletEntry.objects.filter(kind=Transfer.Kind.STAKE, round__isnull=False)
    first = stakes.filter(wallet__user=ann).order_by("pk")[0]
    second = stakes.filter(wallet__user=ben, round=first.round)[0]
    with changeable("accounts_walletentry"):
        for entry, more in ((first, 100), (second, -100)):
            WalletEntry.objects.filter(pk=entry.pk).update(amount=entry.amount + more)
    message = rf"round {first.round}: the hands of user {ann.pk} came to .*the books of account"
    with pytest.raises(CommandError, match=message) as failure:
        audit()
    assert f"the hands of user {ben.pk} came to" in str(failure.value)
    assert "its hands staked" not in str(failure.value)


def test_it_finds_a_hand_that_was_staked_otherwise(played: TableClient) -> None:
    change_hands(Result.objects.filter(seat=2), stake=9_999)
    with pytest.raises(CommandError, match=r"round \d+: its hands staked"):
        audit()


def test_it_finds_a_pot_that_does_not_hold_the_stakes(played: TableClient) -> None:
    Table.objects.update(state="{}")
    with pytest.raises(CommandError, match="the pot of table"):
        audit()


def test_it_finds_a_missing_change(played: TableClient) -> None:
    last = Change.objects.latest("pk")
    last.delete()
    with pytest.raises(CommandError, match="changes are stored"):
        audit()


def test_it_finds_a_result_that_is_missing(played: TableClient, ben: User) -> None:
    Result.objects.filter(user=ben).delete()
    with pytest.raises(CommandError, match=r"round \d+: its hands staked"):
        audit()


@pytest.mark.parametrize("field", ["stake", "payout"])
def test_it_finds_a_result_that_its_hands_do_not_make(
    played: TableClient, ann: User, field: str
) -> None:
    Result.objects.filter(user=ann).update(**{field: 9_999})
    with pytest.raises(CommandError, match=rf"the result of user {ann.pk} says .*9999"):
        audit()


@pytest.mark.parametrize("key", ["", "casino"])
@pytest.mark.parametrize(
    "field", ["rounds", "won", "lost", "pushed", "staked", "net", "biggest_win"]
)
def test_it_finds_a_tally_that_the_results_do_not_make(
    played: TableClient, ann: User, key: str, field: str
) -> None:
    Tally.objects.filter(user=ann, rules_key=key).update(**{field: 77})
    with pytest.raises(CommandError, match=rf"tallies of user {ann.pk} of .*: {field} 77,"):
        audit()


def test_it_finds_a_tally_that_is_missing(played: TableClient, ann: User) -> None:
    Tally.objects.filter(user=ann, rules_key="").delete()
    with pytest.raises(CommandError, match=rf"user {ann.pk} has no tally of all rule sets"):
        audit()


def test_it_counts_from_where_the_history_was_emptied(played: TableClient, ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(history_since=played.now)
    with pytest.raises(CommandError, match=rf"tallies of user {ann.pk} of all rule sets:"):
        audit()
    Tally.objects.filter(user=ann).delete()
    assert "everything adds up" in audit()


@pytest.mark.parametrize("field", ["rounds", "net", "per_hundred"])
def test_it_finds_a_standing_that_the_results_do_not_make(
    played: TableClient, ben: User, field: str
) -> None:
    Standing.objects.filter(user=ben).update(**{field: 77})
    with pytest.raises(CommandError, match=rf"standing of user {ben.pk}: {field} 77,"):
        audit()


def test_it_finds_a_standing_that_is_missing(played: TableClient, ben: User) -> None:
    Standing.objects.filter(user=ben).delete()
    with pytest.raises(CommandError, match=rf"user {ben.pk} has no standing, but 1 rounds"):
        audit()


def test_a_deleted_account_needs_no_figures(played: TableClient, ben: User) -> None:
    User.objects.filter(pk=ben.pk).update(is_active=False)
    Standing.objects.filter(user=ben).delete()
    Tally.objects.filter(user=ben).delete()
    assert "everything adds up" in audit()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite ends nobody's transaction")
def test_no_limit_of_the_database_ends_an_audit_in_the_middle(db: None) -> None:
    def limits() -> list[str]:
        with connection.cursor() as cursor:
            values = []
            for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
                cursor.execute(f"SHOW {name}")
                values.append(cursor.fetchone()[0])
        return values

    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '50s'")
        cursor.execute("SET idle_in_transaction_session_timeout = '50s'")
    with read_snapshot():
        assert limits() == ["0", "0"]
    assert limits() == ["50s", "50s"]
    connection.close()
