"""Turns and decisions, their money, and what happens to who is gone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import Transfer, User
from tables.models import Hand
from tests.at_table import AtTable, balance_of, code, events, fingerprint

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
ACTIONS = ["hit", "stand", "double", "split"]


@pytest.fixture
def two_in_play(casino: AtTable, ann: User, ben: User, stack: Stack) -> AtTable:
    """Ann holds 8 8 and is asked; ben holds T 9; the dealer shows 6 over K and will bust."""
    stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th Ts 5h")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.bet(ben, 2000)
    return casino


def test_seats_are_asked_in_order(two_in_play: AtTable, ann: User, ben: User) -> None:
    asked = two_in_play.view.asked
    assert asked is not None
    assert (asked.seat, asked.hand, asked.legal) == (1, 1, ("hit", "stand", "double", "split"))
    two_in_play.act(ann, "stand")
    asked = two_in_play.view.asked
    assert asked is not None
    assert (asked.seat, asked.legal) == (2, ("hit", "stand", "double"))


@pytest.mark.parametrize("action", ACTIONS)
def test_it_refuses_every_action_out_of_turn(two_in_play: AtTable, ben: User, action: str) -> None:
    before = fingerprint(two_in_play)
    assert code(two_in_play.act(ben, action)) == "not_your_turn"
    assert fingerprint(two_in_play) == before


@pytest.mark.parametrize("action", ACTIONS)
def test_it_refuses_every_action_of_an_outsider(
    two_in_play: AtTable, dora: User, action: str
) -> None:
    before = fingerprint(two_in_play)
    assert code(two_in_play.act(dora, action)) == "not_seated"
    assert fingerprint(two_in_play) == before


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("turns_off", [-1, 1])
def test_it_refuses_every_action_that_speaks_of_another_turn(
    two_in_play: AtTable, ann: User, action: str, turns_off: int
) -> None:
    before = fingerprint(two_in_play)
    turn = two_in_play.row.turn + turns_off
    assert code(two_in_play.act(ann, action, turn)) == "stale_turn"
    assert fingerprint(two_in_play) == before


@pytest.mark.parametrize("action", ACTIONS)
def test_it_refuses_every_action_between_rounds(casino: AtTable, ann: User, action: str) -> None:
    casino.sit(ann, 1)
    before = fingerprint(casino)
    assert code(casino.act(ann, action)) == "wrong_phase"
    assert fingerprint(casino) == before


@pytest.mark.parametrize("action", ["double", "split"])
def test_it_refuses_to_raise_a_stake_without_the_money(
    casino: AtTable, ann: User, stack: Stack, action: str
) -> None:
    """RULES, casino: "Neither is offered without the money for it"."""
    stack("8s 6h 8d Kc 2c 3d")
    casino.sit(ann, 1)
    casino.bet(ann, 30000)
    before = fingerprint(casino)
    asked = casino.view.asked
    assert asked is not None
    assert asked.legal == ("hit", "stand")
    assert code(casino.act(ann, action)) == "cannot_afford"
    assert fingerprint(casino) == before


def test_a_double_click_draws_one_card(two_in_play: AtTable, ann: User) -> None:
    turn = two_in_play.row.turn
    first = two_in_play.act(ann, "hit", turn)
    before = fingerprint(two_in_play)
    assert code(two_in_play.act(ann, "hit", turn)) == "stale_turn"
    assert code(first) == "done"
    assert fingerprint(two_in_play) == before


def test_a_split_and_a_double_are_staked_played_and_paid(
    two_in_play: AtTable, ann: User, ben: User
) -> None:
    split = two_in_play.act(ann, "split")
    assert events(split) == [
        {"type": "hand_split", "seat": 1, "hand": 1, "stake": 1000},
        {"type": "card_dealt", "seat": 1, "hand": 1, "card": "2c"},
        {"type": "card_dealt", "seat": 1, "hand": 2, "card": "3d"},
    ]
    assert balance_of(ann) == 48000
    two_in_play.act(ann, "double")
    assert balance_of(ann) == 47000
    two_in_play.act(ann, "stand")
    last = two_in_play.act(ben, "stand")
    assert [e["payout"] for e in events(last) if e["type"] == "hand_settled"] == [4000, 2000, 4000]
    assert last.changes[0].wallets == {ann.pk: 53000, ben.pk: 52000}
    assert (balance_of(ann), balance_of(ben)) == (53000, 52000)
    assert two_in_play.row.pot.balance == 0
    kinds = Transfer.objects.filter(credit=ann.wallet).order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["grant", "payout", "payout"]


def test_every_settled_hand_is_written_down(two_in_play: AtTable, ann: User, ben: User) -> None:
    for action in ("split", "double", "stand"):
        two_in_play.act(ann, action)
    two_in_play.act(ben, "stand")
    written = Hand.objects.order_by("seat", "number").values_list(
        "user__username", "number", "cards", "total", "is_doubled", "outcome", "stake", "payout"
    )
    assert list(written) == [
        ("ann", 1, "8s 2c 9s", 19, True, "win", 2000, 4000),
        ("ann", 2, "8d 3d", 11, False, "win", 1000, 2000),
        ("ben", 1, "Td 9c", 19, False, "win", 2000, 4000),
    ]
    assert {hand.round.dealer_cards for hand in Hand.objects.all()} == {"6h Kc Th"}


def test_a_blackjack_is_paid_at_once_while_others_play(
    casino: AtTable, ann: User, ben: User, stack: Stack
) -> None:
    """Seed 004: "The dealer will reveal their hand and unless they too have blackjack …"."""
    stack("As Td 6h Kd 9c Kc")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ben, 1000)
    casino.bet(ann, 1500)
    assert balance_of(ann) == 52250
    assert casino.view.asked is not None


def test_a_push_gives_the_stake_back(casino: AtTable, ann: User, stack: Stack) -> None:
    """Seed 004: "No money is collected by the dealer in the event of a push"."""
    stack("Ts Th 9s 9h")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    assert balance_of(ann) == 50000
    assert casino.row.rack.balance == 0


def test_a_lost_stake_goes_to_the_rack(casino: AtTable, ann: User, stack: Stack) -> None:
    """Seed 004: "Upon losing the dealer takes the player's bet"."""
    stack("Ts Th 8s 9h")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    assert balance_of(ann) == 49000
    assert casino.row.rack.balance == 1000


def test_won_lost_and_pushed_are_kept_where_nothing_is_staked(
    classic: AtTable, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    """Seed 000: "A player wins if he has a higher score than the dealer …"."""
    stack("Ts 9s Th 8h Td 7d 9c 9d")
    for seat, user in enumerate((ann, ben, cleo), start=1):
        classic.sit(user, seat)
    for user in (ann, ben, cleo):
        classic.bet(user, 0)
    for user in (ann, ben, cleo):
        classic.act(user, "stand")
    assert list(Hand.objects.order_by("seat").values_list("outcome", "stake", "payout")) == [
        ("win", 0, 0),
        ("push", 0, 0),
        ("lose", 0, 0),
    ]
    assert not Transfer.objects.exclude(kind="grant").exists()


def test_the_hand_of_an_absent_player_stands_when_its_clock_runs_out(
    two_in_play: AtTable, ann: User
) -> None:
    (change,) = two_in_play.time_is_up()
    assert change.changed.events == (
        {"type": "clock_ran_out", "seat": 1, "hand": 1},
        {"type": "hand_stood", "seat": 1, "hand": 1},
    )
    asked = change.changed.table.asked
    assert asked is not None
    assert asked.seat == 2


def test_a_deadline_is_applied_once(two_in_play: AtTable) -> None:
    two_in_play.time_is_up()
    before = fingerprint(two_in_play)
    from tables import house

    assert house.run_out(two_in_play.table_id, two_in_play.now) == ()
    assert fingerprint(two_in_play) == before


def test_who_quits_on_turn_stands_at_once_and_the_seat_is_freed_after_the_round(
    two_in_play: AtTable, ann: User, ben: User
) -> None:
    assert [e["type"] for e in events(two_in_play.leave(ann))] == ["hand_stood"]
    assert two_in_play.view.seats[0].leaving
    last = two_in_play.act(ben, "stand")
    left = {"type": "player_left", "seat": 1, "player": "ann", "reason": "left"}
    assert left in events(last)
    assert balance_of(ann) == 49000
    assert two_in_play.view.seats[0].player is None


def test_who_quits_before_the_turn_is_passed_over(
    two_in_play: AtTable, ann: User, ben: User
) -> None:
    assert events(two_in_play.leave(ben)) == []
    last = two_in_play.act(ann, "stand")
    assert [e["type"] for e in events(last)][:2] == ["hand_stood", "hand_stood"]
    assert not two_in_play.live.game.is_playing
    assert balance_of(ben) == 52000


def test_both_hands_of_a_split_stand_when_the_player_quits(two_in_play: AtTable, ann: User) -> None:
    two_in_play.act(ann, "split")
    left = two_in_play.leave(ann)
    assert [(e["type"], e["hand"]) for e in events(left)] == [("hand_stood", 1), ("hand_stood", 2)]


def test_it_refuses_to_leave_twice(two_in_play: AtTable, ben: User) -> None:
    two_in_play.leave(ben)
    before = fingerprint(two_in_play)
    assert code(two_in_play.leave(ben)) == "already_leaving"
    assert fingerprint(two_in_play) == before


def test_the_last_round_stays_in_sight_until_the_next_is_dealt(
    two_in_play: AtTable, ann: User, ben: User
) -> None:
    two_in_play.act(ann, "stand")
    two_in_play.act(ben, "stand")
    two_in_play.bet(ann, 1000)
    view = two_in_play.view
    assert view.dealer.cards == ("6h", "Kc", "2c")
    assert [seat.stake for seat in view.seats] == [1000, None, None]
    assert [hand.outcome for seat in view.seats for hand in seat.hands] == ["lose", "win"]


def test_the_hands_of_who_left_are_not_shown_as_those_of_who_sits_there_now(
    two_in_play: AtTable, ann: User, ben: User, cleo: User
) -> None:
    two_in_play.act(ann, "stand")
    two_in_play.act(ben, "stand")
    two_in_play.leave(ann)
    two_in_play.sit(cleo, 1)
    assert two_in_play.view.seats[0].hands == ()
