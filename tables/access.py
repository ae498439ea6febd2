"""Access to tables. Without access a private table does not exist."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, MutableMapping
from typing import Any

from django.db.models import F, Q, QuerySet

from accounts.audit_log import Operator
from accounts.lib.ids import LARGEST_ID
from accounts.models import User
from accounts.users import reauthentication
from tables.engine.errors import RuleViolation
from tables.models import Admission, Match, MatchPlayer, Result, Round, Stack, Table

RUN_TABLE = "tables.run_table"
"""The permission of operators who may see and run any table."""

SESSION_KEY = "invites"
DESERTED = dt.timedelta(days=14)
"""How long an unused private table stays on the lists of players who do not host it."""
MOST_INVITES = 50
"""The limit of invites in a session; the latest remain."""

Codes = Mapping[str, str]
"""The invites that a browser has followed: codes by table id, as in its session."""


def verify_may_play(user: User | None) -> User:
    """Return the user. Raises :class:`RuleViolation` ``not_allowed`` if the account is frozen, deleted or
    not there, and ``not_approved`` if it waits for an operator.
    """
    if user is None or not user.is_active:
        raise RuleViolation("not_allowed", "This account can't play. It is frozen or deleted.")
    if user.is_held:
        raise RuleViolation("not_approved", "An operator has to approve your account first.")
    return user


def get_session_codes(session: Mapping[str, Any]) -> Codes:
    """The invites that were followed in this session."""
    codes: Codes = session.get(SESSION_KEY, {})
    return codes


def store_invite(session: MutableMapping[str, Any], table: Table) -> None:
    """Store the invite to a table in the session."""
    if get_session_codes(session).get(str(table.pk)) != table.code:
        codes = {**get_session_codes(session), str(table.pk): table.code}
        session[SESSION_KEY] = dict(list(codes.items())[-MOST_INVITES:])


def store_match_invite(session: MutableMapping[str, Any], match: Match) -> None:
    """Store the invite to a duplicate match in the session."""
    codes = {**get_session_codes(session), f"match-{match.pk}": match.code}
    session[SESSION_KEY] = dict(list(codes.items())[-MOST_INVITES:])


def find_visible(
    tables: QuerySet[Table], table_id: int, user_id: int | None, codes: Codes
) -> Table | None:
    """The table with this id among these, if this viewer may see it.

    For a missing table the same queries run as for a private one, so that the response time does
    not reveal which of the two it is.
    """
    found = tables.filter(pk=min(table_id, LARGEST_ID)).first()
    table = found or _private_table()
    return found if may_see(table, user_id, codes) else None


def find_round(
    rounds: QuerySet[Round], round_id: int, user_id: int | None, codes: Codes
) -> Round | None:
    """The round with this id among these, if this viewer may see it; like :func:`find_visible`."""
    found = rounds.filter(pk=min(round_id, LARGEST_ID)).first()
    round_ = found or Round(pk=0, table=_private_table())
    return found if may_see_round(round_, user_id, codes) else None


def may_see(table: Table, user_id: int | None, codes: Codes) -> bool:
    """Whether this viewer may see the table, and sit down at a free seat."""
    # Also queried for a closed table, so that it takes the same time.
    return is_let_in(table, user_id, codes) and table.closed_at is None


def is_let_in(table: Table, user_id: int | None, codes: Codes) -> bool:
    """Whether this viewer may see the table while it is open; of a closed one, whether at its end."""
    if not table.is_private:
        return True
    if table.match_id is not None and is_secret(table.match_id):
        return is_in_match(table.match_id, user_id, table)
    if user_id is not None and is_banned(table, user_id):
        return False
    if codes.get(str(table.pk)) == table.code:
        return True
    return user_id is not None and (_has_admission(table, user_id) or is_operator(user_id))


def is_banned(table: Table, user_id: int) -> bool:
    """Whether the host has banned this user from the table."""
    return table.removals.filter(user=user_id, is_ban=True).exists()


def list_banned(table: Table) -> tuple[str, ...]:
    """The names of the users banned from this table."""
    bans = table.removals.filter(is_ban=True).order_by("pk")
    return tuple(bans.values_list("user__username", flat=True))


def may_see_round(round_: Round, user_id: int | None, codes: Codes) -> bool:
    """Whether this viewer may see a round. Rounds of private tables are for their players only."""
    table = round_.table
    if not table.is_private or may_see(table, user_id, codes):
        return True
    if user_id is not None and Result.objects.filter(round=round_, user=user_id).exists():
        return True
    # The players of a match compare their rounds when it has ended.
    match_id = table.match_id
    return match_id is not None and is_in_match(match_id, user_id) and not is_secret(match_id)


def is_secret(match_id: int) -> bool:
    """Whether it is a duplicate match that has not ended: nobody sees the tables of others."""
    open_ones = Match.objects.filter(pk=match_id, kind=Match.Kind.DUPLICATE, ended_at=None)
    return open_ones.exists()


def is_in_match(match_id: int, user_id: int | None, table: Table | None = None) -> bool:
    """Whether the user plays in the match, or did; with ``table``, at that table."""
    players = MatchPlayer.objects.filter(match=match_id, user=user_id)
    return (
        user_id is not None and (players if table is None else players.filter(table=table)).exists()
    )


def may_see_match(match: Match, user_id: int | None, codes: Codes) -> bool:
    """Whether this viewer may see the page of a match: its players, who may see its table, and who
    followed the link of a duplicate match or played the one before.
    """
    if is_in_match(match.pk, user_id):
        return True
    if match.is_duplicate:
        before = MatchPlayer.objects.filter(match__rematch=match.pk, user=user_id)
        if user_id is not None and before.exists():
            return True
        return codes.get(f"match-{match.pk}") == match.code
    tables = Table.objects.filter(match=match)
    return any(not table.is_private or may_see(table, user_id, codes) for table in tables)


def find_with_sheet(
    table_id: int, user_id: int | None, codes: Codes, *, is_shared: bool
) -> Table | None:
    """The table with chips of its own with this id, open or closed, if this viewer may see its
    settlement sheet: like the table, and everyone who sat there; with ``is_shared``, all who have a
    player's link.
    """
    tables = Table.objects.select_related("maker").defer("state")
    found = tables.filter(pk=min(table_id, LARGEST_ID), stack_size__isnull=False).first()
    table = found or _private_table()
    may_look = not table.is_private or may_see(table, user_id, codes)
    sat_here = user_id is not None and Stack.objects.filter(table=table.pk, user=user_id).exists()
    # Nobody else sees how a player of a duplicate match does before its end.
    is_open_to_all = is_shared and not (table.match_id is not None and is_secret(table.match_id))
    return found if may_look or sat_here or is_open_to_all else None


def may_host(table: Table, user_id: int | None) -> bool:
    """Whether this user may run the table as its host: lock, hand on, close, moderate."""
    if user_id is None:
        return False
    return table.maker_id == user_id or is_operator(user_id)


def may_host_as(table: Table, user: User) -> bool:
    """:func:`may_host` for a user whose row is read."""
    return table.maker_id == user.pk or _may_run(user)


def verify_recent_login(table: Table, who: Operator, now: dt.datetime) -> None:
    """Check a recent login for an operator's action at the table of another player.

    Raises :class:`RuleViolation` ``password_first``. The operators' pages have the same rule.
    """
    is_own = table.maker_id == who.user_id
    if is_own or who.session is None or reauthentication.is_socket_recent(who.session, now):
        return
    raise RuleViolation("password_first", "Enter your password first, then try again.")


def is_operator(user_id: int) -> bool:
    """Whether this user is an operator with :data:`RUN_TABLE`."""
    user = User.objects.filter(pk=user_id, is_active=True, is_staff=True).first()
    return user is not None and _may_run(user)


def _may_run(user: User) -> bool:
    return user.is_active and user.is_staff and user.has_perm(RUN_TABLE)


def grant_access(table: Table, user_id: int) -> None:
    """Admit the user until the table's code is renewed."""
    defaults = {"code": table.code, "is_listed": True}
    Admission.objects.update_or_create(table=table, user_id=user_id, defaults=defaults)


