"""What may import what. Read from the syntax trees."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from blackjack_site.assets.bundler import list_imports as imported_scripts

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("blackjack_site", "tables", "accounts", "deploy")

LAYERS = (
    {"blackjack_site", "tables.admin", "tables.urls", "tables.management"},
    {"tables.operators", "tables.views", "tables.context_processors"},
    {"tables.realtime"},
    {"tables.game", "tables.lobby", "tables.social", "tables.records", "tables.audit",
     "tables.templatetags", "deploy"},
    {"tables.state", "tables.results", "tables.advice", "tables.texts", "tables.access",
     "tables.metrics", "tables.servers", "tables.migrations"},
    {"tables.models", "tables.backups", "tables.apps"},
    {"tables.protocol", "tables.odds"},
    {"accounts", "tables.engine", "tables.lib"},
)  # fmt: skip
"""The packages, from the top layer down. A package imports packages of lower layers, never of its own."""

ACCOUNTS = (
    {"urls"},
    {"views", "admin", "middleware", "context_processors"},
    {"lists"},
    {"users"},
    {"doors"},
    {"ledger", "mail"},
    {"staff", "concurrent_edits"},
    {"audit_log"},
    {"http", "maintenance", "migrations", "site_settings"},
    {"models", "apps"},
    {"lib"},
)
"""The packages of ``accounts``, in the same way."""

SCRIPTS = (
    {""},
    {"hud", "social", "settings", "practice"},
    {"net", "board", "controls", "round", "notices", "fairness"},
    {"text"},
    {"model"},
    {"lib"},
)
"""The packages of ``static/js``, in the same way; "" are the modules that pages load."""

KNOW_JSON = (
    "tables.protocol.codec", "tables.engine.__main__", "tables.odds.__main__",
    "accounts.concurrent_edits",
)  # fmt: skip
"""The wire; the command lines of the engine and the odds, which need no Django; and the values that a
page carries, because accounts do not know the wire."""

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


def place(module: str) -> tuple[str, int]:
    """The package of a module, and how many layers are above it."""
    app, _, rest = module.partition(".")
    package = f"{app}.{rest.split('.')[0]}" if app == "tables" and rest else app
    layers = [number for number, packages in enumerate(LAYERS) if package in packages]
    assert layers, f"{module} is in no package: put {package} into LAYERS"
    return package, layers[0]


def place_in_accounts(module: str) -> tuple[str, int]:
    """The same within ``accounts``."""
    package = module.split(".")[1]
    layers = [number for number, packages in enumerate(ACCOUNTS) if package in packages]
    assert layers, f"{module} is in no package: put {package} into ACCOUNTS"
    return package, layers[0]


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text())


@cache
def imports(module: str) -> tuple[tuple[str, str], ...]:
    """``(module, name)`` for everything this module imports; name is "" for a whole module."""
    return tuple(_imports(module))


def _imports(module: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree(module)):
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


def pairs(modules: Iterable[str]) -> list[tuple[str, str]]:
    """Each of these modules with each module that it imports."""
    return [(module, other) for module in modules for other, _ in imports(module)]


def own_pairs(modules: Iterable[str]) -> list[tuple[str, str]]:
    """The same for imports of our own packages."""
    return [pair for pair in pairs(modules) if pair[1].split(".")[0] in PACKAGES]


def is_upwards(module: str, other: str) -> bool:
    """Whether a module imports one of the same layer or a higher one, outside its own package."""
    if other == "tables":
        return False
    (package, layer), (other_package, other_layer) = place(module), place(other)
    if package != other_package:
        return other_layer <= layer
    if package != "accounts" or "." not in other:
        return False
    (own, above), (theirs, below) = place_in_accounts(module), place_in_accounts(other)
    return own != theirs and below <= above


def test_a_package_imports_packages_of_lower_layers_alone() -> None:
    modules = [module for module in MODULES if "." in module]
    assert [pair for pair in own_pairs(modules) if is_upwards(*pair)] == []


def test_there_are_no_circles_of_modules() -> None:
    acyclic: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, f"a circle: {' > '.join((*path, module))}"
        if module not in acyclic:
            for other in {other for other, _ in own_imports(module) if other in MODULES}:
                if other != module:
                    visit(other, (*path, module))
            acyclic.add(module)

    for module in MODULES:
        visit(module, ())


def test_no_folder_has_more_than_twenty_modules() -> None:
    folders = [path.parent for path in MODULES.values() if not path.name.startswith("__")]
    flat = {folder for folder in folders if folder.name not in ("migrations", "commands")}
    assert [folder.name for folder in flat if folders.count(folder) > 20] == []


def test_nothing_imports_another_modules_private_name() -> None:
    assert [
        f"{module} imports {other}.{name}"
        for module in MODULES
        for other, name in own_imports(module)
        if name.startswith("_")
    ] == []


def test_the_engine_needs_the_standard_library_alone() -> None:
    engine = [module for module in MODULES if module.startswith("tables.engine")]
    others = [pair for pair in pairs(engine) if not pair[1].startswith("tables.engine")]
    library = sys.stdlib_module_names - {"datetime", "time", "secrets", "os", "asyncio"}
    assert [pair for pair in others if pair[1].split(".")[0] not in library] == []


def test_helpers_know_nothing_of_the_apps() -> None:
    helpers = [module for module in MODULES if ".lib" in module]
    assert [pair for pair in own_pairs(helpers) if ".lib" not in pair[1]] == []


def test_one_module_alone_writes_transfers_entries_and_balances() -> None:
    others = [
        module
        for module in MODULES
        if module != "accounts.ledger.transfers" and ".migrations." not in module
    ]
    assert [
        f"{module}:{node.lineno}"
        for module in others
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Call | ast.Attribute | ast.keyword) and writes_money(node)
    ] == []


MONEY = {"Transfer", "Account", "WalletEntry"}
CREATES = {"create", "get_or_create", "update_or_create", "bulk_create", "acreate", "abulk_create"}


def writes_money(node: ast.Call | ast.Attribute | ast.keyword) -> bool:
    """Whether it makes a row of money, or assigns a balance.

    >>> def found(text: str) -> int:
    ...     kinds = ast.Call | ast.Attribute | ast.keyword
    ...     return sum(isinstance(one, kinds) and writes_money(one) for one in ast.walk(ast.parse(text)))
    >>> found("Account(1)"), found("Account.objects.create()"), found("account.balance = 1")
    (1, 1, 1)
    >>> found("WalletEntry.objects.using('default').bulk_create(rows)"), found("row.update(balance=1)")
    (1, 1)
    >>> found("Account.objects.filter(balance=1).count()"), found("print(account.balance)")
    (0, 0)
    """
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func.id in MONEY
        if not isinstance(node.func, ast.Attribute):
            return False
        if node.func.attr in {"update", "aupdate"}:
            return any(keyword.arg == "balance" for keyword in node.keywords)
        rows = {name.id for name in ast.walk(node.func) if isinstance(name, ast.Name)}
        return node.func.attr in CREATES and bool(rows & MONEY)
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Store) and node.attr == "balance"
    return node.arg in {"debit_balance", "credit_balance"}


def test_the_protocol_alone_knows_json() -> None:
    others = [module for module in MODULES if module not in KNOW_JSON]
    assert [pair for pair in pairs(others) if pair[1] == "json"] == []


def test_there_are_no_signals() -> None:
    assert [
        pair
        for pair in pairs(MODULES)
        if not pair[1].startswith("tables.realtime")
        and ("signals" in pair[1] or "dispatch" in pair[1])
    ] == []


def scripts() -> dict[str, str]:
    """The text of each script, by its path."""
    folder = ROOT / "static/js"
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.js")}


def test_a_script_imports_scripts_of_lower_layers_alone() -> None:
    layers = {package: number for number, line in enumerate(SCRIPTS) for package in line}
    for name, text in scripts().items():
        own = name.rpartition("/")[0]
        for other in imported_scripts(name, text):
            package = other.rpartition("/")[0]
            assert package == own or layers[package] > layers[own], f"{name} imports {other}"


def test_scripts_write_text_and_never_markup() -> None:
    words = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
    assert [
        (name, word)
        for name, text in scripts().items()
        for word in words
        if word in text and name != "lobby.js"
    ] == []
