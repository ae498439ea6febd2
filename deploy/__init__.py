"""The house on one machine with all its parts: ``python -m deploy`` is ``make scale``."""

from __future__ import annotations
