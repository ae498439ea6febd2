"""Reports of errors to Sentry, or to a service that speaks its protocol: only with ``SENTRY_DSN``.

A report has the kind of the error, the lines of the program that led to it, and the ids of its log
lines. It has no message, no value of a variable, no address, name, cookie or body: these may be
secrets, hidden cards or somebody's data. The log has the rest, under the same ids.
"""

from __future__ import annotations

import logging
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import sentry_sdk
from sentry_sdk.integrations.atexit import AtexitIntegration
from sentry_sdk.integrations.dedupe import DedupeIntegration
from sentry_sdk.integrations.excepthook import ExcepthookIntegration
from sentry_sdk.integrations.threading import ThreadingIntegration
from sentry_sdk.types import Event, Hint
from sentry_sdk.utils import event_from_exception

from accounts.lib import log_context

IDS: Final = ("request_id", "connection_id", "table_id", "user_id", "command_id")
PROJECT: Final = Path(__file__).resolve().parents[2] / "pyproject.toml"
FLUSH_SECONDS: Final = 2
REPORT_FIELDS: Final = (
    "contexts", "environment", "event_id", "exception", "level", "logger", "message", "platform", "release",
    "sdk", "tags", "timestamp", "transaction",
)  # fmt: skip
"""The fields of a report. All others are removed, also those of later versions of the package."""
REPORT_CONTEXTS: Final = ("runtime", "trace")
FRAME_FIELDS: Final = (
    "abs_path", "context_line", "filename", "function", "in_app", "lineno", "module", "post_context",
    "pre_context",
)  # fmt: skip


class ErrorReports(logging.Handler):
    """Reports what is logged as an error: of requests, sockets, threads and commands."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        """Report a record. Reports are sent by a thread of the package."""
        try:
            self._report(record)
        except Exception:
            self.handleError(record)

    def _report(self, record: logging.LogRecord) -> None:
        values = record.msg if isinstance(record.msg, dict) else {}
        error = _find_error(record.exc_info or values.get("exc_info"))
        event: Event = {}
        hint: Hint = {}
        if error is not None:
            options = sentry_sdk.get_client().options
            event, hint = event_from_exception(error, client_options=options)
        else:
            event["message"] = str(values.get("event", f"{record.name}: {record.funcName}"))
        event["level"] = "fatal" if record.levelno >= logging.CRITICAL else "error"
        event["logger"] = record.name
        ids = {**log_context.get_ids(), **values}
        tags = {name: str(ids[name]) for name in IDS if name in ids}
        event["tags"] = tags | ({"event": str(values["event"])} if "event" in values else {})
        if route := _find_route(record):
            event["transaction"] = route
        sentry_sdk.capture_event(event, hint)


def start_reports(dsn: str) -> None:
    """Begin to report errors of this process."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    sentry_sdk.init(
        dsn,
        release=f"{project['name']}@{project['version']}",
        before_send=_remove_data,
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[
            AtexitIntegration(callback=lambda _waiting, _seconds: None),
            DedupeIntegration(),
            ExcepthookIntegration(),
            ThreadingIntegration(propagate_scope=False),
        ],
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        send_client_reports=False,
        server_name="",
        shutdown_timeout=FLUSH_SECONDS,
    )
    logging.getLogger().addHandler(ErrorReports())


def _find_error(exc_info: Any) -> BaseException | None:
    info = sys.exc_info() if exc_info is True else exc_info
    error = info[1] if isinstance(info, tuple) else info
    return error if isinstance(error, BaseException) else None


def _find_route(record: logging.LogRecord) -> str:
    """The pattern of the URL of a request. The URL itself may have a code or a token."""
    match = getattr(getattr(record, "request", None), "resolver_match", None)
    return str(match.route) if match is not None else ""


def _remove_data(event: Event, _hint: Hint) -> Event:
    """Remove everything that is not known to be free of data."""
    report: Any = {name: value for name, value in event.items() if name in REPORT_FIELDS}
    contexts = report.get("contexts") or {}
    report["contexts"] = {name: contexts[name] for name in REPORT_CONTEXTS if name in contexts}
    for error in (report.get("exception") or {}).get("values", ()):
        error["value"] = ""
        error.pop("raw_data", None)
        stack = error.get("stacktrace") or {}
        stack["frames"] = [
            {name: value for name, value in frame.items() if name in FRAME_FIELDS}
            for frame in stack.get("frames", ())
        ]
    result: Event = report
    return result
