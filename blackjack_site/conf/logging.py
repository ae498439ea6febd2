"""Structured logs: one event per line, as ``text`` or as ``json``."""

from __future__ import annotations

import logging.config
import math
import sys
import time
from http import HTTPStatus
from typing import Any, Final

import structlog
from structlog.typing import EventDict

from accounts.lib.log_context import merge_ids
from tables.lib import error_text

LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL")


SECONDS_BETWEEN_OUTAGE_LINES: Final = 60.0
"""How often the same line about an outage of the database is logged."""
_outage_lines: dict[str, float] = {}
"""By event, the time of ``time.monotonic`` at which it was logged last."""


def drop_repeated_outage(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Log the same event about an outage once a minute: each table, page and task meets it again and
    again, and the writer logs its begin and its end.
    """
    if _find_outage(event.get("exc_info")) and not _is_due(event["event"]):
        raise structlog.DropEvent
    return event


def shorten_outage(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Log an unreachable PostgreSQL, and a database that may not be served, in one line, without a
    traceback.
    """
    if error := _find_outage(event.get("exc_info")):
        del event["exc_info"]
        event["error"] = error_text.describe(error)
    return event


def is_no_repeated_outage(record: logging.LogRecord) -> bool:
    """:func:`drop_repeated_outage` for a logger of Django, whatever the path in its message."""
    return _find_outage(record.exc_info) is None or _is_due(record.name)


def _find_outage(exc_info: Any) -> Exception | None:
    """The error of an ``exc_info``, if it is an outage."""
    from tables.lib.database.outages import is_outage  # after the settings are loaded

    info = sys.exc_info() if exc_info is True else exc_info
    error = info[1] if isinstance(info, tuple) else info
    return error if isinstance(error, Exception) and is_outage(error) else None


def _is_due(event: str) -> bool:
    now = time.monotonic()
    if now - _outage_lines.get(event, -math.inf) < SECONDS_BETWEEN_OUTAGE_LINES:
        return False
    _outage_lines[event] = now
    return True


_BEFORE: list[structlog.typing.Processor] = [
    shorten_outage,
    structlog.contextvars.merge_contextvars,
    merge_ids,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
"""The processors of every event, also of other packages."""

_RENDERERS: dict[str, list[structlog.typing.Processor]] = {
    "json": [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
    "text": [
        # Never local variables: they may contain hidden cards.
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        )
    ],
}


def remove_traceback(record: logging.LogRecord) -> bool:
    """Remove the traceback of an expected refusal; keep the record."""
    if getattr(record, "status_code", HTTPStatus.INTERNAL_SERVER_ERROR) < 500:
        record.exc_info = record.exc_text = None
    return True


def is_no_probe(record: logging.LogRecord) -> bool:
    """Whether a record is not of a health check that was answered 503: a change of it is logged once."""
    return getattr(getattr(record, "request", None), "path_info", None) != "/readyz"


def configure_logs(*, log_format: str, level: str) -> None:
    """Send the logs of this project, of Django and of the server through one formatter."""
    structlog.configure(
        processors=[
            drop_repeated_outage,
            *_BEFORE,
            structlog.processors.StackInfoRenderer(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    structured = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": _BEFORE,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            *_RENDERERS[log_format],
        ],
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"structured": structured},
            "filters": {
                "refusals": {"()": lambda: remove_traceback},
                "probes": {"()": lambda: is_no_probe},
                "outages": {"()": lambda: is_no_repeated_outage},
            },
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "formatter": "structured",
                    "filters": ["refusals"],
                }
            },
            "root": {"handlers": ["stderr"], "level": level},
            "loggers": {
                "daphne": {"level": "WARNING"},
                "asyncio": {"level": "WARNING"},
                "fido2": {"level": "WARNING"},
                "django.request": {"filters": ["probes", "outages"]},
                # Its refusal is logged as an answer 400, and an outage by the writer.
                "django.security.DisallowedHost": {"level": "CRITICAL"},
                "psycopg.pool": {"level": "ERROR"},
            },
        }
    )
