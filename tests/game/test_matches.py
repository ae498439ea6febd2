"""A match: the same stack for everybody, a fixed number of rounds, and a winner."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable

import pytest

from accounts.lib.sql import optimistic
from accounts.models import User
from accounts.users.deletion import deleted_user_name
from tables import access
from tables.game.account_deletion import delete_account
from tables.game.deadlines import apply_deadline
from tables.game.matches.opening import Banned, MatchGoesOn, open_match, open_rematch
from tables.models import Change, Match, MatchPlayer, Result, Table
from tables.protocol.commands import (
    AskTopUp,
    Ban,
    Close,
    Free,
    GiveStack,
    Pause,
    SitOut,
    StartMatch,
    TopUp,
)
from tables.realtime import presence
from tests.helpers.rounds import faults, of_type, sit_down, types
from tests.helpers.table_client import TableClient, balance_of, code, events, refusal
from tests.state_machine.fault_points import Killed, dying

pytestmark = pytest.mark.django_db

STACK = 50_000
ANN_WINS = "Ts Kd 9c 9h 8c 7d 2s 3s 4s 5s"
"""Two players and the dealer: ann has 19, ben 18 and the dealer 17 or less."""


def start() -> StartMatch:
    return StartMatch(uuid.uuid4())


def new_match(host: User, rounds: int | None = 5, **settings: object) -> TableClient:
    table = open_match(
        name="The final", rules_key="casino", rules_options={}, host_id=host.pk, rounds=rounds,
        stack=STACK, **settings,
    )  # fmt: skip
    return TableClient(table.pk)


@pytest.fixture
def match(ann: User, ben: User) -> TableClient:
    """A match of ann, who is its host, and ben; it has begun."""
    at = new_match(ann)
    sit_down(at, ann, ben)
    assert code(at.send(ann, start())) == "done"
    return at


def row_of(at: TableClient) -> Match:
    return Match.objects.get(tables=at.table_id)


def standings(at: TableClient) -> list[tuple[str, int, int]]:
    """Name, place and change of the stack since the start, the best one first."""
    assert at.view.match is not None
    return [(one.player, one.place, one.stack - STACK) for one in at.view.match.standings]


def run_out_the_clock(at: TableClient) -> list[dict[str, object]]:
    at.now = (at.row.deadline_at or at.now) if at.row.deadline_at else at.now
    at.later(1)
    return [
        event for change in apply_deadline(at.table_id, at.now) for event in change.changed.events
    ]


def play_by_the_clock(at: TableClient) -> list[dict[str, object]]:
    """A round in which nobody does anything."""
    number, event_dicts = at.row.round_count, run_out_the_clock(at)
    while at.row.round_count == number or at.view.phase == "playing":
        event_dicts += run_out_the_clock(at)
    return event_dicts


def test_nobody_bets_before_the_host_starts_the_match(ann: User, ben: User, cleo: User) -> None:
    at = new_match(ann)
    at.sit(ann, 1)
    assert code(at.bet(ann, 1000)) == "match_waits"
    assert code(at.send(ann, start())) == "too_few_players"
    at.sit(ben, 2)
    assert code(at.send(ben, start())) == "not_maker"
    event_dicts = events(at.send(ann, start()))
    assert event_dicts == [{"type": "match_started", "rounds": 5}]
    assert standings(at) == [("ann", 1, 0), ("ben", 1, 0)]
    assert at.row.deadline_at is not None, "the clock for bets starts by itself"
    assert code(at.sit(cleo, 3)) == "match_running"
    assert code(at.queue_up(cleo)) == "match_running"
    assert row_of(at).state == Match.State.RUNNING


def test_two_starts_begin_one_match(match: TableClient, ann: User) -> None:
    assert code(match.send(ann, start())) == "match_started"
    assert MatchPlayer.objects.count() == 2
    command = start()
    assert code(match.send(ann, command)) == "match_started"


def test_after_each_round_everybody_hears_who_leads(
    match: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack(ANN_WINS)
    match.bet(ann, 2000)
    match.bet(ben, 1000)
    match.act(ann, "stand")
    event_dicts = events(match.act(ben, "stand"))
    ended = of_type(event_dicts, "match_round_ended")
    assert [(one["number"], one["rounds"], one["leaders"]) for one in ended] == [(1, 5, ["ann"])]
    assert match.view.match is not None
    first = match.view.match.standings[0]
    assert (first.player, first.change) == ("ann", first.stack - STACK)
    assert row_of(match).played == 1
    assert match.row.deadline_at is not None
    assert faults() == []


def test_who_does_not_bet_in_time_bets_the_smallest_bet(
    match: TableClient, ann: User, ben: User
) -> None:
    match.bet(ann, 5000)
    event_dicts = run_out_the_clock(match)
    placed = of_type(event_dicts, "bet_placed")
    assert placed == [{"type": "bet_placed", "seat": 2, "stake": 1000}]
    assert match.row.round_count == 1
    assert faults() == []


def test_a_bet_that_is_taken_back_gives_no_more_time(match: TableClient, ann: User) -> None:
    deadline = match.row.deadline_at
    match.later(5)
    match.bet(ann, 5000)
    match.take_back(ann)
    assert match.row.deadline_at == deadline


def test_it_ends_after_its_last_round_with_a_winner(match: TableClient, ann: User) -> None:
    for _ in range(5):
        event_dicts = play_by_the_clock(match)
    (ended,) = of_type(event_dicts, "match_ended")
    assert ended["winners"] == [name for name, place, _ in standings(match) if place == 1]
    row = row_of(match)
    assert (row.state, row.played) == (Match.State.OVER, 5)
    stored = MatchPlayer.objects.order_by("place", "pk")
    assert [(one.user.username, one.place) for one in stored] == [
        (name, place) for name, place, _ in standings(match)
    ]
    assert match.row.deadline_at is None
    assert code(match.bet(ann, 1000)) == "match_over"
    assert faults() == []


def test_who_leaves_is_out_and_the_other_has_won(match: TableClient, ann: User, ben: User) -> None:
    match.bet(ann, 1000)
    event_dicts = events(match.leave(ben))
    assert types(event_dicts) == ["player_left", "bet_returned", "match_ended"]
    assert event_dicts[-1] == {"type": "match_ended", "winners": ["ann"], "because": ""}
    assert match.view.match is not None
    assert [(one.player, one.place, one.left) for one in match.view.match.standings] == [
        ("ann", 1, False),
        ("ben", 2, True),
    ]
    assert faults() == []


def test_who_leaves_with_the_largest_stack_is_behind_those_who_play_on(
    ann: User, ben: User, cleo: User, stack: Callable[..., None]
) -> None:
    at = new_match(ann)
    sit_down(at, ann, ben, cleo)
    at.send(ann, start())
    stack("Ts 9d 8d 7c Ah 9h 8c Td 2s 3s 4s 5s 6s")  # ann has a blackjack
    at.bet(ann, 20_000)
    at.bet(ben, 1000)
    at.bet(cleo, 1000)
    while at.view.phase == "playing":
        decision = at.view.asked
        assert decision
        at.act([ann, ben, cleo][decision.seat - 1], "stand")
    assert standings(at)[0][0] == "ann"
    at.leave(ann)
    assert standings(at)[-1][0] == "ann"
    assert row_of(at).state == Match.State.RUNNING


def test_who_has_less_than_the_smallest_bet_is_out(
    match: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("9s Td Tc 9h Tc Td 2s 3s 4s")  # the dealer has 20, ann 18
    match.bet(ann, 50_000)
    match.bet(ben, 1000)
    match.act(ann, "stand")
    event_dicts = events(match.act(ben, "stand"))
    assert {
        "type": "player_left",
        "seat": 1,
        "player": "ann",
        "reason": "out_of_match",
    } in event_dicts
    assert event_dicts[-1]["winners"] == ["ben"]
    assert row_of(match).state == Match.State.OVER
    assert faults() == []


def test_a_player_without_an_open_page_stays_in_the_match(match: TableClient) -> None:
    for _ in range(3):
        match.later(100)
        presence.update_table(match.table_id, "p", {}, match.now)
    assert match.row.seats.filter(away_since__isnull=False).count() == 2


def test_who_closes_the_page_after_the_match_has_left(match: TableClient, ann: User) -> None:
    """As who goes on to the next match: nobody waits for a connection that is not lost."""
    while row_of(match).state == Match.State.RUNNING:
        match.time_is_up()
    match.later(100)
    (change,) = presence.update_table(match.table_id, "p", {ann.pk: 1}, match.now).changes
    event_dicts = [dict(event) for event in change.changed.events]
    assert event_dicts == [{"type": "player_left", "seat": 2, "player": "ben", "reason": "left"}]
    assert [seat.user_id for seat in match.row.seats.all()] == [ann.pk]


def test_the_host_puts_nobody_out(match: TableClient, ann: User) -> None:
    assert code(match.send(ann, Free(uuid.uuid4(), 2))) == "match_running"
    assert code(match.send(ann, Ban(uuid.uuid4(), "ben", on=True))) == "match_running"
    assert match.row.seats.count() == 2


def test_no_clock_runs_while_the_host_has_paused_it(match: TableClient, ann: User) -> None:
    match.send(ann, Pause(uuid.uuid4(), on=True))
    assert match.row.deadline_at is None
    match.send(ann, Pause(uuid.uuid4(), on=False))
    assert match.row.deadline_at is not None


def test_a_match_whose_table_is_closed_is_broken_off(match: TableClient, ann: User) -> None:
    event_dicts = events(match.send(ann, Close(uuid.uuid4())))
    (ended,) = of_type(event_dicts, "match_ended")
    assert ended["winners"] == []
    row = row_of(match)
    assert row.state == Match.State.BROKEN_OFF
    assert row.ended_because == ended["because"]


def test_a_host_who_deletes_the_account_leaves_the_match_to_the_others(
    ann: User, ben: User, cleo: User
) -> None:
    at = new_match(ann)
    sit_down(at, ann, ben, cleo)
    at.send(ann, start())
    delete_account(ann.pk, at.now)
    assert at.view.maker == "ben"
    assert row_of(at).state == Match.State.RUNNING
    assert at.view.match is not None
    assert [(one.player, one.out) for one in at.view.match.standings][-1] == (
        deleted_user_name(ann.pk),
        0,
    )


def test_a_match_goes_on_if_the_state_of_its_table_cannot_be_read(
    match: TableClient, ann: User, ben: User
) -> None:
    play_by_the_clock(match)
    match.bet(ann, 1000)
    match.bet(ben, 1000)
    Table.objects.filter(pk=match.table_id).update(state='{"version": 99}')
    match.bet(ann, 1000)
    assert match.view.match is not None
    assert (match.view.match.state, match.view.match.played) == (Match.State.RUNNING, 2)
    assert sorted(one.player for one in match.view.match.standings) == ["ann", "ben"]
    assert match.row.deadline_at is not None
    assert faults() == []


def test_again_keeps_every_setting_of_the_table(ann: User, ben: User) -> None:
    settings = {
        "rules_options": {"decks": 4}, "betting_seconds": 15, "turn_seconds": 25,
        "time_bank_seconds": 30, "is_private": True, "has_chat": False, "has_hints": False,
        "idle_minutes": 9,
    }  # fmt: skip
    at = TableClient(
        open_match(
            name="The final", rules_key="casino", host_id=ann.pk, rounds=5, stack=STACK, **settings
        ).pk
    )
    access.grant_access(at.row, ben.pk)
    sit_down(at, ann, ben)
    at.send(ann, start())
    at.leave(ben)
    table = Table.objects.get(pk=open_rematch(row_of(at).pk, ben.pk, at.now).value)
    assert {name: getattr(table, name) for name in settings} == settings


def test_again_opens_one_match_for_all(
    match: TableClient, ann: User, ben: User, cleo: User
) -> None:
    row = row_of(match)
    with pytest.raises(MatchGoesOn):
        open_rematch(row.pk, ann.pk, match.now)
    match.leave(ben)
    opened = open_rematch(row.pk, ben.pk, match.now)
    assert open_rematch(row.pk, ann.pk, match.now).value == opened.value
    assert Match.objects.count() == 2
    with pytest.raises(Match.DoesNotExist):
        open_rematch(row.pk, cleo.pk, match.now)
    table = Table.objects.get(pk=opened.value)
    assert match.view.match is not None
    assert (table.maker, table.pk) == (ben, match.view.match.rematch)
    again = TableClient(table.pk)
    assert again.view.match is not None
    assert (again.view.match.state, again.view.match.rounds) == ("waiting", 5)


@pytest.mark.parametrize(
    "where", ["before the settlement", "with the results written", "before the commit"]
)
def test_case_65_a_match_that_dies_in_its_last_round_ends_once(
    match: TableClient, where: str
) -> None:
    while match.row.round_count < 5:
        run_out_the_clock(match)
    while row_of(match).state == Match.State.RUNNING:
        before = (match.row.seq, row_of(match).played, match.view.match)
        with contextlib.suppress(Killed), dying(where):
            run_out_the_clock(match)
        if row_of(match).state == Match.State.RUNNING:
            killed = (match.row.seq, row_of(match).played, match.view.match)
            if killed == before:
                optimistic.forget_all()
                run_out_the_clock(match)
    assert row_of(match).played == 5
    ends = [e for c in Change.objects.all() for e in c.events if e["type"] == "match_ended"]
    assert len(ends) == 1
    assert faults() == []


def test_nobody_gets_more_chips_in_a_match(match: TableClient, ann: User, ben: User) -> None:
    match.bet(ann, 10_000)
    assert code(match.send(ben, TopUp(uuid.uuid4()))) == "match_stack"
    assert code(match.send(ben, AskTopUp(uuid.uuid4()))) == "match_stack"
    assert code(match.send(ann, GiveStack(uuid.uuid4(), 1))) == "match_stack"


def test_a_match_is_played_with_chips_and_no_money_moves(match: TableClient, ann: User) -> None:
    before = balance_of(ann)
    for _ in range(5):
        play_by_the_clock(match)
    assert balance_of(ann) == before
    assert {one.round.table_id for one in Result.objects.all()} == {match.table_id}
    assert faults() == []


def test_a_player_who_changes_the_name_has_the_new_one_in_the_standings(
    match: TableClient, ann: User, ben: User
) -> None:
    User.objects.filter(pk=ben.pk).update(username="benjamin")
    optimistic.forget_all()
    assert sorted(name for name, *_ in standings(match)) == ["ann", "benjamin"]
    match.leave(ben)
    assert match.view.match is not None
    assert [one.player for one in match.view.match.standings] == ["ann", "benjamin"]


def test_nobody_sits_out_in_a_match(match: TableClient, ann: User) -> None:
    """Who sits out would keep the whole stack while others play."""
    message = refusal(match.send(ann, SitOut(uuid.uuid4(), on=True)))
    assert message == "In a match, everyone plays every round."
    assert not any(seat.sitting_out for seat in match.view.seats)


def test_who_is_banned_opens_no_next_match_and_is_banned_there(
    match: TableClient, ann: User, ben: User
) -> None:
    match.leave(ben)
    assert code(match.send(ann, Ban(uuid.uuid4(), "ben", on=True))) == "done"
    row = row_of(match)
    with pytest.raises(Banned):
        open_rematch(row.pk, ben.pk, match.now)
    table = Table.objects.get(pk=open_rematch(row.pk, ann.pk, match.now).value)
    assert access.is_banned(table, ben.pk)


def test_a_next_match_whose_table_was_closed_does_not_end_the_evening(
    match: TableClient, ann: User, ben: User
) -> None:
    match.leave(ben)
    row = row_of(match)
    opened = open_rematch(row.pk, ben.pk, match.now).value
    TableClient(opened).send(ben, Close(uuid.uuid4()))
    again = open_rematch(row.pk, ann.pk, match.now).value
    assert again != opened
    assert match.view.match is not None
    assert match.view.match.rematch == again
