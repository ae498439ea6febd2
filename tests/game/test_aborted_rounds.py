"""A round that cannot be gone on with: void, every stake back, and a word to its players."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from random import Random

import pytest
from django.test import Client

from accounts.audit_log import Operator
from accounts.models import STARTING_GRANT, User, WalletEntry
from tables.engine.presets import PRESETS
from tables.game import deadlines, recovery
from tables.game.aborted_rounds import IS_TOO_OLD, IS_UNREADABLE
from tables.models import Change, Result, Round, Seat, Void
from tables.operators.players import freezing
from tables.state.game_state import UnreadableState
from tests.helpers.rounds import faults, least_stake, new_table, play_round, sit_down
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient, balance_of, code, events

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
START = STARTING_GRANT
UNREADABLE = ('{"version": 99}', "not JSON", '{"version": 2}', '{"version": 2, "shoe": 7}', "[]")


def damage(at: TableClient, state: str = UNREADABLE[0]) -> None:
    row = at.row
    row.state = state
    row.save(update_fields=["state"])


def in_play(key: str, *players: User) -> TableClient:
    """A table in the middle of its second round, one finished before."""
    for seed in range(50):
        at = new_table(key)
        people = players[: at.row.rules.seats]
        sit_down(at, *people)
        play_round(at, people, Random(seed))
        for user in people:
            assert code(at.bet(user, least_stake(at))) == "done"
        if at.live.game.is_playing:
            return at
        for user in people:
            at.leave(user)
    raise AssertionError("every second round was over with its first cards")


def won_by(user: User, round_: Round) -> int:
    """What the round has brought this player by now, in hundredths."""
    own = WalletEntry.objects.filter(round=round_.pk, wallet__user=user)
    return sum(entry.amount for entry in own)


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def tell_of(round_: Round, *, because: str) -> dict[str, object]:
    return {
        "type": "round_broken_off",
        "round": round_.pk,
        "because": because,
        "number": round_.number,
    }


@pytest.mark.parametrize("key", PRESETS)
def test_a_round_that_cannot_be_read_gives_every_stake_back(key: str, ann: User, ben: User) -> None:
    at = in_play(key, ann, ben)
    people = [seat.user for seat in Seat.objects.filter(table=at.table_id).order_by("number")]
    round_ = Round.objects.latest("pk")
    best = {user.pk: balance_of(user) + max(0, -won_by(user, round_)) for user in people}
    results_before = Result.objects.count()
    damage(at)
    (change,) = recovery.resume_after_outage(at.table_id, at.now)
    assert tell_of(round_, because=str(IS_UNREADABLE)) in change.changed.events
    assert {user.pk: balance_of(user) for user in people} == best
    assert at.chips.staked == 0
    assert faults() == []
    assert not list_hands(round=round_)
    void = Result.objects.filter(round=round_)
    assert {result.user_id: result.outcome for result in void} == dict.fromkeys(best, "void")
    assert Result.objects.count() == results_before + len(people)
    for user in people:
        assert code(at.bet(user, least_stake(at))) == "done"
    assert at.live.game.round is not None


@pytest.mark.parametrize("state", UNREADABLE)
def test_whatever_lies_there_is_found_unreadable(
    casino: TableClient, ann: User, state: str
) -> None:
    casino.sit(ann, 1)
    damage(casino, state)
    with pytest.raises(UnreadableState):
        _ = casino.live
    assert faults() == [f"the state of table {casino.table_id} cannot be read: {_why(casino)}"]


def _why(at: TableClient) -> str:
    with pytest.raises(UnreadableState) as error:
        _ = at.live
    return str(error.value)


def test_what_is_said_about_a_damaged_state_tells_no_card(casino: TableClient, ann: User) -> None:
    damage(casino, '{"version": 2, "shoe": {"cards": "Xs Kd"}}')
    assert "Kd" not in _why(casino)


def test_whoever_comes_first_finds_the_table_in_order(ann: User, ben: User) -> None:
    by_page, by_command, by_clock = (in_play("casino", ann, ben) for _ in range(3))
    for at in (by_page, by_command, by_clock):
        damage(at)
    assert as_(ann).get(f"/tables/{by_page.table_id}/").status_code == 200
    assert by_page.view.asked is None
    played = by_command.act(ann, "stand")
    assert code(played) in ("stale_turn", "wrong_phase")
    assert "round_broken_off" in [event["type"] for event in events(played)]
    assert by_command.view.asked is None
    by_clock.later(3600)
    assert deadlines.apply_deadline(by_clock.table_id, by_clock.now)
    assert by_clock.view.asked is None
    assert faults() == []


def test_bets_before_the_cards_go_back_as_well(pot: TableClient, ann: User, ben: User) -> None:
    sit_down(pot, ann, ben)
    rack = pot.chips.rack
    pot.bet(ann, 1000)
    pot.take_back(ann)
    pot.bet(ann, 2000)
    damage(pot)
    recovery.resume_after_outage(pot.table_id, pot.now)
    assert (balance_of(ann), pot.chips.rack, pot.chips.staked) == (START, rack, 0)
    assert not Result.objects.exists()
    assert faults() == []


def test_all_that_was_put_on_top_goes_back(ann: User, stack: Stack) -> None:
    stack("8s Ah 8d 9c 8h 3c 2d 5s Ts Td")
    at = new_table("vegas")
    sit_down(at, ann)
    at.bet(ann, 1000)
    for action in ("insure", "split", "split", "double"):
        assert code(at.act(ann, action)) == "done", action
    assert balance_of(ann) < START - 3000
    damage(at)
    recovery.resume_after_outage(at.table_id, at.now)
    assert balance_of(ann) == START
    assert WalletEntry.objects.filter(kind="reversal").exists()
    assert faults() == []


def test_who_has_won_already_keeps_it_and_who_has_lost_gets_it_back(
    casino: TableClient, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("As Ts 8s 9h Kd 6d 8d 7c Kc")
    sit_down(casino, ann, ben, cleo)
    for user in (ann, ben, cleo):
        casino.bet(user, 1000)
    casino.act(ben, "hit")
    assert casino.view.asked is not None
    won = balance_of(ann) - START
    assert won == 1500
    damage(casino)
    recovery.resume_after_outage(casino.table_id, casino.now)
    assert [balance_of(user) - START for user in (ann, ben, cleo)] == [won, 0, 0]
    assert faults() == []
    page = as_(ann).get(f"/rounds/{Round.objects.latest('pk').pk}/").content.decode()
    assert "You keep the 15 you had won by then." in page


def test_who_was_quitting_is_free_to_go(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("8s 9h 9d 8d 7h Ks 2c 3c")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.leave(ben)
    damage(casino)
    recovery.resume_after_outage(casino.table_id, casino.now)
    assert [seat.player for seat in casino.view.seats] == ["ann", None, None]
    assert (balance_of(ann), balance_of(ben)) == (START, START)


def test_who_was_frozen_before_the_cards_has_not_played_it(
    casino: TableClient,
    ann: User,
    ben: User,
    cleo: User,
    operator: Callable[..., User],
    stack: Stack,
) -> None:
    """The return of that bet is a change of nobody's."""
    stack("8s 9h 9d 8d 7h Ks 2c 3c")
    sit_down(casino, ann, ben, cleo)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    freezing.freeze(Operator(operator("manager").pk, "192.0.2.7"), ann.pk, "Cheats.", casino.now)
    casino.bet(cleo, 1000)
    assert casino.view.asked is not None
    damage(casino)
    recovery.resume_after_outage(casino.table_id, casino.now)
    assert {result.user for result in Result.objects.all()} == {ben, cleo}
    assert [balance_of(user) for user in (ann, ben, cleo)] == [START, START, START]
    assert faults() == []


