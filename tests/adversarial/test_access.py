"""Whose pages may open a socket, and when an open one ends with who is logged in there."""

from __future__ import annotations

import asyncio
import datetime as dt
import re
import socket
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import pytest_asyncio
from websockets.exceptions import ConnectionClosed

from tests.helpers.servers.process import Server, serving
from tests.helpers.socket_player import PASSWORD, SocketPlayer

CASINO = 1
NEW = "another-good-1!"
AT_ONCE = 4.0
"""Seconds until the pages are closed, on a busy machine; without a word they are after 20."""
SESSION_ENDED = 4401
OPERATOR = {"DJANGO_SUPERUSER_USERNAME": "olga", "DJANGO_SUPERUSER_PASSWORD": PASSWORD}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, prepared: Path) -> Iterator[Server]:
    """One for all of these tests; its letters are files."""
    folder = tmp_path_factory.mktemp("access")
    letters = {"EMAIL_URL": f"filemail:///{folder}/letters"}
    with serving(folder, prepared, **letters, **OPERATOR) as running:
        yield running


def ask(server: Server, query: str, *values: object) -> list[tuple[object, ...]]:
    """Ask or change the server's database behind its back, as another process would."""
    with closing(sqlite3.connect(server.data / "db.sqlite3", timeout=10)) as database, database:
        return database.execute(query, values).fetchall()


# Whose pages


def handshake(server: Server, *origins: str, path: str = f"/ws/tables/{CASINO}/") -> bytes:
    """What the server answers to who wants to open a socket."""
    lines = [
        f"GET {path} HTTP/1.1", f"Host: localhost:{server.port}", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", *(f"Origin: {each}" for each in origins),
    ]  # fmt: skip
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        answer = b""
        while b"\r\n\r\n" not in answer and (more := line.recv(4096)):
            answer += more
        return answer


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


