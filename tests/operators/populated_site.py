"""A house in which everything has happened that operators may be asked about, by real play."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group
from django.utils import timezone

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.models import (
    Account,
    Act,
    Approval,
    BookDay,
    NetworkBan,
    SignUpInvite,
    Transfer,
    User,
    WaitingChange,
)
from accounts.staff import invites, waiting_changes
from tables.game import lifecycle
from tables.models import (
    Alert,
    AuditRun,
    ChatLine,
    PileGame,
    Report,
    Round,
    ServerProcess,
    Shoe,
    Table,
    Takings,
    Void,
)
from tables.results import projector
from tests.helpers.table_client import TableClient, new_player
from tests.operators.matrix import ROLES

NOBODY, PLAYER, WITHOUT_ROLE, SUPERUSER = "nobody", "player", "staff without a role", "superuser"
ACTORS = (*ROLES, SUPERUSER, WITHOUT_ROLE, PLAYER, NOBODY)


@dataclass
class World:
    """Who is there, and the ids of what addresses are about."""

    actors: dict[str, User] = field(default_factory=dict)
    """By role; nobody is not among them."""
    ids: dict[str, int] = field(default_factory=dict)
    """``player``: sits at ``table``, where a round is being played. ``round`` is a finished one,
    ``waiting_round`` another, of which ``void`` waits. ``transfer`` is an adjustment. Nobody sits
    at ``free_table``. ``waiting`` waits for approval. ``guest`` has never played; ``frozen`` is a
    frozen player."""
    tables: dict[str, TableClient] = field(default_factory=dict)

    @property
    def operator(self) -> User:
        return self.actors["manager"]


def build() -> World:
    """Play it all. Where nobody but operators can have done something, its row is written."""
    world = World()
    _cast(world)
    _play(world)
    _decide(world)
    _keep(world)
    return world


def _cast(world: World) -> None:
    for name in (*ROLES, SUPERUSER, WITHOUT_ROLE, PLAYER):
        user = new_player(name.replace(" ", "-"))
        user.is_staff = name != PLAYER
        user.is_superuser = name == SUPERUSER
        user.save(update_fields=["is_staff", "is_superuser"])
        if name in ROLES:
            user.groups.add(Group.objects.get(name=name))
        world.actors[name] = user
    world.ids["player"] = world.actors[PLAYER].pk
    world.ids["guest"] = new_player("guest").pk
    frozen = new_player("frozen")
    frozen.is_active, frozen.frozen_at = False, timezone.now()
    frozen.frozen_because = "A word with you."
    frozen.save()
    world.ids["frozen"] = frozen.pk
    waiting = new_player("waiting")
    waiting.approval = Approval.WAITING
    waiting.save()
    world.ids["waiting"] = waiting.pk


def _play(world: World) -> None:
    casino = TableClient(lifecycle.open_table(name="Casino", rules_key="casino").pk)
    world.tables["table"] = casino
    world.ids["table"] = casino.table_id
    player = world.actors[PLAYER]
    casino.sit(player, 1)
    for _ in range(2):
        casino.later(1)
        casino.bet(player, 1000)
        while casino.view.asked is not None:
            casino.act(player, "stand")
    first, second = Round.objects.filter(finished_at__isnull=False).order_by("pk")[:2]
    world.ids |= {"round": first.pk, "waiting_round": second.pk}
    while casino.view.asked is None:  # a natural would end the round at once
        casino.later(1)
        casino.bet(player, 1000)
    world.ids["open_round"] = Round.objects.latest("pk").pk
    free = lifecycle.open_table(name="Free", rules_key="classic")
    world.ids["free_table"] = free.pk
    world.tables["free_table"] = TableClient(free.pk)


def _decide(world: World) -> None:
    now, player = timezone.now(), world.actors[PLAYER]
    void = Void.objects.create(
        round_id=world.ids["waiting_round"], reason="The lights went out.",
        asked_by=new_player("asker"), asked_at=now,
    )  # fmt: skip
    report = Report.objects.create(
        round_id=world.ids["round"], user=player, at=now, text="I had more than that."
    )
    wallet = Account.objects.get(user=player)
    adjustment = Posting(
        Transfer.Kind.ADJUSTMENT,
        transfers.get_bank().pk,
        wallet.pk,
        500,
        f"user:{player.pk}/adjustment/1",
    )
    transfers.post([adjustment], at=now, by=world.operator.pk)
    operator = Operator(world.operator.pk, "192.0.2.1")
    act = audit_log.record(
        operator, Act.What.ADJUST, audit_log.build_subject(player),
        before={"balance": 1}, after={"balance": 501}, reason="A gift.",
    )  # fmt: skip
    world.ids |= {
        "void": void.pk, "report": report.pk, "act": act.pk,
        "transfer": Transfer.objects.latest("pk").pk,
    }  # fmt: skip


def _keep(world: World) -> None:
    projector.catch_up()
    now, table = timezone.now(), Table.objects.get(pk=world.ids["table"])
    rows: dict[str, Any] = {
        "sign_up_invite": SignUpInvite.objects.create(
            token_hash="0" * 64, label="Friends", places=3, made_by=world.operator, made_at=now
        ),
        "ban": NetworkBan.objects.create(
            network="198.51.100.0/24", reason="Spam.", until=now + dt.timedelta(days=1),
            made_by=world.operator, made_at=now,
        ),
        "line": ChatLine.objects.create(
            table=table, user=world.actors[PLAYER], command_id=_uuid(), at=now, text="Good luck!"
        ),
        "audit": AuditRun.objects.create(started_at=now, seen_at=now, finished_at=now),
        "process": ServerProcess.objects.create(
            key="0" * 32, host="here", pid=1, started_at=now, seen_at=now
        ),
        "day": BookDay.objects.create(
            day=now.date(), kind="stake", debit_kind="wallet", credit_kind="rack", count=1, amount=1
        ),
        "takings": Takings.objects.get_or_create(
            table=table, rules_key="casino", options="{}", day=now.date()
        )[0],
        "game": PileGame.objects.create(
            round_id=world.ids["round"], user=world.actors[PLAYER],
            player=20, house=18, discard=14, winner="player",
        ),
        "shoe": Shoe.objects.earliest("pk"),
        "alert": Alert.objects.create(
            kind="band", subject="rules:casino", text="Casino.", path="/admin/books/", since=now,
            opened_at=now,
        ),
    }  # fmt: skip
    rows["line_report"] = Report.objects.create(
        kind="line", reason="insult", table=table, about=world.actors[PLAYER], about_name=PLAYER,
        line=rows["line"], said="Good luck!", said_at=now, user=new_player("reporter"), at=now,
    )  # fmt: skip
    world.ids |= {name: row.pk for name, row in rows.items()}
    _hire(world, now)


def _hire(world: World, now: dt.datetime) -> None:
    """An invite that is open, a raise that waits, and a browser of the player."""
    asker = User.objects.get(username="asker")
    invite, _token = invites.create(Operator(world.operator.pk), "floor", now)
    waiting_changes.change_limits(Operator(asker.pk), {"void_limit": 500_000}, now)
    session = UserSession.objects.create(
        user=world.actors[PLAYER], session_key="0" * 32, ip="192.0.2.7", user_agent="Firefox"
    )
    change = WaitingChange.objects.get()
    world.ids |= {"invite": invite.pk, "change": change.pk, "session": session.pk}


def _uuid() -> Any:
    from uuid import uuid4

    return uuid4()
