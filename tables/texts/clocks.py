"""The clocks of a table as text: bets, decisions, time bank, sitting out, idle seats."""

from __future__ import annotations

import datetime as dt

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tables.models import Table


def describe_clocks(
    row: Table, idle: dt.timedelta | None, out: dt.timedelta, rounds_out: int
) -> tuple[str, ...]:
    """The lengths of the clocks of a table, a sentence each.

    ``idle``: how long a seat is kept without a bet; ``None`` for no limit. ``out`` and ``rounds_out``:
    how long a player may sit out, and for how many rounds while others wait in line.
    """
    sentences = [_describe_bets(row), _describe_decisions(row)]
    if row.time_bank_seconds:
        sentences.append(_describe_bank(row))
    if row.rules.seats > 1 or idle is not None:
        sentences.append(_describe_sitting_out(None if idle is None else out, rounds_out))
    if idle is None:
        sentences.append(_("A seat is kept without a limit while nobody bets."))
    else:
        minutes = round(idle.total_seconds() / 60)
        sentences.append(
            ngettext(
                "A seat is freed after %(minutes)s minute in which nobody bets.",
                "A seat is freed after %(minutes)s minutes in which nobody bets.",
                minutes,
            )
            % {"minutes": minutes}
        )
    return tuple(sentences)


def _describe_bets(row: Table) -> str:
    seconds = {"seconds": row.betting_seconds}
    if row.rules.stakes is None:
        return _("To get in: %(seconds)s seconds.") % seconds
    return _("Bets: %(seconds)s seconds from the first bet on.") % seconds


def _describe_decisions(row: Table) -> str:
    return _("Each decision: %(seconds)s seconds.") % {"seconds": row.turn_seconds}


def _describe_bank(row: Table) -> str:
    return _(
        "Time bank: %(seconds)s seconds for each player, for decisions about a hand that take longer. "
        "It grows by a second with each round, up to %(most)s seconds, and not by leaving the seat. "
        "Bets and insurance have none."
    ) % {"seconds": row.time_bank_seconds, "most": row.time_bank_seconds * 2}


def _describe_sitting_out(longest: dt.timedelta | None, most: int) -> str:
    rounds = {"rounds": most}
    if longest is None:
        return (
            _("Sitting out: as long as you like, or %(rounds)s rounds while others wait in line.")
            % rounds
        )
    return _(
        "Sitting out: up to %(minutes)s minutes, or %(rounds)s rounds while others wait in line."
    ) % {**rounds, "minutes": round(longest.total_seconds() / 60)}
