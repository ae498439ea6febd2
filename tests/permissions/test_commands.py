"""Every role, every command and every table: what is done, and what is refused with which code.

At the private table a hand of ``seated`` is being asked; at the public one bets are taken; the
closed one is no more. What each role is answered is written down command by command.
"""

from __future__ import annotations

import datetime as dt
import typing
import uuid
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final
from unittest.mock import patch

import msgspec
import pytest
from channels.db import database_sync_to_async
from django.db import transaction
from django.test import Client
from django.utils import timezone

from tables.game import commands
from tables.game.commands import QueuedCommand
from tables.lib.token_bucket import TokenBuckets
from tables.protocol.commands import ChatCommand, Incoming, React, Resync, Sight
from tables.protocol.frames import Done, Err
from tables.realtime.writers.writer import Writer
from tables.social import chat, reactions
from tests.helpers.table_client import fingerprint
from tests.operators.test_matrix import at_once
from tests.permissions import actors as worlds
from tests.permissions.actors import FROZEN, PLAYERS, ROLES, World
from tests.realtime.test_sockets import page

DONE = "done"
FIELDS: Final[dict[str, dict[str, Any]]] = {
    "sit": {"seat": 2},
    "commit": {"commitment": "0" * 64},
    "bet": {"stake": 1000},
    "bet_behind": {"seat": 1, "stake": 1000},
    "lock": {"on": True},
    "chat": {"on": False},
    "hints": {"on": True},
    "sit_out": {"on": True},
    "decide_ahead": {"plan": "stand"},
    "allow_hints": {"on": False},
    "pause": {"on": True},
    "hand_on": {"player": "seated"},
    "free": {"seat": 1},
    "give_stack": {"seat": 1},
    "ban": {"player": "watcher", "on": True},
    "say": {"text": "Hello!"},
    "silence": {"player": "watcher", "on": True},
    "react": {"reaction": "thanks"},
}
"""What a command has besides its id, its turn and the line that it is about."""

TAGS: Final = [
    str(kind.__struct_config__.tag)
    for kind in typing.get_args(Incoming)
    if kind not in (Resync, Sight)
]
DECISIONS = ("hit", "stand", "double", "split", "surrender", "insure", "decline")
OF_A_TURN = (
    "bet", "take_back", "bet_behind", "take_back_behind", "decide_ahead", *DECISIONS,
)  # fmt: skip
RUNNING = (
    "lock", "chat", "allow_hints", "pause", "renew", "hand_on", "free", "ban", "close", "silence",
)  # fmt: skip


def get_codes(others: str, **roles: str) -> dict[str, str]:
    """The code for all who are logged in, but for ``roles``. Who is frozen is always refused."""
    return dict.fromkeys(PLAYERS, others) | {FROZEN: "not_allowed"} | roles


def runs(what: str, *more: str) -> dict[str, str]:
    """Who may run a table: operators with that permission, and ``more``."""
    return get_codes("not_maker", **dict.fromkeys(("floor", "manager", "superuser", *more), what))


def among_them(what: str, **roles: str) -> dict[str, str]:
    """What is said at the private table; to others it is closed."""
    there = ("watcher", "seated", "maker", "floor", "manager", "superuser")
    return get_codes(
        "table_closed", frozen="table_closed", **{**dict.fromkeys(there, what), **roles}
    )


