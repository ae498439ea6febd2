"""Copies all rows from one database into another, of the same kind or not, and compares them.

Values are passed on as the databases store them; only kinds that SQLite and PostgreSQL store in
different ways are converted. Rows are streamed: the memory does not grow with the database.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from django.apps import apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, JSONField, Model

ROWS_AT_ONCE: Final = 2_000
_CONVERTED: Final = frozenset({
    "BinaryField", "BooleanField", "DateField", "DateTimeField", "DecimalField", "DurationField",
    "FloatField", "GenericIPAddressField", "TimeField", "UUIDField",
})  # fmt: skip
"""The kinds of fields that are read by Django's converters, and prepared for the other database."""
_JSON: Final = "JSONField"
_HASH_BYTES: Final = 8

Row = Sequence[Any]
Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Checksum:
    """The number of rows, and the sum of their hashes. The order of the rows does not matter."""

    rows: int = 0
    total: int = 0

    def add(self, rows: Sequence[Row]) -> Checksum:
        """This checksum with further rows."""
        total = sum(_hash_row(row) for row in rows)
        return Checksum(self.rows + len(rows), (self.total + total) % (1 << 8 * _HASH_BYTES))


class TableCopy:
    """One table in two databases."""

    def __init__(
        self, model: type[Model], source: BaseDatabaseWrapper, target: BaseDatabaseWrapper
    ) -> None:
        self.model = model
        self.name = model._meta.db_table
        self._source, self._target = source, target
        self._fields: list[Field[Any, Any]] = list(model._meta.concrete_fields)
        assert model._meta.pk is not None
        self._key = str(model._meta.pk.column)
        self._has_own_rows = any(
            field.related_model is model for field in self._fields if field.is_relation
        )
        self.has_later_keys = False
        """Whether a foreign key leads to a table that is copied later."""

    def copy(self) -> Checksum:
        """Copy all rows, and return the checksum of what was read."""
        checksum = Checksum()
        writers = [_build_writer(field, self._target) for field in self._fields]
        for rows in self._read(self._source):
            checksum = checksum.add(_comparable(self._fields, rows, self._source))
            self._insert([_apply(writers, row) for row in rows])
            if not self._has_own_rows:
                self._verify_keys()
        self._verify_keys()
        return checksum

    def sum_target(self) -> Checksum:
        """The checksum of the rows in the target."""
        checksum = Checksum()
        for rows in self._read(self._target):
            checksum = checksum.add(_comparable(self._fields, rows, self._target))
        return checksum

    def clear(self) -> None:
        """Delete the rows that migrations have written into the target."""
        with self._target.cursor() as cursor:
            cursor.execute(f"SELECT 1 FROM {self._quoted()} LIMIT 1")
            if cursor.fetchone():  # append-only tables are empty, and refuse the statement
                cursor.execute(f"DELETE FROM {self._quoted()}")

    def copy_last_id(self) -> None:
        """Continue the ids of the source: also those of its deleted rows are not given again."""
        if not isinstance(self.model._meta.pk, models.AutoField):
            return
        last = _read_last_id(self._source, self.name, self._key)
        with self._target.cursor() as cursor:
            cursor.execute(f"SELECT MAX({self._quote(self._key)}) FROM {self._quoted()}")
            last = max(last, cursor.fetchone()[0] or 0)
        _write_last_id(self._target, self.name, self._key, last)

    def _read(self, database: BaseDatabaseWrapper) -> Iterator[list[Row]]:
        readers = [_build_reader(field, database) for field in self._fields]
        with database.chunked_cursor() as cursor:
            cursor.execute(
                f"SELECT {self._columns()} FROM {self._quoted()} ORDER BY {self._quote(self._key)}"
            )
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                yield [_apply(readers, row) for row in rows]

    def _insert(self, rows: list[Row]) -> None:
        if self._target.vendor == "postgresql":
            with (
                self._target.wrap_database_errors,
                self._target.cursor() as cursor,
                cursor.copy(f"COPY {self._quoted()} ({self._columns()}) FROM STDIN") as stream,
            ):
                for row in rows:
                    stream.write_row(row)
            return
        marks = ", ".join(["%s"] * len(self._fields))
        with self._target.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {self._quoted()} ({self._columns()}) VALUES ({marks})", rows
            )

    def _verify_keys(self) -> None:
        """Have PostgreSQL compare foreign keys now: it stores each comparison until then."""
        if self._target.vendor == "postgresql" and not self.has_later_keys:
            self._target.check_constraints()

    def _columns(self) -> str:
        return ", ".join(self._quote(str(field.column)) for field in self._fields)

    def _quoted(self) -> str:
        return self._quote(self.name)

    def _quote(self, name: str) -> str:
        return self._target.ops.quote_name(name)


