"""The service worker, and the page that it shows without a connection."""

from __future__ import annotations

import hashlib
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import override
from django.views.decorators.http import require_safe

from accounts.lib import languages
from blackjack_site.assets.bundler import bundle_scripts
from tables.protocol import codec

NAME: Final = "service_worker.js"
FILES: Final = ("css/site.css", "js/offline.js", "favicon.svg")
OWN: Final = "?offline"
"""After the addresses of files in the offline page, so that the worker answers for these, and never
for what other pages ask.
"""


@require_safe
def serve_worker(request: HttpRequest) -> HttpResponse:
    """Serve the worker for the language of the page that registers it.

    It contains the version of what it keeps. A browser that finds another text in its place
    installs that one, so a new release replaces the worker at the next page.
    """
    language = languages.known(request.GET.get("language", "")) or languages.get_default()
    page = _render_page(language)
    script = bundle_scripts(NAME, {NAME: _read_source()})
    data = {
        "version": hashlib.sha256(f"{page}{script}".encode()).hexdigest()[:12],
        "page": reverse("offline", kwargs={"language": language}),
        "files": {static(name) + OWN: static(name) for name in FILES},
        "icon": static("icons/icon-192.png"),
    }
    text = f"globalThis.offline = {codec.encode(data)};\n{script}"
    return HttpResponse(text, content_type="text/javascript")


@require_safe
def serve_offline_page(request: HttpRequest, language: str) -> HttpResponse:
    """Serve the page that the worker keeps: nothing in it is about anybody."""
    if not languages.known(language):
        raise Http404
    return HttpResponse(_render_page(language))


def _render_page(language: str) -> str:
    with override(language):
        files = dict(zip(("styles", "script", "icon"), FILES, strict=True))
        links = {name: static(path) + OWN for name, path in files.items()}
        own = reverse("offline", kwargs={"language": language})
        return render_to_string("offline.html", {"files": links, "own": own})


def _read_source() -> str:
    return (settings.BASE_DIR / "static/js" / NAME).read_text()
