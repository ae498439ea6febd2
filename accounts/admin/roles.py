"""Names of the operators' roles.

``ROLES`` of ``tables/management/new_database.py`` has their permissions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SAYS: Final[Mapping[str, str | Promise]] = {
    "floor": _(
        "sees the live tables, players, rounds, accounting and the audit log; pauses, "
        "resumes and closes tables, makes announcements, moderates the chat, answers reports, "
        "approves new accounts, bans networks"
    ),
    "cashier": _(
        "sees players, rounds and accounting; refills racks, and adjusts wallets up to the limits"
    ),
    "manager": _(
        "can do all of that without limits; opens and changes tables, freezes players, voids "
        "rounds, schedules maintenance, runs the audit, invites people to sign up, changes the site "
        "settings, runs the staff"
    ),
}
"""A description of each role, by the name of its group."""


def role_label(name: str) -> str:
    """The label of a role: its name and description."""
    return f"{name} – {SAYS[name]}" if name in SAYS else name
