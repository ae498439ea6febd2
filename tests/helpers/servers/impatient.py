"""The real server with two things exchanged: a request has to arrive in two seconds, and not
thirty, and twenty connections may wait to ask, not 2,000.

``python -m tests.helpers.servers.impatient``, with ``SERVER=uvicorn`` or on daphne: everything else is
``manage.py serve``.
"""

from __future__ import annotations

import os

import django
from django.core.management import call_command

ARRIVAL_SECONDS = 2
MOST_ARRIVING = 20

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")


def main() -> None:
    """Serve, and be impatient."""
    django.setup()
    from tables.servers import arrivals, connection_limits

    connection_limits.ARRIVAL_SECONDS = ARRIVAL_SECONDS
    arrivals.MOST_ARRIVING = MOST_ARRIVING
    call_command("serve", server=os.environ.get("SERVER", "daphne"))


if __name__ == "__main__":
    main()