def admit_by_invite(table: Table, user_id: int, codes: Codes) -> None:
    """Admit the user if the browser has followed the current invite."""
    is_new = not _has_admission(table, user_id)
    if is_new and codes.get(str(table.pk)) == table.code:
        grant_access(table, user_id)


def list_again(table: Table, user_id: int) -> None:
    """Put the table back on the lists of a user who took it off and visits it again."""
    unlisted = table.admissions.filter(user=user_id, is_listed=False)
    if unlisted.exists():
        unlisted.update(is_listed=True)


def take_off_lists(table_id: int, user_id: int) -> str | None:
    """Take an open table that others host off this user's lists; return its name, or ``None`` if it
    is not on them.
    """
    mine = Admission.objects.filter(table=min(table_id, LARGEST_ID), user=user_id, is_listed=True)
    admission = mine.filter(code=F("table__code")).select_related("table").first()
    if admission is None:
        return None
    mine.update(is_listed=False)
    return admission.table.name


def public_tables() -> QuerySet[Table]:
    """The open tables that everybody may see."""
    return Table.objects.filter(is_private=False, closed_at__isnull=True)


def own_tables(user_id: Any, used_since: Any) -> QuerySet[Table]:
    """The open tables of this user's lists: those they host, and those they were admitted to.

    Others than their own leave the lists when the user takes them off, and private ones when
    nobody has used them since ``used_since``.
    """
    let_in = Admission.objects.filter(user=user_id, code=F("table__code"), is_listed=True)
    is_used = Q(is_private=False) | Q(used_at__gt=used_since)
    is_own = Q(maker=user_id) | (Q(pk__in=let_in.values("table")) & is_used)
    return Table.objects.filter(is_own, closed_at__isnull=True)


def _private_table() -> Table:
    """A private table without admissions, checked in place of a missing one."""
    return Table(pk=0, is_private=True, code="")


def _has_admission(table: Table, user_id: int) -> bool:
    if table.maker_id == user_id or table.seats.filter(user=user_id).exists():
        return True
    return table.admissions.filter(user=user_id, code=table.code).exists()