def test_its_players_see_it_void_and_why(ann: User, ben: User) -> None:
    at = in_play("casino", ann, ben)
    round_ = Round.objects.latest("pk")
    damage(at)
    recovery.resume_after_outage(at.table_id, at.now)
    page = as_(ann).get(f"/rounds/{round_.pk}/").content.decode()
    assert "This round is void" in page
    assert str(IS_UNREADABLE) in page
    assert "The secret of its shoe was lost" in page
    assert "Replay" not in page
    assert f"/rounds/{round_.pk}/" in as_(ann).get("/history/").content.decode()
    assert as_(ann).get("/statement/").status_code == 200
    assert as_(ann).get("/history/download.json").status_code in (200, 404)
    void = Void.objects.get(round=round_)
    assert (void.asked_by, void.decided_by, void.status) == (None, None, "done")


def test_a_round_that_waited_for_a_day_is_not_gone_on_with(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8d Kc")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    round_ = Round.objects.latest("pk")
    casino.now += dt.timedelta(hours=24, minutes=5)
    (change,) = recovery.resume_after_outage(casino.table_id, casino.now)
    assert tell_of(round_, because=str(IS_TOO_OLD)) in change.changed.events
    assert balance_of(ann) == START
    assert faults() == []


def test_a_state_that_can_be_read_is_left_alone(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8d Kc")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    changes = Change.objects.count()
    assert recovery.resume_after_outage(casino.table_id, casino.now) == ()
    assert (casino.view.asked is not None, Change.objects.count()) == (True, changes)
