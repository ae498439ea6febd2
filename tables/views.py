"""Pages: the lobby, a table, a player's history."""

from __future__ import annotations

import uuid

import msgspec
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from tables import history as rounds_played
from tables import house, lobby_list, runtime
from tables.messages import Err, Sit
from tables.models import Table


@require_safe
def lobby(request: HttpRequest) -> HttpResponse:
    """All open tables; the list keeps itself up to date."""
    context = {"tables": lobby_list.open_tables(request.user.pk)}
    return render(request, "tables/lobby.html", context)


@require_safe
def lobby_tables(request: HttpRequest) -> HttpResponse:
    """The list alone, for a lobby that heard of a change."""
    context = {"tables": lobby_list.open_tables(request.user.pk)}
    return render(request, "tables/_lobby_tables.html", context)


@require_safe
def table(request: HttpRequest, table_id: int) -> HttpResponse:
    """One table, to play at or to watch."""
    row = get_object_or_404(Table, pk=table_id)
    rules = row.rules
    config = {
        "id": row.pk,
        "name": row.name,
        "you": request.user.get_username() or None,
        "login_url": f"{reverse('account_login')}?next={request.path}",
        "socket": f"/ws/tables/{row.pk}/",
        "rules": {
            "key": rules.key,
            "title": rules.title,
            "stakes": rules.stakes,
            "naturals": rules.natural_pays is not None,
        },
        "seats": rules.seats,
        "snapshot": house.snapshot(row.pk, request.user.pk, timezone.now()),
    }
    context = {"table": row, "config": msgspec.to_builtins(config)}
    return render(request, "tables/table.html", context)


@require_http_methods(["GET", "POST"])
@login_required
def sit(request: HttpRequest, table_id: int, number: int) -> HttpResponse:
    """Take a free seat and go to the table. A GET is somebody back from the login page."""
    if request.method == "POST":
        get_object_or_404(Table, pk=table_id)
        if not 1 <= number <= 3:
            messages.error(request, "There is no such seat at this table.")
        else:
            assert request.user.pk is not None
            command = Sit(uuid.uuid4(), number)
            try:
                answer = runtime.play_and_wait(table_id, request.user.pk, command)
            except (DatabaseError, TimeoutError):
                messages.error(request, "The house is busy. Try again in a moment.")
            else:
                if isinstance(answer, Err) and answer.code != "already_seated":
                    messages.error(request, answer.message)
    return redirect("table", table_id)


@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    """My rounds, newest first."""
    assert request.user.pk is not None
    page = rounds_played.page_of_rounds(request.user.pk, before=request.GET.get("before"))
    older = f"{reverse('history')}?before={page.before}" if page.before else None
    return render(request, "tables/history.html", {"rounds": page.rounds, "older_url": older})
