"""Results of a round, recorded in the transaction that settles it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any, Final

from django.db.models import Q, QuerySet

from accounts.lib.sql.driver import Statement, has_row_locks, to_driver_value
from accounts.lib.sql.optimistic import RememberedRows
from accounts.lib.sql.select import Select, build_in_condition, pad_arguments
from accounts.lib.sql.write import InsertRows, NewInstance
from accounts.models import User
from tables.engine.events import Outcome
from tables.models import Hand, Result, Round, Table, Tally
from tables.models.hands import encode_hands
from tables.results import scoring

_new_result = NewInstance(Result)
_new_tally = NewInstance(Tally)
_insert_results = InsertRows(Result)


def _select_tallies(*whose: object) -> QuerySet[Tally, tuple[int, str, dt.date]]:
    """The keys of tallies. ``whose`` has user, rule set and day of each, one after the other."""
    wanted = Q()
    for user, key, day in zip(whose[::3], whose[1::3], whose[2::3], strict=True):
        wanted |= Q(user=user, rules_key=key, day=day)
    return Tally.objects.filter(wanted).order_by().values_list("user_id", "rules_key", "day")


_tallies = Select(_select_tallies)
_history_since = Select(
    lambda *user_ids: (
        User.objects.filter(build_in_condition("pk", user_ids))
        .order_by()
        .values_list("pk", "history_since")
    )
)

# Written without a read, in SQL of both SQLite and PostgreSQL.
_insert_tally = Statement(
    """
    INSERT INTO tables_tally (user_id, rules_key, day, rounds, won, lost, pushed, blackjacks,
        busts, doubles, splits, staked, net, biggest_win, streak, longest_streak)
    SELECT %s, %s, %s, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, COALESCE((
        SELECT before.streak FROM tables_tally before
        WHERE before.user_id = %s AND before.rules_key = %s AND before.day < %s
        ORDER BY before.day DESC LIMIT 1{FOR UPDATE}
    ), 0), 0
    WHERE 1 = 1
    ON CONFLICT (user_id, rules_key, day) DO NOTHING
""".replace("{FOR UPDATE}", " FOR UPDATE" if has_row_locks() else "")
)
"""A new day, which continues the streak of the last one. That one is locked: a concurrent void either
changes the new day as well, or came before.
"""
_add_to_tally = Statement("""
    UPDATE tables_tally SET rounds = rounds + 1, won = won + %s, lost = lost + %s,
        pushed = pushed + %s, blackjacks = blackjacks + %s, busts = busts + %s,
        doubles = doubles + %s, splits = splits + %s, staked = staked + %s, net = net + %s,
        biggest_win = CASE WHEN biggest_win < %s THEN %s ELSE biggest_win END,
        streak = (streak + %s) * %s,
        longest_streak = CASE WHEN longest_streak < (streak + 1) * %s
            THEN streak + 1 ELSE longest_streak END
    WHERE user_id = %s AND rules_key = %s AND day = %s
""")

TallyKey = tuple[int, str, dt.date]
"""User, rule set, and day."""


def _send_tallies(keys: list[TallyKey]) -> Callable[[], dict[TallyKey, bool]]:
    get_rows = _tallies.send(*chain.from_iterable(pad_arguments(keys)))
    return lambda: dict.fromkeys(get_rows(), True)


def _send_history_begins(user_ids: list[int]) -> Callable[[], dict[int, dt.datetime | None]]:
    get_rows = _history_since.send(*pad_arguments(user_ids))
    return lambda: dict(get_rows())


_known_tallies: Final = RememberedRows(_send_tallies)
_history_begins: Final = RememberedRows(_send_history_begins)
"""The time from which on each player sees a history."""


# With a positive divisor, as the number of rounds is: both databases round towards zero.
_FLOOR = "({n} - (({n} %% {d}) + {d}) %% {d}) / {d}"
_add_to_standing = Statement(
    """
    INSERT INTO tables_standing AS s (user_id, rounds, net, per_hundred) VALUES (%s, 1, %s, %s)
    ON CONFLICT (user_id) DO UPDATE SET
        rounds = s.rounds + 1, net = s.net + excluded.net, per_hundred = {per_hundred}
""".replace("{per_hundred}", _FLOOR.format(n="((s.net + excluded.net) * 100)", d="(s.rounds + 1)"))
)


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round that the change settles."""

    table: Table
    round: Round
    hands: Sequence[Hand]
    """In the order of the seats."""
    decisions: Mapping[int, int]
    """The number of decisions by the players themselves, by seat."""


@dataclass(frozen=True, slots=True)
class BuiltResult:
    """The result of a player in a round that is settled."""

    hands: list[Hand]
    result: Result
    is_counted: bool
    """Whether it counts for the leaderboard."""
    is_shown: bool
    """Whether the player has not cleared the history since."""


