"""Views of invites: create one, withdraw one."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.audit_log import Operator
from accounts.http import get_user
from accounts.lib.errors import BUSY, CHECK_FIRST
from accounts.lib.site_links import absolute_url, is_local
from accounts.models import StaffInvite
from accounts.staff import roles
from accounts.users import reauthentication
from tables.operators.actions import (
    ASKS,
    Subject,
    add_result,
    attempt,
    post_data,
    show_preview,
)
from tables.operators.permissions import operator_page, render_page
from tables.operators.staff import actions
from tables.operators.staff.forms import InviteForm
from tables.realtime import dispatch


@operator_page(roles.MANAGE, *ASKS)
@reauthentication.require_recent_factor
def invite_operator(request: HttpRequest) -> HttpResponse:
    """Create an invite and show its link, this once."""
    form, operator = InviteForm(post_data(request)), Operator.from_request(request)
    if form.is_valid():
        create = partial(actions.create_invite, operator, form.cleaned_data["role"])
        result = attempt(form, lambda: dispatch.run(create))
        if result is not None:
            invite, token = result
            link = absolute_url(reverse("staff-invite-link", args=[token]))
            context = {"invite": invite, "link": link, "is_local": is_local()}
            return render_page(request, "staff/invite.html", _("Invite an operator"), context)
    effects = [
        _(
            "You get a link that gives the role to whoever accepts it first. Send it to that person."
        ),
        _("The link works once, and for 48 hours. You can withdraw it until it is accepted."),
    ]
    if not get_user(request).is_superuser:
        effects.append(
            _(
                "The role manager takes effect 24 hours after that, or when a second operator approves it."
            )
        )
    subject = Subject("", reverse("admin:staff"), ((_("Staff"), reverse("admin:staff")),))
    title, button = _("Invite an operator"), _("Create the link")
    return show_preview(request, title, subject, form, effects, button)


@operator_page(roles.MANAGE, "POST")
def withdraw_invite(request: HttpRequest, invite_id: int) -> HttpResponse:
    """Withdraw an invite."""
    operator = Operator.from_request(request)
    try:
        is_new = dispatch.run(partial(actions.withdraw_invite, operator, invite_id))
    except StaffInvite.DoesNotExist:
        raise Http404 from None
    except BUSY:
        messages.error(request, CHECK_FIRST)
    else:
        is_so = _("The invite was already used or withdrawn.")
        add_result(request, _("The invite is withdrawn."), is_so, is_new=is_new)
    return redirect("admin:staff")
