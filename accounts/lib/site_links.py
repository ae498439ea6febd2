"""Absolute links with the site's configured address, never with a request's Host header.

No header of a request has a say in it.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.utils.http import url_has_allowed_host_and_scheme


def site_url() -> str:
    """Scheme, name and perhaps port: ``SITE_URL``, or this machine where none is set."""
    return settings.SITE_URL or f"http://localhost:{settings.PORT}"


def site_host() -> str:
    """The name, and the port if one is part of the address."""
    return urlsplit(site_url()).netloc


def absolute(path: str) -> str:
    """The whole address of a path of this site.

    >>> from django.test import override_settings
    >>> with override_settings(SITE_URL="https://cards.example"):
    ...     absolute("/rounds/7/")
    'https://cards.example/rounds/7/'
    """
    return f"{site_url()}{path}"


def leads_here(url: str) -> bool:
    """Whether an address that somebody was given stays on this site, read as browsers read it."""
    is_https = site_url().startswith("https://")
    return url_has_allowed_host_and_scheme(url, allowed_hosts={site_host()}, require_https=is_https)
