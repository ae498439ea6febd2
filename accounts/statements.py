"""Statements of the hot path, made once and run often.

Django's ORM makes a statement anew each time that it is run, and that takes several times as long
as running it. What is read or written with every command is stated here: a query set is compiled
once, with slots for what changes, and rows are written by what their models say of themselves.
Nothing else in the project writes SQL by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, Field, JSONField, Model, Q, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

M = TypeVar("M", bound=Model)
Raw = tuple[Any, ...]
"""A row as the database says it."""

_TAKEN_AS_THEY_ARE: Final = frozenset({int, str, bool, type(None)})


class _Slot(Expression):
    """Stands in a query set for an argument that is known when it is run."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def as_sql(self, compiler: SQLCompiler, _connection: Any) -> Any:
        """Itself as the parameter: what is in its place is known when the statement is run."""
        return "%s", [self]


class Select(Generic[M]):
    """The rows that a query set finds, by arguments.

    ``build`` is given a slot for each argument and returns the query set; it may select related
    rows, lock and annotate. It is called once for each number of arguments.
    """

    def __init__(self, build: Callable[..., QuerySet[M]]) -> None:
        self._build = build
        self._compiled: dict[tuple[str, int], _Compiled[M]] = {}

    def __call__(self, *arguments: Any) -> list[M]:
        """The rows for these arguments. Raises what the database raises."""
        compiled = self._for(arguments)
        return [compiled.made(row) for row in compiled.run(arguments)]

    def first(self, *arguments: Any) -> M | None:
        """The first row, or ``None``."""
        return next(iter(self(*arguments)), None)

    def with_kept(self, kept: Mapping[Raw, M], *arguments: Any) -> dict[Raw, M]:
        """The rows by what the database says of them; those in ``kept`` are not made again."""
        compiled = self._for(arguments)
        return {row: kept.get(row) or compiled.made(row) for row in compiled.run(arguments)}

    def _for(self, arguments: Sequence[Any]) -> _Compiled[M]:
        which = (connection.vendor, len(arguments))
        compiled = self._compiled.get(which)
        if compiled is None:
            slots = [_Slot(number) for number in range(len(arguments))]
            compiled = self._compiled[which] = _Compiled(self._build(*slots))
        return compiled


class _Compiled(Generic[M]):
    """What Django makes of a query set, for one kind of database."""

    def __init__(self, rows: QuerySet[M]) -> None:
        compiler = rows.query.get_compiler(connection=_database())
        self._sql, self._params = compiler.as_sql()
        select, klass_info = compiler.select, compiler.klass_info
        self._model: type[M] = klass_info["model"]
        columns = klass_info["select_fields"]
        self._own = slice(columns[0], columns[-1] + 1)
        self._names = [column.target.attname for column, *_ in select[self._own]]
        self._related = get_related_populators(klass_info, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]
        self._annotations = compiler.annotation_col_map or {}
        self._converters = [
            (position, convert, expression)
            for position, (converters, expression) in compiler.get_converters(
                [expression for expression, *_ in select]
            ).items()
            for convert in converters
        ]

    def run(self, arguments: Sequence[Any]) -> list[Raw]:
        database = _database()
        params = [
            _plain(arguments[param.number], database) if isinstance(param, _Slot) else param
            for param in self._params
        ]
        with database.cursor() as cursor:
            cursor.execute(self._sql, params)
            found: list[Raw] = cursor.fetchall()
        return found

    def made(self, raw: Raw) -> M:
        database, row = _database(), list(raw)
        for position, convert, expression in self._converters:
            row[position] = convert(row[position], expression, database)
        made = self._model.from_db(database.alias, self._names, row[self._own])
        for related in self._related:
            related.populate(row, made)
        for name, position in self._annotations.items():
            setattr(made, name, row[position])
        return made


def any_of(name: str, values: Iterable[object]) -> Q:
    """``name__in`` for slots. Raises ``ValueError`` without any: that would find all rows."""
    either = Q()
    for value in values:
        either |= Q(**{name: value})
    if not either:
        raise ValueError(f"nothing is asked for by {name}")
    return either


