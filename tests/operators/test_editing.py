"""Operators open, clone and change tables; a change holds from the next round on."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.models import Act, User
from tables import access
from tables.engine.errors import OptionError
from tables.engine.presets import PRESETS
from tables.game import lifecycle, pending_settings
from tables.game.pending_settings import (
    ChangedMeanwhile,
    EditOutcome,
    StaysPrivate,
    TableIsClosed,
)
from tables.models import PileGame, Round, Shoe, Standing, Table
from tables.operators.tables import editing, table_list
from tables.operators.tables.table_list import TableListFilters
from tables.results import leaderboard_totals
from tables.state.effects import Effects
from tests.helpers.rounds import faults, least_stake, new_table, play_round, sit_down, types
from tests.helpers.table_client import TableClient, balance_of, code, events

pytestmark = pytest.mark.django_db

Operators = Callable[..., User]
IN_PLAY = "Ts Td 6h 9d 8c Kc Th"
"""Ann and ben are both asked."""


@pytest.fixture
def boss(operator: Operators) -> Operator:
    """A manager."""
    return Operator(operator("manager", "olga").pk, "192.0.2.7")


def change(
    at: TableClient, boss: Operator, reason: str = "", **changes: Any
) -> Effects[EditOutcome]:
    """Have some settings of the table be different."""
    to_be = pending_settings.pending_or_current(at.row)
    return editing.edit_settings(
        boss,
        at.table_id,
        pending_settings.settings_hash(to_be),
        {**to_be, **changes},
        reason,
        at.now,
    )


def list_event_types(edited: Effects[EditOutcome]) -> list[str]:
    return [event["type"] for notice in edited.changes for event in notice.changed.events]


def acts() -> list[Act]:
    return list(Act.objects.order_by("pk"))


# At once, and from the next round on


def test_between_rounds_a_change_holds_at_once(
    casino: TableClient, ann: User, boss: Operator
) -> None:
    sit_down(casino, ann)
    edited = change(casino, boss, rules_options={"minimum": 2500}, name="High", turn_seconds=60)
    assert edited.value is EditOutcome.HOLDS
    assert list_event_types(edited) == ["table_changed"]
    row = casino.row
    assert (row.name, row.turn_seconds, row.rules_options) == ("High", 60, {"minimum": 2500})
    assert row.coming is None
    assert code(casino.bet(ann, 1000)) == "bad_bet"
    assert code(casino.bet(ann, 2500)) == "done"


def test_a_change_in_mid_round_waits_for_its_end_and_the_round_keeps_its_rules(
    casino: TableClient, ann: User, ben: User, boss: Operator, stack: Callable[..., None]
) -> None:
    stack(IN_PLAY)
    sit_down(casino, ann, ben)
    for user in (ann, ben):
        casino.bet(user, 1000)
    edited = change(casino, boss, rules_options={"minimum": 2500, "hits_soft_17": True})
    assert edited.value is EditOutcome.WAITS
    assert list_event_types(edited) == []
    assert casino.row.rules_options == {}
    casino.act(ann, "stand")
    assert casino.row.coming is not None
    last = casino.act(ben, "stand")
    assert "table_changed" in types(events(last))
    assert (casino.row.coming, casino.row.rules.hits_soft_17) == (None, True)
    played = Round.objects.get()
    assert played.rules_options == {}
    assert not played.rules.hits_soft_17
    casino.bet(ann, 2500)
    assert Round.objects.latest("pk").rules_options == {"minimum": 2500, "hits_soft_17": True}
    assert faults() == []


def test_a_bet_on_the_coming_round_holds_a_change_back(
    casino: TableClient, ann: User, ben: User, boss: Operator, stack: Callable[..., None]
) -> None:
    stack(IN_PLAY)
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    assert change(casino, boss, rules_options={"natural_pays": "6:5"}).value is EditOutcome.WAITS
    casino.bet(ben, 1000)
    assert not casino.row.rules_options, "the round that was bet on is played as it was"
    assert casino.view.asked is not None


def test_a_bet_that_is_taken_back_makes_way_for_a_change(
    casino: TableClient, ann: User, ben: User, boss: Operator
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    change(casino, boss, rules_options={"minimum": 2500})
    assert "table_changed" in types(events(casino.take_back(ann)))
    assert casino.row.rules.stakes.minimum == 2500
    assert balance_of(ann) == 50_000


def test_what_was_meant_under_the_old_rules_is_not_bet_under_the_new(
    casino: TableClient, ann: User, boss: Operator
) -> None:
    sit_down(casino, ann)
    turn = casino.row.turn
    change(casino, boss, rules_options={"natural_pays": "6:5"})
    assert code(casino.bet(ann, 1000, turn)) == "stale_turn"


SOMETHING_ELSE: dict[str, dict[str, Any]] = {
    "casino": {"decks": 6, "natural_pays": "6:5"},
    "vegas": {"decks": 8, "surrender": False},
    "pot": {"minimum": 10_000, "decks": 2},
    "classic": {"decks": 2, "hits_soft_17": True},
    "heads-up": {"decks": 2},
    "piles": {"hits_soft_17": True},
}


@pytest.mark.parametrize("key", PRESETS)
def test_every_rule_set_is_played_on_under_changed_rules(
    key: str, ann: User, ben: User, boss: Operator
) -> None:
    at, chance = new_table(key), Random(key)
    players = [ann, ben][: at.row.rules.seats]
    sit_down(at, *players)
    play_round(at, players, chance)
    change(at, boss, rules_options=SOMETHING_ELSE[key])
    while at.row.coming:  # a game of piles
        play_round(at, players, chance)
    assert at.row.rules_options == SOMETHING_ELSE[key]
    for _ in range(3):
        if least_stake(at) > min(balance_of(user) for user in players):
            break
        play_round(at, players, chance)
        last = Round.objects.filter(finished_at__isnull=False, dealt_at__isnull=False).latest("pk")
        assert last.rules_options == SOMETHING_ELSE[key]
        assert last.shoe is not None
        assert last.shoe.decks == at.row.rules.decks
    assert faults() == []


def test_a_game_of_piles_is_finished_under_the_rules_it_began_with(
    ann: User, boss: Operator
) -> None:
    at, chance = new_table("piles"), Random(3)
    sit_down(at, ann)
    play_round(at, [ann], chance)
    edited = change(at, boss, name="Deep", rules_options={"hits_soft_17": True})
    assert edited.value is EditOutcome.WAITS
    assert at.row.name == "Deep", "a name is no rule of the game"
    assert at.row.coming == {"rules_options": {"hits_soft_17": True}}
    while not PileGame.objects.exists():
        assert not at.row.rules.hits_soft_17
        play_round(at, [ann], chance)
    assert (at.row.rules.hits_soft_17, at.row.coming) == (True, None)
    began = Round.objects.order_by("pk").values_list("rules_options", flat=True)
    assert set(map(str, began)) == {"{}"}
    play_round(at, [ann], chance)
    assert Round.objects.latest("pk").rules_options == {"hits_soft_17": True}
    assert faults() == []


def test_who_begins_an_abandoned_game_of_piles_afresh_plays_by_the_new_rules(
    ann: User, ben: User, boss: Operator
) -> None:
    at = new_table("piles")
    sit_down(at, ann)
    play_round(at, [ann], Random(3))
    at.leave(ann)
    change(at, boss, rules_options={"hits_soft_17": True})
    assert at.row.coming is not None, "ann may come back to her game"
    at.sit(ben, 1)
    assert (at.row.coming, at.row.rules.hits_soft_17) == (None, True)


# What depends on the rules


def test_a_shoe_of_other_decks_is_opened_and_a_fitting_one_sealed(
    ann: User, boss: Operator
) -> None:
    at = new_table("vegas")
    sit_down(at, ann)
    play_round(at, [ann], Random(1))
    before = at.live.game.shoe
    assert before is not None
    edited = change(at, boss, rules_options={"decks": 8})
    assert list_event_types(edited) == ["table_changed", "shoe_opened", "shoe_sealed"]
    assert Shoe.objects.get(pk=before.id).secret != ""
    after = at.live.game.shoe
    assert after is not None
    assert (Shoe.objects.get(pk=after.id).decks, at.view.shoe.size) == (8, 416)


def test_a_shoe_that_was_sealed_and_not_used_is_put_away_too(ann: User, boss: Operator) -> None:
    at = new_table("casino")
    sit_down(at, ann)
    before = at.live.game.shoe
    assert before is not None
    change(at, boss, rules_options={"decks": 2})
    unused = Shoe.objects.get(pk=before.id)
    assert (unused.retired_at, unused.mixed_in) == (at.now, [])
    assert unused.retired_because == "rules_changed"
    play_round(at, [ann], Random(1))
    assert Round.objects.get().shoe.decks == 2
    assert faults() == []


def test_a_change_that_does_not_touch_the_cards_keeps_the_shoe(ann: User, boss: Operator) -> None:
    at = new_table("vegas")
    sit_down(at, ann)
    play_round(at, [ann], Random(1))
    before = at.live.game.shoe
    change(at, boss, rules_options={"minimum": 1000})
    assert at.live.game.shoe == before


def test_seats_that_are_no_more_are_freed_with_the_reason(
    casino: TableClient, ann: User, ben: User, cleo: User, boss: Operator
) -> None:
    sit_down(casino, ann, ben, cleo)
    play_round(casino, [ann, ben, cleo], Random(2))
    edited = change(casino, boss, rules_options={"seats": 1})
    departures = [
        event for event in edited.changes[0].changed.events if event["type"] == "player_left"
    ]
    assert [(event["player"], event["reason"]) for event in departures] == [
        ("ben", "fewer_seats"), ("cleo", "fewer_seats")
    ]  # fmt: skip
    assert [seat.player for seat in casino.view.seats] == ["ann"]
    assert code(casino.sit(ben, 2)) == "no_such_seat"
    play_round(casino, [ann], Random(2))
    change(casino, boss, rules_options={})
    assert code(casino.sit(ben, 2)) == "done"
    assert faults() == []


def test_a_dealer_who_matches_more_is_given_more_chips(ann: User, boss: Operator) -> None:
    at = new_table("pot")
    sit_down(at, ann)
    change(at, boss, rules_options={"minimum": 1_000_000, "maximum": "none"})
    assert at.chips.rack == 3_000_000
    assert faults() == []


def test_who_sits_at_a_table_that_becomes_private_is_let_in_again(
    casino: TableClient, ann: User, dora: User, boss: Operator
) -> None:
    sit_down(casino, ann)
    edited = change(casino, boss, is_private=True)
    assert edited.changes[0].ends_visits
    assert edited.changes[0].is_lobby_news
    casino.leave(ann)
    assert access.may_see(casino.row, ann.pk, {})
    assert not access.may_see(casino.row, dora.pk, {})


def test_a_table_that_becomes_private_leaves_the_leaderboard(
    casino: TableClient, ann: User, ben: User, boss: Operator
) -> None:
    other, chance = new_table("casino"), Random(5)
    for at in (casino, other):
        sit_down(at, ann, ben)
        for _ in range(3):
            play_round(at, [ann, ben], chance)
        at.leave(ben)
    assert faults() == []
    assert Standing.objects.get(user=ann).rounds == 6
    change(casino, boss, is_private=True)
    assert Standing.objects.get(user=ann).rounds == 3
    assert faults() == []
    play_round(casino, [ann], chance)
    change(other, boss, is_private=True)
    assert not Standing.objects.exists()
    assert faults() == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_what_a_table_leaves_the_leaderboard_with_is_found_by_an_index(casino: TableClient) -> None:
    with CaptureQueriesContext(connection) as queries:
        leaderboard_totals.drop_private_table(casino.row)
    sums = [query["sql"] for query in queries if "GROUP BY" in query["sql"]]
    assert len(sums) == 2  # of results, and of grades
    for sql in sums:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = " ".join(row[3] for row in cursor.fetchall())
        assert "SEARCH tables_result USING" in plan
        assert "(round_id=?)" in plan
        assert "SCAN" not in plan


def test_a_round_that_ends_as_its_table_becomes_private_is_on_no_leaderboard(
    casino: TableClient, ann: User, boss: Operator, stack: Callable[..., None]
) -> None:
    play_round_of(casino, ann, stack)
    in_play(casino, ann, stack)
    change(casino, boss, is_private=True)
    casino.act(ann, "stand")
    assert casino.row.is_private
    assert not Standing.objects.exists()
    assert faults() == []


def test_what_was_played_in_private_is_not_shown_to_everybody(
    dora: User, ann: User, boss: Operator
) -> None:
    at = TableClient(lifecycle.open_table(name="Den", rules_key="casino", is_private=True).pk)
    assert change(at, boss, is_private=False).value is EditOutcome.HOLDS
    change(at, boss, is_private=True)
    access.grant_access(at.row, ann.pk)
    sit_down(at, ann)
    play_round(at, [ann], Random(1))
    with pytest.raises(StaysPrivate):
        change(at, boss, is_private=False)
    assert not access.may_see_round(Round.objects.get(), dora.pk, {})


def test_pages_learn_that_what_they_were_made_of_is_old(
    casino: TableClient, boss: Operator
) -> None:
    before = casino.view.edition
    change(casino, boss, turn_seconds=99, is_locked=True)
    assert casino.view.edition == before, "that is in every frame"
    change(casino, boss, rules_options={"minimum": 2000})
    assert casino.view.edition != before
    change(casino, boss, rules_options={})
    assert casino.view.edition == before


def test_players_do_not_hear_of_a_limit_that_is_the_houses_own(
    casino: TableClient, boss: Operator
) -> None:
    edited = change(casino, boss, fill_limit=5_000_000)
    assert (edited.value, list_event_types(edited)) == (EditOutcome.HOLDS, [])


# What waits


def play_round_of(at: TableClient, user: User, stack: Callable[..., None]) -> None:
    """A whole round."""
    in_play(at, user, stack)
    at.act(user, "stand")
    at.leave(user)


def in_play(at: TableClient, user: User, stack: Callable[..., None]) -> None:
    stack("Ts 6h 9d Kc 5h")
    sit_down(at, user)
    at.bet(user, 1000)


def test_what_waits_can_be_replaced(
    casino: TableClient, ann: User, boss: Operator, stack: Callable[..., None]
) -> None:
    in_play(casino, ann, stack)
    change(casino, boss, name="One", turn_seconds=60)
    change(casino, boss, name="Two")
    assert casino.row.coming == {"name": "Two", "turn_seconds": 60}
    casino.act(ann, "stand")
    assert (casino.row.name, casino.row.turn_seconds) == ("Two", 60)


def test_what_waits_can_be_taken_back(
    casino: TableClient, ann: User, boss: Operator, stack: Callable[..., None]
) -> None:
    in_play(casino, ann, stack)
    change(casino, boss, name="One")
    made_from = pending_settings.settings_hash(pending_settings.pending_or_current(casino.row))
    edited = editing.withdraw_change(boss, casino.table_id, made_from, "A slip.", casino.now)
    assert (edited.value, casino.row.coming) == (EditOutcome.TAKEN_BACK, None)
    assert "table_changed" not in types(events(casino.act(ann, "stand")))
    first, second = acts()
    assert (first.before, first.after) == ({"name": "Casino"}, {"name": "One"})
    assert (second.before, second.after) == ({"name": "One"}, {"name": "Casino"})
    assert second.reason == "A slip."


def test_what_waits_at_a_table_that_is_closed_comes_to_nothing(
    casino: TableClient, ann: User, boss: Operator, stack: Callable[..., None]
) -> None:
    import uuid

    from tables.protocol.commands import Close

    in_play(casino, ann, stack)
    change(casino, boss, name="One")
    manager = User.objects.get(pk=boss.user_id)
    assert code(casino.send(manager, Close(uuid.uuid4()))) == "done"
    casino.act(ann, "stand")
    row = casino.row
    assert row.closed_at is not None
    assert (row.name, row.coming) == ("Casino", None)
    with pytest.raises(TableIsClosed):
        change(casino, boss, name="Two")


# The trail, and two at once


def test_the_trail_has_every_field_before_and_after_and_why(
    casino: TableClient, boss: Operator
) -> None:
    change(casino, boss, "Quiet evenings.", name="Slow", turn_seconds=90, fill_limit=2_000_000)
    (act,) = acts()
    assert (act.what, act.subject) == ("edit_table", f"table:{casino.table_id}")
    assert act.before == {"name": "Casino", "turn_seconds": 30, "fill_limit": None}
    assert act.after == {"name": "Slow", "turn_seconds": 90, "fill_limit": 2_000_000}
    assert (act.reason, act.by_id, act.address) == ("Quiet evenings.", boss.user_id, "192.0.2.7")


def test_what_was_so_already_is_no_act(casino: TableClient, boss: Operator) -> None:
    seq = casino.row.seq
    assert change(casino, boss, name="Casino").value is EditOutcome.NOTHING
    assert (acts(), casino.row.seq) == ([], seq)


def test_the_second_of_two_operators_overwrites_nothing(
    casino: TableClient, boss: Operator
) -> None:
    values = pending_settings.pending_or_current(casino.row)
    mark = pending_settings.settings_hash(values)
    editing.edit_settings(boss, casino.table_id, mark, {**values, "name": "Mine"}, "", casino.now)
    with pytest.raises(ChangedMeanwhile):
        editing.edit_settings(
            boss, casino.table_id, mark, {**values, "turn_seconds": 60}, "", casino.now
        )
    with pytest.raises(ChangedMeanwhile):
        editing.withdraw_change(boss, casino.table_id, mark, "", casino.now)
    assert (casino.row.name, casino.row.turn_seconds) == ("Mine", 30)
    assert len(acts()) == 1


def test_rules_that_cannot_be_played_change_nothing(casino: TableClient, boss: Operator) -> None:
    with pytest.raises(OptionError):
        change(casino, boss, rules_options={"seats": 4})
    assert (casino.row.rules_options, acts()) == ({}, [])


# The pages


@pytest.fixture
def counter(stopped_writer: None, operator: Operators, client: Client) -> Client:
    """A manager's browser, with a writer that ends with the test."""
    client.force_login(operator("manager"))
    return client


