"""A seat is held for somebody who is gone, and then given to others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import User
from tables import house
from tests.at_table import AtTable, balance_of, events, fingerprint

pytestmark = pytest.mark.django_db


def look(at: AtTable, *present: User) -> tuple[house.Committed, ...]:
    return house.look_round(at.table_id, {user.pk for user in present}, at.now)


def seated(at: AtTable) -> list[str | None]:
    return [seat.player for seat in at.view.seats]


def test_a_seat_is_freed_when_no_page_of_its_player_is_open_for_a_minute(
    casino: AtTable, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.later(59)
    assert look(casino, ben) == ()
    casino.later(1)
    assert house.tables_with_absent_players(casino.now) == [casino.table_id]
    (change,) = look(casino)
    freed = {"type": "player_left", "seat": 1, "player": "ann", "reason": "absent"}
    assert change.changed.events == (freed,)
    assert change.is_lobby_news
    assert seated(casino) == [None, "ben", None]


def test_a_seat_is_held_while_its_hand_is_in_play(
    casino: AtTable, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 9d Kc 5h")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.later(600)
    before = fingerprint(casino)
    assert look(casino) == ()
    assert fingerprint(casino) == before
    house.run_out(casino.table_id, casino.now)
    assert len(look(casino)) == 1
    assert seated(casino) == [None, None, None]


def test_a_bet_on_the_table_holds_the_seat(casino: AtTable, ann: User, ben: User) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.later(19)
    assert look(casino, ben) == ()
    casino.later(50)
    assert look(casino) == ()
    assert balance_of(ann) == 49_000


def test_the_cards_fall_when_who_did_not_bet_is_gone(
    casino: AtTable, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 9d Kc 5h")
    casino.sit(ben, 2)
    casino.later(50)
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.later(10)
    (change,) = look(casino)
    assert [e["type"] for e in change.changed.events][:2] == ["player_left", "card_dealt"]


def test_nobody_is_gone_for_the_time_the_server_was_away(casino: AtTable, ann: User) -> None:
    casino.sit(ann, 1)
    casino.later(3600)
    house.resume(casino.table_id, casino.now)
    assert look(casino) == ()
    assert seated(casino) == ["ann", None, None]


def test_who_comes_back_can_sit_down_again(casino: AtTable, ann: User) -> None:
    casino.sit(ann, 1)
    casino.later(60)
    look(casino)
    assert events(casino.sit(ann, 1))[0]["type"] == "player_sat"
