from __future__ import annotations

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def _forget_counts() -> None:
    """All tests come from one address: its sign-ups of earlier ones do not count."""
    cache.clear()
