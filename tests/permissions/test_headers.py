"""What browsers are told with every answer, on a server as it stands behind a proxy with https."""

from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.helpers.servers.process import ROOT, Server, serving

NAME = "cards.example"
PROXY = {
    "Host": NAME, "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1",
    "Referer": f"https://{NAME}/",
}  # fmt: skip
SHIELDS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "strict-transport-security": "max-age=31536000",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), midi=()",
}
"""With each answer of the site, whatever it is."""
POLICY = {
    "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'",
    "font-src": "'self'", "connect-src": "'self'", "manifest-src": "'self'",
    "form-action": "'self'", "base-uri": "'none'", "frame-ancestors": "'none'",
}  # fmt: skip
"""Nothing inline, nothing from elsewhere."""
MOST = 64 * 1024


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    cookies: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, prepared: Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("headers")
    public = {"SITE_URL": f"https://{NAME}", "TRUSTED_PROXIES": "1"}
    with serving(folder, prepared, **public) as running:
        yield running


class Browser:
    """Speaks to the server as the proxy does, and keeps its cookies."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.cookies: dict[str, str] = {}

    def ask(self, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> Answer:
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        cookie_header = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        line.request(method, path, body or None, PROXY | {"Cookie": cookie_header} | headers)
        got = line.getresponse()
        cookies = got.headers.get_all("Set-Cookie") or []
        for cookie in cookies:
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        response_headers = {name.lower(): value for name, value in got.headers.items()}
        answer = Answer(got.status, response_headers, got.read(), cookies)
        line.close()
        return answer

    def post(self, path: str, **form: str) -> Answer:
        match = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', self.ask(path).body)
        assert match
        filled = urlencode({"csrfmiddlewaretoken": match[1].decode(), **form}).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask(path, "POST", filled, **kind)


@pytest.fixture(scope="module")
def ann(server: Server) -> Browser:
    browser = Browser(server)
    password = "blackjack-21!"
    form = {"username": "ann", "email": "", "password1": password}
    assert browser.post("/accounts/signup/", **form).status == 302
    return browser


def verify_shielded(answer: Answer, what: str) -> None:
    headers = {name: answer.headers.get(name) for name in SHIELDS}
    assert headers == SHIELDS, what
    policy = answer.headers["content-security-policy"]
    assert dict(part.strip().split(" ", 1) for part in policy.split(";")) == POLICY, what
    assert "unsafe" not in policy
    assert not {"x-powered-by", "access-control-allow-origin"} & set(answer.headers), what


def stylesheet(ann: Browser) -> str:
    return ann.ask("/").body.decode().split('<link rel="stylesheet" href="')[1].split('"')[0]


def test_every_kind_of_answer_has_all_shields(server: Server, ann: Browser) -> None:
    expected = {
        "/": 200, "/home/": 200, "/account/": 200, "/tables/1/": 200, "/statement.csv": 200,
        "/history/rounds.json": 200, "/robots.txt": 200, "/livez": 200, "/jsi18n/any.js": 200,
        stylesheet(ann): 200, "/static/favicon.svg": 200, "/static/nothing.css": 404,
        "/nothing/": 404, "/tables/424242/": 404, "/admin/": 302, "/admin/login/": 403,
        "/accounts/login/": 302, "/tables/1": 301, "/metrics": 404,
    }  # fmt: skip
    for path, status in expected.items():
        answer = ann.ask(path)
        assert answer.status == status, path
        verify_shielded(answer, path)
    refused = {"no token": ann.ask("/rebuy/", "POST"), "method": ann.ask("/", "DELETE")}
    refused["host"] = ann.ask("/", Host="evil.example")
    assert [answer.status for answer in refused.values()] == [403, 405, 400]
    for what, answer in refused.items():
        verify_shielded(answer, what)


def test_what_is_somebodys_own_is_kept_nowhere(server: Server, ann: Browser) -> None:
    for path in ("/home/", "/account/", "/statement/", "/statement.csv", "/history/", "/rebuy/",
                 "/history/rounds.json", "/figures/", "/accounts/login/"):  # fmt: skip
        assert "no-store" in ann.ask(path).headers["cache-control"], path
    for path in ("/", "/tables/1/", "/rules/"):
        assert "cookie" in ann.ask(path).headers["vary"].lower(), path


def test_who_asks_without_https_is_led_to_it(server: Server) -> None:
    answer = Browser(server).ask("/rules/", **{"X-Forwarded-Proto": "http"})
    assert answer.status == 301
    assert answer.headers["location"] == f"https://{NAME}/rules/"


def test_cookies_are_for_the_site_alone(server: Server) -> None:
    browser = Browser(server)
    password = "blackjack-21!"
    form = {"username": "ben", "email": "", "password1": password}
    answer = browser.post("/accounts/signup/", **form)
    cookies = {cookie.partition("=")[0]: cookie.lower() for cookie in answer.cookies}
    assert {"sessionid", "csrftoken"} <= set(cookies)
    for cookie in cookies.values():
        parts = {part.strip() for part in cookie.split(";")}
        assert {"secure", "httponly", "samesite=lax", "path=/"} <= parts, cookie
        assert not [part for part in parts if part.startswith("domain")], cookie


def test_a_refused_socket_tells_nothing(server: Server, ann: Browser) -> None:
    upgrade = {
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": "https://evil.example",
    }  # fmt: skip
    answer = ann.ask("/ws/tables/1/", **upgrade)
    assert answer.status == 403
    assert set(answer.headers) <= {"server", "content-type", "content-length", "connection", "date"}
    assert answer.body in (b"", b"Access denied")


def test_no_page_has_anything_inline(server: Server, ann: Browser) -> None:
    pages = ("/", "/home/", "/tables/1/", "/account/", "/statement/", "/figures/", "/nothing/",
             "/rules/", "/fairness/", "/accounts/password/change/")  # fmt: skip
    for path in pages:
        page = ann.ask(path).body.decode()
        for attributes, inside in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL):
            assert "application/json" in attributes or not inside.strip(), path
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page), path
        assert not re.search(r'(?:src|href)="(?:https?:)?//(?!cards\.example)', page), path


# What browsers may send


def multipart(*parts: tuple[str, str]) -> bytes:
    """A form with these headers and contents."""
    lines = [f"--x\r\nContent-Disposition: form-data; {head}\r\n\r\n{body}" for head, body in parts]
    return "\r\n".join([*lines, "--x--\r\n"]).encode()


def test_files_are_refused(server: Server, ann: Browser) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    file = multipart(('name="avatar"; filename="a.svg"', "<svg/>"))
    for path in ("/account/listed/", "/accounts/login/", "/tables/new/", "/admin/login/"):
        answer = ann.ask(path, "POST", file, **kind)
        assert answer.status == 400, path
        verify_shielded(answer, path)
    assert (
        ann.ask("/account/listed/", "POST", multipart(('name="listed"', "on")), **kind).status
        == 403
    )
    assert "Internal Server Error" not in server.log.read_text()


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/nothing/", "/static/favicon.svg"])
def test_more_than_a_form_is_not_read(server: Server, path: str) -> None:
    browser = Browser(server)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert browser.ask(path, "POST", b"a=" + b"x" * (MOST - 2), **kind).status not in (413, 500)
    head = [f"POST {path} HTTP/1.1", f"Host: {NAME}", "Content-Length: 1000000000", "", ""]
    assert sent_until_refused(server, "\r\n".join(head).encode(), b"x" * 8192) < 8 * MOST


MANY = "&".join(f"a{number}=1" for number in range(1001))
URLENCODED = "application/x-www-form-urlencoded"
UNREADABLE: dict[str, tuple[str, str, bytes, str]] = {
    **{
        f"{method} in {charset} at {path}": (
            method, path, b"a=1", f"{URLENCODED}; charset={charset}"
        )
        for method, path in (
            ("POST", "/livez"), ("POST", "/rebuy/"), ("GET", "/lobby/?after=1"),
            ("POST", "/admin/"), ("POST", "/accounts/login/"),
        )
        for charset in ("latin1", "utf-16", "utf-7", "hex", "idna", "utf8")
    },
    "many parameters at a page": ("GET", f"/?{MANY}", b"", ""),
    "many parameters at no page": ("GET", f"/accounts/nope/?{MANY}", b"", ""),
    "many parameters behind the counter": ("GET", f"/admin/?{MANY}", b"", ""),
    "many fields": ("POST", "/rebuy/", MANY.encode(), URLENCODED),
    "many fields at no page": ("POST", "/accounts/nope/", MANY.encode(), URLENCODED),
    "many fields behind the counter": ("POST", "/admin/", MANY.encode(), URLENCODED),
}  # fmt: skip


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_is_refused_in_a_line(server: Server, ann: Browser, what: str) -> None:
    method, path, body, content_type = UNREADABLE[what]
    before = len(server.log.read_text())
    kind = {"Content-Type": content_type} if content_type else {}
    answer = ann.ask(path, method, body, **kind)
    assert answer.status in (400, 403), (what, answer.status)
    verify_shielded(answer, what)
    assert b"<h1>" in answer.body
    written = server.log.read_text()[before:]
    assert "Traceback" not in written
    assert len(written) < 2_000


def test_nor_what_does_not_say_how_long_it_is(server: Server) -> None:
    head = ["POST / HTTP/1.1", f"Host: {NAME}", "Transfer-Encoding: chunked", "", ""]
    chunk = b"2000\r\n" + b"x" * 8192 + b"\r\n"
    assert sent_until_refused(server, "\r\n".join(head).encode(), chunk) < 8 * MOST


def sent_until_refused(server: Server, head: bytes, piece: bytes) -> int:
    """Send pieces until the server hangs up; how many bytes that took, of a gigabyte."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall(head)
        for number in range(1_000_000_000 // len(piece)):
            try:
                line.sendall(piece)
                # What the server lets in before it looks is sent at once; then it has time.
                line.settimeout(0.01 if number * len(piece) < 2 * MOST else 1)
                if line.recv(4096).startswith(b"HTTP/1.1 413"):
                    return number * len(piece)
            except TimeoutError:
                line.settimeout(10)
            except OSError:
                return number * len(piece)
    raise AssertionError("all of it was read")


# What stands in no file of the project


SECRETS = re.compile(
    r"django-insecure|BEGIN [A-Z ]*PRIVATE KEY|AKIA[0-9A-Z]{16}"
    r"|(?:SECRET_KEY|METRICS_TOKEN|PASSWORD)\s*=\s*[\"'][^\"']{12,}"
)


def test_no_secret_stands_in_the_sources() -> None:
    hits = [
        f"{path.name}: {hit[0]}"
        for folder in (
            "accounts",
            "blackjack_site",
            "tables",
            "templates",
            "static",
            "requirements",
        )
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".html", ".js", ".txt", ".css")
        for hit in [SECRETS.search(path.read_text())]
        if hit
    ]
    assert hits == []
    settings = (ROOT / "blackjack_site/settings.py").read_text()
    for name in ("SECRET_KEY", "METRICS_TOKEN", "DATABASE", "REDIS_URL"):
        assert re.search(rf"^{name} = env\.", settings, re.MULTILINE), name
