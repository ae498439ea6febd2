"""What may import what. Read from the syntax trees."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("blackjack_site", "tables", "accounts")

# From the top down. A module imports only what stands below it. The names of one line do not
# import each other; a package's name stands for all of it.
LAYERS = """
manage blackjack_site
tables.management tables.urls tables.routing
tables.views tables.consumers tables.admin
tables.operators
tables.forms
tables.viewer tables.own_account tables.command_path
tables.runtime tables.gauges tables.pace tables.handshakes tables.socket_address
tables.clock tables.doorkeeper tables.heartbeats tables.crowd tables.chores tables.telling
tables.hub tables.writer tables.groups tables.answers
tables.relay
tables.deleting tables.history_reset
tables.with_tables
tables.house tables.presence tables.opening tables.processes
tables.outages tables.epochs
tables.unreadable tables.playing
tables.hosting tables.chat tables.news
tables.breaking_off
tables.void_plan
tables.lobby_list tables.home tables.reporting tables.records tables.audit
tables.last_told
tables.committed tables.changing
tables.writing
tables.seating
tables.dealing
tables.decisions
tables.settling
tables.shoes tables.racks tables.watchers
tables.public
tables.idle_seats
tables.live_table tables.rebuying tables.audit_takings
tables.stored tables.rack_fills tables.as_read tables.commitments
tables.kept_tables
tables.game tables.results tables.recounting tables.takings tables.own_limits
tables.reminders tables.standings tables.audit_results tables.audit_voids
tables.invites
tables.access tables.late
tables.rules_text
tables.rules_before tables.rules_play
tables.rules_words
tables.database_identity
tables.models tables.migrations tables.apps tables.templatetags
tables.script_words
tables.protocol tables.metrics tables.house_time
tables.table_events tables.messages
tables.places
tables.allowance tables.checkpoints tables.codes tables.command_ids tables.eager tables.mailbox
tables.query_statistics
tables.translated
tables.outcome_words
accounts
tables.engine
"""
RANK = {
    name: rank for rank, line in enumerate(LAYERS.strip().splitlines()) for name in line.split()
}

PACKAGE_LAYERS = (
    "tables.engine", "tables.models", "tables.messages", "tables.operators", "tables.records",
    "tables.views", "tables.management", "accounts", "blackjack_site",
)  # fmt: skip
"""Their modules import each other."""

KNOW_JSON = ("tables.protocol", "tables.engine.__main__")
"""The wire, and the command line of an engine that needs nothing of ours."""

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


def layer(module: str) -> str:
    """The entry of the list that this module belongs to."""
    names = [name for name in RANK if module == name or module.startswith(f"{name}.")]
    assert names, f"{module} has no place in the layers: put it into the list above"
    return max(names, key=len)


def imports(module: str) -> Iterator[tuple[str, str]]:
    """``(module, name)`` for everything this module imports; name is "" for a whole module."""
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


@pytest.mark.parametrize("module", [m for m in MODULES if m not in ("tables",)])
def test_imports_point_downward(module: str) -> None:
    own = layer(module)
    for other, _ in own_imports(module):
        if other == "tables" or layer(other) == own:
            inside_package = own in PACKAGE_LAYERS
            assert inside_package or other == module, f"{module} imports its equal {other}"
        else:
            assert RANK[layer(other)] > RANK[own], f"{module} imports {other}, which is above it"


@pytest.mark.parametrize("module", MODULES)
def test_nothing_imports_another_modules_private_name(module: str) -> None:
    assert [f"{o}.{n}" for o, n in own_imports(module) if n.startswith("_")] == []


@pytest.mark.parametrize("module", [m for m in MODULES if m.startswith("tables.engine")])
def test_the_engine_needs_the_standard_library_alone(module: str) -> None:
    for other, _ in imports(module):
        first = other.split(".")[0]
        assert first in sys.stdlib_module_names or other.startswith("tables.engine"), other
        assert first not in {"datetime", "time", "secrets", "os", "asyncio"}, other


@pytest.mark.parametrize("module", [m for m in MODULES if m.startswith("accounts")])
def test_accounts_do_not_know_tables(module: str) -> None:
    assert [other for other, _ in own_imports(module) if other.startswith("tables")] == []


@pytest.mark.parametrize("module", [m for m in MODULES if not m.startswith("accounts.bank")])
def test_the_bank_alone_writes_transfers_and_balances(module: str) -> None:
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
    assert not [other for other, _ in imports(module) if "signals" in other or "dispatch" in other]


@pytest.mark.parametrize("path", sorted((ROOT / "static/js").glob("*.js")), ids=lambda p: p.name)
def test_scripts_write_text_and_never_markup(path: Path) -> None:
    text = path.read_text()
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert word not in text or path.name == "lobby.js", f"{path.name}: {word}"
