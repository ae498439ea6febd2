"""Compiled INSERT and UPDATE statements for the hot path.

The SQL is generated from the models; see :mod:`accounts.lib.sql.select`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, models
from django.db.models import Field, Model
from django.db.models.base import ModelState

from accounts.lib.sql.driver import Statement, get_connection, to_driver_value

M = TypeVar("M", bound=Model)

_PLAIN: Final[tuple[type, ...]] = (
    models.BooleanField, models.CharField, models.FloatField, models.ForeignKey,
    models.IntegerField, models.TextField,
)  # fmt: skip
"""Fields whose values every driver accepts without conversion."""


class LockRows:
    """Locks rows in the order of their keys, where the database has row locks."""

    def __init__(self, model: type[Model]) -> None:
        key = _quoted_column(model._meta.pk)
        self._statement = Statement(
            f"SELECT {key} FROM {_quoted_table(model)} WHERE {key} = ANY(%s) ORDER BY {key} FOR UPDATE"
        )

    def __call__(self, keys: Iterable[int]) -> None:
        """Lock the rows with these keys until the transaction ends."""
        ordered = sorted(keys)
        if ordered and get_connection().features.has_select_for_update:
            self._statement.read([ordered])


class NewInstance(Generic[M]):
    """Creates unsaved model instances, faster than the model's constructor.

    It sets no relations and sends no signals. Columns have their database names (``user_id``);
    missing ones get their default.
    """

    def __init__(self, model: type[M]) -> None:
        self._model = model
        fields = {field.attname: field for field in model._meta.concrete_fields}
        self._anew = {
            name: field.get_default
            for name, field in fields.items()
            if field.has_default() and callable(field.default)
        }
        self._alike = {
            name: field.get_default() for name, field in fields.items() if name not in self._anew
        }

    def __call__(self, **columns: Any) -> M:
        """Create an instance. Raises ``TypeError`` for an unknown column."""
        said = self._alike | {name: of() for name, of in self._anew.items()} | columns
        if len(said) != len(self._alike) + len(self._anew):
            raise TypeError(f"{self._model.__name__} has not all of {sorted(columns)}")
        row = self._model.__new__(self._model)
        vars(row).update(said, _state=ModelState())
        return row


class InsertRows(Generic[M]):
    """Inserts rows of a model, with all or the named fields; others get the database's default."""

    def __init__(self, model: type[M], names: Iterable[str] = ()) -> None:
        key = model._meta.pk
        every = [field for field in model._meta.concrete_fields if field is not key]
        fields = _get_fields(model, names) or every
        self._values = _RowReader(fields)
        columns = ", ".join(map(_quoted_column, fields))
        values = ", ".join(["%s"] * len(fields))
        sql = f"INSERT INTO {_quoted_table(model)} ({columns}) VALUES ({values})"
        self._statement, self._telling = (
            Statement(sql),
            Statement(f"{sql} RETURNING {_quoted_column(key)}"),
        )

    def __call__(self, rows: Iterable[M]) -> None:
        """Insert all rows, without reading their keys."""
        self._statement.write(list(map(self._values, rows)))

    def insert_values(self, rows: Iterable[Sequence[Any]]) -> None:
        """Insert rows given as driver values in the order of the field names."""
        self._statement.write(list(rows))

    def insert_one(self, row: M) -> M:
        """Insert ``row`` and set its key."""
        ((row.pk,),) = self._telling.read(self._values(row))
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
        return row


class UpdateRows(Generic[M]):
    """Updates some fields of rows by their keys."""

    def __init__(self, model: type[M], names: Iterable[str]) -> None:
        fields, key = _get_fields(model, names), model._meta.pk
        self._values = _RowReader([*fields, key])
        sets = ", ".join(f"{_quoted_column(field)} = %s" for field in fields)
        self._statement = Statement(
            f"UPDATE {_quoted_table(model)} SET {sets} WHERE {_quoted_column(key)} = %s"
        )

    def __call__(self, rows: Iterable[M]) -> None:
        """Update these fields of all rows."""
        self._statement.write(list(map(self._values, rows)))


class CompareAndSet(Generic[M]):
    """Updates one field of rows if it still has its old value, and increments a counter field."""

    def __init__(self, model: type[M], name: str, counted: str) -> None:
        column, count = map(_quoted_column, _get_fields(model, [name, counted]))
        key = _quoted_column(model._meta.pk)
        self._statement = Statement(
            f"UPDATE {_quoted_table(model)} SET {column} = %s, {count} = {count} + 1"
            f" WHERE {key} = %s AND {column} = %s"
        )

    def __call__(self, changes: Iterable[tuple[int, int, int]]) -> int:
        """Update rows by ``(key, old, new)``; return the number of updated rows."""
        return self._statement.write([(after, key, before) for key, before, after in changes])


class AddToRows(Generic[M]):
    """Adds numbers to fields of rows with the same values in other fields."""

    def __init__(self, model: type[M], where: Iterable[str], names: Iterable[str]) -> None:
        added, alike = _get_fields(model, names), _get_fields(model, where)
        self._values = _RowReader([*added, *alike])
        sets = ", ".join(f"{column} = {column} + %s" for column in map(_quoted_column, added))
        condition = " AND ".join(f"{_quoted_column(field)} = %s" for field in alike)
        self._statement = Statement(f"UPDATE {_quoted_table(model)} SET {sets} WHERE {condition}")

    def __call__(self, row: M) -> int:
        """Add the values of ``row`` to the matching rows; return the number of updated rows."""
        return self._statement.write([self._values(row)])


class _RowReader:
    """Reads the driver values of these fields from rows."""

    def __init__(self, fields: Sequence[Field[Any, Any]]) -> None:
        self._of = attrgetter(*(field.attname for field in fields))
        self._is_one = len(fields) == 1
        self._moments = [
            at for at, field in enumerate(fields) if type(field) is models.DateTimeField
        ]
        self._others = [
            (at, field)
            for at, field in enumerate(fields)
            if at not in self._moments and not isinstance(field, _PLAIN)
        ]

    def __call__(self, row: Model) -> list[Any]:
        values = [self._of(row)] if self._is_one else list(self._of(row))
        for at in self._moments:
            values[at] = to_driver_value(values[at])
        for at, field in self._others:
            values[at] = field.get_db_prep_save(values[at], get_connection())
        return values


def _get_fields(model: type[Model], names: Iterable[str]) -> list[Field[Any, Any]]:
    fields = [model._meta.get_field(name) for name in names]
    return [field for field in fields if isinstance(field, Field)]


def _quoted_table(model: type[Model]) -> str:
    return f'"{model._meta.db_table}"'


def _quoted_column(field: Field[Any, Any]) -> str:
    return f'"{field.column}"'
