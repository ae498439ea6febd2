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

    from tables import shoes
    from tables.engine.rules import Ruleset
    from tables.engine.shoe import Shoe
    from tables.game import SealedShoe

    shuffled = shoes.cards_in_order
    path = stacked_shoes(settings.DATA_DIR)

    def cards_in_order(rules: Ruleset, sealed: SealedShoe, words: list[tuple[int, str]]) -> Shoe:
        stacked = path.read_text().splitlines() if path.exists() else []
        if not stacked:
            return shuffled(rules, sealed, words)
        path.write_text("\n".join(stacked[1:]))
        return Shoe.parse(stacked[0])

    shoes.cards_in_order = cards_in_order
    call_command("serve")


if __name__ == "__main__":
    main()
