"""Pages of operators' actions: preview, confirmation, result.

Actions need a POST. A refusal, or a busy database, is shown in the form, which keeps the input.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise

from accounts.audit_log import Operator
from accounts.lib.errors import BUSY, CHECK_FIRST, OperationRefused
from tables.operators.forms import ReasonForm
from tables.operators.permissions import render_page
from tables.realtime import dispatch
from tables.state.effects import Effects

ASKS: Final = ("GET", "HEAD", "POST")
"""The methods of an action's page."""

Words = str | Promise
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of an action, and the related pages."""

    name: str
    back: str
    """The URL to return to."""
    crumbs: tuple[tuple[Words, str], ...]
    """The breadcrumbs of the page: text and URL."""
    around: Mapping[str, Any] = field(default_factory=dict)
    """Further values for the template."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An action. ``%(name)s`` in its texts is the name of the subject."""

    title: Words
    effects: tuple[Words, ...]
    button: Words
    do: Callable[[Operator, int, dict[str, Any]], bool]
    """Executes it with the cleaned data; returns false if nothing had to change."""
    success: Words
    is_so: Words
    """The message if nothing had to change."""
    form: Callable[..., forms.BaseForm] = ReasonForm
    waits: Words = ""
    """The message instead of ``success`` while :attr:`is_waiting`."""
    is_waiting: Callable[[int], bool] = lambda _pk: False


def run_action(request: HttpRequest, action: Operation, pk: int, subject: Subject) -> HttpResponse:
    """Show the preview and the form of an action; execute it on a valid POST."""
    form, words = action.form(post_data(request)), {"name": subject.name}
    if form.is_valid():
        operator, data = Operator.from_request(request), form.cleaned_data
        is_new = attempt(form, lambda: action.do(operator, pk, data))
        if is_new is not None:
            message = action.waits if action.waits and action.is_waiting(pk) else action.success
            add_result(request, str(message) % words, str(action.is_so) % words, is_new=is_new)
            return redirect(subject.back)
    effects = [str(effect) % words for effect in action.effects]
    return show_preview(request, str(action.title) % words, subject, form, effects, action.button)


def post_data(request: HttpRequest) -> Any:
    """The POST data for a form; ``None`` on a GET."""
    return request.POST if request.method == "POST" else None


def is_confirmed(request: HttpRequest) -> bool:
    """Whether the form was sent from its preview."""
    return "sure" in request.POST


def is_submitted(request: HttpRequest, form: forms.BaseForm) -> bool:
    """Whether the form is valid and was not sent by *Begin again*."""
    return form.is_valid() and "back" not in request.POST


def attempt(form: forms.BaseForm, act: Callable[[], T]) -> T | None:
    """Execute ``act`` and return its result; ``None`` if it failed, with an error in the form."""
    try:
        return act()
    except OperationRefused as refused:
        form.add_error(None, str(refused))
    except BUSY:
        form.add_error(None, str(CHECK_FIRST))
    return None


def add_result(request: HttpRequest, success: Words, is_so: Words, *, is_new: bool) -> None:
    """Add the message for the next page: success, or nothing to change."""
    level = messages.SUCCESS if is_new else messages.WARNING
    messages.add_message(request, level, str(success if is_new else is_so))


def run_and_report(
    request: HttpRequest, work: Callable[[dt.datetime], Effects[bool]], success: Words, is_so: Words
) -> bool:
    """Execute work without a form, and add the message for the next page, also if the site is busy.

    ``work`` returns whether anything had to change, and so does this; of a busy site ``False``.
    """
    try:
        is_new = dispatch.run(work)
    except BUSY:
        messages.error(request, str(CHECK_FIRST))
        return False
    add_result(request, success, is_so, is_new=is_new)
    return is_new


def show_preview(
    request: HttpRequest, title: str, subject: Subject, form: forms.BaseForm,
    effects: Sequence[Words], button: Words, *, template: str = "action.html",
    asks_again: bool = False,
) -> HttpResponse:  # fmt: skip
    """Render the page of an action; with ``asks_again`` its effects and a button to confirm."""
    context = {
        **subject.around, "subject": subject, "form": form, "effects": effects, "button": button,
        "asks_again": asks_again,
    }  # fmt: skip
    return render_page(request, template, title, context)
