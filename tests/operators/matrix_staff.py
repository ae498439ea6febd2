"""Who may look after the operators."""

from __future__ import annotations

from typing import Final

from tests.operators.matrix import Row

MANAGER: Final = frozenset({"manager"})
PLAYER: Final = {"user_id": "player"}
SESSION: Final = {**PLAYER, "session_id": "session"}
CHANGE: Final = {"change_id": "change"}

ROWS: Final = [
    Row("staff", MANAGER),
    Row("player_role", MANAGER, at=PLAYER),
    Row("player_role", MANAGER, "POST", at=PLAYER, data={"roles": ["floor"]}),
    Row("invite_operator", MANAGER),
    Row("invite_operator", MANAGER, "POST", data={"role": "floor"}),
    Row("withdraw_invite", MANAGER, "POST", at={"invite_id": "invite"}),
    Row("decide_change", MANAGER, at=CHANGE),
    Row("decide_change", MANAGER, "POST", at=CHANGE, data={"decision": "approve"}),
    Row("end_session", MANAGER, at=SESSION),
    Row("end_session", MANAGER, "POST", at=SESSION),
    Row("end_all_sessions", MANAGER, at=PLAYER),
    Row("end_all_sessions", MANAGER, "POST", at=PLAYER),
]
