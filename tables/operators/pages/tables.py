"""The pages on which operators open, clone and change tables, and fill racks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db import Error, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.trail import Operator
from tables import changing, telling
from tables.codes import new_code
from tables.engine.errors import OptionError
from tables.models import Table
from tables.operators import editing, filling, table_list
from tables.operators.editing import ChangedMeanwhile, Edited, Outcome, StaysPrivate, TableIsClosed
from tables.operators.gate import IS_BUSY, page, shown
from tables.operators.table_forms import (
    STAYS_PRIVATE,
    EditTableForm,
    FillForm,
    NewTableForm,
    TableFilterForm,
    TakeBackForm,
    as_initial,
    differences,
)


@page("tables.view_table")
def all_tables(request: HttpRequest) -> HttpResponse:
    """The tables of the house and of players, found by name, rule set and state."""
    return _list(request, _("Tables"), is_about_racks=False)


@page("tables.fill_rack")
def racks(request: HttpRequest) -> HttpResponse:
    """What the tables hold, for who fills racks."""
    return _list(request, _("Racks"), is_about_racks=True)


def _list(request: HttpRequest, title: str, *, is_about_racks: bool) -> HttpResponse:
    form = TableFilterForm(request.GET)
    form.is_valid()
    filters = form.cleaned_data
    before = request.GET.get("before", "")
    number = int(before) if before.isdecimal() and len(before) < 19 else None
    listed = table_list.page(filters, number)
    query = request.GET.copy()
    if listed.older is not None:
        query["before"] = str(listed.older)
    context = {
        "form": form, "listed": listed, "older": query.urlencode(), "is_about_racks": is_about_racks
    }  # fmt: skip
    return shown(request, "tables.html", title, context)


@page("tables.add_table", "GET", "HEAD", "POST")
def new_table(request: HttpRequest) -> HttpResponse:
    """Open a table of the house."""
    return _open(request, _("Open a table"), initial={}, like=None)


@page("tables.add_table", "GET", "HEAD", "POST")
def clone_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Open another table with the settings of this one."""
    like = _table(table_id)
    initial = as_initial(changing.settings_of(like)) | {"rules_key": like.rules_key}
    title = _("Open a table like “%(name)s”") % {"name": like.name}
    return _open(request, title, initial=initial, like=like)


def _open(
    request: HttpRequest, title: str, *, initial: dict[str, Any], like: Table | None
) -> HttpResponse:
    first = {"has_chat": True, **initial, "code": new_code()}
    form = NewTableForm(request.POST if request.method == "POST" else None, initial=first)
    if request.method == "POST" and form.is_valid():
        try:
            table = editing.open_table(
                Operator.of(request),
                form.cleaned_data["rules_key"],
                form.settings,
                code=form.cleaned_data["code"],
                like=like,
            )
        except (Error, TimeoutError):
            form.add_error(None, str(IS_BUSY))
        else:
            transaction.on_commit(telling.tell_lobby)
            messages.success(request, _("“%(name)s” is open.") % {"name": table.name})
            return redirect("admin:floor_table", table.pk)
    context = {"form": form, "about": like, "submit": _("Open the table")}
    return shown(request, "table_form.html", title, context)


@page("tables.change_table", "GET", "HEAD", "POST")
def edit_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Change a table: at once between rounds, else from the next one on."""
    row = _table(table_id)
    if row.closed_at is not None:
        return _is_closed(request)
    present, to_be = changing.settings_of(row), changing.settings_to_be(row)
    initial = as_initial(to_be) | {"made_from": editing.mark(to_be)}
    form = EditTableForm(
        row.rules_key,
        request.POST if request.method == "POST" else None,
        initial=initial,
        stays_private=editing.stays_private(row),
    )
    if request.method == "POST" and form.is_valid():
        operator, said = Operator.of(request), form.cleaned_data
        settings = form.settings

        def work() -> Edited:
            return editing.edit(
                operator, table_id, said["made_from"], settings, said["reason"], timezone.now()
            )

        return _done(request, work, table_id)
    context = {
        "form": form, "table": row, "about": row, "submit": _("Change the table"),
        "waits": row.coming is not None, "waiting": differences(present, to_be),
        "take_back": TakeBackForm(initial={"made_from": editing.mark(to_be)}, prefix="back"),
    }  # fmt: skip
    title = _("Change “%(name)s”") % {"name": row.name}
    return shown(request, "table_form.html", title, context)


@page("tables.change_table", "POST")
def take_back_change(request: HttpRequest, table_id: int) -> HttpResponse:
    """Let what waits at a table not happen."""
    _table(table_id)
    form, operator = TakeBackForm(request.POST, prefix="back"), Operator.of(request)
    if not form.is_valid():
        messages.error(request, _("That could not be read. Nothing was changed."))
        return redirect("admin:edit_table", table_id)
    said = form.cleaned_data

    def work() -> Edited:
        return editing.take_back(
            operator, table_id, said["made_from"], said["reason"], timezone.now()
        )

    return _done(request, work, table_id)


@page("tables.fill_rack", "GET", "HEAD", "POST")
def fill_rack(request: HttpRequest, table_id: int) -> HttpResponse:
    """Bring a rack chips from the bank."""
    row = _table(table_id)
    if row.closed_at is not None:
        return _is_closed(request)
    if row.rules.stakes is None:
        messages.error(request, _("At this table nothing is staked: its rack needs no chips."))
        return redirect("admin:racks")
    form = FillForm(
        request.POST if request.method == "POST" else None,
        initial={"after": filling.last_fill(row)},
    )
    if request.method == "POST" and form.is_valid():
        operator, said = Operator.of(request), form.cleaned_data

        def work() -> Edited:
            return filling.fill(
                operator, table_id, said["after"], said["amount"], said["reason"], timezone.now()
            )

        return _done(request, work, table_id, leads_to="admin:fill_rack")
    title = _("The rack of “%(name)s”") % {"name": row.name}
    return shown(request, "fill_rack.html", title, {"form": form, "table": row})


def _table(table_id: int) -> Table:
    tables = Table.objects.defer("state").select_related("maker", "rack")
    return get_object_or_404(tables, pk=table_id)


def _is_closed(request: HttpRequest) -> HttpResponse:
    messages.error(request, _("This table is closed. Nothing about it changes any more."))
    return redirect("admin:index")


_SAID = {
    Outcome.NOTHING: lambda: _("All of that was so already. Nothing was changed."),
    Outcome.HOLDS: lambda: _("Done."),
    Outcome.WAITS: lambda: _("That waits until what is being played now is over."),
    Outcome.TAKEN_BACK: lambda: _("Taken back: the table stays as it is."),
}


def _done(
    request: HttpRequest,
    work: Callable[[], Edited],
    table_id: int,
    leads_to: str = "admin:edit_table",
) -> HttpResponse:
    """Have it done, say what came of it, and show the page anew."""
    try:
        messages.success(request, _SAID[editing.carry_out(work, table_id).outcome]())
    except TableIsClosed:
        return _is_closed(request)
    except ChangedMeanwhile:
        said = _("Meanwhile this was done already, or the table was changed. Look at it again.")
        messages.error(request, said)
    except StaysPrivate:
        messages.error(request, STAYS_PRIVATE)
    except OptionError as error:
        messages.error(request, error.message)
    except (Error, TimeoutError):
        messages.error(request, IS_BUSY)
    return redirect(leads_to, table_id)
