"""Rounds and shoes are counted at their table, whatever happens at others."""

from __future__ import annotations

import importlib

import pytest
from django.apps import apps

from accounts.models import User
from tables.models import Round, Shoe, Table
from tests.helpers.rounds import new_table
from tests.helpers.table_client import TableClient, new_player

pytestmark = pytest.mark.django_db


def play(table: TableClient, user: User) -> Round:
    """Bet, and stand until the round is over."""
    table.bet(user, 1000)
    while table.view.phase == "playing":
        table.act(user, "stand")
    return Round.objects.filter(table=table.row).latest("pk")


@pytest.fixture
def casino(ann: User) -> TableClient:
    """A table that opens where others have played before."""
    other, ben = new_table("casino"), new_player("ben")
    other.sit(ben, 1)
    for _ in range(3):
        play(other, ben)
    table = new_table("casino")
    table.sit(ann, 1)
    return table


def test_a_new_table_begins_with_round_1_and_shoe_1(casino: TableClient, ann: User) -> None:
    assert casino.view.shoe is not None
    assert (casino.view.number, casino.view.shoe.number) == (None, 1)
    first, second = play(casino, ann), play(casino, ann)
    assert (first.number, second.number) == (1, 2)
    assert casino.view.number == 2
    assert casino.view.round == second.pk > 2
    assert first.shoe is not None
    assert (first.shoe.number, first.shoe.label) == (1, f"shoe:{first.shoe.pk}")


def test_a_round_that_is_called_off_leaves_no_gap(casino: TableClient, ann: User) -> None:
    play(casino, ann)
    cleo = new_player("cleo")
    casino.sit(cleo, 2)
    casino.bet(ann, 1000)
    assert casino.view.number == 2
    casino.take_back(ann)
    casino.leave(cleo)
    assert casino.view.number == 2
    casino.later(700)  # too late to open the same one again
    again = play(casino, ann)
    assert (again.number, Round.objects.filter(table=casino.row, dealt_at=None).count()) == (2, 1)
    assert Round.objects.get(table=casino.row, dealt_at=None).number is None


def test_the_shoes_of_a_table_are_counted_one_by_one(ann: User) -> None:
    table = new_table("classic")
    table.sit(ann, 1)
    public_numbers = []
    for _ in range(3):
        table.bet(ann, 0)
        while table.view.phase == "playing":
            table.act(ann, "stand")
        public_numbers.append(table.view.shoe.number if table.view.shoe else None)
    assert public_numbers == [2, 3, 4]
    numbers = Shoe.objects.filter(table=table.row).order_by("pk").values_list("number", flat=True)
    assert list(numbers) == [1, 2, 3, 4]


def test_earlier_rounds_and_shoes_are_counted_by_the_migration(
    casino: TableClient, ann: User
) -> None:
    for _ in range(2):
        play(casino, ann)
    before = {model: list(model.objects.values_list("pk", "number")) for model in (Round, Shoe)}
    counts = list(Table.objects.values_list("pk", "round_count", "shoe_count"))
    Round.objects.update(number=None)
    for shoe in Shoe.objects.all():
        Shoe.objects.filter(pk=shoe.pk).update(number=1000 + shoe.pk)
    Table.objects.update(round_count=0, shoe_count=0)
    importlib.import_module("tables.migrations.0016_numbers_at_the_table").count(apps, None)
    after = {model: list(model.objects.values_list("pk", "number")) for model in (Round, Shoe)}
    assert after == before
    assert list(Table.objects.values_list("pk", "round_count", "shoe_count")) == counts
