"""A player without a browser: signs up over HTTP, plays over a real socket."""

from __future__ import annotations

import asyncio
import http.cookiejar
import json
import re
import urllib.parse
import urllib.request
import uuid
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

PASSWORD = "blackjack-21!"


class SocketPlayer:
    """One player and one socket. ``table`` is the table as last heard of, ``happened`` what has
    been told of it, by the kinds of the events.
    """

    def __init__(self, url: str, name: str) -> None:
        self.url = url
        self.name = name
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        if url.startswith("https:"):  # a form without it could be one of another site
            self.opener.addheaders.append(("Origin", url))
        self.sockets: list[ClientConnection] = []
        self.table: dict[str, Any] = {}
        self.seq = 0
        self.happened: list[str] = []
        self.balance: int | None = None

    def sign_up(self) -> None:
        """Make the account, as the form of the page does."""
        page = self.opener.open(f"{self.url}/accounts/signup/").read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token
        form = {
            "csrfmiddlewaretoken": token[1],
            "username": self.name,
            "email": "",
            "password1": PASSWORD,
        }
        request = urllib.request.Request(
            f"{self.url}/accounts/signup/", urllib.parse.urlencode(form).encode()
        )
        self.opener.open(request).read()
        assert any(cookie.name == "sessionid" for cookie in self.cookies)

    def post(self, page: str, path: str, **form: str) -> str:
        """Send a form, with the token of the page on which it stands; the page that comes back."""
        html = self.opener.open(f"{self.url}{page}").read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', html)
        assert token
        filled = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1], **form}).encode()
        request = urllib.request.Request(f"{self.url}{path}", filled)
        answer: str = self.opener.open(request).read().decode()
        return answer

    async def open(self, table_id: int, language: str = "en") -> dict[str, Any]:
        """Open a socket to the table, as a page in this language, and return its snapshot."""
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.cookies)
        socket = await connect(
            f"{self.url.replace('http', 'ws', 1)}/ws/tables/{table_id}/?language={language}",
            origin=self.url,
            additional_headers={"Cookie": cookies},
        )
        self.sockets.append(socket)
        return await self.frame_of("snapshot")

    @property
    def socket(self) -> ClientConnection:
        """The one opened last."""
        return self.sockets[-1]

    async def close(self) -> None:
        """Close every socket that was opened."""
        for socket in self.sockets:
            await socket.close()

    async def text(self) -> str:
        """The next frame, as it comes."""
        return str(await asyncio.wait_for(self.socket.recv(), 10))

    async def frame(self) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(await self.text())
        if "table" in frame:
            self.table, self.seq = frame["table"], frame["seq"]
        if frame["t"] == "changed":
            self.happened += [event["type"] for event in frame["events"]]
        elif frame["t"] == "wallet":
            self.balance = frame["balance"]
        elif frame["t"] == "snapshot":
            self.balance = frame["you"]["balance"]
        return frame

    async def frame_of(self, kind: str) -> dict[str, Any]:
        while (frame := await self.frame())["t"] != kind:
            pass
        return frame

    async def send(self, **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        command = {"id": str(uuid.uuid4()), **fields}
        await self.socket.send(json.dumps(command))
        while (frame := await self.frame()).get("id") != command["id"]:
            pass
        return frame

    async def decide(self, what: str, **fields: Any) -> dict[str, Any]:
        """Send a decision on what the table asks now, and insist that it is done."""
        answer = await self.send(t=what, turn=self.table["turn"], **fields)
        assert answer["t"] == "done", answer
        return answer

    async def until(self, seq: int) -> None:
        """Wait until this socket has heard of change ``seq``."""
        while self.seq < seq:
            await self.frame()
