"""Emptying a player's history: what they see of it, and nothing of what the house keeps."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from tables import house
from tables.models import Seat, Tally


def empty_history(user_id: int) -> None:
    """Show nothing any more of what this player has played until now, and forget the figures.

    Money, hands, results, transfers and the standing on the leaderboard stay as they are. The
    player's tables are locked first, so that no round of theirs is half settled, and then the
    user, who can sit down nowhere else meanwhile. A round that waits for these locks and was
    over before them is told by its time.
    """
    with transaction.atomic():
        seats = Seat.objects.filter(user=user_id)
        house.lock_tables(list(seats.values_list("table_id", flat=True)))
        user = User.objects.select_for_update().get(pk=user_id)
        Tally.objects.filter(user=user_id).delete()
        user.history_since = timezone.now()
        user.save(update_fields=["history_since"])
