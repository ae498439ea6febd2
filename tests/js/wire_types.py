"""``make types``: the messages of ``tables/protocol`` as TypeScript types, for the checker of the scripts.

The structs of commands and frames and the dataclasses of events become interfaces in the global
namespace ``Wire``, each under its own name; a script writes ``Wire.Snapshot`` and imports nothing.
"""

from __future__ import annotations

import os
import typing
from enum import Enum
from pathlib import Path
from typing import Any

import django
from msgspec import inspect

from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.events import Event, Outcome, snake_case
from tables.engine.piles import Winner
from tables.protocol.commands import Incoming
from tables.protocol.events import TableEvent
from tables.protocol.frames import Outgoing

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "tables/protocol/wire.d.ts"
HEAD = """\
// The messages between server and pages, and the configuration of a table's page, as types for the
// scripts. Generated from this folder, tables/engine/events.py and tables/views/tables.py: change
// these, and run `make types`.

"""
CARD = "string"
"""Rank and suit, such as ``As``; ``??`` for a card that is face down."""
MIXED_IN = "{ seat: number; player: string; commitment: string | null; words: string }[]"
EVENTS = frozenset(typing.get_args(Event | TableEvent))
ABSENT = "{ seat: number; player: string; commitment: string }[]"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    django.setup()
    PATH.write_text(wire_types())


def wire_types() -> str:
    """The text of the file."""
    from tables.views.tables import TableConfig  # needs Django's settings

    types = WireTypes(_narrow())
    types.add_union("Incoming", "What a page sends.", Incoming)
    types.add_union("Outgoing", "What a page receives.", Outgoing)
    types.add_union("Event", "What happened at a table.", Event | TableEvent)
    types.add(TableConfig)
    body = "\n".join(
        f"  {line}" if line else "" for line in "\n\n".join(types.blocks()).split("\n")
    )
    return f"{HEAD}declare namespace Wire {{\n{body}\n}}\n"


def _narrow() -> dict[str, str | type[Enum]]:
    """The fields for which Python says less than what they hold: an enum, or TypeScript."""
    from tables.models import Table  # needs Django's settings

    return {
        "Asked.legal": Action,
        "Changed.events": "Event[]",
        "HintValue.action": Action,
        "MissedChange.events": "Event[]",
        "PublicHand.outcome": Outcome,
        "PublicPiles.winner": Winner,
        "PublicTable.phase": Table.Phase,
        "ShoeShuffled.absent": ABSENT,
        "ShoeShuffled.words": MIXED_IN,
        "You.insurance": '"insure" | "decline" | null',
    }


class WireTypes:
    """Interfaces and unions, collected by name."""

    def __init__(self, narrow: dict[str, str | type[Enum]]) -> None:
        self._narrow = narrow
        self._declared: dict[str, str] = {}
        self._of: dict[str, type] = {}

    def blocks(self) -> list[str]:
        """The declarations, by name."""
        return [self._declared[name] for name in sorted(self._declared)]

    def add(self, cls: type) -> None:
        """The interface of one class, and all that it holds."""
        self._reference(cls)

    def add_union(self, name: str, words: str, union: Any) -> None:
        """The union of these structs or dataclasses under this name, and all that they hold."""
        # Of what a page sends it may leave out what has a default; a frame has every field.
        members = [self._reference(kind, is_sent=name == "Incoming") for kind in _members(union)]
        lines = "".join(f"\n  | {member}" for member in sorted(members))
        self._declared[name] = f"/** {words} */\ntype {name} ={lines};"

    def _reference(self, cls: type, *, is_sent: bool = False) -> str:
        """The name of the interface of a class, or of the type of an enum, which is declared."""
        name = cls.__name__
        if self._of.setdefault(name, cls) is not cls:
            raise ValueError(f"two types are called {name}")
        if name not in self._declared:
            self._declared[name] = ""  # of a type that holds itself
            words = " ".join((cls.__doc__ or "").split("\n\n")[0].replace("``", "`").split())
            self._declared[name] = (f"/** {words} */\n" if words else "") + (
                _enum(cls) if issubclass(cls, Enum) else self._interface(cls, is_sent=is_sent)
            )
        return name

    def _interface(self, cls: type, *, is_sent: bool) -> str:
        info: Any = inspect.type_info(cls)
        lines = [f'  {info.tag_field}: "{info.tag}";'] if getattr(info, "tag", None) else []
        if cls in EVENTS:
            lines.append(f'  type: "{snake_case(cls.__name__)}";')
        config = getattr(cls, "__struct_config__", None)
        leaves_out = is_sent or (config is not None and config.omit_defaults)
        for field in info.fields:
            mark = "?" if leaves_out and not field.required else ""
            lines.append(f"  {field.encode_name}{mark}: {self._field(cls, field)};")
        return f"interface {cls.__name__} {{\n" + "\n".join(lines) + "\n}"

    def _field(self, cls: type, field: inspect.Field) -> str:
        narrow = self._narrow.get(f"{cls.__name__}.{field.name}")
        if isinstance(narrow, str):
            return narrow
        written = self._written(field.type)
        return written.replace("string", self._reference(narrow)) if narrow else written

    def _written(self, kind: Any) -> str:
        """A type of msgspec in TypeScript."""
        match kind:
            case inspect.IntType() | inspect.FloatType():
                return "number"
            case inspect.StrType() | inspect.UUIDType():
                return "string"
            case inspect.BoolType():
                return "boolean"
            case inspect.NoneType():
                return "null"
            case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
                return f"{self._written(item)}[]"
            case inspect.UnionType(types=members):
                return " | ".join(map(self._written, members))
            case inspect.DataclassType(cls=cls) if cls is Card:
                return CARD
            case (
                inspect.EnumType(cls=cls)
                | inspect.StructType(cls=cls)
                | inspect.DataclassType(cls=cls)
                | inspect.TypedDictType(cls=cls)
            ):
                return self._reference(cls)
        raise ValueError(f"no TypeScript for {kind}")


def _enum(cls: type[Enum]) -> str:
    return f"type {cls.__name__} = " + " | ".join(f'"{one.value}"' for one in cls) + ";"


def _members(union: Any) -> list[type]:
    return [one for kind in typing.get_args(union) for one in (_members(kind) or [kind])]


if __name__ == "__main__":
    main()
