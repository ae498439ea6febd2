"""The secret key, generated once where none is configured."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

LONG_ENOUGH: Final = 50
"""The minimum length of a secret key, as in ``manage.py check --deploy``."""


def is_weak(key: str) -> bool:
    """Whether a key is too short, or has fewer than five different characters."""
    return len(key) < LONG_ENOUGH or len(set(key)) < 5


def read_or_make_secret_key(folder: Path) -> str:
    """Read the key in ``folder``; create one, readable only by its owner, if it is missing.

    Raises ``ImproperlyConfigured`` if the file is no key.
    """
    path = folder / "secret_key"
    try:
        if not os.path.lexists(path):
            create_key_file(path, get_random_secret_key())
        key = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        fault = getattr(error, "strerror", None) or "it is no text"
        raise ImproperlyConfigured(
            f"The secret key cannot be read from {path} ({fault}): make it a file of the user who "
            "runs the site, or set SECRET_KEY."
        ) from error
    if is_weak(key):
        raise ImproperlyConfigured(
            f"The secret key in {path} is {'too easily guessed' if key else 'empty'}: put the key "
            "there that was kept elsewhere, or remove the file, and a new one is made; then "
            "everybody has to log in anew."
        )
    return key


def create_key_file(path: Path, key: str) -> None:
    """Create the file atomically; another process may do the same at this moment."""
    fresh = path.with_name(f"{path.name}.{uuid4().hex}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(key)
            file.flush()
            os.fsync(descriptor)
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()
