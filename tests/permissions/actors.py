"""Everybody who may come to the house, and what they may want to see there."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Final

from django.contrib.auth.models import Group
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from tables import access
from tables.game import lifecycle
from tables.models import ChatLine, Round, Table
from tables.protocol.commands import Close
from tables.results import projector
from tests.helpers.table_client import TableClient, new_player

STRANGER, LINK, FROZEN = "stranger", "link", "frozen"
OUTSIDER, WATCHER, SEATED, MAKER, GUEST = "outsider", "watcher", "seated", "maker", "guest"
FLOOR, CASHIER, MANAGER, SUPERUSER = "floor", "cashier", "manager", "superuser"

AWAY: Final = (STRANGER, LINK, FROZEN)
"""Nobody is logged in there. ``link`` has followed the invite to the private table; ``frozen`` was
logged in until an operator froze the account.
"""
OPERATORS: Final = (FLOOR, CASHIER, MANAGER, SUPERUSER)
PLAYERS: Final = (OUTSIDER, WATCHER, SEATED, MAKER, GUEST, *OPERATORS)
"""``watcher`` was let in at the private table and has no seat, ``seated`` has one at all tables,
``maker`` runs the private one. The others have never been there.
"""
ROLES: Final = (*AWAY, *PLAYERS)


@dataclass
class World:
    """``tables`` and ``ids`` by name: ``public``, ``private`` and ``closed``, which was private. At
    each of them a round was played; at the private one another is being played.
    """

    users: dict[str, User] = field(default_factory=dict)
    tables: dict[str, TableClient] = field(default_factory=dict)
    ids: dict[str, int | str] = field(default_factory=dict)


def build() -> World:
    """Play it all."""
    world = World()
    for role in (FROZEN, *PLAYERS):
        world.users[role] = _player(role)
    maker, seated = world.users[MAKER], world.users[SEATED]
    world.tables["public"] = TableClient(lifecycle.open_table(name="Public", rules_key="casino").pk)
    for name in ("private", "closed"):
        world.tables[name] = _made_by(maker, name)
        access.grant_access(world.tables[name].row, seated.pk)
    for name, at in world.tables.items():
        at.sit(seated, 1)
        _play_to_the_end(at, seated)
        world.ids |= {
            name: at.table_id, f"{name}_code": at.row.code,
            f"{name}_round": Round.objects.latest("pk").pk,
        }  # fmt: skip
    world.tables["closed"].send(maker, Close(uuid.uuid4()))
    access.grant_access(world.tables["private"].row, world.users[WATCHER].pk)
    _begin(world.tables["private"], seated)
    world.ids["line"] = ChatLine.objects.create(
        table=world.tables["private"].row, user=seated, command_id=uuid.uuid4(),
        at=timezone.now(), text="Well played!",
    ).pk  # fmt: skip
    world.ids |= {"nothing": 424242, "no_code": "00000000"}
    projector.catch_up()  # a page of figures has nothing left to count
    return world


def browsers(world: World) -> dict[str, Client]:
    """A browser of each."""
    cache.clear()  # other tests may have typed many wrong codes
    opened = {role: Client() for role in ROLES}
    for role, user in world.users.items():
        opened[role].force_login(user)
    opened[LINK].get(reverse("join", args=[world.ids["private_code"]]))
    frozen = world.users[FROZEN]
    frozen.is_active, frozen.frozen_at = False, timezone.now()
    frozen.save(update_fields=["is_active", "frozen_at"])
    return opened


def _player(role: str) -> User:
    user = new_player(role)
    user.is_guest = role == GUEST
    user.is_staff = role in OPERATORS
    user.is_superuser = role == SUPERUSER
    if role == GUEST:
        user.set_unusable_password()
    user.save()
    user.groups.set(Group.objects.filter(name=role))
    return user


def _made_by(maker: User, name: str) -> TableClient:
    row: Table = lifecycle.open_table(
        name=name.title(), rules_key="casino", host_id=maker.pk, is_private=True
    )
    return TableClient(row.pk)


def _play_to_the_end(at: TableClient, player: User) -> None:
    at.later(1)
    at.bet(player, 1000)
    while at.view.asked is not None:
        at.act(player, "stand")


def _begin(at: TableClient, player: User) -> None:
    while at.view.asked is None:  # a natural would end the round at once
        at.later(1)
        at.bet(player, 1000)
