"""A player decides ahead, or takes it back, in the very moment in which the turn comes."""

from __future__ import annotations

import uuid
from collections import Counter
from functools import partial

import pytest
from django.utils import timezone

from accounts.models import User
from tables.game import commands, deadlines
from tables.game.commands import QueuedCommand
from tables.models import Change, Table
from tables.protocol.commands import DecideAhead, SitOut, Stand, TableCommand
from tables.protocol.plans import Plan
from tables.realtime.best_play.change import play_best
from tables.realtime.best_play.thread import find_best_action
from tests.helpers.rounds import faults, new_table, sit_down
from tests.helpers.table_client import TableClient, code, new_player
from tests.multiprocess.parallel import at_once

pytestmark = pytest.mark.django_db(transaction=True)
TIMES = 12


@pytest.fixture
def people(db: None) -> tuple[User, User]:
    return new_player("ann"), new_player("ben")


@pytest.fixture
def at(people: tuple[User, User]) -> TableClient:
    row = new_table("classic")
    sit_down(row, *people)
    return row


def deal(at: TableClient, *people: User) -> int:
    for user in people:
        assert code(at.bet(user, 0)) == "done"
    return at.row.turn


def execute(at: TableClient, user: User, command: TableCommand) -> str:
    return code(commands.execute_one(QueuedCommand(at.table_id, user.pk, command), timezone.now()))


def count_events(at: TableClient, name: str) -> int:
    changes = Change.objects.filter(table=at.table_id, round=at.live.game.round_id)
    return sum(event["type"] == name for change in changes for event in change.events)


def test_a_plan_is_played_once_or_taken_back_never_both(
    at: TableClient, people: tuple[User, User]
) -> None:
    ann, ben = people
    counts: Counter[str] = Counter()
    for _ in range(TIMES):
        turn = deal(at, ann, ben)
        assert execute(at, ben, DecideAhead(uuid.uuid4(), turn, Plan.STAND)) == "done"
        stood, back = at_once(
            [
                lambda turn=turn: execute(at, ann, Stand(uuid.uuid4(), turn)),
                lambda turn=turn: execute(at, ben, DecideAhead(uuid.uuid4(), turn, None)),
            ]
        )
        assert stood == "done"
        assert back in ("done", "too_late")
        assert count_events(at, "plan_played") == (back == "too_late")
        counts[back] += 1
        if at.row.phase == Table.Phase.PLAYING:
            assert execute(at, ben, Stand(uuid.uuid4(), at.row.turn)) == "done"
        assert at.live.game.plans == {}
    assert sum(counts.values()) == TIMES
    assert faults() == []


def test_many_clicks_leave_one_plan(at: TableClient, people: tuple[User, User]) -> None:
    ann, ben = people
    turn = deal(at, ann, ben)
    chosen = [Plan.STAND, Plan.HIT_TO_17, None, Plan.STAND, Plan.BEST, None]
    replies = at_once(
        [
            lambda plan=plan: execute(at, ben, DecideAhead(uuid.uuid4(), turn, plan))
            for plan in chosen
        ]
    )
    assert set(replies) == {"done"}
    assert at.live.game.plans.keys() <= {2}


def test_the_best_play_of_several_processes_is_played_once(
    at: TableClient, people: tuple[User, User]
) -> None:
    ann, ben = people
    for _ in range(TIMES // 2):
        turn = deal(at, ann, ben)
        assert execute(at, ben, DecideAhead(uuid.uuid4(), turn, Plan.BEST)) == "done"
        assert execute(at, ann, Stand(uuid.uuid4(), turn)) == "done"
        while at.row.phase == Table.Phase.PLAYING:
            turn = at.row.turn
            action, before = find_best_action(at.table_id, turn), count_events(at, "plan_played")
            at_once(
                [
                    *[partial(play_best, at.table_id, turn, action, timezone.now())] * 4,
                    lambda: deadlines.apply_deadline(at.table_id, timezone.now()),
                ]
            )
            assert count_events(at, "plan_played") == before + 1


def test_who_sits_out_as_the_other_bets_is_not_dealt_in(
    at: TableClient, people: tuple[User, User]
) -> None:
    ann, ben = people
    for _ in range(TIMES):
        turn = at.row.turn
        replies = at_once(
            [
                lambda: code(at.bet(ann, 0)),
                lambda: execute(at, ben, SitOut(uuid.uuid4(), on=True)),
            ]
        )
        assert replies == ["done", "done"]
        assert at.live.game.players == {1: ann.pk}
        while at.row.phase == Table.Phase.PLAYING:
            assert execute(at, ann, Stand(uuid.uuid4(), at.row.turn)) == "done"
        assert at.row.turn > turn
        # A round with both, or ben cannot sit out again.
        for user in (ben, ann):
            assert code(at.bet(user, 0)) == "done"
        while (decision := at.view.asked) is not None:
            stand = Stand(uuid.uuid4(), at.row.turn)
            assert execute(at, {1: ann, 2: ben}[decision.seat], stand) == "done"
