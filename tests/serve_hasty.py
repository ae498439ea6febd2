"""The real server with one thing exchanged: a request has to arrive in two seconds, and not thirty.

``python -m tests.serve_hasty``: everything else is ``manage.py serve``.
"""

from __future__ import annotations

import os

import django
from django.core.management import call_command

ARRIVAL_SECONDS = 2

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")


def main() -> None:
    """Serve, and be impatient."""
    django.setup()
    from tables.management import daphne_server

    daphne_server.ARRIVAL_SECONDS = ARRIVAL_SECONDS  # type: ignore[misc]
    call_command("serve")


if __name__ == "__main__":
    main()
