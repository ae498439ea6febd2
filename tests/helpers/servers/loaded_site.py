"""All code of a server that can be loaded before it serves: :mod:`tests.helpers.servers.fork_server`."""

from __future__ import annotations

import gc
import os
from importlib import import_module

import django
from django.conf import settings
from django.template.loader import get_template

from blackjack_site.conf import single_process
from tables.odds.hands import all_hands

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
django.setup()
for module in (
    "blackjack_site.asgi",
    "blackjack_site.urls",
    "tables.advice.hints",
    "tables.management.commands.serve",
    "tables.realtime.grading_worker",
    "tables.realtime.runtime",
    # daphne's own server module is not among them: it opens a loop, which processes cannot share.
    "autobahn.twisted.websocket",
    "daphne.http_protocol",
    "daphne.ws_protocol",
    "tables.servers.arrivals",
    "tables.servers.connection_limits",
    "tests.helpers.servers.process",
    "twisted.internet.asyncioreactor",
):
    import_module(module)
for path in (settings.BASE_DIR / "templates").rglob("*.html"):
    get_template(str(path.relative_to(settings.BASE_DIR / "templates")))
all_hands()
for held in single_process._held:  # The application has the lock: each server acquires its own.
    held.close()
single_process._held.clear()
gc.collect()
gc.freeze()
