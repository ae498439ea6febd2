"""Money is moved, never set."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from accounts.ledger import transfers
from accounts.ledger.transfers import InsufficientFunds, Posting
from accounts.models import Account, Transfer, User
from tests.helpers.table_client import balance_of

pytestmark = pytest.mark.django_db


def stake(user: User, pot: Account, amount: int, reference: str) -> Posting:
    return Posting(Transfer.Kind.STAKE, user.wallet.pk, pot.pk, amount, reference)


@pytest.fixture
def pot(db: None) -> Account:
    return transfers.open_account(Account.Kind.POT)


def test_a_new_player_has_500_by_a_grant(ann: User) -> None:
    """Seed 004: "The player is given a starting balance of £500"."""
    transfer = Transfer.objects.get()
    assert (transfer.kind, transfer.amount) == ("grant", 50_000)
    assert (transfer.debit_balance, transfer.credit_balance) == (-50_000, 50_000)
    assert balance_of(ann) == 50_000


def test_the_grant_is_given_once(ann: User) -> None:
    """Seed 003: "account for both new players and players with an account already"."""
    assert transfers.get_or_open_wallet(ann, at=timezone.now()).balance == 50_000
    assert Transfer.objects.count() == 1


def test_movements_are_carried_out_in_order_and_say_the_balances_after_them(
    ann: User, pot: Account
) -> None:
    moves = [stake(ann, pot, 1000, "a"), stake(ann, pot, 500, "b")]
    balances = transfers.post(moves, at=timezone.now(), by=ann.pk)
    assert balances == {ann.wallet.pk: (48_500, 2), pot.pk: (1500, 1)}
    rows = Transfer.objects.filter(kind="stake").order_by("pk")
    assert list(rows.values_list("debit_balance", "credit_balance", "by")) == [
        (49_000, 1000, ann.pk),
        (48_500, 1500, ann.pk),
    ]


def test_of_two_balances_the_later_has_the_higher_seq(ann: User, pot: Account) -> None:
    told = [transfers.get_wallet_balances([ann.pk])[ann.pk]]
    for reference in ("a", "b"):
        moved = transfers.post([stake(ann, pot, 1000, reference)], at=timezone.now())
        assert moved[ann.wallet.pk] == transfers.get_wallet_balances([ann.pk])[ann.pk]
        told.append(moved[ann.wallet.pk])
    assert told == [(50_000, 1), (49_000, 2), (48_000, 3)]


def test_more_than_an_account_holds_cannot_be_moved_and_nothing_is(ann: User, pot: Account) -> None:
    moves = [stake(ann, pot, 40_000, "a"), stake(ann, pot, 10_001, "b")]
    with pytest.raises(InsufficientFunds):
        transfers.post(moves, at=timezone.now())
    assert balance_of(ann) == 50_000
    assert Transfer.objects.count() == 1


def test_a_reference_can_be_used_once(ann: User, pot: Account) -> None:
    transfers.post([stake(ann, pot, 1000, "a")], at=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        transfers.post([stake(ann, pot, 1000, "a")], at=timezone.now())
    assert balance_of(ann) == 49_000


@pytest.mark.parametrize("amount", [0, -1])
def test_a_transfer_moves_something(ann: User, amount: int) -> None:
    back = Posting(Transfer.Kind.CREDIT, ann.wallet.pk, transfers.get_bank().pk, amount, "a")
    with pytest.raises(IntegrityError), transaction.atomic():
        transfers.post([back], at=timezone.now())


def test_a_pot_may_be_short_between_two_movements_and_not_after_them(
    ann: User, pot: Account
) -> None:
    back = Posting(Transfer.Kind.REFUND, pot.pk, ann.wallet.pk, 1000, "back")
    there = stake(ann, pot, 1000, "there")
    assert transfers.post([back, there], at=timezone.now())[pot.pk].amount == 0
    with pytest.raises(InsufficientFunds), transaction.atomic():
        transfers.post(
            [replace(there, reference="1"), replace(back, amount=1001)], at=timezone.now()
        )
    assert balance_of(ann) == transfers.STARTING_GRANT


def test_the_database_refuses_a_wallet_below_zero(ann: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Account.objects.filter(user=ann).update(balance=-1)


def test_the_database_refuses_a_second_bank(db: None) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        transfers.open_account(Account.Kind.BANK)


def test_the_database_refuses_to_change_a_transfer(ann: User) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Transfer.objects.update(amount=1)
    assert Transfer.objects.get().amount == 50_000


def test_the_database_refuses_to_delete_a_transfer(ann: User) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Transfer.objects.all()._raw_delete(connection.alias)
    assert Transfer.objects.count() == 1
