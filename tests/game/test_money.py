"""A matched pot, a group that is asked to play again, and a game of piles, at real tables."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.ledger import audit as accounts_audit
from accounts.models import Account, User
from tables.audit import rounds as tables_audit
from tables.game import lifecycle
from tables.models import PileGame
from tests.helpers.table_client import TableClient, balance_of, code, events, fingerprint

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
RACK = 1_000_000


def table_of(rules_key: str) -> TableClient:
    return TableClient(lifecycle.open_table(name=rules_key, rules_key=rules_key).pk)


def rack_and_pot(at: TableClient) -> tuple[int, int]:
    return at.chips.rack, at.chips.staked


def faults() -> list[str]:
    return [*accounts_audit.find_faults(), *tables_audit.find_round_faults()]


def test_the_dealer_matches_a_bet_into_the_pot_at_once(ann: User, ben: User) -> None:
    """Seed 003: "Subtract wager amount from player and computer accounts"."""
    pot = table_of("pot")
    pot.sit(ann, 1)
    pot.sit(ben, 2)
    pot.bet(ann, 5_000)
    assert balance_of(ann) == 45_000
    assert rack_and_pot(pot) == (RACK - 5_000, 10_000)
    assert pot.view.rack == RACK - 5_000
    assert faults() == []


@pytest.mark.parametrize(
    ("shoe", "outcome", "wallet", "rack"),
    [
        ("Ts Td 9h 8c", "win", 55_000, RACK - 5_000),
        ("Ts 8d 9h 9c", "lose", 45_000, RACK + 5_000),  # a tie is the dealer's
        ("Ts 7d 9h 9c", "lose", 45_000, RACK + 5_000),
    ],
)
def test_the_winner_takes_the_pot(
    shoe: str, outcome: str, wallet: int, rack: int, ann: User, stack: Stack
) -> None:
    stack(shoe)
    pot = table_of("pot")
    pot.sit(ann, 1)
    pot.bet(ann, 5_000)
    pot.act(ann, "stand")
    assert pot.view.seats[0].hands[0].outcome == outcome
    assert balance_of(ann) == wallet
    assert rack_and_pot(pot) == (rack, 0)
    assert faults() == []


def test_who_leaves_before_the_cards_returns_the_dealers_half_too(ann: User, ben: User) -> None:
    pot = table_of("pot")
    pot.sit(ann, 1)
    pot.sit(ben, 2)
    pot.bet(ann, 5_000)
    pot.leave(ann)
    assert balance_of(ann) == 50_000
    assert rack_and_pot(pot) == (RACK, 0)
    assert faults() == []


def test_a_bet_that_the_rack_cannot_match_is_refused_in_words(ann: User) -> None:
    pot = table_of("pot")
    Account.objects.filter(pk=pot.row.rack_id).update(balance=3_000)
    pot.sit(ann, 1)
    before = fingerprint(pot)
    refused = pot.bet(ann, 5_000)
    assert code(refused) == "rack_cannot_match"
    assert "has 30 and can't match" in getattr(refused.value, "message", "")
    assert fingerprint(pot) == before


@pytest.mark.parametrize(("stake", "limit"), [(199, "minimum"), (50_001, "maximum")])
def test_the_limits_of_the_pot_are_said_in_words(stake: int, limit: str, ann: User) -> None:
    pot = table_of("pot")
    pot.sit(ann, 1)
    refused = pot.bet(ann, stake)
    assert code(refused) == "bad_bet"
    assert limit in getattr(refused.value, "message", "")


@pytest.fixture
def asked_again(classic: TableClient, ann: User, ben: User, stack: Stack) -> TableClient:
    """Ann and Ben have played a round and are asked whether to play again."""
    stack("Ts 9s Td 8d 7h Th")
    classic.sit(ann, 1)
    classic.sit(ben, 2)
    classic.bet(ann, 0)
    classic.bet(ben, 0)
    classic.act(ann, "stand")
    classic.act(ben, "stand")
    assert not classic.live.game.is_playing
    return classic


def test_after_a_round_everybody_is_asked_and_a_clock_runs(asked_again: TableClient) -> None:
    assert asked_again.row.deadline_at is not None
    tallies = [seat.tally for seat in asked_again.view.seats[:2]]
    assert [(t.won, t.lost, t.pushed) for t in tallies if t] == [(1, 0, 0), (1, 0, 0)]


def test_the_next_round_is_dealt_when_all_have_said_yes(
    asked_again: TableClient, ann: User, ben: User
) -> None:
    asked_again.bet(ann, 0)
    assert len(asked_again.view.dealer.cards) == 2
    assert not asked_again.live.game.is_playing
    asked_again.bet(ben, 0)
    assert asked_again.live.game.is_playing


def test_it_is_dealt_without_who_said_no(asked_again: TableClient, ann: User, ben: User) -> None:
    asked_again.bet(ann, 0)
    asked_again.leave(ben)
    assert asked_again.live.game.is_playing
    assert asked_again.view.seats[1].player is None


def test_who_does_not_answer_gives_the_seat_up(asked_again: TableClient, ann: User) -> None:
    asked_again.bet(ann, 0)
    (change,) = asked_again.time_is_up()
    event = {"type": "player_left", "seat": 2, "player": "ben", "reason": "no_answer"}
    assert event in change.changed.events
    assert asked_again.live.game.is_playing


def test_when_nobody_answers_all_seats_are_free_and_no_clock_runs(asked_again: TableClient) -> None:
    asked_again.time_is_up()
    assert [seat.player for seat in asked_again.view.seats] == [None, None, None]
    assert asked_again.row.deadline_at is None


def test_a_game_of_piles_from_the_first_hand_to_the_next_game(ann: User, stack: Stack) -> None:
    """Two hands from a deck of eleven cards: one won with 21, one lost; three cards are left."""
    stack("Ts 9h 5c 6d 2s Tc 8h 9c Td 2h 3h", "Ts 8d 9h 7c 2s 3s 4s 5s 6s")
    piles = table_of("piles")
    piles.sit(ann, 1)
    piles.bet(ann, 0)
    assert piles.row.deadline_at is not None
    piles.act(ann, "hit")
    counts = piles.view.piles
    assert counts is not None
    assert (counts.player, counts.house, counts.discard, counts.deck) == (5, 0, 0, 6)
    assert piles.row.deadline_at is None
    first_shoe = piles.view.shoe
    piles.bet(ann, 0)
    last = piles.act(ann, "stand")
    ended = {"type": "game_ended", "winner": "player", "player": 5, "house": 4}
    assert ended in events(last)
    counts = piles.view.piles
    assert counts is not None
    assert (counts.deck, counts.game_over, counts.winner) == (2, True, "player")
    assert PileGame.objects.get().winner == "player"
    assert piles.view.shoe != first_shoe
    piles.bet(ann, 0)
    counts = piles.view.piles
    assert counts is not None
    assert (counts.player, counts.game_over) == (0, False)
    assert faults() == []


def test_a_game_of_piles_waits_for_its_player(ann: User, ben: User, stack: Stack) -> None:
    stack("Ts 9h 5c 6d 2s Tc 8h 9c Td 2h 3h 4h 5h 6h")
    piles = table_of("piles")
    piles.sit(ann, 1)
    piles.bet(ann, 0)
    piles.act(ann, "hit")
    piles.leave(ann)
    piles.sit(ann, 1)
    assert piles.view.piles is not None
    assert piles.view.piles.player == 5
    piles.leave(ann)
    piles.sit(ben, 1)
    assert piles.view.piles is not None
    assert (piles.view.piles.player, piles.view.piles.deck) == (0, 52)


def test_the_rack_changes_once_when_the_round_is_over(ann: User, ben: User, stack: Stack) -> None:
    """What it has won by then is free at once, as if it were there already."""
    stack("Ts Td 6h 8d 9c Kc 8s")
    casino = table_of("casino")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1_000)
    casino.bet(ben, 2_000)
    rack_balance = casino.row.rack.balance
    casino.act(ann, "hit")
    assert casino.view.seats[0].hands[0].outcome == "bust"
    assert casino.row.rack.balance == rack_balance
    assert rack_and_pot(casino) == (rack_balance + 1_000, 2_000)
    assert casino.row.rack_due == 1_000
    assert faults() == []
    casino.act(ben, "stand")
    assert casino.row.rack.balance == rack_balance + 100_000 - balance_of(ann) - balance_of(ben)
    assert rack_and_pot(casino) == (casino.row.rack.balance, 0)
    assert faults() == []
