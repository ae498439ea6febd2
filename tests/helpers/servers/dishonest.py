"""The real server of a house that cheats, in a way that a test names while it runs. All its proofs
are in order by themselves: only who was there can find it out.

``python -m tests.helpers.servers.dishonest``: everything else is ``manage.py serve``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")

WAYS: Final = (
    "the seal is exchanged",
    "words are left out",
    "words are added",
    "other words are told",
    "the number is exchanged",
)
EXCHANGED_BY: Final = 1_000_000
GROUND: Final = "chosen when the others were known"


def cheats_by(data: Path) -> Path:
    """The file that says how a server on this data cheats with the next shoes."""
    return data / "cheats_by"


def main() -> None:
    """Serve, and cheat."""
    django.setup()
    from django.conf import settings

    from tables.engine.provably_fair import shuffle as provably_fair_shuffle
    from tables.game import shoes
    from tables.models import Shoe as ShoeRow
    from tables.state import commitments
    from tests.helpers.servers import stacked

    shuffle, mixed_in, shuffled = shoes._shuffle, commitments.list_contributions, shoes.ShoeShuffled
    path = cheats_by(settings.DATA_DIR)

    def way() -> str:
        return path.read_text() if path.exists() else ""

    def shuffle_another(live: Any, sealed: Any) -> None:
        if way() == "the seal is exchanged":
            sealed.secret = os.urandom(provably_fair_shuffle.SECRET_BYTES)
            exchanged = provably_fair_shuffle.seal_of(sealed.secret)
            ShoeRow.objects.filter(pk=sealed.id).update(commitment=exchanged)
        shuffle(live, sealed)

    def mix_others(game: Any) -> list[dict[str, Any]]:
        contributions = mixed_in(game)
        if way() == "words are left out":
            contributions[0] |= {"commitment": None, "words": ""}
        if way() == "words are added":
            contributions[-1] |= {
                "commitment": provably_fair_shuffle.compute_commitment(
                    contributions[-1]["seat"], GROUND
                ),
                "words": GROUND,
            }
        return contributions

    def tell_others(shoe: int, words: Any, absent: Any, number: int) -> Any:
        if way() == "other words are told":
            words = tuple(reversed(words))
        return shuffled(shoe, words, absent, number)

    label_of = ShoeRow.label_of

    def label_of_another(shoe_id: int) -> str:
        """The secret of one shoe, and the number of another that gives better cards with it."""
        if way() == "the number is exchanged":
            shoe_id += EXCHANGED_BY
        return label_of(shoe_id)

    ShoeRow.label_of = staticmethod(label_of_another)
    shoes._shuffle = shuffle_another
    commitments.list_contributions = mix_others
    shoes.ShoeShuffled = tell_others
    stacked.main()


if __name__ == "__main__":
    main()
