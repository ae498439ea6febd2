"""Views of the player's own limits."""

from __future__ import annotations

import datetime as dt
import uuid
from concurrent.futures import wait
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import check_rate_limit, get_user
from accounts.ledger import gaming_days, transfers
from accounts.lib import server_clock, times
from accounts.lib.money import format_money
from accounts.models import User
from accounts.users import limits, reauthentication
from accounts.users.forms import BreakForm, LimitForm, LossForm, ReminderForm
from accounts.users.limits import Kind
from tables.models import Seat
from tables.protocol.commands import Leave
from tables.realtime import dispatch
from tables.views.decorators import redirect_busy_to, redirect_get_to

FORMS: dict[str, type[LimitForm]] = {
    "reminder": ReminderForm,
    "loss": LossForm,
    "break": BreakForm,
}


@dataclass(frozen=True, slots=True)
class LimitSection:
    """One kind of limit in words, with the form that sets it."""

    now: str
    """The current limit; empty without one."""
    later: tuple[str, ...]
    """Later limits with their dates."""
    form: LimitForm


@never_cache
@require_safe
@login_required
def own_limits(request: HttpRequest) -> HttpResponse:
    """The current and later limits, with a form for each kind."""
    return _render_page(request)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("own-limits")
@redirect_busy_to("own-limits")
def set_own_limit(request: HttpRequest, name: str) -> HttpResponse:
    """Set or remove a limit. A break frees all seats at once."""
    if name not in FORMS:
        raise Http404
    if name == "break":  # up to a year, and it cannot be ended early
        return reauthentication.require_recent_password(_set_limit)(request, name)
    return _set_limit(request, name)


def _set_limit(request: HttpRequest, name: str) -> HttpResponse:
    if answer := check_rate_limit(request, "own_limits"):
        return answer
    form = FORMS[name](request.POST)
    if not form.is_valid():
        return _render_page(request, **{name: form})
    user, now = get_user(request), server_clock.now()
    if limits.set_limit(user, form.kind, form.value, now):
        message = _("Saved. Your previous, stricter limit applies for 24 more hours.")
    else:
        message = _("Saved.")
    messages.success(request, message)
    if form.kind == Kind.BREAK and limits.load_current_limits(user, now).break_ends_at is not None:
        _free_seats(request, user)
    return redirect("own-limits")


def _free_seats(request: HttpRequest, user: User) -> None:
    """Leave every table; an open hand stands and is settled, as at any leave."""
    tables = Seat.objects.filter(user=user).values_list("table", "table__name")
    leaving = {
        dispatch.submit(table_id, user.pk, Leave(uuid.uuid4())): name for table_id, name in tables
    }
    late = wait(leaving, dispatch.ANSWER_SECONDS).not_done
    for work, name in leaving.items():
        if work.done() and isinstance(work.exception(), Error):
            message = _(
                "You could not be taken off %(table)s. Leave the table from your home page."
            )
            messages.error(request, message % {"table": name})
    if late:
        message = _("The site is busy. You will leave your seat shortly.")
        messages.warning(request, message)


def _render_page(request: HttpRequest, **invalid_forms: LimitForm) -> HttpResponse:
    user, now = get_user(request), server_clock.now()
    views = {kind: limits.load_schedule(user, kind, now) for kind in Kind}
    forms: dict[str, LimitForm] = {
        "reminder": ReminderForm.for_limit(_last_set_value(views[Kind.REMINDER])),
        "loss": LossForm.for_limit(_last_set_value(views[Kind.DAILY_LOSS])),
        "break": BreakForm.for_limit(_last_set_value(views[Kind.BREAK])),
    }
    forms |= invalid_forms
    sections = {
        name: LimitSection(
            _describe_value(form.kind, views[form.kind].value),
            tuple(_describe_later(form.kind, step) for step in views[form.kind].steps),
            form,
        )
        for name, form in forms.items()
    }
    context = {
        "reminder": sections["reminder"],
        "loss": sections["loss"],
        "pause": sections["break"],
        "day_begins": gaming_days.load().today(now)[1],
        "left": _describe_remaining(user, views[Kind.DAILY_LOSS].value, now),
    }
    return render(request, "account/limits.html", context)


def _last_set_value(outlook: limits.LimitSchedule) -> int | None:
    """The limit that was set last, for the form."""
    return outlook.steps[-1].value if outlook.steps else outlook.value


def _describe_value(kind: Kind, value: int | None) -> str:
    if value is None:
        return ""
    if kind == Kind.REMINDER:
        text = ngettext("After %(number)s minute.", "After %(number)s minutes.", value)
        return text % {"number": value}
    if kind == Kind.DAILY_LOSS:
        return _("At most %(amount)s a day.") % {"amount": format_money(value)}
    ends_at = gaming_days.load().begin_of(dt.date.fromordinal(value))
    moment = times.format_time(ends_at, pgettext("date format", "j F Y, H:i"))
    return _("Until %(time)s.") % {"time": moment}


def _describe_later(kind: Kind, step: limits.LaterLimit) -> str:
    moment = times.format_time(step.since, pgettext("date format", "j F Y, H:i"))
    words = _describe_value(kind, step.value) or _("No limit.")
    return _("From %(time)s: %(limit)s") % {"time": moment, "limit": words}


def _describe_remaining(user: User, daily_loss: int | None, now: dt.datetime) -> str:
    """Describe the amount that may still be staked today; empty without a limit."""
    if daily_loss is None:
        return ""
    remaining = max(
        0, limits.get_remaining_loss(transfers.get_or_open_wallet(user, at=now).pk, daily_loss, now)
    )
    return _("%(amount)s of it is left today.") % {"amount": format_money(remaining)}
