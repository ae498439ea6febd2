"""A seat is held for somebody who is gone, and then given to others."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest

from accounts.models import User
from tables.game import recovery
from tables.models import Table, Visit
from tables.protocol.frames import Watching
from tables.protocol.topics import table_topic
from tables.realtime import presence
from tables.state.effects import ChangeNotice, Effects
from tests.helpers.table_client import TableClient, balance_of, events, fingerprint

pytestmark = pytest.mark.django_db

HERE = "the process of these tests"


def look(
    at: TableClient, *present: User, process: str = HERE, strangers: int = 0
) -> tuple[ChangeNotice, ...]:
    """What comes of it when a process finds these people's pages open."""
    return note(at, *present, process=process, strangers=strangers).changes


def note(at: TableClient, *present: User, process: str = HERE, strangers: int = 0) -> Effects[None]:
    pages: dict[int | None, int] = {user.pk: 1 for user in present}
    if strangers:
        pages[None] = strangers
    return presence.update_table(at.table_id, process, pages, at.now)


def list_events(changes: tuple[ChangeNotice, ...]) -> list[tuple[str, str]]:
    """What happened to whom."""
    return [(e["type"], e["player"]) for change in changes for e in change.changed.events]


def seated(at: TableClient) -> list[str | None]:
    return [seat.player for seat in at.view.seats]


def test_everybody_sees_who_is_gone_and_who_is_back(
    casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.later(10)
    assert look(casino, ann, ben) == ()
    assert list_events(look(casino, ann)) == [("player_away", "ben")]
    assert casino.view.seats[1].away is not None
    casino.later(20)
    assert look(casino, ann) == ()
    assert list_events(look(casino, ann, ben)) == [("player_back", "ben")]
    assert casino.view.seats[1].away is None


def test_who_leaves_after_the_round_is_not_away(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("8s 9h 9d 8d 7h Ks 2c 3c")
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.later(10)
    casino.leave(ben)
    assert look(casino, ann) == ()
    assert casino.view.seats[1].leaving


def test_who_has_just_sat_down_has_time_to_open_the_page(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    casino.later(4)
    assert look(casino) == ()
    casino.later(1)
    assert presence.list_tables_to_check(casino.now) == [casino.table_id]
    assert list_events(look(casino)) == [("player_away", "ann")]


def test_a_seat_is_freed_when_no_page_of_its_player_is_open_for_a_minute(
    casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.later(10)
    look(casino, ben)
    casino.later(59)
    assert look(casino, ben) == ()
    assert presence.list_tables_to_check(casino.now - dt.timedelta(seconds=1)) == []
    casino.later(1)
    presence.refresh_visits(HERE, casino.now)
    assert presence.list_tables_to_check(casino.now) == [casino.table_id]
    (change,) = look(casino, ben)
    freed = {"type": "player_left", "seat": 1, "player": "ann", "reason": "absent"}
    assert change.changed.events == (freed,)
    assert change.is_lobby_news
    assert seated(casino) == [None, "ben", None]


def test_a_seat_is_held_while_its_hand_is_in_play(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    Table.objects.update(turn_seconds=90)
    stack("Ts 6h 9d Kc 5h")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.later(6)
    look(casino)
    casino.later(70)
    before = fingerprint(casino)
    assert look(casino) == ()
    assert fingerprint(casino) == before
    casino.time_is_up()
    assert list_events(look(casino)) == [("player_left", "ann")]
    assert seated(casino) == [None, None, None]


def test_a_bet_on_the_table_holds_the_seat(casino: TableClient, ann: User, ben: User) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.later(6)
    look(casino, ben)
    casino.later(70)
    assert list_events(look(casino, ben)) == []
    assert balance_of(ann) == 49_000


def test_the_cards_fall_when_who_did_not_bet_is_gone(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 9d Kc 5h")
    casino.sit(ben, 2)
    casino.later(10)
    look(casino)
    casino.later(50)
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.later(10)
    (change,) = look(casino, ann)
    assert [e["type"] for e in change.changed.events][:2] == ["player_left", "shoe_shuffled"]


def test_nobody_is_gone_for_the_time_the_server_was_away(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    casino.later(10)
    look(casino)
    casino.later(3600)
    recovery.resume_after_outage(casino.table_id, casino.now)
    assert look(casino) == ()
    assert seated(casino) == ["ann", None, None]


def test_who_comes_back_can_sit_down_again(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    casino.later(10)
    look(casino)
    casino.later(60)
    look(casino)
    assert events(casino.sit(ann, 1))[0]["type"] == "player_sat"


def test_a_page_in_another_process_counts(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    casino.later(10)
    look(casino, ann, process="another")
    assert look(casino) == ()
    assert list_events(look(casino, process="another")) == [("player_away", "ann")]


def test_the_pages_of_a_process_that_died_are_forgotten(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    casino.later(10)
    look(casino, ann, process="killed", strangers=2)
    assert casino.view.watchers == 2
    casino.later(59)
    presence.refresh_visits(HERE, casino.now)
    assert presence.list_tables_to_check(casino.now) == []
    casino.later(1)
    assert presence.list_tables_to_check(casino.now) == [casino.table_id]
    assert list_events(look(casino)) == [("player_away", "ann")]
    assert casino.view.watchers == 0
    assert not Visit.objects.exists()


def test_a_process_that_says_it_runs_keeps_its_pages(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    casino.later(10)
    look(casino, ann)
    casino.later(50)
    presence.refresh_visits(HERE, casino.now)
    casino.later(50)
    assert presence.list_tables_to_check(casino.now) == []
    assert look(casino, process="another") == ()


def test_who_looks_on_without_a_seat_is_counted_once(
    casino: TableClient, ann: User, dora: User
) -> None:
    casino.sit(ann, 1)
    topic = table_topic(casino.table_id)
    four = Watching(4, ("ann", "dora"))
    assert note(casino, ann, dora, strangers=3).frames == ((topic, four),)
    assert note(casino, ann, dora, strangers=3).frames == ()
    assert note(casino, dora, process="another").frames == ((topic, four),)
    assert casino.view.watchers == 4
    assert note(casino, ann, strangers=1).frames == ((topic, Watching(2, ("ann", "dora"))),)
    assert casino.row.seq == 1  # a change of watchers is no change of the game
