"""Absolute links with the site's configured address, never with headers of a request."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.utils.http import url_has_allowed_host_and_scheme


def site_url() -> str:
    """The origin of the site: ``SITE_URL``, or this machine by default."""
    return settings.SITE_URL or f"http://localhost:{settings.PORT}"


def site_host() -> str:
    """The host of the site, with its port if there is one."""
    return urlsplit(site_url()).netloc


def is_local() -> bool:
    """Whether links to the site open on this machine alone, because ``SITE_URL`` is not set."""
    return urlsplit(site_url()).hostname in ("localhost", "127.0.0.1", "::1")


def absolute_url(path: str) -> str:
    """The absolute URL of a path of this site.

    >>> from django.test import override_settings
    >>> with override_settings(SITE_URL="https://cards.example"):
    ...     absolute_url("/rounds/7/")
    'https://cards.example/rounds/7/'
    """
    return f"{site_url()}{path}"


def is_on_site(url: str) -> bool:
    """Whether a URL stays on this site, parsed as browsers do."""
    is_https = site_url().startswith("https://")
    return url_has_allowed_host_and_scheme(url, allowed_hosts={site_host()}, require_https=is_https)
