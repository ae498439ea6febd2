"""The tables of the other rule sets; the casino and the classic stand in the hall above."""

from __future__ import annotations

import pytest

from tests.at_table import AtTable
from tests.tables.evenings import new_table


@pytest.fixture
def heads_up(db: None) -> AtTable:
    """One player against the dealer, nothing staked."""
    return new_table("heads-up")


@pytest.fixture
def piles(db: None) -> AtTable:
    """Cards are the score, and the deck is played through."""
    return new_table("piles")


@pytest.fixture
def pot(db: None) -> AtTable:
    """The dealer matches every bet."""
    return new_table("pot")


@pytest.fixture
def vegas(db: None) -> AtTable:
    """Six decks, insurance, surrender, splits to four hands."""
    return new_table("vegas")
