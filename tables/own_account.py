"""Account deletion and rebuys while the player's pages are open."""

from __future__ import annotations

from django.utils import timezone

from accounts.models import User
from accounts.rebuy import RebuyState
from tables import deleting, rebuying
from tables.deleting import Deleted
from tables.groups import DOORS, renamed, sessions_of
from tables.hub import hub
from tables.runtime import ANSWER_SECONDS, publish
from tables.telling import tell_table, tell_wallets
from tables.writer import writer


def tell_sessions_ended(user_id: int, *, but: str | None = None) -> None:
    """Have the pages of this user closed, in all processes, whose session has ended.

    Those under the key ``but`` wait for the next look round.
    """
    hub.publish_soon([(DOORS, sessions_of(user_id, but))])


def tell_renamed(user_id: int) -> None:
    """Have the pages of this user loaded again, under the new name."""
    hub.publish_soon([(DOORS, renamed(user_id))])


def delete_account(user_id: int) -> None:
    """Delete the account, and tell everybody whom that concerns.

    Raises :class:`deleting.StillPlaying`, :class:`deleting.Frozen`, and ``DatabaseError`` or
    ``TimeoutError`` when the house is too busy for it.
    """
    work = writer.submit(
        lambda: deleting.delete(user_id, timezone.now()),
        alone=True,
        tell=lambda deleted: _tell_deleted(user_id, deleted),
    )
    work.result(ANSWER_SECONDS)


def take_play_money(user: User) -> RebuyState:
    """Take play money for this player if that is allowed, and tell their open pages the balance.

    That goes through the writer, so that those pages hear of this and of bets as it happened.
    Raises ``DatabaseError`` or ``TimeoutError`` when the house is too busy for it.
    """
    work = writer.submit(
        lambda: rebuying.take(user, timezone.now()),
        alone=True,
        tell=lambda state: _tell_rebuy(user.pk, state),
    )
    return work.result(ANSWER_SECONDS)


def _tell_deleted(user_id: int, deleted: Deleted) -> None:
    publish(deleted.changes)
    for table_id, unsaid in deleted.lines:
        tell_table(table_id, unsaid)
    tell_sessions_ended(user_id)


def _tell_rebuy(user_id: int, state: RebuyState) -> None:
    if state.allowed:
        tell_wallets([user_id])
