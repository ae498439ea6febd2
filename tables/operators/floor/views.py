"""Views of the floor and of one table."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from accounts.lib import server_clock
from tables.models import Table
from tables.operators.floor import overview as house_floor
from tables.operators.floor.table_detail import load_table_state
from tables.operators.permissions import operator_page, render_page

MOST_PAGES = 1000


@operator_page("tables.view_table")
def floor(request: HttpRequest) -> HttpResponse:
    """The floor: all open tables."""
    context = {"floor": house_floor.load_floor(server_clock.now(), _parse_page(request))}
    return render_page(request, "floor/floor.html", _("Live tables"), context)


@operator_page("tables.view_table")
def floor_now(request: HttpRequest) -> HttpResponse:
    """The updated part, for an open page."""
    context = {"floor": house_floor.load_floor(server_clock.now(), _parse_page(request))}
    return render(request, "admin/operators/floor/_tables.html", context)


@operator_page("tables.view_table")
def floor_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """The public view of a table, with operators' actions."""
    row = get_table_or_404(table_id)
    context = {"state": load_table_state(row.pk, server_clock.now()), "row": row}
    return render_page(request, "floor/table.html", row.name, context)


@operator_page("tables.view_table")
def floor_table_now(request: HttpRequest, table_id: int) -> HttpResponse:
    """The updated part, for an open page."""
    row = get_table_or_404(table_id)
    context = {"state": load_table_state(row.pk, server_clock.now()), "row": row}
    return render(request, "admin/operators/floor/_table.html", context)


def get_table_or_404(table_id: int) -> Table:
    """The table with this id, closed or not, without its cards."""
    row = Table.objects.defer("state").filter(pk=table_id).first()
    if row is None:
        raise Http404
    return row


def _parse_page(request: HttpRequest) -> int:
    text = request.GET.get("page", "1")
    is_page = text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_PAGES))
    return max(1, min(int(text), MOST_PAGES)) if is_page else 1
