"""Models of users, money and the site's settings."""

from __future__ import annotations

from accounts.models.doors import NetworkBan, SignUpInvite
from accounts.models.money import WITH_ENTRIES, Account, BookDay, Transfer, WalletEntry
from accounts.models.site import LONGEST_GREETING, STARTING_GRANT, Act, HouseSettings
from accounts.models.users import (
    NAME_COLUMNS,
    NAME_TAKEN,
    NAME_TOO_CLOSE,
    Approval,
    OwnLimit,
    User,
)

__all__ = [
    "LONGEST_GREETING",
    "NAME_COLUMNS",
    "NAME_TAKEN",
    "NAME_TOO_CLOSE",
    "STARTING_GRANT",
    "WITH_ENTRIES",
    "Account",
    "Act",
    "Approval",
    "BookDay",
    "HouseSettings",
    "NetworkBan",
    "OwnLimit",
    "SignUpInvite",
    "Transfer",
    "User",
    "WalletEntry",
]
