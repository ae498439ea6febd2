"""``/metrics``: the metrics of this process in the Prometheus text format."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import generate_latest

from accounts.users import reauthentication
from blackjack_site.http.local_requests import is_local
from tables.metrics import REGISTRY
from tables.realtime import gauges

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PERMISSION = "tables.view_table"


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics to local programs, requests with the token, and operators who see tables.

    Others get 404. The first two need no query, because the database may be down.
    """
    if not (is_local(request) or _has_token(request) or _is_operator(request)):
        raise Http404
    gauges.update_gauges()
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE)


def _has_token(request: HttpRequest) -> bool:
    kind, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if not settings.METRICS_TOKEN or kind.lower() != "bearer":
        return False
    return secrets.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())


def _is_operator(request: HttpRequest) -> bool:
    may_see = bool(request.user.is_staff) and request.user.has_perm(PERMISSION)
    return may_see and reauthentication.is_operator_recent(request)
