"""Account deletion and rebuys while the player's pages are open."""

from __future__ import annotations

from django.utils import timezone

from accounts.ledger.rebuys import RebuyState
from accounts.models import User
from tables.game import account_deletion, rebuys
from tables.game.account_deletion import Deleted
from tables.protocol.topics import EVICTIONS, renamed, sessions_of
from tables.realtime.hub import hub
from tables.realtime.publishing import publish_to_table, publish_wallets
from tables.realtime.runtime import ANSWER_SECONDS, publish_threadsafe
from tables.realtime.writer import writer


def tell_sessions_ended(user_id: int, *, but: str | None = None) -> None:
    """Have the pages of this user closed, in all processes, whose session has ended.

    Those under the key ``but`` wait for the next look round.
    """
    hub.publish_soon([(EVICTIONS, sessions_of(user_id, but))])


def tell_renamed(user_id: int) -> None:
    """Have the pages of this user loaded again, under the new name."""
    hub.publish_soon([(EVICTIONS, renamed(user_id))])


def delete_account(user_id: int) -> None:
    """Delete the account, and tell everybody whom that concerns.

    Raises :class:`account_deletion.StillPlaying`, :class:`account_deletion.Frozen`, and ``DatabaseError`` or
    ``TimeoutError`` when the house is too busy for it.
    """
    work = writer.submit(
        lambda: account_deletion.delete(user_id, timezone.now()),
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
        lambda: rebuys.take(user, timezone.now()),
        alone=True,
        tell=lambda state: _tell_rebuy(user.pk, state),
    )
    return work.result(ANSWER_SECONDS)


def _tell_deleted(user_id: int, deleted: Deleted) -> None:
    publish_threadsafe(deleted.changes)
    for table_id, unsaid in deleted.lines:
        publish_to_table(table_id, unsaid)
    tell_sessions_ended(user_id)


def _tell_rebuy(user_id: int, state: RebuyState) -> None:
    if state.allowed:
        publish_wallets([user_id])
