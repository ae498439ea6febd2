"""The web app manifest: what a phone needs to install the site."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, JsonResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext, override
from django.views.decorators.http import require_safe

from accounts import site_settings
from accounts.lib import languages

PAPER: Final = "#efe8da"
"""The theme colour of ``templates/base.html`` in light; a manifest has room for one. An open page
says its own for light and dark.
"""
ICONS: Final = (
    ("icon-192", "192x192", "any"),
    ("icon-512", "512x512", "any"),
    ("maskable-192", "192x192", "maskable"),
    ("maskable-512", "512x512", "maskable"),
)


@require_safe
def serve_manifest(request: HttpRequest) -> JsonResponse:
    """Serve the manifest in the language of the page that links it.

    Browsers fetch it without cookies, so the page writes its language into the query.
    """
    language = languages.known(request.GET.get("language", "")) or languages.get_default()
    with override(language):
        manifest = _build_manifest(language)
    return JsonResponse(manifest, content_type="application/manifest+json")


def _build_manifest(language: str) -> dict[str, Any]:
    start = reverse("lobby")
    return {
        "id": start,
        "name": site_settings.get().name,
        "short_name": site_settings.get().name,
        "description": gettext(
            "Play blackjack with friends: play money, six rule sets, and a shuffle you can verify."
        ),
        "lang": language,
        "dir": "ltr",
        "start_url": start,
        "scope": start,
        "display": "standalone",
        "theme_color": PAPER,
        "background_color": PAPER,
        "icons": [
            {
                "src": static(f"icons/{name}.png"),
                "sizes": sizes,
                "type": "image/png",
                "purpose": purpose,
            }
            for name, sizes, purpose in ICONS
        ],
    }
