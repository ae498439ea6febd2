"""Results of a round, recorded in the transaction that settles it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Final

from django.db.models import Q, QuerySet

from accounts.lib.sql.select import Select, build_in_condition, pad_arguments
from accounts.lib.sql.sqlite_cache import GenerationCache
from accounts.lib.sql.write import InsertRows, NewInstance, UpdateRows
from accounts.models import User
from tables.engine.events import Outcome
from tables.models import Hand, Result, Round, Standing, Table, Tally
from tables.results import scoring

_COUNTED = (
    "rounds", "won", "lost", "pushed", "blackjacks", "busts", "doubles", "splits", "staked", "net",
    "biggest_win", "streak", "longest_streak",
)  # fmt: skip

_new_result = NewInstance(Result)
_insert_results = InsertRows(Result)


def _select_tallies(day: object, *whose: object) -> QuerySet[Tally]:
    """The tallies of a day. ``whose`` alternates user and rule set."""
    wanted = Q()
    for user, key in zip(whose[::2], whose[1::2], strict=True):
        wanted |= Q(user=user, rules_key=key, day=day)
    return Tally.objects.select_for_update().filter(wanted).order_by("user", "rules_key")


_tallies_locked = Select(_select_tallies)
_write_tallies = UpdateRows(Tally, _COUNTED)
_history_since = Select(
    lambda *user_ids: (
        User.objects.filter(build_in_condition("pk", user_ids))
        .order_by()
        .values_list("pk", "history_since")
    )
)
_standings_locked = Select(
    lambda *user_ids: (
        Standing.objects.select_for_update()
        .filter(build_in_condition("user", user_ids))
        .order_by("user")
    )
)
_write_standings = UpdateRows(Standing, ("rounds", "net", "per_hundred"))

_tallies_heard: Final[GenerationCache[tuple[int, str, dt.date], Tally]] = GenerationCache()
_since_heard: Final[GenerationCache[int, dt.datetime | None]] = GenerationCache()
_standings_heard: Final[GenerationCache[int, Standing]] = GenerationCache()


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round that the change settles."""

    table: Table
    round: Round
    hands: Sequence[Hand]
    """In the order of the seats."""
    decisions: Mapping[int, int]
    """The number of decisions by the players themselves, by seat."""


def record_results(settled: Iterable[SettledRound], now: dt.datetime) -> None:
    """Write the results of rounds, in the transaction that settles them; ``now`` in UTC.

    Rows shared with other tables are locked in the order of users, after the accounts. Rounds with
    the same time are counted in the order of their ids.
    """
    made: list[tuple[list[Hand], Result]] = []
    counted: list[Result] = []
    for one in settled:
        by_seat = [list(own) for _, own in groupby(one.hands, key=lambda hand: hand.seat)]
        results = [_build_result(one, own, now) for own in by_seat]
        if one.round.rules.has_piles and one.round.shoe_id is not None:
            assign_games(one.round.shoe_id, results)
        made += zip(by_seat, results, strict=True)
        if one.round.rules.stakes is not None and not one.table.is_private:
            counted += results
    made.sort(key=lambda pair: (pair[1].user_id, pair[1].round_id))
    _insert_results(result for _, result in made)
    _add_to_tallies(made, now)
    if counted:
        _add_to_standings(sorted(counted, key=lambda result: result.user_id))


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
        stake=sum(hand.stake + hand.insurance_stake for hand in hands),
        payout=sum(hand.payout + hand.insurance_payout for hand in hands),
    )


def assign_games(shoe_id: int, results: list[Result]) -> None:
    """Assign the results to games. After a reset of the history a game begins again."""
    for result in results:
        result.game_id = shoe_id
        earlier = Result.objects.filter(user=result.user_id, game=shoe_id)
        result.opens_game = not earlier.shown().exists()


def _add_to_tallies(made: Sequence[tuple[list[Hand], Result]], now: dt.datetime) -> None:
    """Add results and their hands to the tallies, for each user in the order of the rounds."""
    whose = {(r.user_id, key): None for _, r in made for key in (Tally.ALL, r.rules_key)}
    tallies = _lock_tallies(list(whose), now.date())
    # Not for users who cleared their history while this round waited to be written.
    since = _load_history_begins(dict.fromkeys(result.user_id for _, result in made))
    unseen = {user_id for user_id, moment in since.items() if moment is not None and moment >= now}
    for hands, result in made:
        if result.user_id not in unseen:
            for key in (Tally.ALL, result.rules_key):
                _add_result(tallies[result.user_id, key], hands, result)
    _write_tallies(tally for tally in tallies.values() if tally.user_id not in unseen)


def _add_result(tally: Tally, hands: list[Hand], result: Result) -> None:
    tally.rounds += 1
    counted = scoring.score_of(result.outcome)
    setattr(tally, counted, getattr(tally, counted) + 1)
    scoring.count_hands(tally, hands)
    tally.staked += result.stake
    tally.net += result.net
    tally.biggest_win = max(tally.biggest_win, result.net)
    tally.streak = scoring.next_streak(tally.streak, result.outcome)
    if counted == "won":  # a streak of the day before counts for this day once it continues
        tally.longest_streak = max(tally.longest_streak, tally.streak)


def _lock_tallies(wanted: Sequence[tuple[int, str]], day: dt.date) -> dict[tuple[int, str], Tally]:
    """The locked rows of that day by user and rule set; missing ones are created."""
    heard = _tallies_heard.current()
    while missing := [whose for whose in wanted if (*whose, day) not in heard]:
        rows = _tallies_locked(day, *chain.from_iterable(pad_arguments(missing)))
        heard |= {(tally.user_id, tally.rules_key, day): tally for tally in rows}
        fresh = [_create_tally(*whose, day) for whose in missing if (*whose, day) not in heard]
        # Another table may create the same row at this moment: then that one is used.
        Tally.objects.bulk_create(fresh, ignore_conflicts=True)
    return {whose: heard[*whose, day] for whose in wanted}


def _load_history_begins(user_ids: Iterable[int]) -> dict[int, dt.datetime | None]:
    """The time from which on each player sees a history."""
    heard = _since_heard.current()
    if missing := [user_id for user_id in user_ids if user_id not in heard]:
        heard |= dict(_history_since(*pad_arguments(missing)))
    return {user_id: heard[user_id] for user_id in user_ids}


def _create_tally(user_id: int, key: str, day: dt.date) -> Tally:
    """A new day that continues the streak of the last one.

    The last one is locked: a concurrent void either changes the new day as well, or came before.
    """
    earlier = Tally.objects.select_for_update().filter(user=user_id, rules_key=key, day__lt=day)
    before = earlier.order_by("-day").first()
    return Tally(user_id=user_id, rules_key=key, day=day, streak=before.streak if before else 0)


def _add_to_standings(results: list[Result]) -> None:
    user_ids = list(dict.fromkeys(result.user_id for result in results))
    standings = _lock_standings(user_ids)
    for result in results:
        standing = standings[result.user_id]
        standing.rounds += 1
        standing.net += result.net
        standing.per_hundred = standing.net * 100 // standing.rounds
    _write_standings(standings.values())


def _lock_standings(user_ids: list[int]) -> dict[int, Standing]:
    heard = _standings_heard.current()
    while missing := [user_id for user_id in user_ids if user_id not in heard]:
        heard |= {
            standing.user_id: standing for standing in _standings_locked(*pad_arguments(missing))
        }
        fresh = [Standing(user_id=user_id) for user_id in missing if user_id not in heard]
        Standing.objects.bulk_create(fresh, ignore_conflicts=True)
    return {user_id: heard[user_id] for user_id in user_ids}
