"""The pages of the books, and who may open them."""

from __future__ import annotations

from tests.operators.matrix import EVERY_ROLE, Row

ROWS: list[Row] = [
    Row("books", EVERY_ROLE),
    Row("books_csv", EVERY_ROLE),
    Row("books_accounts", EVERY_ROLE),
    Row("audit", EVERY_ROLE),
    Row("audit_progress", EVERY_ROLE),
    Row("run_audit", frozenset({"manager"}), "POST"),
]
