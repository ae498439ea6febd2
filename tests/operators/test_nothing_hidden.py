"""What nobody may know stands on no page, not even on a superuser's."""

from __future__ import annotations

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.models import User
from tables.models import Table
from tests.helpers.leak_search import cards_in, pages_for_operators, shown, tells_secret
from tests.operators import populated_site as worlds
from tests.operators.populated_site import ACTORS, NOBODY, SUPERUSER, World

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    return worlds.build()


def look_everywhere(world: World) -> str:
    """All that a superuser can look at, while others are logged in and a round is played."""
    for actor in ACTORS:
        if actor != NOBODY:
            Client().force_login(world.actors[actor])
    for session in Session.objects.all():
        UserSession.objects.create(
            user_id=session.get_decoded()["_auth_user_id"], session_key=session.session_key,
            ip="192.0.2.1", user_agent="x", created_at=timezone.now(), last_seen_at=timezone.now(),
        )  # fmt: skip
    client = Client()
    client.force_login(world.actors[SUPERUSER])
    return pages_for_operators(client, rows=3)


def test_no_undealt_card_no_secret_no_password_and_no_session_is_on_any_page(world: World) -> None:
    at, everything = world.tables["table"], look_everywhere(world)
    assert at.live.game.is_playing
    finished = " ".join(
        f"{round_.dealer_cards} "
        + " ".join(hand.cards for hand in round_.results.all().list_hands())
        for round_ in at.row.rounds.all()
    )
    assert cards_in(everything) <= shown(at) | cards_in(finished)
    assert not tells_secret(at, everything)
    assert at.row.state not in everything
    for password in User.objects.values_list("password", flat=True):
        assert password not in everything
        assert password.split("$")[-1] not in everything
    keys = list(Session.objects.values_list("session_key", flat=True))
    assert len(keys) >= len(ACTORS) - 1
    assert [key for key in keys if key in everything] == []


def test_the_search_would_find_them(world: World) -> None:
    """The private state holds what was looked for."""
    at = world.tables["table"]
    state = Table.objects.values_list("state", flat=True).get(pk=at.table_id)
    assert tells_secret(at, state)
    assert not cards_in(state) <= shown(at)
