"""What several tests of the house need: any table, rounds played at random, the books."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from accounts.ledger import audit as accounts_audit
from accounts.models import Account, Transfer, User, WalletEntry
from tables.audit import rounds as tables_audit
from tables.game import lifecycle
from tables.game.commands import CommandResult
from tables.models import Shoe
from tables.protocol.public import PublicTable
from tables.results import projector
from tests.helpers.table_client import TableClient, code, events


def new_table(key: str, **options: Any) -> TableClient:
    """A table of this preset, with ``options`` of its own."""
    row = lifecycle.open_table(name=f"The {key} table", rules_key=key, rules_options=options)
    return TableClient(row.pk)


def sit_down(at: TableClient, *players: User, adds_words: bool = False) -> None:
    """Everybody takes a seat, from the first one on, and commits to words or not."""
    for seat, user in enumerate(players, start=1):
        words = f"words of seat {seat}" if adds_words else None
        assert code(at.sit(user, seat, words)) == "done"


def least_stake(at: TableClient) -> int:
    """The smallest bet of the table; 0 where nothing is staked."""
    rules = at.row.rules
    return rules.stakes.minimum if rules.stakes else 0


def round_at_random(
    at: TableClient, players: Sequence[User], chance: Random
) -> Iterator[CommandResult]:
    """All who sit from seat 1 on bet the least, and decide at random until the round is over."""
    stake = least_stake(at)
    for user in players:
        played = at.bet(user, stake)
        assert code(played) == "done", played
        yield played
    while (view := after(played)).asked is not None:
        decision = chance.choice(view.insurance) if view.insurance else view.asked
        user, turn = players[decision.seat - 1], after(played).turn
        played = at.act(user, chance.choice(decision.legal), turn)
        assert code(played) == "done", played
        yield played


def play_round(at: TableClient, players: Sequence[User], chance: Random) -> list[dict[str, Any]]:
    """A whole :func:`round_at_random`, and what happened in it."""
    return [event for played in round_at_random(at, players, chance) for event in events(played)]


def after(played: CommandResult) -> PublicTable:
    """The table as everybody saw it after a command."""
    return played.changes[-1].changed.table


def of_type(event_list: Sequence[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    """The events of these types."""
    return [event for event in event_list if event["type"] in kinds]


def types(event_list: Sequence[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in event_list]


def faults() -> list[str]:
    """What ``manage.py audit`` would say once all rounds are counted; nothing when everything adds up."""
    projector.catch_up()
    return [*accounts_audit.find_faults(), *tables_audit.find_round_faults()]


Movement = tuple[str, str, str, int]
"""Kind, from where, to where and how much."""


def moved(after: tuple[int, int] = (0, 0)) -> list[Movement]:
    """What moved later than :func:`last_movement` said: between bank and racks, then of wallets.

    The other side of play is the table.
    """
    last_transfer, last_entry = after
    others = Transfer.objects.filter(pk__gt=last_transfer, entries=None).order_by("pk")
    entries = WalletEntry.objects.filter(pk__gt=last_entry).order_by("pk")
    return [
        *(_moved(transfer) for transfer in others),
        *(_moved(entry.transfer) if entry.transfer else _played(entry) for entry in entries),
    ]


def _moved(transfer: Transfer) -> Movement:
    return transfer.kind, _whose(transfer.debit), _whose(transfer.credit), transfer.amount


def _played(entry: WalletEntry) -> Movement:
    player = _whose(entry.wallet)
    sides = (player, "table") if entry.amount < 0 else ("table", player)
    return entry.kind, *sides, abs(entry.amount)


def last_movement() -> tuple[int, int]:
    """The ids of the last transfer and the last entry."""
    rows = (Transfer.objects.order_by("pk").last(), WalletEntry.objects.order_by("pk").last())
    transfer, entry = (row.pk if row else 0 for row in rows)
    return transfer, entry


def _whose(account: Account) -> str:
    return account.user.username if account.user else account.kind


def shoe_in_use(at: TableClient) -> Shoe:
    """The row of the shoe that the next card comes from."""
    shoe = at.live.game.shoe
    assert shoe is not None
    return Shoe.objects.get(pk=shoe.id)
