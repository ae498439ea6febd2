"""The page on which the host changes the settings of the table."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.http import check_rate_limit
from accounts.lib.errors import BUSY, OperationRefused, explain_busy
from tables.engine.errors import OptionError
from tables.engine.options import OPTIONS
from tables.game import host_commands, pending_settings
from tables.game.pending_settings import ChangedMeanwhile, EditOutcome, NotHost
from tables.lobby.forms import HostForm, to_initial
from tables.models import Table
from tables.realtime import dispatch
from tables.texts.refusals import translate_refusal
from tables.views.tables import get_visible_table

CHANGED = gettext_lazy("The table's settings have changed meanwhile. Check them again.")
_MESSAGES = {
    EditOutcome.NOTHING: gettext_lazy("No changes to save."),
    EditOutcome.HOLDS: gettext_lazy("Saved."),
    EditOutcome.WAITS: gettext_lazy("Saved. The change applies after the current round."),
    EditOutcome.TAKEN_BACK: gettext_lazy("The pending change was cancelled."),
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def table_settings(request: HttpRequest, table_id: int) -> HttpResponse:
    """Change the table's name, limits, clocks and rules: at once between rounds, else from the next
    round on.
    """
    row = get_visible_table(request, table_id)
    if row.maker_id != request.user.pk:
        messages.error(request, str(NotHost()))
        return redirect("table", table_id)
    if answer := check_rate_limit(request, "table_settings"):
        return answer
    to_be = pending_settings.pending_or_current(row)
    has_rounds = pending_settings.has_rounds(row)
    form = HostForm(
        row.rules_key,
        request.POST if request.method == "POST" else None,
        initial=to_initial(to_be) | {"made_from": pending_settings.settings_hash(to_be)},
        has_rounds=has_rounds,
        is_public=not row.is_private,
        has_chips=row.has_chips,
    )
    if form.is_valid():
        try:
            answer = _save(request, row, form)
        except ChangedMeanwhile:
            if form.is_compared:
                return table_settings(request, table_id)  # compared with the newer settings
            messages.error(request, CHANGED)
            return redirect("table-settings", row.pk)
        if answer is not None:
            return answer
    context = {
        "form": form,
        "table": row,
        "waits": row.coming is not None,
        "has_rounds": has_rounds,
        "is_open": bool(to_be["rules_options"]) or any(name in form.errors for name in OPTIONS),
    }
    return render(request, "tables/lobby/table_settings.html", context)


def _save(request: HttpRequest, row: Table, form: HostForm) -> HttpResponse | None:
    """Save the form and redirect; ``None`` if refused, with an error in the form.

    Raises :class:`ChangedMeanwhile` if the table has changed since the form was compared with it.
    """
    made_from = form.cleaned_data["made_from"]
    work = partial(
        host_commands.edit_settings, request.user.pk or 0, row.pk, made_from, form.settings
    )
    try:
        outcome = dispatch.run(work)
    except NotHost as refusal:
        messages.error(request, str(refusal))
        return redirect("table", row.pk)
    except OperationRefused as refusal:
        form.add_error(None, str(refusal))
    except OptionError as refusal:
        form.add_error(None, translate_refusal(refusal))
    except BUSY as error:
        form.add_error(None, explain_busy(error))
    else:
        messages.success(request, _MESSAGES[outcome])
        if form.merged:
            messages.info(request, form.merged_text)
        return redirect("table", row.pk)
    return None
