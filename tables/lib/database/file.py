"""The file of an SQLite database."""

from __future__ import annotations

from django.db import connection, transaction


def verify_writable() -> None:
    """Raise ``DatabaseError`` if the database is a file that cannot be read and written: of another user,
    on a full disk, or damaged. A command would be the first to find that. On PostgreSQL it does nothing.
    """
    if connection.vendor != "sqlite":
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE TABLE blackjack_write_test (id integer)")
        transaction.set_rollback(True)
