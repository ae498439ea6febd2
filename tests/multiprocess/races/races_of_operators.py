"""Operators who do the same at the same moment, and while the player plays."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.ledger import adjustments
from accounts.lib.errors import OperationRefused
from accounts.models import Act, HouseSettings, Transfer, User
from tables.game import account_deletion
from tables.game.pending_settings import ChangedMeanwhile
from tables.models import Seat
from tables.operators.players import freezing
from tables.operators.tables import rack_transfers
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, balance_of, code, new_player
from tests.multiprocess.parallel import AT_ONCE, at_once

pytestmark = pytest.mark.django_db(transaction=True)

Stack = Callable[..., None]
TABS = 8
START = 50_000


@pytest.fixture
def cashier(db: None) -> Operator:
    """One operator, in many tabs."""
    return with_role("cashier", "cashier")


def with_role(role: str, name: str) -> Operator:
    user = new_player(name)
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    user.groups.add(Group.objects.get(name=role))
    return Operator(user.pk)


def limits(at_once: int, a_day: int) -> None:
    HouseSettings.objects.update(adjustment_limit=at_once, adjustment_day_limit=a_day)


def adjust(by: Operator, user: User, amount: int, key: uuid.UUID | None = None) -> str:
    try:
        result = adjustments.adjust(
            by, user.pk, amount, key=key or uuid.uuid4(), reason="a race", now=timezone.now()
        )
    except OperationRefused:
        return "refused"
    return "done" if result.is_new else "done before"


def reverse(by: Operator, transfer: Transfer) -> str:
    try:
        result = adjustments.reverse(by, transfer.pk, reason="a race", now=timezone.now())
    except OperationRefused:
        return "refused"
    return "done" if result.is_new else "done before"


def freeze(by: Operator, user: User) -> str:
    return str(freezing.freeze(by, user.pk, "a race", timezone.now()).value)


# Money


def test_eight_tabs_adjust_no_more_than_the_day_allows(ann: User, cashier: Operator) -> None:
    limits(1000, 2999)
    answers = at_once([lambda: adjust(cashier, ann, 1000)] * TABS)
    assert Counter(answers) == {"done": 2, "refused": TABS - 2}
    assert balance_of(ann) == START + 2000
    assert Act.objects.count() == 2
    call_command("audit")


def test_eight_tabs_for_eight_players_share_the_day(cashier: Operator) -> None:
    limits(1000, 2999)
    players = [new_player(f"player{number}") for number in range(TABS)]
    answers = at_once(
        [lambda p=p, n=n: adjust(cashier, p, 1000 if n % 2 else -1000)
         for n, p in enumerate(players)]
    )  # fmt: skip
    assert Counter(answers) == {"done": 2, "refused": TABS - 2}
    call_command("audit")


def test_one_form_sent_eight_times_at_once_moves_once(ann: User, cashier: Operator) -> None:
    key = uuid.uuid4()
    answers = at_once([lambda: adjust(cashier, ann, 1000, key)] * TABS)
    assert Counter(answers) == {"done": 1, "done before": TABS - 1}
    assert balance_of(ann) == START + 1000
    call_command("audit")


def test_an_adjustment_is_reversed_once_by_eight_operators(ann: User, cashier: Operator) -> None:
    adjust(cashier, ann, 1000)
    transfer = Transfer.objects.get(kind="adjustment")
    others = [with_role("cashier", f"cashier{number}") for number in range(TABS)]
    answers = at_once([lambda by=by: reverse(by, transfer) for by in others])
    assert Counter(answers) == {"done": 1, "done before": TABS - 1}
    assert balance_of(ann) == START
    assert Transfer.objects.filter(kind="reversal").count() == 1
    call_command("audit")


def test_two_operators_adjust_each_other_without_end(cashier: Operator) -> None:
    other = with_role("cashier", "carol")
    limits(10**6, 10**6)
    users = [User.objects.get(pk=by.user_id) for by in (cashier, other)]
    answers = at_once(
        [lambda: adjust(cashier, users[1], 100), lambda: adjust(other, users[0], 100)]
        * (AT_ONCE // 2)
    )
    assert Counter(answers) == {"done": AT_ONCE}
    call_command("audit")


@pytest.mark.parametrize("attempt", range(3))
def test_what_is_taken_while_it_is_bet_is_not_there_twice(
    attempt: int, ann: User, cashier: Operator
) -> None:
    limits(START, START)
    tables = [new_table("casino") for _ in range(5)]
    for table in tables:
        sit_down(table, ann, User.objects.get(pk=cashier.user_id))
    answer, *bets = at_once(
        [lambda: adjust(cashier, ann, -START + 2000)]
        + [lambda t=t: code(t.bet(ann, 1000)) for t in tables]
    )
    remaining = START - 1000 * bets.count("done") - (START - 2000 if answer == "done" else 0)
    assert set(bets) <= {"done", "cannot_afford"}
    assert balance_of(ann) == remaining >= 0
    call_command("audit")


def test_eight_tabs_bring_the_chips_of_a_rack_back_once(
    casino: TableClient, cashier: Operator
) -> None:
    rack_transfers.fill_rack(cashier, casino.table_id, 0, 5000, "a race", timezone.now())
    last_act = rack_transfers.find_last_act(casino.row)

    def bring_back() -> str:
        try:
            rack_transfers.return_chips(
                cashier, casino.table_id, last_act, 3000, "a race", timezone.now()
            )
        except ChangedMeanwhile:
            return "meanwhile"
        return "done"

    assert Counter(at_once([bring_back] * TABS)) == {"done": 1, "meanwhile": TABS - 1}
    assert casino.chips.rack == 2000
    call_command("audit")


@pytest.mark.parametrize("attempt", range(3))
def test_chips_that_are_brought_back_while_a_bet_is_matched_are_not_there_twice(
    attempt: int, ann: User, cashier: Operator
) -> None:
    at = new_table("pot")
    sit_down(at, ann)
    spare = rack_transfers.get_spare_chips(at.row)

    def bring_back() -> str:
        try:
            rack_transfers.return_chips(cashier, at.table_id, 0, spare, "a race", timezone.now())
        except OperationRefused:
            return "refused"
        return "done"

    rules = at.row.rules
    assert rules.stakes is not None
    least = rules.stakes.minimum
    back, bet = at_once([bring_back, lambda: code(at.bet(ann, least))])
    assert (back, bet) in {("done", "done"), ("refused", "done")}
    call_command("audit")


def test_nothing_is_given_to_an_account_that_goes(ann: User, cashier: Operator) -> None:
    deleted, *answers = at_once(
        [lambda: str(bool(account_deletion.delete_account(ann.pk, timezone.now())))]
        + [lambda: adjust(cashier, ann, 10)] * TABS
    )
    assert deleted == "True"
    assert set(answers) <= {"done", "refused"}
    assert balance_of(ann) == 0
    call_command("audit")


# Freezes


@pytest.mark.parametrize("attempt", range(3))
def test_who_is_frozen_while_betting_has_no_bet_on_any_table(attempt: int, ann: User) -> None:
    manager = with_role("manager", "manager")
    tables = [new_table("casino") for _ in range(6)]
    for table in tables:
        sit_down(table, ann, User.objects.get(pk=manager.user_id))
    frozen, *bets = at_once(
        [lambda: freeze(manager, ann)] + [lambda t=t: code(t.bet(ann, 1000)) for t in tables]
    )
    assert frozen == "True"
    assert set(bets) <= {"done", "not_allowed", "not_seated"}
    assert balance_of(ann) == START
    assert not Seat.objects.filter(user=ann).exists()
    call_command("audit")


def test_who_is_frozen_while_sitting_down_has_no_seat(ann: User) -> None:
    manager = with_role("manager", "manager")
    tables = [new_table("casino") for _ in range(10)]
    frozen, *seats = at_once(
        [lambda: freeze(manager, ann)] + [lambda t=t: code(t.sit(ann, 1)) for t in tables]
    )
    assert frozen == "True"
    assert set(seats) <= {"done", "not_allowed"}
    assert not Seat.objects.filter(user=ann).exists()


def test_eight_operators_freeze_once(casino: TableClient, ann: User) -> None:
    sit_down(casino, ann)
    managers = [with_role("manager", f"manager{number}") for number in range(TABS)]
    answers = at_once([lambda by=by: freeze(by, ann) for by in managers])
    assert Counter(answers) == {"True": 1, "False": TABS - 1}
    assert Act.objects.filter(what="freeze").count() == 1


def test_an_account_is_frozen_or_deleted_and_never_both(ann: User) -> None:
    manager = with_role("manager", "manager")

    def try_freeze() -> str:
        try:
            return freeze(manager, ann)
        except OperationRefused:
            return "refused"

    def try_delete() -> str:
        try:
            account_deletion.delete_account(ann.pk, timezone.now())
        except account_deletion.FrozenAccount:
            return "frozen"
        return "deleted"

    answers = at_once([try_freeze, try_delete])
    user = User.objects.get(pk=ann.pk)
    assert answers in (["True", "frozen"], ["refused", "deleted"])
    assert (user.frozen_at is not None) == (answers[0] == "True")
    assert balance_of(ann) == (START if answers[0] == "True" else 0)
    call_command("audit")
