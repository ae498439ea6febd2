"""Hosts, operators and players who act at a table at the same moment."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from tables.game import commit, host_commands, lifecycle, pauses
from tables.game.pending_settings import ChangedMeanwhile, EditOutcome, NotHost
from tables.models import Table
from tables.state.effects import ChangeNotice
from tables.state.live_table import LiveTable
from tests.game.test_host_commands import ban, close, hand_on, made_by, pause
from tests.game.test_settings_by_hosts import mark
from tests.helpers.rounds import sit_down, types
from tests.helpers.table_client import TableClient, balance_of, code, events
from tests.multiprocess.parallel import AT_ONCE, at_once

pytestmark = pytest.mark.django_db(transaction=True)


def pause_by_operator(at: TableClient) -> ChangeNotice:
    with transaction.atomic():
        live = LiveTable.lock(at.table_id, timezone.now())
        pauses.pause(live, "A look.")
        return commit.commit_table(live)


def test_a_command_of_a_host_that_arrives_many_times_pauses_once(ann: User) -> None:
    at, command = made_by(ann), pause()
    played = at_once([lambda: at.send(ann, command) for _ in range(AT_ONCE)])
    assert Counter(map(code, played)) == {"done": AT_ONCE}
    assert len({one.value for one in played}) == 1
    assert [kind for one in played for kind in types(events(one))] == ["table_paused"]


def test_a_bet_and_a_pause_at_the_same_moment_leave_no_bet(ann: User, ben: User) -> None:
    at = made_by(ann)
    sit_down(at, ann, ben)
    turn = at.row.turn
    played = at_once([lambda: at.bet(ben, 1000, turn), lambda: at.send(ann, pause())])
    assert code(played[0]) in ("done", "table_paused")
    assert code(played[1]) == "done"
    assert at.view.seats[1].stake is None
    assert balance_of(ben) == 50_000
    call_command("audit")


def test_the_pause_of_an_operator_stands_whoever_was_first(ann: User) -> None:
    at = made_by(ann)
    at_once([lambda: at.send(ann, pause()), lambda: pause_by_operator(at)])
    assert (at.view.paused, at.view.paused_by_host) == ("A look.", False)
    assert code(at.send(ann, pause(on=False))) == "table_paused"


def test_a_forgotten_pause_ends_once_however_many_processes_look(ann: User) -> None:
    at = made_by(ann)
    at.send(ann, pause())
    Table.objects.update(paused_at=timezone.now() - dt.timedelta(hours=3))
    looks = [lambda: lifecycle.end_forgotten_pauses(timezone.now()) for _ in range(AT_ONCE)]
    ended = [change for changes in at_once(looks) for change in changes]
    assert [event["type"] for change in ended for event in change.changed.events] == [
        "table_resumed"
    ]


# Closings


@pytest.mark.parametrize("attempt", range(4))
def test_a_closing_is_taken_back_while_its_round_ends(
    attempt: int, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    """Either the table stays open with its players, or it is closed and all of them are out."""
    stack("Ts Kd 9c 9h 8c 7d")
    at = made_by(ann)
    sit_down(at, ben)
    at.bet(ben, 1000)
    at.send(ann, close())
    command = close(on=False)
    first, ended, *others = at_once(
        [lambda: at.send(ann, command), lambda: at.act(ben, "stand")]
        + [lambda: at.send(ann, close(on=False)) for _ in range(3)]
    )
    assert code(ended) == "done"
    answers = {code(first), *map(code, others)}
    assert answers in ({"done"}, {"table_closed"}, {"done", "table_closed"})
    is_open = at.row.closed_at is None
    assert is_open == ("done" in answers)
    assert len(at.live.seats) == is_open
    kinds = [kind for one in (first, *others) for kind in types(events(one))]
    assert kinds == ["table_kept_open"] * is_open
    call_command("audit")


# Settings


def choose(at: TableClient, user: User, settings_hash: str, name: str) -> str:
    try:
        edited = host_commands.edit_settings(
            user.pk, at.table_id, settings_hash, {"name": name}, timezone.now()
        )
    except ChangedMeanwhile:
        return "changed"
    except NotHost:
        return "not_host"
    return str(edited.value)


def test_of_two_forms_of_the_host_one_is_saved(ann: User) -> None:
    at = made_by(ann)
    settings_hash = mark(at)
    played = at_once(
        [lambda n=n: choose(at, ann, settings_hash, f"Table {n}") for n in range(AT_ONCE)]
    )
    assert Counter(played) == {EditOutcome.HOLDS: 1, "changed": AT_ONCE - 1}


def test_settings_and_a_new_host_at_the_same_moment(ann: User, ben: User) -> None:
    at = made_by(ann)
    sit_down(at, ann, ben)
    settings_hash = mark(at)
    chosen, handed = at_once(
        [lambda: choose(at, ann, settings_hash, "Anns"), lambda: code(at.send(ann, hand_on("ben")))]
    )
    assert handed == "done"
    assert (chosen, at.row.name) in (("holds", "Anns"), ("not_host", "Friday night"))


# Bans


def test_a_ban_and_a_seat_at_the_same_moment_leave_nobody_banned_seated(
    ann: User, ben: User
) -> None:
    at = made_by(ann)
    for _ in range(4):
        sat, banned = at_once([lambda: at.sit(ben, 2), lambda: at.send(ann, ban("ben"))])
        assert code(sat) in ("done", "banned")
        assert code(banned) == "done"
        assert at.view.seats[1].player is None
        at.send(ann, ban("ben", on=False))


def test_a_ban_and_a_bet_at_the_same_moment_keep_the_money_right(ann: User, ben: User) -> None:
    at = made_by(ann)
    sit_down(at, ann, ben)
    turn = at.row.turn
    bet, banned = at_once([lambda: at.bet(ben, 1000, turn), lambda: at.send(ann, ban("ben"))])
    assert code(bet) in ("done", "not_seated")
    assert code(banned) == "done"
    assert balance_of(ben) == 50_000
    call_command("audit")


def test_the_same_player_is_banned_once_by_many_pages(ann: User, ben: User) -> None:
    at = made_by(ann)
    sit_down(at, ben)
    played = at_once([lambda: at.send(ann, ban("ben")) for _ in range(AT_ONCE)])
    assert Counter(map(code, played)) == {"done": AT_ONCE}
    kinds = [kind for one in played for kind in types(events(one))]
    assert sorted(kinds) == ["player_banned", "player_left"]
