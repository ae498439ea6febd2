"""The reset of a player's history. Nothing of the ledger changes."""

from __future__ import annotations

from accounts.lib import server_clock
from accounts.models import User
from tables.models import Grade, PracticeProgress, Tally
from tables.results import uncounted_rounds
from tables.state.locking import lock_user_and_tables


def reset_history(user_id: int) -> None:
    """Hide the player's history until now, and delete the figures, also those of practice.

    Money, hands, results, transfers and the leaderboards do not change. The player's tables are
    locked, so that no round is half settled. A round that ended before, and waits for these locks
    or to be counted, is recognised by its time.
    """
    lock_user_and_tables(user_id, _hide_results)


def _hide_results(user: User, table_ids: list[int]) -> None:
    uncounted_rounds.lock_figures()
    Tally.objects.filter(user=user).delete()
    # Rounds that wait for their grades still count as skill, which nobody may wipe away.
    Grade.objects.filter(user=user).delete()
    PracticeProgress.objects.filter(user=user).delete()
    user.history_since = server_clock.now()
    user.save(update_fields=["history_since"])
