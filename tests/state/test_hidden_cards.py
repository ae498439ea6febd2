"""Whole rounds are played, and everything that was sent, shown, stored or logged is searched for
cards that do not lie face up, and for the secret from which they could be computed.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from random import Random

import pytest
from django.test import Client

from accounts.models import User
from tables.engine.cards import DECK
from tables.models import Round, Shoe, Table
from tests.helpers.leak_search import (
    cards_in,
    pages_for_operators,
    pages_of_now,
    pages_of_the_past,
    rules_pages,
    sent,
    shown,
    stored,
    tells_secret,
)
from tests.helpers.rounds import new_table, of_type, play_round, round_at_random, sit_down
from tests.helpers.table_client import TableClient, events

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
ROUNDS = {"classic": 2, "heads-up": 2, "pot": 2, "casino": 2, "vegas": 4, "piles": 13}


def shoe_of_few_names(decks: int, chance: Random) -> str:
    """A shoe in which most cards that are still to come have names that nobody has seen yet:
    four names at a time, all packs of them, then the next four.
    """
    names = [str(card) for card in DECK]
    chance.shuffle(names)
    order: list[str] = []
    for start in range(0, 52, 4):
        some = names[start : start + 4] * decks
        chance.shuffle(some)
        order += some
    return " ".join(order)


@pytest.mark.long
@pytest.mark.parametrize("key", ROUNDS)
@pytest.mark.parametrize("seed", range(2))
def test_case_30_nothing_that_leaves_the_house_tells_of_a_card_before_its_time(
    key: str, seed: int, ann: User, ben: User, cleo: User, admin_user: User, client: Client,
    caplog: pytest.LogCaptureFixture, stack: Stack,
) -> None:  # fmt: skip
    chance = Random(seed)
    caplog.set_level(logging.INFO, "django.template")  # it prints what pages may show anyway
    caplog.set_level(logging.DEBUG)
    client.force_login(admin_user)
    at = new_table(key)
    rules = at.row.rules
    stack(*(shoe_of_few_names(rules.decks, chance) for _ in range(2)))
    # The operator plays too, so that the history has something to show.
    players = [admin_user, ben, cleo][: rules.seats]
    sit_down(at, *players)
    assert cards_in(rules_pages(client)) == set()
    past_cards: set[str] = set()
    for _ in range(ROUNDS[key]):
        for played in round_at_random(at, players, chance):
            face_up = shown(at)
            past_cards |= face_up
            text = sent(at, played)
            assert cards_in(text) <= face_up
            assert not tells_secret(at, text)
            if chance.random() < 0.15 or at.view.asked is None:
                now, past, database = pages_of_now(at, client), pages_of_the_past(client), stored()
                assert cards_in(now) <= face_up
                assert cards_in(past) <= past_cards
                assert cards_in(database) <= past_cards
                assert not tells_secret(at, now + past + database)
        if chance.random() < 0.15:
            behind = pages_for_operators(client)
            assert cards_in(behind) <= past_cards
            assert not tells_secret(at, behind)
        if not at.live.game.is_playing and of_type(events(played), "game_ended"):
            break
    assert cards_in(caplog.text) == set()
    assert not tells_secret(at, caplog.text)


@pytest.mark.parametrize("key", ["vegas", "piles"])
def test_a_secret_is_told_with_the_end_of_its_shoe_and_is_on_the_pages_then(
    key: str, ann: User, client: Client
) -> None:
    """So the search above would have found it."""
    client.force_login(ann)
    at = new_table(key)
    at.sit(ann, 1)
    shoe = at.live.game.shoe
    assert shoe is not None
    secret = shoe.secret.hex()
    chance = Random(1)
    while not of_type(play_round(at, [ann], chance), "shoe_opened"):
        assert secret not in pages_of_the_past(client) + stored()
        if key == "vegas" and Round.objects.count() == 3:
            at.leave(ann)
            break
    assert secret in pages_of_the_past(client)
    assert secret in stored()


def test_nobody_looks_into_a_pile_while_the_game_goes_on(
    piles: TableClient, ann: User, client: Client, stack: Stack
) -> None:
    """Seed 002: "you can not see which cards are in this stack"."""
    stack(shoe_of_few_names(1, Random(3)))
    client.force_login(ann)
    piles.sit(ann, 1)
    lain: set[str] = set()
    for hand in range(1, 14):
        for _ in round_at_random(piles, [ann], Random(hand)):
            assert cards_in(pages_of_now(piles, client)) <= shown(piles)
        lain |= shown(piles)
        (shoe, *_) = Shoe.objects.order_by("pk")
        if shoe.retired_at is not None:
            break
        assert cards_in(pages_of_the_past(client)) == set()
        histories = client.get("/history/").context["page"].rounds
        assert [(row.is_hidden, row.dealer_cards) for row in histories] == [(True, ())] * hand
        assert client.get(f"/rounds/{Round.objects.latest('pk').pk}/proof.json").json()[
            "rounds"
        ] == []  # fmt: skip
    assert hand > 1
    assert cards_in(pages_of_the_past(client, rounds=13)) == lain
    assert not any(row.is_hidden for row in client.get("/history/").context["page"].rounds)


def test_the_piles_of_a_player_who_gave_up_can_be_looked_at_when_somebody_else_begins(
    piles: TableClient, ann: User, ben: User, client: Client
) -> None:
    client.force_login(ann)
    piles.sit(ann, 1)
    play_round(piles, [ann], Random(1))
    piles.leave(ann)
    lain = shown(piles)
    assert cards_in(pages_of_the_past(client)) == set()
    piles.sit(ben, 1)
    assert cards_in(pages_of_the_past(client)) == lain
    assert shown(piles) == set()


def test_the_search_would_find_the_hole_card(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    assert "Kc" in cards_in(casino.row.state)
    assert "Kc" not in shown(casino)
    assert json.loads(casino.row.state)["round"]["dealer"] == "6h Kc"
    assert tells_secret(casino, casino.row.state)


def test_the_search_would_find_a_card_on_a_page(
    casino: TableClient, ann: User, client: Client, stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    client.force_login(ann)
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    assert cards_in(pages_of_the_past(client)) == {"As", "9h", "Kd", "7c"}
    assert cards_in('aria-label="ten of hearts"') == {"Th"}


def test_the_private_state_is_shown_by_nothing_that_prints_a_table(casino: TableClient) -> None:
    Table.objects.filter(pk=casino.table_id).update(state='{"secret": "Kc"}')
    row = Table.objects.get(pk=casino.table_id)
    assert "Kc" not in f"{row!r} {row!s}"


def test_what_a_traceback_may_print_names_no_hidden_card_and_no_secret(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8d Kc 2c 3c")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    live = casino.live
    assert live.game.shoe is not None
    printed = f"{live!r} {live.game!r} {live.game.round!r} {live.game.shoe!r}"
    assert "rank='K'" not in printed
    assert "suit='c'" not in printed
    assert repr(live.game.shoe.secret)[2:-1] not in printed
    assert not tells_secret(casino, printed)
