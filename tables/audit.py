"""Recomputing what was played: stakes against pots, settled hands against the books."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import F, Sum
from django.db.models.functions import Coalesce

from accounts.models import Account, Transfer
from tables import audit_results
from tables.game import Game
from tables.models import Change, Round, Table


def faults() -> Iterator[str]:
    """Everything about tables and rounds that does not add up, a sentence each."""
    for table in Table.objects.select_related("pot").order_by("pk").iterator():
        yield from _pot(table)
        yield from _sequence(table)
    yield from _rounds()
    yield from audit_results.faults()


def _pot(table: Table) -> Iterator[str]:
    """The pot holds what is staked on bets and open hands, and nothing else."""
    game = Game.from_text(table.rules, table.state)
    staked = sum(game.bets.values())
    if game.round is not None:
        hands = [hand for seat in game.round.seats.values() for hand in seat]
        staked += sum(hand.stake for hand in hands if hand.is_open)
    if table.rules.is_matched:
        staked *= 2  # the dealer's half lies there as well
    if game.round is not None and game.round.is_insurance_asked:
        staked += sum(answer.stake for answer in game.round.insurance.values())
    if table.pot.balance != staked:
        yield f"the pot of table {table.pk} holds {table.pot.balance}, but {staked} is staked"


def _sequence(table: Table) -> Iterator[str]:
    changes = Change.objects.filter(table=table).count()
    if changes != table.seq:
        yield f"table {table.pk} is at seq {table.seq}, but {changes} changes are stored"


def _rounds() -> Iterator[str]:
    """What the hands of a round say was staked and paid is what the books say."""
    booked = _booked()
    finished = Round.objects.filter(finished_at__isnull=False).order_by("pk")
    said = finished.annotate(
        stake=Coalesce(Sum(F("hands__stake") + F("hands__insurance_stake")), 0),
        payout=Coalesce(Sum(F("hands__payout") + F("hands__insurance_payout")), 0),
    )
    for pk, stake, payout in said.values_list("pk", "stake", "payout").iterator():
        staked, paid = booked.get(pk, (0, 0))
        if staked != stake:
            yield f"round {pk}: its hands staked {stake}, the books say {staked}"
        if paid != payout:
            yield f"round {pk}: its hands were paid {payout}, the books say {paid}"


def _booked() -> dict[int, tuple[int, int]]:
    """What the books say was staked and paid, by round, in one walk over them."""
    booked: dict[int, tuple[int, int]] = {}
    transfers = Transfer.objects.filter(reference__startswith="round:").order_by()
    # What comes from the rack, or goes back there, is the dealer's half of a matched pot.
    transfers = transfers.exclude(kind=Transfer.Kind.REFUND, credit__kind=Account.Kind.RACK)
    for reference, kind, amount in transfers.values_list("reference", "kind", "amount").iterator():
        round_id = int(reference.removeprefix("round:").split("/", 1)[0])
        staked, paid = booked.get(round_id, (0, 0))
        staked += _STAKED.get(kind, 0) * amount
        paid += amount if kind == Transfer.Kind.PAYOUT else 0
        booked[round_id] = (staked, paid)
    return booked


_STAKED = {Transfer.Kind.STAKE.value: 1, Transfer.Kind.REFUND.value: -1}
