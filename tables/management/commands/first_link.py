"""``manage.py first_link``: prints a link that makes the first operator in a browser."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.doors import first_links


class Command(BaseCommand):
    help = "Print a one-time link that makes the first operator in a browser."

    def handle(self, *args: Any, **options: Any) -> None:
        link = first_links.make_link("command line", is_only=False)
        if not link:
            raise CommandError("There is an operator already: see manage.py createsuperuser.")
        if not settings.SITE_URL:
            self.stderr.write(
                f"It is for a server on port {settings.PORT} of this machine. If that is another one, "
                "set SITE_URL or PORT here as for the server."
            )
        self.stdout.write(link)
