"""Leaderboard totals: results are added by the projector, and subtracted when a table becomes private
or a round is voided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import Count, F, Sum

from accounts.lib.sql.write import InsertRows, UpdateRows
from tables.models import Result, Standing, Table
from tables.results import grades, uncounted_rounds

_insert = InsertRows(Standing)
_update = UpdateRows(Standing, ("rounds", "net", "per_hundred"))


def add_results(results: Iterable[Result]) -> None:
    """Add staked results at public tables to the standings, without bets behind: who backs a hand
    decides nothing. The figures are locked.
    """
    own = list(results)
    standings = {
        row.user_id: row
        for row in Standing.objects.filter(user__in={result.user_id for result in own})
    }
    for result in own:
        row = standings.get(result.user_id)
        if row is None:
            row = standings[result.user_id] = Standing(user_id=result.user_id)
        row.rounds += 1
        row.net += result.net
        row.per_hundred = row.net * 100 // row.rounds
    _update(row for row in standings.values() if not row._state.adding)
    _insert(row for row in standings.values() if row._state.adding)


def drop_private_table(table: Table) -> None:
    """Subtract a table's results from the leaderboard totals, which count public tables only.

    Call it in the transaction that makes the table private. Rounds that are not counted yet will be
    counted as those of a private table. The figures are locked, after the accounts.
    """
    uncounted_rounds.lock_figures()
    results = Result.objects.own().counted().filter(round__table=table, stake__gt=0)
    by_user = results.order_by().values_list("user")
    sums = by_user.annotate(rounds=Count("pk"), won=Sum(F("payout") - F("stake")))
    subtract_totals({user_id: (rounds, int(won)) for user_id, rounds, won in sums})
    grades.drop_private_table(table)


def subtract_totals(totals: Mapping[int, tuple[int, int]]) -> None:
    """Take rounds, and what they won in hundredths, out of the standings of these users. The figures
    are locked.
    """
    for standing in Standing.objects.filter(user__in=totals).order_by("user"):
        rounds, won = totals[standing.user_id]
        standing.rounds -= rounds
        standing.net -= won
        if standing.rounds:
            standing.per_hundred = standing.net * 100 // standing.rounds
            standing.save(update_fields=["rounds", "net", "per_hundred"])
        else:
            standing.delete()
