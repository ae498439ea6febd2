"""Error pages of the site: forbidden, not found, failed, out of reach, expired form.

Operators get those of their own pages there, all others the players' pages.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.db.models.options import Options
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseServerError
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views import defaults
from django.views.csrf import csrf_failure as players_csrf_failure

from accounts.users import lost_forms
from tables.lib.database.outages import is_outage
from tables.operators.permission_labels import WORDS, list_roles_with
from tables.operators.permissions import MissingPermission, render_page
from tables.operators.site import OperatorSite

MAY_BE_PRIVATE: Final = ("table", "table-rules", "round")
"""Pages that exist only for users with access."""
RETRY_SECONDS: Final = 5
"""When a browser or program may ask again while the database is out of reach."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400. The request is not parsed again: that would fail again."""
    return HttpResponseBadRequest(render_to_string("400.html"))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403, with the missing permission and the roles that have it."""
    if not _is_operator_request(request):
        return defaults.permission_denied(request, exception)
    context: dict[str, Any] = {}
    if isinstance(exception, MissingPermission):
        roles = list_roles_with(exception.permission)
        context = {"lacks": WORDS.get(exception.permission, ""), "roles": roles}
    elif options := _find_unseen_rows(request):
        view = get_permission_codename("view", options)
        roles = list_roles_with(f"{options.app_label}.{view}")
        lacks = _("see stored rows (%(rows)s)") % {"rows": options.verbose_name_plural}
        context = {"lacks": lacks, "roles": roles}
    return render_page(request, "forbidden.html", _("No permission"), context, status=403)


def _find_unseen_rows(request: HttpRequest) -> Options[Any] | None:
    """The model of a list or page of stored rows that this operator may not see."""
    page = request.resolver_match and request.resolver_match.func
    rows_admin = getattr(page, "model_admin", None)
    if rows_admin is None or rows_admin.has_view_permission(request):
        return None
    options: Options[Any] = rows_admin.opts
    return options


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404. At the address of a table or round, visitors are asked to log in, whether it exists or
    not: they may be its players, whose session has ended.
    """
    if not _is_operator_request(request):
        if _may_be_private(request):
            context = {"asks_to_log_in": True}
            return render(request, "404.html", context, status=404)
        return defaults.page_not_found(request, exception)
    return render_page(request, "not_found.html", _("Page not found"), status=404)


def _may_be_private(request: HttpRequest) -> bool:
    """Whether a visitor without a login asked for a page that may exist for others."""
    at = request.resolver_match
    is_visitor = hasattr(request, "user") and not request.user.is_authenticated
    return is_visitor and at is not None and at.url_name in MAY_BE_PRIVATE


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form that is from another site, or too old: the user has logged in again since.

    The own form of the same user is shown again for confirmation.
    """
    if stored := lost_forms.store_lost_form(request):
        return stored
    if not _is_operator_request(request):
        return players_csrf_failure(request, reason)
    return render_page(request, "csrf_failed.html", _("That took too long"), status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 while the database is out of reach. Uses neither database nor request: they may be
    the cause.
    """
    if is_outage(sys.exc_info()[1]):
        again = {"Retry-After": str(RETRY_SECONDS)}
        return HttpResponse(render_to_string("503.html"), status=503, headers=again)
    if not _is_operator_path(request):
        return HttpResponseServerError(render_to_string("500.html"))
    name = OperatorSite.name_pages()
    around = {"site_header": name, "site_title": name}
    context = {**around, "title": _("Something went wrong")}
    return HttpResponseServerError(render_to_string("admin/operators/failed.html", context))


def _is_operator_request(request: HttpRequest) -> bool:
    """Whether an operator requested an operators' page."""
    # Early refusals happen before authentication.
    return (
        _is_operator_path(request)
        and hasattr(request, "user")
        and admin.site.has_permission(request)
    )


def _is_operator_path(request: HttpRequest) -> bool:
    return request.path_info.startswith(reverse("admin:index"))
