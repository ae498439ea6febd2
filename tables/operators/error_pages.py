"""Error pages of the site: forbidden, not found, failed, expired form.

Operators get those of their own pages there, everybody else the players' pages.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseServerError
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views import defaults
from django.views.csrf import csrf_failure as players_csrf_failure

from tables.operators.permission_labels import WORDS, roles_with
from tables.operators.permissions import NotAllowed, shown


def malformed(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400. The request is not parsed again: that would fail again."""
    return HttpResponseBadRequest(render_to_string("400.html"))


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403, with the missing permission and the roles that have it."""
    if not _is_operators(request):
        return defaults.permission_denied(request, exception)
    context: dict[str, Any] = {}
    if isinstance(exception, NotAllowed):
        roles = roles_with(exception.permission)
        context = {"lacks": WORDS.get(exception.permission, ""), "roles": roles}
    return shown(request, "forbidden.html", _("No permission"), context, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404."""
    if not _is_operators(request):
        return defaults.page_not_found(request, exception)
    return shown(request, "not_found.html", _("Page not found"), status=404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form that is too old or from another site."""
    if not _is_operators(request):
        return players_csrf_failure(request, reason)
    return shown(request, "csrf_failed.html", _("That took too long"), status=403)


def failed(request: HttpRequest) -> HttpResponse:
    """500. Uses neither database nor request: they may be the cause."""
    if not _is_below(request):
        return HttpResponseServerError(render_to_string("500.html"))
    site = admin.site
    around = {"site_header": site.site_header, "site_title": site.site_title}
    context = {**around, "title": _("Something went wrong")}
    return HttpResponseServerError(render_to_string("admin/house/failed.html", context))


def _is_operators(request: HttpRequest) -> bool:
    """Whether an operator requested an operators' page."""
    # Early refusals happen before authentication.
    return _is_below(request) and hasattr(request, "user") and admin.site.has_permission(request)


def _is_below(request: HttpRequest) -> bool:
    return request.path_info.startswith(reverse("admin:index"))