PUBLIC: Final = {
    "sit": get_codes(DONE, seated="already_seated"),
    "commit": get_codes("not_seated", seated=DONE),
    "leave": get_codes("not_seated", seated=DONE),
    "queue_up": get_codes("seat_free", seated="already_seated"),
    "leave_queue": get_codes("not_in_line"),
    "hints": get_codes("not_seated", seated=DONE),
    "sit_out": get_codes("not_seated", seated=DONE),
    "decide_ahead": get_codes("not_seated", seated="wrong_phase"),
    "bet": get_codes("not_seated", seated=DONE),
    "take_back": get_codes("not_seated", seated="no_bet"),
    "bet_behind": get_codes(DONE, seated="already_seated"),
    "take_back_behind": get_codes("no_bet"),
    **dict.fromkeys(DECISIONS, get_codes("not_seated", seated="wrong_phase")),
    **dict.fromkeys(RUNNING, runs(DONE)),
    "start_match": runs("no_match"),
    # Neither has chips of its own.
    **dict.fromkeys(("top_up", "ask_top_up"), get_codes("not_seated", seated="no_chips")),
    "give_stack": runs("no_chips"),
    "say": get_codes(DONE),
    "unsay": get_codes("no_such_line"),
    "react": get_codes("not_seated", seated=DONE),
}
PRIVATE: Final = {
    "sit": get_codes("not_invited", seated="already_seated", maker=DONE, watcher=DONE)
    | dict.fromkeys(("floor", "manager", "superuser"), DONE),
    "commit": get_codes("not_seated", seated=DONE),
    "leave": get_codes("not_seated", seated=DONE),
    "queue_up": get_codes(
        "not_invited", seated="already_seated", maker="seat_free", watcher="seat_free"
    )
    | dict.fromkeys(("floor", "manager", "superuser"), "seat_free"),
    "leave_queue": get_codes("not_in_line"),
    "hints": get_codes("not_seated", seated=DONE),
    "sit_out": get_codes("not_seated", seated=DONE),
    "decide_ahead": get_codes("not_seated", seated="too_late"),
    "bet": get_codes("not_seated", seated="wrong_phase"),
    "take_back": get_codes("not_seated", seated="wrong_phase"),
    # Who may see the table is told that its cards are dealt.
    "bet_behind": get_codes("not_invited", seated="already_seated")
    | dict.fromkeys(("watcher", "maker", "floor", "manager", "superuser"), "wrong_phase"),
    "take_back_behind": get_codes("no_bet"),
    **dict.fromkeys(DECISIONS, get_codes("not_seated", seated=DONE)),
    "surrender": get_codes("not_seated", seated="cannot_surrender"),
    **dict.fromkeys(("insure", "decline"), get_codes("not_seated", seated="cannot_insure")),
    **dict.fromkeys(RUNNING, runs(DONE, "maker")),
    "start_match": runs("no_match", "maker"),
    **dict.fromkeys(("top_up", "ask_top_up"), get_codes("not_seated", seated="no_chips")),
    "give_stack": runs("no_chips", "maker"),
    "free": runs("wrong_phase", "maker"),
    # Who may not see a table hears nothing of what is said there, and removes nothing.
    "say": among_them(DONE),
    "unsay": among_them(DONE, watcher="no_such_line"),
    "silence": among_them(DONE, watcher="not_maker", seated="not_maker"),
    "react": among_them("not_seated", seated=DONE),
}
CLOSED: Final = dict.fromkeys(TAGS, get_codes("table_closed") | {FROZEN: "table_closed"})
EXPECTED: Final = {"public": PUBLIC, "private": PRIVATE, "closed": CLOSED}


TWENTY, EIGHTS = "Th 7h Td Tc", "8s 6h 8d Kc 2c 3d 9s 4h"


@pytest.fixture
def world(db: None, stack: Callable[..., None]) -> Iterator[World]:
    """``seated`` has two eights at the private table."""
    stack(TWENTY, TWENTY, TWENTY, EIGHTS)
    # Ids of users are used again, in a moment.
    fresh = TokenBuckets(per_second=1, at_once=1)
    with patch.object(Writer, "_put", at_once), patch.object(reactions, "_pauses", fresh):
        built = worlds.build()
        worlds.browsers(built)
        yield built


def command(tag: str, world: World, name: str) -> Any:
    fields = {"t": tag, "id": uuid.uuid4(), **FIELDS.get(tag, {})}
    if tag in OF_A_TURN:
        fields["turn"] = world.tables[name].row.turn
    if tag == "unsay":
        fields["line"] = world.ids["line"]
    return msgspec.convert(fields, Incoming)


