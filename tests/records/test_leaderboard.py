"""The leaderboard: net per 100 staked rounds at public tables, of those who want to be there."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from accounts.users import guests
from tables.models import Standing
from tables.records import leaderboard
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient, new_player

pytestmark = pytest.mark.django_db


def stands(user: User, per_hundred: int, rounds: int = 50) -> User:
    """Somebody with so many rounds, and a net to fit."""
    Standing.objects.create(
        user=user, rounds=rounds, net=per_hundred * rounds // 100, per_hundred=per_hundred
    )
    return user


def list_places() -> list[tuple[int, str, int]]:
    return [(place.rank, place.name, place.per_hundred) for place in leaderboard.list_rows()]


def page(client: Client) -> str:
    answer = client.get("/leaderboard/")
    assert answer.status_code == 200
    return " ".join(re.sub(r"<.*?>", " ", answer.content.decode().split("<main")[1]).split())


def test_who_wins_most_per_hundred_rounds_comes_first(ann: User, ben: User, cleo: User) -> None:
    stands(ann, -1200)
    stands(ben, 800, 1000)
    stands(cleo, 3000, 60)
    assert list_places() == [(1, "cleo", 3000), (2, "ben", 800), (3, "ann", -1200)]


def test_who_has_as_much_has_the_same_rank_and_stands_by_name(
    ann: User, ben: User, cleo: User, dora: User
) -> None:
    for user, net in ((dora, 500), (cleo, 900), (ben, 500), (ann, 100)):
        stands(user, net)
    assert list_places() == [(1, "cleo", 900), (2, "ben", 500), (2, "dora", 500), (4, "ann", 100)]


def test_names_are_ordered_regardless_of_case(ann: User) -> None:
    stands(new_player("Zoe"), 500)
    stands(new_player("adam"), 500)
    assert [name for _, name, _ in list_places()] == ["adam", "Zoe"]


def test_fifty_rounds_are_needed(ann: User, ben: User) -> None:
    stands(ann, 500, 49)
    stands(ben, 100, 50)
    assert list_places() == [(1, "ben", 100)]


def test_who_does_not_want_to_is_not_named_nor_guests_nor_closed_accounts(
    ann: User, ben: User, cleo: User
) -> None:
    stands(ann, 900)
    User.objects.filter(pk=stands(ben, 800).pk).update(is_listed=False)
    User.objects.filter(pk=stands(cleo, 700).pk).update(is_active=False)
    stands(guests.create_guest(at=timezone.now()), 600)
    assert list_places() == [(1, "ann", 900)]


def test_operators_play_like_everybody(ann: User) -> None:
    User.objects.filter(pk=stands(ann, 900).pk).update(is_staff=True)
    assert list_places() == [(1, "ann", 900)]


def test_twenty_are_listed(client: Client) -> None:
    for number in range(25):
        stands(new_player(f"player{number}"), number)
    assert [rank for rank, _, _ in list_places()] == list(range(1, 21))
    text = page(client)
    assert "player24" in text
    assert "player4 " not in text


def test_rounds_that_were_played_are_on_it(
    client: Client, casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stands(ann, -100, 49)
    stack("As 9h Kd 7c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    text = page(client)
    assert list_places() == [(1, "ann", (1500 - 49) * 2)]
    assert "1 ann 50 +29.02" in text


# The page


def test_everybody_may_look_at_it(client: Client) -> None:
    text = page(client)
    assert "Nobody is listed yet." in text
    assert "And you" not in text


def test_my_own_line_is_marked(client: Client, ann: User, ben: User) -> None:
    stands(ann, 900)
    stands(ben, -800)
    client.force_login(ben)
    text = page(client)
    assert "1 ann 50 +9 2 ben you 50 −8" in text
    assert "And you" not in text


def test_it_says_how_many_rounds_are_missing(client: Client, ann: User, ben: User) -> None:
    client.force_login(stands(ann, -3000, 33))
    assert "33 rounds, −30 per 100 rounds. 17 more rounds until you are listed." in page(client)
    client.force_login(stands(ben, 200, 49))
    assert "1 more round until you are listed." in page(client)


def test_it_says_so_to_who_has_not_played(client: Client, ann: User) -> None:
    client.force_login(ann)
    text = page(client)
    assert "And you 50 more rounds until you are listed." in text
    assert "0 rounds," not in text


def test_who_does_not_want_to_be_listed_sees_their_own_figures(client: Client, ann: User) -> None:
    stands(ann, 900)
    User.objects.filter(pk=ann.pk).update(is_listed=False)
    client.force_login(ann)
    text = page(client)
    assert "Nobody is listed yet." in text
    assert "50 rounds, 9 per 100 rounds. You chose not to be listed." in text
    assert "until you are listed" not in text


def test_a_guest_is_told_to_keep_the_account(client: Client) -> None:
    guest = stands(guests.create_guest(at=timezone.now()), 900)
    client.force_login(guest)
    answer = client.get("/leaderboard/").content.decode()
    assert "Guests are not listed." in page(client)
    assert '/accounts/keep/?next=%2Fleaderboard%2F"' in answer.split("<main")[1]


def test_who_is_not_among_the_first_is_told_so(client: Client, ann: User) -> None:
    for number in range(20):
        stands(new_player(f"player{number}"), 100)
    client.force_login(stands(ann, 99))
    assert "50 rounds, 0.99 per 100 rounds. You are not among the first 20." in page(client)


def test_the_lobby_and_the_figures_lead_there(client: Client, ann: User) -> None:
    client.force_login(ann)
    for path in ("/", "/figures/"):
        assert 'href="/leaderboard/"' in client.get(path).content.decode()


def test_it_asks_as_much_for_many_players_as_for_few(
    client: Client, ann: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.force_login(ann)
    with django_assert_num_queries(7):  # and wallet and notices of the head
        page(client)
    for number in range(30):
        stands(new_player(f"player{number}"), number)
    with django_assert_num_queries(7):
        page(client)


def test_it_walks_along_its_index(ann: User) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("plans are told in SQLite's words")
    users = User.objects.bulk_create(User(username=f"player{n}") for n in range(2000))
    Standing.objects.bulk_create(
        Standing(user=user, rounds=user.pk % 100, per_hundred=user.pk * 37 % 999) for user in users
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    plan = leaderboard.list_ranked().explain()
    assert "SCAN tables_standing USING INDEX leaderboard" in plan
    assert "SEARCH accounts_user USING INTEGER PRIMARY KEY" in plan
    assert "TEMP B-TREE" not in plan
