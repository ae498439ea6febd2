"""The real server with three things exchanged: shoes come from files as long as they have lines, also
when their rounds are dealt again; to hash a password is not made slow; and who is away or logged out is
noticed after five seconds instead of twenty. Any other server reads the hashes.

``python -m tests.helpers.servers.stacked``: everything else is ``manage.py serve``. The product itself has
no such doors.
"""

from __future__ import annotations

import os
from pathlib import Path

import django
from django.core.management import call_command

from tests.helpers.servers.process import stacked_shoes

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")

HASHED_SO_OFTEN = 1_000


def main() -> None:
    """Serve, with the shoes of the files first."""
    django.setup()
    from django.conf import settings
    from django.contrib.auth.hashers import PBKDF2PasswordHasher

    from blackjack_site.conf import single_process
    from tables.engine.cards import Card, parse_cards
    from tables.engine.rules import Ruleset
    from tables.engine.shoe import Shoe
    from tables.game import shoes
    from tables.models import Shoe as ShoeRow
    from tables.realtime import runtime
    from tables.records import what_if
    from tables.state.game_state import SealedShoe

    PBKDF2PasswordHasher.iterations = HASHED_SO_OFTEN
    runtime.HEARTBEATS_PER_CHECK = 1
    shuffled, shuffled_again = shoes.shuffle_sealed, what_if.shuffle_again

    def place_of(path: Path, shoe_id: int) -> Path:
        """Where the cards of a shoe are that was taken from this file."""
        return path.with_name(f"{path.name}_of_{shoe_id}")

    def files_of(table_id: int) -> tuple[Path, Path]:
        return stacked_shoes(settings.DATA_DIR, table_id), stacked_shoes(settings.DATA_DIR)

    def same_cards_again(shoe: ShoeRow) -> tuple[Card, ...]:
        """The order of a retired shoe. That of a stacked one does not follow from its secret."""
        for path in files_of(shoe.table_id):
            if (cards_file := place_of(path, shoe.pk)).exists():
                return parse_cards(cards_file.read_text())
        return shuffled_again(shoe)

    def cards_in_order(rules: Ruleset, sealed: SealedShoe, words: list[tuple[int, str]]) -> Shoe:
        """A deal that another process was faster than is dealt again, by whichever process, from
        the same shoe.
        """
        table = ShoeRow.objects.values_list("table_id", flat=True).get(pk=sealed.id)
        for path in files_of(table):
            cards_file = place_of(path, sealed.id)
            if (
                not cards_file.exists()
                and path.exists()
                and (stacked := path.read_text().splitlines())
            ):
                path.write_text("\n".join(stacked[1:]))
                cards_file.write_text(stacked[0])
            if cards_file.exists():
                return Shoe.parse(cards_file.read_text())
        return shuffled(rules, sealed, words)

    shoes.shuffle_sealed = cards_in_order
    what_if.shuffle_again = same_cards_again
    single_process.acquire_single_process_lock()  # forked ones have the application already
    call_command("serve")


if __name__ == "__main__":
    main()
