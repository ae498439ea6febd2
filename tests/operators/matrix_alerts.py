"""Who may see alerts, mark them as seen, and try the channels."""

from __future__ import annotations

from typing import Final

from tests.operators.matrix import EVERY_ROLE, Row

MANAGES: Final = frozenset({"manager"})
ALERT: Final = {"alert_id": "alert"}

ROWS: Final = [
    Row("alerts", EVERY_ROLE),
    Row("alert_count", EVERY_ROLE),
    Row("see_alert", EVERY_ROLE, "POST", at=ALERT),
    Row("send_test_email", MANAGES, "POST"),
    Row("send_test_webhook", MANAGES, "POST"),
    Row("renew_webhook_secret", MANAGES, "POST"),
]
