"""The dealer's account matches every bet into the pot (seed 003), and is never short unnoticed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.models import Account, Transfer, User
from tables.game.chips.racks import RACK_FILL
from tables.protocol.frames import Err
from tables.protocol.public import Asked
from tables.realtime import snapshots
from tests.helpers.rounds import after, faults, last_movement, moved, new_table, of_type, sit_down
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
# Two cards to the player, then the dealer's, up and down; then what is drawn.
WIN, LOSS, TIE = "Ts 9h 6d Kd 8s", "Ts 7h 9d Kd", "Ts 9h 9d Kd"
TWO_WIN_AND_LOSE = "Ts 9h Td 7h 8d Kc"


def holdings(at: TableClient, user: User) -> tuple[int, int, int]:
    """What lies in the player's wallet, in the pot and in the dealer's account."""
    assert faults() == []
    return balance_of(user), at.chips.staked, at.chips.rack


def leave_in_rack(at: TableClient, amount: int) -> None:
    """Take all but ``amount`` out of the dealer's account, as a long run of luck would."""
    rack = at.row.rack
    surplus = rack.balance - amount
    reference = f"test/{rack.pk}/{last_movement()}"
    out = Posting(Transfer.Kind.FILL, rack.pk, transfers.get_bank().pk, surplus, reference)
    transfers.post([out], at=timezone.now())


# What is bet lies in the pot twice


def test_the_dealers_account_is_opened_with_chips(pot: TableClient) -> None:
    assert moved() == [("fill", "bank", "rack", RACK_FILL)]
    assert pot.view.rack == RACK_FILL
    assert faults() == []


def test_a_bet_takes_the_same_amount_from_both_accounts(
    pot: TableClient, ann: User, ben: User
) -> None:
    """Seed 003: "Subtract wager amount from player and computer accounts", "Put wager amounts in
    the pot".
    """
    sit_down(pot, ann, ben)
    before = last_movement()
    bet = pot.bet(ann, 700)
    assert events(bet) == [{"type": "bet_placed", "seat": 1, "stake": 700}]
    assert moved(before) == [("stake", "ann", "table", 700)]
    assert holdings(pot, ann) == (49_300, 1400, RACK_FILL - 700)
    assert after(bet).rack == pot.view.rack == RACK_FILL - 700
    pot.bet(ben, 50_000)
    assert holdings(pot, ben) == (0, 101_400, RACK_FILL - 50_700)
    assert snapshots.table_snapshot(pot.table_id, None, pot.now).table.rack == RACK_FILL - 50_700


@pytest.mark.parametrize(
    ("cards", "outcome", "paid", "rack"),
    [
        (WIN, "win", 1400, RACK_FILL - 700),
        (LOSS, "lose", 0, RACK_FILL + 700),
        (TIE, "lose", 0, RACK_FILL + 700),
        ("As Kh 9d Kd", "win", 1400, RACK_FILL - 700),  # 21 with two cards is just 21
        ("As Kh 9d 5d 7c", "lose", 0, RACK_FILL + 700),  # and a tie with any other
    ],
)
def test_the_winner_of_the_hand_takes_the_pot(
    pot: TableClient, ann: User, stack: Stack, cards: str, outcome: str, paid: int, rack: int
) -> None:
    """Seed 003: "hand with higher number wins", "if tie then dealer wins"."""
    stack(cards)
    pot.sit(ann, 1)
    pot.bet(ann, 700)
    assert pot.view.asked == Asked(1, 1, ("hit", "stand"))
    before = last_movement()
    played = pot.act(ann, "stand")
    assert moved(before) == ([("payout", "table", "ann", 1400)] if paid else [])
    assert of_type(events(played), "hand_settled") == [
        {"type": "hand_settled", "seat": 1, "hand": 1, "outcome": outcome, "stake": 700,
         "payout": paid}
    ]  # fmt: skip
    assert holdings(pot, ann) == (49_300 + paid, 0, rack)
    assert after(played).rack == rack


