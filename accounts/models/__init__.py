"""Models of users, money and the site's settings."""

from __future__ import annotations

from accounts.models.alerts import AlertKind
from accounts.models.doors import NetworkBan, SignUpInvite
from accounts.models.money import WITH_ENTRIES, Account, BookDay, Transfer, WalletEntry
from accounts.models.site import LONGEST_GREETING, STARTING_GRANT, Act, GamingDayRule, HouseSettings
from accounts.models.staff import StaffInvite, WaitingChange
from accounts.models.users import (
    NAME_COLUMNS,
    NAME_TAKEN,
    NAME_TOO_CLOSE,
    Approval,
    FormerName,
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
    "AlertKind",
    "Approval",
    "BookDay",
    "FormerName",
    "GamingDayRule",
    "HouseSettings",
    "NetworkBan",
    "OwnLimit",
    "SignUpInvite",
    "StaffInvite",
    "Transfer",
    "User",
    "WaitingChange",
    "WalletEntry",
]
