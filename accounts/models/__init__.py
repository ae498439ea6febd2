"""Models of users, money and the site's settings."""

from __future__ import annotations

from accounts.models.money import WITH_ENTRIES, Account, BookDay, Transfer, WalletEntry
from accounts.models.site import Act, HouseSettings
from accounts.models.users import (
    NAME_COLUMNS,
    NAME_TAKEN,
    NAME_TOO_CLOSE,
    FormerName,
    OwnLimit,
    User,
)

__all__ = [
    "NAME_COLUMNS",
    "NAME_TAKEN",
    "NAME_TOO_CLOSE",
    "WITH_ENTRIES",
    "Account",
    "Act",
    "BookDay",
    "FormerName",
    "HouseSettings",
    "OwnLimit",
    "Transfer",
    "User",
    "WalletEntry",
]