def test_a_bust_is_the_dealers_at_once(
    pot: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    """Seed 003: "If a player goes bust, the dealer collects the bet wagered"."""
    stack("Ts 6h Td 9h 6d Kd Ks 8s")
    sit_down(pot, ann, ben)
    pot.bet(ann, 700)
    pot.bet(ben, 200)
    before = last_movement()
    hit = pot.act(ann, "hit")
    assert moved(before) == []
    assert holdings(pot, ann) == (49_300, 400, RACK_FILL + 700 - 200)
    assert after(hit).asked == Asked(2, 1, ("hit", "stand"))


def test_one_wins_and_another_loses_at_the_same_table(
    pot: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack(TWO_WIN_AND_LOSE)
    sit_down(pot, ann, ben)
    pot.bet(ann, 700)
    pot.bet(ben, 200)
    pot.act(ann, "stand")
    pot.act(ben, "stand")
    assert holdings(pot, ann) == (50_700, 0, RACK_FILL - 500)
    assert balance_of(ben) == 49_800


def test_the_history_shows_what_was_the_players(
    pot: TableClient, ann: User, stack: Stack, client: Client
) -> None:
    stack(WIN)
    pot.sit(ann, 1)
    pot.bet(ann, 700)
    pot.act(ann, "stand")
    client.force_login(ann)
    (played,) = client.get("/history/").context["page"].rounds
    assert (played.stake, played.payout, played.net) == (700, 1400, 700)
    assert list_hands()[0].net == 700


# What is not taken


@pytest.mark.parametrize(
    ("stake", "why"),
    [
        (0, "The minimum bet at this table is 2."),
        (199, "The minimum bet at this table is 2."),
        (250, "Bets must be whole numbers."),
        (50_001, "The maximum bet at this table is 500."),
        (50_100, "The maximum bet at this table is 500."),
    ],
)
def test_it_refuses_a_bet_outside_the_limits(
    pot: TableClient, ann: User, stake: int, why: str
) -> None:
    """Seed 003: "Minimum bet is $2 and maximum bet is $500"."""
    pot.sit(ann, 1)
    before = fingerprint(pot)
    answer = pot.bet(ann, stake).value
    assert isinstance(answer, Err)
    assert (answer.code, answer.message) == ("bad_bet", why)
    assert fingerprint(pot) == before


@pytest.mark.parametrize("stake", [200, 50_000])
def test_the_limits_themselves_may_be_bet(pot: TableClient, ann: User, stake: int) -> None:
    pot.sit(ann, 1)
    assert code(pot.bet(ann, stake)) == "done"
    assert faults() == []


def test_it_refuses_a_bet_that_the_wallet_does_not_hold(
    pot: TableClient, ann: User, ben: User
) -> None:
    other = new_table("pot")
    sit_down(other, ann, ben)
    other.bet(ann, 49_900)
    sit_down(pot, ann, ben)
    before = fingerprint(pot)
    assert code(pot.bet(ann, 200)) == "cannot_afford"
    assert fingerprint(pot) == before


@pytest.mark.parametrize(("rack", "holds"), [(50_000 - 1, "499.99"), (30_000, "300"), (0, "0")])
def test_it_refuses_a_bet_that_the_dealers_account_cannot_match(
    pot: TableClient, ann: User, rack: int, holds: str
) -> None:
    """RULES, pot: "A bet that the dealer's account can't match is refused, with that reason"."""
    leave_in_rack(pot, rack)
    pot.sit(ann, 1)
    before = fingerprint(pot)
    answer = pot.bet(ann, 50_000).value
    assert isinstance(answer, Err)
    message = f"The dealer has {holds} and can't match that bet."
    assert (answer.code, answer.message) == ("rack_cannot_match", message)
    assert fingerprint(pot) == before
    assert faults() == []


def test_the_whole_account_can_be_matched(pot: TableClient, ann: User, ben: User) -> None:
    leave_in_rack(pot, 700)
    sit_down(pot, ann, ben)
    assert code(pot.bet(ann, 700)) == "done"
    assert holdings(pot, ann) == (49_300, 1400, 0)
    before = fingerprint(pot)
    assert code(pot.bet(ben, 200)) == "rack_cannot_match"
    assert fingerprint(pot) == before


def test_what_is_taken_back_can_match_another_bet(
    pot: TableClient, ann: User, ben: User, cleo: User
) -> None:
    leave_in_rack(pot, 700)
    sit_down(pot, ann, ben, cleo)
    pot.bet(ann, 700)
    pot.leave(ann)
    assert code(pot.bet(ben, 700)) == "done"
    assert holdings(pot, ben) == (49_300, 1400, 0)


def test_a_bet_that_is_taken_back_gives_both_halves_back(
    pot: TableClient, ann: User, ben: User
) -> None:
    sit_down(pot, ann, ben)
    pot.bet(ann, 700)
    before = last_movement()
    result = pot.leave(ann)
    assert events(result)[0] == {"type": "bet_returned", "seat": 1, "stake": 700}
    assert moved(before) == [("refund", "table", "ann", 700)]
    assert holdings(pot, ann) == (50_000, 0, RACK_FILL)
    assert after(result).rack == RACK_FILL
    assert told_of_wallets(result.changes[0]) == {ann.pk: 50_000}


def test_a_seat_can_be_bet_from_again_in_the_same_round(
    pot: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(pot, ann, ben, cleo)
    pot.bet(ben, 200)
    for stake in (700, 800, 900):
        pot.sit(ann, 1)
        assert code(pot.bet(ann, stake)) == "done"
        pot.leave(ann)
        assert holdings(pot, ann) == (50_000, 400, RACK_FILL - 200)


# Filled again


@pytest.mark.parametrize(
    ("cards", "rack", "rack_after"),
    [
        (WIN, 799, 599 + RACK_FILL),
        (WIN, 800, 600),
        (WIN, 200, RACK_FILL),
        (LOSS, 399, 599 + RACK_FILL),
        (LOSS, 400, 600),
    ],
)
def test_the_account_is_filled_when_a_round_leaves_it_below_three_smallest_bets(
    pot: TableClient, ann: User, stack: Stack, cards: str, rack: int, rack_after: int
) -> None:
    stack(cards)
    leave_in_rack(pot, rack)
    pot.sit(ann, 1)
    pot.bet(ann, 200)
    assert holdings(pot, ann)[1:] == (400, rack - 200)
    played = pot.act(ann, "stand")
    assert after(played).rack == rack_after
    assert holdings(pot, ann)[1:] == (0, rack_after)
    filled = Transfer.objects.filter(kind="fill", credit=pot.row.rack).count()
    assert filled == (2 if rack_after >= RACK_FILL else 1)


def test_it_is_not_filled_while_bets_are_made(pot: TableClient, ann: User, ben: User) -> None:
    leave_in_rack(pot, 200)
    sit_down(pot, ann, ben)
    pot.bet(ann, 200)
    pot.leave(ann)
    assert holdings(pot, ann) == (50_000, 0, 200)


def test_it_is_filled_after_a_round_that_was_over_with_its_deal(ann: User, stack: Stack) -> None:
    """Where a 21 stands automatically, a bet can end the round; the next bet must be matched again."""
    at = new_table("pot", twenty_one_stands=True)
    stack("As Kh 9d Kd")
    leave_in_rack(at, 700)
    at.sit(ann, 1)
    at.bet(ann, 700)
    assert not at.live.game.is_playing
    assert holdings(at, ann) == (50_700, 0, RACK_FILL)
    assert code(at.bet(ann, 700)) == "done"


def test_a_dealer_with_high_limits_is_given_enough_for_a_full_table() -> None:
    at = new_table("pot", minimum=500_000, maximum="none")
    assert at.view.rack == 2 * RACK_FILL


def test_a_dealer_who_matches_nothing_shows_no_account(
    casino: TableClient, classic: TableClient
) -> None:
    assert (casino.view.rack, classic.view.rack) == (None, None)
    assert Account.objects.get(pk=casino.row.rack_id).balance == 0
