"""Stacks of table chips that are taken, given and returned at the same moment."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable

import pytest

from accounts.models import Account, Transfer, User
from tables.models import Stack
from tables.protocol.commands import Close, GiveStack, Sit, TopUp
from tests.game.test_stacks import SIZE, lose_all, open_table
from tests.helpers.rounds import faults, sit_down
from tests.helpers.table_client import code, new_player
from tests.multiprocess.parallel import AT_ONCE, at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_host_and_player_top_up_at_once_and_one_stack_comes(
    ann: User, ben: User, stack: Callable[..., None]
) -> None:
    at = open_table(ann, top_ups=20)
    sit_down(at, ben)
    lose_all(at, ben, stack)
    works = [lambda: at.send(ben, TopUp(uuid.uuid4()))] * (AT_ONCE // 2)
    works += [lambda: at.send(ann, GiveStack(uuid.uuid4(), 1))] * (AT_ONCE // 2)
    assert Counter(map(code, at_once(works))) == {"done": 1, "full_stack": AT_ONCE - 1}
    assert Stack.objects.get(user=ben).top_ups == 1
    assert at.view.seats[0].chips == SIZE
    assert faults() == []


def test_a_stack_is_topped_up_while_it_is_bet(
    ann: User, ben: User, cleo: User, stack: Callable[..., None]
) -> None:
    """Both happen, one after the other, in either order; nothing is lost or made."""
    at = open_table(ann, top_ups=20)
    sit_down(at, ben)
    lose_all(at, ben, stack)
    at.send(ben, TopUp(uuid.uuid4()))
    at.sit(cleo, 2)
    stack("Ts Td 8h 9d")
    turn = at.row.turn
    works = [lambda: at.bet(ben, 60_000, turn), lambda: at.send(ben, TopUp(uuid.uuid4()))] * 5
    answers = Counter(map(code, at_once(works)))
    assert answers == {"done": 5, "full_stack": 5}
    assert at.view.seats[0].stake == 60_000
    assert at.view.seats[0].chips == SIZE - 60_000
    assert faults() == []


def test_a_table_closes_while_a_top_up_is_on_its_way(
    ann: User, ben: User, stack: Callable[..., None]
) -> None:
    """The stack comes first and goes back with the others, or it does not come."""
    at = open_table(ann, top_ups=20)
    sit_down(at, ben)
    lose_all(at, ben, stack)
    works = [lambda: at.send(ben, TopUp(uuid.uuid4()))] * 6
    works.append(lambda: at.send(ann, Close(uuid.uuid4())))
    answers = Counter(map(code, at_once(works)))
    assert answers.keys() <= {"done", "full_stack", "table_closed"}
    assert at.row.closed_at is not None
    balances = Account.objects.filter(kind=Account.Kind.STACK).values_list("balance", flat=True)
    assert set(balances) == {0}
    top_ups = Transfer.objects.filter(kind=Transfer.Kind.TOP_UP).count()
    assert Transfer.objects.filter(kind=Transfer.Kind.CASH_OUT).count() == top_ups <= 1
    assert faults() == []


def test_everybody_sits_down_at_once_and_each_has_one_stack(ann: User) -> None:
    at = open_table(ann)
    players = [new_player(f"player{number}") for number in range(AT_ONCE)]
    works = [
        lambda user=user, number=number: at.send(user, Sit(uuid.uuid4(), number % 3 + 1))
        for number, user in enumerate(players)
    ]
    assert Counter(map(code, at_once(works))) == {"done": 3, "seat_taken": AT_ONCE - 3}
    assert Stack.objects.count() == Transfer.objects.filter(kind="buy_in").count() == 3
    assert Account.objects.filter(kind=Account.Kind.STACK).count() == 3
    assert faults() == []


def test_one_player_sits_down_twenty_times_at_once_and_has_one_stack(ann: User) -> None:
    at = open_table(ann)
    works = [lambda n=n: at.send(ann, Sit(uuid.uuid4(), n % 3 + 1)) for n in range(AT_ONCE)]
    assert Counter(map(code, at_once(works)))["done"] == 1
    assert Stack.objects.count() == Transfer.objects.filter(kind="buy_in").count() == 1
    assert faults() == []
