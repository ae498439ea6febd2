"""A shoe that runs out inside a round: void, every stake back, and the table goes on."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.test import Client

from accounts.audit_log import Operator
from accounts.models import STARTING_GRANT, User
from tables.engine.errors import OptionError
from tables.game import deadlines
from tables.game.aborted_rounds import IS_OUT_OF_CARDS
from tables.models import Result, Round, Table
from tables.operators.players import freezing
from tables.realtime import presence
from tests.helpers.rounds import faults, least_stake, new_table, play_round, sit_down, types
from tests.helpers.table_client import TableClient, balance_of, code, events

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
START = STARTING_GRANT
DEALER_DRAWS = {
    "casino": "Ts 6h 8d 6c",
    "vegas": "Ts 6h 8d 6c",
    "pot": "Ts 8d 6h 6c",
    "classic": "Ts 8d 6h 6c",
    "heads-up": "Ts 8d 6h 6c",
}
"""Eighteen against twelve, and not one card more."""


def dealt(key: str, stack: Stack, user: User, **options: Any) -> TableClient:
    """A round in which whatever is done next takes a card that is not there."""
    stack(DEALER_DRAWS[key])
    at = new_table(key, **options)
    sit_down(at, user)
    assert code(at.bet(user, least_stake(at))) == "done"
    assert at.live.game.is_playing
    return at


def verify_broken_off(at: TableClient, event_dicts: list[dict[str, Any]], *players: User) -> None:
    """Everything is as it was before the bets, and the next round can be played."""
    round_ = Round.objects.latest("pk")
    because = str(IS_OUT_OF_CARDS)
    assert {
        "type": "round_broken_off",
        "round": round_.pk,
        "because": because,
        "number": round_.number,
    } in event_dicts
    assert round_.finished_at is not None
    assert round_.voided_at is not None
    assert (at.row.phase, at.row.deadline_at, at.chips.staked) == ("betting", None, 0)
    assert [balance_of(user) for user in players] == [START] * len(players)
    assert faults() == []


def verify_goes_on(at: TableClient, *players: User) -> None:
    for user in players:
        assert code(at.bet(user, least_stake(at))) == "done"
    assert at.live.game.round is not None
    assert Round.objects.count() == 2
    assert faults() == []


every_rule_set = pytest.mark.parametrize("key", DEALER_DRAWS)


@every_rule_set
@pytest.mark.parametrize("action", ["stand", "hit"])
def test_case_49_a_command_that_takes_more_cards_than_there_are_ends_the_round(
    key: str, action: str, ann: User, stack: Stack
) -> None:
    at = dealt(key, stack, ann)
    played = at.act(ann, action)
    assert code(played) == "done"
    verify_broken_off(at, events(played), ann)
    assert Result.objects.get().outcome == "void"
    verify_goes_on(at, ann)


@every_rule_set
def test_case_49_a_clock_that_runs_out_there_ends_the_round(
    key: str, ann: User, stack: Stack
) -> None:
    at = dealt(key, stack, ann)
    (change,) = at.time_is_up()
    verify_broken_off(at, list(change.changed.events), ann)
    verify_goes_on(at, ann)


@every_rule_set
def test_case_49_a_leave_there_frees_the_seat(key: str, ann: User, stack: Stack) -> None:
    at = dealt(key, stack, ann)
    played = at.leave(ann)
    assert code(played) == "done"
    verify_broken_off(at, events(played), ann)
    assert at.live.seats == {}


def test_a_freeze_there_frees_the_seat(
    ann: User, operator: Callable[..., User], stack: Stack
) -> None:
    at = dealt("casino", stack, ann)
    by = Operator(operator("manager").pk, "192.0.2.7")
    effects = freezing.freeze(by, ann.pk, "Cheats.", at.now)
    verify_broken_off(at, list(effects.changes[-1].changed.events), ann)
    assert at.live.seats == {}


def test_what_the_same_change_staked_before_comes_back_too(
    ann: User, ben: User, stack: Stack
) -> None:
    """Ann doubles; ben has left, so that his hand stands at once; the dealer finds no card."""
    stack("6s Ts 6h 5d 8d 6c 9s")
    at = new_table("casino", seats=2)
    sit_down(at, ann, ben)
    for user in (ann, ben):
        at.bet(user, 1000)
    at.leave(ben)
    played = at.act(ann, "double")
    assert code(played) == "done"
    verify_broken_off(at, events(played), ann, ben)
    assert [seat.user for seat in at.live.seats.values()] == [ann]
    assert {result.user_id for result in Result.objects.all()} == {ann.pk, ben.pk}
    verify_goes_on(at, ann)


def test_a_round_that_runs_out_as_it_is_dealt_gives_the_bets_back(
    ann: User, ben: User, stack: Stack
) -> None:
    stack("As 9s 6h Ks 9d 6c", "As 6h Ks 6c")
    at = new_table("casino", natural_pays="none", peek=False)
    sit_down(at, ann, ben)
    at.bet(ann, 1000)
    at.bet(ben, 1000)
    (change,) = at.time_is_up()
    verify_broken_off(at, list(change.changed.events), ann, ben)
    at.leave(ben)
    played = at.bet(ann, 1000)
    assert "round_broken_off" in types(events(played))
    assert at.live.game.bets == {}
    assert not Result.objects.filter(round=Round.objects.latest("pk")).exists()
    assert faults() == []


def test_a_seat_that_is_given_up_may_deal_such_a_round(ann: User, ben: User, stack: Stack) -> None:
    stack("As 6h Ks 6c")
    at = new_table("casino", natural_pays="none", peek=False, seats=2)
    sit_down(at, ann, ben)
    at.bet(ann, 1000)
    at.later(10)
    presence.update_table(at.table_id, "a", {ann.pk: 1}, at.now)
    at.later(61)
    noted = presence.update_table(at.table_id, "a", {ann.pk: 1}, at.now)
    event_dicts = [event for change in noted.changes for event in change.changed.events]
    assert "player_left" in types(event_dicts)
    verify_broken_off(at, event_dicts, ann)
    verify_goes_on(at, ann)


def test_who_had_won_already_keeps_it(ann: User, ben: User, stack: Stack) -> None:
    """Ann's blackjack was paid with the deal; then the dealer draws to ben's hand."""
    stack("As Ts 6h Ks 8d 6c")
    at = new_table("casino", seats=2)
    sit_down(at, ann, ben)
    for user in (ann, ben):
        at.bet(user, 1000)
    assert balance_of(ann) == START + 1500
    at.act(ben, "stand")
    assert (balance_of(ann), balance_of(ben)) == (START + 1500, START)
    assert at.chips.staked == 0
    assert faults() == []


def test_case_49_a_table_that_is_not_accepted_any_more_is_played_on(
    ann: User, client: Client
) -> None:
    """It was opened when it still was: pages, clocks and the audit go on, and so does the game."""
    options = {"decks": 1, "seats": 1, "max_hands": 1}
    with pytest.raises(OptionError, match="only 13 cards left"):
        new_table("vegas", **options)
    at = new_table("vegas")
    Table.objects.filter(pk=at.table_id).update(rules_options=options)
    assert client.get("/").status_code == 200
    assert client.get(f"/tables/{at.table_id}/").status_code == 200
    sit_down(at, ann)
    chance = Random(9)
    for _ in range(40):
        play_round(at, [ann], chance)
        cards = at.live.game.shoe and at.live.game.shoe.cards
        assert cards is None or cards.left >= 17
    assert client.get(f"/rounds/{Round.objects.latest('pk').pk}/").status_code == 200
    assert deadlines.list_timed_tables() == []
    assert faults() == []
