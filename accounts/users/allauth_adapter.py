"""The allauth adapter: new users, redirects and letters."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.reauthentication import reauthenticate_by_password
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import get_ip
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.http import address_of, slowed_down
from accounts.ledger import transfers
from accounts.lib import server_clock
from accounts.lib.site_links import absolute, leads_here
from accounts.mail import addresses, rate_limits
from accounts.models import NAME_TAKEN, Act, User
from accounts.users import sessions

NOTICES = (
    "email_added", "email_changed", "email_deleted",
    "password_changed", "password_reset", "password_set",
)  # fmt: skip
"""Letters that tell the owner of an account what became of it."""


class AccountAdapter(DefaultAccountAdapter):
    """Opens an account with the starting money for everybody who signs up."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_taken": NAME_TAKEN,
        "email_taken": gettext_lazy("Somebody else gave us that address already."),
    }

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Store the new user and the wallet, or neither.

        The password is made unreadable before the transaction: that is slow, and others write.
        """
        filled: User = super().save_user(request, user, form, commit=False)
        with transaction.atomic():
            filled.save()
            transfers.get_or_open_wallet(filled, at=server_clock.now())
        return filled

    def set_password(self, user: User, password: str) -> None:
        """Write the password and nothing else: the rest may be another by now, or gone."""
        user.set_password(password)
        is_there = Q(is_active=True) | Q(frozen_at__isnull=False)
        with transaction.atomic():
            User.objects.filter(is_there, pk=user.pk).update(password=user.password)
            self._write(user, Act.What.EDIT_USER, {"password": "changed"})

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a password that may be wrong; after too many wrong ones none is looked at."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError as error:
            raise ImmediateHttpResponse(slowed_down(request)) from error

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Failed logins are counted by name and address, so that others cannot lock an owner out."""
        return f"{str(credentials['username']).lower()}:{get_ip(request)}"

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """A new password set by e-mail works at once: failed logins of the name no longer count."""
        owners = User.objects.filter(emailaddress__email__iexact=credentials["email"])
        for name in owners.values_list("username", flat=True):
            super()._delete_login_attempts_cached_email(request, username=name)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Who had the right password is told why it does not help."""
        return render(request, "account/account_inactive.html", {"kept_out": user}, status=403)

    def is_safe_url(self, url: str) -> bool:
        """Only to this site: its scheme, its name and its port, or a path."""
        return leads_here(url)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """On the site's own address, whatever was asked for."""
        return absolute(urlsplit(super().get_reset_password_from_key_url(key)).path)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """On the site's own address, whatever was asked for."""
        return absolute(
            urlsplit(super().get_email_confirmation_url(request, emailconfirmation)).path
        )

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a letter, unless it is one too many; who asked is told the same."""
        request = self.request
        is_notice = template_prefix.rpartition("/")[2] in NOTICES
        if is_notice and (context.get("is_confirmed") or addresses.is_taken(email, but=None)):
            is_sent = rate_limits.count_notice(request, email)  # nobody else's letters keep it out
        else:
            is_sent = rate_limits.count(request, email)
        if is_sent:
            super().send_mail(template_prefix, email, context)

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: Any, signup: bool
    ) -> None:
        """Send a confirmation letter; a notice if another account has the address."""
        address = emailconfirmation.email_address
        if addresses.is_taken(address.email, but=address.user_id):
            self.send_mail("account/email/account_already_exists", address.email, {})
        else:
            super().send_confirmation_mail(request, emailconfirmation, signup)

    def confirm_email(self, request: HttpRequest, email_address: Any) -> bool:
        """Confirm an address, for one account alone."""
        try:
            with transaction.atomic():
                is_confirmed = bool(super().confirm_email(request, email_address))
                if is_confirmed:
                    self._write(email_address.user, Act.What.EDIT_USER, {"address": "verified"})
        except IntegrityError:  # somebody else did so in this moment
            return False
        return is_confirmed

    def reauthenticate(self, user: User, password: str) -> bool:
        """Whether this is the password; a wrong one of an operator stands in the trail."""
        is_right = bool(super().reauthenticate(user, password))
        if not is_right:
            self._write(user, Act.What.REAUTH_FAILED, None)
        return is_right

    def post_login(self, request: HttpRequest, user: User, **told: Any) -> HttpResponse:
        """Who logs in on the way behind the counter has just entered the password for it."""
        onward = told["redirect_url"] or ""
        if user.is_staff and onward.startswith(reverse("admin:index")):
            reauthenticate_by_password(request)
            self._write(user, Act.What.LOG_IN, None)
        response: HttpResponse = super().post_login(request, user, **told)
        return response

    def _write(self, user: User, what: Act.What, after: dict[str, Any] | None) -> None:
        """Write what became of an operator's account into the trail; a player's is not there."""
        if user.is_staff:
            address = address_of(self.request) if self.request else None
            operator, subject = Operator(user.pk, address), audit_log.subject_of(user)
            audit_log.record(operator, what, subject, after=after)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Not in a browser whose player is frozen: the session there is a guest's only way back."""
        return sessions.frozen_user(request.session) is None

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Back to the lobby, and not to the empty form."""
        return reverse("lobby")
