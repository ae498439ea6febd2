"""Reports of errors to a service: what is sent, and what is not."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import brotli

from tests.helpers.servers.failing import FAILING_TEXT, HIDDEN, THREAD
from tests.helpers.servers.fork_server import own_environment, with_packages
from tests.helpers.servers.process import Server, serving
from tests.helpers.socket_player import SocketPlayer
from tests.servers.conftest import CASINO
from tests.servers.test_log_lines import find_user


class Service:
    """A small service on this machine, which keeps the reports."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.keys: set[str] = set()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                decompress = {"gzip": gzip.decompress, "br": brotli.decompress}
                body = decompress[self.headers["Content-Encoding"]](body)
                service.keys.add(self.headers["X-Sentry-Auth"])
                service.texts.append(body.decode())
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.dsn = f"http://0123abcd@127.0.0.1:{self.server.server_port}/42"

    def events(self) -> list[dict[str, Any]]:
        """The reports: an envelope has a head, and a head and a line for each item."""
        items = []
        for text in self.texts:
            rows = [json.loads(row) for row in text.splitlines() if row]
            items += [item for head, item in zip(rows[1::2], rows[2::2], strict=True)
                      if head["type"] == "event"]  # fmt: skip
        return items

    def wait_for(self, number: int) -> list[dict[str, Any]]:
        until = time.monotonic() + 30
        while len(self.events()) < number and time.monotonic() < until:
            time.sleep(0.05)
        return self.events()


@contextmanager
def listening() -> Iterator[Service]:
    service = Service()
    thread = threading.Thread(target=service.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.server.shutdown()
        service.server.server_close()


async def fail_everywhere(server: Server) -> int:
    """A page, a command and a thread meet an error; returns the id of the player."""
    ann = SocketPlayer(server.url, "ann")
    await asyncio.to_thread(ann.sign_up)
    with suppress(HTTPError):
        await asyncio.to_thread(ann.opener.open, f"{server.url}/leaderboard/?secret=of-ann")
    await ann.open(CASINO)
    assert (await ann.send(t="say", text=FAILING_TEXT))["code"] == "internal"
    assert (await ann.send(t="say", text=THREAD))["t"] == "done"
    await ann.close()
    return find_user(server.data, "ann")


async def test_errors_are_reported_with_ids_and_without_data(
    tmp_path: Path, prepared: Path
) -> None:
    with listening() as service:
        module = "tests.helpers.servers.failing"
        with serving(tmp_path, prepared, module=module, SENTRY_DSN=service.dsn) as server:
            user_id = await fail_everywhere(server)
            events = await asyncio.to_thread(service.wait_for, 3)
    page, command, thread = sorted(events, key=lambda event: event["timestamp"])
    assert "sentry_key=0123abcd" in service.keys.pop()
    for event in events:
        (error,) = event["exception"]["values"]
        assert error["type"] == "RuntimeError"
        assert error["stacktrace"]["frames"][-1]["function"] == "fail"
        assert event["release"] == "blackjack-site@0.1.0"
    assert page["transaction"] == "leaderboard/"
    assert page["tags"]["request_id"]
    assert command["tags"]["table_id"] == str(CASINO)
    assert command["tags"]["user_id"] == str(user_id)
    assert command["tags"]["event"] == "command_failed"
    assert command["tags"]["connection_id"]
    assert command["tags"]["command_id"]
    assert thread["exception"]["values"][0]["mechanism"]["type"] == "threading"
    text = "\n".join(service.texts)
    frames = json.dumps([event.pop("exception") for event in events])
    assert HIDDEN not in text
    assert '"vars"' not in frames
    assert '"value": ""' in frames
    for secret in ("of-ann", '"ann"', "sessionid", "Cookie", "127.0.0.1:", '"server_name": "'):
        assert secret not in text.replace(service.dsn, ""), secret


def test_without_an_address_the_package_is_not_loaded(tmp_path: Path) -> None:
    code = (
        "import sys, django; django.setup(); import blackjack_site.urls;"
        "print('sentry_sdk' in sys.modules)"
    )
    environment = own_environment() | {
        "BLACKJACK_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "blackjack_site.settings"
    }  # fmt: skip
    result = with_packages().run(["-c", code], environment)
    assert (result.returncode, result.stdout) == (0, "False\n"), result.stderr


def test_a_service_that_does_not_answer_disturbs_nobody(tmp_path: Path, prepared: Path) -> None:
    module, nobody = "tests.helpers.servers.failing", "http://0123abcd@127.0.0.1:1/42"
    with serving(tmp_path, prepared, module=module, SENTRY_DSN=nobody) as server:
        asyncio.run(fail_everywhere(server))
        assert urllib.request.urlopen(f"{server.url}/readyz").status == 200
        assert server.stop() == 0
