"""One function reads the limits for two operators, and one module gives roles."""

from __future__ import annotations

import re

from accounts.staff import waiting_changes
from tests.test_architecture import MODULES

LABELS = {"accounts.models.site", "tables.operators.audit_log.text"}
"""The columns themselves, and their names in the audit log."""
NAMES = "|".join(waiting_changes.LIMITS)


def modules_with(pattern: str) -> set[str]:
    """The modules of the site in whose text this is, but for migrations."""
    return {
        module
        for module, path in MODULES.items()
        if ".migrations" not in module and re.search(pattern, path.read_text())
    }


def test_who_reads_a_limit_reads_what_is_in_effect() -> None:
    """The stored value may be late by some seconds, and a raise must not be early."""
    readers = modules_with(rf"\b({NAMES})\b") - LABELS
    assert readers == {
        "accounts.admin.site_settings", "accounts.ledger.adjustments", "accounts.staff.waiting_changes",
        "tables.game.void_plan",
    }  # fmt: skip
    assert readers <= modules_with(r"waiting_changes|def put_in_effect")


def test_one_module_gives_roles() -> None:
    """With each, it stores since when: a role without that time would decide at once."""
    assert modules_with(r"groups\.(set|add|remove|clear)\(|is_staff = ") == {
        "accounts.staff.roles", "accounts.users.deletion",
    }  # fmt: skip
