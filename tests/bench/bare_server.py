"""The real server with three routes more, which do nothing: what pages and sockets stand on.

``python -m tests.bench.bare_server``: ``/bare/`` is a Django view that says ok, behind no
middleware at all, ``/bare/behind/`` the same behind the site's, and the socket ``/bare/`` waits.
"""

from __future__ import annotations

import os
from typing import Any

import django
from django.core.handlers.asgi import ASGIHandler
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.urls import path


def ok(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", headers={"Content-Length": "2"})  # the middleware would say it


def without_middleware() -> Any:
    from django.conf import settings

    every, settings.MIDDLEWARE = settings.MIDDLEWARE, []
    try:
        return ASGIHandler()
    finally:
        settings.MIDDLEWARE = every


async def wait(receive: Any, send: Any) -> None:
    """A socket to which nothing is ever sent."""
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


def bare_and_product() -> Any:
    bare = without_middleware()
    from blackjack_site import urls
    from blackjack_site.asgi import application as product

    urls.urlpatterns += [path("bare/", ok), path("bare/behind/", ok)]

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope.get("path") != "/bare/":
            await product(scope, receive, send)
        elif scope["type"] == "websocket":
            await wait(receive, send)
        else:
            await bare(scope, receive, send)

    return application


def __getattr__(name: str) -> Any:
    """Made for a server alone: it adds to the addresses of the whole process."""
    if name == "application":
        return bare_and_product()
    raise AttributeError(name)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    django.setup()
    from django.conf import settings

    settings.ASGI_APPLICATION = "tests.bench.bare_server.application"
    call_command("serve")
