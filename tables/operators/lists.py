"""What the lists of the operators' pages share: their filter, and what its template needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accounts.lists import export
from accounts.lists.forms import ListForm
from tables.models import Table


class TableListForm(ListForm):
    """The filter of a list whose tables exist."""

    def is_table(self, number: int) -> bool:
        return Table.objects.filter(pk=number).exists()


def list_context(form: ListForm, **more: str) -> dict[str, Any]:
    """The filter, and the link to the file, for ``admin/operators/_filters.html``.

    ``more`` are query parameters that are no fields of the form.
    """
    query: Mapping[str, str] = {**form.query, **more}
    return {
        "form": form,
        "query": query,
        "is_chosen": bool(form.query) or not form.is_valid(),
        "file_url": export.file_query(query) if form.is_valid() else None,
    }
