"""Views of actions on a table. Each shows a preview first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log import Operator
from accounts.lib.errors import BUSY, CHECK_FIRST
from tables.models import Table
from tables.operators.actions import ASKS, Operation, Subject, run_action
from tables.operators.floor import announcements, table_actions
from tables.operators.floor.announcement_views import run_take_back
from tables.operators.floor.forms import AnnouncementForm, PauseForm, RemoveLineForm, SilenceForm
from tables.operators.floor.views import get_table_or_404
from tables.operators.forms import OptionalReasonForm
from tables.operators.permissions import operator_page

PAUSE = Operation(
    title=gettext_lazy("Pause %(name)s"),
    effects=(
        gettext_lazy("The current round is finished and paid."),
        gettext_lazy(
            "Then no new round starts. New bets are refused and placed bets are returned."
        ),
        gettext_lazy("All clocks stop, and nobody loses a seat until you resume the table."),
    ),
    form=PauseForm,
    button=gettext_lazy("Pause table"),
    do=lambda operator, table_id, data: table_actions.pause(operator, table_id, data["reason"]),
    success=gettext_lazy("%(name)s is paused."),
    is_so=gettext_lazy("%(name)s is already paused or closed. Nothing was changed."),
)
RESUME = Operation(
    title=gettext_lazy("Resume %(name)s"),
    effects=(gettext_lazy("The table takes bets again, and players see a notice."),),
    form=OptionalReasonForm,
    button=gettext_lazy("Resume table"),
    do=lambda operator, table_id, data: table_actions.resume(operator, table_id, data["reason"]),
    success=gettext_lazy("%(name)s takes bets again."),
    is_so=gettext_lazy("%(name)s is not paused. Nothing was changed."),
)
CLOSE = Operation(
    title=gettext_lazy("Close %(name)s permanently"),
    effects=(
        gettext_lazy("The current round is finished and paid. No new round starts."),
        gettext_lazy("Then all seats are freed, bets are returned, and the table is removed."),
        gettext_lazy("A closed table can't be opened again. Its rounds stay on record."),
    ),
    button=gettext_lazy("Close table"),
    do=lambda operator, table_id, data: table_actions.close(operator, table_id, data["reason"]),
    success=gettext_lazy("%(name)s is closed."),
    waits=gettext_lazy("%(name)s closes when its round is over."),
    is_waiting=lambda table_id: Table.objects.filter(pk=table_id, is_closing=True).exists(),
    is_so=gettext_lazy("%(name)s is already closed or closing. Nothing was changed."),
)
KEEP_OPEN = Operation(
    title=gettext_lazy("Keep %(name)s open"),
    effects=(
        gettext_lazy("The table doesn't close after its round. Players see a notice."),
        gettext_lazy("Players who waited in line were taken out, and can join the line again."),
    ),
    form=OptionalReasonForm,
    button=gettext_lazy("Keep table open"),
    do=lambda operator, table_id, data: table_actions.keep_open(operator, table_id, data["reason"]),
    success=gettext_lazy("%(name)s stays open."),
    is_so=gettext_lazy("%(name)s isn't closing, or is already closed. Nothing was changed."),
)
ANNOUNCE = Operation(
    title=gettext_lazy("Make an announcement at %(name)s"),
    effects=(
        gettext_lazy("Everyone who has the table open sees it at once."),
        gettext_lazy("Anyone who opens it in the next ten minutes sees it too."),
    ),
    form=AnnouncementForm,
    button=gettext_lazy("Announce"),
    do=lambda operator, table_id, data: announcements.announce_at(operator, table_id, data["text"]),
    success=gettext_lazy("The announcement was sent to %(name)s."),
    is_so=gettext_lazy("%(name)s already got this announcement, or is closed. Nothing was sent."),
)


@operator_page("tables.run_table", *ASKS)
def pause_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Pause the table after the round in play."""
    return _run_action(request, table_id, PAUSE)


@operator_page("tables.run_table", *ASKS)
def resume_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Resume a paused table."""
    return _run_action(request, table_id, RESUME)


@operator_page("tables.run_table", *ASKS)
def close_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Close the table permanently."""
    return _run_action(request, table_id, CLOSE)


@operator_page("tables.run_table", *ASKS)
def keep_table_open(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take back a closing that waits for the round in play."""
    return _run_action(request, table_id, KEEP_OPEN)


@operator_page("accounts.announce", *ASKS)
def announce_at_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Send an announcement to one table."""
    return _run_action(request, table_id, ANNOUNCE)


@operator_page("accounts.announce", "POST")
def take_back_at_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take back an announcement to one table."""
    row = get_table_or_404(table_id)
    run_take_back(request, lambda operator, at: announcements.take_back_at(operator, row.pk, at))
    return redirect("admin:floor_table", row.pk)


def _run_action(request: HttpRequest, table_id: int, action: Operation) -> HttpResponse:
    row = get_table_or_404(table_id)
    floor, own = reverse("admin:floor"), reverse("admin:floor_table", args=[row.pk])
    crumbs = ((_("Live tables"), floor), (row.name, own))
    return run_action(request, action, row.pk, Subject(row.name, own, crumbs))


@operator_page("tables.run_table", "POST")
def remove_chat_line(request: HttpRequest, table_id: int) -> HttpResponse:
    """Remove a line of the table's chat."""
    row, form = get_table_or_404(table_id), RemoveLineForm(request.POST)
    if form.is_valid():
        line = form.cleaned_data["line"]
        unsay_it = partial(table_actions.remove_line, Operator.from_request(request), row.pk, line)
        _run_and_redirect(request, unsay_it, _("The message was removed."))
        if form.cleaned_data["report"]:
            return redirect("admin:report", form.cleaned_data["report"])
    return redirect("admin:floor_table", row.pk)


@operator_page("tables.run_table", "POST")
def silence_at_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Block a player's chat at this table, or allow it again."""
    row, form = get_table_or_404(table_id), SilenceForm(request.POST)
    if form.is_valid():
        player, on = form.cleaned_data["player"], form.cleaned_data["on"]
        text = _("%(player)s is muted here.") if on else _("%(player)s is unmuted here.")
        message = text % {"player": player}
        silence_them = partial(
            table_actions.set_silence, Operator.from_request(request), row.pk, player, on=on
        )
        _run_and_redirect(request, silence_them, message)
    return redirect("admin:floor_table", row.pk)


def _run_and_redirect(request: HttpRequest, act: Callable[[], str], message: str) -> None:
    """Execute an action without its own page; ``act`` returns the reason of a refusal."""
    try:
        reason = act()
    except BUSY:
        reason = str(CHECK_FIRST)
    if reason:
        messages.error(request, reason)
    else:
        messages.success(request, message)
