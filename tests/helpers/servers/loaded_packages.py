"""What a program of the site loads before it reads its settings: :mod:`tests.helpers.servers.fork_server`.

Each program reads its own settings, and loads what depends on them: Django's and allauth's models,
and the site.
"""

from __future__ import annotations

from importlib import import_module

from django.conf import settings

for module in (
    "allauth.core.context",
    # daphne's own server module is not among them: it opens a loop, which processes cannot share.
    "autobahn.twisted.websocket",
    "channels.generic.websocket",
    "channels.routing",
    "channels.security.websocket",
    "channels.sessions",
    "csp.checks",
    "csp.middleware",
    "daphne.http_protocol",
    "daphne.ws_protocol",
    "django.contrib.admin.options",
    "django.contrib.auth.hashers",
    "django.contrib.auth.password_validation",
    "django.contrib.staticfiles.storage",
    "django.core.handlers.asgi",
    "django.core.management.commands.migrate",
    "django.core.management.commands.shell",
    "django.core.management.utils",
    "django.db.backends.postgresql.base",
    "django.db.backends.sqlite3.base",
    "django.middleware.common",
    "django.middleware.gzip",
    "django.middleware.security",
    "django.template.defaulttags",
    "django.template.loader_tags",
    "django.views.debug",
    "environ",
    "msgspec",
    "prometheus_client",
    "psycopg_pool",
    "redis.asyncio",
    "smtplib",
    "structlog",
    "tables.engine.events",
    "tables.odds.decisions",
    "tables.protocol.events",
    "twisted.internet.asyncioreactor",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
    "whitenoise.middleware",
    "whitenoise.storage",
):
    import_module(module)
assert not settings.configured
