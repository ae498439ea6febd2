"""Who may open an operators' page: each names the permission that it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

IS_BUSY = gettext_lazy("The house is busy. Look whether it was done before you try again.")
"""What is said of an act that failed: what only took too long is done a little later."""

View = Callable[..., HttpResponseBase]


class NotAllowed(PermissionDenied):
    """Somebody asked for a page without the permission that it needs."""

    def __init__(self, permission: str) -> None:
        self.permission = permission
        super().__init__(permission)


def page(permission: str, *methods: str) -> Callable[[View], View]:
    """A page of the admin site for operators who have ``permission``; 403 for the others.

    ``methods`` are GET and HEAD unless told. Who is not an operator is asked to log in.
    """

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.has_perm(permission):
                raise NotAllowed(permission)
            return view(request, *args, **kwargs)

        answered = methods or ("GET", "HEAD")
        opened = admin.site.admin_view(require_http_methods(answered)(guarded))
        # For whoever asks which page needs what: no page may be open by an oversight.
        vars(opened).update(permission=permission, methods=answered)
        return opened

    return guard


def shown(
    request: HttpRequest,
    template: str,
    title: str,
    context: dict[str, Any] | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    """An operators' page, with what all pages of the admin site have around them."""
    around = {**admin.site.each_context(request), "title": title}
    return render(request, f"admin/house/{template}", {**around, **(context or {})}, status=status)