@dataclass(frozen=True, slots=True)
class BuiltResults:
    """The results of rounds that are settled together.

    They are in the order of users, as they share rows with other tables, and of rounds, as those
    with the same time are counted in the order of their ids.
    """

    results: list[BuiltResult]
    missing_tallies: list[TallyKey]


def build_results(settled: Sequence[SettledRound], now: dt.datetime) -> BuiltResults:
    """Build the results of rounds that are settled ``now``, in UTC."""
    players = {hand.user_id for one in settled for hand in one.hands}
    begins = _history_begins.load(players)
    built: list[BuiltResult] = []
    for one in settled:
        by_seat = [list(own) for _, own in groupby(one.hands, key=lambda hand: hand.seat)]
        results = [_build_result(one, own, now) for own in by_seat]
        if one.round.rules.has_piles and one.round.shoe_id is not None:
            assign_games(one.round.shoe_id, results)
        is_counted = one.round.rules.stakes is not None and not one.table.is_private
        for own, result in zip(by_seat, results, strict=True):
            since = begins[result.user_id]
            built.append(BuiltResult(own, result, is_counted, since is None or since < now))
    built.sort(key=lambda one: (one.result.user_id, one.result.round_id))
    return BuiltResults(built, _find_missing_tallies(built, now.date()))


def _find_missing_tallies(built: Iterable[BuiltResult], day: dt.date) -> list[TallyKey]:
    shown = [one.result for one in built if one.is_shown]
    keys = [(one.user_id, key, day) for one in shown for key in (Tally.ALL, one.rules_key)]
    return sorted(key for key, is_known in _known_tallies.load(keys).items() if not is_known)


def record_results(built: BuiltResults, now: dt.datetime) -> None:
    """Write results in the transaction that settles their rounds, after the accounts."""
    _insert_results(one.result for one in built.results)
    missing = [tuple(map(to_driver_value, key)) for key in built.missing_tallies]
    _insert_tally.write([(*key, *key) for key in missing])
    _known_tallies.add(dict.fromkeys(built.missing_tallies, True))
    day = to_driver_value(now.date())
    rows = [
        _tally_values(one, key, day)
        for one in built.results
        if one.is_shown
        for key in (Tally.ALL, one.result.rules_key)
    ]
    rows.sort(key=_get_user_and_key)  # the order of locks
    _add_to_tally.write(rows, expected=len(rows))
    counted = [one.result for one in built.results if one.is_counted]
    _add_to_standing.write([(one.user_id, one.net, one.net * 100) for one in counted])


def _get_user_and_key(row: Sequence[Any]) -> tuple[int, str]:
    return row[-3], row[-2]


def _tally_values(one: BuiltResult, key: str, day: Any) -> tuple[Any, ...]:
    """The values of :data:`_add_to_tally` for one result, under one key."""
    result, tally = one.result, _new_tally()
    scoring.count_hands(tally, one.hands)
    score = scoring.score_of(result.outcome)
    won, lost, pushed = (int(score == name) for name in ("won", "lost", "pushed"))
    return (
        won, lost, pushed, tally.blackjacks, tally.busts, tally.doubles, tally.splits,
        result.stake, result.net, result.net, result.net, won, 1 - lost, won,
        result.user_id, key, day,
    )  # fmt: skip


def get_outcome(hands: Sequence[Hand]) -> Outcome:
    """The outcome of a player's hands in a round; of several hands, by their net together.

    Several hands exist only with stakes. An insurance is a separate bet: it changes the net of a
    round, not its outcome.
    """
    if len(hands) == 1:
        return Outcome(hands[0].outcome)
    net = sum(hand.payout - hand.stake for hand in hands)
    if net == 0:
        return Outcome.PUSH
    return Outcome.WIN if net > 0 else Outcome.LOSE


def _build_result(one: SettledRound, hands: list[Hand], now: dt.datetime) -> Result:
    return _new_result(
        user_id=hands[0].user_id,
        round_id=one.round.pk,
        table_id=one.table.pk,
        rules_key=one.round.rules_key,
        seat=hands[0].seat,
        finished_at=now,
        decisions=one.decisions.get(hands[0].seat, 0),
        outcome=get_outcome(hands).value,
        stake=sum(hand.staked for hand in hands),
        payout=sum(hand.paid for hand in hands),
        hands=encode_hands(hands),
    )


def assign_games(shoe_id: int, results: list[Result]) -> None:
    """Assign the results to games. After a reset of the history a game begins again."""
    for result in results:
        result.game_id = shoe_id
        earlier = Result.objects.filter(user=result.user_id, game=shoe_id)
        result.opens_game = not earlier.shown().exists()
