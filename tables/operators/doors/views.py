"""Views of who may come in: invites to sign up, accounts that wait for approval, bans."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import site_settings
from accounts.audit_log import Operator
from accounts.doors import approvals, bans, invites
from accounts.http import get_client_address
from accounts.lib import server_clock
from accounts.lib.site_links import absolute_url, is_local
from accounts.models import Approval, HouseSettings, NetworkBan, SignUpInvite, User
from tables.operators.actions import (
    ASKS,
    Operation,
    Subject,
    attempt,
    post_data,
    run_action,
    run_and_report,
)
from tables.operators.doors.forms import BanForm, InviteForm
from tables.operators.permissions import operator_page, render_page
from tables.operators.players.forms import PublicReasonForm
from tables.realtime import dispatch, publishing, runtime
from tables.state.effects import Effects

MOST_ROWS: Final = 100
"""The limit of each list, newest first."""


@operator_page("accounts.invite_user", *ASKS)
def sign_up_invites(request: HttpRequest) -> HttpResponse:
    """The invites to sign up, and the form of a new one. Its link is shown once, after it was made."""
    form, link = InviteForm(post_data(request)), ""
    if form.is_valid():
        operator, data = Operator.from_request(request), form.cleaned_data
        create = partial(invites.create, operator, **data)
        result = attempt(form, lambda: dispatch.run(lambda now: Effects(create(now=now))))
        if result is not None:
            link = absolute_url(reverse("sign-up-invite", args=[result[1]]))
            form = InviteForm()
    now = server_clock.now()
    valid = invites.filter_valid(now).values_list("pk", flat=True)
    rows = SignUpInvite.objects.select_related("made_by")
    context = {
        "form": form,
        "link": link,
        "is_local": is_local(),
        "valid": set(valid),
        "invites": rows[:MOST_ROWS],
        "mode": HouseSettings.SignUp(site_settings.get().sign_up).label,
        "is_off": site_settings.get().sign_up == HouseSettings.SignUp.OFF,
    }
    return render_page(request, "doors/invites.html", _("Sign-up invites"), context)


@operator_page("accounts.invite_user", "POST")
def withdraw_sign_up_invite(request: HttpRequest, invite_id: int) -> HttpResponse:
    """Withdraw an invite."""
    invite = get_object_or_404(SignUpInvite, pk=invite_id)
    operator = Operator.from_request(request)
    words = {"label": invite.label}
    run_and_report(
        request,
        lambda now: Effects(invites.withdraw(operator, invite.pk, now)),
        _("The invite for %(label)s is withdrawn.") % words,
        _("The invite for %(label)s was already withdrawn.") % words,
    )
    return redirect("admin:sign_up_invites")


@operator_page("accounts.approve_user")
def approval_list(request: HttpRequest) -> HttpResponse:
    """The accounts that wait for approval, oldest first, and those that were refused."""
    rows = User.objects.select_related("sign_up_invite")
    context = {
        "waiting": (rows & approvals.filter_waiting()).order_by("pk")[:MOST_ROWS],
        "refused": rows.filter(approval=Approval.REFUSED, is_active=True).order_by("-pk")[
            :MOST_ROWS
        ],
        "mode": HouseSettings.SignUp(site_settings.get().sign_up).label,
    }
    return render_page(request, "doors/approvals.html", _("New accounts"), context)


@operator_page("accounts.approve_user", "POST")
def approve(request: HttpRequest, user_id: int) -> HttpResponse:
    """Approve an account."""
    user, operator = get_object_or_404(User, pk=user_id), Operator.from_request(request)
    words = {"name": user.username}
    is_new = run_and_report(
        request,
        lambda now: Effects(approvals.approve(operator, user.pk, now)),
        _("The account %(name)s is approved.") % words,
        _("The account %(name)s doesn't wait for approval.") % words,
    )
    if is_new:
        approvals.send_letter(request, user.pk)
    return redirect("admin:approvals")


REFUSE: Final = Operation(
    title=gettext_lazy("Refuse %(name)s"),
    effects=(
        gettext_lazy("They can log in and read the reason, and do nothing else."),
        gettext_lazy("The account stays. It can still be approved later."),
    ),
    form=PublicReasonForm,
    button=gettext_lazy("Refuse"),
    do=lambda operator, user_id, data: dispatch.run(
        lambda now: Effects(approvals.refuse(operator, user_id, data["reason"], now))
    ),
    success=gettext_lazy("The account %(name)s is refused."),
    is_so=gettext_lazy("The account %(name)s doesn't wait for approval."),
)


@operator_page("accounts.approve_user", *ASKS)
def refuse(request: HttpRequest, user_id: int) -> HttpResponse:
    """Refuse an account, with a reason that its owner reads."""
    user, back = get_object_or_404(User, pk=user_id), reverse("admin:approvals")
    subject = Subject(user.username, back, ((_("New accounts"), back),))
    was_waiting = user.approval == Approval.WAITING
    page = run_action(request, REFUSE, user.pk, subject)
    user.refresh_from_db()
    if was_waiting and user.approval == Approval.REFUSED:
        approvals.send_letter(request, user.pk)
    return page


@operator_page("accounts.ban_network", *ASKS)
def network_bans(request: HttpRequest) -> HttpResponse:
    """The bans in force and earlier ones, and the form of a new one."""
    form = BanForm(post_data(request), own_address=get_client_address(request))
    if form.is_valid():
        operator, data = Operator.from_request(request), form.cleaned_data

        def ban(now: dt.datetime) -> Effects[NetworkBan]:
            until = form.find_end(now)
            return Effects(bans.ban(operator, data["network"], until, data["reason"], now))

        new_ban = attempt(form, lambda: dispatch.run(ban))
        if new_ban is not None:
            _apply_bans()
            messages.success(request, _("%(network)s is banned.") % {"network": new_ban.network})
            return redirect("admin:bans")
    now = server_clock.now()
    in_force = bans.filter_in_force(now)
    rows = NetworkBan.objects.select_related("made_by")
    context = {
        "form": form,
        "bans": in_force.select_related("made_by").order_by("until")[:MOST_ROWS],
        "earlier": rows.exclude(pk__in=in_force.values("pk"))[:MOST_ROWS],
        "own_address": get_client_address(request),
    }
    return render_page(request, "doors/bans.html", _("Bans of networks"), context)


@operator_page("accounts.ban_network", "POST")
def lift_ban(request: HttpRequest, ban_id: int) -> HttpResponse:
    """Lift a ban."""
    row, operator = get_object_or_404(NetworkBan, pk=ban_id), Operator.from_request(request)
    words = {"network": row.network}
    run_and_report(
        request,
        lambda now: Effects(bans.lift(operator, row.pk, now)),
        _("The ban of %(network)s is lifted.") % words,
        _("The ban of %(network)s is over already.") % words,
    )
    _apply_bans()
    return redirect("admin:bans")


def _apply_bans() -> None:
    """Apply the changed bans in this process at once; the others read them within a second."""
    if bans.refresh():
        publishing.run_on_loop(runtime.close_banned)
