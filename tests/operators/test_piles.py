"""A game of piles goes on: nobody behind the counter looks into a pile either."""

from __future__ import annotations

from random import Random

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts.models import User
from tables.models import Change, Round, Shoe
from tests.helpers.leak_search import cards_in, pages_for_operators, shown
from tests.helpers.rounds import new_table, round_at_random
from tests.helpers.table_client import TableClient, new_player
from tests.operators.matrix import ROLES

pytestmark = pytest.mark.django_db

HANDS = 3
ALL = 60
"""More rows than such a game writes of anything."""


def operator(role: str) -> Client:
    user = User.objects.create_user(role, is_staff=True, is_superuser=role == "superuser")
    if role in ROLES:
        user.groups.add(Group.objects.get(name=role))
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def at() -> TableClient:
    """Some hands into a game, with the next one on the table."""
    table, player = new_table("piles"), new_player("ann")
    table.sit(player, 1)
    for hand in range(HANDS):
        for _ in round_at_random(table, [player], Random(hand)):
            pass
    hands = HANDS
    while table.view.asked is None:  # a hand of 21 is over as it is dealt
        for _ in round_at_random(table, [player], Random(hands)):
            if table.view.asked is not None:
                break
        hands += 1
    assert Round.objects.count() == hands
    assert Shoe.objects.get(pk=Round.objects.latest("pk").shoe_id).retired_at is None
    assert Change.objects.count() < ALL
    return table


@pytest.mark.long
@pytest.mark.parametrize("role", [*ROLES, "superuser"])
def test_case_45_no_page_of_any_operator_tells_what_lies_in_a_pile(
    role: str, at: TableClient
) -> None:
    """Every card of this deck is there once, so none on the table is one of a pile."""
    browser = operator(role)
    everything = pages_for_operators(browser, rows=ALL, refused=True)
    assert cards_in(everything) <= shown(at)


@pytest.mark.long
def test_the_cards_are_on_these_pages_when_the_game_is_over(at: TableClient) -> None:
    """So the search above would have found them."""
    lain = {
        card
        for row in Round.objects.filter(finished_at__isnull=False)
        for card in [
            *row.dealer_cards.split(),
            *" ".join(hand.cards for hand in row.results.all().list_hands()).split(),
        ]
    }
    at.time_is_up()
    player = User.objects.get(username="ann")
    at.leave(player)
    at.sit(new_player("ben"), 1)
    assert lain
    assert lain <= cards_in(pages_for_operators(operator("manager"), rows=ALL, refused=True))
