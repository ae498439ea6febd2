"""The docs name what exists, and what exists is named in the docs."""

from __future__ import annotations

import ast
import dataclasses
import re
import typing
from pathlib import Path

import msgspec
import pytest
from django.core.management import get_commands

from tables.engine import events
from tables.engine.presets import PRESETS
from tables.protocol import events as protocol_events
from tables.protocol.commands import Incoming
from tables.protocol.frames import CloseCode, Outgoing
from tables.protocol.public import Asked, PublicDealer, PublicHand, PublicSeat, PublicTable

ROOT = Path(__file__).resolve().parent.parent
DOCS = {path.name: path.read_text() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]}
PROTOCOL = DOCS["protocol.md"]
SETTINGS = (ROOT / "blackjack_site/settings.py").read_text()
MAKE = (ROOT / "Makefile").read_text()


def named(word: str, text: str = PROTOCOL) -> bool:
    return f"`{word}`" in text


@pytest.mark.parametrize("message", typing.get_args(Incoming) + typing.get_args(Outgoing))
def test_every_message_and_its_fields_are_in_the_protocol(
    message: type[msgspec.Struct],
) -> None:
    tag = str(message.__struct_config__.tag)
    row = re.search(rf"^\| (=>|<-|<≈) `{tag}` \|([^|]*)\|", PROTOCOL, re.MULTILINE)
    assert row, f"{tag} is not described"
    assert set(re.findall(r"`(\w+)`", row[2])) == set(message.__struct_fields__), tag


def test_the_protocol_describes_no_message_that_does_not_exist() -> None:
    described = re.findall(r"^\| (?:=>|<-|<≈) `(\w+)`", PROTOCOL, re.MULTILINE)
    kinds = typing.get_args(Incoming) + typing.get_args(Outgoing)
    assert sorted(described) == sorted(str(kind.__struct_config__.tag) for kind in kinds)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("table", PublicTable),
        ("seat", PublicSeat),
        ("hand", PublicHand),
        ("dealer", PublicDealer),
        ("asked", Asked),
    ],
)
def test_every_field_of_the_table_is_in_the_protocol(name: str, kind: type[msgspec.Struct]) -> None:
    row = re.search(rf"^\| {name} \| (.*) \|$", PROTOCOL, re.MULTILINE)
    assert row
    for field in kind.__struct_fields__:
        assert named(field, row[1]), f"{name}.{field}"


@pytest.mark.parametrize(
    "event", typing.get_args(events.Event) + typing.get_args(protocol_events.TableEvent)
)
def test_every_event_and_its_fields_are_in_the_protocol(event: type) -> None:
    kind = events.snake_case(event.__name__)
    row = re.search(rf"^\| `{kind}` \|([^|]*)\|", PROTOCOL, re.MULTILINE)
    assert row, f"{kind} is not described"
    fields = {field.name for field in dataclasses.fields(event)}
    assert set(re.findall(r"`(\w+)`", row[1])) == fields


def codes() -> set[str]:
    """The code of every refusal in the source, wherever it is raised or answered."""
    found = set()
    for path in (ROOT / "tables").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func).rsplit(".", 1)[-1]
            if name in {"RuleViolation", "FrameError", "Err", "refuse"}:
                found |= {
                    argument.value
                    for argument in node.args[:2]
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                    and re.fullmatch(r"[a-z_]+", argument.value)
                }  # fmt: skip
    return found


def test_every_code_is_in_the_protocol_and_no_other() -> None:
    table = PROTOCOL.split("### Codes of `err`")[1].split("\n\n")[1]
    described = {c for row in table.splitlines() for c in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert described == codes()


@pytest.mark.parametrize("code", CloseCode)
def test_every_close_code_is_in_the_protocol(code: CloseCode) -> None:
    assert re.search(rf"^\| {code.value} \|", PROTOCOL, re.MULTILINE)


@pytest.mark.parametrize("key", PRESETS)
def test_every_rule_set_is_in_the_rules(key: str) -> None:
    assert named(key, DOCS["rules.md"])


@pytest.mark.parametrize("name", DOCS)
def test_commands_that_the_docs_name_exist(name: str) -> None:
    for target in re.findall(r"(?:`|^ *)make ([a-z]+)", DOCS[name], re.MULTILINE):
        assert re.search(rf"^{target}:", MAKE, re.MULTILINE), f"{name}: make {target}"
    for command in re.findall(r"manage\.py ([a-z_]+)", DOCS[name]):
        assert command in get_commands(), f"{name}: manage.py {command}"


@pytest.mark.parametrize("name", DOCS)
def test_files_that_the_docs_name_exist(name: str) -> None:
    for path in re.findall(
        r"`((?:tables|accounts|tests|docs|static|blackjack_site|deploy)/[\w./]+)`", DOCS[name]
    ):
        assert (ROOT / path).exists(), f"{name}: {path}"
    for path in re.findall(r"\]\(([^)#:]+)\)", DOCS[name]):
        assert (ROOT / path).exists() or (ROOT / "docs" / path).exists(), f"{name}: {path}"


def test_every_variable_of_the_environment_is_in_the_operations() -> None:
    for variable in re.findall(r"env\.\w+\(\s*\"(\w+)\"", SETTINGS):
        assert named(variable, DOCS["operations.md"]), variable


def test_no_command_is_a_secret() -> None:
    own = {path.stem for path in (ROOT / "tables/management/commands").glob("[a-z]*.py")}
    text = " ".join(DOCS.values())
    assert {command for command in own if f"manage.py {command}" not in text} == set()
