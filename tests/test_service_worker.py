"""The service worker's script: for whom it is, and when it is another one."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from blackjack_site.assets import service_worker

pytestmark = pytest.mark.django_db


def get_values(client: Client, language: str = "en") -> dict[str, Any]:
    """What the site writes above the script."""
    answer = client.get(f"/service-worker.js?language={language}")
    assert answer["Content-Type"] == "text/javascript"
    line = answer.content.decode().splitlines()[0]
    values: dict[str, Any] = json.loads(line.partition(" = ")[2].rstrip(";"))
    return values


def test_it_is_the_same_until_something_changes(client: Client) -> None:
    assert get_values(client) == get_values(client)
    version = get_values(client)["version"]
    assert get_values(client, "de")["version"] != version
    with patch.object(service_worker, "static", lambda name: f"/static/next/{name}"):
        assert get_values(client)["version"] != version
    with patch.object(service_worker, "_read_source", lambda: "next();\n"):
        assert get_values(client)["version"] != version


def test_it_names_the_page_of_its_language(client: Client) -> None:
    assert get_values(client, "de")["page"] == "/offline/de/"
    assert get_values(client, "xx")["page"] == "/offline/en/"
    page = client.get("/offline/de/").content.decode()
    assert '<html lang="de">' in page
    for address in get_values(client, "de")["files"]:
        assert f'"{address}"' in page


def test_its_page_begins_nothing(client: Client) -> None:
    answer = client.get("/offline/en/", HTTP_ACCEPT="text/html")
    assert not answer.cookies
    assert "csrfmiddlewaretoken" not in answer.content.decode()
