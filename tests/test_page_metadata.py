"""What pages tell search engines, and that every page is dressed."""

from __future__ import annotations

import re

import pytest
from django.template.loader import render_to_string
from django.test import Client

from tests.helpers.table_client import TableClient

PUBLIC = [
    "/", "/rules/", "/rules/casino/", "/fairness/", "/leaderboard/", "/accounts/login/",
    "/accounts/signup/",
]  # fmt: skip
STYLES = '<link rel="stylesheet" href="/static/css/site.css">'


def description(page: str) -> str:
    descriptions = re.findall(r'<meta name="description" content="([^"]+)">', page)
    assert len(descriptions) == 1
    return str(descriptions[0])


@pytest.mark.django_db
def test_every_public_page_describes_itself(client: Client, casino: TableClient) -> None:
    paths = [*PUBLIC, f"/tables/{casino.table_id}/"]
    described = {description(client.get(path).content.decode()) for path in paths}
    assert len(described) == len(paths)


@pytest.mark.django_db
def test_robots_are_kept_out_of_what_is_not_public(client: Client) -> None:
    answer = client.get("/robots.txt")
    assert answer["Content-Type"] == "text/plain"
    lines = answer.content.decode().splitlines()
    assert lines[0] == "User-agent: *"
    assert {"Disallow: /admin/", "Disallow: /join/"} <= set(lines)


@pytest.mark.parametrize("name", ["403", "403_csrf", "404", "429", "500"])
def test_pages_about_errors_are_dressed(name: str) -> None:
    assert STYLES in render_to_string(f"{name}.html")


@pytest.mark.django_db
def test_every_public_page_links_one_stylesheet(client: Client) -> None:
    for path in PUBLIC:
        assert re.findall(r"<link rel=.stylesheet.*", client.get(path).content.decode()) == [STYLES]
