"""The pages on which operators do something to a table. Each says first what will happen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.trail import Operator
from tables.operators import notices, running
from tables.operators.floor_forms import (
    AnnouncementForm,
    NoteForm,
    PauseForm,
    ReasonForm,
    SilenceForm,
    UnsayForm,
)
from tables.operators.gate import IS_BUSY, page, shown
from tables.operators.pages.floor import table_or_404


@dataclass(frozen=True, slots=True)
class Doing:
    """Something that is done to a table."""

    title: str | Promise
    effects: tuple[str | Promise, ...]
    form: type[forms.Form]
    button: str | Promise
    do: Callable[[Operator, int, dict[str, Any]], bool]
    done: str | Promise
    is_so: str | Promise
    """What somebody is told who comes second."""
    waits: str | Promise = ""
    """What is told instead where it is done when the round is over."""


PAUSE = Doing(
    title=gettext_lazy("Pause %(table)s"),
    effects=(
        gettext_lazy("A round that is played is finished, and paid."),
        gettext_lazy("Then no round begins: bets are refused, and those that lie there go back."),
        gettext_lazy("No clock runs and nobody loses a seat until the table is resumed."),
    ),
    form=PauseForm,
    button=gettext_lazy("Pause the table"),
    do=lambda operator, table_id, data: running.pause(operator, table_id, data["reason"]),
    done=gettext_lazy("%(table)s is paused."),
    is_so=gettext_lazy("%(table)s is paused or closed already. Nothing was changed."),
)
RESUME = Doing(
    title=gettext_lazy("Resume %(table)s"),
    effects=(gettext_lazy("The table takes bets again, and the players are told."),),
    form=NoteForm,
    button=gettext_lazy("Resume the table"),
    do=lambda operator, table_id, data: running.resume(operator, table_id, data["reason"]),
    done=gettext_lazy("%(table)s takes bets again."),
    is_so=gettext_lazy("%(table)s is not paused. Nothing was changed."),
)
CLOSE = Doing(
    title=gettext_lazy("Close %(table)s for good"),
    effects=(
        gettext_lazy("A round that is played is finished, and paid. No other begins."),
        gettext_lazy("Then the seats are free, bets go back, and the table is gone."),
        gettext_lazy("A closed table cannot be opened again. Its rounds are kept."),
    ),
    form=ReasonForm,
    button=gettext_lazy("Close the table"),
    do=lambda operator, table_id, data: running.close(operator, table_id, data["reason"]),
    done=gettext_lazy("%(table)s is closed."),
    waits=gettext_lazy("%(table)s closes when its round is over."),
    is_so=gettext_lazy("%(table)s is closed already, or about to be. Nothing was changed."),
)
ANNOUNCE = Doing(
    title=gettext_lazy("Announce something at %(table)s"),
    effects=(
        gettext_lazy("Everybody who has the table open sees it at once."),
        gettext_lazy("So does who opens it in the next ten minutes."),
    ),
    form=AnnouncementForm,
    button=gettext_lazy("Announce"),
    do=lambda operator, table_id, data: notices.announce_at(operator, table_id, data["text"]),
    done=gettext_lazy("%(table)s was told."),
    is_so=gettext_lazy("%(table)s was told just that already, or is closed."),
)


@page("tables.run_table", "GET", "HEAD", "POST")
def pause_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Let no round begin after the one that is played."""
    return _do(request, table_id, PAUSE)


@page("tables.run_table", "GET", "HEAD", "POST")
def resume_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take bets again."""
    return _do(request, table_id, RESUME)


@page("tables.run_table", "GET", "HEAD", "POST")
def close_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Put the table away for good."""
    return _do(request, table_id, CLOSE)


@page("accounts.announce", "GET", "HEAD", "POST")
def announce_at_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Tell one table something."""
    return _do(request, table_id, ANNOUNCE)


def _do(request: HttpRequest, table_id: int, doing: Doing) -> HttpResponse:
    """Ask first, then do it; who comes second is told what is so."""
    row, form = table_or_404(table_id), doing.form(request.POST or None)
    words = {"table": row.name}
    if request.method == "POST" and form.is_valid():
        try:
            is_new = doing.do(Operator.of(request), row.pk, form.cleaned_data)
        except (DatabaseError, TimeoutError):
            messages.error(request, IS_BUSY)
        else:
            row.refresh_from_db(fields=["is_closing"])
            done = doing.waits if doing.waits and row.is_closing else doing.done
            said = done if is_new else doing.is_so
            level = messages.SUCCESS if is_new else messages.WARNING
            messages.add_message(request, level, str(said) % words)
        return redirect("admin:floor_table", row.pk)
    context = {"form": form, "row": row, "effects": doing.effects, "button": doing.button}
    return shown(request, "floor_act.html", str(doing.title) % words, context)


@page("tables.run_table", "POST")
def unsay(request: HttpRequest, table_id: int) -> HttpResponse:
    """Remove a line of the table's chat."""
    row, form = table_or_404(table_id), UnsayForm(request.POST)
    if form.is_valid():
        line = form.cleaned_data["line"]
        _tell(request, lambda who: running.unsay(who, row.pk, line), _("The line is removed."))
    return redirect("admin:floor_table", row.pk)


@page("tables.run_table", "POST")
def silence_at_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Let a person talk at this table no more, or again."""
    row, form = table_or_404(table_id), SilenceForm(request.POST)
    if form.is_valid():
        player, on = form.cleaned_data["player"], form.cleaned_data["on"]
        said = _("%(player)s may not talk here.") if on else _("%(player)s may talk here again.")
        done = said % {"player": player}
        _tell(request, lambda who: running.silence(who, row.pk, player, on=on), done)
    return redirect("admin:floor_table", row.pk)


def _tell(request: HttpRequest, act: Callable[[Operator], str], done: str) -> None:
    try:
        refused = act(Operator.of(request))
    except (DatabaseError, TimeoutError):
        refused = str(IS_BUSY)
    if refused:
        messages.error(request, refused)
    else:
        messages.success(request, done)
