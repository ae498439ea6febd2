"""The site with all its parts on one machine: ``python -m deploy`` is ``make scale``."""

from __future__ import annotations
