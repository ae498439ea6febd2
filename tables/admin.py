"""Admin pages of tables and rounds. A table's private state is never listed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.admin import users
from accounts.admin.read_only import ReadOnlyAdmin, money_column
from accounts.lib.ids import parse_id
from accounts.lib.money import format_money
from accounts.lists.forms import ListForm
from accounts.models import Act, User
from tables.models import (
    AuditRun,
    Change,
    ChatLine,
    PileGame,
    Report,
    Result,
    Round,
    Seat,
    ServerProcess,
    Shoe,
    Table,
    Takings,
    Void,
)
from tables.operators.audit_log import text
from tables.operators.floor import event_text
from tables.operators.floor.command_text import format_command
from tables.protocol import codec
from tables.realtime import publishing
from tables.records.hand_view import is_answer_secret, list_visible_events, may_show_cards
from tables.results import projector
from tables.texts import rules
from tables.texts.cards import format_cards
from tables.texts.outcomes import format_outcome


@admin.register(User)
class PlayerAdmin(users.PlayerAdmin):
    """Applies changes of an account by a superuser to its open pages at once."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the permissions, and make the user's pages reload."""
        super().save_related(request, form, formsets, change)
        if form.changed_data:
            transaction.on_commit(partial(publishing.reload_pages, form.instance.pk))

    def user_change_password(
        self, request: HttpRequest, *args: Any, **options: Any
    ) -> HttpResponse:
        """Set a password, which ends all other sessions of the user."""
        own_key = request.session.session_key
        answer: HttpResponse = super().user_change_password(request, *args, **options)
        user_id = parse_id(options["id"])
        if request.method == "POST" and user_id is not None:
            but = own_key if user_id == request.user.pk else None
            transaction.on_commit(partial(publishing.close_ended_sessions, user_id, but=but))
        return answer


@admin.register(Act)
class ActAdmin(ReadOnlyAdmin):
    """The stored entries of the audit log, whose own page is easier to read."""

    list_display = ("id", "at", "by", "what", "subject", "reason")
    list_select_related = ("by",)
    fields = ("at", "by", "what", "subject", "changed", "reason", "address")
    dated_by = "at"
    player_by = "by"
    search_help_text = _("By number, or by subject, such as table:7.")

    def search_rows(self, rows: QuerySet[Act], term: str) -> QuerySet[Act]:
        return super().search_rows(rows, term) if parse_id(term) else rows.filter(subject=term)

    @admin.display(description=_("changed"))
    def changed(self, act: Act) -> str:
        """Each changed field with its values before and after."""
        names = text.load_row_names([act])
        lines = [
            (text.get_label(field), *(
                names.format_value(field, (values or {}).get(field))
                for values in (act.before, act.after)
            ))
            for field in {**(act.before or {}), **(act.after or {})}
        ]  # fmt: skip
        return format_html_join("", "<p>{}: {} → {}</p>", lines)


