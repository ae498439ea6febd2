"""The value of rules, for scripts."""

from __future__ import annotations

import itertools
from http import HTTPStatus
from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.http import consume_rate_limit, get_user
from accounts.lib.errors import TRY_AGAIN
from tables.lobby.forms import PlayerTableForm
from tables.lobby.option_costs import describe_costs

_numbers: Final = itertools.count()
_newest: Final[dict[int, int]] = {}
"""The number of the newest open request of each player, who keeps one computation at most."""


@never_cache
@require_safe
@login_required
def option_odds(request: HttpRequest) -> JsonResponse:
    """The edge of the options in a form that opens a table, or their errors.

    A value that is not known is computed in this request's own thread. 503: others were in the way,
    or a newer request of the same player came, because the form has changed.
    """
    if not consume_rate_limit(request, "option_odds", counts_get=True):
        return JsonResponse(
            {"error": _("Too many tries. Wait a few minutes.")}, status=HTTPStatus.TOO_MANY_REQUESTS
        )
    form = PlayerTableForm(request.GET)
    if errors := form.rules_errors:
        return JsonResponse({"errors": errors})
    user_id, number = get_user(request).pk, next(_numbers)
    _newest[user_id] = number
    try:
        costs = describe_costs(
            form.cleaned_data["rules_key"], form.options, lambda: _newest.get(user_id) == number
        )
    finally:
        if _newest.get(user_id) == number:
            del _newest[user_id]
    if costs is None:
        return JsonResponse({"error": str(TRY_AGAIN)}, status=HTTPStatus.SERVICE_UNAVAILABLE)
    data = {"edge": costs.edge, "compared": costs.compared, "costs": costs.costs}
    return JsonResponse({"errors": {}, **data})
