"""The author of a change of a table, for operators: a player, an operator, the clock or the site."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from accounts.models import Act
from tables.models import Change
from tables.operators.audit_log.text import RowNames, load_row_names
from tables.operators.floor.command_text import format_command
from tables.records.hand_view import is_answer_secret

_ACTS_AT_A_TABLE: Final = frozenset({
    Act.What.CLOSE_TABLE, Act.What.EDIT_TABLE, Act.What.FREEZE, Act.What.KEEP_OPEN,
    Act.What.MAINTAIN, Act.What.PAUSE_TABLE, Act.What.REOPEN, Act.What.RESUME_TABLE,
})  # fmt: skip
"""The actions that change a table without a command of a player's page."""


@dataclass(frozen=True, slots=True)
class ChangeAuthors:
    """The authors of some changes, with what they did."""

    acts: Mapping[dt.datetime, Act]
    """By time: an action and its changes of tables have the same one."""
    names: RowNames

    def describe_author(self, change: Change, events: Collection[Mapping[str, Any]]) -> str:
        """The name of the player or operator, or "the clock" or "the site"."""
        if change.user:
            return change.user.username
        if any(event["type"] == "clock_ran_out" for event in events):
            return _("the clock")
        act = self._find_act(change)
        return act.by.username if act else _("the site")

    def describe_command(self, change: Change) -> str:
        """The command or the operator's action, in words; empty without one. Of a secret answer
        only that there is one.
        """
        if is_answer_secret(change):
            return _("decided")
        act = self._find_act(change)
        if act is None:
            return format_command(change.command)
        name = self.names.format_subject(act.subject) if act.what == Act.What.FREEZE else ""
        return f"{act.get_what_display()}: {name}" if name else act.get_what_display()

    def _find_act(self, change: Change) -> Act | None:
        return None if change.user else self.acts.get(change.at)


def load_change_authors(changes: Collection[Change]) -> ChangeAuthors:
    """The authors of these changes, with one query for the operators' actions and one for names."""
    times = {change.at for change in changes if change.user is None}
    acts = Act.objects.filter(what__in=_ACTS_AT_A_TABLE, at__in=times).select_related("by")
    acts_by_time = {act.at: act for act in acts} if times else {}
    return ChangeAuthors(acts_by_time, load_row_names(acts_by_time.values()))
