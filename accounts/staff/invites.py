"""Invites: a link gives its role to the one user who accepts it."""

from __future__ import annotations

import datetime as dt
import secrets
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.lib.tokens import hash_token
from accounts.models import Act, Approval, StaffInvite, User
from accounts.staff import assignment, roles, waiting_changes

LIFETIME: Final = dt.timedelta(hours=48)
SESSION_KEY: Final = "staff_invite"
"""Where the session of a browser has the hash of the token that it followed."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What an accepted invite gave."""

    role: str
    waits: bool
    """Whether the role waits for a second operator."""


def create(operator: Operator, role: str, now: dt.datetime) -> tuple[StaffInvite, str]:
    """Create an invite; return it and its token, which is stored nowhere.

    Raises :class:`OperationRefused` if this operator may not give roles any more.
    """
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        by = roles.lock_users(operator.user_id)[operator.user_id]
        if not _may_invite(by):
            raise OperationRefused(gettext("Your role does not have access to this."))
        invite = StaffInvite.objects.create(
            role=role, token_hash=hash_token(token), made_by=by, made_at=now,
            expires_at=now + LIFETIME,
        )  # fmt: skip
        after = {"role": role, "expires": invite.expires_at.isoformat()}
        subject = audit_log.build_subject(invite)
        audit_log.record(operator, Act.What.INVITE, subject, after=after, at=now)
    return invite, token


def find(token_hash: str) -> StaffInvite | None:
    """The invite of a token, valid or not."""
    rows = StaffInvite.objects.filter(token_hash=token_hash)
    return rows.select_related("made_by", "accepted_by").first()


def find_in_session(request: HttpRequest) -> StaffInvite | None:
    """The invite whose link this browser has followed, valid or not."""
    token_hash = request.session.get(SESSION_KEY)
    return find(token_hash) if token_hash else None


def is_invited(request: HttpRequest) -> bool:
    """Whether this browser has followed a valid invite, which lets one user sign up."""
    invite = find_in_session(request)
    return invite is not None and _opens_sign_up(invite, server_clock.now())


def lock_for_sign_up(request: HttpRequest, now: dt.datetime) -> StaffInvite | None:
    """Lock the invite of this browser, in the transaction that makes its account; ``None`` if it lets
    nobody (else) sign up.
    """
    invite = find_in_session(request)
    if invite is None:
        return None
    locked = StaffInvite.objects.select_for_update(of=("self",))
    row = locked.select_related("made_by").get(pk=invite.pk)
    return row if _opens_sign_up(row, now) else None


def may_accept_waiting(request: HttpRequest, user: User) -> bool:
    """Whether this account waits, and the invite of this browser is the one that made it."""
    invite = find_in_session(request) if user.staff_invite_id else None
    if invite is None:
        return False
    try:
        verify_valid(invite, server_clock.now())
        verify_may_accept(invite, user)
    except OperationRefused:
        return False
    return user.is_held


def _opens_sign_up(invite: StaffInvite, now: dt.datetime) -> bool:
    try:
        verify_valid(invite, now)
    except OperationRefused:
        return False
    return not User.objects.filter(staff_invite=invite).exists()


def list_open(now: dt.datetime) -> QuerySet[StaffInvite]:
    """The invites that can be accepted, newest first."""
    app, _dot, codename = roles.MANAGE.partition(".")
    managing = Permission.objects.filter(content_type__app_label=app, codename=codename)
    may_invite = Q(made_by__is_superuser=True) | Q(made_by__groups__permissions__in=managing)
    stays = Q(made_by__role_since=None) | Q(made_by__role_since__lte=F("made_at"))
    rows = StaffInvite.objects.filter(
        may_invite, stays, accepted_at=None, withdrawn_at=None, expires_at__gt=now,
        made_by__is_active=True,
    )  # fmt: skip
    return rows.select_related("made_by").distinct()


