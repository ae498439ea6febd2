"""Taking a seat, betting, and when the cards fall."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import Account, User
from tables.models import Change, Round, Seat
from tests.helpers.table_client import (
    TableClient,
    balance_of,
    code,
    events,
    fingerprint,
    told_of_wallets,
)

pytestmark = pytest.mark.django_db


def test_a_player_takes_a_free_seat(casino: TableClient, ann: User) -> None:
    played = casino.sit(ann, 2)
    assert events(played)[0] == {"type": "player_sat", "seat": 2, "player": "ann"}
    assert [seat.player for seat in casino.view.seats] == [None, "ann", None]


@pytest.mark.parametrize(
    ("seat", "expected"), [(0, "no_such_seat"), (1, "seat_taken"), (4, "no_such_seat")]
)
def test_it_refuses_a_seat_that_is_not_free(
    casino: TableClient, ann: User, ben: User, seat: int, expected: str
) -> None:
    casino.sit(ann, 1)
    before = fingerprint(casino)
    assert code(casino.sit(ben, seat)) == expected
    assert fingerprint(casino) == before


def test_it_refuses_a_second_seat_at_the_same_table(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    before = fingerprint(casino)
    assert code(casino.sit(ann, 2)) == "already_seated"
    assert fingerprint(casino) == before


def test_the_clock_of_a_betting_window_starts_with_the_first_bet(
    casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    assert casino.row.deadline_at is None
    casino.bet(ann, 1000)
    deadline_at = casino.row.deadline_at
    assert deadline_at is not None
    assert (deadline_at - casino.now).total_seconds() == casino.row.betting_seconds


def test_the_cards_fall_as_soon_as_every_seated_player_has_bet(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("8s 9s 6h 7d 9c Kc")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    assert [e["type"] for e in events(casino.bet(ben, 1000))] == ["bet_placed"]
    dealt = events(casino.bet(ann, 2500))
    assert dealt[0] == {"type": "bet_placed", "seat": 1, "stake": 2500}
    assert dealt[1]["type"] == "shoe_shuffled"
    assert [e["card"] for e in dealt[2:]] == ["8s", "9s", "6h", "7d", "9c", None]
    assert casino.view.asked is not None
    assert (balance_of(ann), balance_of(ben)) == (47500, 49000)
    assert casino.chips.staked == 3500


def test_the_cards_fall_without_who_has_not_bet_when_the_clock_ends(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 7d Kc")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    (change,) = casino.time_is_up()
    assert change.changed.events[0] == {"type": "clock_ran_out", "seat": None, "hand": None}
    assert [len(seat.hands) for seat in casino.view.seats] == [1, 0, 0]
    assert Seat.objects.get(user=ben).missed_rounds == 1


def test_a_seat_is_freed_after_two_missed_rounds(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 9d Kc 5h", "Ts 6h 9d Kc 5h")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    for _ in range(2):
        casino.bet(ann, 1000)
        casino.time_is_up()
        assert casino.view.seats[1].missed == (1 if casino.view.seats[1].player else 0)
        casino.act(ann, "stand")
    assert [seat.player for seat in casino.view.seats] == ["ann", None, None]
    event_dicts = [e for change in Change.objects.all() for e in change.events]
    assert {
        "type": "player_left",
        "seat": 2,
        "player": "ben",
        "reason": "missed_rounds",
    } in event_dicts


def test_a_bet_ends_the_count_of_missed_rounds(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 9d Kc 5h", "Ts Ts 6h 9d 9d Kc 5h")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.time_is_up()
    casino.act(ann, "stand")
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    assert Seat.objects.get(user=ben).missed_rounds == 0


@pytest.mark.parametrize("stake", [0, 1, 999, 1050, 1001])
def test_it_refuses_a_stake_that_is_too_small_or_no_whole_unit(
    casino: TableClient, ann: User, stake: int
) -> None:
    """Seed 004: "The minimum initial bet to play a round is £10", "in whole pounds"."""
    casino.sit(ann, 1)
    before = fingerprint(casino)
    assert code(casino.bet(ann, stake)) == "bad_bet"
    assert fingerprint(casino) == before


def test_it_refuses_a_stake_that_the_wallet_does_not_hold(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    before = fingerprint(casino)
    assert code(casino.bet(ann, 50100)) == "cannot_afford"
    assert fingerprint(casino) == before


def test_the_whole_bankroll_can_be_staked(casino: TableClient, ann: User) -> None:
    """RULES, casino: no upper limit but the bankroll."""
    casino.sit(ann, 1)
    assert code(casino.bet(ann, 50000)) == "done"


def test_it_refuses_a_bet_of_an_outsider(casino: TableClient, ann: User, dora: User) -> None:
    casino.sit(ann, 1)
    before = fingerprint(casino)
    assert code(casino.bet(dora, 1000)) == "not_seated"
    assert fingerprint(casino) == before


def test_it_refuses_a_bet_that_speaks_of_another_turn(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    before = fingerprint(casino)
    assert code(casino.bet(ann, 1000, turn=casino.row.turn + 1)) == "stale_turn"
    assert code(casino.bet(ann, 1000, turn=casino.row.turn - 1)) == "stale_turn"
    assert fingerprint(casino) == before


def test_it_refuses_a_bet_while_cards_are_in_play(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 7d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.sit(ben, 2)
    before = fingerprint(casino)
    assert code(casino.bet(ben, 1000)) == "wrong_phase"
    assert fingerprint(casino) == before


def test_who_arrives_in_mid_round_is_dealt_in_next(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 9d Kc 5h", "Ts Ts 6h 9d 9d Kc 5h")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.sit(ben, 2)
    assert [len(seat.hands) for seat in casino.view.seats] == [1, 0, 0]
    casino.act(ann, "stand")
    casino.bet(ben, 1000)
    casino.bet(ann, 1000)
    assert [len(seat.hands) for seat in casino.view.seats] == [1, 1, 0]


def test_leaving_before_the_cards_gives_the_stake_back(
    casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 2000)
    played = casino.leave(ann)
    assert [e["type"] for e in events(played)] == ["bet_returned", "player_left"]
    assert balance_of(ann) == 50000
    assert told_of_wallets(played.changes[0]) == {ann.pk: 50000}
    assert casino.chips.staked == 0
    assert casino.row.deadline_at is None
    assert Round.objects.get().finished_at is not None


def test_a_table_can_be_bet_at_again_after_every_bet_was_taken_back(
    casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 2000)
    casino.leave(ann)
    casino.sit(ann, 1)
    assert code(casino.bet(ann, 2000)) == "done"
    assert Round.objects.count() == 2


def test_the_cards_fall_when_the_only_one_who_has_not_bet_leaves(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 7d Kc")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    assert "card_dealt" in [e["type"] for e in events(casino.leave(ben))]


def test_it_refuses_to_free_the_seat_of_an_outsider(casino: TableClient, dora: User) -> None:
    before = fingerprint(casino)
    assert code(casino.leave(dora)) == "not_seated"
    assert fingerprint(casino) == before


def test_nothing_is_staked_at_a_table_without_stakes(
    classic: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 7d 6h Kc")
    classic.sit(ann, 1)
    assert code(classic.bet(ann, 1000)) == "bad_bet"
    assert code(classic.bet(ann, 0)) == "done"
    assert classic.view.asked is not None
    assert classic.view.asked.legal == ("hit", "stand")


def test_the_rack_is_filled_from_the_bank_when_it_cannot_match_a_win(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("As 9h Kd 7c")
    casino.sit(ann, 1)
    casino.bet(ann, 1500)
    assert balance_of(ann) == 52250
    assert casino.chips.rack == 1_000_000 - 2250
    bank = Account.objects.get(kind=Account.Kind.BANK)
    assert bank.balance == -(52250 + 1_000_000 - 2250)


def test_a_seat_whose_bet_was_taken_back_can_be_bet_from_again_in_the_same_round(
    casino: TableClient, ann: User, ben: User, cleo: User, dora: User
) -> None:
    for seat, user in enumerate((ann, ben, cleo), start=1):
        casino.sit(user, seat)
    casino.bet(ben, 1000)
    casino.bet(ann, 1000)
    casino.leave(ann)
    casino.sit(dora, 1)
    assert code(casino.bet(dora, 1000)) == "done"
    casino.leave(dora)
    casino.sit(ann, 1)
    assert code(casino.bet(ann, 2000)) == "done"
    assert casino.chips.staked == 3000
    assert balance_of(dora) == 50_000


@pytest.mark.parametrize("is_seated", [True, False])
def test_an_account_that_was_switched_off_cannot_play(
    casino: TableClient, ann: User, is_seated: bool
) -> None:
    if is_seated:
        casino.sit(ann, 1)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    before = fingerprint(casino)
    assert code(casino.bet(ann, 1000) if is_seated else casino.sit(ann, 1)) == "not_allowed"
    assert fingerprint(casino) == before
