"""An index by time of rows that are inserted in nearly that order."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement
from django.db.models import Index, Model


class TimeIndex(Index):
    """On PostgreSQL a BRIN index, which takes a few bytes for thousands of rows.

    It finds ranges of time, and gives no order.
    """

    def create_sql(
        self,
        model: type[Model],
        schema_editor: BaseDatabaseSchemaEditor,
        using: str = "",
        **kwargs: Any,
    ) -> Statement:
        """The statement that creates it."""
        if schema_editor.connection.vendor == "postgresql":
            using = " USING brin"
        return super().create_sql(model, schema_editor, using=using, **kwargs)
