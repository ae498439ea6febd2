"""What the decisions of a round cost, for the page of the table: after its end, for its player."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from tables.models import Grade, Round
from tables.protocol.commands import Hints
from tables.realtime import grading_worker
from tables.records.skill import round_costs
from tables.results import projector
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, code

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
SIXTEEN = "Ts 9h 6h Td 5c 2c"
"""Sixteen against a nine."""


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def ask(user: User | None, round_: Round) -> tuple[int, Any]:
    client = Client()
    if user is not None:
        client.force_login(user)
    answer = client.get(f"/rounds/{round_.pk}/costs/")
    return answer.status_code, answer.json() if answer.status_code == 200 else None


def test_the_costs_come_after_the_end_and_to_their_player_alone(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack(SIXTEEN)
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    round_ = Round.objects.get()
    assert round_.dealt_at is not None
    assert ask(ann, round_)[0] == 404
    assert code(casino.act(ann, "stand")) == "done"
    status, costs = ask(ann, round_)
    assert status == 200
    assert not costs["waiting"]
    assert not costs["right"]
    (sentence,) = costs["decisions"]
    assert sentence.startswith("Standing on 16 against a 9 cost 0.0")
    assert sentence.endswith(" Best: Hit.")
    money = sentence.split(": ")[1].removesuffix(". Best")
    assert costs["summary"] == f"Best: Hit. Cost: {money}."
    assert ask(ben, round_)[0] == 404
    assert ask(None, round_)[0] == 404


def test_the_stored_grade_says_the_same(casino: TableClient, ann: User, stack: Stack) -> None:
    stack(SIXTEEN)
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    round_ = Round.objects.get()
    answer = ask(ann, round_)
    projector.catch_up()
    assert not Grade.objects.exists()
    while grading_worker.grade_batch():
        pass
    assert Grade.objects.exists()
    assert ask(ann, round_) == answer


def test_good_play_is_said_too(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("Ts 6c 6h Td 5c 2c")
    sit_down(casino, ann)
    casino.send(ann, Hints(uuid.uuid4(), True))
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    _, costs = ask(ann, Round.objects.get())
    assert costs["right"]
    assert costs["summary"] == "Well played: no mistake."
    assert costs["decisions"] == ["Standing on 16 against a 6 was right."]


def test_who_decided_nothing_gets_no_summary(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("As 6h Kh Td 5c 2c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    _, costs = ask(ann, Round.objects.get())
    assert (costs["summary"], costs["decisions"]) == ("", [])


def test_cards_and_hands_are_costs_too(ann: User, stack: Stack) -> None:
    stack("5s 6h 9d Tc 2d 3c 4c 7h", "5s 9h 9d Tc 2d 3c 4c 7h")
    for key, unit in (("classic", "hands"), ("piles", "cards")):
        at = new_table(key)
        sit_down(at, ann)
        at.bet(ann, 0)
        at.act(ann, "stand")
        _, costs = ask(ann, Round.objects.latest("pk"))
        assert costs["summary"].endswith(f" {unit}."), costs
        at.leave(ann)


def test_a_busy_process_leaves_it_to_the_worker(
    casino: TableClient, ann: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_costs, "PATIENCE", 0.01)
    stack(SIXTEEN)
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    with round_costs._grading:
        status, costs = ask(ann, Round.objects.get())
    assert (status, costs["waiting"], costs["decisions"]) == (200, True, [])
    assert not ask(ann, Round.objects.get())[1]["waiting"]
