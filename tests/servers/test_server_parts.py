"""What the site uses of other packages without a promise is there, or no server starts."""

from __future__ import annotations

import subprocess

import pytest

from tests.helpers.servers.fork_server import own_environment, with_packages

PARTS = {
    "daphne": [
        ("daphne.server:Server", "handle_reply"),
        ("autobahn.websocket.protocol:WebSocketProtocol", "sendClose"),
    ],
    "uvicorn": [
        ("uvicorn.protocols.http.h11_impl:H11Protocol", "on_response_complete"),
        ("uvicorn.protocols.websockets.websockets_sansio_impl:WebSocketsSansIOProtocol", None),
    ],
}


def run(program: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, as daphne installs a reactor."""
    environment = own_environment() | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    return with_packages().run(["-c", program], environment)


@pytest.mark.parametrize("server", [*PARTS, "django", "allauth"])
def test_case_52_all_of_it_is_there_in_the_versions_that_are_installed(server: str) -> None:
    result = run(
        "import django; django.setup()\n"
        "from tables.servers.private_parts import find_missing_parts\n"
        f"print(list(find_missing_parts({server!r})))"
    )
    assert result.stdout == "[]\n", (
        f"{server} or what it stands on has changed: {result.stdout}{result.stderr}"
        "See tables/servers/private_parts.py and the module that uses it."
    )


@pytest.mark.parametrize("server", PARTS)
def test_case_52_a_server_without_it_does_not_start_and_says_why(server: str) -> None:
    for place, name in PARTS[server]:
        module, _, kind = place.partition(":")
        attribute = f"{kind}.{name}" if name else f"module.{kind}"
        result = run(
            "import django; django.setup()\n"
            "from importlib import import_module\n"
            f"module = import_module({module!r})\n"
            f"del {'module.' if name else ''}{attribute}\n"
            "from django.core.management import CommandError, call_command\n"
            "try:\n"
            f"    call_command('serve', server={server!r})\n"
            "except CommandError as error:\n"
            "    print(error)\n"
        )
        assert f"there is no {place}" in result.stdout, result.stderr
        assert "install what requirements/ says" in result.stdout