OWN = "http://localhost:{port}"
REFUSALS = (400, 403)
"""By daphne itself what is no origin, and what it cannot be by the site."""
REFUSED = {
    "foreign": "http://evil.example",
    "null": "null",
    "empty": "",
    "other port": "http://localhost:{other}",
    "no port": "http://localhost",
    "other scheme": "https://localhost:{port}",
    "its own scheme of sockets": "ws://localhost:{port}",
    "suffix": "http://localhost.evil:{port}",
    "prefix": "http://evillocalhost:{port}",
    "below it": "http://evil.localhost:{port}",
    "in a path": "http://evil.example/localhost:{port}",
    "with a path": "http://localhost:{port}/",
    "with a question": "http://localhost:{port}?",
    "with a name": "http://evil@localhost:{port}",
    "as a name": "http://localhost:{port}@evil.example",
    "bad port": "http://localhost:port",
    "a port that is none": "http://localhost:99999999",
    "no address at all": "http://[",
    "with a dot": "http://localhost.:{port}",
    "two of them": "http://localhost:{port}, http://localhost:{port}",
    "letters of nobody": "http://l\u00f6calhost:{port}",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_case_27_a_page_of_another_origin_opens_no_socket(server: Server, kind: str) -> None:
    origin = REFUSED[kind].format(port=server.port, other=server.port + 1)
    for path in (f"/ws/tables/{CASINO}/", "/ws/lobby/", "/ws/nowhere/"):
        assert status(handshake(server, origin, path=path)) in REFUSALS
    assert "Traceback" not in server.log.read_text()


def test_case_27_who_does_not_say_an_origin_opens_no_socket_nor_who_says_two(
    server: Server,
) -> None:
    own = OWN.format(port=server.port)
    assert status(handshake(server)) == 403
    for two in ((own, own), (own, "http://evil.example"), ("http://evil.example", own)):
        assert status(handshake(server, *two)) in REFUSALS


@pytest.mark.parametrize(
    "origin", [OWN, "http://LocalHost:{port}", "HTTP://LOCALHOST:{port}", "http://127.0.0.1:{port}"]
)
def test_case_27_the_sites_own_pages_do_whatever_the_case_of_its_name(
    server: Server, origin: str
) -> None:
    assert status(handshake(server, origin.format(port=server.port))) == 101


# Who is logged in


def new_player(server: Server, name: str, email: str = "") -> SocketPlayer:
    player = SocketPlayer(server.url, name)
    form = {"username": name, "email": email, "password1": PASSWORD}
    player.post("/accounts/signup/", "/accounts/signup/", **form)
    return player


def another_browser(player: SocketPlayer) -> SocketPlayer:
    other = SocketPlayer(player.url, player.name)
    other.post("/accounts/login/", "/accounts/login/", login=player.name, password=PASSWORD)
    return other


def key_of(player: SocketPlayer) -> str:
    return next(str(cookie.value) for cookie in player.cookies if cookie.name == "sessionid")


def log_out(player: SocketPlayer) -> None:
    player.post("/accounts/logout/", "/accounts/logout/")


def log_out_elsewhere(player: SocketPlayer) -> None:
    another_browser(player).post("/account/", "/account/sessions/end/", others="")


def change_the_password_elsewhere(player: SocketPlayer) -> None:
    path = "/accounts/password/change/"
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    another_browser(player).post(path, path, **form)


def reset_the_password_by_mail(player: SocketPlayer) -> None:
    stranger, path = SocketPlayer(player.url, "stranger"), "/accounts/password/reset/"
    stranger.post(path, path, email=f"{player.name}@example.com")
    match = link_in(SERVERS[player.url].data.parent / "letters", player.name)
    form = stranger.opener.open(f"{player.url}{match[1]}").geturl().removeprefix(player.url)
    assert "set-password" in form
    stranger.post(form, form, password1=NEW, password2=NEW)


def link_in(letters: Path, name: str) -> re.Match[str]:
    """The link for another password, once the letter with it has been sent."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for file in letters.iterdir() if letters.exists() else ():
            text = file.read_text()
            match = re.search(r"(/accounts/password/reset/key/\S+)\n", text)
            if match and name in text:
                return match
        time.sleep(0.05)  # another thread of the server sends it
    raise AssertionError("no letter came")


def code_of_olga(server: Server) -> str:
    """A recovery code: an app shows one code in 30 seconds, and she logs in more often."""
    process = server.manage(
        "shell", "--verbosity", "0", "-c",
        "from accounts.models import User; user = User.objects.get(username='olga');"
        "from tests.helpers.second_factor import give_app, recovery_codes_of;"
        "give_app(user); print(recovery_codes_of(user)[0])",
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


def freeze(player: SocketPlayer) -> None:
    server = SERVERS[player.url]
    ((user_id,),) = ask(server, "SELECT id FROM accounts_user WHERE username = ?", player.name)
    if not ask(server, "SELECT id FROM accounts_user WHERE username = 'olga'"):
        process = server.manage("createsuperuser", "--noinput", "--email", "olga@example.com")
        assert process.returncode == 0, process.stderr
    operator = SocketPlayer(player.url, "olga")
    code = code_of_olga(server)
    form = {"login": "olga", "password": PASSWORD, "next": "/admin/"}
    operator.post("/accounts/login/", "/accounts/login/", **form)
    code_page = "/accounts/2fa/login/"
    operator.post(code_page, code_page, code=code)
    path = f"/admin/players/{user_id}/freeze/"
    operator.post(path, path, reason="A word with you.")


def delete_the_account(player: SocketPlayer) -> None:
    path = "/account/delete/"
    another_browser(player).post(path, path, name=player.name, password=PASSWORD)


SERVERS: dict[str, Server] = {}
"""By address, for what is done behind a server's back."""
WAYS: list[Callable[[SocketPlayer], None]] = [
    log_out, log_out_elsewhere, change_the_password_elsewhere, reset_the_password_by_mail,
    freeze, delete_the_account,
]  # fmt: skip


@pytest_asyncio.fixture
async def ann(request: pytest.FixtureRequest, server: Server) -> AsyncIterator[SocketPlayer]:
    """A new player who looks at a table from two pages. Only who needs a letter has an address: one
    that asks for letters gets five in 15 minutes.
    """
    SERVERS[server.url] = server
    name = f"p{int(time.monotonic() * 1000) % 10**9}"
    needs_letter = "reset_the_password_by_mail" in request.node.name
    email = f"{name}@example.com" if needs_letter else ""
    player = await asyncio.to_thread(new_player, server, name, email)
    for _ in range(2):
        await player.open(CASINO)
    yield player
    await player.close()


async def close_code(player: SocketPlayer, number: int, within: float) -> int:
    """Wait for the end of a socket; fails when it takes longer."""
    line = player.sockets[number]
    await asyncio.wait_for(line.wait_closed(), within)
    return line.close_code or 0


@pytest.mark.parametrize("way", WAYS)
async def test_case_28_open_pages_are_closed_at_once(
    ann: SocketPlayer, way: Callable[[SocketPlayer], None]
) -> None:
    await asyncio.to_thread(way, ann)
    for number in range(2):
        assert await close_code(ann, number, AT_ONCE) == SESSION_ENDED


@pytest.mark.long
async def test_case_28_a_page_is_closed_when_its_session_expires(
    server: Server, ann: SocketPlayer
) -> None:
    ends = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=5)  # one more page is opened
    expires_at(server, ann, ends)
    await ann.open(CASINO)
    for number in range(3):
        assert await close_code(ann, number, 5 + AT_ONCE) == SESSION_ENDED
    late = (dt.datetime.now(dt.UTC) - ends).total_seconds()
    assert -0.6 <= late <= AT_ONCE  # the time of the house may be half a second ahead


