"""How long is measured. A quick look takes fewer and shorter runs:

``BENCH_RUNS=3 BENCH_SECONDS=1.5 BENCH_ON=daphne_sqlite make bench PART=throughput``
"""

from __future__ import annotations

import os

RUNS = int(os.environ.get("BENCH_RUNS", "5"))
"""Of each side, by turns; medians count."""
SECONDS = float(os.environ.get("BENCH_SECONDS", "2"))
"""Of one run."""
ON = os.environ.get("BENCH_ON", "")
"""Only what is measured on these: a word such as ``daphne``, or two such as ``uvicorn_sqlite``."""


def is_wanted(on: str) -> bool:
    """Whether to measure on this.

    >>> is_wanted("daphne_sqlite")
    True
    """
    return ON in on
