"""Accounts that an operator has to approve."""

from __future__ import annotations

import datetime as dt

from allauth.account.adapter import get_adapter
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib import languages
from accounts.lib.site_links import absolute_url
from accounts.models import Act, Approval, User


def filter_waiting() -> QuerySet[User]:
    """The accounts that wait for approval."""
    return User.objects.filter(approval=Approval.WAITING, is_active=True)


@transaction.atomic
def approve(operator: Operator, user_id: int, now: dt.datetime) -> bool:
    """Approve an account, also one that was refused. False if it needs no approval (any more)."""
    user = _lock(user_id)
    if user is None or not user.is_held:
        return False
    _write(user, Approval.APPROVED, "")
    subject = audit_log.build_subject(user)
    audit_log.record(operator, Act.What.APPROVE, subject, at=now)
    return True


@transaction.atomic
def refuse(operator: Operator, user_id: int, reason: str, now: dt.datetime) -> bool:
    """Refuse an account, whose owner reads ``reason``. False if it does not wait (any more)."""
    user = _lock(user_id)
    if user is None or user.approval != Approval.WAITING:
        return False
    _write(user, Approval.REFUSED, reason)
    subject = audit_log.build_subject(user)
    audit_log.record(operator, Act.What.REFUSE, subject, reason=reason, at=now)
    return True


def note_told(user: User) -> bool:
    """Note that the owner of an approved account was told; false if that was done already."""
    count = User.objects.filter(pk=user.pk, approval=Approval.APPROVED).update(approval="")
    user.approval = ""
    return bool(count)


def send_letter(request: HttpRequest, user_id: int) -> None:
    """Tell the owner of an approved or refused account by e-mail, if it has an address, in the
    owner's language.
    """
    user = User.objects.get(pk=user_id)
    if not user.email:
        return
    is_approved = not user.is_held
    name = "approved" if is_approved else "refused"
    context = {"user": user, "address": absolute_url(reverse("lobby"))}
    with languages.spoken_to(user.language or languages.get_default()):
        get_adapter(request).send_mail(f"account/email/{name}", user.email, context)


def _lock(user_id: int) -> User | None:
    rows = User.objects.select_for_update(no_key=True)
    return rows.filter(pk=user_id, is_active=True).first()


def _write(user: User, approval: Approval, because: str) -> None:
    user.approval, user.refused_because = approval, because
    user.save(update_fields=["approval", "refused_because"])