def fields_of(client: Client, address: str) -> dict[str, Any]:
    """The form of a page as a browser would send it back."""
    answer = client.get(address)
    assert answer.status_code == 200
    form = answer.context["form"]
    values = {field.name: field.value() for field in form}
    return {name: value for name, value in values.items() if value not in (None, False)}


def read_messages(answer: Any) -> str:
    return " ".join(str(message) for message in answer.context["messages"])


@pytest.mark.django_db(transaction=True)
def test_a_form_that_is_sent_back_as_it_is_changes_nothing(counter: Client) -> None:
    options = {
        "decks": 6, "minimum": 2000, "maximum": "none", "natural_pays": "6:5", "seats": 2,
        "hits_soft_17": True, "double_down": False,
    }  # fmt: skip
    row = lifecycle.open_table(
        name="Strip", rules_key="casino", rules_options=options, fill_limit=1_050, is_locked=True
    )
    page = f"/admin/tables/{row.pk}/edit/"
    answer = counter.post(page, fields_of(counter, page), follow=True)
    assert "No changes to save" in read_messages(answer)
    assert Table.objects.get().rules_options == options


@pytest.mark.django_db(transaction=True)
def test_a_table_is_changed_on_its_page(counter: Client) -> None:
    row = lifecycle.open_table(name="Strip", rules_key="vegas")
    page = f"/admin/tables/{row.pk}/edit/"
    sent = fields_of(counter, page) | {
        "minimum": "20", "no_maximum": "on", "surrender": "no", "fill_limit": "1,000.50",
        "is_locked": "on", "reason": "High rollers.",
    }  # fmt: skip
    assert "Saved." in read_messages(counter.post(page, sent, follow=True))
    row.refresh_from_db()
    assert row.rules_options == {"minimum": 2000, "maximum": "none", "surrender": False}
    assert (row.fill_limit, row.is_locked, acts()[0].reason) == (100_050, True, "High rollers.")
    again = counter.post(page, sent, follow=True)
    assert "already done" in read_messages(again)
    assert len(acts()) == 1


