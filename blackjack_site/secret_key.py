"""The secret key of a site that was given none: made once, kept beside the database."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key


def read_or_make_secret_key(folder: Path) -> str:
    """The key in ``folder``, made readable for its owner alone when there is none yet."""
    path = folder / "secret_key"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(get_random_secret_key())
    return path.read_text().strip()
