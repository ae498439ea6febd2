"""Searching whatever leaves the house for cards, and for the secret that decides their order."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from django.apps import apps
from django.contrib import admin
from django.test import Client

from tables import house, protocol
from tables.engine.cards import RANKS
from tables.house import Played
from tables.models import Round
from tests.at_table import AtTable

DRAWING = re.compile(r"<svg.*?</svg>", re.DOTALL)
"""The lines of a drawing are letters and digits too."""
CARD = re.compile(r"\b[A2-9TJQK][shdc]\b")
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


def shown(at: AtTable) -> set[str]:
    """The cards that lie face up now, by the engine's own state."""
    round_ = at.live.game.round
    if round_ is None:
        return set()
    visible = {str(card) for hands in round_.seats.values() for h in hands for card in h.hand.cards}
    return visible | {str(card) for card in round_.visible_dealer_cards if card}


def tells_secret(at: AtTable, text: str) -> bool:
    """Whether ``text`` has the secret of the shoe that is in use."""
    shoe = at.live.game.shoe
    assert shoe is not None
    assert len(shoe.secret) == 32
    written = shoe.secret.hex(), base64.b64encode(shoe.secret).decode().rstrip("=")
    return any(secret.lower() in text.lower() for secret in written)


def sent(at: AtTable, played: Played) -> str:
    """What anybody gets on a socket because of a command, and who comes just afterwards."""
    frames = [protocol.encode(change.changed) for change in played.changes]
    snapshot = protocol.encode(house.snapshot(at.table_id, None, at.now))
    return " ".join([protocol.encode(played.answer), *frames, snapshot])


def pages_of_now(at: AtTable, client: Client) -> str:
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


def pages_for_operators(client: Client) -> str:
    """The admin's list of everything about tables, and its pages of the latest rows."""
    paths = ["/admin/", "/admin/accounts/transfer/"]
    for model in admin.site._registry:
        if model._meta.app_label != "tables":
            continue
        path = f"/admin/tables/{model._meta.model_name}/"
        paths.append(path)
        newest = model._default_manager.order_by("-pk").values_list("pk", flat=True)[:2]
        paths += [f"{path}{pk}/change/" for pk in newest]
    return _read(client, paths)


def stored() -> str:
    """Every value of every row about tables, but for their private state."""
    return " ".join(map(str, _stored()))


def _stored() -> Iterator[object]:
    for model in apps.get_app_config("tables").get_models():
        names = {field.name for field in model._meta.concrete_fields}
        if model._meta.model_name == "table":
            names -= {"state"}
        for row in model._default_manager.values_list(*sorted(names)):
            yield from row


def _read(client: Client, paths: list[str]) -> str:
    texts = []
    for path in paths:
        response = client.get(path)
        assert response.status_code == 200, path
        texts.append(response.content.decode())
    return " ".join(texts)
