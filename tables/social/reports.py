"""Reports of players: about a round, a person at a table, or a chat line."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.lib.errors import OperationRefused
from accounts.lib.ids import LARGEST_ID
from accounts.lib.pagination import first_page
from accounts.models import User
from accounts.users import search
from tables import access
from tables.access import Codes
from tables.models import ChatLine, Report, Result, Round, Table

PAGE: Final = 25
REMOVED_FOR: Final = dt.timedelta(minutes=10)
"""How long after its removal a line can be reported."""
ROUNDS_BACK: Final = 50
"""How many of a table's last rounds show that a person was there."""


def may_report(round_: Round, user: User) -> bool:
    """Whether this user played the round."""
    return Result.objects.with_hands().filter(round=round_, user=user).exists()


def create_report(round_: Round, user: User, text: str, now: dt.datetime) -> bool:
    """Report a round that this user played. Returns false if a report exists; it is not changed."""
    _row, is_new = Report.objects.get_or_create(
        round=round_, user=user, defaults={"at": now, "text": text}
    )
    return is_new


def find_report(round_: Round, user: User) -> Report | None:
    """This user's report of the round, with the answer if there is one."""
    return Report.objects.filter(round=round_, user=user).first()


def report_person(
    table: Table, user: User, name: str, reason: str, text: str, now: dt.datetime
) -> bool:
    """Report a person at this table, which ``user`` may see.

    False if a report of the same player about that person waits for an answer; it is not changed.
    Raises :class:`OperationRefused` with a sentence for the player.
    """
    about = search.find_by_name(name.strip())
    if about is None or not was_at_table(table, about):
        raise OperationRefused(_("Nobody of that name is at this table."))
    if about.pk == user.pk:
        raise OperationRefused(_("You can't report yourself."))
    row = Report(
        kind=Report.Kind.PERSON, reason=reason, table=table, about=about,
        about_name=about.username, user=user, at=now, text=text,
    )  # fmt: skip
    same = Report.objects.filter(
        kind=Report.Kind.PERSON, about=about, user=user, answered_at__isnull=True
    )
    return not same.exists() and _create(row)


def report_line(
    table: Table,
    user: User,
    line_id: int,
    reason: str,
    text: str,
    now: dt.datetime,
    *,
    codes: Codes | None = None,
) -> bool:
    """Report a chat line that ``user`` may read, or could read before a ban or the removal.

    ``codes`` are the invites that the browser has followed.
    False if the player has reported the line before. Raises :class:`OperationRefused` with a sentence
    for the player.
    """
    line = ChatLine.objects.filter(pk=line_id, table=table).select_related("user").first()
    if line is None or not line.text or not _could_read(table, line, user, codes or {}, now):
        raise OperationRefused(_("That message no longer exists."))
    if line.user_id == user.pk:
        raise OperationRefused(_("You can't report your own message."))
    row = Report(
        kind=Report.Kind.LINE, reason=reason, table=table, about=line.user,
        about_name=line.user.username, line=line, said=line.text, said_at=line.at, user=user,
        at=now, text=text,
    )  # fmt: skip
    return not Report.objects.filter(line=line, user=user).exists() and _create(row)


def _could_read(table: Table, line: ChatLine, user: User, codes: Codes, now: dt.datetime) -> bool:
    """Whether the player may report the line. The answer and the page *Your reports* show no text: the
    line may be older than what the player's page has shown, or removed before the player came.
    """
    if line.removed_at is not None and now - line.removed_at > REMOVED_FOR:
        return False
    if access.is_let_in(table, user.pk, codes):
        return True
    ban = table.removals.filter(user=user, is_ban=True).first()
    return ban is not None and line.at <= ban.at


def find_table(table_id: int, user: User, codes: Codes) -> Table | None:
    """The table with this id, if the user may see it or was there: it may be closed by now, or its
    host may have banned the user.
    """
    tables = Table.objects.select_related("maker").defer("state")
    if table := access.find_visible(tables, table_id, user.pk, codes):
        return table
    table = tables.filter(pk=min(table_id, LARGEST_ID)).first()
    return table if table is not None and was_at_table(table, user) else None


def was_at_table(table: Table, user: User) -> bool:
    """Whether the user is at the table, hosts it, or was seen there lately."""
    if table.maker_id == user.pk or table.seats.filter(user=user).exists():
        return True
    if (
        table.visits.filter(user=user).exists()
        or ChatLine.objects.filter(user=user, table=table).exists()
    ):
        return True
    rounds = Round.objects.filter(table=table).order_by("-pk").values_list("pk", flat=True)
    return Result.objects.filter(user=user, round__in=list(rounds[:ROUNDS_BACK])).exists()


def list_own(user: User, before: int | None = None) -> tuple[list[Report], int | None]:
    """:data:`PAGE` reports of this player, newest first, and the next cursor.

    They show the reported name of that time, not the present one.
    """
    rows = Report.objects.filter(user=user).select_related("round__table", "table")
    rows = rows.defer("round__table__state", "table__state").order_by("-pk")
    return first_page(rows, PAGE, before)


def _create(row: Report) -> bool:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:  # the same report arrived at the same moment
        return False
    return True
