"""Private names of other packages that this site uses.

Those of the servers are checked at each start: without them the limits of sockets would be missing
unnoticed. The others are checked by the tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pkgutil import resolve_name
from typing import Any, Final

from django.core.management.base import CommandError

PARTS: Final[Mapping[str, Mapping[str, str]]] = {
    "daphne": {
        "daphne.http_protocol:HTTPFactory": "buildProtocol",
        "daphne.http_protocol:WebRequest": "handleContentChunk .channel",
        "daphne.server:Server": "listen_success create_application handle_reply .connections .http_factory"
        " .ws_factory",
        "daphne.ws_protocol:WebSocketProtocol": "onMessage onClose .last_ping",
        "autobahn.twisted.websocket:WebSocketServerProtocol": "connectionMade dropConnection",
        "autobahn.websocket.protocol:PreparedMessage": ".payloadHybi",
        "autobahn.websocket.protocol:WebSocketProtocol": ".state STATE_CONNECTING STATE_OPEN sendClose"
        " .send_queue"
        " .autoPingRestartOnAnyTraffic .maxFramePayloadSize .maxMessagePayloadSize _dataReceived",
        "twisted.web.http:_GenericHTTPChannelProtocol": "._channel .timeOut .requestFactory",
        "twisted.web.http:HTTPChannel": "resetTimeout setTimeout dataReceived .transport",
    },
    "uvicorn": {
        "uvicorn:Server": "startup handle_exit .should_exit",
        "uvicorn.protocols.http.h11_impl:H11Protocol": "connection_made connection_lost"
        " data_received on_response_complete .conn .transport .loop",
        "uvicorn.protocols.websockets.websockets_sansio_impl:WebSocketsSansIOProtocol":
        "connection_made connection_lost data_received run_asgi send keepalive_timeout shutdown"
        " send_receive_event_to_app handle_parser_exception .curr_msg_data_type .frames"
        " .conn .transport .loop .handshake_initiated .handshake_complete .writable .disconnected"
        " .close_sent .queue .read_paused .scope",
        "h11:Connection": "their_state trailing_data",
        "websockets.protocol:Protocol": ".state send_close data_to_send",
    },
    # accounts/lib/sql/select.py, accounts/lib/downloads.py, tables/realtime/connections/
    "django": {
        "django.db.models.query": "ModelIterable get_related_populators",
        "django.db.models.query:RelatedPopulator": ".model_cls .related_populators",
        "django.db.models.query:QuerySet": "._iterable_class",
        "django.db.models.sql.compiler:SQLCompiler": ".klass_info .select",
        "django.middleware.gzip": "re_accepts_gzip",
        "channels.consumer": "get_handler_name",
    },
    # accounts/http.py, accounts/mail/rate_limits.py, accounts/users/
    "allauth": {
        "allauth.core.internal.ratelimit": "consume get_cache_key get_ip get_rates",
        "allauth.account.internal.flows.login": "AUTHENTICATION_METHODS_SESSION_KEY"
        " get_authentication_records record_authentication",
        "allauth.core.internal.cryptokit": "compare_user_code",
        "allauth.mfa.base.internal.flows": "check_rate_limit",
        "allauth.mfa.totp.internal.auth": "format_hotp_value hotp_value",
        "allauth.mfa.totp.internal.flows": "activate_totp",
        "allauth.mfa.webauthn.internal.flows": "perform_passwordless_login",
        "allauth.account.internal.flows.email_verification": "send_verification_email_for_user",
        "allauth.account.internal.flows.signup": "send_unknown_account_mail",
    },
}  # fmt: skip
"""By package: modules or classes, and their names that are called or replaced; attributes that are
read or set begin with a dot."""

PACKAGES: Final = {
    "daphne": ("daphne", "autobahn", "twisted"),
    "uvicorn": ("uvicorn", "websockets"),
}
"""The packages of each server."""


def verify_parts(server: str) -> None:
    """Check the names of a server. Raises ``CommandError`` with the missing ones."""
    missing = ", ".join(find_missing_parts(server))
    if missing:
        versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES[server])
        raise CommandError(
            f"With {versions} there is no {missing}, on which the limits of sockets depend: "
            "install what requirements/ says, or bring tables/servers/private_parts.py up to date."
        )


def find_missing_parts(server: str) -> Iterator[str]:
    """Yield the missing names of a server or package."""
    for place, names in PARTS[server].items():
        try:
            owner = resolve_name(place)
        except (ImportError, AttributeError):
            yield place
            continue
        yield from (
            f"{place}.{name.lstrip('.')}"
            for name in names.split()
            if not _has_attribute(owner, name)
        )


def _has_attribute(owner: Any, name: str) -> bool:
    """Whether instances have the name; an attribute set by a method is found in its code."""
    if hasattr(owner, name.removeprefix(".")):
        return True
    members = (member for kind in getattr(owner, "__mro__", ()) for member in vars(kind).values())
    codes = [member.__code__ for member in members if hasattr(member, "__code__")]
    return name.startswith(".") and any(name[1:] in code.co_names for code in codes)
