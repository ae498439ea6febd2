"""All code of a server that can be loaded before it serves: :mod:`tests.servers.fork_server`."""

from __future__ import annotations

import gc
import os
from importlib import import_module

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
django.setup()
for module in (
    "blackjack_site.asgi",
    "blackjack_site.urls",
    "django.core.management.commands.shell",
    "tables.management.commands.serve",
    "tables.realtime.runtime",
    # daphne's own server module is not among them: it opens a loop, which processes cannot share.
    "autobahn.twisted.websocket",
    "daphne.http_protocol",
    "daphne.ws_protocol",
    "tables.servers.arrivals",
    "tables.servers.connection_limits",
    "tests.servers.stacked",
    "twisted.internet.asyncioreactor",
):
    import_module(module)
gc.collect()
gc.freeze()