class Insert(Generic[M]):
    """New rows of a model, with all of their fields."""

    def __init__(self, model: type[M]) -> None:
        self._model = model
        key = model._meta.pk
        self._fields = [field for field in model._meta.concrete_fields if field is not key]
        columns = ", ".join(map(_column, self._fields))
        values = ", ".join(["%s"] * len(self._fields))
        self._sql = f"INSERT INTO {_table(model)} ({columns}) VALUES ({values})"
        self._returning = f"{self._sql} RETURNING {_column(key)}"

    def __call__(self, rows: Iterable[M]) -> None:
        """Write all of ``rows``; what keys they are given, nobody is told."""
        _run(self._sql, _values(rows, self._fields))

    def one(self, row: M) -> M:
        """Write ``row`` and give it its key."""
        with _database().cursor() as cursor:
            cursor.execute(self._returning, *_values([row], self._fields))
            (row.pk,) = cursor.fetchone()
        row._state.adding, row._state.db = False, connection.alias
        return row


class Update(Generic[M]):
    """Some fields of rows that are there, found by their keys."""

    def __init__(self, model: type[M], names: Iterable[str]) -> None:
        fields, key = _fields(model, names), model._meta.pk
        self._fields = [*fields, key]
        sets = ", ".join(f"{_column(field)} = %s" for field in fields)
        self._sql = f"UPDATE {_table(model)} SET {sets} WHERE {_column(key)} = %s"

    def __call__(self, rows: Iterable[M]) -> None:
        """Write these fields of all of ``rows``."""
        _run(self._sql, _values(rows, self._fields))


class CompareAndSet(Generic[M]):
    """One field of rows that are there, where it still is what it was."""

    def __init__(self, model: type[M], name: str) -> None:
        (column,), key = map(_column, _fields(model, [name])), _column(model._meta.pk)
        self._sql = f"UPDATE {_table(model)} SET {column} = %s WHERE {key} = %s AND {column} = %s"

    def __call__(self, changes: Iterable[tuple[int, int, int]]) -> int:
        """Write the last of each three to the row with the first as its key, if the field is what
        is in the middle; how many rows were.
        """
        return _run(self._sql, [(after, key, before) for key, before, after in changes])


class Add(Generic[M]):
    """Numbers that are added to fields of the rows that have certain values in others."""

    def __init__(self, model: type[M], where: Iterable[str], names: Iterable[str]) -> None:
        added, alike = _fields(model, names), _fields(model, where)
        self._fields = [*added, *alike]
        sets = ", ".join(f"{column} = {column} + %s" for column in map(_column, added))
        condition = " AND ".join(f"{_column(field)} = %s" for field in alike)
        self._sql = f"UPDATE {_table(model)} SET {sets} WHERE {condition}"

    def __call__(self, row: M) -> int:
        """Add what ``row`` has in these fields to the rows that are like it; how many were."""
        return _run(self._sql, _values([row], self._fields))


def _run(sql: str, params: Sequence[Sequence[Any]]) -> int:
    """Run a statement that writes for each of ``params``; how many rows it wrote in all."""
    if not params:
        return 0
    with _database().cursor() as cursor:
        if len(params) == 1:
            cursor.execute(sql, params[0])
        else:
            cursor.executemany(sql, params)
        return int(cursor.rowcount)


def _values(rows: Iterable[Model], fields: Sequence[Field[Any, Any]]) -> list[list[Any]]:
    """What the rows have in these fields, as the database takes it."""
    database = _database()
    return [
        [
            value
            if type(value := getattr(row, field.attname)) in _TAKEN_AS_THEY_ARE
            and type(field) is not JSONField
            else field.get_db_prep_save(value, database)
            for field in fields
        ]
        for row in rows
    ]


def _database() -> BaseDatabaseWrapper:
    """This thread's connection; ``connection`` looks for it with every word."""
    return connections[DEFAULT_DB_ALIAS]


def _fields(model: type[Model], names: Iterable[str]) -> list[Field[Any, Any]]:
    fields = [model._meta.get_field(name) for name in names]
    return [field for field in fields if isinstance(field, Field)]


def _table(model: type[Model]) -> str:
    return f'"{model._meta.db_table}"'


def _column(field: Field[Any, Any]) -> str:
    return f'"{field.column}"'


def _plain(value: Any, database: BaseDatabaseWrapper) -> Any:
    """An argument as the database takes it."""
    if type(value) in _TAKEN_AS_THEY_ARE:
        return value
    if isinstance(value, UUID) and not database.features.has_native_uuid_field:
        return value.hex
    return database.ops.adapt_unknown_value(value)
