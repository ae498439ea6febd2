"""Entries of the audit log as text: field names and values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.lib import times
from accounts.lib.ids import parse_id
from accounts.lib.money import format_money
from accounts.models import Act, User
from tables.engine.options import OPTIONS
from tables.models import Round, Table

AMOUNTS: Final = frozenset({
    "balance", "rack", "auto_filled", "fill_limit", "moved", "moves", "covered_by_the_bank",
    "players", "minimum", "maximum",
    "adjustment_limit", "adjustment_day_limit", "void_limit", "starting_money", "rebuy_amount",
})  # fmt: skip
"""Fields in hundredths."""

PLAYERS: Final = ("player", "of")
"""Fields with a player's id, if it is a number."""
TIMES: Final = frozenset({"at", "expires", "since", "takes_effect", "until"})

NAMES: Final[Mapping[str, str | Promise]] = {
    "adjustment_day_limit": _("maximum adjustments per day"),
    "adjustment_limit": _("maximum per adjustment"),
    "alert": _("alert"),
    "alert_backup_hours": _("hours between backups"),
    "alert_email_kinds": _("alerts by e-mail"),
    "alert_emails": _("e-mail addresses for alerts"),
    "alert_report_minutes": _("minutes before a report calls"),
    "alert_resolved": _("say also when it is over"),
    "alert_webhook": _("webhook"),
    "alert_webhook_kinds": _("alerts by webhook"),
    "allows_guests": _("guests may play"),
    "announcement": _("announcement"),
    "answer": _("answer"),
    "asked_by": _("requested by"),
    "at": _("begins"),
    "auto_filled": _("refilled automatically"),
    "balance": _("balance"),
    "authenticator app": _("authenticator app"),
    "because": _("because"),
    "blocked_lines": _("chat messages with a blocked word"),
    "blocked_words": _("blocked words"),
    "by": _("by"),
    "betting_seconds": _("seconds to bet"),
    "channel": _("channel"),
    "closed": _("closed"),
    "closing": _("closes after the round"),
    "command": _("what was done"),
    "covered_by_the_bank": _("covered by the bank"),
    "day_hour": _("begin of the gaming day"),
    "day_zone": _("time zone of the site"),
    "default_language": _("default language"),
    "expires": _("expires"),
    "fill_limit": _("automatic refill limit"),
    "greeting": _("greeting"),
    "groups": _("roles"),
    "has_chat": _("chat"),
    "has_hints": _("hints"),
    "has_behind": _("bet behind"),
    "idle_minutes": _("minutes without a bet"),
    "invite": _("invite"),
    "invited_by": _("invited by"),
    "is_locked": _("locked"),
    "is_private": _("private"),
    "is_staff": _("operator"),
    "is_superuser": _("superuser"),
    "label": _("for"),
    "languages": _("languages"),
    "like": _("cloned from"),
    "line": _("chat message"),
    "list": _("list"),
    "moved": _("moved"),
    "moves": _("would move"),
    "name": _("name"),
    "network": _("network"),
    "number": _("number"),
    "of": _("which"),
    "on": _("on"),
    "passkey": _("passkey"),
    "password": _("password"),
    "paused": _("paused"),
    "player": _("player"),
    "players": _("players"),
    "places": _("people"),
    "rack": _("rack"),
    "reason": _("reason"),
    "rebuy_amount": _("top-up to"),
    "rebuy_hours": _("hours between top-ups"),
    "recovery code": _("recovery codes"),
    "removed": _("removed"),
    "report": _("report"),
    "reverses": _("reverses transfer"),
    "role": _("role"),
    "rules_key": _("rule set"),
    "rules_options": _("changed rules"),
    "says": _("message to players"),
    "seat": _("seat"),
    "muted": _("muted"),
    "second_factor_roles": _("roles with a second factor"),
    "sessions": _("sessions"),
    "since": _("since"),
    "takes_effect": _("takes effect"),
    "sign_up": _("sign-up"),
    "starting_money": _("starting money"),
    "table_makers": _("who may create tables"),
    "top_ups": _("stacks after the first one"),
    "transfer": _("transfer"),
    "time_bank_seconds": _("seconds in the time bank"),
    "until": _("until"),
    "turn_seconds": _("seconds for a turn"),
    "used": _("used"),
    "void": _("void"),
    "void_limit": _("maximum void without approval"),
    "watchers": _("watchers"),
}
"""Labels of changed fields. Other fields are shown by their stored name."""

