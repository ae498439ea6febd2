"""Compiled INSERT and UPDATE statements for the hot path.

The SQL is generated from the models; see :mod:`accounts.lib.sql.select`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, models
from django.db.models import Field, Model
from django.db.models.base import ModelState

from accounts.lib.sql import optimistic
from accounts.lib.sql.driver import Statement, get_connection, has_row_locks, to_driver_value

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
            f"SELECT {key} FROM {_quoted_table(model)} WHERE {key} = ANY(%s) ORDER BY {key} FOR NO KEY UPDATE"
        )

    def __call__(self, keys: Iterable[int]) -> None:
        """Lock the rows with these keys until the transaction ends, at the latest when the pipeline
        ends. Rows that refer to them may be inserted by others.
        """
        ordered = sorted(keys)
        if ordered and has_row_locks():
            self._statement.send([ordered])


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
        self._with_keys = Statement(
            f"INSERT INTO {_quoted_table(model)} ({_quoted_column(key)}, {columns})"
            f" VALUES (%s, {values})"
        )
        self._next_keys = Statement(
            f"SELECT nextval(pg_get_serial_sequence('{_quoted_table(model)}', %s))"
            " FROM generate_series(1, %s)"
        )
        self._key = key.column

    def __call__(self, rows: Iterable[M]) -> None:
        """Insert all rows, without reading their keys."""
        self._statement.write(list(map(self._values, rows)))

    def insert_values(self, rows: Iterable[Sequence[Any]]) -> None:
        """Insert rows given as driver values in the order of the field names."""
        self._statement.write(list(rows))

    def reserve_key(self, row: M) -> Callable[[], None]:
        """Set the key of a new row; return a function that inserts it, for a pipeline.

        On SQLite it is inserted at once: nothing else can write before the transaction ends.
        """
        if not has_row_locks():
            self.insert_one(row)
            return lambda: None
        row.pk = optimistic.reserve_key(self, self._reserve_keys)
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
        return lambda: self._with_keys.write([[row.pk, *self._values(row)]])

    def _reserve_keys(self, number: int) -> list[int]:
        return [key for (key,) in self._next_keys.read([self._key, number])]

    def insert_one(self, row: M) -> M:
        """Insert ``row`` and set its key."""
        ((row.pk,),) = self._telling.read(self._values(row))
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
        return row


class UpdateRows(Generic[M]):
    """Updates some fields of rows by their keys."""

    def __init__(self, model: type[M], names: Iterable[str], *, counted: str = "") -> None:
        """``counted`` is a field whose stored value must be one less than the row's."""
        fields, key = _get_fields(model, names), model._meta.pk
        where, self._is_conditional = [key], bool(counted)
        sets = ", ".join(f"{_quoted_column(field)} = %s" for field in fields)
        sql = f"UPDATE {_quoted_table(model)} SET {sets} WHERE {_quoted_column(key)} = %s"
        if counted:
            where += _get_fields(model, [counted])
            sql += f" AND {_quoted_column(where[-1])} = %s - 1"
        self._values, self._statement = _RowReader([*fields, *where]), Statement(sql)

    def __call__(self, rows: Iterable[M]) -> None:
        """Update these fields of all rows. Raises ``UnexpectedRows`` if the condition is not met."""
        values = list(map(self._values, rows))
        self._statement.write(values, expected=len(values) if self._is_conditional else None)


class DeleteRows:
    """Deletes rows by their keys."""

    def __init__(self, model: type[Model]) -> None:
        key = _quoted_column(model._meta.pk)
        self._statement = Statement(f"DELETE FROM {_quoted_table(model)} WHERE {key} = %s")

    def __call__(self, keys: Iterable[int]) -> None:
        """Delete the rows with these keys."""
        self._statement.write([(key,) for key in keys])


class CompareAndSet(Generic[M]):
    """Updates one field of rows and a counter field if both still have their old values."""

    def __init__(self, model: type[M], name: str, counted: str) -> None:
        column, count = map(_quoted_column, _get_fields(model, [name, counted]))
        key = _quoted_column(model._meta.pk)
        self._statement = Statement(
            f"UPDATE {_quoted_table(model)} SET {column} = %s, {count} = %s"
            f" WHERE {key} = %s AND {column} = %s AND {count} = %s"
        )

    def __call__(self, changes: Iterable[tuple[int, tuple[int, int], tuple[int, int]]]) -> None:
        """Update rows by key, old value and count, new value and count.

        Raises ``UnexpectedRows`` if a row has others.
        """
        values = [(*after, key, *before) for key, before, after in changes]
        self._statement.write(values, expected=len(values))


class AddOrInsert(Generic[M]):
    """Adds numbers to the fields of a row, or inserts it if there is none with the same key."""

    def __init__(self, model: type[M], unique: Iterable[str], added: Iterable[str]) -> None:
        """``unique`` are the fields of a unique constraint. Other fields get their default."""
        keys, sums = _get_fields(model, unique), _get_fields(model, added)
        fields = [field for field in model._meta.concrete_fields if field is not model._meta.pk]
        self._values, table = _RowReader(fields), _quoted_table(model)
        sets = ", ".join(
            f"{column} = {table}.{column} + excluded.{column}"
            for column in map(_quoted_column, sums)
        )
        self._statement = Statement(
            f"INSERT INTO {table} ({', '.join(map(_quoted_column, fields))})"
            f" VALUES ({', '.join(['%s'] * len(fields))})"
            f" ON CONFLICT ({', '.join(map(_quoted_column, keys))}) DO UPDATE SET {sets}"
        )

    def __call__(self, rows: Iterable[M]) -> None:
        """Add the rows."""
        self._statement.write(list(map(self._values, rows)))


class _RowReader:
    """Reads the driver values of these fields from rows, of which they are loaded."""

    def __init__(self, fields: Sequence[Field[Any, Any]]) -> None:
        self._of = itemgetter(*(field.attname for field in fields))
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
        # The columns of foreign keys are descriptors in Python, and take most of the time.
        loaded = vars(row)
        values = [self._of(loaded)] if self._is_one else list(self._of(loaded))
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
