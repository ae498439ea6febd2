"""What hands, decisions and rule sets are worth, exactly: docs/odds.md has the definitions."""

from __future__ import annotations

import os

# The matrices are small: several threads would wait for each other, and take other players' time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
