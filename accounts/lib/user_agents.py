"""A short description of a user agent for its owner."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext

# The first match counts: browsers also name those that they are based on.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def name_browser(user_agent: str) -> str:
    """The browser and the system of a ``User-Agent`` header, for its owner.

    >>> name_browser("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")
    'Firefox on Linux'
    >>> name_browser("curl/8.1")
    'Unknown browser'
    """
    browser = _find_first(_BROWSERS, user_agent) or gettext("Unknown browser")
    system = _find_first(_SYSTEMS, user_agent)
    if not system:
        return browser
    return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system}


def _find_first(signs: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for sign, name in signs if sign in user_agent), "")
