"""The real server with one thing exchanged: shoes come from a file as long as it has lines.

``python -m tests.serve_stacked``: everything else is ``manage.py serve``. The product itself has
no such door.
"""

from __future__ import annotations

import os
from pathlib import Path

import django
from django.core.management import call_command

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
django.setup()

from django.conf import settings  # noqa: E402

from tables import dealing  # noqa: E402
from tables.engine.rules import Ruleset  # noqa: E402
from tables.engine.shoe import Shoe  # noqa: E402

SHOES = "stacked_shoes"


def stacked_shoe(rules: Ruleset) -> Shoe:
    """The shoe of the file's first line, which is taken out; shuffled when there is none."""
    path = Path(settings.DATA_DIR) / SHOES
    shoes = path.read_text().splitlines() if path.exists() else []
    if not shoes:
        return shuffled_shoe(rules)
    path.write_text("\n".join(shoes[1:]))
    return Shoe.parse(shoes[0])


if __name__ == "__main__":
    shuffled_shoe, dealing.new_shoe = dealing.new_shoe, stacked_shoe
    call_command("serve")
