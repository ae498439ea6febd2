"""Backup and restore on PostgreSQL, with ``pg_dump`` and ``psql``."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

ENVIRONMENT: Final = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "service": "PGSERVICE",
    "passfile": "PGPASSFILE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}


class BackupFailed(Exception):
    """A program of PostgreSQL is missing or failed; with its message for an operator."""


def dump(settings: dict[str, Any], target: Path) -> None:
    """Write an SQL dump to ``target``. Players do not wait for it. Raises :class:`BackupFailed`."""
    _run_program(settings, "pg_dump", "--no-owner", "--no-privileges", "--file", str(target))


def restore(settings: dict[str, Any], data: Path) -> None:
    """Replace the database by ``data``, in one transaction.

    Raises :class:`BackupFailed`.
    """
    _run_program(
        settings, "psql", "--no-psqlrc", "--quiet", "--single-transaction",
        "--set", "ON_ERROR_STOP=1", "--output", os.devnull,
        "--command", "DROP SCHEMA public CASCADE", "--command", "CREATE SCHEMA public",
        "--file", str(data),
    )  # fmt: skip


def _run_program(settings: dict[str, Any], name: str, *arguments: str) -> None:
    program = shutil.which(name)
    if program is None:
        raise BackupFailed(
            f"{name} is not here: it comes with PostgreSQL (on Debian: postgresql-client), and "
            "has to be of the server's version or newer."
        )
    process = subprocess.run(  # noqa: S603 - our own arguments, and no shell
        [program, *arguments],
        env=os.environ | _environment(settings),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if process.returncode:
        raise BackupFailed(f"{name} failed: {process.stderr.strip()}")


def _environment(settings: dict[str, Any]) -> dict[str, str]:
    """The connection as environment variables: arguments would show the password to other users."""
    named = {
        "host": settings.get("HOST"),
        "port": settings.get("PORT"),
        "user": settings.get("USER"),
        "password": settings.get("PASSWORD"),
        "dbname": settings.get("NAME"),
    }
    parameters = {key: value for key, value in named.items() if value} | settings.get("OPTIONS", {})
    return {ENVIRONMENT[key]: str(value) for key, value in parameters.items() if key in ENVIRONMENT}
