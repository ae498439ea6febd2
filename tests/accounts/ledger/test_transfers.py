"""Money is moved, never set."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from accounts.ledger import transfers
from accounts.ledger.transfers import InsufficientFunds, Play, Posting, RackResult
from accounts.models import Account, Transfer, User, WalletEntry
from tests.helpers.table_client import balance_of

pytestmark = pytest.mark.django_db


def stake(user: User, amount: int, place: str) -> Play:
    return Play(Transfer.Kind.STAKE, user.wallet.pk, -amount, 7, place)


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


def test_the_grant_has_an_entry_in_the_wallet(ann: User) -> None:
    transfer, entry = Transfer.objects.get(), WalletEntry.objects.get()
    assert (entry.transfer, entry.round, entry.seq) == (transfer, None, 1)
    assert (entry.amount, entry.balance, entry.kind) == (50_000, 50_000, "grant")
    assert entry.reference == transfer.reference == f"user:{ann.pk}/grant"


def test_movements_are_carried_out_in_order_and_say_the_balance_after_them(ann: User) -> None:
    moves = [stake(ann, 1000, "a"), stake(ann, 500, "b")]
    balances = transfers.post(moves, at=timezone.now(), by=ann.pk)
    assert balances == {ann.wallet.pk: (48_500, 3)}
    rows = WalletEntry.objects.filter(kind="stake").order_by("seq")
    assert list(rows.values_list("seq", "amount", "balance", "by", "round", "place")) == [
        (2, -1000, 49_000, ann.pk, 7, "a"),
        (3, -500, 48_500, ann.pk, 7, "b"),
    ]
    assert [row.reference for row in rows] == ["round:7/a", "round:7/b"]
    assert Transfer.objects.count() == 1


def test_of_two_balances_the_later_has_the_higher_seq(ann: User) -> None:
    balances = [transfers.get_wallet_balances([ann.pk])[ann.pk]]
    for place in ("a", "b"):
        moved = transfers.post([stake(ann, 1000, place)], at=timezone.now())
        assert moved[ann.wallet.pk] == transfers.get_wallet_balances([ann.pk])[ann.pk]
        balances.append(moved[ann.wallet.pk])
    assert balances == [(50_000, 1), (49_000, 2), (48_000, 3)]


def test_what_comes_and_goes_at_once_counts_as_well(ann: User) -> None:
    back = Play(Transfer.Kind.REFUND, ann.wallet.pk, 1000, 7, "b")
    moved = transfers.post([stake(ann, 1000, "a"), back], at=timezone.now())
    assert moved == {ann.wallet.pk: (50_000, 3)}
    assert transfers.get_wallet_balances([ann.pk])[ann.pk] == (50_000, 3)


def test_a_rack_gets_the_result_of_a_round_without_a_transfer(db: None) -> None:
    rack = transfers.open_account(Account.Kind.RACK)
    moves = [transfers.rack_fill(rack.pk, 100, "fill"), RackResult(rack.pk, -70)]
    assert transfers.post(moves, at=timezone.now())[rack.pk] == (30, 1)
    with pytest.raises(InsufficientFunds):
        transfers.post([RackResult(rack.pk, -31)], at=timezone.now())
    assert Transfer.objects.count() == 1


def test_more_than_an_account_holds_cannot_be_moved_and_nothing_is(ann: User) -> None:
    moves = [stake(ann, 40_000, "a"), stake(ann, 10_001, "b")]
    with pytest.raises(InsufficientFunds):
        transfers.post(moves, at=timezone.now())
    assert balance_of(ann) == 50_000
    assert WalletEntry.objects.count() == 1


def test_a_place_in_a_round_can_be_used_once(ann: User) -> None:
    transfers.post([stake(ann, 1000, "a")], at=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        transfers.post([stake(ann, 1000, "a")], at=timezone.now())
    assert balance_of(ann) == 49_000


def test_an_entry_is_reversed_once(ann: User) -> None:
    transfers.post([stake(ann, 1000, "a")], at=timezone.now())
    entry = WalletEntry.objects.latest("pk")
    back = Play(Transfer.Kind.REVERSAL, entry.wallet_id, 1000, 7, "void/a", entry.pk)
    transfers.post([back], at=timezone.now())
    assert WalletEntry.objects.latest("pk").reference == "void:7/a"
    with pytest.raises(IntegrityError), transaction.atomic():
        transfers.post([replace(back, place="void/b")], at=timezone.now())
    assert balance_of(ann) == 50_000


@pytest.mark.parametrize("amount", [0, -1])
def test_a_transfer_moves_something(ann: User, amount: int) -> None:
    back = Posting(Transfer.Kind.RETURN, ann.wallet.pk, transfers.get_bank().pk, amount, "a")
    with pytest.raises(IntegrityError), transaction.atomic():
        transfers.post([back], at=timezone.now())


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


@pytest.mark.parametrize("change", [{"amount": 1}, {"place": "elsewhere"}])
def test_the_database_refuses_to_change_an_entry(ann: User, change: dict[str, object]) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        WalletEntry.objects.update(**change)
    assert WalletEntry.objects.get().amount == 50_000


def test_the_database_refuses_to_delete_an_entry(ann: User) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        WalletEntry.objects.all()._raw_delete(connection.alias)
    assert WalletEntry.objects.count() == 1