@pytest.mark.django_db(transaction=True)
def test_a_change_that_waits_is_shown_and_taken_back_on_the_page(
    counter: Client, casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    in_play(casino, ann, stack)
    page = f"/admin/tables/{casino.table_id}/edit/"
    sent = fields_of(counter, page) | {"minimum": "20", "surrender": "yes"}
    answer = counter.post(page, sent, follow=True)
    assert "after the current round" in read_messages(answer)
    assert answer.context["waiting"] == [
        ("Minimum bet", "default", "20"), ("Late surrender", "default", "yes"),
    ]  # fmt: skip
    made_from = answer.context["take_back"]["made_from"].value()
    answer = counter.post(f"{page}back/", {"back-made_from": made_from}, follow=True)
    assert "was cancelled" in read_messages(answer)
    assert casino.row.coming is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "  "), ("name", "x" * 41), ("name", "a\0b"), ("seats", "4"), ("seats", "9" * 5000),
        ("minimum", "9" * 30), ("fill_limit", "9" * 30), ("fill_limit", "-1"), ("fill_limit", "x"),
        ("betting_seconds", "4"), ("turn_seconds", "1e9"), ("reason", "x" * 501),
        ("peek", "perhaps"), ("reason", "\0"), ("fill_limit", "1.005"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_marked_and_changes_nothing(
    counter: Client, field: str, value: str
) -> None:
    row = lifecycle.open_table(name="Strip", rules_key="casino")
    page = f"/admin/tables/{row.pk}/edit/"
    answer = counter.post(page, fields_of(counter, page) | {field: value})
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [field]
    assert acts() == []


@pytest.mark.django_db(transaction=True)
def test_why_a_table_stays_private_is_said_beside_the_box(counter: Client, ann: User) -> None:
    row = lifecycle.open_table(name="Den", rules_key="classic", is_private=True, host_id=ann.pk)
    at = TableClient(row.pk)
    sit_down(at, ann)
    at.bet(ann, 0)
    page = f"/admin/tables/{row.pk}/edit/"
    sent = fields_of(counter, page)
    del sent["is_private"]
    answer = counter.post(page, sent)
    assert list(answer.context["form"].errors) == ["is_private"]
    assert "Clone it" in answer.content.decode()
    assert at.row.is_private


@pytest.mark.django_db(transaction=True)
def test_a_table_is_opened_once_however_often_its_form_is_sent(counter: Client) -> None:
    sent = fields_of(counter, "/admin/tables/new/") | {"name": "Strip", "rules_key": "vegas"}
    for _ in range(2):
        answer = counter.post("/admin/tables/new/", sent | {"is_locked": "on"}, follow=True)
        assert "is open" in read_messages(answer)
    row = Table.objects.get()
    assert (row.name, row.rules_key, row.is_locked, row.maker) == ("Strip", "vegas", True, None)
    (act,) = acts()
    assert (act.what, act.subject) == ("open_table", f"table:{row.pk}")
    assert act.after["rules_key"] == "vegas"


@pytest.mark.django_db(transaction=True)
def test_a_clone_has_the_same_settings_and_money_of_its_own(
    counter: Client, casino: TableClient, boss: Operator
) -> None:
    change(casino, boss, rules_options={"minimum": 2000}, turn_seconds=77, fill_limit=900)
    page = f"/admin/tables/{casino.table_id}/clone/"
    counter.post(page, fields_of(counter, page) | {"name": "Casino 2"})
    clone = Table.objects.get(name="Casino 2")
    same = {**pending_settings.get_settings(casino.row), "name": "Casino 2"}
    assert pending_settings.get_settings(clone) == same
    assert clone.rack_id != casino.row.rack_id
    act = acts()[-1]
    assert (act.what, act.after["like"]) == ("open_table", f"table:{casino.table_id}")


def test_the_list_of_the_admin_opens_no_table(counter: Client) -> None:
    """Its form, sent twice, would open two."""
    sent = {"name": "Strip", "rules_key": "vegas", "betting_seconds": 20, "turn_seconds": 30}
    assert counter.get("/admin/tables/table/add/").status_code == 403
    assert counter.post("/admin/tables/table/add/", sent).status_code == 403
    assert "/table/add/" not in counter.get("/admin/tables/table/").content.decode()
    assert not Table.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_reason_has_to_fit_as_it_is_kept(counter: Client, casino: TableClient) -> None:
    """It grows when it is made one plain line."""
    page = f"/admin/tables/{casino.table_id}/edit/"
    sent = fields_of(counter, page) | {"turn_seconds": 60, "reason": "\u0958" * 251}
    answer = counter.post(page, sent)
    assert list(answer.context["form"].errors) == ["reason"]
    assert acts() == []


@pytest.mark.parametrize("what", ["edit", "clone", "fill"])
@pytest.mark.parametrize("number", ["999", "9" * 40])
def test_a_table_that_does_not_exist_is_not_found(
    operator: Operators, client: Client, what: str, number: str
) -> None:
    client.force_login(operator("manager"))
    assert client.get(f"/admin/tables/{number}/{what}/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_closed_table_is_cloned_and_not_changed(counter: Client, casino: TableClient) -> None:
    Table.objects.update(closed_at=timezone.now())
    for what in ("edit", "fill"):
        answer = counter.get(f"/admin/tables/{casino.table_id}/{what}/", follow=True)
        assert "closed" in read_messages(answer)
    assert counter.get(f"/admin/tables/{casino.table_id}/clone/").status_code == 200


# The list


@pytest.fixture
def floor(operator: Operators, client: Client) -> Client:
    client.force_login(operator("floor"))
    return client


def listed(client: Client, **query: Any) -> list[str]:
    answer = client.get("/admin/tables/list/", query)
    assert answer.status_code == 200
    return [entry.table.name for entry in answer.context["listed"].entries]


def test_tables_are_found_by_name_rule_set_and_state(
    floor: Client, casino: TableClient, classic: TableClient, boss: Operator, ann: User, stack: Any
) -> None:
    closed_table = lifecycle.open_table(name="Gone", rules_key="casino")
    Table.objects.filter(pk=closed_table.pk).update(closed_at=timezone.now())
    in_play(casino, ann, stack)
    change(casino, boss, turn_seconds=60)
    assert listed(floor) == ["Classic", "Casino"]
    assert listed(floor, q="aSS") == ["Classic"]
    assert listed(floor, rules="casino") == ["Casino"]
    assert listed(floor, state="closed") == ["Gone"]
    assert listed(floor, state="all", rules="casino") == ["Gone", "Casino"]
    assert listed(floor, state="changing") == ["Casino"]
    Table.objects.filter(pk=classic.table_id).update(paused_at=timezone.now())
    assert listed(floor, state="paused") == ["Classic"]


@pytest.mark.parametrize("before", ["x", "-1", "9" * 50, "9" * 5000, "²", "٣", "\0", "1e3", ""])
@pytest.mark.parametrize("key", ["before", "q", "rules", "state"])
def test_a_list_with_odd_filters_is_a_list(floor: Client, key: str, before: str) -> None:
    assert floor.get("/admin/tables/list/", {key: before}).status_code == 200


def test_the_list_goes_on_page_by_page(casino: TableClient, classic: TableClient) -> None:
    third = lifecycle.open_table(name="Third", rules_key="pot")
    first = table_list.list_tables(TableListFilters(), size=2)
    assert [entry.table.pk for entry in first.entries] == [third.pk, classic.table_id]
    rest = table_list.list_tables(TableListFilters(), first.older, size=2)
    assert ([entry.table.pk for entry in rest.entries], rest.older) == ([casino.table_id], None)


def test_a_list_asks_as_much_for_many_tables_and_counts_none(
    floor: Client, casino: TableClient, ann: User
) -> None:
    def queries() -> list[str]:
        with CaptureQueriesContext(
            connection,
        ) as capture:
            floor.get("/admin/tables/list/")
        return [query["sql"] for query in capture.captured_queries]

    casino.sit(ann, 1)
    few = queries()
    for number in range(20):
        lifecycle.open_table(name=f"Table {number}", rules_key="casino", host_id=None)
    many = queries()
    assert len(many) == len(few)
    lists = [sql for sql in many if 'FROM "tables_table"' in sql]
    assert len(lists) == 2  # their ids, and then they themselves
    for sql in lists:
        assert '"tables_table"."state"' not in sql
        assert "OFFSET" not in sql
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {lists[0]}")
            plan = " ".join(row[3] for row in cursor.fetchall())
        assert "TEMP B-TREE FOR ORDER BY" not in plan
        assert "SCAN U" not in plan


def test_who_may_not_change_a_table_is_offered_nothing(floor: Client, casino: TableClient) -> None:
    page = floor.get("/admin/tables/list/").content.decode()
    assert "Casino" in page
    for what in ("edit", "clone", "fill"):
        assert f"/{what}/" not in page
    assert "tables/new" not in page
