"""Structured logs: one event a line, ``text`` for people or ``json`` for machines."""

from __future__ import annotations

import logging.config

import structlog

LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL")

_BEFORE: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
"""What is done with every event, ours and others'."""

_RENDERERS: dict[str, list[structlog.typing.Processor]] = {
    "json": [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
    "text": [
        # Never the values of local variables: some of them are cards that lie face down.
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        )
    ],
}


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
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
            "root": {"handlers": ["stderr"], "level": level},
            "loggers": {"daphne": {"level": "WARNING"}, "asyncio": {"level": "WARNING"}},
        }
    )