def answered(tag: str, world: World, name: str, role: str) -> str:
    """The code of the answer to this command; whatever it did is undone."""
    at, user_id = world.tables[name], world.users[role].pk
    sent = command(tag, world, name)
    now = timezone.now()
    answer: Done | Err
    with transaction.atomic():
        if isinstance(sent, ChatCommand):
            answer = chat.execute(at.table_id, user_id, sent, now).value
        elif isinstance(sent, React):
            answer = reactions.execute(at.table_id, user_id, sent, now).value
        else:
            answer = commands.execute_one(QueuedCommand(at.table_id, user_id, sent), now).value
        transaction.set_rollback(True)
    return answer.code if isinstance(answer, Err) else DONE


@pytest.mark.parametrize("name", EXPECTED)
def test_each_role_is_answered_each_command_as_the_matrix_says(name: str, world: World) -> None:
    wrong = []
    for role, tag in product((FROZEN, *PLAYERS), TAGS):
        code = answered(tag, world, name, role)
        if code != EXPECTED[name][tag][role]:
            wrong.append(f"{role}: {tag} at {name}: {code}, not {EXPECTED[name][tag][role]}")
    assert wrong == []


def test_every_command_has_its_answers() -> None:
    for name, expected in EXPECTED.items():
        assert set(expected) == set(TAGS), name


# Through the sockets of the whole application: who is let in at all, and who may send.

LET_IN: Final = {
    "public": dict.fromkeys(ROLES, True),
    "private": dict.fromkeys(ROLES, False)
    | dict.fromkeys(("link", "watcher", "seated", "maker", "floor", "manager", "superuser"), True),
    "closed": dict.fromkeys(ROLES, False),
    "nothing": dict.fromkeys(ROLES, False),
}
"""Whether a role sees a table on a socket. All others are told the same: that there is none."""


def cookies_of(client: Client) -> str:
    return "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_a_socket_shows_a_table_to_whom_its_page_does(stack: Callable[..., None]) -> None:
    world, cookies = await database_sync_to_async(_world_and_cookies)()
    wrong = []
    for name, role in product(LET_IN, ROLES):
        async with page(int(world.ids[name]), cookie=cookies[role]) as opened:
            message = await opened.communicator.receive_output(timeout=5)
            is_let_in = message["type"] == "websocket.send"
            if not is_let_in and message["code"] != 4404:
                wrong.append(f"{role} at {name}: closed with {message['code']}")
            if is_let_in != LET_IN[name][role]:
                wrong.append(f"{role} at {name}: {message}")
    assert wrong == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_who_is_not_logged_in_is_refused_every_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Who sits there has no page open: nobody is to be missed meanwhile.
    monkeypatch.setattr("tables.game.seats.TO_ARRIVE", dt.timedelta(hours=1))
    world, cookies = await database_sync_to_async(_world_and_cookies)()
    before = await database_sync_to_async(fingerprint)(world.tables["private"])
    for role in ("link", "frozen"):
        name = "private" if role == "link" else "public"
        sent = await database_sync_to_async(
            lambda name=name: [msgspec.to_builtins(command(tag, world, name)) for tag in TAGS]
        )()
        # no more than may be sent at once
        for some in (sent[first : first + 12] for first in range(0, len(sent), 12)):
            async with page(int(world.ids[name]), cookie=cookies[role]) as opened:
                for fields in some:
                    fields["id"] = str(fields["id"])
                    assert (await opened.send(**fields))["code"] == "login_required", fields
    assert await database_sync_to_async(fingerprint)(world.tables["private"]) == before


def _world_and_cookies() -> tuple[World, dict[str, str]]:
    built = worlds.build()
    clients = worlds.browsers(built)
    return built, {role: cookies_of(client) for role, client in clients.items()}
