"""A duplicate match: a table for each player, and at all of them the same sealed shoes.

All shoes are sealed when the match begins, one for each round, and their seals are published then.
The secrets stay in the row of the match until everybody has finished: a table shows none before, or
its player could tell others the cards to come.
"""

from __future__ import annotations

import datetime as dt
import secrets
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.models import User
from tables import access
from tables.engine.errors import RuleViolation
from tables.engine.options import customize
from tables.engine.provably_fair import shuffle
from tables.game import commit, lifecycle, seats
from tables.game.matches import opening, progress
from tables.game.matches.progress import FEWEST
from tables.models import Match, MatchPlayer, Shoe, Table
from tables.models.matches import may_be_duplicate
from tables.state.effects import ChangeNotice, Effects
from tables.state.live_table import LiveTable
from tables.state.loss_limits import verify_not_on_break
from tables.state.match_state import MatchState

MOST: Final = 8
"""The limit of the number of players."""
MOST_OPEN: Final = 5
"""The limit of the matches of one maker that have not ended."""
UNUSED: Final = dt.timedelta(days=1)
"""How long a match waits for its start."""


class NoDuplicates(OperationRefused):
    """The rules do not shuffle before every round."""

    def __init__(self) -> None:
        super().__init__(
            gettext(
                "A duplicate match needs rules that shuffle before every round, so that all players "
                "begin each round with the same cards."
            )
        )


class TooManyMatches(OperationRefused):
    """The player has :data:`MOST_OPEN` matches that have not ended."""

    def __init__(self) -> None:
        message = gettext(
            "You already have %(number)s duplicate matches that have not ended. Finish or leave one of "
            "them first."
        )
        super().__init__(message % {"number": MOST_OPEN})


class MatchHasBegun(OperationRefused):
    """Nobody can join any more."""

    def __init__(self) -> None:
        super().__init__(gettext("The match has begun. Nobody else can join."))


class MatchIsFull(OperationRefused):
    """The match has :data:`MOST` players."""

    def __init__(self) -> None:
        super().__init__(
            gettext("The match has %(number)s players, which is the limit.") % {"number": MOST}
        )


class TooFewPlayers(OperationRefused):
    """One player is no match."""

    def __init__(self) -> None:
        super().__init__(gettext("A match needs two players at least."))


class NotHost(OperationRefused):
    """Another player starts the match."""

    def __init__(self) -> None:
        super().__init__(gettext("Only the player who created the match can start it."))


def open_duplicate(
    *,
    name: str,
    rules_key: str,
    rules_options: dict[str, Any],
    host_id: int,
    rounds: int,
    stack: int,
    **settings: Any,
) -> Match:
    """Create a duplicate match, which waits for players; its maker is the first.

    ``settings`` are fields of its tables. Raises :class:`NoDuplicates`, :class:`OptionError`,
    :class:`TooManyMatches` and ``lifecycle.NoTableMaker``.
    """
    options = {**rules_options, "seats": 1}
    if not may_be_duplicate(customize(rules_key, options)):
        raise NoDuplicates
    with transaction.atomic():
        lifecycle.verify_table_maker(host_id)
        matches = Match.objects.filter(_is_open_duplicate(), maker=host_id, players__user=host_id)
        if matches.count() >= MOST_OPEN:
            raise TooManyMatches
        match = Match.objects.create(
            kind=Match.Kind.DUPLICATE,
            name=name,
            maker_id=host_id,
            rounds=rounds,
            stack=stack,
            settings={**settings, "rules_key": rules_key, "rules_options": options},
            created_at=server_clock.now(),
        )
        MatchPlayer.objects.create(match=match, user_id=host_id, stack=stack)
    return match


def _is_open_duplicate() -> Q:
    return Q(kind=Match.Kind.DUPLICATE, ended_at=None)


def enter(match_id: int, user_id: int, now: dt.datetime) -> Effects[None]:
    """Add the user to the players; no effect for one of them.

    Raises :class:`MatchHasBegun` and :class:`MatchIsFull`.
    """
    with transaction.atomic():
        match = _lock(match_id)
        if match.players.filter(user=user_id).exists():
            return Effects(None)
        if match.state != Match.State.WAITING:
            raise MatchHasBegun
        if match.players.count() >= MOST:
            raise MatchIsFull
        # Locked: a deletion of the account either finds the entry, or is detected here.
        user = User.objects.select_for_update(no_key=True).get(pk=user_id)
        if user.is_active and not user.is_held:
            MatchPlayer.objects.create(match=match, user=user, stack=match.stack)
    return Effects(None)


def withdraw(match_id: int, user_id: int, now: dt.datetime) -> Effects[None]:
    """Take the user out before the start; the last one ends the match. Raises :class:`MatchHasBegun`."""
    with transaction.atomic():
        match = _lock(match_id)
        if match.state != Match.State.WAITING:
            raise MatchHasBegun
        match.players.filter(user=user_id).delete()
        if not match.players.exists():
            match.state, match.ended_at = Match.State.BROKEN_OFF, now
            match.save(update_fields=["state", "ended_at"])
    return Effects(None)


