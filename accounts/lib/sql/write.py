"""Compiled INSERT and UPDATE statements for the hot path.

The SQL is generated from the models; see :mod:`accounts.lib.sql.select`. On PostgreSQL several rows
are sent in one statement, with an array for each column: a statement takes the server and its driver
several times as long as a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, models
from django.db.models import Field, Model
from django.db.models.base import ModelState

from accounts.lib.sql import optimistic
from accounts.lib.sql.driver import (
    Statement,
    get_connection,
    has_row_locks,
    is_logged,
    to_driver_value,
)

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


class _RowsStatement:
    """A statement for each of several rows, or one for all of them. A key comes once in them."""

    def __init__(self, sql: str, fields: Sequence[Field[Any, Any]], sql_of_all: str) -> None:
        """``sql`` has a parameter for each of ``fields``. ``sql_of_all`` has ``{rows}`` in the place of
        a table of the rows with the columns ``c0``, ``c1``, ….
        """
        self._of_one, self._fields, self._sql_of_all = Statement(sql), fields, sql_of_all

    def write(self, rows: Sequence[Sequence[Any]], *, expected: int | None = None) -> None:
        """Run it. Raises ``UnexpectedRows`` as :meth:`Statement.write` does."""
        if len(rows) > 1 and has_row_locks() and not is_logged(get_connection()):
            columns = zip(*rows, strict=True)
            arrays = [encode(column) for encode, column in zip(self._encode, columns, strict=True)]
            self._of_all.write([arrays], expected=expected)
        else:
            self._of_one.write(rows, expected=expected)

    @cached_property
    def _of_all(self) -> Statement:
        # Without a length, to which a cast would cut; the column itself refuses what is too long.
        types = [(field.db_type(get_connection()) or "").split("(")[0] for field in self._fields]
        arrays = ", ".join(f"%s::{name}[]" for name in types)
        names = ", ".join(f"c{number}" for number in range(len(types)))
        return Statement(self._sql_of_all.format(rows=f"unnest({arrays}) AS v ({names})"))

    @cached_property
    def _encode(self) -> list[Callable[[Sequence[Any]], Any]]:
        return [_ENCODERS.get(field.get_internal_type(), list) for field in self._fields]


def _lock_several(lock: LockRows, keys: Sequence[int]) -> None:
    """Lock rows in the order of their keys before one statement changes them in any order.

    Otherwise two processes that change the same two rows might wait for each other.
    """
    if len(keys) > 1:
        lock(keys)


def _encode_numbers(column: Iterable[object]) -> str:
    return f"{{{','.join(map(str, column))}}}".replace("None", "NULL")


def _encode_texts(column: Iterable[object]) -> str:
    texts = (
        "NULL"
        if value is None
        else '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
        for value in column
    )
    return f"{{{','.join(texts)}}}"


def _encode_bytes(column: Iterable[bytes | None]) -> str:
    return _encode_texts(None if value is None else f"\\x{value.hex()}" for value in column)


_NUMBERS: Final = (
    "AutoField", "BigAutoField", "BigIntegerField", "BooleanField", "FloatField", "ForeignKey",
    "IntegerField", "OneToOneField", "PositiveBigIntegerField", "PositiveIntegerField",
    "PositiveSmallIntegerField", "SmallIntegerField",
)  # fmt: skip
"""Keys of this site are numbers."""
_TEXTS: Final = ("CharField", "DateField", "DateTimeField", "TextField", "UUIDField")
_ENCODERS: Final[dict[str, Callable[[Any], str]]] = {
    **dict.fromkeys(_NUMBERS, _encode_numbers),
    **dict.fromkeys(_TEXTS, _encode_texts),
    "BinaryField": _encode_bytes,
}
"""From a column to an array as PostgreSQL writes it, by the type of the field. psycopg would do the
same for a list, with another prepared statement for each size of numbers, and slowly for texts."""


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
        values = self._alike | {name: of() for name, of in self._anew.items()} | columns
        if len(values) != len(self._alike) + len(self._anew):
            raise TypeError(f"{self._model.__name__} has not all of {sorted(columns)}")
        row = self._model.__new__(self._model)
        vars(row).update(values, _state=ModelState())
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
        into = f"INSERT INTO {_quoted_table(model)} ({columns})"
        sql = f"{into} VALUES ({values})"
        self._statement = _RowsStatement(sql, fields, f"{into} SELECT * FROM {{rows}}")
        self._telling = Statement(f"{sql} RETURNING {_quoted_column(key)}")
        self._with_keys = Statement(
            f"INSERT INTO {_quoted_table(model)} ({_quoted_column(key)}, {columns})"
            f" VALUES (%s, {values})"
        )
        self._next_keys = Statement(
            f"SELECT nextval((SELECT pg_get_serial_sequence('{_quoted_table(model)}', %s)::regclass))"
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
        row.pk = optimistic.reserve_key(self, self._send_next_keys)
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
        return lambda: self._with_keys.write([[row.pk, *self._values(row)]])

    def _send_next_keys(self, number: int) -> Callable[[], list[int]]:
        get_rows = self._next_keys.send([self._key, number])
        return lambda: [key for (key,) in get_rows()]

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
        table, columns = _quoted_table(model), list(map(_quoted_column, fields))
        sql = f"UPDATE {table} SET {', '.join(f'{column} = %s' for column in columns)}"
        sql += f" WHERE {_quoted_column(key)} = %s"
        sets = ", ".join(f"{column} = c{number}" for number, column in enumerate(columns))
        sql_of_all = f"UPDATE {table} SET {sets} FROM {{rows}}"
        sql_of_all += f" WHERE {table}.{_quoted_column(key)} = c{len(fields)}"
        if counted:
            where += _get_fields(model, [counted])
            column = _quoted_column(where[-1])
            sql += f" AND {column} = %s - 1"
            sql_of_all += f" AND {table}.{column} = c{len(fields) + 1} - 1"
        self._lock, self._key_at = LockRows(model), len(fields)
        self._values = _RowReader([*fields, *where])
        self._statement = _RowsStatement(sql, [*fields, *where], sql_of_all)

    def __call__(self, rows: Iterable[M]) -> None:
        """Update these fields of all rows. Raises ``UnexpectedRows`` if the condition is not met."""
        values = list(map(self._values, rows))
        if not self._is_conditional:
            self._statement.write(values)
            return
        _lock_several(self._lock, [row[self._key_at] for row in values])
        self._statement.write(values, expected=len(values))


class DeleteRows:
    """Deletes rows by their keys."""

    def __init__(self, model: type[Model]) -> None:
        key, table = model._meta.pk, _quoted_table(model)
        sql = f"DELETE FROM {table} WHERE {_quoted_column(key)} = %s"
        sql_of_all = f"DELETE FROM {table} USING {{rows}} WHERE {table}.{_quoted_column(key)} = c0"
        self._statement = _RowsStatement(sql, [key], sql_of_all)

    def __call__(self, keys: Iterable[int]) -> None:
        """Delete the rows with these keys."""
        self._statement.write([(key,) for key in keys])


class CompareAndSet(Generic[M]):
    """Updates one field of rows and a counter field if both still have their old values."""

    def __init__(self, model: type[M], name: str, counted: str) -> None:
        fields, table = _get_fields(model, [name, counted]), _quoted_table(model)
        column, count = map(_quoted_column, fields)
        self._lock = LockRows(model)
        key = _quoted_column(model._meta.pk)
        self._statement = _RowsStatement(
            f"UPDATE {table} SET {column} = %s, {count} = %s"
            f" WHERE {key} = %s AND {column} = %s AND {count} = %s",
            [*fields, model._meta.pk, *fields],
            f"UPDATE {table} SET {column} = c0, {count} = c1 FROM {{rows}}"
            f" WHERE {table}.{key} = c2 AND {table}.{column} = c3 AND {table}.{count} = c4",
        )

    def __call__(self, changes: Iterable[tuple[int, tuple[int, int], tuple[int, int]]]) -> None:
        """Update rows by key, old value and count, new value and count.

        Raises ``UnexpectedRows`` if a row has others.
        """
        values = [(*after, key, *before) for key, before, after in changes]
        _lock_several(self._lock, [row[2] for row in values])
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
