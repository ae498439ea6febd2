"""Structured logs: one event per line, as ``text`` or as ``json``."""

from __future__ import annotations

import logging.config
import sys
from http import HTTPStatus
from typing import Any

import structlog
from structlog.typing import EventDict

from accounts.lib.log_context import merge_ids
from tables.lib import error_text

LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL")


def shorten_outage(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Log an unreachable PostgreSQL, and a database that may not be served, in one line, without a
    traceback.
    """
    told = event.get("exc_info")
    found = sys.exc_info() if told is True else told
    error = found[1] if isinstance(found, tuple) else found
    if isinstance(error, Exception) and _is_outage(error):
        del event["exc_info"]
        event["error"] = error_text.describe(error)
    return event


def _is_outage(error: Exception) -> bool:
    from tables.lib.database.outages import is_outage  # after the settings are loaded

    return is_outage(error)


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
                "django.request": {"filters": ["probes"]},
                # Its refusal is logged as an answer 400, and an outage by the writer.
                "django.security.DisallowedHost": {"level": "CRITICAL"},
                "psycopg.pool": {"level": "ERROR"},
            },
        }
    )
