"""The types of the messages, as the checker of the scripts reads them."""

from __future__ import annotations

from tests.js.wire_types import PATH, wire_types


def test_the_types_of_the_scripts_are_those_of_the_messages() -> None:
    assert PATH.read_text() == wire_types(), "run make types"
