"""Searching whatever leaves the house for cards, and for the secret that decides their order."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterator
from itertools import product

from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib import admin
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import NetworkBan, StaffInvite, Transfer, User, WaitingChange
from tables.engine.cards import RANKS
from tables.game.commands import CommandResult
from tables.models import Alert, Change, ChatLine, Report, Round, Table, Void
from tables.operators.urls import urlpatterns
from tables.protocol import codec
from tables.realtime import snapshots
from tests.helpers.table_client import TableClient

DRAWING = re.compile(r"<svg.*?</svg>", re.DOTALL)
"""The lines of a drawing are letters and digits too."""
CARD = re.compile(r"\b(?!As [a-z])[A2-9TJQK][shdc]\b")
"""“As they were told” begins no card."""
PUBLISHED = re.compile(r"recomputed [\w= ]*\bcard=\w\w, stored")
"""How a round is found wrong whose shoe a test has stacked: by the secret that is published."""
NAMES = [
    "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "jack", "queen", "king",
]  # fmt: skip
NAME = re.compile(rf"\b({'|'.join(NAMES)}) of (spades|hearts|diamonds|clubs)\b", re.IGNORECASE)


def cards_in(text: str) -> set[str]:
    """Every card that is written in ``text``, as ``Kd`` or as “king of diamonds”."""
    named = {
        RANKS[NAMES.index(rank.lower())] + suit[0].lower() for rank, suit in NAME.findall(text)
    }
    return named | set(CARD.findall(DRAWING.sub("", text)))


def shown(at: TableClient) -> set[str]:
    """The cards that lie face up now, by the engine's own state."""
    round_ = at.live.game.round
    if round_ is None:
        return set()
    visible = {str(card) for hands in round_.seats.values() for h in hands for card in h.hand.cards}
    return visible | {str(card) for card in round_.visible_dealer_cards if card}


def tells_secret(at: TableClient, text: str) -> bool:
    """Whether ``text`` has the secret of the shoe that is in use."""
    shoe = at.live.game.shoe
    assert shoe is not None
    assert len(shoe.secret) == 32
    written = shoe.secret.hex(), base64.b64encode(shoe.secret).decode().rstrip("=")
    return any(secret.lower() in text.lower() for secret in written)


def sent(at: TableClient, played: CommandResult) -> str:
    """What anybody gets on a socket because of a command, and who comes just afterwards."""
    frames = [codec.encode(change.changed) for change in played.changes]
    snapshot = codec.encode(snapshots.table_snapshot(at.table_id, None, at.now))
    return " ".join([codec.encode(played.value), *frames, snapshot])


def pages_of_now(at: TableClient, client: Client) -> str:
    """The pages that show a table as it is, and those that show no cards at all."""
    paths = ["/", f"/tables/{at.table_id}/", f"/tables/{at.table_id}/rules/", "/fairness/"]
    return _read(client, paths)


def rules_pages(client: Client) -> str:
    return _read(client, ["/rules/", "/rules/piles/", "/rules/vegas/"])


def pages_of_the_past(client: Client, rounds: int = 2) -> str:
    """Everybody's page and proof of the latest rounds, and the history of who is logged in."""
    paths = ["/history/"]
    finished = Round.objects.filter(finished_at__isnull=False, dealt_at__isnull=False)
    for round_ in finished.order_by("-pk")[:rounds]:
        paths += [f"/rounds/{round_.pk}/", f"/rounds/{round_.pk}/proof.json"]
    return _read(client, paths)


def pages_for_operators(client: Client, rows: int = 1, *, refused: bool = False) -> str:
    """The operators' pages, the admin's list of everything, and its pages of the latest rows.

    With ``refused`` for somebody who may not see all of them.
    """
    allowed = {200, 403} if refused else {200}
    paths = ["/admin/"]
    for model in admin.site._registry:
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        paths.append(path)
        newest = model._default_manager.order_by("-pk").values_list("pk", flat=True)[:rows]
        paths += [f"{path}{pk}/change/" for pk in newest]
    return _read(client, paths, allowed) + _operators_pages(client, rows, allowed)


ABOUT = {
    "table_id": Table, "user_id": User, "round_id": Round, "void_id": Void, "report_id": Report,
    "alert_id": Alert,
    "transfer_id": Transfer, "line_id": ChatLine, "invite_id": StaffInvite,
    "session_id": UserSession, "change_id": WaitingChange, "ban_id": NetworkBan,
}  # fmt: skip
"""What the number in an operators' address is the id of."""


def _operators_pages(client: Client, rows: int, allowed: set[int]) -> str:
    """Every page that is made for operators, about the latest of what it can be about."""
    texts = []
    for pattern in urlpatterns:
        names = list(pattern.pattern.converters)
        newest = [ABOUT[n].objects.order_by("-pk").values_list("pk", flat=True) for n in names]
        if "GET" not in pattern.callback.methods:
            continue
        for ids in product(*(pks[:rows] for pks in newest)):
            path = reverse(f"admin:{pattern.name}", kwargs=dict(zip(names, ids, strict=True)))
            answer = client.get(path)
            # Not everything can be done to everything: a round in play is not voided.
            assert answer.status_code in {302, 404, *allowed}, (path, answer.status_code)
            texts.append(PUBLISHED.sub("", read(answer)))
    return " ".join(texts)


def read(answer: HttpResponseBase) -> str:
    """What an answer says, whether it is whole or comes bit by bit."""
    if isinstance(answer, StreamingHttpResponse):
        return b"".join(answer).decode()
    assert isinstance(answer, HttpResponse)
    return answer.content.decode()


def stored() -> str:
    """Every value of every row about tables, but for their private state."""
    return " ".join(map(str, _stored()))


def _stored() -> Iterator[object]:
    for model in apps.get_app_config("tables").get_models():
        names = {field.name for field in model._meta.concrete_fields} - {"body"}
        if model._meta.model_name == "table":
            names -= {"state"}
        for row in model._default_manager.values_list(*sorted(names)):
            yield from row
    for change in Change.objects.all():
        yield from (change.command, change.events)


def _read(client: Client, paths: list[str], allowed: Collection[int] = (200,)) -> str:
    texts = []
    for path in paths:
        response = client.get(path)
        assert response.status_code in allowed, path
        texts.append(response.content.decode())
    return " ".join(texts)
