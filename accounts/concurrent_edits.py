"""Forms about a stored row that two people may change at the same time.

The page carries the values with which it was opened. What only one of both has changed is merged. What
both have changed differently is a conflict: nothing is stored, and the page shows the three values
side by side until one is chosen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from accounts import audit_log
from accounts.lib import times

OPENED: Final = "opened"
"""The values of the page when it was opened, as JSON by field."""
FIRST: Final = "first"
"""The same of the page before, if this one shows conflicts."""
CONFLICT: Final = "conflict"
"""The names of the conflicts that the page showed."""
LONGEST: Final = 32 * 1024
"""The limit of the values of a page, in characters."""
LONGEST_VALUE: Final = 200
"""A longer value is on the page as its hash, so that a form of any size can be sent."""
HASHED: Final = "sha256:"
ASKS: Final = gettext_lazy(
    "Someone else changed this while you had it open. Nothing was saved yet. Choose which values to "
    "keep, then save again."
)

Value = str | list[str]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field that two people have changed differently, with its values in words."""

    name: str
    label: str
    opened: str
    now: str
    yours: str
    changed: str
    """Who changed it and when; empty if that is not known."""


class ConcurrentEditMixin(forms.BaseForm):
    """Compares a sent form with its initial values, which are those that are stored now.

    A page without the values with which it was opened is not compared.
    """

    data: Any
    """The ``QueryDict`` of a request; a copy of it when others' changes are merged."""
    conflicts: tuple[Conflict, ...] = ()
    merged: tuple[str, ...] = ()
    """The labels of fields that somebody else changed, and that are kept so."""
    describe_change: Callable[[str], str] = staticmethod(lambda _name: "")
    """Says who changed a field, by its name."""

    @property
    def is_compared(self) -> bool:
        """Whether the sent page said with which values it was opened."""
        return self.is_bound and OPENED in self.data

    @property
    def edit_state(self) -> dict[str, str]:
        """The hidden values of the page, by name."""
        stored = {name: _shorten(value) for name, value in self._list_stored().items()}
        state = {OPENED: json.dumps(stored, ensure_ascii=False)}
        if self.conflicts:
            state[FIRST] = json.dumps(self._opened, ensure_ascii=False)
        return state

    @property
    def merged_text(self) -> str:
        """A sentence about what is kept of another's change; empty for nothing."""
        sentence = ngettext(
            "Someone else changed this meanwhile, and it is kept: %(fields)s.",
            "Someone else changed these meanwhile, and they are kept: %(fields)s.",
            len(self.merged),
        )
        return sentence % {"fields": ", ".join(self.merged)} if self.merged else ""

    def full_clean(self) -> None:
        if self.is_compared:
            self._merge()
        super().full_clean()
        if self.conflicts:
            self.add_error(None, str(ASKS))

    def _merge(self) -> None:
        """Take over what others have changed into the sent data, and note the conflicts."""
        self.data = self.data.copy()
        opened, stored = _load(self.data.get(OPENED)), self._list_stored()
        self._opened = {**opened, **_load(self.data.get(FIRST))}
        conflict_names = set(self.data.getlist(CONFLICT))
        conflicts, merged = [], []
        for name, now in stored.items():
            if self.fields[name].widget.is_hidden:
                self._set(name, now)  # it names the stored values, with which the rest is compared
                continue
            choice = self.data.get(f"keep-{name}")
            yours, was, is_now = self._read(name), opened.get(name), _shorten(now)
            is_theirs = choice == "theirs" and was is not None
            is_open = name in conflict_names and choice not in ("theirs", "mine")
            if not is_theirs and (yours == now or (was == is_now and not is_open)):
                continue
            if is_theirs or (_shorten(yours) == was and not is_open):
                self._set(name, now)
                if was != is_now:
                    merged.append(str(self.fields[name].label or name))
            else:
                conflicts.append(self._build_conflict(name, now, yours))
        self.conflicts, self.merged = tuple(conflicts), tuple(merged)

    def _list_stored(self) -> dict[str, Value]:
        """The stored values of the fields that can be changed."""
        return {
            name: _normalize(field, field.prepare_value(self.get_initial_for_field(field, name)))
            for name, field in self.fields.items()
            if not field.disabled
        }

    def _read(self, name: str) -> Value:
        return _normalize(self.fields[name], self[name].data)

    def _set(self, name: str, value: Value) -> None:
        key = self.add_prefix(name)
        if isinstance(value, list):
            self.data.setlist(key, value)
        elif isinstance(self.fields[name], forms.BooleanField) and not value:
            self.data.pop(key, None)
        else:
            self.data[key] = value

    def _build_conflict(self, name: str, now: Value, yours: Value) -> Conflict:
        field = self.fields[name]
        was = self._opened.get(name)
        return Conflict(
            name=name,
            label=str(field.label or name),
            opened=_describe_opened(field, was),
            now=_describe(field, now),
            yours=_describe(field, yours),
            changed=self.describe_change(name),
        )


def describe_last_change(subject: str, name: str) -> str:
    """Who changed a field of a row last, and when, by the audit log; empty if nobody is known."""
    act = audit_log.list_entries(subject).filter(after__has_key=name).first()
    if act is None:
        return ""
    time = times.format_time(act.at, pgettext("date format", "j M Y, H:i"))
    return _("by %(name)s, %(time)s") % {"name": act.by.username, "time": time}


def _load(text: Any) -> Mapping[str, Value]:
    """The values of a page; none if they cannot be read."""
    if not isinstance(text, str) or len(text) > LONGEST:
        return {}
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(values, dict):
        return {}
    return {name: value for name, value in values.items() if _is_value(value)}


def _shorten(value: Value) -> Value:
    """A value for the page: itself, or its hash if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST_VALUE:
        return value
    # What was typed may have half a surrogate pair, which UTF-8 has no bytes for.
    return HASHED + hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _describe_opened(field: forms.Field, value: Value | None) -> str:
    if value is None:
        return "–"
    is_hash = isinstance(value, str) and value.startswith(HASHED)
    return "…" if is_hash else _describe(field, value)


def _is_value(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return isinstance(value, str)


def _normalize(field: forms.Field, raw: Any) -> Value:
    """A value as text, the same for every way to write it; what is invalid as it was typed."""
    try:
        value = field.prepare_value(field.clean(raw))
    except ValidationError:
        value = raw
    if isinstance(value, bool):
        return "on" if value else ""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if hasattr(value, "__iter__"):
        return sorted(str(one) for one in value)
    return str(value)


def _describe(field: forms.Field, value: Value) -> str:
    """A value as text in words."""
    if isinstance(field, forms.BooleanField):
        return _("yes") if value else _("no")
    choices: Any = getattr(field, "choices", None)
    if choices is not None:
        words = {str(key): str(label) for key, label in choices}
        keys = value if isinstance(value, list) else [value]
        return ", ".join(words.get(key, key) for key in keys) or "–"
    return str(value) or "–"
