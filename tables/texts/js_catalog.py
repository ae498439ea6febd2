"""The catalogue of translated sentences for scripts.

It contains only translated sentences, so there is none in English.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language
from django.utils.translation.trans_real import DjangoTranslation
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from django.views.i18n import JavaScriptCatalog

from accounts.lib import languages
from tables.protocol import codec

FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class ScriptCatalog:
    """The script that ``static/js/lib/i18n.js`` reads, and the version in its URL."""

    text: str
    version: str


def get_catalog() -> ScriptCatalog | None:
    """The script of the active language; ``None`` if it needs none."""
    return _load_catalog(get_language() or languages.get_default())


def _load_catalog(code: str) -> ScriptCatalog | None:
    return _build_catalog(code, tuple(map(str, settings.LOCALE_PATHS)))


@require_safe
@gzip_page
def serve_catalog(request: HttpRequest, version: str) -> HttpResponse:
    """Serve the script of the language that the version names. A request for another version gets
    the current one, without caching.
    """
    language = languages.known(version.rpartition("-")[0])
    words = _load_catalog(language) if language else get_catalog()
    response = HttpResponse(words.text if words else "", content_type="text/javascript")
    is_it = words is not None and words.version == version
    response.headers["Cache-Control"] = FOR_EVER if is_it else "no-cache"
    return response


@cache
def _build_catalog(language: str, places: tuple[str, ...]) -> ScriptCatalog | None:
    machinery: Any = JavaScriptCatalog()
    machinery.translation = DjangoTranslation(language, domain="djangojs", localedirs=list(places))
    sentences = machinery.get_catalog()
    if not sentences:
        return None
    plural = machinery.get_plural() or "n != 1"
    catalog = codec.encode(sentences)
    text = f"globalThis.words = {{ sentences: {catalog}, plural: (n) => Number({plural}) }};\n"
    return ScriptCatalog(text, f"{language}-{hashlib.sha256(text.encode()).hexdigest()[:12]}")
