"""Health endpoints: ``/livez`` (the process lives) and ``/readyz`` (it can serve)."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from blackjack_site.monitoring import readiness


@require_safe
def livez(request: HttpRequest) -> JsonResponse:
    """Return 200: the process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Return 200 if the process can serve, else 503 with a line for each part that fails."""
    if faults := readiness.of_process.find_faults():
        return JsonResponse({"status": "not ready", "because": faults}, status=503)
    return JsonResponse({"status": "ok"})
