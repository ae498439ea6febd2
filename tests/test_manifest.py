"""The web app manifest: in the language of the page, with icons that a phone can use."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from blackjack_site.assets.manifest import PAPER

pytestmark = pytest.mark.django_db
TEMPLATE = Path(__file__).resolve().parent.parent / "templates/base.html"


def linked_manifest(client: Client, **headers: str) -> dict[str, Any]:
    """What the lobby links, asked for without cookies, as browsers do."""
    page = client.get("/", **headers).content.decode()
    match = re.search(r'<link rel="manifest" href="([^"]+)">', page)
    assert match
    answer = Client().get(match[1])
    assert answer["Content-Type"] == "application/manifest+json"
    manifest: dict[str, Any] = answer.json()
    return manifest


def size_of(url: str) -> tuple[int, int]:
    """The width and height that a PNG states."""
    path = finders.find(url.removeprefix("/static/"))
    assert path
    head = Path(path).read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return struct.unpack(">II", head[16:24])


def test_the_site_can_be_installed(client: Client) -> None:
    manifest = linked_manifest(client)
    assert manifest["name"] == "The Card Room"
    assert (manifest["start_url"], manifest["scope"], manifest["display"]) == (
        "/", "/", "standalone"
    )  # fmt: skip
    purposes = {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]}
    assert purposes >= {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
    for icon in manifest["icons"]:
        assert "{}x{}".format(*size_of(icon["src"])) == icon["sizes"]


def test_it_speaks_the_language_of_the_page(client: Client) -> None:
    assert linked_manifest(client)["lang"] == "en"
    german = linked_manifest(client, HTTP_ACCEPT_LANGUAGE="de")
    assert german["lang"] == "de"
    assert german["id"] == "/"  # the same app in every language


def test_a_language_that_the_site_does_not_speak_is_the_first_one(client: Client) -> None:
    assert client.get("/manifest.webmanifest?language=xx").json()["lang"] == "en"


def test_its_colour_is_that_of_light_pages(client: Client) -> None:
    assert linked_manifest(client)["theme_color"] == PAPER
    assert f'content="{PAPER}" media="(prefers-color-scheme: light)"' in TEMPLATE.read_text()


def test_apple_finds_an_icon(client: Client) -> None:
    page = client.get("/").content.decode()
    match = re.search(r'<link rel="apple-touch-icon" href="([^"]+)">', page)
    assert match
    assert size_of(match[1]) == (180, 180)
