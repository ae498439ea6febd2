"""Who may look at players, and do what about them."""

from __future__ import annotations

from typing import Final

from tests.operators.matrix import EVERY_ROLE, Row

TALK, KEEP_OUT, MONEY = (
    frozenset({"floor", "manager"}),
    frozenset({"manager"}),
    frozenset({"cashier", "manager"}),
)
PLAYER: Final = {"user_id": "player"}
ADJUSTED: Final = {**PLAYER, "transfer_id": "transfer"}
FILE: Final = {"as": "csv"}
WHY: Final = {"reason": "Because."}
ADJUST: Final = {
    **WHY, "way": "give", "amount": "1", "key": "5f1f2e3a-0000-4000-8000-000000000001",
    "sure": "yes",
}  # fmt: skip

ROWS: Final = [
    Row("players", EVERY_ROLE),
    Row("players", EVERY_ROLE, data=FILE),
    Row("player_statement", EVERY_ROLE, at=PLAYER, data=FILE),
    Row("player_rounds", EVERY_ROLE, at=PLAYER, data=FILE),
    Row("player", EVERY_ROLE, at=PLAYER),
    Row("player_statement", EVERY_ROLE, at=PLAYER),
    Row("player_rounds", EVERY_ROLE, at=PLAYER),
    Row("player_note", EVERY_ROLE, "POST", at=PLAYER, data={"text": "A note."}),
    Row("player_silence", TALK, at=PLAYER),
    Row("player_silence", TALK, "POST", at=PLAYER, data={**WHY, "lasts": "1h"}),
    Row("player_unsilence", TALK, at=PLAYER),
    Row("player_unsilence", TALK, "POST", at=PLAYER, data=WHY),
    Row("player_freeze", KEEP_OUT, at=PLAYER),
    Row("player_freeze", KEEP_OUT, "POST", at=PLAYER, data=WHY),
    Row("player_unfreeze", KEEP_OUT, at=PLAYER),
    Row("player_unfreeze", KEEP_OUT, "POST", at=PLAYER, data=WHY),
    Row("player_adjust", MONEY, at=PLAYER),
    Row("player_adjust", MONEY, "POST", at=PLAYER, data=ADJUST),
    Row("player_reverse", MONEY, at=ADJUSTED),
    Row("player_reverse", MONEY, "POST", at=ADJUSTED, data=WHY),
]
