"""What may import what. Read from the syntax trees."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from blackjack_site.assets.bundler import list_imports as imported_scripts

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("blackjack_site", "tables", "accounts", "deploy")

LAYERS = (
    {"blackjack_site", "tables.admin", "tables.urls", "tables.management"},
    {"tables.operators", "tables.views"},
    {"tables.realtime"},
    {"tables.game", "tables.lobby", "tables.social", "tables.records", "tables.audit",
     "tables.templatetags", "deploy"},
    {"tables.state", "tables.results", "tables.texts", "tables.access", "tables.metrics",
     "tables.servers", "tables.migrations"},
    {"tables.models", "tables.protocol", "tables.backups", "tables.apps"},
    {"accounts", "tables.engine", "tables.lib"},
)  # fmt: skip
"""The rooms, from the top floor down. A room imports rooms of lower floors, never of its own."""

ACCOUNTS = (
    {"urls"},
    {"views", "admin", "middleware", "context_processors"},
    {"users"},
    {"ledger", "mail"},
    {"audit_log"},
    {"http", "maintenance", "migrations"},
    {"models", "apps"},
    {"lib"},
)
"""The rooms of ``accounts``, in the same way."""

SCRIPTS = (
    {""},
    {"hud", "social", "settings"},
    {"net", "board", "controls", "round", "notices", "fairness"},
    {"text"},
    {"model"},
    {"lib"},
)
"""The rooms of ``static/js``, in the same way; "" are the modules that pages load."""

KNOW_JSON = ("tables.protocol.codec", "tables.engine.__main__")
"""The wire, and the command line of an engine that needs the standard library alone."""

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


def place(module: str) -> tuple[str, int]:
    """The room of a module, and how many floors are above it."""
    package, _, rest = module.partition(".")
    room = f"{package}.{rest.split('.')[0]}" if package == "tables" and rest else package
    floors = [number for number, rooms in enumerate(LAYERS) if room in rooms]
    assert floors, f"{module} is in no room: put {room} into LAYERS"
    return room, floors[0]


def place_in_accounts(module: str) -> tuple[str, int]:
    """The same within ``accounts``."""
    room = module.split(".")[1]
    floors = [number for number, rooms in enumerate(ACCOUNTS) if room in rooms]
    assert floors, f"{module} is in no room: put {room} into ACCOUNTS"
    return room, floors[0]


@cache
def imports(module: str) -> tuple[tuple[str, str], ...]:
    """``(module, name)`` for everything this module imports; name is "" for a whole module."""
    return tuple(_imports(module))


def _imports(module: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(MODULES[module].read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            assert node.module is not None
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield (whole, "") if whole in MODULES else (node.module, alias.name)


def own_imports(module: str) -> Iterator[tuple[str, str]]:
    return ((other, name) for other, name in imports(module) if other.split(".")[0] in PACKAGES)


@pytest.mark.parametrize("module", [m for m in MODULES if "." in m])
def test_a_room_imports_rooms_of_lower_floors_alone(module: str) -> None:
    room, floor = place(module)
    for other, _ in own_imports(module):
        if other == "tables":
            continue
        other_room, other_floor = place(other)
        assert other_room == room or other_floor > floor, f"{module} imports {other}"
        if room == other_room == "accounts" and "." in other:
            own, above = place_in_accounts(module)
            theirs, below = place_in_accounts(other)
            assert own == theirs or below > above, f"{module} imports {other}"


def test_there_are_no_circles_of_modules() -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, f"a circle: {' > '.join((*path, module))}"
        if module not in done:
            for other in {other for other, _ in own_imports(module) if other in MODULES}:
                if other != module:
                    visit(other, (*path, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


def test_no_folder_has_more_than_twenty_modules() -> None:
    folders = [path.parent for path in MODULES.values() if not path.name.startswith("__")]
    flat = {folder for folder in folders if folder.name not in ("migrations", "commands")}
    assert [folder.name for folder in flat if folders.count(folder) > 20] == []


@pytest.mark.parametrize("module", MODULES)
def test_nothing_imports_another_modules_private_name(module: str) -> None:
    assert [f"{o}.{n}" for o, n in own_imports(module) if n.startswith("_")] == []


@pytest.mark.parametrize("module", [m for m in MODULES if m.startswith("tables.engine")])
def test_the_engine_needs_the_standard_library_alone(module: str) -> None:
    for other, _ in imports(module):
        first = other.split(".")[0]
        assert first in sys.stdlib_module_names or other.startswith("tables.engine"), other
        assert first not in {"datetime", "time", "secrets", "os", "asyncio"}, other


@pytest.mark.parametrize("module", [m for m in MODULES if ".lib" in m])
def test_helpers_know_nothing_of_the_apps(module: str) -> None:
    assert [other for other, _ in own_imports(module) if ".lib" not in other] == []


@pytest.mark.parametrize("module", [m for m in MODULES if m != "accounts.ledger.transfers"])
def test_one_module_alone_writes_transfers_and_balances(module: str) -> None:
    for node in ast.walk(ast.parse(MODULES[module].read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"Transfer", "Account"}, f"{module}:{node.lineno}"
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            assert node.attr != "balance", f"{module}:{node.lineno}"
        if isinstance(node, ast.keyword):
            assert node.arg not in {"debit_balance", "credit_balance"}, f"{module}:{node.lineno}"


@pytest.mark.parametrize("module", [m for m in MODULES if m not in KNOW_JSON])
def test_the_protocol_alone_knows_json(module: str) -> None:
    assert "json" not in {other for other, _ in imports(module)}


@pytest.mark.parametrize("module", MODULES)
def test_there_are_no_signals(module: str) -> None:
    sources = {other for other, _ in imports(module) if not other.startswith("tables.realtime")}
    assert not [other for other in sources if "signals" in other or "dispatch" in other]


@pytest.mark.parametrize("path", sorted((ROOT / "static/js").rglob("*.js")), ids=lambda p: p.name)
def test_a_script_imports_scripts_of_lower_floors_alone(path: Path) -> None:
    rooms = {room: number for number, line in enumerate(SCRIPTS) for room in line}
    own = path.parent.relative_to(ROOT / "static/js").as_posix().removeprefix(".")
    name = path.relative_to(ROOT / "static/js").as_posix()
    for other in imported_scripts(name, path.read_text()):
        room = other.rpartition("/")[0]
        assert room == own or rooms[room] > rooms[own], f"{name} imports {other}"


@pytest.mark.parametrize("path", sorted((ROOT / "static/js").rglob("*.js")), ids=lambda p: p.name)
def test_scripts_write_text_and_never_markup(path: Path) -> None:
    text = path.read_text()
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert word not in text or path.name == "lobby.js", f"{path.name}: {word}"
