"""Emptying the history: what goes, and what stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import Account, Transfer, User
from tables.game.history_reset import reset_history
from tables.models import Change, PileGame, Result, Round, Standing, Tally
from tables.records.rounds import list_rounds
from tables.results import projector
from tables.state import locking
from tests.helpers.rounds import faults, play_round
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
RESET = "/history/reset/"


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    """A browser in which ann is logged in."""
    client.force_login(ann)
    return client


def win(at: TableClient, stack: Stack, *players: User) -> None:
    """A round that everybody at the table wins, and that is counted."""
    at.now = max(at.now, timezone.now())
    stack("Ts 9s Th 8s 9d 7h" if len(players) == 2 else "Ts Th 8s 7h")
    for user in players:
        at.bet(user, 1000)
    for user in players:
        at.act(user, "stand")
    projector.catch_up()


def load_rows() -> dict[str, list[dict[str, Any]]]:
    """Everything that emptying a history must not change."""
    models = (Account, Transfer, Round, Result, Standing, PileGame, Change)
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


def empty(client: Client, name: str) -> int:
    return client.post(RESET, {"name": name}).status_code


def test_the_page_says_what_goes_and_what_stays(anns: Client) -> None:
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", anns.get(RESET).content.decode()))
    goes, stays = text.split("This will be cleared")[1].split("This will be kept")
    for word in ("list of your rounds", "stats", "streaks"):
        assert word in goes
    for word in ("chips", "statement", "leaderboard", "operators", "other players"):
        assert word in stays
    assert "Type your name, ann , to confirm." in text


@pytest.mark.parametrize("name", ["ann", " Ann ", "ANN"])
def test_list_and_figures_are_empty_afterwards(
    name: str, anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    casino.sit(ann, 1)
    win(casino, stack, ann)
    answer = anns.post(RESET, {"name": name}, follow=True)
    assert answer.redirect_chain == [("/history/", 302)]
    page_text = answer.content.decode()
    assert "Your history is cleared. Your balance has not changed." in page_text
    assert "No rounds since then." in page_text
    assert answer.context["page"].rounds == []
    assert not Tally.objects.filter(user=ann).exists()


@pytest.mark.parametrize("name", ["", "ben", "ann2", "an", "a\x00nn", "x" * 300, "reset"])
def test_another_word_empties_nothing(
    name: str, anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    casino.sit(ann, 1)
    win(casino, stack, ann)
    answer = anns.post(RESET, {"name": name})
    assert answer.status_code == 200
    assert "field-errors" in answer.content.decode()
    assert Tally.objects.filter(user=ann).count() == 2
    ann.refresh_from_db()
    assert ann.history_since is None


def test_looking_at_the_page_empties_nothing(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    casino.sit(ann, 1)
    win(casino, stack, ann)
    assert anns.get(RESET, {"name": "ann"}).status_code == 200
    assert len(list_rounds(User.objects.get(pk=ann.pk)).entries) == 1
    assert Tally.objects.filter(user=ann).count() == 2


def test_it_is_for_who_is_logged_in_and_carries_a_token(casino: TableClient, ann: User) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.get(RESET).headers["Location"] == f"/accounts/login/?next={RESET}"
    client.force_login(ann)
    assert client.post(RESET, {"name": "ann"}).status_code == 403
    ann.refresh_from_db()
    assert ann.history_since is None


def test_money_records_and_the_history_of_friends_stay(
    anns: Client, casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    win(casino, stack, ann, ben)
    before = load_rows()
    bens = list(Tally.objects.filter(user=ben).values())
    assert len(bens) == 2
    empty(anns, "ann")
    assert load_rows() == before
    assert list(Tally.objects.filter(user=ben).values()) == bens
    assert len(list_rounds(User.objects.get(pk=ben.pk)).entries) == 1
    assert User.objects.get(pk=ben.pk).history_since is None
    assert faults() == []
    round_ = Round.objects.get(finished_at__isnull=False)
    assert anns.get(f"/rounds/{round_.pk}/").status_code == 200


def test_the_next_round_is_the_first_one(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    casino.sit(ann, 1)
    for _ in range(3):
        win(casino, stack, ann)
    empty(anns, "ann")
    win(casino, stack, ann)
    answer = anns.get("/history/")
    assert [played.id for played in answer.context["page"].rounds] == [
        Round.objects.filter(finished_at__isnull=False).latest("pk").pk
    ]
    assert "All rounds you have played since" in answer.content.decode()
    tallies = Tally.objects.filter(user=ann).values_list(
        "rounds", "won", "streak", "longest_streak"
    )
    assert list(tallies) == [(1, 1, 1, 1)] * 2
    assert Standing.objects.get(user=ann).rounds == 4


def test_a_round_in_play_belongs_to_what_comes_after(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    casino.sit(ann, 1)
    stack("Ts Th 8s 7h")
    casino.bet(ann, 1000)
    empty(anns, "ann")
    casino.now = timezone.now()
    casino.act(ann, "stand")
    assert len(anns.get("/history/").context["page"].rounds) == 1
    projector.catch_up()
    assert Tally.objects.get(user=ann, rules_key=Tally.ALL).rounds == 1


def test_a_game_of_piles_goes_on_with_the_hands_after_it(
    anns: Client, piles: TableClient, ann: User
) -> None:
    piles.sit(ann, 1)
    for chance in (1, 2):
        play_round(piles, [ann], Random(chance))
    empty(anns, "ann")
    assert anns.get("/history/").context["page"].rounds == []
    for chance in (3, 4):
        piles.now = timezone.now()
        play_round(piles, [ann], Random(chance))
    (entry,) = anns.get("/history/").context["page"].entries
    last_two = Result.objects.order_by("-pk").values_list("round_id", flat=True)[:2]
    assert [played.id for played in entry.rounds] == sorted(last_two)


def test_a_table_where_they_sit_down_meanwhile_is_locked_too(
    casino: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    casino.sit(ann, 1)
    first_looks: list[list[int]] = [[]]  # it was before they sat down
    locked: list[list[int]] = []
    look, lock = locking.tables_of, locking.lock_tables

    def tables_of(user_id: int) -> list[int]:
        return first_looks.pop() if first_looks else look(user_id)

    def noted(table_ids: list[int]) -> None:
        locked.append(table_ids)
        lock(table_ids)

    monkeypatch.setattr(locking, "tables_of", tables_of)
    monkeypatch.setattr(locking, "lock_tables", noted)
    reset_history(ann.pk)
    assert locked == [[], [casino.table_id]]
    assert User.objects.get(pk=ann.pk).history_since is not None


def test_it_can_be_emptied_again(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    casino.sit(ann, 1)
    for _ in range(2):
        win(casino, stack, ann)
        assert len(anns.get("/history/").context["page"].rounds) == 1
        empty(anns, "ann")
        assert anns.get("/history/").context["page"].rounds == []


def test_the_page_asks_as_much_of_a_long_history_as_of_none(
    anns: Client,
    casino: TableClient,
    ann: User,
    stack: Stack,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for rounds in (0, 5):
        for _ in range(rounds):
            win(casino, stack, ann)
        with django_assert_num_queries(4):  # session, user, wallet, notices
            anns.get("/history/reset/")
