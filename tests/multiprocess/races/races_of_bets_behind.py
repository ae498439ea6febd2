"""Races of bets behind, which SQLite cannot lose. Run by ``test_postgresql.py``."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable

import pytest
from django.core.management import call_command

from accounts.models import User, WalletEntry
from tables.models import Result
from tables.protocol.commands import BetBehind
from tests.helpers.rounds import new_table
from tests.helpers.table_client import TableClient, balance_of, code, new_player
from tests.multiprocess.parallel import AT_ONCE, at_once

pytestmark = pytest.mark.django_db(transaction=True)


def back(at: TableClient, user: User, stake: int, turn: int, *, along: bool = False) -> str:
    return code(at.send(user, BetBehind(uuid.uuid4(), 1, turn, stake, along)))


def test_twenty_watchers_want_the_three_places_behind_a_seat(
    casino: TableClient, ann: User
) -> None:
    casino.sit(ann, 1)
    watchers = [new_player(f"watcher{number}") for number in range(AT_ONCE)]
    turn = casino.row.turn
    answers = at_once([lambda u=u: back(casino, u, 1000, turn) for u in watchers])
    assert Counter(answers) == {"done": 3, "behind_full": AT_ONCE - 3}
    assert len(casino.view.seats[0].behind) == 3
    assert casino.chips.staked == 3000
    call_command("audit")


def test_a_wallet_backs_no_more_than_it_holds_at_twenty_tables(ann: User, dora: User) -> None:
    tables = [new_table("casino") for _ in range(AT_ONCE)]
    for table in tables:
        table.sit(ann, 1)
    turn = tables[0].row.turn
    answers = at_once([lambda t=t: back(t, dora, 50_000, turn) for t in tables])
    assert Counter(answers) == {"done": 1, "cannot_afford": AT_ONCE - 1}
    assert balance_of(dora) == 0
    call_command("audit")


@pytest.mark.parametrize("attempt", range(5))
def test_a_wallet_is_spent_elsewhere_at_the_moment_of_a_double(
    casino: TableClient, ann: User, ben: User, dora: User, stack: Callable[..., None], attempt: int
) -> None:
    """The player's double always counts; the stake behind goes along, or stays as it is."""
    stack("5s 6h 6d Kc Ts 9s")
    casino.sit(ann, 1)
    back(casino, dora, 30_000 - attempt * 100, casino.row.turn, along=True)
    casino.bet(ann, 1000)
    other = new_table("casino")
    other.sit(ben, 1)
    turn = other.row.turn
    balance = balance_of(dora)
    stake = 20_000 // 100 * 100

    def double() -> str:
        return code(casino.act(ann, "double"))

    def spend() -> str:
        return back(other, dora, stake, turn)

    assert balance < 30_000, "it cannot go along with the whole of it"
    answers = at_once([double, spend])
    assert answers[0] == "done"
    assert Result.objects.get(user=dora).stake == 30_000 - attempt * 100
    call_command("audit")


@pytest.mark.parametrize("attempt", range(5))
def test_only_one_of_a_double_and_another_bet_gets_the_rest_of_a_wallet(
    casino: TableClient, ann: User, ben: User, dora: User, stack: Callable[..., None], attempt: int
) -> None:
    stack("5s 6h 6d Kc Ts 9s")
    casino.sit(ann, 1)
    back(casino, dora, 25_000, casino.row.turn, along=True)
    casino.bet(ann, 1000)
    others = [new_table("casino") for _ in range(3)]
    for other in others:
        other.sit(ben, 1)
    turn = others[0].row.turn
    answers = at_once(
        [
            lambda: code(casino.act(ann, "double")),
            *(lambda o=o: back(o, dora, 25_000, turn) for o in others),
        ]
    )
    assert answers[0] == "done", "the player's own double is never refused for it"
    went_along = WalletEntry.objects.filter(place__endswith=f"behind:{dora.pk}/hand:1/double")
    assert Result.objects.get(user=dora).stake == 25_000 * (1 + went_along.count())
    call_command("audit")


def test_bets_that_arrive_as_the_cards_are_dealt_count_before_or_not_at_all(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 9d Kc 9s")
    casino.sit(ann, 1)
    turn = casino.row.turn
    watchers = [new_player(f"watcher{number}") for number in range(3)]
    answers = at_once(
        [
            lambda: code(casino.bet(ann, 1000, turn)),
            *(lambda u=u: back(casino, u, 1000, turn) for u in watchers),
        ]
    )
    assert answers[0] == "done"
    assert set(answers[1:]) <= {"done", "wrong_phase"}
    staked = [one.player for one in casino.view.seats[0].backed]
    assert sorted(staked) == sorted(
        user.username
        for user, answer in zip(watchers, answers[1:], strict=True)
        if answer == "done"
    )
    call_command("audit")
