"""The rounds that a player has played."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from tables import history as rounds_played


@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    """My rounds, newest first."""
    assert request.user.pk is not None
    page = rounds_played.page_of_rounds(request.user.pk, before=request.GET.get("before"))
    older = f"{reverse('history')}?before={page.before}" if page.before else None
    return render(request, "tables/history.html", {"rounds": page.rounds, "older_url": older})
