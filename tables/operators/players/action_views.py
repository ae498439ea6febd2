"""Views of actions on a player, each with a reason."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.lib.ids import parse_id
from accounts.models import User
from tables.operators.actions import ASKS, Operation, Subject, add_result, attempt, run_action
from tables.operators.forms import OptionalReasonForm
from tables.operators.permissions import operator_page, render_page
from tables.operators.players import freezing, moderation
from tables.operators.players.forms import NoteForm, PublicReasonForm, SilenceForm
from tables.operators.players.views import page_context
from tables.operators.rounds import reports as rounds_reports
from tables.realtime import dispatch

FREEZE = Operation(
    title=gettext_lazy("Freeze %(name)s"),
    effects=(
        gettext_lazy(
            "Their open pages close within a second. They can't play, chat or get more chips "
            "until unfrozen."
        ),
        gettext_lazy(
            "A bet not yet dealt is returned. A hand in play stands and is settled when the "
            "round ends; then the seat is freed."
        ),
        gettext_lazy("They keep their money, their sessions and the tables they host."),
    ),
    form=PublicReasonForm,
    button=gettext_lazy("Freeze"),
    do=lambda operator, user_id, data: dispatch.run(
        partial(freezing.freeze, operator, user_id, data["reason"])
    ),
    success=gettext_lazy("The player %(name)s is frozen."),
    is_so=gettext_lazy("The player %(name)s was already frozen."),
)
UNFREEZE = Operation(
    title=gettext_lazy("Unfreeze %(name)s"),
    effects=(
        gettext_lazy("They can play again, with the same balance, wherever they are logged in."),
    ),
    form=OptionalReasonForm,
    button=gettext_lazy("Unfreeze"),
    do=lambda operator, user_id, data: dispatch.run(
        partial(freezing.unfreeze, operator, user_id, data["reason"])
    ),
    success=gettext_lazy("The player %(name)s is unfrozen."),
    is_so=gettext_lazy("The player %(name)s was already unfrozen."),
)
SILENCE = Operation(
    title=gettext_lazy("Mute %(name)s"),
    effects=(
        gettext_lazy("They can read the chat at every table but not write. They can keep playing."),
        gettext_lazy("At the end of the time they can write again. They see until when."),
    ),
    form=SilenceForm,
    button=gettext_lazy("Mute"),
    do=lambda operator, user_id, data: moderation.silence(
        operator, user_id, data["reason"], server_clock.now(), data["lasts"]
    ),
    success=gettext_lazy("The player %(name)s is muted."),
    is_so=gettext_lazy("The player %(name)s was already muted for that time."),
)
UNSILENCE = Operation(
    title=gettext_lazy("Unmute %(name)s"),
    effects=(gettext_lazy("They can write again, except where a table host has muted them."),),
    form=OptionalReasonForm,
    button=gettext_lazy("Unmute"),
    do=lambda operator, user_id, data: moderation.end_silence(
        operator, user_id, data["reason"], server_clock.now()
    ),
    success=gettext_lazy("The player %(name)s is unmuted."),
    is_so=gettext_lazy("The player %(name)s was not muted."),
)


@operator_page("accounts.freeze_user", *ASKS)
def freeze(request: HttpRequest, user_id: int) -> HttpResponse:
    """Freeze the player, after a preview."""
    return _run_action(request, user_id, FREEZE)


@operator_page("accounts.freeze_user", *ASKS)
def unfreeze(request: HttpRequest, user_id: int) -> HttpResponse:
    """Unfreeze the player."""
    return _run_action(request, user_id, UNFREEZE)


@operator_page("accounts.silence_user", *ASKS)
def silence(request: HttpRequest, user_id: int) -> HttpResponse:
    """Silence the player at all tables."""
    return _run_action(request, user_id, SILENCE)


@operator_page("accounts.silence_user", *ASKS)
def unsilence(request: HttpRequest, user_id: int) -> HttpResponse:
    """End the silence of the player."""
    return _run_action(request, user_id, UNSILENCE)


def _run_action(request: HttpRequest, user_id: int, action: Operation) -> HttpResponse:
    user = get_object_or_404(User, pk=user_id)
    subject = player_subject(request, user)
    if report_url := _find_report_url(request, user):
        subject = replace(subject, back=report_url)
    return run_action(request, action, user.pk, subject)


def _find_report_url(request: HttpRequest, user: User) -> str | None:
    """The page of the report from which the action was opened, to return there."""
    report_id = parse_id(request.GET.get("report", ""))
    if report_id is None or not request.user.has_perm("tables.view_report"):
        return None
    reports = rounds_reports.filter_for(request.user.pk)
    is_about_user = reports.filter(pk=report_id, about=user).exists()
    return reverse("admin:report", args=[report_id]) if is_about_user else None


@operator_page("accounts.note_user", "POST")
def note(request: HttpRequest, user_id: int) -> HttpResponse:
    """Write a note on the player."""
    user = get_object_or_404(User, pk=user_id)
    form = NoteForm(request.POST)
    if form.is_valid():
        text, key = form.cleaned_data["text"], form.cleaned_data["key"]
        write = partial(moderation.add_note, Operator.from_request(request), user.pk, text, key=key)
        is_new = attempt(form, write)
        if is_new is not None:
            is_so = _("That note was already saved.")
            add_result(request, _("The note was saved."), is_so, is_new=is_new)
            return redirect("admin:player", user.pk)
    context = {**page_context(request, user, "player"), "note_form": form}
    return render_page(request, "players/note.html", user.username, context)


def player_subject(
    request: HttpRequest, user: User, here: str = "player", **around: object
) -> Subject:
    """Return the page to go back to, ``here``, and further values for an action on a player."""
    own, back = (reverse(f"admin:{name}", args=[user.pk]) for name in ("player", here))
    crumbs: tuple[tuple[str | Promise, str], ...] = (
        (_("Players"), reverse("admin:players")),
        (user.username, own),
    )
    return Subject(user.username, back, crumbs, {**page_context(request, user, here), **around})