def end_unused(now: dt.datetime) -> None:
    """Break off the matches that nobody has started for :data:`UNUSED`, or whose last player has
    deleted the account.
    """
    waiting = Match.objects.filter(_is_open_duplicate(), state=Match.State.WAITING)
    unused = Q(created_at__lte=now - UNUSED) | Q(players=None)
    ids = list(waiting.filter(unused).values_list("pk", flat=True))
    waiting.filter(pk__in=ids).update(state=Match.State.BROKEN_OFF, ended_at=now)


def _lock(match_id: int) -> Match:
    return Match.objects.select_for_update().get(pk=match_id, kind=Match.Kind.DUPLICATE)


# The start


def start(match_id: int, user_id: int, now: dt.datetime) -> Effects[None]:
    """Seal all shoes, open a table for each player, and begin. No effect if it has begun.

    Raises :class:`NotHost` and :class:`TooFewPlayers`.
    """
    with transaction.atomic():
        match = _lock(match_id)
        players = _list_players(match, now)
        if opening.find_host(match, players) != user_id:
            raise NotHost
        if match.state != Match.State.WAITING:
            return Effects(None)
        if len(players) < FEWEST:
            raise TooFewPlayers
        assert match.rounds is not None
        keys = [secrets.token_bytes(shuffle.SECRET_BYTES) for _ in range(match.rounds)]
        match.secrets = [key.hex() for key in keys]
        match.state, match.started_at = Match.State.RUNNING, now
        match.save(update_fields=["secrets", "state", "started_at"])
        tables = [_open_table(match) for _ in players]
        _seal_all(tables[0], keys, now)
        changes = [
            _seat(match, table, player, tables[0].pk, now)
            for player, table in zip(players, tables, strict=True)
        ]
    return Effects(None, tuple(changes))


def _list_players(match: Match, now: dt.datetime) -> list[MatchPlayer]:
    """The players in the order in which they entered, without those who may not play now."""
    players = list(match.players.select_related("user").order_by("pk"))
    if match.state == Match.State.WAITING:
        barred = [player for player in players if not _may_play(player.user, now)]
        MatchPlayer.objects.filter(pk__in=[player.pk for player in barred]).delete()
        players = [player for player in players if player not in barred]
    return players


def _may_play(user: User, now: dt.datetime) -> bool:
    try:
        verify_not_on_break(user, now)
    except RuleViolation:
        return False
    return user.is_active and not user.is_held


def _open_table(match: Match) -> Table:
    """The table of one player: private, and without a host."""
    settings = dict(match.settings)
    return lifecycle.open_table(
        name=match.name,
        match=match,
        stack_size=match.stack,
        is_private=True,
        has_chat=False,
        **settings,
    )


def _seal_all(table: Table, keys: list[bytes], now: dt.datetime) -> None:
    """Create the shoes of all rounds, at the first table; those of the others refer to them."""
    Shoe.objects.bulk_create(
        Shoe(
            table=table,
            number=number,
            method=shuffle.METHOD,
            decks=table.rules.decks,
            commitment=shuffle.seal_of(key),
            sealed_at=now,
        )
        for number, key in enumerate(keys, start=1)
    )


def _seat(
    match: Match, table: Table, player: MatchPlayer, first_table: int, now: dt.datetime
) -> ChangeNotice:
    live = LiveTable.lock(table.pk, now)
    state = MatchState.of(match)
    state.first_table = first_table
    live.game.match = state
    seats.seat_player(live, 1, player.user_id)
    access.grant_access(live.row, player.user_id)
    progress.begin(live, state)
    return commit.commit_table(live)


# The end


def break_off_all(now: dt.datetime, because: str) -> None:
    """Break off every duplicate match that runs, after a restore: its secrets may be known.

    The caller ends the rounds at its tables.
    """
    for match in Match.objects.filter(_is_open_duplicate(), state=Match.State.RUNNING):
        progress.reveal(match, now, Shoe.Retired.RESTORED)
        match.state, match.ended_at, match.ended_because = Match.State.BROKEN_OFF, now, because
        match.save(update_fields=["state", "ended_at", "ended_because"])


def open_rematch(match_id: int, user_id: int, now: dt.datetime) -> Effects[int]:
    """The duplicate match that follows, with the same settings; returns its id. The user is in it.

    If another player was faster, it is that player's. Raises ``Match.DoesNotExist`` if the user did not
    play in the match, and :class:`opening.MatchGoesOn`.
    """
    with transaction.atomic():
        match = _lock(match_id)
        if not match.players.filter(user=user_id).exists():
            raise Match.DoesNotExist
        if not match.has_ended:
            raise opening.MatchGoesOn
        if match.rematch is None or match.rematch.state == Match.State.BROKEN_OFF:
            settings = {
                n: v for n, v in match.settings.items() if n not in ("rules_key", "rules_options")
            }
            assert match.rounds is not None
            match.rematch = open_duplicate(
                name=match.name,
                rules_key=match.settings["rules_key"],
                rules_options=match.settings["rules_options"],
                host_id=user_id,
                rounds=match.rounds,
                stack=match.stack,
                **settings,
            )
            match.save(update_fields=["rematch"])
        else:
            enter(match.rematch.pk, user_id, now)
        assert match.rematch_id is not None
        return Effects(match.rematch_id)
