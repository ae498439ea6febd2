"""Bet behind: who watches a table backs the hand of a player, before the cards are dealt."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from accounts.audit_log import Operator
from accounts.models import OwnLimit, User, WalletEntry
from accounts.users import guests, limits
from tables.game import account_deletion, rebuys
from tables.game.commands import CommandResult
from tables.models import Grade, Result, Round, Standing, Table, Tally
from tables.operators.players import freezing
from tables.operators.rounds import voids
from tables.operators.rounds.verification import Verdict, verify_round
from tables.protocol.commands import Ban, BetBehind, Close, Free, TakeBackBehind
from tables.protocol.public import PublicBacker
from tables.realtime import grading_worker
from tables.records.rounds import RoundFilters, list_rounds
from tables.records.statement_text import describe_entries
from tables.results import projector
from tests.game.test_host_commands import made_by
from tests.helpers.rounds import (
    after,
    faults,
    last_movement,
    moved,
    new_table,
    of_type,
    round_at_random,
    sit_down,
)
from tests.helpers.table_client import (
    TableClient,
    balance_of,
    code,
    events,
    fingerprint,
    new_player,
    refusal,
    told_of_wallets,
)

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
WINS = "Ts 6h 9d Kc 9s"
"""At casino: ann has 19, and the dealer busts."""
DOUBLES = "5s 6h 6d Kc Ts 9s"
"""Ann doubles 11 to 21, and the dealer busts."""
SPLITS = "8s 6h 8d Kc 3s Td 9s"
"""Ann splits eights to 11 and 18, and the dealer busts."""


@pytest.fixture
def erin(db: None) -> User:
    return new_player("erin")


def back(
    at: TableClient, user: User, stake: int, seat: int = 1, *, along: bool = False, turn: int = 0
) -> CommandResult:
    """Bet behind a seat."""
    return at.send(user, BetBehind(uuid.uuid4(), seat, turn or at.row.turn, stake, along))


def take_back(at: TableClient, user: User) -> CommandResult:
    return at.send(user, TakeBackBehind(uuid.uuid4(), at.row.turn))


def behind(at: TableClient, seat: int = 1) -> dict[str | None, int]:
    """The bets behind a seat on the next round, as everybody sees them."""
    return {one.player: sum(one.stakes) for one in at.view.seats[seat - 1].behind}


def deal(at: TableClient, user: User, stake: int = 1000) -> CommandResult:
    played = at.bet(user, stake)
    assert code(played) == "done"
    return played


def statement(user: User) -> list[tuple[str, int]]:
    """The entries of play of a wallet in words, the first one first."""
    entries = WalletEntry.objects.filter(wallet__user=user).exclude(round=None)
    rows = list(entries.select_related("transfer", "reverses").order_by("pk"))
    texts = describe_entries(rows, user.pk)
    return [(texts[row.pk].what, row.amount) for row in rows]


# Placing one


def test_a_watcher_backs_a_player_and_everybody_sees_it(
    casino: TableClient, ann: User, dora: User
) -> None:
    casino.sit(ann, 1)
    played = back(casino, dora, 2000, along=True)
    assert events(played) == [
        {"type": "bet_behind_placed", "seat": 1, "player": "dora", "stake": 2000, "along": True}
    ]
    assert casino.view.seats[0].behind == (PublicBacker("dora", (2000,), along=True),)
    assert told_of_wallets(played.changes[0]) == {dora.pk: 48_000}
    assert casino.chips.staked == 2000
    assert WalletEntry.objects.get(kind="stake").place == f"seat:1/behind:{dora.pk}/hand:1/stake:2"
    assert faults() == []


def test_it_starts_no_clock_and_nobody_waits_for_it(
    casino: TableClient, ann: User, ben: User, dora: User
) -> None:
    casino.sit(ann, 1)
    back(casino, dora, 2000)
    assert casino.row.deadline_at is None
    assert casino.view.phase == "betting"
    deal(casino, ann)
    assert casino.view.asked is not None or casino.view.seats[0].hands, "ann's bet deals"


def test_the_clock_starts_with_the_bet_of_a_player(
    casino: TableClient, ann: User, ben: User, dora: User
) -> None:
    sit_down(casino, ann, ben)
    back(casino, dora, 2000)
    casino.bet(ann, 1000)
    assert casino.row.deadline_at is not None


def test_who_backs_a_hand_wins_with_it(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(WINS)
    casino.sit(ann, 1)
    back(casino, dora, 3000)
    deal(casino, ann)
    before = last_movement()
    played = casino.act(ann, "stand")
    assert of_type(events(played), "bet_behind_settled") == [
        {"type": "bet_behind_settled", "seat": 1, "hand": 1, "player": "dora", "stake": 3000,
         "payout": 6000},
    ]  # fmt: skip
    assert moved(before)[1:] == [  # after the fill of the rack
        ("payout", "table", "ann", 2000),
        ("payout", "table", "dora", 6000),
    ]
    assert told_of_wallets(played.changes[0]) == {ann.pk: 51_000, dora.pk: 53_000}
    assert after(played).seats[0].backed == (PublicBacker("dora", (3000,), payout=6000),)
    assert casino.chips.staked == 0
    assert faults() == []


@pytest.mark.parametrize(
    ("cards", "actions", "payout"),
    [
        ("As 6h Kd Kc 9s", (), 2500),  # 3:2
        ("Ts 9h 6d Kc", ("surrender",), 500),
        ("Ts 9h 9d Kc", ("stand",), 1000),
        ("Ts Th 9d Kc", ("stand",), 0),
        ("Ts 6h 6d Kc Ks", ("hit",), 0),
    ],
)
def test_it_is_paid_as_the_hand_is(
    vegas: TableClient,
    ann: User,
    dora: User,
    stack: Stack,
    cards: str,
    actions: tuple[str, ...],
    payout: int,
) -> None:
    """With the odds of a blackjack, and half of it for a surrender."""
    stack(cards)
    vegas.sit(ann, 1)
    back(vegas, dora, 1000)
    deal(vegas, ann, 2000)
    for action in actions:
        assert code(vegas.act(ann, action)) == "done"
    assert balance_of(dora) == 49_000 + payout
    assert faults() == []


def test_insurance_is_the_players_own_affair(
    vegas: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack("Ts Ah 9d Kc")
    vegas.sit(ann, 1)
    back(vegas, dora, 1000, along=True)
    deal(vegas, ann, 2000)
    assert code(vegas.act(ann, "insure")) == "done"
    assert balance_of(ann) == 50_000, "insured"
    assert balance_of(dora) == 49_000, "the dealer has blackjack, and the stake behind is lost"
    assert faults() == []


# Double and split


def test_who_goes_along_doubles_too(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(DOUBLES)
    casino.sit(ann, 1)
    back(casino, dora, 3000, along=True)
    deal(casino, ann)
    event_dicts = events(casino.act(ann, "double"))
    assert of_type(event_dicts, "bet_behind_raised") == [
        {"type": "bet_behind_raised", "seat": 1, "hand": 1, "player": "dora", "stake": 3000}
    ]
    assert balance_of(dora) == 56_000
    assert Result.objects.get(user=dora).list_hands()[0].is_doubled
    assert faults() == []


@pytest.mark.parametrize("along", [False, True])
def test_who_does_not_go_along_or_cannot_pay_keeps_the_first_stake(
    casino: TableClient, ann: User, dora: User, stack: Stack, along: bool
) -> None:
    stack(DOUBLES)
    casino.sit(ann, 1)
    stake = 30_000 if along else 3000  # 20,000 are left
    back(casino, dora, stake, along=along)
    deal(casino, ann)
    event_dicts = events(casino.act(ann, "double"))
    assert of_type(event_dicts, "bet_behind_raised") == []
    assert balance_of(dora) == 50_000 + stake, "paid by the doubled hand, at its single stake"
    assert not Result.objects.get(user=dora).list_hands()[0].is_doubled
    assert faults() == []


def test_on_a_split_the_stake_goes_to_both_hands(
    casino: TableClient, ann: User, dora: User, erin: User, stack: Stack
) -> None:
    stack(SPLITS)
    casino.sit(ann, 1)
    back(casino, dora, 3000, along=True)
    back(casino, erin, 2000)
    deal(casino, ann)
    casino.act(ann, "split")
    assert casino.view.seats[0].backed == (
        PublicBacker("dora", (3000, 3000), along=True),
        PublicBacker("erin", (2000, 0)),
    )
    assert faults() == []
    casino.act(ann, "stand")
    casino.act(ann, "stand")
    assert (balance_of(dora), balance_of(erin)) == (56_000, 52_000)
    assert [hand.stake for hand in Result.objects.get(user=erin).list_hands()] == [2000, 0]
    assert faults() == []


def test_the_loss_limit_of_the_backer_holds_at_the_double(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(DOUBLES)
    limits.set_limit(dora, OwnLimit.Kind.DAILY_LOSS, 5000, casino.now)
    casino.sit(ann, 1)
    assert code(back(casino, dora, 6000)) == "loss_limit"
    back(casino, dora, 3000, along=True)
    deal(casino, ann)
    assert code(casino.act(ann, "double")) == "done", "the player is not held back by it"
    assert Result.objects.get(user=dora).stake == 3000
    assert faults() == []


# Refusals


def test_three_backers_are_the_limit(
    casino: TableClient, ann: User, ben: User, cleo: User, dora: User, erin: User
) -> None:
    casino.sit(ann, 1)
    for user in (ben, cleo, dora):
        assert code(back(casino, user, 1000)) == "done"
    before = fingerprint(casino)
    assert refusal(back(casino, erin, 1000)) == "Three people already bet behind this seat."
    assert fingerprint(casino) == before
    assert code(back(casino, ben, 2000)) == "done", "another bet takes the place of one's own"
    assert behind(casino) == {"cleo": 1000, "dora": 1000, "ben": 2000}


def test_the_limits_are_those_of_the_seat(casino: TableClient, ann: User, dora: User) -> None:
    casino.sit(ann, 1)
    before = fingerprint(casino)
    assert code(back(casino, dora, 999)) == "bad_bet"
    assert code(back(casino, dora, 1050)) == "bad_bet"
    assert code(back(casino, dora, 50_100)) == "cannot_afford"
    assert fingerprint(casino) == before


def test_only_a_player_is_backed_and_only_by_a_watcher(
    casino: TableClient, ann: User, ben: User, dora: User
) -> None:
    sit_down(casino, ann, ben)
    assert code(back(casino, dora, 1000, seat=3)) == "seat_empty"
    assert code(back(casino, ben, 1000)) == "already_seated"
    assert behind(casino) == {}


def test_a_bet_that_arrives_as_the_cards_are_dealt_stakes_nothing(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(WINS)
    casino.sit(ann, 1)
    turn = casino.row.turn
    deal(casino, ann)
    assert code(back(casino, dora, 1000, turn=turn)) == "wrong_phase"
    casino.act(ann, "stand")
    late = back(casino, dora, 1000, turn=turn)
    assert refusal(late) == "That round is over, so nothing was staked. Bet on the next one."
    assert balance_of(dora) == 50_000


@pytest.mark.parametrize("key", ["classic", "heads-up", "piles", "pot"])
def test_where_it_has_no_meaning_it_is_not_offered(key: str, ann: User, dora: User) -> None:
    """Without stakes there is nothing to bet, and seed 003 knows one pot of player and dealer."""
    at = new_table(key)
    at.sit(ann, 1)
    assert not at.view.behind
    assert code(back(at, dora, 1000)) == "behind_off"


def test_the_host_can_turn_it_off(ann: User, dora: User) -> None:
    at = made_by(ann)
    at.sit(ann, 1)
    assert at.view.behind
    Table.objects.filter(pk=at.table_id).update(has_behind=False)
    assert not at.view.behind
    assert refusal(back(at, dora, 1000)) == "Betting behind is turned off at this table."


def test_a_private_table_is_backed_by_who_may_see_it(ann: User, dora: User) -> None:
    at = made_by(ann, is_private=True)
    at.sit(ann, 1)
    assert code(back(at, dora, 1000)) == "not_invited"


def test_who_takes_a_break_backs_nobody(casino: TableClient, ann: User, dora: User) -> None:
    casino.sit(ann, 1)
    tomorrow = casino.now.date() + dt.timedelta(days=1)
    limits.set_limit(dora, OwnLimit.Kind.BREAK, tomorrow.toordinal(), casino.now)
    assert code(back(casino, dora, 1000)) == "on_break"


# Taking it back, and its return


def test_it_is_taken_back_before_the_deal_and_not_after(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(WINS)
    casino.sit(ann, 1)
    back(casino, dora, 1000)
    assert events(take_back(casino, dora)) == [
        {"type": "bet_behind_returned", "seat": 1, "player": "dora", "stake": 1000}
    ]
    assert balance_of(dora) == 50_000
    assert Round.objects.get().finished_at is not None, "called off"
    assert code(take_back(casino, dora)) == "no_bet"
    back(casino, dora, 2000)
    assert Round.objects.count() == 1, "the row of the round that was called off"
    deal(casino, ann)
    assert code(take_back(casino, dora)) == "wrong_phase"
    assert faults() == []


def test_it_can_be_moved_to_another_seat(
    casino: TableClient, ann: User, ben: User, dora: User
) -> None:
    sit_down(casino, ann, ben)
    back(casino, dora, 50_000)
    assert code(back(casino, dora, 50_000, seat=2)) == "done"
    assert (behind(casino, 1), behind(casino, 2)) == ({}, {"dora": 50_000})
    assert faults() == []


def test_who_sits_down_gets_it_back(casino: TableClient, ann: User, dora: User) -> None:
    casino.sit(ann, 1)
    back(casino, dora, 1000)
    event_dicts = events(casino.sit(dora, 2))
    assert of_type(event_dicts, "bet_behind_returned")
    assert balance_of(dora) == 50_000
    assert faults() == []


def test_it_is_returned_when_the_player_leaves(casino: TableClient, ann: User, dora: User) -> None:
    casino.sit(ann, 1)
    back(casino, dora, 1000)
    casino.leave(ann)
    assert balance_of(dora) == 50_000
    assert Round.objects.get().finished_at is not None
    assert faults() == []


def test_it_is_returned_when_the_player_does_not_bet_in_time(
    casino: TableClient, ann: User, ben: User, dora: User, erin: User
) -> None:
    sit_down(casino, ann, ben)
    back(casino, dora, 1000, seat=2)
    back(casino, erin, 1000, seat=1)
    casino.bet(ann, 1000)
    event_dicts = [event for change in casino.time_is_up() for event in change.changed.events]
    assert [event["player"] for event in of_type(event_dicts, "bet_behind_returned")] == ["dora"]
    assert balance_of(dora) == 50_000
    assert behind(casino, 1) == {}
    assert [one.player for one in casino.view.seats[0].backed] == ["erin"]
    assert faults() == []


@pytest.mark.parametrize("what", ["free", "ban", "close"])
def test_the_host_ends_it(ann: User, ben: User, dora: User, what: str) -> None:
    at = made_by(ann)
    sit_down(at, ann, ben)
    back(at, dora, 1000, seat=2)
    new_id = uuid.uuid4()
    command: Any = {
        "free": Free(new_id, 2),
        "ban": Ban(new_id, "dora", on=True),
        "close": Close(new_id),
    }[what]
    assert code(at.send(ann, command)) == "done"
    assert balance_of(dora) == 50_000
    assert code(back(at, dora, 1000)) != "done" or what == "free"
    assert faults() == []


def test_a_backer_who_has_left_the_page_stays_bound(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(WINS)
    casino.sit(ann, 1)
    back(casino, dora, 1000)
    casino.later(3600)
    deal(casino, ann)
    casino.act(ann, "stand")
    assert balance_of(dora) == 51_000


def test_the_player_leaves_in_the_round_and_the_hand_stands(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(WINS)
    casino.sit(ann, 1)
    back(casino, dora, 1000)
    deal(casino, ann)
    casino.leave(ann)
    assert balance_of(dora) == 51_000
    assert faults() == []


# Accounts


def test_an_account_with_a_bet_behind_is_not_deleted_until_it_is_settled(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(WINS)
    casino.sit(ann, 1)
    back(casino, dora, 1000)
    with pytest.raises(account_deletion.StillPlaying):
        account_deletion.delete_account(dora.pk, casino.now)
    deal(casino, ann)
    with pytest.raises(account_deletion.StillPlaying):
        account_deletion.delete_account(dora.pk, casino.now)
    casino.act(ann, "stand")
    account_deletion.delete_account(dora.pk, casino.now)
    assert faults() == []


def test_a_frozen_backer_gets_an_undealt_bet_back(
    casino: TableClient, ann: User, dora: User, operator: Callable[..., User], stack: Stack
) -> None:
    stack(DOUBLES)
    casino.sit(ann, 1)
    back(casino, dora, 1000)
    by = Operator(operator("floor").pk)
    assert freezing.freeze(by, dora.pk, "to ask", casino.now).value
    assert balance_of(dora) == 50_000
    freezing.unfreeze(by, dora.pk, "asked", casino.now)
    back(casino, dora, 1000, along=True)
    deal(casino, ann)
    freezing.freeze(by, dora.pk, "to ask again", casino.now)
    casino.act(ann, "double")
    assert balance_of(dora) == 51_000, "the stake stays, and does not go along"
    assert faults() == []


def test_nobody_rebuys_with_a_bet_behind_on_a_table(
    casino: TableClient, ann: User, dora: User
) -> None:
    casino.sit(ann, 1)
    back(casino, dora, 50_000)
    assert not rebuys.rebuy(dora, casino.now).value.allowed


def test_a_guest_may_bet_behind(casino: TableClient, ann: User) -> None:
    guest = guests.create_guest(at=casino.now)
    casino.sit(ann, 1)
    assert code(back(casino, guest, 1000)) == "done"


# What is written down


def test_the_statement_names_whom_was_backed(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(DOUBLES)
    casino.sit(ann, 1)
    back(casino, dora, 2000, along=True)
    take_back(casino, dora)
    back(casino, dora, 1000, along=True)
    assert statement(dora)[-1] == ("bet behind ann", -1000)
    deal(casino, ann)
    casino.act(ann, "double")
    assert statement(dora) == [
        ("bet behind ann", -2000),
        ("returned bet behind ann", 2000),
        ("bet behind ann", -1000),
        ("bet behind ann, doubled", -1000),
        ("payout of the bet behind ann", 4000),
    ]


def test_the_history_of_the_backer_has_the_round(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(SPLITS)
    casino.sit(ann, 1)
    back(casino, dora, 1000)
    deal(casino, ann)
    for action in ("split", "stand", "stand"):
        casino.act(ann, action)
    (entry,) = list_rounds(dora, RoundFilters()).entries
    (played,) = entry.rounds
    assert (played.is_behind, played.backed_player, entry.net) == (True, "ann", 1000)
    assert len(played.hands) == 1, "the hand with the stake"
    (own,) = list_rounds(ann, RoundFilters()).entries
    assert not own.first.is_behind
    assert len(own.first.hands) == 2


def test_money_counts_and_skill_does_not(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack(DOUBLES)
    casino.sit(ann, 1)
    back(casino, dora, 1000, along=True)
    deal(casino, ann)
    casino.act(ann, "double")
    projector.catch_up()
    tally = Tally.objects.get(user=dora, rules_key=Tally.ALL)
    assert (tally.rounds, tally.won, tally.net, tally.staked) == (1, 1, 2000, 2000)
    assert (tally.doubles, tally.splits) == (0, 0)
    assert list(Standing.objects.values_list("user__username", flat=True)) == ["ann"]
    while grading_worker.grade_batch():
        pass
    assert list(Grade.objects.values_list("user__username", flat=True)) == ["ann"]


def test_a_void_takes_it_back_and_the_bank_covers_what_was_spent(
    casino: TableClient, ann: User, dora: User, operator: Callable[..., User], stack: Stack
) -> None:
    stack(WINS, "Ts Th 9d Kc")
    casino.sit(ann, 1)
    back(casino, dora, 40_000)
    deal(casino, ann)
    casino.act(ann, "stand")
    won = Round.objects.get()
    back(casino, dora, 90_000)
    deal(casino, ann)
    casino.act(ann, "stand")
    assert balance_of(dora) == 0
    one, other = (Operator(operator("manager", name).pk) for name in ("mia", "max"))
    void = voids.request_void(won.pk, one, "a wrong card", casino.now).value
    if void.status == void.Status.WAITING:  # over the limit of one operator
        voids.approve_void(void.pk, other, casino.now)
    assert faults() == []
    assert balance_of(dora) == 0, "covered by the bank"
    assert Result.objects.get(user=dora, round=won).outcome == "void"
    assert statement(dora)[-2:] == [
        ("bet behind ann returned: the round is void", 40_000),
        ("payout of the bet behind ann reversed: the round is void", -80_000),
    ]


def test_a_round_that_is_broken_off_returns_it(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack("Ts 6h 6d Kc")  # no card is left to hit
    casino.sit(ann, 1)
    back(casino, dora, 1000)
    deal(casino, ann)
    played = casino.act(ann, "hit")
    assert of_type(events(played), "round_broken_off")
    assert balance_of(dora) == 50_000
    assert told_of_wallets(played.changes[0])[dora.pk] == 50_000
    assert Result.objects.get(user=dora).outcome == "void"
    assert faults() == []


@pytest.mark.parametrize("seed", [1, 2])
def test_an_evening_with_backers_adds_up_and_can_be_verified(seed: int) -> None:
    """Splits to four hands, doubles and surrenders at random; now and then a backer cannot pay."""
    chance = Random(seed)
    at = new_table("casino", decks=6, max_hands=4, surrender=True, insurance=True)
    players = [new_player(name) for name in ("ann", "ben", "cleo")]
    backers = [new_player(name) for name in ("dora", "erin", "finn", "gus")]
    sit_down(at, *players, adds_words=True)
    for _ in range(12):
        for user in backers:
            if chance.random() < 0.8 and (most := balance_of(user) // 100 * 100) >= 500:
                stake = chance.choice([500, min(most, 20_000), most])
                seat = chance.randint(1, 3)
                assert code(back(at, user, stake, seat, along=chance.random() < 0.7)) in (
                    "done", "behind_full", "bad_bet",
                )  # fmt: skip
        list(round_at_random(at, players, chance))
        assert faults() == []
    for user in players:
        at.leave(user)
    rounds = Round.objects.filter(finished_at__isnull=False, dealt_at__isnull=False)
    verdicts = {verify_round(round_).verdict for round_ in rounds}
    assert verdicts <= {Verdict.RIGHT, Verdict.UNTOLD}
    assert [v for round_ in rounds if (v := verify_round(round_)).verdict is Verdict.WRONG] == []
    assert WalletEntry.objects.filter(place__contains="/double", place__startswith="seat").exists()
