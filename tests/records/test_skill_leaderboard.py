"""The leaderboard of skill: the cost of decisions, of players who switched it on."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from accounts.users import guests
from tables.models import SkillStanding
from tables.records.skill import skill_leaderboard
from tests.helpers.table_client import new_player

pytestmark = pytest.mark.django_db


def stands(user: User, per_hundred: int, decisions: int = 200, *, is_listed: bool = True) -> User:
    """Somebody whose decisions cost so many millionths per 100."""
    cost = per_hundred * decisions // 100
    SkillStanding.objects.create(
        user=user, decisions=decisions, cost=cost, per_hundred=per_hundred, is_listed=is_listed
    )
    return user


def list_rows() -> list[tuple[int, str, str]]:
    return [(row.rank, row.name, row.cost) for row in skill_leaderboard.list_rows()]


def page(user: User | None = None) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    answer = client.get("/leaderboard/skill/")
    assert answer.status_code == 200
    return " ".join(re.sub(r"<.*?>", " ", answer.content.decode().split("<main")[1]).split())


def test_whose_decisions_cost_least_comes_first(ann: User, ben: User, cleo: User) -> None:
    stands(ann, 900_000)
    stands(ben, 12_400)
    stands(cleo, 12_400, 5_000)
    assert list_rows() == [(1, "ben", "0.012"), (1, "cleo", "0.012"), (3, "ann", "0.900")]


def test_two_hundred_decisions_are_needed(ann: User, ben: User) -> None:
    stands(ann, 0, 199)
    stands(ben, 5_000, 200)
    assert list_rows() == [(1, "ben", "0.005")]
    assert "199 decisions, 0.000 bets per 100. 1 more decision until you are listed." in page(ann)


def test_nobody_is_listed_who_did_not_switch_it_on(ann: User, ben: User, cleo: User) -> None:
    stands(ann, 100, is_listed=False)
    User.objects.filter(pk=stands(ben, 200).pk).update(is_active=False)
    stands(guests.create_guest(at=timezone.now()), 300)
    assert list_rows() == []
    assert "Players are listed if they want to be." in page(ann)
    assert "Nobody is listed yet." in page(cleo)
    assert "And you" not in page()


def test_it_is_switched_on_and_off_in_the_account(ann: User) -> None:
    client = Client()
    client.force_login(ann)
    box = re.compile(r'id="id_skill_listed"( checked)?')

    def is_checked() -> bool:
        match = box.search(client.get("/account/").content.decode())
        assert match is not None
        return bool(match[1])

    assert not is_checked()
    client.post("/account/listed/skill/", {})
    assert not SkillStanding.objects.exists()
    client.post("/account/listed/skill/", {"listed": "on"})
    assert is_checked()
    SkillStanding.objects.update(decisions=200, cost=400, per_hundred=200)
    assert list_rows() == [(1, "ann", "0.000200")]
    client.post("/account/listed/skill/", {})
    assert not is_checked()
    assert SkillStanding.objects.get().decisions == 200


def test_a_guest_cannot_switch_it_on() -> None:
    client, guest = Client(), guests.create_guest(at=timezone.now())
    client.force_login(guest)
    client.post("/account/listed/skill/", {"listed": "on"})
    assert not SkillStanding.objects.exists()


def test_my_own_line_is_marked_and_the_boards_lead_to_each_other(ann: User, ben: User) -> None:
    stands(ann, 1_000)
    stands(ben, 2_000)
    assert "1 ann 200 0.001 2 ben you 200 0.002" in page(ben)
    assert "And you" not in page(ben)
    assert 'href="/leaderboard/skill/"' in Client().get("/leaderboard/").content.decode()


def test_twenty_are_listed_with_one_query(ann: User) -> None:
    for number in range(22):
        stands(new_player(f"player{number}"), number)
    with CaptureQueriesContext(connection) as queries:
        assert len(list_rows()) == 20
    assert len(queries) == 1
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN QUERY PLAN " + queries.captured_queries[0]["sql"])
            plan = " ".join(row[3] for row in cursor.fetchall())
        assert "leaderboard_of_skill" in plan, plan
