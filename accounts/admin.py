"""Users and the books, for operators. Money is not edited here, nor anywhere."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest

from accounts import trail
from accounts.models import Account, Act, HouseSettings, Transfer, User
from accounts.trail import Operator

for library in (Group, EmailAddress, UserSession):
    # Roles are made by a migration; addresses are their owner's; keys of sessions are nobody's.
    admin.site.unregister(library)


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that are looked at and never changed by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(User)
class PlayerAdmin(UserAdmin):
    """Who can log in. Names stay in the books, so users are switched off and not deleted."""

    list_display = ("username", "is_guest", "email", "is_staff", "is_active", "date_joined")
    list_filter = ("is_guest", "is_staff", "is_superuser", "is_active", "groups")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "user", "balance")
    list_filter = ("kind",)
    list_select_related = ("user",)
    search_fields = ("user__username",)


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    list_display = ("id", "at", "kind", "amount", "debit", "credit", "reference", "by")
    list_filter = ("kind", "at")
    list_select_related = ("debit__user", "credit__user", "by")
    search_fields = ("reference", "debit__user__username", "credit__user__username")


class TrailedAdmin(admin.ModelAdmin):
    """Rows that are changed by a form, each change with its entry in the trail."""

    trailed_as: Act.What

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:
        before = {name: str(form.initial.get(name)) for name in form.changed_data}
        after = {name: str(form.cleaned_data.get(name)) for name in form.changed_data}
        with transaction.atomic():
            super().save_model(request, obj, form, change)
            operator, subject = Operator.of(request), trail.subject_of(obj)
            trail.write(operator, self.trailed_as, subject, before=before, after=after)


@admin.register(HouseSettings)
class HouseSettingsAdmin(TrailedAdmin):
    """The one row of them, to be changed."""

    trailed_as = Act.What.SETTINGS
    list_display = ("__str__", "rebuy_hours")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
