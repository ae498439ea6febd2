"""What operators read on their pages about tables and rounds, and where they lead from there."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import get_args

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts import maintenance
from accounts.audit_log import Operator
from accounts.models import Account, HouseSettings, User
from tables.engine.events import Event, snake_case
from tables.game import lifecycle
from tables.models import Report, Round, Table
from tables.operators.floor import event_text, overview, table_actions
from tables.operators.floor.table_detail import load_table_state
from tables.operators.rounds import voids
from tables.operators.tables import rack_transfers
from tables.operators.tables.rack_transfers import NoStakes
from tables.protocol.events import QueueReason, Reason, TableEvent
from tables.realtime import process_registry
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient
from tests.operators.test_rounds import as_, read_page

pytestmark = pytest.mark.django_db

Role = Callable[..., User]
Stack = Callable[..., None]
BLACKJACK = "As 9h Kd 7c"


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def mona(operator: Role) -> User:
    """Manages the house."""
    return operator("manager", "mona")


@pytest.fixture
def monas(mona: User) -> Client:
    return as_(mona)


@pytest.fixture
def round_(casino: TableClient, ann: User, stack: Stack) -> Round:
    """ann's blackjack."""
    stack(BLACKJACK)
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    return Round.objects.get()


def page_of(at: TableClient) -> str:
    return f"/admin/floor/tables/{at.table_id}/"


# Racks


@pytest.mark.parametrize("key", ["classic", "heads-up", "piles"])
def test_a_rack_that_nothing_is_staked_against_is_not_filled(key: str, operator: Role) -> None:
    at, cashier = new_table(key), operator("cashier")
    fill = f"/admin/tables/{at.table_id}/fill/"
    with pytest.raises(NoStakes):
        rack_transfers.fill_rack(Operator(cashier.pk), at.table_id, 0, 1000, "Low.", at.now)
    client = as_(cashier)
    assert fill not in read_page(client, "/admin/racks/")
    assert fill not in read_page(as_(operator("manager")), page_of(at))
    for answer in (
        client.get(fill, follow=True),
        client.post(fill, {"amount": "10", "reason": "Low.", "after": "0"}, follow=True),
    ):
        assert answer.redirect_chain == [("/admin/racks/", 302)]
        assert "This table has no bets" in answer.content.decode()
    assert at.chips.rack == 0


def test_the_rack_of_a_closed_table_has_no_button(monas: Client, casino: TableClient) -> None:
    fill = f"/admin/tables/{casino.table_id}/fill/"
    assert fill in read_page(monas, page_of(casino))
    Table.objects.update(closed_at=casino.now)
    assert fill not in read_page(monas, page_of(casino))


# What a table does


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "taking bets"),
        ({"paused_at": timezone.now()}, "paused"),
        ({"paused_at": timezone.now(), "phase": "playing"}, "in play, then paused"),
        ({"is_closing": True, "phase": "playing"}, "last round"),
        ({"closed_at": timezone.now()}, "closed"),
        ({"closed_at": timezone.now(), "paused_at": timezone.now()}, "closed"),
    ],
)
def test_every_page_says_the_same_about_what_a_table_does(
    fields: dict[str, object], words: str, monas: Client, casino: TableClient
) -> None:
    Table.objects.update(**fields)
    assert overview.load_floor_table(casino.table_id, casino.now).phase == words
    assert f"<dt>State</dt><dd>{words}</dd>" in read_page(monas, page_of(casino))
    assert f"<td> {words} </td>" in read_page(monas, "/admin/tables/list/?state=all")
    if "closed_at" not in fields:
        assert f">{words}</td>" in read_page(monas, "/admin/floor/")


# From a round to its people


def test_a_round_leads_to_its_table_and_its_players(
    round_: Round, ann: User, monas: Client, operator: Role
) -> None:
    path = f"/admin/rounds/{round_.pk}/"
    text = read_page(monas, path)
    table, player = f"/admin/floor/tables/{round_.table_id}/", f"/admin/players/{ann.pk}/"
    assert f'<a href="{table}">Casino</a>' in text
    assert f'<td><a href="{player}">ann</a></td>' in text
    text = read_page(as_(operator("cashier")), path)
    assert table not in text
    assert f'<td><a href="{player}">ann</a></td>' in text


def test_a_report_leads_to_its_player_and_the_answer_says_whose_it_is(
    round_: Round, ann: User, operator: Role
) -> None:
    at = dt.datetime(2026, 5, 4, 12, 30, tzinfo=dt.UTC)
    report = Report.objects.create(round=round_, user=ann, text="Twice.", at=at)
    client = as_(operator("floor"))
    who = f'<b><a href="/admin/players/{ann.pk}/">ann</a></b>, 4 May 2026, 12:30 UTC'
    for path in ("/admin/reports/", f"/admin/reports/{report.pk}/answer/"):
        text = read_page(client, path)
        assert who in text
        assert "Twice." in text
    assert f'href="/admin/reports/{report.pk}/"' not in read_page(
        client, f"/admin/reports/{report.pk}/answer/"
    )


