"""The admin site: Django's, with the operators' pages."""

from __future__ import annotations

from functools import wraps
from typing import Any, NamedTuple

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.users import reauthentication
from tables.operators import dashboard


class Place(NamedTuple):
    """An entry of the menu, shown with its permission."""

    name: str
    words: str | Promise
    permission: str
    says: str | Promise = ""
    """A description."""
    args: tuple[int, ...] = ()
    """The arguments of the URL."""


PLACES: tuple[Place, ...] = (
    Place(
        "floor",
        _("Live tables"),
        "tables.view_table",
        _("All open tables, live: pause, resume, close, announce."),
    ),
    Place(
        "house_tables",
        _("Tables"),
        "tables.view_table",
        _("All tables, open and closed: open, clone or change one."),
    ),
    Place(
        "players",
        _("Players"),
        "accounts.view_user",
        _("Players: balance, statement, rounds, notes; freeze, mute, adjust."),
    ),
    Place(
        "racks",
        _("Racks"),
        "tables.fill_rack",
        _("The chips of each table: refill or return them."),
    ),
    Place(
        "rounds",
        _("Rounds"),
        "tables.view_round",
        _("Every command, event and transfer of a round; replay check; voids."),
    ),
    Place(
        "reports",
        _("Reports"),
        "tables.view_report",
        _("Rounds that players reported, and the answers."),
    ),
    Place(
        "books",
        _("Accounting"),
        "tables.view_books",
        _("Table revenue, transfers between accounts, and the audit."),
    ),
    Place(
        "trail",
        _("Audit log"),
        "accounts.view_act",
        _("All operator actions, with time and reason."),
    ),
    Place(
        "accounts_housesettings_change",
        _("Settings"),
        "accounts.view_housesettings",
        _("Top-ups, and limits for adjustments and voids."),
        args=(1,),
    ),
)
"""In the order of the menu."""


class HouseSite(admin.AdminSite):
    """The admin site; its login is the players' login."""

    site_header = site_title = _("The Card Room – operators")
    index_title = _("All records")
    index_template = "admin/house/index.html"
    enable_nav_sidebar = False

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        page: HttpResponse = secure_admin_login(super().login)(request, extra_context)
        return page

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Require a recently entered password for every operators' page."""
        opened = super().admin_view(view, cacheable)

        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if self.has_permission(request) and not reauthentication.is_operator_recent(request):
                return reauthentication.ask(request)
            return opened(request, *args, **kwargs)

        return guarded

    # The stubs declare a rendered page for these two, which a redirect is not.
    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the players' page, which writes the password only. Django's form would write
        all fields of the user, and undo concurrent changes.
        """
        return redirect("account_change_password")

    def password_change_done(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect("account_change_password")

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """The first page: menu, pending work, lists of stored data."""
        first = {
            "entries": _places_for(request),
            "waiting": dashboard.for_whom(request.user),
            "site_index_title": self.index_title,
        }
        page: TemplateResponse = super().index(request, {**first, **(extra_context or {})})
        return page

    def get_urls(self) -> list[Any]:
        from tables.operators.urls import urlpatterns  # imported late: they need the site

        return [*urlpatterns, *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        places = [(place["address"], place["words"]) for place in _places_for(request)]
        return {**super().each_context(request), "places": places}


def _places_for(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        {
            "address": reverse(f"admin:{place.name}", args=place.args),
            "words": place.words,
            "says": place.says,
        }
        for place in PLACES
        if request.user.has_perm(place.permission)
    ]
