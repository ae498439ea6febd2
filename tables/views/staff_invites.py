"""Views of an invite for operators: its link, and the page that accepts it.

The link stores the hash of its token in the session and leads to a page without it, so that the token
is in no ``Referer``, and the login or the sign-up on the way has no secret in its address.
"""

from __future__ import annotations

import datetime as dt
from functools import partial
from http import HTTPStatus

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts import site_settings
from accounts.admin.roles import SAYS
from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.lib.tokens import hash_token
from accounts.models import StaffInvite, User
from accounts.staff import invites
from accounts.staff.invites import Acceptance
from tables.protocol.topics import reload_message
from tables.realtime import dispatch
from tables.state.effects import Effects
from tables.views.decorators import redirect_busy_to


@never_cache
@require_safe
def follow_link(request: HttpRequest, token: str) -> HttpResponse:
    """Remember the invite of a link, and redirect to its page."""
    token_hash = hash_token(token)
    invite = invites.find(token_hash)
    if invite is None:
        return _render_invalid(request, _("Check the link, or ask for a new one."))
    try:  # before anything is stored in the session
        invites.verify_valid(invite, server_clock.now())
    except OperationRefused as refusal:
        return _render_invalid(request, str(refusal), HTTPStatus.GONE)
    request.session[invites.SESSION_KEY] = token_hash
    response = redirect("staff-invite")
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@redirect_busy_to("staff-invite")
def staff_invite(request: HttpRequest) -> HttpResponse:
    """Show the role of the invite that this browser has followed; accept it on a POST."""
    invite, user, refusal = invites.find_in_session(request), request.user, ""
    if invite is None:
        return _render_invalid(request, _("Open the link of the invite again."))
    try:
        invites.verify_valid(invite, server_clock.now())
    except OperationRefused as error:
        return _render_invalid(request, str(error), HTTPStatus.GONE)
    if request.method == "POST":
        if not isinstance(user, User):
            return redirect_to_login(request.path)
        try:
            accepted = dispatch.run(partial(_accept, invite, Operator.from_request(request)))
        except OperationRefused as error:
            refusal = str(error)
        else:
            return _go_on(request, accepted)
    elif isinstance(user, User):
        try:
            invites.verify_may_accept(invite, user)
        except OperationRefused as error:
            refusal = str(error)
    context = {
        "invite": invite,
        "says": SAYS.get(invite.role, ""),
        "site": site_settings.get().name,
        "refusal": refusal,
        "may_sign_up": get_adapter(request).is_open_for_signup(request),
    }
    return render(request, "tables/staff/invite.html", context)


def _accept(invite: StaffInvite, who: Operator, now: dt.datetime) -> Effects[Acceptance]:
    accepted = invites.accept(invite, who, now)
    return Effects(accepted, evictions=(reload_message(who.user_id),))


def _go_on(request: HttpRequest, accepted: Acceptance) -> HttpResponse:
    del request.session[invites.SESSION_KEY]
    words = {"role": accepted.role}
    if accepted.waits:
        message = _(
            "You accepted. You get the role %(role)s in 24 hours, or when a second operator approves it."
        )
        messages.success(request, message % words)
        return redirect("lobby")
    messages.success(request, _("You accepted. You now have the role %(role)s.") % words)
    return redirect("admin:index")


def _render_invalid(
    request: HttpRequest, words: str, status: HTTPStatus = HTTPStatus.NOT_FOUND
) -> HttpResponse:
    return render(request, "tables/staff/invalid_invite.html", {"words": words}, status=status)
