"""The pages that players ask for most, beside a Django view on the same server that says ok."""

from __future__ import annotations

import socket
import time
import urllib.parse
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.bulk_ledger import Books
from tests.bench.servers import line, opened
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import PASSWORD, SocketPlayer

RUNS = 5
REQUESTS = 15
"""So many in a row of one page in one run; their median counts."""
AT_ONCE = 4
SECONDS = 1.0
"""For so long each page is asked for by :data:`AT_ONCE` browsers in a run."""
HANDS, ROUNDS, OTHERS = 30_000, 1_000, 50
FLOOR_IS = "a bare Django view behind no middleware, on the same server"
BEHIND = "/bare/behind/"
PAGES = {
    "bare_view_behind_our_middleware": BEHIND,
    "login_page": "/accounts/login/",
    "lobby": "/",
    "table": "/tables/1/",
    "history": "/history/",
}


class Browser:
    """One kept connection, over which it asks again and again; as lean as it can be."""

    def __init__(self, server: Server, request: bytes) -> None:
        self.line = socket.create_connection(("localhost", server.port))
        self.request = request

    def ask(self, status: bytes = b"200") -> bytes:
        """The head of the answer. Raises ``RuntimeError`` for another status."""
        self.line.sendall(self.request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            if not (more := self.line.recv(65536)):
                raise RuntimeError("the server has closed the connection")
            answer += more
        head, _, body = answer.partition(b"\r\n\r\n")
        if head.split(b" ", 2)[1] != status:
            raise RuntimeError(head.decode())
        remaining = int(_field(head, b"content-length")) - len(body)
        while remaining > 0:
            remaining -= len(self.line.recv(65536))
        return head

    def close(self) -> None:
        self.line.close()


def measure(
    folder: Path,
    *,
    hands: int = HANDS,
    runs: int = RUNS,
    requests: int = REQUESTS,
    seconds: float = SECONDS,
) -> Iterator[dict[str, Any]]:
    """Two JSON lines a page: one at a time, in milliseconds, and how many a second."""

    def furnish(path: Path) -> None:
        rounds = min(ROUNDS, hands // 3)
        Books(path).fill(hands=hands, rounds_of={"regular": rounds}, others=OTHERS)

    with opened(folder, players=("regular",), furnish=furnish) as (server, (player,)):
        floors = [get(server, "/bare/"), get(server, BEHIND, player)]
        for name, path in PAGES.items():
            page = get(server, path, None if name == "login_page" else player)
            yield from beside(server, name, page, floors, runs, requests, seconds)
        yield password_check(server, runs)


def beside(
    server: Server,
    name: str,
    page: bytes,
    floors: list[bytes],
    runs: int,
    requests: int,
    seconds: float,
) -> Iterator[dict[str, Any]]:
    """A page, the bare view, and the bare view behind the middleware, by turns."""
    for what, of in (
        ("ms", partial(milliseconds, requests=requests)),
        ("per_second", partial(per_second, seconds=seconds)),
    ):
        turns = [[of(server, request) for request in (page, *floors)] for _ in range(runs)]
        value, least, behind = (median(column) for column in zip(*turns, strict=True))
        printed = line(f"{name}_{what}", value, least, FLOOR_IS)
        yield printed | {"ratio_to_one_behind_our_middleware": round(value / behind, 2)}


def milliseconds(server: Server, request: bytes, *, requests: int) -> float:
    browser = Browser(server, request)
    times = [timed(browser.ask) for _ in range(requests)]
    browser.close()
    return median(times)


def per_second(server: Server, request: bytes, *, seconds: float) -> float:
    began = time.perf_counter()

    def keep_asking(_: int) -> int:
        browser, count = Browser(server, request), 0
        while time.perf_counter() < began + seconds:
            browser.ask()
            count += 1
        browser.close()
        return count

    with ThreadPoolExecutor(AT_ONCE) as pool:
        count = sum(pool.map(keep_asking, range(AT_ONCE)))
    return count / (time.perf_counter() - began)


def password_check(server: Server, runs: int) -> dict[str, Any]:
    """Logging in, beside the one slow thing in it: slow on purpose, against who tries them all."""
    from django.contrib.auth.hashers import PBKDF2PasswordHasher

    hasher = PBKDF2PasswordHasher()
    password_hash = hasher.encode(PASSWORD, "salt")
    request = login(server)
    pairs = []
    for _ in range(runs):
        browser = Browser(server, request)
        pairs.append(
            (
                timed(partial(browser.ask, b"302")),
                timed(partial(hasher.verify, PASSWORD, password_hash)),
            )
        )
        browser.close()
    value, floor = (median(column) for column in zip(*pairs, strict=True))
    return line("login_ms", value, floor, "checking one password, in a process of its own")


def get(server: Server, path: str, player: SocketPlayer | None = None) -> bytes:
    """A request for a page, as a browser of this player sends it."""
    cookies = "; ".join(f"{c.name}={c.value}" for c in player.cookies) if player else ""
    return (
        f"GET {path} HTTP/1.1\r\nHost: localhost:{server.port}\r\nAccept-Encoding: gzip\r\n"
        f"Cookie: {cookies}\r\n\r\n"
    ).encode()


def login(server: Server) -> bytes:
    """The form of the login page, filled in."""
    browser = Browser(server, get(server, "/accounts/login/"))
    cookie = _field(browser.ask(), b"set-cookie").split(b";")[0].decode()
    browser.close()
    form = {"csrfmiddlewaretoken": cookie.split("=")[1], "login": "regular", "password": PASSWORD}
    body = urllib.parse.urlencode(form)
    return (
        f"POST /accounts/login/ HTTP/1.1\r\nHost: localhost:{server.port}\r\nCookie: {cookie}\r\n"
        f"Origin: {server.url}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


def timed(act: Callable[[], object]) -> float:
    """How many milliseconds it takes."""
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)


def _field(head: bytes, name: bytes) -> bytes:
    """What this header says."""
    lines = head.split(b"\r\n")[1:]
    named = {field.lower(): value for field, _, value in (text.partition(b": ") for text in lines)}
    return named[name]
