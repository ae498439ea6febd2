"""A table with chips of its own: everyone gets the same stack, and nobody's own money is touched."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.db import transaction

from accounts.lib.sql import optimistic
from accounts.models import Account, Transfer, User
from accounts.users import limits
from accounts.users.limits import Kind
from tables.audit import rounds as tables_audit
from tables.game import account_deletion, history_reset, lifecycle, rebuys
from tables.models import Result, Stack, Standing, Takings, Tally, UncountedRound
from tables.operators.rounds.verification import Verdict, verify_round
from tables.protocol.commands import AskTopUp, BetBehind, Close, GiveStack, TopUp
from tests.helpers.rounds import faults, play_round, sit_down
from tests.helpers.table_client import TableClient, balance_of, code, events, fingerprint, refusal
from tests.state_machine.fault_points import Killed, dying

pytestmark = pytest.mark.django_db

SIZE = 100_000
WALLET = 50_000


def open_table(
    host: User, key: str = "casino", *, top_ups: int = 0, **settings: Any
) -> TableClient:
    row = lifecycle.open_table(
        name="Friday night", rules_key=key, host_id=host.pk, stack_size=SIZE, top_ups=top_ups,
        **settings,
    )  # fmt: skip
    return TableClient(row.pk)


@pytest.fixture
def table(ann: User) -> TableClient:
    return open_table(ann, top_ups=2)


def top_up() -> TopUp:
    return TopUp(uuid.uuid4())


def give(seat: int) -> GiveStack:
    return GiveStack(uuid.uuid4(), seat)


def ask() -> AskTopUp:
    return AskTopUp(uuid.uuid4())


def chips(at: TableClient) -> list[int | None]:
    """What everybody sees in the plates of the seats."""
    return [seat.chips for seat in at.view.seats]


def lose_all(at: TableClient, user: User, stack: Callable[..., None]) -> None:
    """The player bets the whole stack on a hand that loses."""
    stack("Ts Td 8h 9d")
    amount = next(seat.chips for seat in at.view.seats if seat.player == user.username)
    assert amount is not None
    assert code(at.bet(user, amount)) == "done"
    assert code(at.act(user, "stand")) == "done"


def test_everyone_gets_the_same_stack_and_the_wallets_stay(
    table: TableClient, ann: User, ben: User
) -> None:
    sit_down(table, ann, ben)
    assert chips(table) == [SIZE, SIZE, None]
    assert table.view.stack == SIZE
    play_round(table, [ann, ben], Random(1))
    assert (balance_of(ann), balance_of(ben)) == (WALLET, WALLET)
    assert faults() == []


def test_a_bet_leaves_the_stack_and_comes_back_when_taken_back(
    table: TableClient, ann: User
) -> None:
    # ben sits too, so that the bet is not dealt at once
    assert code(table.sit(ann, 1)) == "done"
    other = User.objects.create_user("cleo2")
    assert code(table.sit(other, 2)) == "done"
    result = table.bet(ann, 30_000)
    assert chips(table)[0] == SIZE - 30_000
    assert all(change.wallets == {} for change in result.changes)
    table.take_back(ann)
    assert chips(table)[0] == SIZE
    assert faults() == []


def test_a_bet_over_the_stack_is_refused_though_the_wallet_has_it(ann: User) -> None:
    row = lifecycle.open_table(
        name="Small", rules_key="casino", host_id=ann.pk, stack_size=5_000, top_ups=0
    )
    at = TableClient(row.pk)
    sit_down(at, ann)
    assert code(at.bet(ann, 5_100)) == "cannot_afford"
    assert faults() == []


def test_who_leaves_and_sits_down_again_has_the_same_stack(
    table: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    sit_down(table, ann)
    lose_all(table, ann, stack)
    assert chips(table)[0] == 0
    table.leave(ann)
    table.sit(ben, 1)
    table.sit(ann, 2)
    assert chips(table) == [SIZE, 0, None]
    assert Stack.objects.filter(user=ann).count() == 1
    assert faults() == []


def test_one_lost_stack_does_not_end_the_evening(
    table: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    sit_down(table, ann)
    lose_all(table, ann, stack)
    event_dicts = events(table.send(ann, top_up()))
    assert event_dicts == [
        {"type": "topped_up", "seat": 1, "player": "ann", "number": 1, "by_host": False}
    ]
    assert chips(table)[0] == SIZE
    assert table.view.seats[0].top_ups == 1
    assert faults() == []


def test_a_full_stack_gets_no_other_one(table: TableClient, ann: User, ben: User) -> None:
    """So a button that is pressed twice, or by host and player at once, gives one."""
    sit_down(table, ann, ben)
    table.bet(ann, 1_000)
    before = fingerprint(table)
    assert refusal(table.send(ann, top_up())) == "ann still has a full stack of 1,000."
    assert code(table.send(ann, give(1))) == "full_stack"
    assert code(table.send(ann, ask())) == "full_stack"
    assert fingerprint(table) == before


def test_players_take_as_many_as_the_host_allows_and_the_host_gives_more(
    ann: User, ben: User, stack: Callable[..., None]
) -> None:
    table = open_table(ann, top_ups=1)
    sit_down(table, ben)
    lose_all(table, ben, stack)
    assert code(table.send(ben, top_up())) == "done"
    lose_all(table, ben, stack)
    assert (
        refusal(table.send(ben, top_up()))
        == "You have taken all your stacks. Ask the host for another one."
    )
    assert code(table.send(ben, ask())) == "done"
    assert table.view.seats[0].asks
    assert code(table.send(ben, ask())) == "already_asked"
    assert code(table.send(ben, give(1))) == "not_maker"
    assert events(table.send(ann, give(1)))[0]["by_host"] is True
    assert not table.view.seats[0].asks
    assert (chips(table)[0], table.view.seats[0].top_ups) == (SIZE, 2)
    assert faults() == []


def test_chips_come_between_rounds_and_not_in_the_middle_of_a_hand(
    table: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    sit_down(table, ann)
    stack("Ts Td 8h 9d")
    table.bet(ann, 60_000)
    assert code(table.send(ann, top_up())) == "wrong_phase"
    assert code(table.send(ann, give(1))) == "wrong_phase"
    table.act(ann, "stand")
    assert code(table.send(ann, top_up())) == "done"
    assert chips(table)[0] == 140_000
    assert faults() == []


def test_at_other_tables_there_is_nothing_to_top_up(casino: TableClient, ann: User) -> None:
    sit_down(casino, ann)
    before = fingerprint(casino)
    assert code(casino.send(ann, top_up())) == "no_chips"
    assert code(casino.send(ann, ask())) == "no_chips"
    assert fingerprint(casino) == before
    assert (casino.view.stack, casino.view.seats[0].chips) == (None, None)


def test_a_closing_table_returns_all_chips_to_the_bank(
    table: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    sit_down(table, ann, ben)
    table.bet(ann, 1_000)
    assert code(table.send(ann, Close(uuid.uuid4()))) == "done"
    balances = Account.objects.filter(kind=Account.Kind.STACK).values_list("balance", flat=True)
    assert list(balances) == [0, 0]
    back = Transfer.objects.filter(kind=Transfer.Kind.CASH_OUT).values_list("amount", flat=True)
    assert list(back) == [SIZE, SIZE]
    assert code(table.send(ann, top_up())) == "table_closed"
    assert faults() == []


def test_a_table_that_closes_after_the_round_returns_what_the_round_has_paid(
    table: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    sit_down(table, ann)
    stack("Ts Td Th 9d")
    table.bet(ann, 1_000)
    table.send(ann, Close(uuid.uuid4()))
    assert table.row.closed_at is None
    assert code(table.send(ann, top_up())) == "table_closed"
    table.act(ann, "stand")
    assert table.row.closed_at is not None
    back = Transfer.objects.get(kind=Transfer.Kind.CASH_OUT)
    assert back.amount == SIZE + 1_000
    assert faults() == []


def test_rounds_with_chips_are_in_no_figures_of_money(
    table: TableClient, ann: User, ben: User
) -> None:
    sit_down(table, ann, ben)
    for _ in range(3):
        play_round(table, [ann, ben], Random(2))
    assert Result.objects.count() == 6
    assert not UncountedRound.objects.exists()
    assert faults() == []
    for model in (Tally, Standing, Takings):
        assert not model._default_manager.exists()


def test_the_daily_loss_limit_does_not_count_chips(table: TableClient, ann: User) -> None:
    limits.set_limit(ann, Kind.DAILY_LOSS, 0, table.now)
    sit_down(table, ann)
    assert code(table.bet(ann, 1_000)) == "done"


def test_a_bet_in_chips_does_not_hold_up_more_money(
    table: TableClient, ann: User, ben: User
) -> None:
    sit_down(table, ann, ben)
    table.bet(ann, 1_000)
    assert not rebuys.has_stake(ann.pk)


def test_an_operator_can_verify_a_round_with_chips(
    table: TableClient, ann: User, ben: User
) -> None:
    sit_down(table, ann, ben, adds_words=True)
    play_round(table, [ann, ben], Random(3))
    table.send(ann, Close(uuid.uuid4()))
    (round_,) = table.row.rounds.all()
    assert verify_round(round_).verdict is Verdict.RIGHT


def test_a_deleted_account_leaves_its_chips_until_the_table_closes(
    table: TableClient, ann: User, ben: User
) -> None:
    sit_down(table, ann, ben)
    account_deletion.delete_account(ben.pk, table.now)
    assert faults() == []
    table.send(ann, Close(uuid.uuid4()))
    assert list(Stack.objects.values_list("account__balance", flat=True)) == [0, 0]
    assert faults() == []


def test_a_cleared_history_changes_no_stack(table: TableClient, ann: User, ben: User) -> None:
    sit_down(table, ann, ben)
    play_round(table, [ann, ben], Random(4))
    before = chips(table)
    history_reset.reset_history(ann.pk)
    assert chips(table) == before
    assert faults() == []


def test_the_audit_finds_a_stack_that_differs_from_its_entries(
    table: TableClient, ann: User
) -> None:
    sit_down(table, ann)
    stack = Stack.objects.get(user=ann)
    Account.objects.filter(pk=stack.account_id).update(balance=SIZE + 100)
    found = faults()
    assert any(f"account {stack.account_id} (stack" in fault for fault in found)
    assert next(tables_audit.find_round_faults()).startswith("all accounts together hold 100")


def test_a_stack_that_is_not_enough_for_a_bet_opens_no_table(ann: User) -> None:
    with pytest.raises(ValueError, match="not enough"):
        lifecycle.open_table(name="x", rules_key="casino", host_id=ann.pk, stack_size=10)
    with pytest.raises(ValueError, match="not enough"):
        lifecycle.open_table(name="x", rules_key="piles", host_id=ann.pk, stack_size=SIZE)


def test_nobody_bets_behind_with_chips_of_the_table(
    table: TableClient, ann: User, ben: User
) -> None:
    sit_down(table, ann)
    before = balance_of(ben)
    backing = BetBehind(uuid.uuid4(), 1, table.row.turn, 1000)
    assert refusal(table.send(ben, backing)).startswith("This table has its own chips")
    assert not table.view.behind
    assert balance_of(ben) == before


PLACES = (
    "with nothing written", "before the money moves", "with the money moved",
    "before the change is numbered", "before the commit",
)  # fmt: skip


@pytest.mark.parametrize("where", PLACES)
def test_case_64_a_top_up_and_a_closing_that_die_leave_all_or_nothing(
    table: TableClient, ann: User, stack: Callable[..., None], where: str
) -> None:
    sit_down(table, ann)
    lose_all(table, ann, stack)
    for again in (top_up(), Close(uuid.uuid4())):
        before = fingerprint(table), chips(table), Transfer.objects.count()
        with contextlib.suppress(Killed), transaction.atomic(), dying(where):
            table.send(ann, again)
        optimistic.forget_all()
        assert (fingerprint(table), chips(table), Transfer.objects.count()) == before
        assert faults() == []
        assert code(table.send(ann, again)) == "done"
    assert table.row.closed_at is not None
    assert Transfer.objects.filter(kind=Transfer.Kind.TOP_UP).count() == 1
    assert faults() == []