COMMANDS: Final[Mapping[str, str | Promise]] = {
    "lock": _("locked or unlocked the table"),
    "chat": _("turned the chat on or off"),
    "pause": _("paused or resumed the table"),
    "renew": _("created a new invite"),
    "hand_on": _("changed the table host"),
    "free": _("freed a seat"),
    "ban": _("banned a player, or took that back"),
    "close": _("closed the table"),
    "bring_back": _("returned rack chips to the bank"),
}
"""Labels of operators' commands at a table, mostly from the players' page."""

NAMED: Final[Mapping[str, type[Model]]] = {"user": User, "table": Table, "round": Round}
_NAME_OF: Final = {"user": "username", "table": "name", "round": "table__name"}


@dataclass(frozen=True, slots=True)
class RowNames:
    """The names of the rows on a page of the audit log."""

    names: Mapping[str, str]
    """By subject: ``user:12``."""

    def format_subject(self, subject: str) -> str:
        """The name of a row; empty without one."""
        return self.names.get(subject, "")

    def format_value(self, name: str, value: Any) -> str:
        """Format the stored value of a field."""
        if name == "command" and isinstance(value, str):
            return str(COMMANDS.get(value, value))
        if name in PLAYERS and f"user:{value}" in self.names:
            return f"{self.names[f'user:{value}']} (user:{value})"
        if isinstance(value, dict):
            parts = (self._format_mapping_entry(name, each, of) for each, of in value.items())
            return ", ".join(parts) or "–"
        if isinstance(value, list):
            return ", ".join(self.format_value(name, each) for each in value) or "–"
        return _format_plain(name, value)

    def _format_mapping_entry(self, name: str, key: str, value: Any) -> str:
        if name in AMOUNTS:
            return f"{key}: {self.format_value(name, value)}"
        word = gettext(OPTIONS[key].label) if key in OPTIONS else get_label(key)
        return f"{word}: {self.format_value(key, value)}"


def get_label(name: str) -> str:
    """The label of a changed field."""
    return str(NAMES.get(name, name))


def format_settings(settings: Mapping[str, Any]) -> str:
    """The settings of a table in one line: labels and values."""
    return RowNames({}).format_value("", dict(settings))


def load_row_names(acts: Iterable[Act]) -> RowNames:
    """The names of all rows in these entries, with one query for each kind."""
    ids_by_kind: dict[str, set[int]] = {}
    for act in acts:
        values = {**(act.before or {}), **(act.after or {})}
        players = [values[name] for name in PLAYERS if isinstance(values.get(name), int)]
        for subject in (act.subject, *(f"user:{each}" for each in players)):
            kind, _colon, rest = subject.partition(":")
            pk = parse_id(rest)
            if kind in NAMED and pk is not None:
                ids_by_kind.setdefault(kind, set()).add(pk)
    names: dict[str, str] = {}
    for kind, ids in ids_by_kind.items():
        rows = NAMED[kind]._default_manager.filter(pk__in=ids).order_by()
        names |= {f"{kind}:{pk}": name for pk, name in rows.values_list("pk", _NAME_OF[kind])}
    return RowNames(names)


def _format_plain(name: str, value: Any) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, int) and name in AMOUNTS:
        return format_money(value)
    if name in TIMES:
        return _format_time(str(value))
    return str(value)


def _format_time(value: str) -> str:
    try:
        moment = dt.datetime.fromisoformat(value)
    except ValueError:
        return value
    return times.format_time(moment, "j M Y, H:i")
