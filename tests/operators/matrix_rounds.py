"""Who may look into rounds, void them, and answer what players report."""

from __future__ import annotations

from typing import Final

from tests.operators.matrix import EVERY_ROLE, Row

TALKS, VOIDS = frozenset({"floor", "manager"}), frozenset({"manager"})
ROUND: Final = {"round_id": "round"}
VOID: Final = {"void_id": "void"}
FILE: Final = {"as": "csv"}
REPORT: Final = {"report_id": "report"}

ROWS: Final = [
    Row("rounds", EVERY_ROLE),
    Row("round", EVERY_ROLE, at=ROUND),
    Row("round", EVERY_ROLE, at={"round_id": "open_round"}),
    Row("void_round", VOIDS, at=ROUND),
    Row("void_round", VOIDS, "POST", at=ROUND, data={"reason": "Because."}),
    Row("decide_void", VOIDS, at=VOID),
    Row("decide_void", VOIDS, "POST", at=VOID, data={"decision": "approve"}),
    Row("decide_void", VOIDS, "POST", at=VOID, data={"decision": "refuse", "reason": "No."}),
    Row("withdraw_void", VOIDS, at=VOID),
    Row("withdraw_void", VOIDS, "POST", at=VOID, data={"reason": ""}),
    Row("rounds", EVERY_ROLE, data=FILE),
    Row("reports", TALKS),
    Row("reports", TALKS, data=FILE),
    Row("report", TALKS, at=REPORT),
    Row("report", TALKS, at={"report_id": "line_report"}),
    Row("answer_report", TALKS, at={"report_id": "line_report"}),
    Row("answer_report", TALKS, "POST", at={"report_id": "line_report"}, data={"text": "Right."}),
    Row("answer_report", TALKS, at=REPORT),
    Row("answer_report", TALKS, "POST", at=REPORT, data={"text": "It is right."}),
]
