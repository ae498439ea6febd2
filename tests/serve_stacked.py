"""The real server with one thing exchanged: shoes come from a file as long as it has lines.

``python -m tests.serve_stacked``: everything else is ``manage.py serve``. The product itself has
no such door.
"""

from __future__ import annotations

import os

import django
from django.core.management import call_command

from tests.server import stacked_shoes

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")


def main() -> None:
    """Serve, with the shoes of the file first."""
    django.setup()
    from django.conf import settings

    from tables import dealing
    from tables.engine.rules import Ruleset
    from tables.engine.shoe import Shoe

    shuffled_shoe = dealing.new_shoe
    path = stacked_shoes(settings.DATA_DIR)

    def stacked_shoe(rules: Ruleset) -> Shoe:
        shoes = path.read_text().splitlines() if path.exists() else []
        if not shoes:
            return shuffled_shoe(rules)
        path.write_text("\n".join(shoes[1:]))
        return Shoe.parse(shoes[0])

    dealing.new_shoe = stacked_shoe
    call_command("serve")


if __name__ == "__main__":
    main()
