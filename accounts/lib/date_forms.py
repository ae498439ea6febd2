"""The form of dates and times that a reader has chosen, in place of the one of the language."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class DateForm(NamedTuple):
    """A form, by Django's format characters."""

    example: str | Promise
    day: str = ""
    """Day, month and year."""
    day_of_year: str = ""
    """Day and month."""
    time: str = "H:i"


FORMS: Final[dict[str, DateForm]] = {
    "": DateForm(_("as in the page's language")),
    "iso": DateForm("2026-11-25 14:05", "Y-m-d", "m-d"),
    "dots": DateForm("25.11.2026 14:05", "d.m.Y", "d.m."),
    "slashes": DateForm("25/11/2026 14:05", "d/m/Y", "d/m"),
    "us": DateForm("11/25/2026 2:05 PM", "m/d/Y", "m/d", "g:i A"),
}
"""By the key that an account stores. The first one is the language's own."""

_active: ContextVar[str] = ContextVar("date_form", default="")
_DAY, _MONTH, _YEAR, _TIME = "dj", "FMNmn", "Yy", "HGghiAaPsu"


@contextmanager
def use(key: str) -> Iterator[None]:
    """Use a form; an unknown key stands for the language's own."""
    token = _active.set(key if key in FORMS else "")
    try:
        yield
    finally:
        _active.reset(token)


def active() -> str:
    """The key of the active form."""
    return _active.get()


def is_twelve_hours() -> bool:
    """Whether the active form has a clock of twelve hours."""
    return FORMS[_active.get()].time.startswith("g")


def convert(style: str) -> str:
    """The format of the active form for the same parts as ``style``, such as ``j F Y, H:i``.

    A month alone with its year stays as it is, and so does a format of one letter, such as ``c``.
    """
    form = FORMS[_active.get()]
    if not form.day or len(style) < 2:
        return style
    letters = _strip_escaped(style)
    has_day = any(letter in letters for letter in _DAY)
    has_year = any(letter in letters for letter in _YEAR)
    clock = [letter for letter in letters if letter in _TIME]
    if any(letter in letters for letter in _MONTH) and not has_day:
        return style
    date = (form.day if has_year else form.day_of_year) if has_day else ""
    return " ".join(part for part in (date, _convert_time(form, clock)) if part)


def _convert_time(form: DateForm, clock: list[str]) -> str:
    if not clock:
        return ""
    seconds = ":s.u" if "u" in clock else ":s" if "s" in clock else ""
    return form.time.replace(":i", f":i{seconds}")


def _strip_escaped(style: str) -> str:
    """The letters of a format that stand for a part; ``\\d\\e`` is the word "de"."""
    letters, is_escaped = [], False
    for letter in style:
        if is_escaped:
            is_escaped = False
        elif letter == "\\":
            is_escaped = True
        else:
            letters.append(letter)
    return "".join(letters)
