"""Who may look at the floor, and do what there."""

from __future__ import annotations

from typing import Final

from tests.operators.matrix import Row

FLOOR = frozenset({"floor", "manager"})
MANAGER = frozenset({"manager"})
TABLE: Final = {"table_id": "table"}
FREE: Final = {"table_id": "free_table"}
WHY: Final = {"reason": "Because."}
PLAN: Final = {"minutes": "600", "says": "Soon.", "instead_of": ""}
MADE: Final = {"made_at": "2026-11-25T20:00:00+00:00"}

ROWS: Final = [
    Row("floor", FLOOR),
    Row("floor_now", FLOOR),
    Row("floor_table", FLOOR, at=TABLE),
    Row("floor_table_now", FLOOR, at=TABLE),
    Row("pause_table", FLOOR, at=TABLE),
    Row("pause_table", FLOOR, "POST", at=TABLE, data=WHY),
    Row("resume_table", FLOOR, at=TABLE),
    Row("resume_table", FLOOR, "POST", at=TABLE, data=WHY),
    Row("close_table", FLOOR, at=FREE),
    Row("close_table", FLOOR, "POST", at=FREE, data=WHY),
    Row("announce_table", FLOOR, at=TABLE),
    Row("announce_table", FLOOR, "POST", at=TABLE, data={"text": "Hello."}),
    Row("unsay", FLOOR, "POST", at=TABLE, data={"line": "1"}),
    Row("silence_at_table", FLOOR, "POST", at=TABLE, data={"player": "guest", "on": "1"}),
    Row("announce", FLOOR),
    Row("announce", FLOOR, "POST", data={"text": "Hello."}),
    Row("keep_table_open", FLOOR, at=TABLE),
    Row("keep_table_open", FLOOR, "POST", at=TABLE, data={"reason": ""}),
    Row("take_back_announcement", FLOOR, "POST", data=MADE),
    Row("take_back_table_announcement", FLOOR, "POST", at=TABLE, data=MADE),
    Row("maintenance", MANAGER),
    Row("maintenance", MANAGER, "POST", data=PLAN),
    Row("end_maintenance", MANAGER, "POST"),
]
