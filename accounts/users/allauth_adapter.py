"""The allauth adapter: new users, redirects and e-mails."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import (
    get_authentication_records,
    record_authentication,
)
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import get_ip
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts import site_settings
from accounts.doors import access
from accounts.http import render_too_many_requests
from accounts.ledger import transfers
from accounts.lib import languages, names, server_clock
from accounts.lib.site_links import absolute_url, is_on_site
from accounts.mail import addresses, rate_limits
from accounts.models import NAME_TAKEN, Act, User
from accounts.users import login_log, lost_forms, search, sessions
from accounts.users import names as new_names

NOTICES = (
    "email_added", "email_changed", "email_deleted",
    "password_changed", "password_reset", "password_set",
    "totp_activated", "totp_deactivated", "webauthn_added", "webauthn_removed",
    "recovery_codes_generated",
)  # fmt: skip
"""E-mails that notify the owner about a change of the account."""
DECISIONS = ("approved", "refused")
"""E-mails about what an operator has decided, who may decide about many accounts in a row."""


def _leads_to_operators(onward: str) -> bool:
    return onward.startswith(reverse("admin:index"))


class AccountAdapter(DefaultAccountAdapter):
    """Opens a wallet with the starting grant for each new user."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_taken": NAME_TAKEN,
        "username_blacklisted": gettext_lazy("That name can't be used. Choose another one."),
        "username_password_mismatch": gettext_lazy("Wrong name or password. Try again."),
        "incorrect_password": gettext_lazy("That password is wrong. Try again."),
        "enter_current_password": gettext_lazy("That password is wrong. Try again."),
        "too_many_login_attempts": gettext_lazy("Too many tries. Wait a few minutes."),
        "rate_limited": gettext_lazy("You tried this too often. Wait a few minutes."),
        "email_taken": gettext_lazy("Another account already uses this e-mail address."),
    }

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Store the new user and the wallet in one transaction.

        The password is hashed before it, because hashing is slow and would block other writes.
        Raises ``access.SignUpRefused``.
        """
        filled: User = super().save_user(request, user, form, commit=False)
        filled.language = languages.chosen_here(request.COOKIES)
        with transaction.atomic():
            access.admit(request, filled, server_clock.now())
            filled.save()
            transfers.get_or_open_wallet(filled, at=server_clock.now())
        return filled

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Check a name; ``shallow`` leaves out those that are taken."""
        if shallow:
            names.validate(names.normalized(username))
            return names.normalized(username)
        return new_names.clean(username)

    def set_password(self, user: User, password: str) -> None:
        """Write only the password: other fields may have changed, or the account may be deleted."""
        user.set_password(password)
        is_there = Q(is_active=True) | Q(frozen_at__isnull=False)
        with transaction.atomic():
            User.objects.filter(is_there, pk=user.pk).update(password=user.password)
            after = {"password": "changed", "sessions": "others ended"}
            self._record(user, Act.What.EDIT_USER, after)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a login attempt; over the limit of wrong passwords it is not checked."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError as error:
            raise ImmediateHttpResponse(render_too_many_requests(request)) from error

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Failed logins are counted by name and address, so that others cannot lock an owner out."""
        return f"{names.folded(str(credentials['username']))}:{get_ip(request)}"

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """A new password set by e-mail works at once: failed logins of the name no longer count."""
        owners = User.objects.filter(emailaddress__email__iexact=credentials["email"])
        for name in owners.values_list("username", flat=True):
            super()._delete_login_attempts_cached_email(request, username=name)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Show a user with the right password why the account is not active."""
        return render(request, "account/account_inactive.html", {"kept_out": user}, status=403)

    def is_safe_url(self, url: str) -> bool:
        """Whether a redirect stays on this site: a path, or its scheme, name and port."""
        return is_on_site(url)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """The link with the site's configured address."""
        return absolute_url(urlsplit(super().get_reset_password_from_key_url(key)).path)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """The link with the site's configured address."""
        return absolute_url(
            urlsplit(super().get_email_confirmation_url(request, emailconfirmation)).path
        )

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an e-mail unless it is over a limit; the page is the same in both cases."""
        request = self.request
        name = template_prefix.rpartition("/")[2]
        is_notice = name in NOTICES
        if name in DECISIONS:
            is_sent = rate_limits.count_notice(request, email)
        elif is_notice and (context.get("is_confirmed") or addresses.is_taken(email, but=None)):
            is_sent = rate_limits.count_notice(request, email)  # has its own limit
        else:
            is_sent = rate_limits.count_request(request, email)
        if is_sent:
            with languages.spoken_to(self._language_of(email, context)):
                super().send_mail(template_prefix, email, context)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Send a notice, in the language of its user."""
        values = {**(context or {}), "user": user}
        super().send_notification_mail(template_prefix, user, values, email=email)

    def _language_of(self, email: str, context: dict[str, Any]) -> str:
        """The language that the recipient has chosen; empty without a choice, and then the e-mail
        is in the language of the request.
        """
        user = context.get("user")
        users = [user] if isinstance(user, User) else addresses.find_owners(email)
        return next((owner.language for owner in users if owner.language), "")

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: Any, signup: bool
    ) -> None:
        """Send a confirmation e-mail, or a notice if another account has the address."""
        address = emailconfirmation.email_address
        if addresses.is_taken(address.email, but=address.user_id):
            self.send_mail("account/email/account_already_exists", address.email, {})
        else:
            super().send_confirmation_mail(request, emailconfirmation, signup)

    def confirm_email(self, request: HttpRequest, email_address: Any) -> bool:
        """Confirm an address; only one account may have it."""
        try:
            with transaction.atomic():
                is_confirmed = bool(super().confirm_email(request, email_address))
                if is_confirmed:
                    self._record(email_address.user, Act.What.EDIT_USER, {"address": "verified"})
        except IntegrityError:  # another account did so at the same moment
            return False
        return is_confirmed

    def reauthenticate(self, user: User, password: str) -> bool:
        """Whether this is the password; an operator's wrong one is recorded in the audit log."""
        is_right = bool(super().reauthenticate(user, password))
        if not is_right and self.request is not None:
            login_log.record_failure(self.request, user, Act.What.REAUTH_FAILED, "password")
        return is_right

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Record a wrong password at the login of an operator's account."""
        if request.user.is_authenticated:
            return  # :meth:`reauthenticate` records it
        user = search.find_by_name(str(credentials.get("username", "")))
        if user is not None:
            login_log.record_failure(request, user, Act.What.LOGIN_FAILED, "password")

    def post_login(self, request: HttpRequest, user: User, **options: Any) -> HttpResponse:
        """Record an operator's login. One on the way to the operators' pages counts as their
        re-authentication, by all that was shown.
        """
        lost_forms.restore_expiry(request)
        onward = lost_forms.find_place(request, options["redirect_url"] or "")
        records = list(get_authentication_records(request, user))
        login_log.record(request, user, Act.What.LOG_IN, {"by": login_log.name_ways(records)})
        if user.is_staff and _leads_to_operators(onward):
            for record in records:
                about = {key: record.get(key) for key in ("id", "type", "passwordless")}
                record_authentication(
                    request, user, record["method"], reauthenticated=True, **about
                )
        response: HttpResponse = super().post_login(request, user, **options)
        return response

    def logout(self, request: HttpRequest) -> None:
        """Record the log-out of an operator."""
        if isinstance(request.user, User):
            login_log.record(request, request.user, Act.What.LOG_OUT)
        super().logout(request)

    def _record(self, user: User, what: Act.What, after: dict[str, Any] | None) -> None:
        """Record a change of an operator's account in the audit log; players' are not recorded."""
        login_log.record(self.request, user, what, after)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Not with a frozen user's session: it may be the only access to a guest account."""
        return sessions.find_frozen_user(request.session) is None and access.may_sign_up(request)

    def format_email_subject(self, subject: str) -> str:
        """The subject after the name of the site."""
        return f"[{site_settings.get().name}] {subject}"

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Redirect to the lobby instead of the empty form."""
        return reverse("lobby")
