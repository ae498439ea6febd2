"""Play money that is asked for by several tabs at once, and while its player bets."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.models import Account, Transfer, User
from tables.game import account_deletion
from tables.game import rebuys as game_rebuys
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, balance_of, code
from tests.multiprocess.parallel import at_once

pytestmark = pytest.mark.django_db(transaction=True)

Stack = Callable[..., None]
TABS, PRESSED = 8, 50


def leave_in_wallet(user: User, amount: int) -> None:
    wallet = Account.objects.get(user=user)
    over = wallet.balance - amount
    kind = Transfer.Kind.GRANT
    movement = Posting(kind, wallet.pk, transfers.get_bank().pk, over, f"test/{uuid.uuid4()}")
    with transaction.atomic():
        transfers.post([movement], at=timezone.now())


def rebuy(user: User) -> str:
    return game_rebuys.rebuy(user, timezone.now()).value.answer


def rebuys() -> int:
    return Transfer.objects.filter(kind=Transfer.Kind.REBUY).count()


def test_case_26_pressed_fifty_times_at_once_play_money_comes_once(
    casino: TableClient, ann: User
) -> None:
    leave_in_wallet(ann, 350)
    answers = at_once([lambda: rebuy(ann)] * PRESSED)
    assert Counter(answers) == {"allowed": 1, "can_play": PRESSED - 1}
    assert (balance_of(ann), rebuys()) == (50_000, 1)
    call_command("audit")


def test_who_cannot_bet_at_the_own_table_gets_one_rebuy_of_fifty_requests(
    casino: TableClient, ann: User
) -> None:
    """A smaller public table is open, so the balance alone does not tell that the first one came."""
    high = new_table("vegas", minimum=60_000)
    high.sit(ann, 1)
    leave_in_wallet(ann, 40_000)
    answers = at_once([lambda: rebuy(ann)] * PRESSED)
    assert Counter(answers) == {"allowed": 1, "has_all": PRESSED - 1}
    assert (balance_of(ann), rebuys()) == (50_000, 1)
    call_command("audit")


def test_of_eight_players_each_takes_play_money(casino: TableClient, ann: User, ben: User) -> None:
    leave_in_wallet(ann, 0)
    leave_in_wallet(ben, 0)
    answers = at_once([lambda: rebuy(ann), lambda: rebuy(ben)] * (TABS // 2))
    assert Counter(answers) == {"allowed": 2, "can_play": TABS - 2}
    assert (balance_of(ann), balance_of(ben)) == (50_000, 50_000)
    call_command("audit")


@pytest.mark.parametrize("attempt", range(4))
def test_the_last_chips_are_bet_or_kept_and_nothing_comes_on_top(
    attempt: int, casino: TableClient, ann: User, ben: User
) -> None:
    """Who has just enough for a bet may not have money on the table and 500 besides."""
    sit_down(casino, ann, ben)
    leave_in_wallet(ann, 1000)
    turn = casino.row.turn
    answers = at_once([lambda: code(casino.bet(ann, 1000, turn))] + [lambda: rebuy(ann)] * TABS)
    assert answers[0] == "done"
    assert set(answers[1:]) <= {"can_play", "staked"}
    assert (balance_of(ann), casino.chips.staked, rebuys()) == (0, 1000, 0)
    call_command("audit")


@pytest.mark.parametrize("attempt", range(4))
def test_a_bet_waits_for_the_money_or_is_refused(
    attempt: int, casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    leave_in_wallet(ann, 999)
    turn = casino.row.turn
    bet, *answers = at_once(
        [lambda: code(casino.bet(ann, 1000, turn))] + [lambda: rebuy(ann)] * TABS
    )
    assert Counter(answers)["allowed"] == 1
    lies = 1000 if bet == "done" else 0
    assert bet in ("done", "cannot_afford")
    assert (balance_of(ann), casino.chips.staked, rebuys()) == (50_000 - lies, lies, 1)
    call_command("audit")


@pytest.mark.parametrize("attempt", range(4))
def test_a_bet_that_is_taken_back_at_this_moment_is_not_paid_twice(
    attempt: int, casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    leave_in_wallet(ann, 1000)
    casino.bet(ann, 1000)
    turn = casino.row.turn
    answers = at_once([lambda: code(casino.take_back(ann, turn))] + [lambda: rebuy(ann)] * TABS)
    assert set(answers[1:]) <= {"can_play", "staked"}
    assert (balance_of(ann), rebuys()) == (1000, 0)
    call_command("audit")


@pytest.mark.parametrize("attempt", range(4))
def test_a_round_that_is_won_at_this_moment_leaves_nothing_to_take(
    attempt: int, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9h Td 7c Ts")
    sit_down(casino, ann)
    leave_in_wallet(ann, 1000)
    casino.bet(ann, 1000)
    turn = casino.row.turn
    answers = at_once([lambda: code(casino.act(ann, "stand", turn))] + [lambda: rebuy(ann)] * TABS)
    assert set(answers[1:]) <= {"can_play", "staked"}
    assert (balance_of(ann), rebuys()) == (2000, 0)
    call_command("audit")


@pytest.mark.parametrize("attempt", range(4))
def test_an_account_that_is_deleted_at_this_moment_keeps_nothing(
    attempt: int, casino: TableClient, ann: User
) -> None:
    leave_in_wallet(ann, 999)
    casino.sit(ann, 1)
    answers = at_once(
        [
            lambda: str(bool(account_deletion.delete_account(ann.pk, timezone.now()))),
            *[lambda: rebuy(ann)] * TABS,
        ]
    )
    assert answers[0] == "True"
    assert set(answers[1:]) <= {"allowed", "can_play", "closed"}
    assert balance_of(ann) == 0
    assert rebuys() == answers.count("allowed")
    call_command("audit")