# From a form back to its table


@pytest.mark.parametrize("what", ["edit", "fill", "clone"])
def test_a_form_about_a_table_leads_back_to_it(
    what: str, monas: Client, casino: TableClient
) -> None:
    text = read_page(monas, f"/admin/tables/{casino.table_id}/{what}/")
    assert f'<a href="{page_of(casino)}">Casino</a>' in text
    assert f'<a href="{page_of(casino)}">Cancel</a>' in text


@pytest.mark.parametrize(
    ("path", "back"),
    [
        ("floor/tables/{table}/pause/", "floor/tables/{table}/"),
        ("floor/tables/{table}/announce/", "floor/tables/{table}/"),
        ("floor/announce/", "floor/"),
        ("floor/maintenance/", "floor/"),
        ("tables/{table}/fill/back/", "floor/tables/{table}/"),
        ("players/{player}/freeze/", "players/{player}/"),
        ("players/{player}/adjust/", "players/{player}/statement/"),
    ],
)
def test_what_is_done_leads_back_to_where_one_came_from(
    path: str, back: str, monas: Client, casino: TableClient, ann: User
) -> None:
    ids = {"table": casino.table_id, "player": ann.pk}
    text = read_page(monas, f"/admin/{path.format(**ids)}")
    assert f'<a href="/admin/{back.format(**ids)}">Cancel</a>' in text


def test_who_may_not_see_tables_is_led_back_to_the_racks(
    operator: Role, casino: TableClient
) -> None:
    text = read_page(as_(operator("cashier")), f"/admin/tables/{casino.table_id}/fill/")
    assert page_of(casino) not in text
    assert '<a href="/admin/racks/">Cancel</a>' in text


@pytest.mark.django_db(transaction=True)
def test_a_table_that_is_opened_is_shown_with_its_invite(
    stopped_writer: None, monas: Client, casino: TableClient, operator: Role
) -> None:
    text = read_page(monas, "/admin/tables/new/")
    assert '<a href="/admin/tables/list/">Cancel</a>' in text
    form = monas.get("/admin/tables/new/").context["form"]
    fields = {field.html_name: field.value() for field in form if field.value() is not None}
    sent = {**fields, "name": "Mine", "rules_key": "casino", "is_private": "on"}
    answer = monas.post("/admin/tables/new/", sent)
    row = Table.objects.get(name="Mine")
    there = f"/admin/floor/tables/{row.pk}/"
    assert (answer.status_code, answer["Location"]) == (302, there)
    assert f"http://localhost:8000/join/{row.code}/" in read_page(monas, there)
    assert row.code not in read_page(as_(operator("floor")), there)
    assert casino.row.code not in read_page(monas, page_of(casino))


# Maintenance


@pytest.mark.django_db(transaction=True)
def test_who_plans_maintenance_sees_it_on_the_floor(
    stopped_writer: None, monas: Client, casino: TableClient, operator: Role
) -> None:
    sent = {"minutes": "29", "says": "New felt."}
    answer = monas.post("/admin/floor/maintenance/", sent, follow=True)
    assert answer.redirect_chain == [("/admin/floor/", 302)]
    assert maintenance.get_planned() is not None
    end = 'action="/admin/floor/maintenance/end/"'
    text = read_page(monas, "/admin/floor/")
    assert re.search(r"In (28|29) min", text)
    assert "Cancel maintenance" in text
    assert end in text
    assert end in read_page(monas, "/admin/floor/now/")
    assert read_page(monas, "/admin/floor/maintenance/").count(end) == 1
    assert end not in read_page(as_(operator("floor")), "/admin/floor/")
    HouseSettings.objects.update(maintenance_at=timezone.now())
    assert "End maintenance" in read_page(monas, "/admin/floor/")


# Words


def test_outcomes_and_rules_are_told_in_words(
    round_: Round, monas: Client, ann: User, mona: User
) -> None:
    text = read_page(monas, f"/admin/rounds/{round_.pk}/")
    assert "<td>Blackjack</td>" in text
    assert "ann: Blackjack, 10 → 25" in text
    assert "<td>Blackjack</td>" in read_page(monas, f"/admin/players/{ann.pk}/rounds/")
    state = load_table_state(round_.table_id, timezone.now())
    assert any("Blackjack" in hand for hand in state.places[0].hands)
    voids.request_void(round_.pk, Operator(mona.pk), "Wrong shoe.", timezone.now())
    assert "<td>Void</td>" in read_page(monas, f"/admin/players/{ann.pk}/rounds/")


