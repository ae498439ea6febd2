"""The accounts that players use at a table: wallets, or stacks of the table's own chips."""

from __future__ import annotations

from collections.abc import Collection

from accounts.models import Account
from tables.models.table import Stack, Table


def load_play_accounts(table: Table, user_ids: Collection[int]) -> dict[int, Account]:
    """The accounts that bets of these users at the table come from, by user id; nothing is locked.

    A user who never sat down with money may have none.
    """
    if not table.has_chips:
        wallets = Account.objects.filter(user__in=user_ids).order_by("pk")
        return {wallet.user_id: wallet for wallet in wallets if wallet.user_id is not None}
    stacks = Stack.objects.filter(table=table, user__in=user_ids).select_related("account")
    return {stack.user_id: stack.account for stack in stacks.order_by("account")}
