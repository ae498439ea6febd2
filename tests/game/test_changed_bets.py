"""Until the cards fall, a bet can be changed or taken back, and the money follows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import Account, User, WalletEntry
from tests.helpers.rounds import faults, new_table, sit_down, types
from tests.helpers.table_client import TableClient, balance_of, code, events, fingerprint

pytestmark = pytest.mark.django_db


def pot_of(at: TableClient) -> int:
    return at.chips.staked


def rack_of(at: TableClient) -> int:
    return at.chips.rack


def test_another_bet_takes_the_place_of_the_one_before(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    assert types(events(casino.bet(ann, 4000))) == ["bet_returned", "bet_placed"]
    assert casino.view.seats[0].stake == 4000
    assert (balance_of(ann), pot_of(casino)) == (46_000, 4000)
    assert faults() == []


def test_a_smaller_bet_gives_the_rest_back(casino: TableClient, ann: User, ben: User) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 50_000)
    assert code(casino.bet(ann, 1000)) == "done"
    assert (balance_of(ann), pot_of(casino)) == (49_000, 1000)


def test_the_stake_that_lies_there_counts_when_another_is_bet(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 50_000)
    assert code(casino.bet(ann, 40_000)) == "done"
    before = fingerprint(casino)
    assert code(casino.bet(ann, 50_100)) == "cannot_afford"
    assert fingerprint(casino) == before
    assert casino.view.seats[0].stake == 40_000


def test_a_changed_bet_does_not_start_the_clock_anew(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    deadline, round_id = casino.row.deadline_at, casino.view.round
    casino.later(5)
    casino.bet(ann, 2000)
    assert casino.row.deadline_at == deadline
    assert casino.view.round == round_id


def test_the_changed_bet_is_what_is_played_for(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Td 6h 9d 8c Kc Th")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ann, 3000)
    casino.bet(ben, 1000)
    assert casino.view.seats[0].hands[0].stake == 3000
    casino.act(ann, "stand")
    casino.act(ben, "stand")
    assert balance_of(ann) == 53_000
    assert casino.view.seats[0].net == 3000
    assert casino.view.seats[1].net == 1000
    assert faults() == []


def test_a_bet_is_taken_back_and_the_round_called_off(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    assert types(events(casino.take_back(ann))) == ["bet_returned"]
    assert (balance_of(ann), pot_of(casino)) == (50_000, 0)
    assert casino.row.deadline_at is None
    assert casino.view.seats[0].stake is None
    assert faults() == []


def test_a_bet_can_be_taken_back_and_placed_again(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    for _ in range(3):
        assert code(casino.bet(ann, 1000)) == "done"
        assert code(casino.take_back(ann)) == "done"
    assert WalletEntry.objects.filter(kind="refund").count() == 3
    assert faults() == []


def test_others_bets_stay_when_one_is_taken_back(
    casino: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(casino, ann, ben, cleo)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.take_back(ann)
    assert [seat.stake for seat in casino.view.seats] == [None, 1000, None]
    assert casino.row.deadline_at is not None


def test_it_refuses_to_take_back_what_does_not_lie_there(
    casino: TableClient, ann: User, dora: User
) -> None:
    sit_down(casino, ann)
    before = fingerprint(casino)
    assert code(casino.take_back(ann)) == "no_bet"
    assert code(casino.take_back(dora)) == "not_seated"
    assert code(casino.take_back(ann, turn=99)) == "stale_turn"
    assert fingerprint(casino) == before


def test_it_refuses_to_take_a_bet_back_when_the_cards_are_dealt(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 9d Kc 5h")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    before = fingerprint(casino)
    assert code(casino.take_back(ann)) == "wrong_phase"
    assert code(casino.bet(ann, 2000)) == "wrong_phase"
    assert fingerprint(casino) == before


def test_the_dealers_match_follows_a_changed_bet(ann: User, ben: User) -> None:
    """Seed 003: the dealer's account matches each stake into the pot."""
    pot = new_table("pot")
    sit_down(pot, ann, ben)
    rack = rack_of(pot)
    pot.bet(ann, 1000)
    assert (rack_of(pot), pot_of(pot)) == (rack - 1000, 2000)
    pot.bet(ann, 400)
    assert (rack_of(pot), pot_of(pot)) == (rack - 400, 800)
    pot.take_back(ann)
    assert (rack_of(pot), pot_of(pot), balance_of(ann)) == (rack, 0, 50_000)
    assert faults() == []


def test_the_match_that_comes_back_counts_for_the_next(ann: User, ben: User) -> None:
    pot = new_table("pot")
    sit_down(pot, ann, ben)
    Account.objects.filter(pk=pot.row.rack_id).update(balance=50_000)  # as if it had lost the rest
    pot.bet(ann, 50_000)
    assert rack_of(pot) == 0
    assert code(pot.bet(ann, 49_000)) == "done"
    assert rack_of(pot) == 1000


def test_where_nothing_is_staked_one_can_be_out_again(
    classic: TableClient, ann: User, ben: User
) -> None:
    sit_down(classic, ann, ben)
    classic.bet(ann, 0)
    assert types(events(classic.take_back(ann))) == ["bet_returned"]
    assert classic.view.seats[0].stake is None
    assert not WalletEntry.objects.filter(kind="refund").exists()
