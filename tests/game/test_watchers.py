"""Who looks on: a page without a seat, at the very moment in which that changes."""

from __future__ import annotations

import pytest

from accounts.models import User
from tables.lobby import table_list
from tables.operators.floor import overview
from tables.protocol.frames import Watching
from tables.realtime import presence
from tests.helpers.rounds import after, new_table
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db


def come(at: TableClient, *users: User, process: str = "a", strangers: int = 0) -> None:
    pages: dict[int | None, int] = {user.pk: 1 for user in users}
    if strangers:
        pages[None] = strangers
    presence.update_table(at.table_id, process, pages, at.now)


def list_watcher_counts(at: TableClient) -> set[int]:
    """How many look on, wherever that stands."""
    (in_lobby,) = table_list.list_tables(None).tables
    (on_floor,) = overview.load_floor(at.now).tables
    return {at.row.watchers, at.view.watchers, in_lobby.watchers, on_floor.watchers}


@pytest.fixture
def at(db: None) -> TableClient:
    return new_table("casino", seats=2)


def test_case_50_who_sits_down_looks_on_no_more(at: TableClient, ann: User, ben: User) -> None:
    come(at, ann, ben, strangers=2)
    assert list_watcher_counts(at) == {4}
    assert after(at.sit(ann, 1)).watchers == 3
    assert list_watcher_counts(at) == {3}
    assert after(at.sit(ben, 2)).watchers == 2
    assert list_watcher_counts(at) == {2}


def test_case_50_who_gets_up_looks_on_again(at: TableClient, ann: User, ben: User) -> None:
    come(at, ann, ben)
    at.sit(ann, 1)
    at.sit(ben, 2)
    assert list_watcher_counts(at) == {0}
    assert after(at.leave(ann)).watchers == 1
    assert list_watcher_counts(at) == {1}


def test_case_50_pages_of_other_processes_count(at: TableClient, ann: User, ben: User) -> None:
    come(at, ann, process="a")
    come(at, ann, ben, process="b", strangers=1)
    assert list_watcher_counts(at) == {3}
    at.sit(ann, 1)
    assert list_watcher_counts(at) == {2}
    come(at, process="a")
    assert list_watcher_counts(at) == {2}
    at.leave(ann)
    assert list_watcher_counts(at) == {3}


def test_who_sits_down_before_the_page_is_open_was_never_counted(
    at: TableClient, ann: User
) -> None:
    assert after(at.sit(ann, 1)).watchers == 0
    assert after(at.leave(ann)).watchers == 0


def test_who_leaves_in_mid_round_looks_on_after_it(at: TableClient, ann: User, ben: User) -> None:
    come(at, ann, ben)
    at.sit(ann, 1)
    at.sit(ben, 2)
    for user in (ann, ben):
        at.bet(user, 1000)
    at.leave(ann)
    while at.view.asked is not None:
        played = at.act(ben, "stand")
        assert after(played).watchers == (0 if after(played).asked else 1)
    assert list_watcher_counts(at) == {1}


def test_a_seat_that_is_freed_for_who_is_gone_makes_no_watcher(at: TableClient, ann: User) -> None:
    come(at, ann)
    at.sit(ann, 1)
    at.later(10)
    come(at)
    at.later(61)
    come(at)
    assert at.live.seats == {}
    assert list_watcher_counts(at) == {0}


def test_case_50_one_who_comes_as_another_goes_is_named(
    at: TableClient, ann: User, ben: User
) -> None:
    """Their number is the same."""
    come(at, ann)
    effects = presence.update_table(at.table_id, "a", {ben.pk: 1}, at.now)
    assert [frame for _topic, frame in effects.frames] == [Watching(watchers=1, present=("ben",))]
    assert effects.lobby == (), "the lobby shows numbers alone"
    again = presence.update_table(at.table_id, "a", {ben.pk: 1}, at.now)
    assert again.frames == ()