class ReadOnlyInline(admin.TabularInline):
    """Rows below another one, that are never changed by hand."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SeatInline(ReadOnlyInline):
    model = Seat
    fields = ("number", "user", "missed_rounds", "is_leaving")


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    has_trail = True
    list_display = ("name", "maker", "rules_key", "differences", "phase", "is_private", "closed_at")
    list_filter = ("rules_key", "is_private", ("closed_at", admin.EmptyFieldListFilter))
    list_select_related = ("maker",)
    inlines = (SeatInline,)
    # Listed by name, so that new fields stay hidden; "state" must never be shown.
    fields = (
        "name", "maker", "rules_key", "differences", "betting_seconds", "turn_seconds",
        "time_bank_seconds", "is_private", "is_locked", "has_chat", "has_hints", "has_behind",
        "watchers", "used_at",
        "is_closing", "closed_at",
        "paused_at", "paused_because", "is_paused_by_host", "waiting_change", "most_filled", "filled",
        "rack", "phase", "seq", "turn", "deadline_at",
    )  # fmt: skip

    @admin.display(description=_("changed rules"))
    def differences(self, table: Table) -> str:
        return ", ".join(rules.list_differences(table.rules)) or str(_("default"))

    @admin.display(description=_("pending change"))
    def waiting_change(self, table: Table) -> str:
        return text.format_settings(table.coming or {})

    @admin.display(description=_("automatic refill limit"))
    def most_filled(self, table: Table) -> str:
        return str(_("no limit")) if table.fill_limit is None else format_money(table.fill_limit)

    filled = money_column("auto_filled", _("refilled automatically"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Table]:
        return super().get_queryset(request).defer("state")


class HandInline(ReadOnlyInline):
    """The results of a round with their hands, a row for each player."""

    model = Result
    verbose_name_plural = "hands"
    ordering = ("seat",)
    fields = (
        "seat", "user", "shown_cards", "total", "outcomes", "staked", "paid", "insurance",
    )  # fmt: skip
    readonly_fields = ("shown_cards", "total", "outcomes", "staked", "paid", "insurance")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("tables.view_hand")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Result]:
        results: QuerySet[Result] = super().get_queryset(request).exclude(hands="")
        return results.select_related("user", "round__shoe")

    @admin.display(description=_("cards"))
    def shown_cards(self, result: Result) -> str:
        if not may_show_cards(result.round):
            return str(_("in the piles"))
        return _join(format_cards(hand.cards) for hand in result.list_hands())

    @admin.display(description="total")
    def total(self, result: Result) -> str:
        return _join(hand.total for hand in result.list_hands())

    @admin.display(description="outcome")
    def outcomes(self, result: Result) -> str:
        return _join(format_outcome(hand.outcome) for hand in result.list_hands())

    @admin.display(description=_("bet"))
    def staked(self, result: Result) -> str:
        return _join(format_money(hand.stake) for hand in result.list_hands())

    @admin.display(description=_("payout"))
    def paid(self, result: Result) -> str:
        return _join(format_money(hand.payout) for hand in result.list_hands())

    @admin.display(description=_("insurance: bet, payout"))
    def insurance(self, result: Result) -> str:
        first = result.list_hands()[0]
        return f"{format_money(first.insurance_stake)}, {format_money(first.insurance_payout)}"


def _join(values: Iterable[object]) -> str:
    """The values of the hands of one player."""
    return " | ".join(map(str, values))


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    has_trail = True
    list_display = (
        "id", "table", "rules_key", "opened_at", "finished_at", "voided_at", "shown_cards"
    )  # fmt: skip
    # Listed by name: "dealer_cards" are shown only when they are not hidden.
    fields = (
        "table", "rules_key", "changed_rules", "shoe", "first_card", "opened_at", "dealt_at",
        "finished_at", "shown_cards", "voided_at",
    )  # fmt: skip
    list_select_related = ("table", "shoe")
    deferred = ("table__state",)
    found_by = {"table": "table", "shoe": "shoe"}
    dated_by = "opened_at"
    inlines = (HandInline,)

    @admin.display(description=_("dealer cards"))
    def shown_cards(self, round_: Round) -> str:
        if not may_show_cards(round_):
            return str(_("in the piles"))
        return format_cards(round_.dealer_cards)

    @admin.display(description=_("changed rules"))
    def changed_rules(self, round_: Round) -> str:
        return ", ".join(rules.list_differences(round_.rules)) or str(_("default"))


@admin.register(Shoe)
class ShoeAdmin(ReadOnlyAdmin):
    """The public data of shoes; the secret is empty until a shoe is retired."""

    list_display = ("id", "table", "decks", "commitment", "sealed_at", "retired_at")
    list_select_related = ("table",)
    deferred = ("table__state",)
    found_by = {"table": "table"}
    dated_by = "sealed_at"
    fields = (
        "table", "method", "decks", "commitment", "words", "secret", "sealed_at", "retired_at",
        "retired_because",
    )  # fmt: skip


@admin.register(PileGame)
class PileGameAdmin(ReadOnlyAdmin):
    list_display = ("round", "user", "players_pile", "dealers_pile", "discards", "winner")
    fields = list_display
    list_select_related = ("round", "user")
    found_by = {"round": "round", "user": "user"}
    player_by = "user"

    @admin.display(description=_("player's pile"))
    def players_pile(self, game: PileGame) -> int:
        return game.player

    @admin.display(description=_("dealer's pile"))
    def dealers_pile(self, game: PileGame) -> int:
        return game.house

    @admin.display(description=_("discard pile"))
    def discards(self, game: PileGame) -> int:
        return game.discard


@admin.register(ChatLine)
class ChatLineAdmin(ReadOnlyAdmin):
    """Chat lines, with removed ones. Lines are removed at the table."""

    list_display = ("at", "table", "user", "text", "removed_at", "removed_by")
    list_select_related = ("table", "user", "removed_by")
    deferred = ("table__state",)
    found_by = {"table": "table", "user": "user"}
    dated_by = "at"
    player_by = "user"
    fields = ("table", "user", "at", "text", "removed_at", "removed_by")


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", "table", "seq", "at", "user", "shown_command")
    list_select_related = ("table", "user", "round__shoe")
    deferred = ("table__state",)
    found_by = {"table": "table", "round": "round", "user": "user"}
    dated_by = "at"
    player_by = "user"
    fields = ("table", "seq", "round", "at", "user", "shown_command", "shown_events")

    def search_rows(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Those of a table are in the order of its changes, which is that of the ids, by an index."""
        matches = super().search_rows(rows, term)
        return matches.order_by("-seq") if term.startswith("table:") else matches

    def filter_rows(self, rows: QuerySet[Any], form: ListForm) -> QuerySet[Any]:
        """In the same order for a table."""
        matches = super().filter_rows(rows, form)
        return matches.order_by("-seq") if form.cleaned_data.get("table") else matches

    @admin.display(description=_("command"))
    def shown_command(self, change: Change) -> str:
        """The command in words; of a secret answer about insurance only that there is one."""
        return gettext("decided") if is_answer_secret(change) else format_command(change.command)

    @admin.display(description=_("events"))
    def shown_events(self, change: Change) -> str:
        """The sentences of the events; cards in the piles of an unfinished game are hidden."""
        sentences = map(event_text.format_event, list_visible_events(change))
        return format_html_join("", "<p>{}</p>", ((sentence,) for sentence in sentences))


