"""Tables and rounds, for operators. The private state of a table is listed nowhere."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin import ReadOnlyAdmin
from tables import rules_text, runtime
from tables.engine.options import OPTIONS
from tables.forms import TableForm
from tables.models import Change, ChatLine, Hand, PileGame, Round, Seat, Shoe, Table


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
    list_display = ("name", "maker", "rules_key", "differences", "phase", "is_private", "closed_at")
    list_filter = ("rules_key", "is_private", ("closed_at", admin.EmptyFieldListFilter))
    list_select_related = ("maker",)
    # Named one by one, so that a new field is not shown by accident; "state" must never be.
    fields = (
        "name", "maker", "rules_key", "differences", "betting_seconds", "turn_seconds",
        "is_private", "is_locked", "has_chat", "watchers", "used_at", "is_closing", "closed_at",
        "rack", "pot", "phase", "seq", "turn", "deadline_at",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """A table is opened by a form of its own; an open one is looked at."""
        return super().get_form(request, obj, change, **kwargs) if obj else TableForm

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj:
            return super().get_fieldsets(request, obj)
        options = (*OPTIONS, "no_maximum")
        return [
            (None, {"fields": TableForm.Meta.fields}),
            (_("Played differently from these rules"), {"fields": options}),
        ]

    def get_inlines(self, request: HttpRequest, obj: Any = None) -> Any:
        return [SeatInline] if obj else []

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Table:
        table: Table = form.open_table()
        transaction.on_commit(runtime.tell_lobby)
        return table

    def save_model(self, request: HttpRequest, obj: Table, form: Any, change: bool) -> None:
        """Opened already, with its accounts."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Nothing else belongs to a new table."""

    @admin.display(description=_("played differently"))
    def differences(self, table: Table) -> str:
        return ", ".join(rules_text.differences(table.rules)) or str(_("as the rules say"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Table]:
        return super().get_queryset(request).defer("state")


class HandInline(admin.TabularInline):
    model = Hand
    extra = 0
    fields = (
        "seat", "number", "user", "cards", "total", "outcome", "stake", "payout",
        "insurance_stake", "insurance_payout",
    )  # fmt: skip
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


@admin.register(Shoe)
class ShoeAdmin(ReadOnlyAdmin):
    """What is published about shoes; the secret is empty until a shoe is retired."""

    list_display = ("id", "table", "decks", "commitment", "sealed_at", "retired_at")
    list_filter = ("table", "retired_at")
    list_select_related = ("table",)
    fields = (
        "table", "method", "decks", "commitment", "words", "secret", "sealed_at", "retired_at",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Shoe]:
        return super().get_queryset(request).defer("table__state")


@admin.register(PileGame)
class PileGameAdmin(ReadOnlyAdmin):
    list_display = ("round", "user", "player", "house", "discard", "winner")
    list_filter = ("winner",)
    list_select_related = ("round", "user")


@admin.register(ChatLine)
class ChatLineAdmin(ReadOnlyAdmin):
    """What was said, removed lines included. Lines are removed at the table itself."""

    list_display = ("at", "table", "user", "text", "removed_at", "removed_by")
    list_filter = ("removed_at", "table")
    list_select_related = ("table", "user", "removed_by")
    fields = ("table", "user", "at", "text", "removed_at", "removed_by")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ChatLine]:
        return super().get_queryset(request).defer("table__state")


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", "table", "seq", "at", "user", "command")
    list_filter = ("table",)
    list_select_related = ("table", "user")
    fields = ("table", "seq", "round", "at", "user", "command", "events")
