"""What is written down of a round is what its hands were: for history, figures, leaderboard."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from random import Random

import pytest
from time_machine import TimeMachineFixture

from accounts.models import User
from tables import access
from tables.engine.events import Outcome
from tables.engine.presets import PRESETS
from tables.game.history_reset import reset_history
from tables.models import Result, Round, Standing, Tally
from tables.results import projector
from tests.game.test_host_commands import made_by
from tests.helpers.recomputed_stats import ExpectedRows, reckoned, written
from tests.helpers.rounds import faults, least_stake, new_table, sit_down
from tests.helpers.table_client import TableClient, balance_of, code, new_player

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
MORNING = dt.datetime(2026, 3, 1, 8, tzinfo=dt.UTC)


class Week:
    """Two people who go from table to table, and now and then leave a decision to the clock."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.people = [new_player("ann"), new_player("ben")]
        self.tables = [new_table(key) for key in PRESETS]
        private = made_by(self.people[0], is_private=True)
        access.grant_access(private.row, self.people[1].pk)
        self.tables.append(private)
        self.now = MORNING

    def play(self, rounds: int) -> None:
        for _ in range(rounds):
            self.now += dt.timedelta(minutes=self.chance.randint(1, 500))
            at = self.chance.choice(self.tables)
            at.now = self.now
            most = min(at.row.rules.seats, len(self.people))
            self._play_at(at, self.chance.sample(self.people, self.chance.randint(1, most)))
            self.now = at.now

    def _play_at(self, at: TableClient, players: list[User]) -> None:
        if any(balance_of(user) < 20 * least_stake(at) for user in players):
            return
        sit_down(at, *players)
        for user in players:
            assert code(at.bet(user, least_stake(at) * self.chance.randint(1, 2))) == "done"
        while (decision := at.view.asked) is not None:
            at.later(1)
            if self.chance.random() < 0.2:
                at.time_is_up()
                continue
            user = players[decision.seat - 1]
            assert code(at.act(user, "hit", turn=0)) == "stale_turn"
            at.act(user, self.chance.choice(decision.legal))
        for user in players:
            at.leave(user)


def assert_all_is_written(expected: ExpectedRows) -> None:
    there = written()
    assert there.results == expected.results
    assert there.tallies == expected.tallies
    assert there.standings == expected.standings


def play(at: TableClient, user: User, stake: int, *actions: str) -> Result:
    """A round of one player, which is counted, and what was written down of it."""
    assert code(at.bet(user, stake)) == "done"
    for action in actions:
        assert code(at.act(user, action)) == "done"
    projector.catch_up()
    return Result.objects.filter(user=user).latest("pk")


def tally(user: User, key: str = Tally.ALL) -> Tally:
    """The last day of this player."""
    return Tally.objects.filter(user=user, rules_key=key).latest("day")


# All of it, at random


@pytest.mark.parametrize("seed", range(2))
def test_weeks_at_all_tables_are_written_down_as_they_were_played(seed: int) -> None:
    week = Week(seed)
    week.play(45)
    assert_all_is_written(reckoned())
    assert len({day for _, _, day in written().tallies}) > 5
    assert faults() == []


def test_who_empties_the_history_begins_at_nothing_and_keeps_the_standing(
    time_machine: TimeMachineFixture,
) -> None:
    week = Week(seed=2)
    week.play(25)
    projector.catch_up()
    standing = Standing.objects.get(user=week.people[0])
    week.now += dt.timedelta(minutes=1)
    time_machine.move_to(week.now, tick=False)
    reset_history(week.people[0].pk)
    assert not Tally.objects.filter(user=week.people[0]).exists()
    assert Standing.objects.get(user=week.people[0]) == standing
    week.play(25)
    assert_all_is_written(reckoned())
    assert faults() == []


# One thing at a time


