"""Row ids in URLs and forms, parsed strictly."""

from __future__ import annotations

import re
from typing import Final

LARGEST_ID: Final = 2**63 - 1
"""The largest id of a database."""


def parse_id(text: str) -> int | None:
    """Parse an id; ``None`` for anything else.

    >>> parse_id("7"), parse_id("-7"), parse_id("seven"), parse_id("9" * 19)
    (7, None, None, None)
    """
    if not re.fullmatch(r"[0-9]{1,19}", text) or int(text) > LARGEST_ID:
        return None
    return int(text)
