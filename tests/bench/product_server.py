"""The real server with one thing exchanged: a player may play as fast as the load does.

``python -m tests.bench.product_server uvicorn``: everything else is ``manage.py serve``.
"""

from __future__ import annotations

import os
import sys

import django
from django.core.management import call_command

from tests.bench import no_limits


def main(program: str) -> None:
    """Serve on daphne or uvicorn."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    django.setup()
    no_limits.of_players()
    no_limits.of_frames()
    call_command("serve", server=program)


if __name__ == "__main__":
    main(sys.argv[1])
