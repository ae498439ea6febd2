"""The app configuration of the admin site."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class OperatorAdminConfig(AdminConfig):
    """Django's admin with the site's own pages."""

    default_site = "tables.operators.site.OperatorSite"
