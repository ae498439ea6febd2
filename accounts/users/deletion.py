"""Deletion of an account: personal data is removed, ledger rows keep a neutral name."""

from __future__ import annotations

import datetime as dt

from allauth.account.models import EmailAddress

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.lib import server_clock
from accounts.models import Account, Act, HouseSettings, OwnLimit, Transfer, User
from accounts.staff import waiting_changes
from accounts.users import former_names, sessions
from accounts.users.second_factor import requirement


def deleted_user_name(user_id: int) -> str:
    """The name of a deleted account. It has a blank, which sign-up refuses."""
    return f"former #{user_id}"


def lock_user(user_id: int) -> User:
    """Lock the user until the transaction ends, so that the user cannot sit down meanwhile."""
    # Without the key: rows that refer to the user may be inserted.
    return User.objects.select_for_update(no_key=True).get(pk=user_id)


def close_account(user: User, now: dt.datetime) -> None:
    """Remove personal data, in the caller's transaction and after :func:`return_money`.

    ``user`` is locked, and has no stake on a table; the caller checks both.
    """
    if user.is_staff:
        operator, subject = Operator(user.pk), audit_log.build_subject(user)
        before = {"name": user.username, "deleted": False}
        audit_log.record(
            operator, Act.What.EDIT_USER, subject, before=before, after={"deleted": True}
        )
    if user.is_superuser:  # links of the first start must not become valid again
        HouseSettings.objects.filter(pk=1).update(first_links={})
    waiting_changes.withdraw_of(user.pk, Operator(user.pk), now)
    sessions.end_recorded_sessions(user.pk)
    former_names.hide_names(user, server_clock.now())
    EmailAddress.objects.filter(user=user).delete()
    OwnLimit.objects.filter(user=user).delete()
    requirement.remove_all(user.pk)
    user.groups.clear()
    user.user_permissions.clear()
    user.username, user.skeleton = deleted_user_name(user.pk), None
    user.first_name = user.last_name = user.email = user.language = user.colour = ""
    user.is_active = user.is_listed = user.has_own_limits = False
    user.is_staff = user.is_superuser = False
    user.role_since = None
    user.set_unusable_password()
    user.save()


def return_money(user: User, now: dt.datetime) -> None:
    """Return the money to the bank, in the caller's transaction. ``user`` is locked."""
    try:
        wallet, bank = transfers.lock_wallet_and_bank(user.pk)
    except Account.DoesNotExist:
        return
    if wallet.balance:
        kind, reference = Transfer.Kind.RETURN, f"user:{user.pk}/return"
        movement = Posting(kind, wallet.pk, bank.pk, wallet.balance, reference)
        transfers.post([movement], at=now, by=user.pk)
