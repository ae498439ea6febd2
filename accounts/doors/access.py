"""What the settings of the site let a visitor do: sign up, play as a guest, create tables."""

from __future__ import annotations

import datetime as dt
from functools import cached_property

from django.http import HttpRequest
from django.utils.translation import gettext

from accounts import site_settings
from accounts.doors import invites
from accounts.models import Approval, HouseSettings, User
from accounts.staff import invites as staff_invites

SignUp = HouseSettings.SignUp
TableMakers = HouseSettings.TableMakers


class SignUpRefused(Exception):
    """The site does not let this visitor sign up, or not any more."""


def may_sign_up(request: HttpRequest) -> bool:
    """Whether this visitor may sign up now, or turn a guest into an account."""
    mode = site_settings.get().sign_up
    if mode != SignUp.OPEN and staff_invites.is_invited(request):
        return True
    if mode == SignUp.INVITE:
        return invites.has_valid(request)
    return mode != SignUp.OFF


def admit(request: HttpRequest, user: User, now: dt.datetime) -> None:
    """Prepare a new account by the settings: take a place of the invite, or have it wait.

    It runs in the transaction that then saves :data:`ADMITTED` of ``user``. An invited account needs
    no approval. That of an invited operator waits until it has accepted: an invite opens a closed site
    to one operator, not to players. Raises :class:`SignUpRefused`.
    """
    mode = site_settings.get().sign_up
    if mode != SignUp.OPEN and (invite := staff_invites.lock_for_sign_up(request, now)):
        user.staff_invite, user.approval = invite, Approval.WAITING
        return
    token = "" if mode == SignUp.OFF else invites.get_token(request)
    user.sign_up_invite = invites.take_place(token, now) if token else None
    if mode == SignUp.OFF or (mode == SignUp.INVITE and user.sign_up_invite is None):
        raise SignUpRefused
    if mode == SignUp.APPROVAL and user.sign_up_invite is None:
        user.approval = Approval.WAITING


ADMITTED = ("approval", "sign_up_invite", "staff_invite")
"""The columns that :func:`admit` may change."""


def may_create_tables(user: object) -> bool:
    """Whether this user may create a table or a match; of a visitor, whether one could after a
    log-in.
    """
    makers = site_settings.get().table_makers
    if isinstance(user, User) and user.is_held:
        return False
    if makers == TableMakers.EVERYBODY:
        return True
    if not isinstance(user, User):
        return makers == TableMakers.PLAYERS
    if makers == TableMakers.PLAYERS:
        return not user.is_guest
    return user.is_staff


def explain_no_tables() -> str:
    """Why a user may not create a table, as a sentence."""
    if site_settings.get().table_makers == TableMakers.OPERATORS:
        return gettext(
            "Only the operators of this site create tables. Take a seat at one of theirs."
        )
    return gettext("Guests can't create tables here. Save your account first.")


class Doors:
    """The same for templates: what the visitor of a page may do. It is read lazily."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def may_sign_up(self) -> bool:
        """Whether sign-up is offered."""
        return may_sign_up(self._request)

    @property
    def needs_invite(self) -> bool:
        """Whether only people with an invite may sign up."""
        return site_settings.get().sign_up == SignUp.INVITE

    @cached_property
    def needs_approval(self) -> bool:
        """Whether a new account of this visitor has to be approved."""
        is_approved = site_settings.get().sign_up == SignUp.APPROVAL
        is_invited = invites.has_valid(self._request) or staff_invites.is_invited(self._request)
        return is_approved and not is_invited

    @property
    def holds_new_accounts(self) -> bool:
        """Whether a new account of this visitor cannot play at first; see :func:`admit`."""
        is_open = site_settings.get().sign_up == SignUp.OPEN
        return self.needs_approval or (not is_open and staff_invites.is_invited(self._request))

    @property
    def allows_guests(self) -> bool:
        """Whether a visitor may play as a guest."""
        return site_settings.get().allows_guests

    @property
    def may_create_tables(self) -> bool:
        """Whether creating a table is offered."""
        return may_create_tables(getattr(self._request, "user", None))
