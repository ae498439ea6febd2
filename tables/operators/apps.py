"""The admin site that Django uses here."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class HouseAdminConfig(AdminConfig):
    """Django's admin with the house's own pages."""

    default_site = "tables.operators.site.HouseSite"
