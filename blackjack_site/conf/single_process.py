"""The lock that makes sure that a site without PostgreSQL and Redis has one server process.

Processes with Redis share it, so that none without Redis runs beside them. They have a second lock,
for their secret key, so that none with another key runs beside them. A lock is released when its
process ends, also by a kill: it is on a file beside the SQLite database, or an advisory lock of a
PostgreSQL connection.
"""

from __future__ import annotations

import atexit
import multiprocessing
import select
import sys
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.utils.crypto import salted_hmac

from tables.lib import error_text, process_lock

if TYPE_CHECKING:
    import psycopg

log = structlog.get_logger()

ONE_ON_SQLITE: Final = (
    "Process {pid} serves this site already, and on SQLite there can be one alone. Stop it first; "
    "or for several processes set DATABASE_URL to PostgreSQL and REDIS_URL to Redis, for all of "
    "them (docs/operations.md, Many processes)."
)
ONE_WITHOUT_REDIS: Final = (
    "Another process serves this site already, and without Redis neither hears what happens at "
    "the other's tables. Stop it first; or for several processes set REDIS_URL to Redis, for all "
    "of them (docs/operations.md, Many processes)."
)
ONE_HAS_NO_REDIS: Final = (
    "A process without Redis serves this site already, and neither hears what happens at the other's "
    "tables. Stop it first; or set REDIS_URL for all of them (docs/operations.md, Many processes)."
)
DIFFERENT_KEYS: Final = (
    "A process with another SECRET_KEY serves this site already, and neither accepts the sessions of "
    "the other. Set the same SECRET_KEY for all of them; or, to change it, stop all of them first "
    "(docs/operations.md, Many processes)."
)
NOTICED_DEAD: Final = {"idle": 15, "interval": 5, "count": 3}
"""TCP keepalive of that connection on both sides: seconds, and number of probes."""
AFTER_FAILURE: Final = 1.0
"""Seconds before a retry after an error of the database."""
WHILE_ANOTHER: Final = 60.0
"""Seconds before a retry while another process has the lock."""
STARTUP_FAILURE: Final = 3
"""The exit status that makes ``uvicorn --workers`` give up."""

_held: list[IO[str] | threading.Thread] = []


def acquire_single_process_lock() -> None:
    """Acquire the lock until this process ends: alone, or with Redis shared with others that have Redis.

    Raises ``ImproperlyConfigured`` if another process has it, and one of the two has no Redis or both
    have different secret keys. If PostgreSQL does not answer, a thread retries; if another process has
    the lock then, it is logged.
    """
    if _held:
        return
    if connection.vendor == "sqlite":
        _held.append(_lock_file(process_lock.get_path(settings.DATABASES["default"]["NAME"])))
    else:
        import psycopg

        first: psycopg.Connection[Any] | None = None
        try:
            first = _lock_on_postgresql()
        except psycopg.OperationalError as error:
            log.warning("database_out_of_reach", error=str(error))
        keeper = threading.Thread(target=_hold_lock, args=(first,), name="alone", daemon=True)
        keeper.start()
        _held.append(keeper)


def exit_with_error(error: ImproperlyConfigured) -> NoReturn:
    """Exit with one sentence for the operator, without a traceback."""
    sentence = f"This cannot start: {error}"
    if multiprocessing.parent_process() is None:
        sys.exit(sentence)
    # In a worker sys.exit would pass on the status only.
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201
    sys.exit(STARTUP_FAILURE)


def _lock_file(path: Path) -> IO[str]:
    try:
        file = process_lock.lock_file(path)
    except BlockingIOError:
        raise ImproperlyConfigured(ONE_ON_SQLITE.format(pid=path.read_text())) from None
    except OSError as error:
        raise ImproperlyConfigured(f"{path} cannot be locked ({error.strerror}).") from error
    atexit.register(file.close)
    return file


def _lock_on_postgresql() -> psycopg.Connection[Any]:
    """Open a connection that holds the lock until it is closed. Processes with Redis share it."""
    import psycopg

    options = " ".join(f"-c tcp_keepalives_{name}={value}" for name, value in NOTICED_DEAD.items())
    ours: dict[str, Any] = {f"keepalives_{name}": value for name, value in NOTICED_DEAD.items()}
    # Here not sooner than there: PostgreSQL has to free the lock before it is asked for again.
    ours |= {"tcp_user_timeout": 0, "options": options, "connect_timeout": 5}
    params = connection.get_connection_params() | ours
    database = psycopg.connect(**params, autocommit=True)
    is_shared = bool(settings.REDIS_URL)
    lock = process_lock.TRY_LOCK_SHARED if is_shared else process_lock.TRY_LOCK
    row = database.execute(lock, [process_lock.KEY]).fetchone()
    if row is None or not row[0]:
        database.close()
        raise ImproperlyConfigured(ONE_HAS_NO_REDIS if is_shared else ONE_WITHOUT_REDIS)
    if is_shared:
        # Locked before others are looked for: of two that start at once, one sees the other at least.
        numbers = (process_lock.KEY_HASHES, _hash_secret_key())
        database.execute(process_lock.LOCK_KEY_HASH, numbers)
        if database.execute(process_lock.FIND_OTHER_KEY_HASH, numbers).fetchone() is not None:
            database.close()
            raise ImproperlyConfigured(DIFFERENT_KEYS)
    return database


def _hash_secret_key() -> int:
    """A hash of the secret key, of 31 bits: the keys of advisory locks are signed."""
    digest = salted_hmac("blackjack_site.conf.single_process", "secret_key").digest()
    return int.from_bytes(digest[:4]) & 0x7FFFFFFF


def _hold_lock(database: psycopg.Connection[Any] | None) -> None:
    """Hold the lock, and acquire it again after an outage of PostgreSQL."""
    import psycopg

    while True:
        try:
            database = database or _lock_on_postgresql()
            ended = select.poll()
            ended.register(database.fileno(), select.POLLIN)
            ended.poll()
            database.execute("SELECT 1")  # raises if the connection is closed
        except psycopg.OperationalError as error:
            if database is not None:
                log.warning("lock_lost", error=error_text.describe(error))
            database = None
            time.sleep(AFTER_FAILURE)
        except ImproperlyConfigured as error:
            log.error("not_alone", error=str(error))
            time.sleep(WHILE_ANOTHER)
