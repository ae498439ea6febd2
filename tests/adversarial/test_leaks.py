"""What must not be known before its time, or not by everybody: it is nowhere to be found."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from hashlib import sha256
from itertools import permutations, product
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.log import AdminEmailHandler

from accounts.lib.sql import optimistic
from accounts.models import User
from tables.engine.cards import DECK
from tables.engine.provably_fair import shuffle
from tables.models import Shoe
from tables.records import share_links
from tests.helpers.leak_search import read, sent, shown
from tests.helpers.rounds import new_table
from tests.helpers.table_client import TableClient, events
from tests.permissions.actors import World
from tests.permissions.probe import ask, clients, world

__all__ = ["clients", "world"]

pytestmark = pytest.mark.django_db

OUTSIDERS = ("stranger", "outsider", "guest", "cashier")


def questions(client: Client, method: str, path: str) -> tuple[Any, list[str]]:
    """The answer, and what the database was asked for it, without the ids."""
    with CaptureQueriesContext(connection) as queries:
        answer = ask(client, method, path)
    statements = [re.sub(r"\d+|'[^']*'|NULL", "#", query["sql"]) for query in queries]
    return answer, [re.sub(r'"s\d+_x\d+"', "", sql) for sql in statements if "SAVEPOINT" not in sql]


PRIVATE = [
    ("/tables/{}/", "GET", "private"),
    ("/tables/{}/", "GET", "closed"),
    ("/tables/{}/rules/", "GET", "private"),
    ("/tables/{}/seats/1/", "POST", "private"),
    ("/rounds/{}/", "GET", "private_round"),
    ("/rounds/{}/", "GET", "closed_round"),
    ("/rounds/{}/proof.json", "GET", "private_round"),
    ("/rounds/{}/report/", "POST", "private_round"),
]


def test_case_29_what_is_private_is_answered_as_what_does_not_exist(
    world: World, clients: dict[str, Client]
) -> None:
    """By the same page, after the same questions: neither it nor the time it takes tells more."""
    different = []
    for (address, method, what), role in product(PRIVATE, OUTSIDERS):
        answers = []
        for name in (what, "nothing"):
            path = address.format(world.ids[name])
            answer, statements = questions(clients[role], method, path)
            text = answer.content.decode().replace(path, "#").replace(quote(path, safe=""), "#")
            answers.append((answer.status_code, re.sub(r'value="\w{64}"', "", text), statements))
        if answers[0] != answers[1]:
            different.append(f"{role}: {method} {path}: {[(t[0], len(t[2])) for t in answers]}")
    assert different == []


def test_case_29_a_link_to_a_round_that_somebody_shows_opens_no_private_one(
    world: World, clients: dict[str, Client]
) -> None:
    round_id = int(world.ids["private_round"])
    path = f"/rounds/{round_id}/?by={share_links.create_share_token(round_id, world.users['seated'].pk)}"
    assert ask(clients["seated"], "GET", path).status_code == 200
    for role in ("stranger", "outsider", "cashier"):
        assert ask(clients[role], "GET", path).status_code == 404


def test_case_29_files_hold_what_is_ones_own_and_nothing_else(
    world: World, clients: dict[str, Client]
) -> None:
    for path in ("/statement.csv", "/history/rounds.csv", "/history/rounds.json", "/statement/"):
        texts = {
            role: read(clients[role].get(path)) for role in ("seated", "outsider", "superuser")
        }
        assert "Private" in texts["seated"] or "round" in texts["seated"], path
        for role in ("outsider", "superuser"):
            assert "Private" not in texts[role], (path, role)
            assert "Public" not in texts[role], (path, role)


# The hole card


def hole_cards(face_up: str, *, but: str = "") -> list[str]:
    """Every card that may lie face down when these are known."""
    return [str(card) for card in DECK if str(card) not in face_up and str(card)[0] not in but]


@pytest.mark.parametrize(
    ("key", "upcard", "but"),
    [("casino", "6h", ""), ("casino", "Kh", "A"), ("vegas", "Ah", "")],
    ids=["nobody looks", "looked at, and no natural", "insurance is asked"],
)
def test_case_30_what_is_told_and_done_is_the_same_whatever_lies_face_down(
    key: str, upcard: str, but: str, ann: User, client: Client, stack: Callable[..., None]
) -> None:
    """Frames are equal to the byte and pages to the length, after the same statements: until it is
    turned over, no code path knows the card. So no length tells of it, and no time either. A dealer
    who looks and has a natural ends the round there and then, default.
    """
    at = new_table(key)
    at.sit(ann, 1)
    client.force_login(ann)
    outcomes, pages = set(), set()
    for hole in hole_cards(f"8s {upcard} 8d", but=but):
        optimistic.forget_all()  # the first bet is one of a table that is not remembered either
        with transaction.atomic():
            stack(f"8s {upcard} 8d {hole} 2c 3c")
            with CaptureQueriesContext(connection) as queries:
                played = at.bet(ann, 1000)
            assert f'"{hole}"' in at.row.state or hole in at.row.state
            assert hole not in shown(at)
            kinds = [re.sub(r"'[^']*'|\d+", "#", query["sql"])[:60] for query in queries]
            command_id = str(played.value.id)
            text = sent(at, played).replace(command_id, "#")
            outcomes.add((text, tuple(kinds), str(events(played))))
            if hole.endswith("s"):  # a few are enough: they show what was told
                pages.add(len(client.get(f"/tables/{at.table_id}/").content))
            transaction.set_rollback(True)
    assert (len(outcomes), len(pages)) == (1, 1)


def test_case_30_a_card_that_lies_face_down_has_the_shape_of_any_other(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 3c")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    assert casino.view.dealer.cards == ("6h", "??")
    assert {len(str(card)) for card in DECK} == {len("??")}


def test_case_30_no_card_is_in_the_cache_and_no_letter_tells_of_a_fault(
    casino: TableClient, ann: User, client: Client, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 3c")
    cache.clear()
    client.post("/accounts/login/", {"login": "ann", "password": "blackjack-21!"})
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    client.get(f"/tables/{casino.table_id}/")
    contents = b" ".join(cache._cache.values())
    assert contents
    assert b"Kc" not in contents
    assert settings.ADMINS == []
    loggers = [logging.getLogger(name) for name in (None, *logging.root.manager.loggerDict)]
    handlers = [handler for logger in loggers for handler in logger.handlers]
    assert not [handler for handler in handlers if isinstance(handler, AdminEmailHandler)]


# The seal of a shoe


def test_case_31_a_seal_is_made_of_a_secret_that_nobody_can_try_out(ann: User) -> None:
    """256 bits by chance, and nothing of the cards."""
    assert shuffle.SECRET_BYTES * 8 == 256
    secrets = []
    for _ in range(5):
        at = new_table("vegas")
        at.sit(ann, 1)
        shoe = at.live.game.shoe
        assert shoe is not None
        secrets.append(shoe.secret)
        assert Shoe.objects.get(pk=shoe.id).commitment == sha256(shoe.secret).hexdigest()
    assert {len(secret) for secret in secrets} == {32}
    assert len(set(secrets)) == 5
    assert len({secret[:4] for secret in secrets}) == 5


def test_case_31_no_seal_is_that_of_a_few_cards(ann: User) -> None:
    """Whoever tries every card, and any two of them in order, finds nothing."""
    at = new_table("casino")
    at.sit(ann, 1)
    seals = set(Shoe.objects.values_list("commitment", flat=True))
    assert seals
    cards = [str(card) for card in DECK]
    pairs = (sep.join(two) for two, sep in product(permutations(cards, 2), ("", " ", ",")))
    tried = {sha256(text.encode()).hexdigest() for text in (*cards, *pairs)}
    assert seals & tried == set()
