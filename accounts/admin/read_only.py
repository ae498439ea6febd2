"""Read-only admin lists that stay fast with millions of rows.

A list has no total and a fixed order, so each page is read by its first key. Searches use an index.
There are no other filters: filters by any column would reveal hidden columns bit by bit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin import ShowFacets
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.lib.ids import parse_id
from accounts.lib.money import format_money
from accounts.lib.pagination import first_page

BEFORE = "before"
"""The query parameter with the last id of the previous page."""


def money_column(field: str, description: Any) -> Callable[[Any, Any], str]:
    """A column of an admin page that shows an amount of the row in units."""

    @admin.display(description=description)
    def column(_admin: Any, row: Any) -> str:
        return format_money(getattr(row, field))

    return column


def parse_day(text: str) -> dt.date | None:
    """Parse a day such as 2026-11-21; ``None`` for anything else."""
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return None
    return day if dt.date.min < day < dt.date.max else None


class PagedList(ChangeList):
    """A list, newest first, with keyset pages instead of a total."""

    before: int | None = None
    older_query: str | None = None

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        found: dict[str, Any] = super().get_filters_params(params)
        return {name: value for name, value in found.items() if name != BEFORE}

    def get_query_string(self, new_params: Any = None, remove: Any = None) -> str:
        query: str = super().get_query_string(new_params, [*(remove or []), BEFORE])
        return query

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        return ["-pk"]

    def get_results(self, request: HttpRequest) -> None:
        self.before = parse_id(self.params.get(BEFORE, ""))
        self.params.pop(BEFORE, None)
        self.result_list, older = first_page(self.queryset, self.list_per_page, self.before)
        if older is not None:
            self.older_query = self.get_query_string({BEFORE: older})
        # Django's templates use these.
        self.result_count = self.full_result_count = len(self.result_list)
        self.show_full_result_count = self.can_show_all = self.multi_page = False
        self.show_admin_actions = False
        self.paginator = Paginator(self.result_list, self.list_per_page)

    @property
    def first_page_query(self) -> str:
        """The query of the first page."""
        return self.get_query_string()


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows without forms to add, change or delete them."""

    actions = None
    list_per_page = 50
    sortable_by = ()
    show_facets = ShowFacets.NEVER
    show_full_result_count = False
    search_fields: ClassVar[Any] = ("pk",)
    change_list_template = "admin/operators/change_list.html"
    change_form_template = "admin/operators/change_form.html"
    has_trail = False
    """Whether the audit log has entries about such rows."""
    found_by: ClassVar[Mapping[str, str]] = {}
    """The searches ``word:7``: an indexed column by the word."""
    deferred: Sequence[str] = ()
    """Columns that are never read."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The fields; related rows are links only with the permission of their page."""
        names = super().get_fields(request, obj)
        return [self._field_without_link(request, name) for name in names] if obj else names

    def _field_without_link(self, request: HttpRequest, name: Any) -> Any:
        field = next((one for one in self.opts.concrete_fields if one.name == name), None)
        other: Any = field.related_model if field is not None else None
        if field is None or other is None or _may_view(request, other):
            return name

        def shown(row: Model) -> str:
            found = getattr(row, field.name)
            return self.get_empty_value_display() if found is None else str(found)

        shown.__name__ = field.name
        vars(shown)["short_description"] = field.verbose_name
        return shown

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        title = capfirst(str(self.opts.verbose_name_plural))
        page: HttpResponse = super().changelist_view(
            request, {"title": title, **(extra_context or {})}
        )
        return page

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PagedList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        together: Any = self.list_select_related
        if together:
            rows = rows.select_related(*together)
        return rows.defer(*self.deferred) if self.deferred else rows

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow only the filters of the page itself.

        Raises ``IncorrectLookupParameters`` for a value that PostgreSQL does not even compare.
        """
        if "\0" in value:
            raise IncorrectLookupParameters("A null character stands in no column.")
        filters: Any = self.list_filter
        offered = {BEFORE}
        for name in filters:
            if isinstance(name, str):
                offered |= {name, f"{name}__exact", f"{name}__isnull"}
            else:
                offered.add(f"{name[0]}__isempty")
        return lookup in offered

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        return (self.search_rows(queryset, term) if term else queryset), False

    def search_rows(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """The rows of a search: the one with this id, or those of ``word:7``."""
        word, _colon, rest = term.rpartition(":")
        wanted = parse_id(rest)
        column = self.found_by.get(word) if word else "pk"
        if column is None or wanted is None:
            return rows.none()
        return rows.filter(**{column: wanted})

    @property
    def search_help_text(self) -> Any:  # type: ignore[override]  # Django asks the instance
        words = [f"{word}:7" for word in self.found_by]
        return _("By number, such as %(examples)s.") % {"examples": ", ".join(["7", *words])}

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """Redirect to the audit log of the row."""
        row = self.get_object(request, object_id)
        if row is None or not self.has_view_permission(request, row):
            raise PermissionDenied
        return redirect_to_audit_log(request, row)


def _may_view(request: HttpRequest, model: type[Model]) -> bool:
    return request.user.has_perm(f"{model._meta.app_label}.view_{model._meta.model_name}")


def redirect_to_audit_log(request: HttpRequest, row: Model) -> HttpResponse:
    """Redirect to the audit log of a row. Raises ``PermissionDenied`` without the permission."""
    if not request.user.has_perm("accounts.view_act"):
        raise PermissionDenied
    query = urlencode({"subject": audit_log.build_subject(row)})
    return redirect(f"{reverse('admin:trail')}?{query}")
