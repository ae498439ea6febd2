"""What the table of roles, pages and actions is made of. Each area has a file of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ROLES = ("floor", "cashier", "manager")
EVERY_ROLE = frozenset(ROLES)


@dataclass(frozen=True)
class Row:
    """One thing that can be asked of the operators' pages. A superuser may all of it; players and
    those who are not logged in nothing.
    """

    name: str
    """Of the address, without ``admin:``."""
    allowed: frozenset[str]
    method: str = "GET"
    at: Mapping[str, str] = field(default_factory=dict)
    """What the address is about: ``{"table_id": "table"}``, by name of what is in the world."""
    data: Mapping[str, Any] = field(default_factory=dict)
