"""Who may open, clone and change tables, and fill racks."""

from __future__ import annotations

from typing import Final

from tests.operators.matrix import Row

SEE, CHANGE, FILL = (
    frozenset({"floor", "manager"}),
    frozenset({"manager"}),
    frozenset({"cashier", "manager"}),
)
TABLE: Final = {"table_id": "table"}
BACK: Final = {"amount": "1", "reason": "High.", "after": "0"}
PUT: Final = {"amount": "1", "reason": "Low.", "after": "0"}

ROWS: Final = [
    Row("operator_tables", SEE),
    Row("racks", FILL),
    Row("new_table", CHANGE),
    Row("new_table", CHANGE, "POST", data={"name": "New", "rules_key": "casino"}),
    Row("clone_table", CHANGE, at=TABLE),
    Row("clone_table", CHANGE, "POST", at=TABLE, data={"name": "New", "rules_key": "casino"}),
    Row("edit_table", CHANGE, at=TABLE),
    Row("edit_table", CHANGE, "POST", at=TABLE, data={"name": "New"}),
    Row("take_back_change", CHANGE, "POST", at=TABLE, data={"back-made_from": "0"}),
    Row("fill_rack", FILL, at=TABLE),
    Row("fill_rack", FILL, "POST", at=TABLE, data={**PUT, "sure": "yes"}),
    Row("bring_chips_back", FILL, at=TABLE),
    Row("bring_chips_back", FILL, "POST", at=TABLE, data={**BACK, "sure": "yes"}),
]
