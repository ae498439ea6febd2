"""Who may decide who comes in."""

from __future__ import annotations

from typing import Final

from tests.operators.matrix import Row

MANAGER, BOTH = frozenset({"manager"}), frozenset({"floor", "manager"})
BAN: Final = {"network": "198.51.100.7", "time": "day", "reason": "Spam."}

ROWS: Final = [
    Row("sign_up_invites", MANAGER),
    Row("sign_up_invites", MANAGER, "POST", data={"label": "Friends", "places": "2"}),
    Row("withdraw_sign_up_invite", MANAGER, "POST", at={"invite_id": "sign_up_invite"}),
    Row("approvals", BOTH),
    Row("approve_user", BOTH, "POST", at={"user_id": "waiting"}),
    Row("refuse_user", BOTH, at={"user_id": "waiting"}),
    Row("refuse_user", BOTH, "POST", at={"user_id": "waiting"}, data={"reason": "Because."}),
    Row("bans", BOTH),
    Row("bans", BOTH, "POST", data=BAN),
    Row("lift_ban", BOTH, "POST", at={"ban_id": "ban"}),
]
