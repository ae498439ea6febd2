"""A command happens once, however often it arrives."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from accounts.models import User
from tables.game import lifecycle
from tables.models import Change, Table
from tables.protocol.commands import Leave, Sit
from tests.helpers.table_client import TableClient, balance_of, code

pytestmark = pytest.mark.django_db


def test_two_players_may_happen_to_use_the_same_id(
    casino: TableClient, ann: User, ben: User
) -> None:
    command_id = uuid.uuid4()
    assert code(casino.send(ann, Sit(command_id, 1))) == "done"
    assert code(casino.send(ben, Sit(command_id, 2))) == "done"


def test_a_refused_command_may_be_sent_again_and_is_judged_anew(
    casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    command = Sit(uuid.uuid4(), 1)
    assert code(casino.send(ben, command)) == "seat_taken"
    casino.leave(ann)
    assert code(casino.send(ben, command)) == "done"


def test_the_changes_of_a_table_are_numbered_without_a_hole(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 3d 9s Th Ts 5h")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    assert code(casino.bet(ben, 1)) == "bad_bet"
    casino.time_is_up()
    casino.act(ann, "hit")
    assert code(casino.act(ben, "hit")) == "not_your_turn"
    casino.act(ann, "stand")
    seqs = Change.objects.order_by("seq").values_list("seq", flat=True)
    assert list(seqs) == [1, 2, 3, 4, 5, 6]
    assert casino.row.seq == 6


def test_a_player_may_sit_at_two_tables_and_one_wallet_serves_both(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 7d Kc", "8s 6h 7d Kc")
    other = TableClient(lifecycle.open_table(name="Other", rules_key="casino").pk)
    casino.sit(ann, 1)
    other.sit(ann, 3)
    assert code(casino.bet(ann, 40000)) == "done"
    assert code(other.bet(ann, 40000)) == "cannot_afford"
    assert code(other.bet(ann, 10000)) == "done"
    assert balance_of(ann) == 0


def test_a_table_that_does_not_exist_is_nobodys(db: None, ann: User) -> None:
    with pytest.raises(Table.DoesNotExist):
        TableClient(999_999).send(ann, Leave(uuid.uuid4()))
