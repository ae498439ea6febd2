"""The QR code of an invite."""

from __future__ import annotations

import re

import pytest
import segno
from django.test import Client

from tables.models import Table
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db


def dark_squares(svg: str) -> set[tuple[int, int]]:
    """The dark squares of a code that is drawn as lines, by column and row without the margin."""
    (path,) = re.findall(r'<path[^>]* stroke="#000"[^>]* d="([^"]+)"', svg) or re.findall(
        r'<path[^>]* d="([^"]+)"[^>]* stroke="#000"', svg
    )
    squares, x, y = set(), 0.0, 0.0
    for kind, numbers in re.findall(r"([Mmh])([-\d. ]+)", path):
        first, *rest = map(float, numbers.split())
        if kind == "h":
            squares |= {(int(x) + step - 4, int(y) - 4) for step in range(int(first))}
            x += first
        else:
            x, y = (first, *rest) if kind == "M" else (x + first, y + rest[0])
    return squares


def test_a_phone_reads_the_link_of_the_invite_from_the_picture(
    client: Client, casino: TableClient
) -> None:
    code = Table.objects.get(pk=casino.table_id).code
    response = client.get(f"/join/{code}/qr.svg")
    assert response.headers["Content-Type"] == "image/svg+xml"
    expected = segno.make_qr(f"http://localhost:8000/join/{code}/", error="m").matrix
    assert dark_squares(response.content.decode()) == {
        (x, y) for y, row in enumerate(expected) for x, is_dark in enumerate(row) if is_dark
    }
    assert client.get(f"/join/{code}/").status_code == 200  # there


def test_it_says_nothing_about_tables_that_are_or_are_not_there(client: Client) -> None:
    unknown = client.get("/join/K7QM9TXD/qr.svg")
    assert unknown.status_code == 200
    assert client.get("/join/nonsense-of-any-kind/qr.svg").status_code == 404
