"""Operators' actions: the page that says what will happen, the confirmation, the result.

Nothing is done by a link. What is refused, or what the house is too busy for, is said in the form,
and the form keeps what was typed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from django import forms
from django.contrib import messages
from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise

from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from tables.operators.forms import ReasonForm
from tables.operators.permissions import IS_BUSY, shown

ASKS: Final = ("GET", "HEAD", "POST")
"""What the page of an act answers to."""
BUSY: Final = (DatabaseError, TimeoutError)
"""What an act raises when the house is too busy for it."""

Words = str | Promise
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """What something is done to, and the pages around."""

    name: str
    back: str
    """The address where the reader comes from, and is led when it is done."""
    crumbs: tuple[tuple[Words, str], ...]
    """The ways back at the top of the page: words and address."""
    around: Mapping[str, Any] = field(default_factory=dict)
    """What else the template shows."""


@dataclass(frozen=True, slots=True)
class Doing:
    """Something that can be done. ``%(name)s`` stands for what it is done to."""

    title: Words
    effects: tuple[Words, ...]
    button: Words
    do: Callable[[Operator, int, dict[str, Any]], bool]
    """Does it, with what was filled in; false when it was so already."""
    done: Words
    is_so: Words
    """What somebody is told who comes second."""
    form: Callable[..., forms.BaseForm] = ReasonForm
    waits: Words = ""
    """What is told instead of ``done`` while :attr:`is_waiting`."""
    is_waiting: Callable[[int], bool] = lambda _pk: False


def ask(request: HttpRequest, doing: Doing, pk: int, place: Place) -> HttpResponse:
    """Say what will happen, ask for what is needed, and do it when that is sent."""
    form, words = doing.form(sent(request)), {"name": place.name}
    if form.is_valid():
        operator, read = Operator.of(request), form.cleaned_data
        is_new = attempt(form, lambda: doing.do(operator, pk, read))
        if is_new is not None:
            done = doing.waits if doing.waits and doing.is_waiting(pk) else doing.done
            tell(request, str(done) % words, str(doing.is_so) % words, is_new=is_new)
            return redirect(place.back)
    effects = [str(effect) % words for effect in doing.effects]
    return act_page(request, str(doing.title) % words, place, form, effects, doing.button)


def sent(request: HttpRequest) -> Any:
    """What a form is bound to: what was sent, if something was."""
    return request.POST if request.method == "POST" else None


def is_sure(request: HttpRequest) -> bool:
    """Whether who sends the form has read what it will come to."""
    return "sure" in request.POST


def is_checked(request: HttpRequest, form: forms.BaseForm) -> bool:
    """Whether the form can be read and is to be gone on with: *Begin again* shows it as it is."""
    return form.is_valid() and "back" not in request.POST


def attempt(form: forms.BaseForm, act: Callable[[], T]) -> T | None:
    """What came of it; ``None`` when it was not done, and the form says why."""
    try:
        return act()
    except OperationRefused as refused:
        form.add_error(None, str(refused))
    except BUSY:
        form.add_error(None, str(IS_BUSY))
    return None


def tell(request: HttpRequest, done: Words, is_so: Words, *, is_new: bool) -> None:
    """Have the next page say that it is done, or was so already."""
    level = messages.SUCCESS if is_new else messages.WARNING
    messages.add_message(request, level, str(done if is_new else is_so))


def act_page(
    request: HttpRequest, title: str, place: Place, form: forms.BaseForm,
    effects: Sequence[Words], button: Words, *, template: str = "action.html",
    asks_again: bool = False,
) -> HttpResponse:  # fmt: skip
    """The page of an act. With ``asks_again`` the filled form is out of sight, its effects are to
    be read, and the button does it.
    """
    context = {
        **place.around, "place": place, "form": form, "effects": effects, "button": button,
        "asks_again": asks_again,
    }  # fmt: skip
    return shown(request, template, title, context)
