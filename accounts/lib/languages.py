"""The languages of the site, and the one that a reader gets.

The order: what the account has chosen, what this browser has chosen (a cookie), what the browser
asks for in ``Accept-Language``, the default of the site.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from django.conf import settings
from django.http import HttpResponse
from django.utils.translation import override
from django.utils.translation.trans_real import parse_accept_lang_header

OPERATORS: Final = "en"
"""The language of the operators' pages."""
COOKIE_AGE: Final = 365 * 24 * 60 * 60


class _Offer:
    """What the settings of the site offer of the languages of the machine."""

    codes: frozenset[str] = frozenset()
    default = ""


def offer(codes: Sequence[str], default: str) -> None:
    """Offer these languages alone; none of them: all. ``default`` may be empty."""
    _Offer.codes, _Offer.default = frozenset(codes), default


def all_names() -> dict[str, str]:
    """The languages that the machine has, by code, each under its own name."""
    return {code: str(name) for code, name in settings.LANGUAGES}


def names() -> dict[str, str]:
    """The languages of the site by code, each under its own name."""
    machines = all_names()
    return {code: name for code, name in machines.items() if code in _Offer.codes} or machines


def get_default() -> str:
    """The language for readers whose browser asks for none of them."""
    return known(_Offer.default) or known(settings.LANGUAGE_CODE) or next(iter(names()))


def known(code: str) -> str:
    """The code if the site speaks that language, else an empty text."""
    return code if code in names() else ""


def choose(account: str, cookies: Mapping[str, str], accepted: str) -> str:
    """The language for a reader: ``account`` is the choice of the account, which may be empty, and
    ``accepted`` the header ``Accept-Language``.
    """
    return known(account) or chosen_here(cookies) or _best(accepted) or get_default()


def chosen_here(cookies: Mapping[str, str]) -> str:
    """The language that this browser has chosen; empty without a choice."""
    return known(cookies.get(settings.LANGUAGE_COOKIE_NAME, ""))


def remember(response: HttpResponse, code: str) -> None:
    """Store the choice in the browser."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def spoken_to(account: str) -> AbstractContextManager[None]:
    """A context in the language that an account has chosen; without a choice nothing changes."""
    code = known(account)
    return override(code) if code else nullcontext()


def _best(accepted: str) -> str:
    """The first language of the header that the site speaks; ``de-AT`` is served in ``de``."""
    for code, _priority in parse_accept_lang_header(accepted):
        if language := known(code) or known(code.partition("-")[0]):
            return language
    return ""