def test_a_blackjack_is_written_down(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("As 9h Kd 7c")
    sit_down(casino, ann)
    result = play(casino, ann, 1500)
    assert (result.outcome, result.stake, result.payout, result.net) == (
        "blackjack", 1500, 3750, 2250,
    )  # fmt: skip
    assert (result.decisions, result.seat, result.finished_at) == (0, 1, casino.now)
    day = tally(ann, "casino")
    assert (day.rounds, day.won, day.blackjacks, day.biggest_win) == (1, 1, 1, 2250)


def test_what_is_won_and_lost_after_a_split_is_a_push_and_two_hands(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s Td 8d 9c Kc 3d 9s")  # 18 and 11, that takes a 9: 20, against 19
    sit_down(casino, ann)
    result = play(casino, ann, 1000, "split", "stand", "hit", "stand")
    assert (result.outcome, result.stake, result.payout, result.decisions) == (
        "push", 2000, 2000, 4,
    )  # fmt: skip
    day = tally(ann)
    assert (day.rounds, day.pushed, day.splits, day.doubles, day.busts) == (1, 1, 1, 0, 0)


def test_a_double_after_a_split_decides_the_round(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s Td 8d 9c Kc 3d 9s")
    sit_down(casino, ann)
    result = play(casino, ann, 1000, "split", "stand", "double")
    assert (result.outcome, result.stake, result.payout) == ("win", 3000, 4000)
    day = tally(ann)
    assert (day.won, day.splits, day.doubles, day.net) == (1, 1, 1, 1000)


def test_an_insurance_changes_the_money_and_not_who_won(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts As 9h Kd")
    sit_down(vegas, ann)
    result = play(vegas, ann, 2000, "insure")
    assert (result.outcome, result.stake, result.payout, result.decisions) == (
        "lose", 3000, 3000, 1,
    )  # fmt: skip
    day = tally(ann)
    assert (day.lost, day.staked, day.net, day.biggest_win) == (1, 3000, 0, 0)


def test_who_surrenders_has_lost_half(vegas: TableClient, ann: User, stack: Stack) -> None:
    stack("Ts 9h 6d Kc 5h")
    sit_down(vegas, ann)
    result = play(vegas, ann, 1000, "surrender")
    assert (result.outcome, result.net, result.decisions) == ("surrender", -500, 1)
    assert (tally(ann).lost, tally(ann).busts) == (1, 0)


def test_rounds_without_stakes_are_counted_and_stand_on_no_leaderboard(
    classic: TableClient, ann: User
) -> None:
    sit_down(classic, ann)
    classic.bet(ann, 0)
    while classic.view.asked is not None:
        classic.act(ann, "stand")
    projector.catch_up()
    result = Result.objects.get()
    assert (result.stake, result.payout) == (0, 0)
    assert (tally(ann).rounds, tally(ann).staked, tally(ann).biggest_win) == (1, 0, 0)
    assert not Standing.objects.exists()


def test_rounds_at_private_tables_are_counted_and_stand_on_no_leaderboard(
    ann: User, stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    at = made_by(ann, is_private=True)
    sit_down(at, ann)
    play(at, ann, 1000)
    assert tally(ann).net == 1500
    assert not Standing.objects.exists()


def test_the_standing_rounds_down(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("Ts 9h 8d Kc", "Ts 9h 8d Kc", "As 9h Kd 7c")  # twice 18 against 19, and a blackjack
    sit_down(casino, ann)
    for stake, *actions in ((2000, "stand"), (2000, "stand"), (1000,)):
        play(casino, ann, stake, *actions)
    standing = Standing.objects.get(user=ann)
    assert (standing.rounds, standing.net, standing.per_hundred) == (3, -2500, -83_334)


def test_each_of_two_players_has_a_result(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("As Ts 9h Kd 6d 7c Kh")  # a blackjack, 16 that busts, and the dealer's 16
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 2000)
    casino.act(ben, "hit")
    projector.catch_up()
    results = {(r.user_id, r.outcome, r.net, r.decisions) for r in Result.objects.all()}
    assert results == {(ann.pk, "blackjack", 1500, 0), (ben.pk, "bust", -2000, 1)}
    assert (tally(ann).busts, tally(ben).busts) == (0, 1)


# Decisions


def test_what_the_clock_decides_is_no_decision(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("2s 9h 3d Kc 4h 5h 6d")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    casino.act(ann, "hit")
    casino.time_is_up()
    assert Result.objects.get().decisions == 1


def test_a_refused_action_and_a_repeated_one_are_no_decisions(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("2s 9h 3d Kc 4h 5h 6d")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    turn = casino.row.turn
    assert code(casino.act(ann, "split")) == "cannot_split"
    casino.act(ann, "hit", turn)
    assert code(casino.act(ann, "hit", turn)) == "stale_turn"
    casino.act(ann, "stand")
    assert Result.objects.get().decisions == 2


def test_what_is_decided_for_who_left_is_no_decision(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("2s 9h 3d Kc 4h 5h 6d")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    casino.act(ann, "hit")
    casino.leave(ann)
    while casino.view.asked is not None:
        casino.time_is_up()
    assert Result.objects.get().decisions == 1


def test_decisions_are_counted_anew_in_every_round(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("2s 9h 3d Kc 4h 5h 6d", "Ts 9h 8d Kc")
    sit_down(casino, ann)
    assert play(casino, ann, 1000, "hit", "hit", "stand").decisions == 3
    assert play(casino, ann, 1000, "stand").decisions == 1


# Streaks

WON, LOST, PUSHED = "Ts 9h 9d 8c", "Ts 9h 8d Kc", "Ts 9h 9d Kc"


def play_in_turn(at: TableClient, user: User, stack: Stack, *shoes: str) -> None:
    stack(*shoes)
    at.sit(user, 1)
    for _ in shoes:
        play(at, user, 1000, "stand")


def test_a_push_does_not_end_a_streak_and_a_loss_does(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    play_in_turn(casino, ann, stack, WON, WON, PUSHED, WON, LOST, WON)
    day = tally(ann)
    assert (day.won, day.lost, day.pushed) == (4, 1, 1)
    assert (day.longest_streak, day.streak) == (3, 1)


def test_a_streak_goes_on_over_days_without_play(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    play_in_turn(casino, ann, stack, LOST, WON, WON)
    casino.later(5 * 24 * 3600)
    play_in_turn(casino, ann, stack, PUSHED, WON, LOST)
    days = Tally.objects.filter(user=ann, rules_key="").order_by("day")
    assert [(day.longest_streak, day.streak) for day in days] == [(2, 2), (3, 0)]


def test_a_streak_of_one_rule_set_goes_on_while_another_is_lost(
    casino: TableClient, pot: TableClient, ann: User, stack: Stack
) -> None:
    play_in_turn(casino, ann, stack, WON)
    casino.leave(ann)
    pot.now = casino.now + dt.timedelta(seconds=1)
    play_in_turn(pot, ann, stack, "Ts 8d 9h Kc")  # 18 against 19: player by player
    casino.later(2)
    play_in_turn(casino, ann, stack, WON)
    assert tally(ann, "casino").longest_streak == 2
    assert tally(ann).longest_streak == 1


# Games


def test_the_first_hand_of_a_game_opens_it(piles: TableClient, ann: User) -> None:
    sit_down(piles, ann)
    for _ in range(3):
        piles.bet(ann, 0)
        while piles.view.asked is not None:
            piles.act(ann, "stand")
    results = Result.objects.order_by("pk")
    assert [result.opens_game for result in results] == [True, False, False]
    assert {result.game_id for result in results} == {Round.objects.latest("pk").shoe_id}


def test_a_game_goes_on_in_an_emptied_history(
    piles: TableClient, ann: User, time_machine: TimeMachineFixture
) -> None:
    sit_down(piles, ann)
    for number in range(4):
        if number == 2:
            time_machine.move_to(piles.now + dt.timedelta(seconds=1), tick=False)
            reset_history(ann.pk)
            piles.later(2)
        piles.bet(ann, 0)
        while piles.view.asked is not None:
            piles.act(ann, "stand")
    results = Result.objects.order_by("pk")
    assert [result.opens_game for result in results] == [True, False, True, False]


# What waits while a history is emptied


def test_a_round_that_waited_while_the_history_was_emptied_is_not_counted(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    """Its time is from before, so the history does not show it either."""
    stack(WON)
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    User.objects.filter(pk=ann.pk).update(history_since=casino.now + dt.timedelta(seconds=1))
    casino.act(ann, "stand")
    projector.catch_up()
    assert Result.objects.get().outcome == Outcome.WIN
    assert not Tally.objects.filter(rounds__gt=0).exists()
    assert Standing.objects.get().rounds == 1
    assert faults() == []
