from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks


class TablesConfig(AppConfig):
    name = "tables"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        checks.register(check_relay_between_processes, deploy=True)


def check_relay_between_processes(**_: Any) -> list[checks.CheckMessage]:
    """Check that Redis is configured if several processes may share the database."""
    is_shared = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
    if not is_shared or settings.REDIS_URL:
        return []
    return [
        checks.Warning(
            "DATABASE_URL names PostgreSQL and REDIS_URL is not set: of several server processes "
            "each would show its own tables late, and count rates for itself.",
            hint="Set REDIS_URL, unless one process is all that ever runs.",
            id="house.W001",
        )
    ]
