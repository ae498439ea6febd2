"""Views that list, open, clone and edit tables."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.concurrent_edits import describe_last_change
from accounts.lists import export
from accounts.lists.export import Amount, ListFile
from tables.engine.errors import OptionError
from tables.game import pending_settings
from tables.game.pending_settings import ChangedMeanwhile, EditOutcome, TableIsClosed
from tables.lobby.forms import to_initial
from tables.models import Table
from tables.models.invite_codes import generate_code
from tables.operators.actions import ASKS, attempt, post_data
from tables.operators.lists import list_context
from tables.operators.permissions import operator_page, render_page
from tables.operators.tables import editing, table_list
from tables.operators.tables.forms import (
    EditTableForm,
    NewTableForm,
    TableFilterForm,
    WithdrawForm,
    compare,
)
from tables.operators.tables.table_list import TableListFilters, TableListPage
from tables.realtime import dispatch, publishing
from tables.realtime.dispatch import Work

CHANGED = gettext_lazy("This was already done, or the table has changed. Check it again.")


@operator_page("tables.view_table")
def all_tables(request: HttpRequest) -> HttpResponseBase:
    """All tables, searched by name, rule set and state."""
    return _render_list(request, _("Tables"), is_about_racks=False)


@operator_page("tables.fill_rack")
def racks(request: HttpRequest) -> HttpResponseBase:
    """The racks of all tables."""
    return _render_list(request, _("Racks"), is_about_racks=True)


def _render_list(request: HttpRequest, title: str, *, is_about_racks: bool) -> HttpResponseBase:
    form = TableFilterForm(request.GET)
    is_valid = form.is_valid()
    if is_valid and export.is_wanted(request):
        name = "racks" if is_about_racks else "tables"
        return export.download(
            request, _tables_file(name, form.filters), form.query, logged=form.logged
        )
    before = form.cleaned_data["before"] if is_valid else None
    page = TableListPage([], None)
    if is_valid:
        page = table_list.list_tables(form.filters, before)
    context = {
        **list_context(form),
        "listed": page,
        "older_url": f"?{urlencode({**form.query, 'before': page.older})}" if page.older else None,
        "newest_url": f"?{urlencode(form.query)}" if before else None,
        "is_about_racks": is_about_racks,
    }
    return render_page(request, "tables/list.html", title, context)


def _tables_file(name: str, filters: TableListFilters) -> ListFile:
    columns = (
        "table", "name", "rules", "options", "seats_taken", "seats", "host", "state", "private",
        "locked", "opened", "last_used", "closed", "rack_in_units", "refilled_in_units",
        "refill_limit_in_units",
    )  # fmt: skip

    def read(before: int | None) -> tuple[list[list[object]], int | None]:
        page = table_list.list_tables(filters, before, export.AT_ONCE)
        rows: list[list[object]] = []
        for entry in page.entries:
            table, rules = entry.table, entry.table.rules
            has_rack = rules.stakes is not None
            limit = table.fill_limit
            rows.append([
                table.pk, table.name, table.rules_key, entry.differences, entry.taken, rules.seats,
                table.maker and table.maker.username, entry.state, table.is_private,
                table.is_locked, table.opened_at, table.used_at, table.closed_at,
                Amount(table.free_chips) if has_rack else None,
                Amount(table.auto_filled) if has_rack else None,
                Amount(limit) if has_rack and limit is not None else None,
            ])  # fmt: skip
        return rows, page.older

    return ListFile(name, columns, export.read_pages(read))


@operator_page("tables.add_table", *ASKS)
def new_table(request: HttpRequest) -> HttpResponse:
    """Open one of the site's tables."""
    return _open_table(request, _("Open a table"), initial={}, like=None)


@operator_page("tables.add_table", *ASKS)
def clone_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Open another table with the settings of this one."""
    like = _get_table_or_404(table_id)
    initial = to_initial(pending_settings.get_settings(like)) | {"rules_key": like.rules_key}
    title = _("Open a table like “%(name)s”") % {"name": like.name}
    return _open_table(request, title, initial=initial, like=like)


def _open_table(
    request: HttpRequest, title: str, *, initial: dict[str, Any], like: Table | None
) -> HttpResponse:
    on = dict.fromkeys(("has_chat", "has_hints", "has_behind"), True)
    first = {**on, **initial, "code": generate_code()}
    form = NewTableForm(post_data(request), initial=first)
    if form.is_valid():
        operator, data, settings = Operator.from_request(request), form.cleaned_data, form.settings
        table = attempt(
            form,
            lambda: editing.open_table(
                operator, data["rules_key"], settings, code=data["code"], like=like
            ),
        )
        if table is not None:
            transaction.on_commit(partial(publishing.publish_lobby, table.pk))
            messages.success(request, _("“%(name)s” is open.") % {"name": table.name})
            return redirect("admin:floor_table", table.pk)
    context = {"form": form, "about": like, "submit": _("Open table")}
    return render_page(request, "tables/form.html", title, context)


@operator_page("tables.change_table", *ASKS)
def edit_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Change a table: at once between rounds, else from the next round on."""
    return _edit(request, table_id)


