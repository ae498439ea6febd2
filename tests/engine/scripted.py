"""Scripts played by the engine's command line, and the plain values that they tell."""

from __future__ import annotations

import json
from typing import Any

from tables.engine.scripted_rounds import Script


def play_script(rules: str, shoe: str, actions: str = "", **options: Any) -> dict[str, Any]:
    """What comes of a script, after a journey through JSON text."""
    words = {"seats": 1, "stakes": None, "rounds": 1, **options}
    script = Script.read(rules=rules, shoe=shoe.replace("|", " "), actions=actions, **words)
    plain: dict[str, Any] = json.loads(json.dumps(script.play()))
    return plain


def a_hand(cards: str, total: int, **changed: Any) -> dict[str, Any]:
    """A hand as it is told; what is not said is hard, first, unstaked and still open."""
    plain = {"hand": 1, "cards": cards, "total": total, "soft": False}
    return {**plain, "outcome": None, "stake": 0, "payout": 0, **changed}


def a_seat(
    seat: int, *hands: dict[str, Any], insurance: tuple[int, int] = (0, 0)
) -> dict[str, Any]:
    stake, payout = insurance
    return {"seat": seat, "insurance": {"stake": stake, "payout": payout}, "hands": [*hands]}


def deal(*cards: str) -> list[dict[str, Any]]:
    """The events of a deal: ``1.1 9s`` to a hand, ``7h`` and ``??`` to the dealer."""
    return [_deal_event(*card.split()) for card in cards]


def _deal_event(place: str, card: str | None = None) -> dict[str, Any]:
    if card is None:
        return {"type": "dealer_card_dealt", "card": None if place == "??" else place}
    seat, _, hand = place.partition(".")
    return {"type": "card_dealt", "seat": int(seat), "hand": int(hand), "card": card}


def settled(seat: int, hand: int, outcome: str, stake: int, payout: int) -> dict[str, Any]:
    return {
        "type": "hand_settled",
        "seat": seat,
        "hand": hand,
        "outcome": outcome,
        "stake": stake,
        "payout": payout,
    }
