"""Recomputing what was played: stakes against pots, settled hands against the books."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Sum

from accounts.models import Transfer
from tables.game import Game
from tables.models import Change, Hand, Round, Table


def faults() -> Iterator[str]:
    """Everything about tables and rounds that does not add up, a sentence each."""
    for table in Table.objects.select_related("pot").order_by("pk").iterator():
        yield from _pot(table)
        yield from _sequence(table)
    for round_ in Round.objects.order_by("pk").iterator():
        yield from _round(round_)


def _pot(table: Table) -> Iterator[str]:
    """The pot holds what is staked on bets and open hands, and nothing else."""
    game = Game.from_text(table.rules, table.state)
    staked = sum(game.bets.values())
    if game.round is not None:
        hands = [hand for seat in game.round.seats.values() for hand in seat]
        staked += sum(hand.stake for hand in hands if hand.is_open)
    if table.pot.balance != staked:
        yield f"the pot of table {table.pk} holds {table.pot.balance}, but {staked} is staked"


def _sequence(table: Table) -> Iterator[str]:
    changes = Change.objects.filter(table=table).count()
    if changes != table.seq:
        yield f"table {table.pk} is at seq {table.seq}, but {changes} changes are stored"


def _round(round_: Round) -> Iterator[str]:
    """What the hands of a round say was staked and paid is what the books say."""
    if round_.finished_at is None:
        return
    said = Hand.objects.filter(round=round_).aggregate(stake=Sum("stake"), payout=Sum("payout"))
    moved = dict(
        Transfer.objects.filter(reference__startswith=f"round:{round_.pk}/")
        .values_list("kind")
        .order_by()
        .annotate(Sum("amount"))
    )
    staked = moved.get(Transfer.Kind.STAKE, 0) - moved.get(Transfer.Kind.REFUND, 0)
    if staked != (said["stake"] or 0):
        yield f"round {round_.pk}: its hands staked {said['stake'] or 0}, the books say {staked}"
    paid = moved.get(Transfer.Kind.PAYOUT, 0)
    if paid != (said["payout"] or 0):
        yield f"round {round_.pk}: its hands were paid {said['payout'] or 0}, the books say {paid}"