@admin.register(Void)
class VoidAdmin(ReadOnlyAdmin):
    list_display = ("id", "round", "status", "reason", "asked_by", "asked_at", "decided_by")
    list_select_related = ("round", "asked_by", "decided_by")
    found_by = {"round": "round"}
    dated_by = "asked_at"


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    list_display = (
        "id", "kind", "reason", "round", "table", "about", "user", "at", "text", "answered_at"
    )  # fmt: skip
    list_select_related = ("round", "table", "about", "user", "answered_by")
    deferred = ("table__state",)
    found_by = {"round": "round", "user": "user", "about": "about", "table": "table"}
    dated_by = "at"
    player_by = "about"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        """The rows, without those about the operator who looks."""
        return super().get_queryset(request).exclude(about=request.user.pk)


@admin.register(Takings)
class TakingsAdmin(ReadOnlyAdmin):
    """Daily totals."""

    list_display = ("day", "table", "rules_key", "changed_rules", "rounds", "stakes", "payouts")
    fields = (
        "table", "day", "rules_key", "changed_rules", "rounds", "plays", "stakes", "payouts",
        "first_bets", "void_rounds", "void_plays", "void_stakes", "void_payouts",
    )  # fmt: skip
    list_select_related = ("table",)
    deferred = ("table__state",)
    found_by = {"table": "table"}

    @admin.display(description=_("changed rules"))
    def changed_rules(self, takings: Takings) -> str:
        return text.format_settings(codec.decode_state(takings.options)) if takings.options else "–"

    stakes = money_column("staked", _("bet"))
    payouts = money_column("paid", _("paid"))
    first_bets = money_column("bets", _("first bets"))
    void_stakes = money_column("void_staked", _("bet in void rounds"))
    void_payouts = money_column("void_paid", _("paid in void rounds"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Takings]:
        """The rows with all rounds up to now."""
        if request.method == "GET":
            projector.catch_up_for_page()
        return super().get_queryset(request)


@admin.register(AuditRun)
class AuditRunAdmin(ReadOnlyAdmin):
    list_display = ("id", "started_at", "started_by", "finished_at", "step")
    dated_by = "started_at"
    list_select_related = ("started_by",)


@admin.register(ServerProcess)
class ServerProcessAdmin(ReadOnlyAdmin):
    list_display = ("id", "host", "pid", "started_at", "seen_at", "sockets")
    fields = list_display[1:]
