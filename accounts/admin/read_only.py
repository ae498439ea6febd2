"""Read-only admin lists that stay fast with millions of rows.

A list has no total and a fixed order, so each page is read by its first key. Searches use an index.
The filters are days, table and player, along an index: filters by any column would reveal hidden columns
bit by bit. Each list is a file as well.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast

from django.contrib import admin
from django.contrib.admin import ShowFacets
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.lib.ids import parse_id
from accounts.lib.money import format_money
from accounts.lib.pagination import first_page
from accounts.lists import export
from accounts.lists.forms import FIRST_DAY, LAST_DAY, ListForm
from accounts.lists.id_ranges import filter_times
from accounts.models import User

BEFORE = "before"
"""The query parameter with the last id of the previous page."""
OWN_PARAMETERS = (BEFORE, "table", "player", FIRST_DAY, LAST_DAY, export.PARAMETER)
"""The parameters of the filter, the page and the file."""


def money_column(field: str, description: Any) -> Callable[[Any, Any], str]:
    """A column of an admin page that shows an amount of the row in units."""

    @admin.display(description=description)
    def column(_admin: Any, row: Any) -> str:
        return format_money(getattr(row, field))

    vars(column)["amount_of"] = field
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
    form: ListForm

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        filters: dict[str, Any] = super().get_filters_params(params)
        return {name: value for name, value in filters.items() if name not in OWN_PARAMETERS}

    def get_queryset(self, request: HttpRequest, *args: Any, **options: Any) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request, *args, **options)
        own = cast("ReadOnlyAdmin", self.model_admin)
        self.form = own.build_filter(request)
        return own.filter_rows(rows, self.form) if self.form.is_valid() else rows.none()

    def get_query_string(self, new_params: Any = None, remove: Any = None) -> str:
        names = [*(remove or []), BEFORE, export.PARAMETER]
        query: str = super().get_query_string(new_params, names)
        return query

    @property
    def file_query(self) -> str:
        """The query of the list as a file."""
        query: str = ChangeList.get_query_string(self, {export.PARAMETER: "csv"}, [BEFORE])
        return query

    @property
    def chosen(self) -> dict[str, str]:
        """The search and the filters."""
        return {name: str(value) for name, value in self.params.items() if name != export.PARAMETER}

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


class AuditLogHistoryAdmin(admin.ModelAdmin):
    """Rows whose history is their audit log, which has what Django's own history lacks."""

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """Redirect to the audit log of the row."""
        row = self.get_object(request, object_id)
        if row is None or not self.has_view_permission(request, row):
            raise PermissionDenied
        return redirect_to_audit_log(request, row)


class ReadOnlyAdmin(AuditLogHistoryAdmin):
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
    dated_by: ClassVar[str] = ""
    """The time of a row, for the filter by days; empty without one. Times rise with the ids."""
    player_by: ClassVar[str] = ""
    """The indexed column with the player of a row, for that filter; empty without one."""

    def build_filter(self, request: HttpRequest) -> ListForm:
        """The filter of this list."""
        kinds = {
            "has_days": bool(self.dated_by),
            "has_table": "table" in self.found_by,
            "has_player": bool(self.player_by),
        }
        form: ListForm = type("StoredListForm", (ListForm,), kinds)(request.GET)
        return form

    def filter_rows(self, rows: QuerySet[Any], form: ListForm) -> QuerySet[Any]:
        """The rows that a valid form has chosen."""
        read = form.cleaned_data
        if read.get("table") is not None:
            rows = rows.filter(**{self.found_by["table"]: read["table"]})
        if read.get("player") is not None:
            rows = self.filter_player(rows, read["player"])
        return filter_times(rows, self.dated_by, form.times) if self.dated_by else rows

    def filter_player(self, rows: QuerySet[Any], player: User) -> QuerySet[Any]:
        """The rows of a player."""
        return rows.filter(**{self.player_by: player.pk})

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponseBase:  # type: ignore[override]  # a file is streamed
        """The list, or its file."""
        if not export.is_wanted(request) or not self.has_view_permission(request):
            title = capfirst(str(self.opts.verbose_name_plural))
            return super().changelist_view(request, {"title": title, **(extra_context or {})})
        try:
            changelist = cast("PagedList", self.get_changelist_instance(request))
        except IncorrectLookupParameters:
            return redirect(request.path)
        return export.download(
            request,
            self._file(changelist),
            changelist.chosen,
            logged={**changelist.chosen, **changelist.form.logged},
        )

    def _file(self, changelist: PagedList) -> export.ListFile:
        """All rows of a list, with the columns of its page and the id."""
        names = [name for name in self.list_display if name not in ("id", "__str__")]
        readers = [self._cell_reader(str(name)) for name in names]

        def read(before: int | None) -> tuple[list[list[object]], int | None]:
            rows, older = first_page(changelist.queryset, export.AT_ONCE, before)
            return [[row.pk, *(of(row) for of in readers)] for row in rows], older

        columns = ["id", *map(self._column_name, names)]
        return export.ListFile(str(self.opts.model_name), columns, export.read_pages(read))

    def _column_name(self, name: Any) -> str:
        field = getattr(getattr(self, str(name), None), "amount_of", "")
        return f"{field}_in_units" if field else str(name)

    def _cell_reader(self, name: str) -> Callable[[Any], object]:
        if method := getattr(self, name, None):
            field = getattr(method, "amount_of", "")
            if field:
                return lambda row: export.Amount(getattr(row, field))
            return cast("Callable[[Any], object]", method)
        return lambda row: getattr(row, name)

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

        def format_value(row: Model) -> str:
            value = getattr(row, field.name)
            return self.get_empty_value_display() if value is None else str(value)

        format_value.__name__ = field.name
        vars(format_value)["short_description"] = field.verbose_name
        return format_value

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
        offered = set(OWN_PARAMETERS)
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
        number = parse_id(rest)
        column = self.found_by.get(word) if word else "pk"
        if column is None or number is None:
            return rows.none()
        return rows.filter(**{column: number})

    @property
    def search_help_text(self) -> Any:  # type: ignore[override]  # Django asks the instance
        words = [f"{word}:7" for word in self.found_by]
        return _("By number, such as %(examples)s.") % {"examples": ", ".join(["7", *words])}


def _may_view(request: HttpRequest, model: type[Model]) -> bool:
    return request.user.has_perm(f"{model._meta.app_label}.view_{model._meta.model_name}")


def redirect_to_audit_log(request: HttpRequest, row: Model) -> HttpResponse:
    """Redirect to the audit log of a row. Raises ``PermissionDenied`` without the permission."""
    if not request.user.has_perm("accounts.view_act"):
        raise PermissionDenied
    query = urlencode({"subject": audit_log.build_subject(row)})
    return redirect(f"{reverse('admin:trail')}?{query}")
