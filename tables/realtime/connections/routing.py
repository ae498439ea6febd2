"""URLs of the websockets."""

from __future__ import annotations

from django.urls import path, re_path

from tables.realtime.connections.consumers import (
    LobbyConsumer,
    NoticesConsumer,
    TableConsumer,
    UnknownUrlConsumer,
)

websocket_urlpatterns = [
    path("ws/lobby/", LobbyConsumer.as_asgi()),
    path("ws/notices/", NoticesConsumer.as_asgi()),
    path("ws/tables/<int:table_id>/", TableConsumer.as_asgi()),
    re_path("", UnknownUrlConsumer.as_asgi()),
]
