"""Who may open an operators' page: each names the permission that it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

View = Callable[..., HttpResponse]


def page(permission: str, *methods: str) -> Callable[[View], View]:
    """A page of the admin site for operators who have ``permission``; 403 for the others.

    ``methods`` are GET and HEAD unless told. Who is not an operator is asked to log in.
    """

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.has_perm(permission):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        allowed = require_http_methods(methods or ("GET", "HEAD"))(guarded)
        return admin.site.admin_view(allowed)

    return guard


def shown(
    request: HttpRequest, template: str, title: str, context: dict[str, Any] | None = None
) -> HttpResponse:
    """An operators' page, with what all pages of the admin site have around them."""
    around = admin.site.each_context(request)
    return render(request, f"admin/house/{template}", {**around, "title": title, **(context or {})})
