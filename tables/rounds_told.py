"""A finished round as its page tells it, and what is published about its shoe."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tables import protocol
from tables.engine.rules import Ruleset
from tables.models import Change, Hand, Round, Shoe
from tables.played import PlayedCard, PlayedHand, played_cards, played_hand, shows_cards


@dataclass(frozen=True, slots=True)
class ToldSeat:
    number: int
    player: str | None
    """Named to those who played this round, and to nobody else."""
    is_you: bool
    hands: tuple[PlayedHand, ...]


@dataclass(frozen=True, slots=True)
class ToldRound:
    id: int
    table_id: int
    table: str
    rules: Ruleset
    finished_at: dt.datetime | None
    dealer_cards: tuple[PlayedCard, ...]
    seats: tuple[ToldSeat, ...]
    is_hidden: bool


def told_round(round_: Round, viewer_id: int | None) -> ToldRound:
    """The round for the user with this id, or for anybody."""
    rows = Hand.objects.filter(round=round_).select_related("user").order_by("seat", "number")
    hands = list(rows)
    is_among_us = any(hand.user_id == viewer_id for hand in hands)
    is_shown = shows_cards(round_)
    seats = []
    for number, own in groupby(hands, key=lambda hand: hand.seat):
        played = list(own)
        seats.append(
            ToldSeat(
                number=number,
                player=played[0].user.username if is_among_us else None,
                is_you=played[0].user_id == viewer_id,
                hands=tuple(played_hand(hand, shows_cards=is_shown) for hand in played),
            )
        )
    return ToldRound(
        id=round_.pk,
        table_id=round_.table_id,
        table=round_.table.name,
        rules=round_.rules,
        finished_at=round_.finished_at,
        dealer_cards=played_cards(round_.dealer_cards) if is_shown else (),
        seats=tuple(seats),
        is_hidden=not is_shown,
    )


def proof(shoe: Shoe) -> dict[str, Any]:
    """What :func:`tables.engine.proof.faults` checks; without the secret while it is in use."""
    return {
        "method": shoe.method,
        "label": shoe.label,
        "decks": shoe.decks,
        "commitment": shoe.commitment,
        "secret": shoe.secret or None,
        "words": shoe.words,
        "rounds": list(_dealt_rounds(shoe)),
    }


def _dealt_rounds(shoe: Shoe) -> Iterator[dict[str, Any]]:
    """The cards of every finished round of the shoe, as everybody was told them."""
    rounds = Round.objects.filter(shoe=shoe, finished_at__isnull=False, dealt_at__isnull=False)
    rounds = rounds.order_by("first_card")
    shown = {round_.pk: round_ for round_ in rounds if shows_cards(round_)}
    changes = Change.objects.filter(round__in=shown).order_by("seq")
    dealt: dict[int, list[str | None]] = {pk: [] for pk in shown}
    for round_id, events in changes.values_list("round_id", "events"):
        if round_id is not None:
            _add_cards(dealt[round_id], protocol.decode_events(events))
    for pk, round_ in shown.items():
        yield {
            "round": pk,
            "first": round_.first_card,
            "cards": " ".join(card or "??" for card in dealt[pk]),
        }


def _add_cards(dealt: list[str | None], events: list[dict[str, Any]]) -> None:
    """Note the cards of ``events`` in the order dealt; the hole card when it is turned over."""
    for event in events:
        if event["type"] in ("card_dealt", "dealer_card_dealt"):
            dealt.append(event["card"])
        elif event["type"] == "hole_card_revealed":
            dealt[dealt.index(None)] = event["card"]
