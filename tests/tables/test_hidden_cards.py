"""Whole rounds are played, and everything that was sent, shown or logged is searched for cards."""

from __future__ import annotations

import json
import logging
import random
import re
from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from tables import house, protocol
from tables.engine.cards import DECK
from tables.house import Played
from tables.models import Change, Table
from tests.at_table import AtTable

pytestmark = pytest.mark.django_db

DRAWING = re.compile(r"<svg.*?</svg>", re.DOTALL)
"""The lines of a drawing are letters and digits too."""
CARD = re.compile(r"\b[A2-9TJQK][shdc]\b")


def cards_in(text: str) -> set[str]:
    return set(CARD.findall(DRAWING.sub("", text)))


def shown(at: AtTable) -> set[str]:
    """The cards that lie face up now, by the engine's own state."""
    round_ = at.live.game.round
    assert round_ is not None
    visible = {str(card) for hands in round_.seats.values() for h in hands for card in h.hand.cards}
    return visible | {str(card) for card in round_.visible_dealer_cards if card}


@pytest.mark.parametrize("rules", ["casino", "classic"])
@pytest.mark.parametrize("seed", range(6))
def test_nothing_that_is_sent_names_a_card_before_its_time(
    rules: str, seed: int, ann: User, ben: User, cleo: User, admin_user: User, client: Client,
    caplog: pytest.LogCaptureFixture, stack: Callable[..., None],
) -> None:  # fmt: skip
    chance = random.Random(seed)
    order = [str(card) for card in DECK]
    chance.shuffle(order)
    stack(" ".join(order))
    caplog.set_level(logging.DEBUG)
    client.force_login(admin_user)
    at = AtTable(house.open_table(name="Table", rules_key=rules).pk)
    players = [ann, ben, cleo]
    for seat, user in enumerate(players, start=1):
        at.sit(user, seat)
    stake = 0 if rules == "classic" else 1000
    sent = [at.bet(user, stake) for user in players]
    seen: set[str] = set()
    for _ in range(60):
        seen |= cards_in(" ".join(map(everything_in, sent)))
        face_up = shown(at)
        assert seen <= face_up
        for page in pages(at, client):
            assert cards_in(page) <= face_up
        asked = at.view.asked
        if asked is None:
            break
        action = chance.choice(asked.legal)
        sent = [at.act(players[asked.seat - 1], action)]
    assert at.view.asked is None
    assert cards_in(caplog.text) == set()


def everything_in(played: Played) -> str:
    frames = [protocol.encode(change.changed) for change in played.changes]
    return " ".join([protocol.encode(played.answer), *frames])


def pages(at: AtTable, client: Client) -> list[str]:
    """Every page and stored text that speaks of the table, but for its private state."""
    paths = [
        "/", f"/tables/{at.table_id}/", "/history/", "/admin/tables/table/",
        f"/admin/tables/table/{at.table_id}/change/", "/admin/tables/round/",
        "/admin/tables/change/",
    ]  # fmt: skip
    stored = list(Change.objects.values_list("events", flat=True))
    return [client.get(path).content.decode() for path in paths] + stored


def test_the_search_would_find_the_hole_card(
    casino: AtTable, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    assert "Kc" in cards_in(casino.row.state)
    assert "Kc" not in shown(casino)
    assert json.loads(casino.row.state)["round"]["dealer"] == "6h Kc"


def test_the_private_state_is_shown_by_nothing_that_prints_a_table(casino: AtTable) -> None:
    Table.objects.filter(pk=casino.table_id).update(state='{"secret": "Kc"}')
    row = Table.objects.get(pk=casino.table_id)
    assert "Kc" not in f"{row!r} {row!s}"


def test_what_a_traceback_may_print_names_no_hidden_card(
    casino: AtTable, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 3c")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    printed = f"{casino.live!r} {casino.live.game.round!r}"
    assert "rank='K'" not in printed
    assert "suit='c'" not in printed
