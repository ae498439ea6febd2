"""Leaderboard totals, corrected when a table becomes private or a round is voided."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count, F, Sum

from tables.models import Result, Standing, Table


def drop_private_table(table: Table, *, but: int | None) -> None:
    """Subtract a table's results from the leaderboard totals, which count public tables only.

    Call it in the transaction that makes the table private. ``but`` is the round that the same
    transaction settles: it was not added. The rows are locked after the accounts.
    """
    results = Result.objects.filter(round__table=table, stake__gt=0)
    if but is not None:
        results = results.exclude(round=but)
    made = results.order_by().values_list("user")
    sums = made.annotate(rounds=Count("pk"), won=Sum(F("payout") - F("stake")))
    subtract_totals({user_id: (rounds, int(won)) for user_id, rounds, won in sums})


def subtract_totals(totals: Mapping[int, tuple[int, int]]) -> None:
    """Take rounds, and what they won in hundredths, out of the standings of these users.

    The rows, which other tables may be writing too, are locked in the order of their users.
    """
    rows = Standing.objects.select_for_update().filter(user__in=totals).order_by("user")
    for standing in rows:
        rounds, won = totals[standing.user_id]
        standing.rounds -= rounds
        standing.net -= won
        if standing.rounds:
            standing.per_hundred = standing.net * 100 // standing.rounds
            standing.save(update_fields=["rounds", "net", "per_hundred"])
        else:
            standing.delete()
