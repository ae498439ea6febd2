"""Wrappers around allauth's views that send e-mails."""

from __future__ import annotations

from typing import Any

from allauth.account import views as allauth_views
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.http import render_too_many_requests
from accounts.mail import addresses, rate_limits
from accounts.models import Act, User


def reset_password(request: HttpRequest) -> HttpResponse:
    """Request a password reset. Over the limit it is 429, known address or not."""
    if request.method == "POST" and not rate_limits.may_request(request, _posted_email(request)):
        return render_too_many_requests(request)
    response: HttpResponse = allauth_views.password_reset(request)
    return response


def email(request: HttpRequest) -> HttpResponse:
    """The page of the user's addresses. The previous addresses get a notice of each change."""
    user = request.user
    if request.method != "POST" or not isinstance(user, User):
        page: HttpResponse = allauth_views.email(request)
        return page
    if "\0" in request.POST.get("email", ""):
        raise BadRequest("an address with a NUL")
    sends = "action_add" in request.POST or "action_send" in request.POST
    if sends and not rate_limits.may_request(request, _posted_email(request)):
        return render_too_many_requests(request)
    if "action_primary" in request.POST and not _is_confirmed(user, _posted_email(request)):
        messages.error(request, gettext("Confirm that address first."))
        return redirect("account_email")
    reset_addresses, before = addresses.list_reset_addresses(user), _masked_addresses(user)
    with transaction.atomic():
        response: HttpResponse = allauth_views.email(request)
        after = _masked_addresses(user)
        if user.is_staff and before != after:
            record_address_change(Operator.from_request(request), user, before, after)
    for old in reset_addresses - after.keys():
        was_confirmed = "verified" in before.get(old, "")
        _send_notice(user, "email_deleted", old, deleted_email=old, is_confirmed=was_confirmed)
    for added in after.keys() - before.keys():
        for address in reset_addresses & after.keys():
            _send_notice(user, "email_added", address, added_email=added)
    return response


def record_address_change(operator: Operator, user: User, before: Any, after: Any) -> None:
    """Record a change of an operator's addresses in the audit log, shortened: entries are permanent."""
    subject = audit_log.build_subject(user)
    states = [
        {
            "addresses": [
                f"{audit_log.shorten_addresses(each)} {how}".strip() for each, how in of.items()
            ]
        }
        for of in (before, after)
    ]
    audit_log.record(operator, Act.What.EDIT_USER, subject, before=states[0], after=states[1])


def _masked_addresses(user: User) -> dict[str, str]:
    rows = EmailAddress.objects.filter(user=user).order_by("pk")
    return {
        row.email: " ".join(word for word in ("primary", "verified") if getattr(row, word))
        for row in rows
    }


def _posted_email(request: HttpRequest) -> str:
    return request.POST.get("email", "").strip().lower()[:254]


def _is_confirmed(user: User, address: str) -> bool:
    return bool(EmailAddress.objects.filter(user=user, email=address, verified=True).exists())


def _send_notice(user: User, letter: str, address: str, **context: Any) -> None:
    get_adapter().send_notification_mail(f"account/email/{letter}", user, context, email=address)
