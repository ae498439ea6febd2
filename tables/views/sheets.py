"""Views of the settlement sheet of a table with chips of its own."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.lib.downloads import streaming_download
from accounts.lib.site_links import absolute_url
from accounts.models import User
from tables import access
from tables.models import Stack, Table
from tables.records import share_links
from tables.records.sheet import sheet_export
from tables.records.sheet.settlement_sheet import build_sheet
from tables.social import invites


@never_cache
@require_safe
def settlement_sheet(request: HttpRequest, table_id: int) -> HttpResponse:
    """Who took which stacks and who won what, at any time and after the table has closed. ``by`` is
    the token of a player's link.
    """
    row = _get_table(request, table_id)
    sheet = build_sheet(row)
    names = {player.user_id: player.name for player in sheet.players}
    context: dict[str, Any] = {
        "table": row,
        "sheet": sheet,
        "payments": [
            (names.get(one.payer), names.get(one.payee), one.amount) for one in sheet.payments
        ],
        "picture": sheet_export.build_picture(sheet),
        "token": request.GET.get("by", ""),
        "may_open": row.closed_at is None
        and access.may_see(row, request.user.pk, invites.get_request_codes(request)),
    }
    if isinstance(request.user, User) and _sat_here(row, request.user):
        token = share_links.create_sheet_token(row.pk, request.user.pk)
        context["link"] = f"{absolute_url(reverse('settlement-sheet', args=[row.pk]))}?by={token}"
    return render(request, "tables/sheet/sheet.html", context)


@never_cache
@require_safe
def settlement_sheet_file(request: HttpRequest, table_id: int) -> HttpResponseBase:
    """The sheet as CSV."""
    row = _get_table(request, table_id)
    return streaming_download(
        request,
        sheet_export.iter_csv(build_sheet(row)),
        name=f"table-{row.pk}.csv",
        content_type="text/csv; charset=utf-8",
    )


def _get_table(request: HttpRequest, table_id: int) -> Table:
    codes = invites.get_request_codes(request)
    sharer_id = share_links.verify_sheet_token(table_id, request.GET.get("by"))
    row = access.find_with_sheet(table_id, request.user.pk, codes, is_shared=sharer_id is not None)
    if row is None:
        raise Http404
    return row


def _sat_here(row: Table, user: User) -> bool:
    return Stack.objects.filter(table=row, user=user).exists()
