"""What a table made is added up by the day, as its rounds are settled and voided."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from accounts.lib.sql import optimistic
from accounts.models import User
from tables.models import Change, Hand, Result, Round, Takings
from tables.results import projector, revenue
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, code
from tests.results.test_results import Week

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
Whose = tuple[int, str, str, dt.date]
Sums = dict[str, int]


def written() -> dict[Whose, Sums]:
    projector.catch_up()
    return {
        (row.table_id, row.rules_key, row.options, row.day): {
            "rounds": row.rounds,
            "plays": row.plays,
            "staked": row.staked,
            "paid": row.paid,
            "bets": row.bets,
            "bets_squared": int(row.bets_squared),
        }
        for row in Takings.objects.all()
    }


def reckoned() -> dict[Whose, Sums]:
    """From the results, and from the bets as everybody saw them placed."""
    days: dict[Whose, Sums] = {}
    for round_ in Round.objects.exclude(dealt_at=None).exclude(finished_at=None):
        assert round_.finished_at is not None
        options = json.dumps(round_.rules_options, sort_keys=True, separators=(",", ":"))
        whose = round_.table_id, round_.rules_key, options, round_.finished_at.date()
        day = days.setdefault(whose, defaultdict(int))
        day["rounds"] += 1
        for result in Result.objects.filter(round=round_):
            day["plays"] += 1
            day["staked"] += result.stake
            day["paid"] += result.payout
        for bet in _bets(round_):
            day["bets"] += bet
            day["bets_squared"] += bet**2
    return {whose: dict(day) for whose, day in days.items()}


def _bets(round_: Round) -> list[int]:
    placed: dict[int, int] = {}
    for change in Change.objects.filter(round=round_).order_by("seq"):
        for event in change.events:
            if event["type"] == "bet_placed":
                placed[event["seat"]] = event["stake"]
    return list(placed.values())


def play(at: TableClient, user: User, stake: int, *actions: str) -> Sums:
    """A round of one player, and what the table made that day."""
    assert code(at.bet(user, stake)) == "done"
    for action in actions:
        assert code(at.act(user, action)) == "done"
    return written()[at.table_id, at.row.rules_key, "{}", at.now.date()]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_takings_of_a_week_are_what_was_played(seed: int) -> None:
    Week(seed).play(45)
    assert len(written()) > 10
    assert written() == reckoned()


def test_a_doubled_hand_is_one_first_bet(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("5s Ts 6d 7h 9c")
    sit_down(casino, ann)
    assert play(casino, ann, 2000, "double") == {
        "rounds": 1, "plays": 1, "staked": 4000, "paid": 8000, "bets": 2000,
        "bets_squared": 4_000_000,
    }  # fmt: skip


def test_split_hands_that_are_doubled_are_one_first_bet(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s Ts 8d 7h 3c 3d Td Th")
    sit_down(casino, ann)
    assert play(casino, ann, 2000, "split", "double", "double") == {
        "rounds": 1, "plays": 1, "staked": 8000, "paid": 16000, "bets": 2000,
        "bets_squared": 4_000_000,
    }  # fmt: skip


def test_an_insurance_is_staked_and_is_no_first_bet(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts As 9d Kh")
    sit_down(vegas, ann)
    assert play(vegas, ann, 2000, "insure") == {
        "rounds": 1, "plays": 1, "staked": 3000, "paid": 3000, "bets": 2000,
        "bets_squared": 4_000_000,
    }  # fmt: skip


def test_a_surrender_pays_half_of_its_bet(vegas: TableClient, ann: User, stack: Stack) -> None:
    stack("Ts 9s 6d 7h")
    sit_down(vegas, ann)
    assert play(vegas, ann, 2000, "surrender") == {
        "rounds": 1, "plays": 1, "staked": 2000, "paid": 1000, "bets": 2000,
        "bets_squared": 4_000_000,
    }  # fmt: skip


def test_of_a_matched_pot_the_players_half_is_staked(
    pot: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9s 7d Th")
    sit_down(pot, ann)
    rack = pot.chips.rack
    takings = play(pot, ann, 2000, "stand")
    assert (takings["staked"], takings["paid"]) == (2000, 4000)
    assert pot.chips.rack - rack == takings["staked"] - takings["paid"]


def test_rounds_for_nothing_are_counted(classic: TableClient, ann: User, stack: Stack) -> None:
    stack("Ts 9s 7d Th")
    sit_down(classic, ann)
    assert play(classic, ann, 0, "stand") == {
        "rounds": 1, "plays": 1, "staked": 0, "paid": 0, "bets": 0, "bets_squared": 0,
    }  # fmt: skip


def test_a_round_that_was_called_off_is_not_counted(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.take_back(ann)
    assert written() == {}


def test_a_table_with_other_options_has_a_row_of_its_own(ann: User, stack: Stack) -> None:
    stack(*["Ts 9s 7d Th"] * 3)
    table = new_table("pot", seats=2, minimum=400)
    sit_down(table, ann)
    for row_options in ({"seats": 2, "minimum": 400}, {"minimum": 400, "seats": 2}, {}):
        row = table.row
        row.rules_options = row_options
        row.save(update_fields=["rules_options"])
        optimistic.forget_all()
        table.bet(ann, 2000)
        table.act(ann, "stand")
    projector.catch_up()
    assert sorted(row.options for row in Takings.objects.all()) == [
        '{"minimum":400,"seats":2}', "{}"
    ]  # fmt: skip


def test_very_high_stakes_add_up(casino: TableClient) -> None:
    """SQLite keeps 15 digits of the squares, which is plenty for how far chance may lead."""
    round_ = Round(table=casino.row, rules_key="casino", finished_at=casino.now)
    hand = Hand(1, 1, 1, 1, "Ts 9h", 19, False, "lose", 0, 0)
    for stake in (100_000_000_000, 200_000_000_000):
        revenue.add_revenue([(round_, [replace(hand, stake=stake)])])
    row = Takings.objects.get()
    assert (row.bets, row.bets_squared) == (300_000_000_000, Decimal("5e22"))


def test_a_void_stands_beside_what_was_made(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("5s Ts 6d 7h 9c", "Ts 9s 7d 8h")
    sit_down(casino, ann)
    play(casino, ann, 2000, "double")
    before = play(casino, ann, 1000, "stand")
    round_ = Round.objects.earliest("pk")
    revenue.move_to_void(round_, round_.results.all().list_hands())
    row = Takings.objects.get()
    assert (row.void_rounds, row.void_plays, row.void_staked, row.void_paid) == (1, 1, 4000, 8000)
    assert list(written().values()) == [before]


def test_a_round_without_takings_cannot_be_voided(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9s 7d 8h")
    sit_down(casino, ann)
    play(casino, ann, 1000, "stand")
    Takings.objects.all().delete()
    round_ = Round.objects.get()
    with pytest.raises(RuntimeError, match="stands in no takings"):
        revenue.move_to_void(round_, round_.results.all().list_hands())
