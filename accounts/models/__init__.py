"""Models of users, money and the site's settings."""

from __future__ import annotations

from accounts.models.money import Account, BookDay, Transfer
from accounts.models.site import Act, HouseSettings
from accounts.models.users import NAME_TAKEN, OwnLimit, User

__all__ = [
    "NAME_TAKEN",
    "Account",
    "Act",
    "BookDay",
    "HouseSettings",
    "OwnLimit",
    "Transfer",
    "User",
]
