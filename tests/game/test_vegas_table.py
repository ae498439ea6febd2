"""The rules of today's tables, at a table: surrender, splits to four hands, aces, a long shoe."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from accounts.models import User, WalletEntry
from tables.protocol.public import Asked, PublicShoe
from tests.helpers.rounds import (
    after,
    faults,
    last_movement,
    moved,
    of_type,
    round_at_random,
    sit_down,
    types,
)
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import (
    TableClient,
    balance_of,
    code,
    events,
    fingerprint,
    told_of_wallets,
)

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]


def act_all(at: TableClient, user: User, *actions: str) -> None:
    """One action after the other, with the books audited after each."""
    for action in actions:
        assert code(at.act(user, action)) == "done", action
        assert faults() == []


def written() -> list[tuple[object, ...]]:
    return [
        (hand.cards, hand.total, hand.outcome, hand.stake, hand.payout) for hand in list_hands()
    ]


# Surrender


def test_who_surrenders_gets_half_back_at_once(vegas: TableClient, ann: User, stack: Stack) -> None:
    """RULES, vegas: "surrender is on the first two cards, … and gives half back"."""
    stack("Ts 9d 6h Td 5c")
    vegas.sit(ann, 1)
    vegas.bet(ann, 2500)
    before = last_movement()
    played = vegas.act(ann, "surrender")
    assert events(played)[:2] == [
        {"type": "hand_settled", "seat": 1, "hand": 1, "outcome": "surrender", "stake": 2500,
         "payout": 1250},
        {"type": "hole_card_revealed", "card": "Td"},
    ]  # fmt: skip
    assert types(events(played))[2:] == ["shoe_opened", "shoe_sealed"]
    assert moved(before) == [("payout", "table", "ann", 1250)]
    assert told_of_wallets(played.changes[0]) == {ann.pk: 48_750}
    assert after(played).seats[0].hands[0].outcome == "surrender"
    assert written() == [("Ts 6h", 16, "surrender", 2500, 1250)]
    assert faults() == []


def test_the_dealer_plays_on_for_the_others(
    vegas: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts Ks 6d 6h 9h Td 5c")
    sit_down(vegas, ann, ben)
    vegas.bet(ann, 2000)
    vegas.bet(ben, 2000)
    assert types(events(vegas.act(ann, "surrender"))) == ["hand_settled"]
    assert balance_of(ann) == 49_000
    assert vegas.view.asked == Asked(2, 1, ("hit", "stand", "double", "surrender"))
    assert types(events(vegas.act(ben, "stand")))[:4] == [
        "hand_stood", "hole_card_revealed", "dealer_card_dealt", "hand_settled",
    ]  # fmt: skip
    assert balance_of(ben) == 48_000
    assert faults() == []


@pytest.mark.parametrize(
    ("cards", "first"), [("2s 9d 3h Td 4c 5c", "hit"), ("8s 9d 8h Td 4c 5c", "split")]
)
def test_it_refuses_to_surrender_after_the_first_decision(
    vegas: TableClient, ann: User, stack: Stack, cards: str, first: str
) -> None:
    stack(cards)
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    vegas.act(ann, first)
    before = fingerprint(vegas)
    assert vegas.view.asked is not None
    assert "surrender" not in vegas.view.asked.legal
    assert code(vegas.act(ann, "surrender")) == "cannot_surrender"
    assert fingerprint(vegas) == before


def test_nobody_surrenders_to_a_natural(vegas: TableClient, ann: User, stack: Stack) -> None:
    """The dealer checks first: late surrender."""
    stack("Ts Kd 6h Ad")
    vegas.sit(ann, 1)
    played = vegas.bet(ann, 2000)
    assert events(played)[6:8] == [
        {"type": "hole_card_revealed", "card": "Ad"},
        {"type": "hand_settled", "seat": 1, "hand": 1, "outcome": "lose", "stake": 2000,
         "payout": 0},
    ]  # fmt: skip


def test_there_is_no_surrender_at_other_tables(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9d 6h Td 5c")
    casino.sit(ann, 1)
    casino.bet(ann, 2000)
    before = fingerprint(casino)
    assert code(casino.act(ann, "surrender")) == "cannot_surrender"
    assert fingerprint(casino) == before


# Splits


def test_a_pair_becomes_four_hands_and_no_more(vegas: TableClient, ann: User, stack: Stack) -> None:
    """RULES, vegas: "equal value, up to four hands". The dealer has 6 and T, and draws 9: 25."""
    stack("8s 6d 8h Td 8d 8c 2s 3s 8s Th 9c Ts 9h")
    vegas.sit(ann, 1)
    vegas.bet(ann, 1000)
    act_all(vegas, ann, "split")  # 8s 8d, 8h 8c
    assert vegas.view.asked == Asked(1, 1, ("hit", "stand", "double", "split"))
    act_all(vegas, ann, "split")  # 8s 2s, 8d 3s, 8h 8c
    assert vegas.view.asked == Asked(1, 1, ("hit", "stand", "double"))
    act_all(vegas, ann, "stand", "stand", "split")  # 8s 2s, 8d 3s, 8h 8s, 8c Th
    assert vegas.view.asked == Asked(1, 3, ("hit", "stand", "double"))
    assert balance_of(ann) == 46_000
    before = fingerprint(vegas)
    assert code(vegas.act(ann, "split")) == "cannot_split"
    assert fingerprint(vegas) == before
    act_all(vegas, ann, "double", "hit")  # 8h 8s 9c is bust, 8c Th Ts as well
    assert written() == [
        ("8s 2s", 10, "win", 1000, 2000),
        ("8d 3s", 11, "win", 1000, 2000),
        ("8h 8s 9c", 25, "bust", 2000, 0),
        ("8c Th Ts", 28, "bust", 1000, 0),
    ]
    assert balance_of(ann) == 50_000 - 5000 + 4000
    assert vegas.chips.staked == 0


def test_every_split_and_double_of_a_seat_has_a_place_of_its_own_in_the_books(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6d 8h Td 8d 8c 2s 3s 9c 9h 8s Th 7c 7d 5c")
    vegas.sit(ann, 1)
    vegas.bet(ann, 1000)
    act_all(vegas, ann, "split", "split", "double", "double", "split", "stand", "stand")
    staked = WalletEntry.objects.filter(kind="stake").order_by("pk")
    place = f"round:{vegas.view.round}/seat:1"
    assert [(entry.reference, -entry.amount) for entry in staked] == [
        (f"{place}/hand:1/stake:2", 1000),
        (f"{place}/hand:2/split:2", 1000),
        (f"{place}/hand:2/split:3", 1000),
        (f"{place}/hand:1/double", 1000),
        (f"{place}/hand:2/double", 1000),
        (f"{place}/hand:4/split:4", 1000),
    ]
    assert [hand[3] for hand in written()] == [2000, 2000, 1000, 1000]


def test_split_aces_get_one_card_each_and_are_not_asked(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    """A ten on a split ace is a 21 and no blackjack; another ace is not split again."""
    stack("As 6d Ah Td Kd Ad 5c")
    vegas.sit(ann, 1)
    vegas.bet(ann, 1000)
    assert vegas.view.asked == Asked(1, 1, ("hit", "stand", "double", "split", "surrender"))
    played = vegas.act(ann, "split")
    assert types(events(played))[:7] == [
        "hand_split", "card_dealt", "card_dealt", "hole_card_revealed", "dealer_card_dealt",
        "hand_settled", "hand_settled",
    ]  # fmt: skip
    assert written() == [("As Kd", 21, "push", 1000, 1000), ("Ah Ad", 12, "lose", 1000, 0)]
    assert balance_of(ann) == 49_000
    assert faults() == []


@pytest.mark.parametrize(("stake", "has_split"), [(25_000, True), (25_100, False)])
def test_a_split_is_offered_only_with_the_money_for_it(
    vegas: TableClient, ann: User, stack: Stack, stake: int, has_split: bool
) -> None:
    stack("8s 6d 8h Td 2c 3c")
    vegas.sit(ann, 1)
    vegas.bet(ann, stake)
    assert vegas.view.asked is not None
    assert ("split" in vegas.view.asked.legal) is has_split
    assert code(vegas.act(ann, "split")) == ("done" if has_split else "cannot_afford")
    assert faults() == []


def test_the_clock_stands_for_every_hand_of_a_split(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6d 8h Td 2c 3c 9c")
    vegas.sit(ann, 1)
    vegas.bet(ann, 1000)
    vegas.act(ann, "split")
    for hand in (1, 2):
        (change,) = vegas.time_is_up()
        assert change.changed.events[:2] == (
            {"type": "clock_ran_out", "seat": 1, "hand": hand},
            {"type": "hand_stood", "seat": 1, "hand": hand},
        )
    assert balance_of(ann) == 52_000
    assert faults() == []


# The limits and the shoe


@pytest.mark.parametrize(
    ("stake", "why"),
    [
        (0, "The minimum bet at this table is 5."),
        (400, "The minimum bet at this table is 5."),
        (550, "Bets must be whole numbers."),
        (100_100, "The maximum bet at this table is 1000."),
    ],
)
def test_it_refuses_a_bet_outside_the_limits(
    vegas: TableClient, ann: User, stake: int, why: str
) -> None:
    vegas.sit(ann, 1)
    before = fingerprint(vegas)
    answer = vegas.bet(ann, stake).value
    assert (answer.code, answer.message) == ("bad_bet", why)
    assert fingerprint(vegas) == before


@pytest.mark.parametrize("seed", range(3))
def test_the_table_counts_the_shoe_down_card_by_card(
    seed: int, vegas: TableClient, ann: User, ben: User
) -> None:
    sit_down(vegas, ann, ben)
    sealed = vegas.view.shoe
    assert sealed is not None
    chance, remaining = Random(seed), 312
    for _ in range(4):
        for played in round_at_random(vegas, [ann, ben], chance):
            remaining -= len(of_type(events(played), "card_dealt", "dealer_card_dealt"))
            assert after(played).shoe == PublicShoe(
                sealed.id, 1, sealed.commitment, 312, remaining, 234
            )
    assert remaining < 312 - 16
    assert faults() == []
