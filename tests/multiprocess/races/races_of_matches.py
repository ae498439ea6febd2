"""Players who start, leave, end and repeat a match at the same moment."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from functools import partial

import pytest

from accounts.models import User
from tables.game.account_deletion import delete_account
from tables.game.deadlines import apply_deadline
from tables.game.matches import duplicates
from tables.game.matches.opening import open_rematch
from tables.models import Match, MatchPlayer, Shoe, Table
from tests.game.test_duplicates import new_duplicate, table_of
from tests.game.test_matches import new_match, play_by_the_clock, row_of, start
from tests.helpers.rounds import faults, sit_down
from tests.helpers.table_client import TableClient, code, new_player
from tests.multiprocess.parallel import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ann(db: None) -> User:
    return new_player("ann")


@pytest.fixture
def ben(db: None) -> User:
    return new_player("ben")


def waiting_match(*players: User) -> TableClient:
    at = new_match(players[0])
    sit_down(at, *players)
    return at


def test_case_65_of_twelve_starts_one_begins_the_match(ann: User, ben: User) -> None:
    at = waiting_match(ann, ben)
    played = at_once([lambda: at.send(ann, start()) for _ in range(12)])
    assert Counter(map(code, played)) == {"done": 1, "match_started": 11}
    assert MatchPlayer.objects.count() == 2


@pytest.mark.parametrize("number", range(4))
def test_case_65_a_player_leaves_at_the_moment_of_the_start(
    ann: User, ben: User, number: int
) -> None:
    at = waiting_match(ann, ben)
    start_answer, leave_answer = at_once([lambda: at.send(ann, start()), lambda: at.leave(ben)])
    assert code(leave_answer) == "done"
    row = row_of(at)
    if code(start_answer) == "done":  # ben was in it, and has left it
        assert row.state == Match.State.OVER
        assert MatchPlayer.objects.get(user=ben).has_left
        assert MatchPlayer.objects.get(user=ann).place == 1
    else:
        assert code(start_answer) == "too_few_players"
        assert (row.state, MatchPlayer.objects.count()) == (Match.State.WAITING, 0)


def test_case_65_the_last_deadline_ends_the_match_once(ann: User, ben: User) -> None:
    at = waiting_match(ann, ben)
    at.send(ann, start())
    while row_of(at).state == Match.State.RUNNING:
        deadline = at.row.deadline_at
        assert deadline is not None
        late = deadline + dt.timedelta(seconds=1)
        changes = at_once([partial(apply_deadline, at.table_id, late)] * 4)
        assert sum(map(len, changes)) == 1
    assert row_of(at).played == 5
    assert faults() == []


def test_case_65_again_opens_one_match(ann: User, ben: User) -> None:
    at = waiting_match(ann, ben)
    at.send(ann, start())
    at.leave(ben)
    old = row_of(at).pk
    opened = at_once(
        [lambda user=user: open_rematch(old, user.pk, at.now).value for user in (ann, ben) * 4]
    )
    assert len(set(opened)) == 1
    assert Match.objects.count() == 2
    assert Table.objects.exclude(pk=at.table_id).count() == 1


def test_case_65_a_host_deletes_the_account_while_another_player_leaves(
    ann: User, ben: User
) -> None:
    at = waiting_match(ann, ben, new_player("cleo"))
    at.send(ann, start())
    at_once([lambda: delete_account(ann.pk, at.now), lambda: at.leave(ben)])
    row = row_of(at)
    assert row.state == Match.State.OVER
    assert row.players.get(place=1).user.username == "cleo"


def test_case_65_two_players_of_a_duplicate_match_finish_at_once(ann: User, ben: User) -> None:
    match = new_duplicate(ann)
    now = TableClient(0).now
    duplicates.enter(match.pk, ben.pk, now)
    duplicates.start(match.pk, ann.pk, now)
    tables = [table_of(match, user) for user in (ann, ben)]
    for at in tables:
        for _ in range(4):
            play_by_the_clock(at)
    at_once([lambda at=at: play_by_the_clock(at) for at in tables])
    row = Match.objects.get()
    assert row.state == Match.State.OVER
    assert not Shoe.objects.filter(secret="").exists()
    assert not row.players.filter(place=None).exists()
    assert faults() == []


def test_case_65_a_duplicate_match_begins_once_while_others_join(ann: User, ben: User) -> None:
    match, late = new_duplicate(ann), [new_player(f"late{number}") for number in range(4)]
    now = TableClient(0).now
    duplicates.enter(match.pk, ben.pk, now)

    def enter(user: User) -> bool:
        try:
            duplicates.enter(match.pk, user.pk, now)
        except duplicates.MatchHasBegun:
            return False
        return True

    def begin() -> bool:
        duplicates.start(match.pk, ann.pk, now)
        return True

    entered = at_once([begin, begin, *(lambda user=user: enter(user) for user in late)])
    players = MatchPlayer.objects.filter(match=match)
    assert players.count() == 2 + sum(entered[2:])
    assert Table.objects.filter(match=match).count() == players.count()
    assert not players.filter(table=None).exists()
