"""Changes of the settings of the site, in the database and in the memory of this process."""

from __future__ import annotations

from typing import Any, Final

from accounts import site_settings
from accounts.doors import bans
from accounts.models import AlertKind, HouseSettings

SETTINGS_FORM: Final[dict[str, Any]] = {
    "name": "The Card Room",
    "greeting": "",
    "languages": ["en", "de", "es", "fr"],
    "default_language": "en",
    "sign_up": "open",
    "allows_guests": "on",
    "table_makers": "everybody",
    "starting_money": "500",
    "rebuy_amount": "500",
    "rebuy_hours": "24",
    "adjustment_limit": "1,000",
    "adjustment_day_limit": "5,000",
    "void_limit": "1,000",
    "day_zone": "UTC",
    "day_hour": "0",
    "second_factor_roles": ["manager"],
    "alert_emails": "",
    "alert_email_kinds": [kind.value for kind in AlertKind],
    "alert_webhook": "",
    "alert_webhook_kinds": [kind.value for kind in AlertKind],
    "alert_resolved": "on",
    "alert_report_minutes": "15",
    "alert_backup_hours": "26",
    "blocked_words": "",
    "blocked_lines": "mask",
}
"""The form of the settings as it is sent without a change."""
SETTINGS_PAGE: Final = "/admin/accounts/housesettings/1/change/"


def change_settings(**fields: Any) -> None:
    """Change fields of the settings, as their page does."""
    house = HouseSettings.objects.get(pk=1)
    for name, value in fields.items():
        setattr(house, name, value)
    house.save(update_fields=list(fields))
    site_settings.refresh()


def forget_settings() -> None:
    """Use the defaults, as after the migrations."""
    site_settings.remember(HouseSettings())
    bans.forget()
