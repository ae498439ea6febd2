"""Health endpoints: ``/livez`` (the process lives) and ``/readyz`` (it can serve)."""

from __future__ import annotations

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


@require_safe
def livez(request: HttpRequest) -> JsonResponse:
    """Return 200: the process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Return 200 if the database answers and is migrated, else 503 with the reason."""
    try:
        executor = MigrationExecutor(connection)
        is_migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return JsonResponse({"status": "the database is out of reach"}, status=503)
    if not is_migrated:
        return JsonResponse({"status": "the database is not migrated"}, status=503)
    return JsonResponse({"status": "ok"})
