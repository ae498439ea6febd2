"""Admin pages of rows that two operators may edit at the same time."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest

from accounts import audit_log
from accounts.concurrent_edits import describe_last_change


class ConcurrentEditAdmin(admin.ModelAdmin):
    """The row is locked before its values are compared with those of the sent form, which is a
    :class:`ConcurrentEditMixin`.
    """

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Any:
        row = super().get_object(request, object_id, from_field)
        if (
            row is None
            or request.method != "POST"
            or not transaction.get_connection().in_atomic_block
        ):
            return row
        return type(row)._default_manager.select_for_update().filter(pk=row.pk).first()

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change=change, **options)
        if obj is not None:
            subject = audit_log.build_subject(obj)
            form.describe_change = staticmethod(partial(describe_last_change, subject))
        return form

    def add_merge_message(self, request: HttpRequest, form: Any) -> None:
        """Say on the next page which changes of others are kept."""
        if form.merged:
            messages.info(request, form.merged_text)
