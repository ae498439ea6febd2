"""Tables and rounds, for operators. The private state of a table is listed nowhere."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin import ReadOnlyAdmin
from tables.models import Change, Hand, Round, Seat, Table


class SeatInline(admin.TabularInline):
    model = Seat
    extra = 0
    fields = ("number", "user", "missed_rounds", "is_leaving")
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    list_display = ("name", "rules_key", "phase", "seq", "deadline_at")
    # Named one by one, so that a new field is not shown by accident; "state" must never be.
    fields = (
        "name", "rules_key", "betting_seconds", "turn_seconds", "rack", "pot",
        "phase", "seq", "turn", "deadline_at",
    )  # fmt: skip
    inlines = (SeatInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Table]:
        return super().get_queryset(request).defer("state")


class HandInline(admin.TabularInline):
    model = Hand
    extra = 0
    fields = ("seat", "number", "user", "cards", "total", "outcome", "stake", "payout")
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    list_display = ("id", "table", "rules_key", "opened_at", "finished_at", "dealer_cards")
    list_filter = ("rules_key", "finished_at")
    list_select_related = ("table",)
    inlines = (HandInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Round]:
        return super().get_queryset(request).defer("table__state")


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", "table", "seq", "at", "user", "command")
    list_filter = ("table",)
    list_select_related = ("table", "user")
    fields = ("table", "seq", "round", "at", "user", "command", "events")