def withdraw(operator: Operator, invite_id: int, now: dt.datetime) -> bool:
    """Withdraw an invite; false if it cannot be accepted any more.

    Raises ``StaffInvite.DoesNotExist``.
    """
    with transaction.atomic():
        invite = StaffInvite.objects.select_for_update().get(pk=invite_id)
        if invite.accepted_at is not None or invite.withdrawn_at is not None:
            return False
        _withdraw(invite, operator, now)
    return True


def withdraw_of(user_id: int, operator: Operator, now: dt.datetime) -> None:
    """Withdraw the open invites of this user, who is locked, in the caller's transaction."""
    open_ones = StaffInvite.objects.select_for_update().filter(
        made_by=user_id, accepted_at=None, withdrawn_at=None, expires_at__gt=now
    )
    for invite in open_ones.order_by("pk"):
        _withdraw(invite, operator, now)


def _withdraw(invite: StaffInvite, operator: Operator, now: dt.datetime) -> None:
    invite.withdrawn_by_id, invite.withdrawn_at = operator.user_id, now
    invite.save(update_fields=["withdrawn_by", "withdrawn_at"])
    before, subject = {"role": invite.role}, audit_log.build_subject(invite)
    audit_log.record(operator, Act.What.END_INVITE, subject, before=before, at=now)


def accept(invite: StaffInvite, who: Operator, now: dt.datetime) -> Acceptance:
    """Give the role of the invite to the user ``who``. Raises :class:`OperationRefused`.

    A manager's invite for managers only requests the role: it waits for a second operator.
    """
    with transaction.atomic():
        users = roles.lock_users(who.user_id, invite.made_by_id)
        user, by = users[who.user_id], users[invite.made_by_id]
        locked = StaffInvite.objects.select_for_update(of=("self",))
        row = locked.select_related("made_by", "accepted_by").get(pk=invite.pk)
        row.made_by = by
        verify_valid(row, now)
        verify_may_accept(row, user)
        row.accepted_by, row.accepted_at = user, now
        row.save(update_fields=["accepted_by", "accepted_at"])
        if user.approval == Approval.WAITING:
            user.approval = ""
            user.save(update_fields=["approval"])
        after = {"role": row.role, "invited_by": by.username, "invite": row.pk}
        subject = audit_log.build_subject(user)
        audit_log.record(who, Act.What.ACCEPT_INVITE, subject, after=after, at=now)
        if row.role == roles.MANAGER and not by.is_superuser:
            waiting_changes.ask_role(Operator(by.pk), user, row.role, now)
            return Acceptance(row.role, waits=True)
        waiting_changes.replace_role(user, row.role, Operator(by.pk), now)
        names = {*roles.list_roles(user), row.role}
        assignment.store(Operator(by.pk), user, names, now, is_superuser=user.is_superuser)
        return Acceptance(row.role, waits=False)


def verify_valid(invite: StaffInvite, now: dt.datetime) -> None:
    """Raise :class:`OperationRefused` if nobody can accept the invite any more."""
    if invite.accepted_at is not None:
        raise OperationRefused(gettext("This invite was already used. It works only once."))
    by = invite.made_by
    is_new = by.role_since is not None and by.role_since > invite.made_at
    # The invites of a role that was taken do not come back with the next one.
    if invite.withdrawn_at is not None or is_new or not _may_invite(by):
        raise OperationRefused(gettext("This invite was withdrawn. Ask for a new one."))
    if invite.is_expired(now):
        raise OperationRefused(
            gettext("This invite has expired. It was valid for 48 hours. Ask for a new one.")
        )


def verify_may_accept(invite: StaffInvite, user: User) -> None:
    """Raise :class:`OperationRefused` if this user cannot get the role by the invite."""
    is_of_invite = user.approval == Approval.WAITING and user.staff_invite_id == invite.pk
    roles.verify_may_have_role(user, is_held=user.is_held and not is_of_invite)
    if user.is_superuser or user.groups.filter(name__in=(invite.role, roles.MANAGER)).exists():
        raise OperationRefused(
            gettext("You are logged in as %(name)s, who can already do all of this.")
            % {"name": user.username}
        )


def _may_invite(by: User) -> bool:
    return by.is_active and by.has_perm(roles.MANAGE)