def test_what_a_round_is_played_by_differently_is_told_in_words(
    ann: User, monas: Client, stack: Stack
) -> None:
    rules_options = {"hits_soft_17": True}
    at = TableClient(
        lifecycle.open_table(name="T", rules_key="casino", rules_options=rules_options).pk
    )
    stack(BLACKJACK)
    sit_down(at, ann)
    at.bet(ann, 1000)
    text = read_page(monas, f"/admin/rounds/{Round.objects.get().pk}/")
    assert "the dealer hits soft 17" in text
    assert "hits_soft_17" not in text


def test_numbers_of_things_are_told_as_people_count(
    monas: Client, casino: TableClient, ann: User
) -> None:
    process_registry.record_process("a" * 32, 1, timezone.now())
    text = read_page(monas, "/admin/floor/")
    assert "1 socket, seen" in text
    assert '<th scope="col" class="is-number">Rack</th>' in text
    process_registry.record_process("a" * 32, 2, timezone.now())
    assert "2 sockets, seen" in read_page(monas, "/admin/floor/")


@pytest.mark.django_db(transaction=True)
def test_a_table_that_is_closed_at_once_is_said_to_be_closed(
    stopped_writer: None, casino: TableClient, ann: User, operator: Role, stack: Stack
) -> None:
    client = as_(operator("floor"))
    stack("Ts 9h 6d Kd 5c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    close = f"{page_of(casino)}close/"
    text = client.post(close, {"reason": "Late."}, follow=True).content.decode()
    assert "Casino closes when its round is over." in text
    empty = new_table("casino")
    close = f"{page_of(empty)}close/"
    text = client.post(close, {"reason": "Late."}, follow=True).content.decode()
    assert f"{empty.row.name} is closed." in text


def test_the_audit_is_named_to_those_who_may_run_it(
    round_: Round, ann: User, operator: Role, monas: Client
) -> None:
    Account.objects.filter(pk=ann.wallet.pk).update(balance=1)
    path = f"/admin/players/{ann.pk}/statement/"
    assert "Run the audit." in read_page(monas, path)
    text = read_page(as_(operator("cashier")), path)
    assert "These entries do not add up." in text
    assert "Run the audit" not in text


# What happened at a table


def test_the_last_changes_are_told_in_sentences(
    round_: Round, casino: TableClient, ann: User
) -> None:
    sentences = [
        " ".join(one.events) for one in load_table_state(casino.table_id, casino.now).changes
    ]
    text = " ".join(sentences)
    assert "ann takes seat 1." in text
    assert "Seat 1 bets 10." in text
    assert "Seat 1 gets A♠." in text
    assert "The dealer gets 9♥." in text
    assert "The dealer gets a card, face down." in text
    assert "Seat 1: Blackjack, bet 10, paid 25." in text
    assert "_" not in text
    assert not re.search(r"[0-9a-f]{20}", text)


def test_the_clock_and_the_house_are_told_apart_at_a_table(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9h 6d Kd 5c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    assert casino.row.deadline_at is not None
    casino.time_is_up()
    (last, *_) = load_table_state(casino.table_id, casino.now).changes
    assert last.by == "the clock"


@pytest.mark.django_db(transaction=True)
def test_a_change_by_an_operator_has_the_name_of_that_operator(
    stopped_writer: None, casino: TableClient, ann: User, mona: User
) -> None:
    sit_down(casino, ann)
    table_actions.pause(Operator(mona.pk), casino.table_id, "Back at ten.")
    table_actions.close(Operator(mona.pk), casino.table_id, "Late.")
    closing, pausing, *_ = load_table_state(casino.table_id, casino.now).changes
    assert (pausing.by, pausing.command) == ("mona", "paused a table")
    assert (closing.by, closing.command) == ("mona", "closed a table")


def test_every_event_has_a_sentence() -> None:
    kinds = [snake_case(kind.__name__) for kind in (*get_args(Event), *get_args(TableEvent))]
    names = {name.partition("/")[0] for name in event_text._SENTENCES}
    assert set(kinds) == names
    # Some reasons to be no longer in line have a sentence of their own.
    reasons = {
        str(reason)
        for reason in (*Reason, *QueueReason)
        if f"queue_left/{reason}" not in event_text._SENTENCES
    }
    assert reasons | {"left"} == set(event_text._REASONS)


# What a player reads


def test_a_void_round_is_headed_as_it_was_played(round_: Round, ann: User, mona: User) -> None:
    path = f"/rounds/{round_.pk}/"
    assert "Replay" not in read_page(as_(ann), path)
    voids.request_void(round_.pk, Operator(mona.pk), "Wrong shoe.", timezone.now())
    text = read_page(as_(ann), path)
    assert text.index("This round is void") < text.index("Replay")
    assert text.index("Replay") < text.index("Your result")
