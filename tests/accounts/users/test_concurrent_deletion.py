"""What was on its way when an account was deleted does not bring it back."""

from __future__ import annotations

import datetime as dt

import pytest
from allauth.account.adapter import get_adapter
from django.contrib.auth.hashers import make_password
from django.contrib.messages.storage.cookie import CookieStorage
from django.db import transaction
from django.test import RequestFactory
from django.utils import timezone

from accounts.models import OwnLimit, User
from accounts.users import deletion, guests, limits
from accounts.users.forms import NameForm
from accounts.users.limits import Kind
from tables.game import account_deletion
from tables.views import account

pytestmark = pytest.mark.django_db

PASSWORD = "another-good-1!"


def delete(user: User) -> None:
    """``user`` stays what it was when a request read it."""
    account_deletion.delete_account(user.pk, timezone.now())


def reload(user: User) -> User:
    return User.objects.get(pk=user.pk)


def test_it_gets_no_name_again(ann: User) -> None:
    form = NameForm({"username": "Annabel"}, user=ann)
    assert form.is_valid()
    delete(ann)
    assert not form.save()
    assert form.errors["username"] == ["This account can't play. It is frozen or deleted."]
    assert reload(ann).username == deletion.deleted_user_name(ann.pk)


def test_it_is_not_listed_again(ann: User) -> None:
    delete(ann)
    request = RequestFactory().post("/account/listed/", {"listed": "on"})
    request.user = ann
    request._messages = CookieStorage(request)
    assert account.set_listed(request).status_code == 302
    assert not reload(ann).is_listed


def test_it_has_no_limits_again(ann: User) -> None:
    delete(ann)
    assert not limits.set_limit(ann, Kind.REMINDER, 60, timezone.now())
    assert not reload(ann).has_own_limits
    assert OwnLimit.objects.count() == 0


def test_a_guest_cannot_keep_it(db: None) -> None:
    guest = guests.create_guest(at=dt.datetime(2030, 5, 10, tzinfo=dt.UTC))
    delete(guest)
    with transaction.atomic():
        user = guests.convert(guest, name="eve", encoded_password=make_password(PASSWORD), email="")
    assert user is None
    assert reload(guest).username == deletion.deleted_user_name(guest.pk)
    assert not reload(guest).has_usable_password()


def test_a_new_password_brings_nothing_back(ann: User) -> None:
    delete(ann)
    get_adapter().set_password(ann, PASSWORD)
    user = reload(ann)
    assert (user.username, user.is_active) == (deletion.deleted_user_name(ann.pk), False)
    assert not user.has_usable_password()


def test_a_new_password_leaves_alone_what_another_page_has_changed(ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(username="Annabel", has_own_limits=True)
    get_adapter().set_password(ann, PASSWORD)
    user = reload(ann)
    assert (user.username, user.has_own_limits) == ("Annabel", True)
    assert user.check_password(PASSWORD)
