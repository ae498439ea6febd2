"""Users and the books, for operators. Money is not edited here, nor anywhere."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from accounts.models import Account, HouseSettings, Transfer, User

admin.site.site_header = admin.site.site_title = gettext_lazy("The Card Room, behind the counter")


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


@admin.register(HouseSettings)
class HouseSettingsAdmin(admin.ModelAdmin):
    """The one row of them, to be changed."""

    list_display = ("__str__", "rebuy_hours")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