def expires_at(server: Server, player: SocketPlayer, moment: dt.datetime) -> None:
    change = "UPDATE django_session SET expire_date = ? WHERE session_key = ?"
    ask(server, change, moment.strftime("%Y-%m-%d %H:%M:%S.%f"), key_of(player))


def gone(server: Server, player: SocketPlayer) -> None:
    ask(server, "DELETE FROM django_session WHERE session_key = ?", key_of(player))


def expired(server: Server, player: SocketPlayer) -> None:
    expires_at(server, player, dt.datetime.now(dt.UTC))


def with_another_password(server: Server, player: SocketPlayer) -> None:
    ask(server, "UPDATE accounts_user SET password = 'x' WHERE username = ?", player.name)


def with_another_user(server: Server, player: SocketPlayer) -> None:
    """As if the key had been given to somebody else's session."""
    other = new_player(server, f"x{player.name}")
    change = (
        "UPDATE django_session SET session_data = (SELECT session_data FROM django_session"
        " WHERE session_key = ?) WHERE session_key = ?"
    )
    ask(server, change, key_of(other), key_of(player))


ENDED = [gone, expired, with_another_password, with_another_user]
"""What another process did, of which this one has heard nothing yet."""


@pytest.mark.parametrize("how", ENDED)
async def test_case_28_the_next_command_is_refused_while_the_page_is_still_open(
    server: Server, ann: SocketPlayer, how: Callable[[Server, SocketPlayer], None]
) -> None:
    before = ask(server, "SELECT seq FROM tables_table WHERE id = ?", CASINO)
    how(server, ann)
    sit: dict[str, object] = {"t": "sit", "seat": 1}
    commands = [sit, {"t": "say", "text": "Still here"}]
    for number in (1, 0):  # the page that was opened last, then the first
        with pytest.raises(ConnectionClosed) as closed:
            await ann.send(**commands[number])
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == SESSION_ENDED
        ann.sockets.pop()
    assert ask(server, "SELECT seq FROM tables_table WHERE id = ?", CASINO) == before
    assert ask(server, "SELECT 1 FROM tables_chatline WHERE text = 'Still here'") == []


async def test_case_28_who_is_frozen_is_refused_while_the_page_is_still_open(
    server: Server, ann: SocketPlayer
) -> None:
    ask(server, "UPDATE accounts_user SET is_active = 0 WHERE username = ?", ann.name)
    with suppress(ConnectionClosed):  # the look round may come first, and close the page itself
        assert (await ann.send(t="sit", seat=1))["code"] == "not_allowed"
        await ann.socket.send('{"t":"resync"}')
    assert await close_code(ann, 1, AT_ONCE) == SESSION_ENDED


async def test_case_28_a_page_from_before_is_let_in_and_told(
    server: Server, ann: SocketPlayer
) -> None:
    """A browser takes any refusal before that for a line that failed, and tries for ever."""
    gone(server, ann)
    with pytest.raises(ConnectionClosed) as closed:
        await ann.open(CASINO)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == SESSION_ENDED
