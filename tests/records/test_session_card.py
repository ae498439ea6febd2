"""The card of a session: the rounds at the table since sitting down, for their player."""

from __future__ import annotations

import datetime as dt
import html
import re
from collections.abc import Callable

import pytest
from django.test import Client

from accounts.lib.times import to_milliseconds
from accounts.models import User
from tables.models import Grade
from tables.realtime import grading_worker
from tables.results import projector
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
WON = "Ts 9h 9d 7c Tc"
LOST = "5s 6h 9d Tc 2d"
"""11 that stands loses to 19; standing was a mistake."""


def card(user: User, at: TableClient, since: int) -> str:
    client = Client()
    client.force_login(user)
    answer = client.get(f"/tables/{at.table_id}/session/?since={since}")
    assert answer.status_code == 200
    text = html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode()))
    return " ".join(text.split())


def play(at: TableClient, user: User, stake: int = 1000) -> None:
    at.bet(user, stake)
    at.act(user, "stand")


def grade_all() -> None:
    projector.catch_up()
    while grading_worker.grade_batch():
        pass


def sat_at(at: TableClient) -> int:
    (since,) = [seat.since for seat in at.view.seats if seat.since]
    return since


def test_the_parts_of_a_session_add_up_to_its_net(ann: User, ben: User, stack: Stack) -> None:
    stack(WON, LOST, LOST)
    at = new_table("pot")
    sit_down(at, ann)
    since = sat_at(at)
    assert card(ann, at, since) == ""
    play(at, ann)
    play(at, ann)
    waiting = card(ann, at, since)
    assert waiting == (
        "Your session at this table Rounds 2 Net 0 Luck and skill follow in some seconds."
    )
    grade_all()
    at.leave(ann)
    right, wrong = Grade.objects.order_by("pk")
    luck, cost = right.luck + wrong.luck, wrong.money_cost
    assert right.expectation + wrong.expectation + luck - cost == 0
    text = card(ann, at, since).replace("\N{MINUS SIGN}", "-")
    assert text == (
        "Your session at this table Rounds 2 Net 0 Expected -2.62 "
        f"Luck +{luck / 100:.2f} Mistakes {-cost / 100:.2f} Right decisions 1 of 2"
    )
    assert card(ben, at, since) == ""
    assert card(ann, new_table("pot"), since) == ""


def test_rounds_before_sitting_down_are_of_another_session(ann: User, stack: Stack) -> None:
    stack(WON, LOST)
    at = new_table("pot")
    sit_down(at, ann)
    play(at, ann)
    grade_all()
    at.leave(ann)
    at.now += dt.timedelta(minutes=1)
    at.sit(ann, 1)
    since = sat_at(at)
    assert since == to_milliseconds(at.now)
    assert card(ann, at, since) == ""
    play(at, ann)
    grade_all()
    assert "Rounds 1 Net -10 " in card(ann, at, since).replace("\N{MINUS SIGN}", "-")


def test_without_stakes_mistakes_cost_hands(ann: User, stack: Stack) -> None:
    stack("5s 6h 9d Tc 2d 3c 4c 7h")
    at = new_table("classic")
    sit_down(at, ann)
    play(at, ann, 0)
    grade_all()
    text = card(ann, at, sat_at(at))
    pattern = r"Rounds 1 Cost of mistakes 0\.\d{3} hands Right decisions 0 of 1$"
    assert re.search(pattern, text), text


def test_a_moment_that_is_none_is_not_found(ann: User) -> None:
    client = Client()
    client.force_login(ann)
    at = new_table("pot")
    for query in ("", "?since=x", "?since=9999999999999999999"):
        assert client.get(f"/tables/{at.table_id}/session/{query}").status_code == 404
