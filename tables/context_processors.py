from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.utils.translation import get_language

from tables.realtime.connections import socket_url
from tables.social import notices


def bell(request: HttpRequest) -> dict[str, Callable[[], int] | str]:
    """``count_notices``, called by the header alone, and the socket of pages without another one."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "count_notices": lambda: notices.count_new(user.pk),
        "notices_socket": socket_url.build_notices_url(user.pk, get_language() or ""),
    }
