"""Models of users, money and the site's settings."""

from __future__ import annotations

from accounts.models.alerts import AlertKind
from accounts.models.money import WITH_ENTRIES, Account, BookDay, Transfer, WalletEntry
from accounts.models.site import Act, GamingDayRule, HouseSettings
from accounts.models.staff import StaffInvite, WaitingChange
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
    "AlertKind",
    "BookDay",
    "FormerName",
    "GamingDayRule",
    "HouseSettings",
    "OwnLimit",
    "StaffInvite",
    "Transfer",
    "User",
    "WaitingChange",
    "WalletEntry",
]
