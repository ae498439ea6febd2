"""The reset of a player's history. Nothing of the ledger changes."""

from __future__ import annotations

from accounts.lib import server_clock
from accounts.models import User
from tables.models import Tally
from tables.state.locking import lock_user_and_tables


def empty_history(user_id: int) -> None:
    """Show nothing any more of what this player has played until now, and forget the figures.

    Money, hands, results, transfers and the standing on the leaderboard stay as they are. The
    player's tables are locked meanwhile, so that no round of theirs is half settled. A round that
    waits for these locks and was over before them is told by its time.
    """
    lock_user_and_tables(user_id, _empty)


def _empty(user: User, table_ids: list[int]) -> None:
    Tally.objects.filter(user=user).delete()
    user.history_since = server_clock.now()
    user.save(update_fields=["history_since"])
