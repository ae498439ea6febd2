"""The admin site of the house: Django's, with the pages on which operators run it."""

from __future__ import annotations

from typing import Any, NamedTuple

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Place(NamedTuple):
    """An entry of the menu, for who has the permission."""

    name: str
    words: str | Promise
    permission: str


PLACES: tuple[Place, ...] = ()
"""In the order of the menu."""


class HouseSite(admin.AdminSite):
    """Its login is limited like the players'."""

    site_header = site_title = _("The Card Room, behind the counter")
    index_title = _("Everything that is kept")
    index_template = "admin/house/index.html"
    enable_nav_sidebar = False

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        page: HttpResponse = secure_admin_login(super().login)(request, extra_context)
        return page

    def get_urls(self) -> list[Any]:
        from tables.operators.urls import urlpatterns  # once the site is there that they ask for

        return [*urlpatterns, *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        places = [
            (reverse(f"admin:{place.name}"), place.words)
            for place in PLACES
            if request.user.has_perm(place.permission)
        ]
        return {**super().each_context(request), "places": places}
