"""No browser keeps an operator's page, nor its refusal."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.operators.populated_site import ACTORS, World
from tests.operators.test_matrix import (
    MODELS,
    ROWS,
    address_of,
    ask,
    clients,
    pages_of,
    world,
)  # fmt: skip
from tests.permissions.test_cache_headers import is_kept_nowhere

__all__ = ["clients", "world"]


@pytest.mark.parametrize("actor", ACTORS)
def test_case_54_nobody_elses_browser_keeps_a_page_of_operators(
    actor: str, world: World, clients: dict[str, Client]
) -> None:
    asked = [(row.method, address_of(row, world), row.data) for row in ROWS]
    asked += [(method, path, {}) for model in MODELS for method, _, path in pages_of(model)]
    kept = [
        f"{method} {path}"
        for method, path, data in asked
        if not is_kept_nowhere(ask(clients[actor], method, path, data))
    ]
    assert kept == []