def _edit(request: HttpRequest, table_id: int) -> HttpResponse:
    row = _get_table_or_404(table_id)
    if row.closed_at is not None:
        return redirect_if_closed(request)
    present, to_be = (pending_settings.get_settings(row), pending_settings.pending_or_current(row))
    initial = to_initial(to_be) | {"made_from": pending_settings.settings_hash(to_be)}
    form = EditTableForm(
        row.rules_key,
        post_data(request),
        initial=initial,
        stays_private=pending_settings.must_stay_private(row),
    )
    form.describe_change = partial(_describe_change, row)
    if form.is_valid():
        operator, data = Operator.from_request(request), form.cleaned_data
        settings = form.settings

        made_from, reason = data["made_from"], data["reason"]
        work = partial(editing.edit_settings, operator, table_id, made_from, settings, reason)
        try:
            answer = _run_edit(request, form, work, table_id)
        except ChangedMeanwhile:
            if not form.is_compared:
                messages.error(request, CHANGED)
                return redirect("admin:edit_table", table_id)
            return _edit(request, table_id)  # compared with the newer settings
        if answer is not None:
            if form.merged:
                messages.info(request, form.merged_text)
            return answer
    context = {
        "form": form, "table": row, "about": row, "submit": _("Change the table"),
        "waits": row.coming is not None, "waiting": compare(present, to_be),
        "take_back": WithdrawForm(initial={"made_from": pending_settings.settings_hash(to_be)}, prefix="back")
    }  # fmt: skip
    title = _("Change “%(name)s”") % {"name": row.name}
    return render_page(request, "tables/form.html", title, context)


@operator_page("tables.change_table", "POST")
def take_back_change(request: HttpRequest, table_id: int) -> HttpResponse:
    """Withdraw the pending change of a table."""
    _get_table_or_404(table_id)
    form, operator = WithdrawForm(request.POST, prefix="back"), Operator.from_request(request)
    if not form.is_valid():
        messages.error(request, _("The form couldn't be read. Nothing was changed."))
        return redirect("admin:edit_table", table_id)
    data = form.cleaned_data

    work = partial(editing.withdraw_change, operator, table_id, data["made_from"], data["reason"])
    try:
        answer = _run_edit(request, form, work, table_id)
    except ChangedMeanwhile:
        messages.error(request, CHANGED)
        return redirect("admin:edit_table", table_id)
    if answer is None:
        # The form is one line on the page of the change.
        messages.error(request, " ".join(map(str, form.non_field_errors())))
        answer = redirect("admin:edit_table", table_id)
    return answer


def _describe_change(row: Table, name: str) -> str:
    """The operator who changed a field of the form last; empty for a host."""
    setting = name if name in pending_settings.SETTINGS else "rules_options"
    return describe_last_change(audit_log.build_subject(row), setting)


def _get_table_or_404(table_id: int) -> Table:
    tables = Table.objects.defer("state").select_related("maker", "rack")
    return get_object_or_404(tables, pk=table_id)


def redirect_if_closed(request: HttpRequest) -> HttpResponse:
    """Redirect from a form about a closed table, with a message."""
    messages.error(request, str(TableIsClosed()))
    return redirect("admin:index")


_MESSAGES = {
    EditOutcome.NOTHING: lambda: _("No changes to save."),
    EditOutcome.HOLDS: lambda: _("Saved."),
    EditOutcome.WAITS: lambda: _("Saved. The change applies after the current round."),
    EditOutcome.TAKEN_BACK: lambda: _("The pending change was cancelled."),
}


def _run_edit(
    request: HttpRequest, form: forms.BaseForm, work: Work[EditOutcome], table_id: int
) -> HttpResponse | None:
    """Execute the edit and redirect; ``None`` if refused, with an error in the form.

    Raises :class:`ChangedMeanwhile` if the table has changed since the form was compared with it.
    """
    try:
        outcome = attempt(form, lambda: dispatch.run(work))
    except OptionError as error:
        form.add_error(None, error.message)
        return None
    if outcome is None:
        return None
    messages.success(request, _MESSAGES[outcome]())
    return redirect("admin:edit_table", table_id)
