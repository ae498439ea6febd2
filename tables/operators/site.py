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
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import site_settings
from accounts.http import get_user
from accounts.models import Act
from accounts.users import login_log, reauthentication
from tables.operators import dashboard
from tables.operators.alerts import overview


class MenuEntry(NamedTuple):
    """An entry of the menu, shown with its permission."""

    name: str
    words: str | Promise
    permission: str
    says: str | Promise = ""
    """A description."""
    args: tuple[int, ...] = ()
    """The arguments of the URL."""
    is_first: bool = False
    """Whether it stands in the header, too, where there is room."""


PLACES: tuple[MenuEntry, ...] = (
    MenuEntry(
        "alerts",
        _("Alerts"),
        "tables.view_alert",
        _("What waits for you or is wrong, and who was called."),
    ),
    MenuEntry(
        "floor",
        _("Live tables"),
        "tables.view_table",
        _("All open tables, live: pause, resume, close, announce."),
        is_first=True,
    ),
    MenuEntry(
        "operator_tables",
        _("Tables"),
        "tables.view_table",
        _("All tables, open and closed: open, clone or change one."),
    ),
    MenuEntry(
        "players",
        _("Players"),
        "accounts.view_user",
        _("Players: balance, statement, rounds, notes; freeze, mute, adjust."),
        is_first=True,
    ),
    MenuEntry(
        "approvals",
        _("New accounts"),
        "accounts.approve_user",
        _("Accounts that wait for approval: approve or refuse."),
    ),
    MenuEntry(
        "sign_up_invites",
        _("Sign-up invites"),
        "accounts.invite_user",
        _("Links by which people sign up: for how many, until when, uses left."),
    ),
    MenuEntry(
        "bans",
        _("Bans"),
        "accounts.ban_network",
        _("Addresses and networks that may not open the site, for a time."),
    ),
    MenuEntry(
        "racks",
        _("Racks"),
        "tables.fill_rack",
        _("The chips of each table: refill or return them."),
    ),
    MenuEntry(
        "rounds",
        _("Rounds"),
        "tables.view_round",
        _("Every command, event and transfer of a round; replay check; voids."),
        is_first=True,
    ),
    MenuEntry(
        "reports",
        _("Reports"),
        "tables.view_report",
        _("Rounds, players and messages that were reported, and the answers."),
        is_first=True,
    ),
    MenuEntry(
        "books",
        _("Accounting"),
        "tables.view_books",
        _("Table revenue, transfers between accounts, and the audit."),
        is_first=True,
    ),
    MenuEntry(
        "staff",
        _("Staff"),
        "accounts.manage_staff",
        _("Operators: roles, second factors, sessions; invite one."),
    ),
    MenuEntry(
        "trail",
        _("Audit log"),
        "accounts.view_act",
        _("All operator actions, with time and reason."),
    ),
    MenuEntry(
        "accounts_housesettings_change",
        _("Settings"),
        "accounts.view_housesettings",
        _("Name, languages, sign-up, tables, money, limits of operators, and who is called."),
        args=(1,),
    ),
)
"""In the order of the menu."""


class OperatorSite(admin.AdminSite):
    """The admin site; its login is the players' login."""

    index_title = _("All records")
    index_template = "admin/operators/index.html"
    enable_nav_sidebar = False

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        page: HttpResponse = secure_admin_login(super().login)(request, extra_context)
        return page

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Require a recent password or second factor for every operators' page, but for those with
        ``needs_recent_login`` false.
        """
        opened = super().admin_view(view, cacheable)
        needs_recent_login = getattr(view, "needs_recent_login", True)

        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            asks = needs_recent_login and self.has_permission(request)
            step = reauthentication.find_step(request) if asks else None
            if step is not None:
                return reauthentication.redirect_to_step(request, step)
            if needs_recent_login:
                request.session.pop(reauthentication.ONWARD_KEY, None)  # arrived
            return opened(request, *args, **kwargs)

        return wrapped

    def logout(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Log out, recorded in the audit log."""
        if request.method == "POST" and request.user.is_authenticated:
            login_log.record(request, get_user(request), Act.What.LOG_OUT)
        return super().logout(request, extra_context)

    # The stubs declare a rendered page for these two, which a redirect is not.
    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the players' page. Django's form would undo concurrent changes of the user."""
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
            "entries": _list_menu_entries(request),
            "waiting": dashboard.list_pending_work(request.user),
            "site_index_title": self.index_title,
            "title": _("Operators"),
        }
        page: TemplateResponse = super().index(request, {**first, **(extra_context or {})})
        return page

    def get_urls(self) -> list[Any]:
        from tables.operators.urls import urlpatterns  # imported late: they need the site

        return [*urlpatterns, *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        alerts = {"alert_count": 0, "alerts_url": reverse("admin:alerts"), "has_alerts": False}
        if request.user.has_perm(overview.PERMISSION):
            alerts |= {"alert_count": overview.count_waiting(request.user), "has_alerts": True}
        name = self.name_pages()
        names = {"site_header": name, "site_title": name}
        places = _list_menu_entries(request)
        return {**super().each_context(request), **names, "places": places, **alerts}

    @staticmethod
    def name_pages() -> str:
        """The name of the site's operators' pages."""
        return gettext("%(site)s – operators") % {"site": site_settings.get().name}


def _list_menu_entries(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        {
            "address": reverse(f"admin:{entry.name}", args=entry.args),
            "words": entry.words,
            "says": entry.says,
            "is_first": entry.is_first,
        }
        for entry in PLACES
        if request.user.has_perm(entry.permission)
    ]