def list_copies(source: BaseDatabaseWrapper, target: BaseDatabaseWrapper) -> list[TableCopy]:
    """All tables of the site, each after the tables that its foreign keys lead to."""
    model_of_table = {
        model._meta.db_table: model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    }
    ordered: dict[str, TableCopy] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in ordered or name in path:
            return
        needed = _list_needed(model_of_table[name])
        for other in needed:
            visit(other, (*path, name))
        copy = TableCopy(model_of_table[name], source, target)
        copy.has_later_keys = any(other not in ordered for other in needed)
        ordered[name] = copy

    for name in sorted(model_of_table):
        visit(name, ())
    return list(ordered.values())


def _list_needed(model: type[Model]) -> list[str]:
    """The other tables that the foreign keys of a table lead to."""
    related = [
        field.related_model._meta.db_table
        for field in model._meta.concrete_fields
        if isinstance(field.related_model, type) and issubclass(field.related_model, Model)
    ]
    return sorted(name for name in set(related) if name != model._meta.db_table)


# Values


def _build_reader(field: Field[Any, Any], database: BaseDatabaseWrapper) -> Convert | None:
    """How a value of this database is read; ``None`` for as it is."""
    if field.get_internal_type() not in _CONVERTED:
        return None
    column = field.cached_col
    converters = [
        *database.ops.get_db_converters(column),
        *column.get_db_converters(database),
    ]
    is_bytes = field.get_internal_type() == "BinaryField"

    def read(value: Any) -> Any:
        for convert in converters:
            value = convert(value, column, database)
        return bytes(value) if is_bytes and value is not None else value

    return read if converters or is_bytes else None


def _build_writer(field: Field[Any, Any], database: BaseDatabaseWrapper) -> Convert | None:
    """How a value is written into this database; ``None`` for as it is."""
    if field.get_internal_type() not in _CONVERTED:
        return None

    def write(value: Any) -> Any:
        return field.get_db_prep_save(value, database)

    return write


def _apply(converters: Sequence[Convert | None], row: Row) -> Row:
    return [
        value if convert is None else convert(value)
        for convert, value in zip(converters, row, strict=True)
    ]


def _comparable(
    fields: Sequence[Field[Any, Any]], rows: list[Row], database: BaseDatabaseWrapper
) -> list[Row]:
    """The rows with JSON in one form: PostgreSQL stores it in another order."""
    places = [place for place, field in enumerate(fields) if field.get_internal_type() == _JSON]
    if not places:
        return rows
    compared: list[Row] = []
    for row in rows:
        values = list(row)
        for place in places:
            field = cast("JSONField", fields[place])
            values[place] = _in_order(
                field.from_db_value(values[place], field.cached_col, database)
            )
        compared.append(values)
    return compared


def _in_order(value: Any) -> Any:
    """A value of JSON, with the members of objects in the order of their names."""
    if isinstance(value, dict):
        return [(name, _in_order(value[name])) for name in sorted(value)]
    return [_in_order(each) for each in value] if isinstance(value, list) else value


def _hash_row(row: Row) -> int:
    digest = hashlib.blake2b(repr(tuple(row)).encode(), digest_size=_HASH_BYTES).digest()
    return int.from_bytes(digest)


# Ids


def _read_last_id(database: BaseDatabaseWrapper, table: str, column: str) -> int:
    """The last id that was given; 0 for none."""
    with database.cursor() as cursor:
        if database.vendor == "sqlite":
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        else:
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [f'"{table}"', column])
            (sequence,) = cursor.fetchone()
            cursor.execute(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}")
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def _write_last_id(database: BaseDatabaseWrapper, table: str, column: str, last: int) -> None:
    with database.cursor() as cursor:
        if database.vendor == "sqlite":
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
            if last:
                cursor.execute("INSERT INTO sqlite_sequence VALUES (%s, %s)", [table, last])
            return
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence(%s, %s), %s, %s)",
            [f'"{table}"', column, max(last, 1), last > 0],
        )
