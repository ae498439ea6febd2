"""The last release, checked out beside the product: its server, and the rows that it writes.

The floor of the product's own rows moves with them: it is quicker when the product writes less. The
rows of the last release do not move.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path
from typing import Final

from tests.helpers.servers.process import ROOT

COMMIT: Final = "45e7df8"
"""The last one in which a command read and locked its table, and wrote all rows that it read."""


def check_out(folder: Path) -> Path:
    """The files of the last release in ``folder``. Raises ``RuntimeError`` without its history."""
    archive = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        raise RuntimeError(
            f"Commit {COMMIT} is not in this copy of the repository: git fetch --unshallow"
        )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder)
    return folder
