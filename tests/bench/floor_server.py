"""The real server with one route more: a bare Channels consumer that sends on what it gets.

``python -m tests.bench.floor_server``. It is the floor that a command's way is held against: the
same server, the same loop, stock parts, no rules, no money, no database.
"""

from __future__ import annotations

import os
from typing import Any

import django
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.management import call_command
from django.urls import path

GROUP = "floor"


class Echo(AsyncWebsocketConsumer):
    """Sends every message to everybody in one group, as the Channels tutorial does."""

    async def connect(self) -> None:
        await self.channel_layer.group_add(GROUP, self.channel_name)
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self.channel_layer.group_send(GROUP, {"type": "floor.message", "text": text_data})

    async def floor_message(self, message: dict[str, Any]) -> None:
        await self.send(text_data=message["text"])

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(GROUP, self.channel_name)


def floor_and_product() -> ProtocolTypeRouter:
    from blackjack_site.asgi import application

    floor = URLRouter([path("floor/", Echo.as_asgi())])

    async def websocket(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await (floor if scope["path"] == "/floor/" else application)(scope, receive, send)

    return ProtocolTypeRouter({"http": application, "websocket": websocket})


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    django.setup()
    from django.conf import settings

    settings.ASGI_APPLICATION = "tests.bench.floor_server.application"
    call_command("serve")
else:
    application = floor_and_product()
