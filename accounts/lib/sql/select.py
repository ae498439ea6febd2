"""Compiled SELECT statements for the hot path.

Django's ORM compiles a statement at each run, which takes several times as long as running it. The
statements of every command use this module and :mod:`accounts.lib.sql.write`: a query set is
compiled once, with slots for its parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Expression, Model, Q, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import ModelIterable, get_related_populators
from django.db.models.sql.compiler import SQLCompiler

from accounts.lib.sql.driver import Raw, Statement, get_connection, to_driver_value

R = TypeVar("R")
T = TypeVar("T")


class _Slot(Expression):
    """A placeholder in a query set for an argument."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def as_sql(self, compiler: SQLCompiler, _connection: Any) -> Any:
        """Compile to a parameter; the slot itself is replaced at each run."""
        return "%s", [self]


class Select(Generic[R]):
    """A compiled query set with arguments. Returns objects, or tuples for ``values_list``.

    ``build`` gets a slot for each argument and returns the query set, which may select related
    rows, lock and annotate. It is called once for each number of arguments.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, R]]) -> None:
        self._build = build
        self._compiled: dict[int, _Compiled[R]] = {}

    def __call__(self, *arguments: Any) -> list[R]:
        """Run it; return the rows. Raises database errors."""
        return self.send(*arguments)()

    def first(self, *arguments: Any) -> R | None:
        """The first row, or ``None``."""
        return next(iter(self(*arguments)), None)

    def send(self, *arguments: Any) -> Callable[[], list[R]]:
        """Run it; return a function for the rows, to be called after a pipeline."""
        compiled = self._compile_for(arguments)
        get_rows = compiled.send(arguments)
        return lambda: [compiled.build_object(row) for row in get_rows()]

    def _compile_for(self, arguments: Sequence[Any]) -> _Compiled[R]:
        which = len(arguments)
        compiled = self._compiled.get(which)
        if compiled is None:
            slots = [_Slot(number) for number in range(len(arguments))]
            compiled = self._compiled[which] = _Compiled(self._build(*slots))
        return compiled


class _Compiled(Generic[R]):
    """A query set compiled by Django for one kind of database."""

    def __init__(self, rows: QuerySet[Any, R]) -> None:
        compiler = rows.query.get_compiler(connection=get_connection())
        sql, self._params = compiler.as_sql()
        self._statement = Statement(sql)
        is_of_objects = issubclass(rows._iterable_class, ModelIterable)
        self._of_row: Callable[[list[Any]], Any] = _Builder(compiler) if is_of_objects else tuple
        self._converters = [
            (position, convert, expression)
            for position, (converters, expression) in compiler.get_converters(
                [expression for expression, *_ in compiler.select]
            ).items()
            for convert in converters
        ]

    def send(self, arguments: Sequence[Any]) -> Callable[[], list[Raw]]:
        return self._statement.send(
            [
                to_driver_value(arguments[param.number]) if isinstance(param, _Slot) else param
                for param in self._params
            ]
        )

    def build_object(self, raw: Raw) -> R:
        row = list(raw)
        if self._converters:
            database = get_connection()
            for position, convert, expression in self._converters:
                row[position] = convert(row[position], expression, database)
        result: R = self._of_row(row)
        return result


class _Instances:
    """Creates stored instances of a model, faster than ``Model.from_db``: without signals."""

    def __init__(self, model: type[Model]) -> None:
        self._model = model

    def from_db(self, db: str, names: Sequence[str], values: Sequence[Any]) -> Model:
        """The instance with these values; other fields are deferred."""
        instance, state = self._model.__new__(self._model), ModelState()
        state.adding, state.db = False, db
        vars(instance).update(zip(names, values, strict=True), _state=state)
        return instance


class _Builder:
    """Creates objects from rows, with their selected related objects."""

    def __init__(self, compiler: SQLCompiler) -> None:
        select, klass_info = compiler.select, compiler.klass_info
        assert klass_info is not None
        columns = klass_info["select_fields"]
        self._instances = _Instances(klass_info["model"])
        self._own = slice(columns[0], columns[-1] + 1)
        self._names = [column.target.attname for column, *_ in select[self._own]]
        # The stubs are for a later Django with one more argument.
        self._related = get_related_populators(klass_info, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]
        _make_faster(self._related)

    def __call__(self, row: list[Any]) -> Model:
        instance = self._instances.from_db(DEFAULT_DB_ALIAS, self._names, row[self._own])
        for related in self._related:
            related.populate(row, instance)
        return instance


def _make_faster(populators: Iterable[Any]) -> None:
    """Have Django's populators of related objects create their instances in the same way."""
    for populator in populators:
        populator.model_cls = _Instances(populator.model_cls)
        _make_faster(populator.related_populators)


def pad_arguments(values: Iterable[T]) -> list[T]:
    """Repeat the last value up to 1, 2, 4, 8, … values: a query set is compiled for each number."""
    padded = list(values)
    lacking = (1 << (len(padded) - 1).bit_length()) - len(padded) if padded else 0
    return padded + padded[-1:] * lacking


def build_in_condition(name: str, values: Iterable[object]) -> Q:
    """``name__in`` for slots. Raises ``ValueError`` without values, which would match all rows."""
    either = Q()
    for value in values:
        either |= Q(**{name: value})
    if not either:
        raise ValueError(f"nothing is asked for by {name}")
    return either
