"""The colour of a name: chosen or by the id, readable everywhere, and never the only sign."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.lib.colours import COLOURS
from accounts.models import User
from tables.game import account_deletion
from tests.helpers.rounds import new_table

CSS = Path(__file__).resolve().parents[3] / "static/css"
LEAST = 4.5
"""The contrast of text, by WCAG AA."""


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_colour_is_readable_in_both_schemes() -> None:
    text = (CSS / "colours.css").read_text()
    light, dark = (CSS / "tokens.css").read_text().split("@media (prefers-color-scheme: dark)")
    panels = [re.findall(r"--panel: (#\w{6})", part)[0] for part in (light, dark)]
    rows = re.findall(
        r'\[data-colour="(\w+)"\] \{ --name-back: (#\w{6}); --name: (#\w{6}); --name-dark: (#\w{6})',
        text,
    )
    assert [name for name, *_ in rows] == list(COLOURS)
    for name, back, on_light, on_dark in rows:
        assert contrast("#1e1a16", back) >= LEAST, f"the letter on {name}"
        assert contrast(on_light, panels[0]) >= LEAST, name
        assert contrast(on_dark, panels[1]) >= LEAST, name


@pytest.mark.django_db
def test_a_guest_chooses_a_colour_on_the_way_in(client: Client) -> None:
    client.post("/accounts/guest/", {"name": "mia", "colour": "teal"})
    assert User.objects.get(username="mia").accent == "teal"


@pytest.mark.django_db
def test_without_a_choice_it_follows_the_id(client: Client) -> None:
    client.post("/accounts/guest/", {"name": "mia"})
    mia = User.objects.get(username="mia")
    assert mia.colour == ""
    assert mia.accent == list(COLOURS)[mia.pk % len(COLOURS)]


@pytest.mark.django_db
def test_no_other_colour_is_taken(client: Client) -> None:
    page = client.post("/accounts/guest/", {"name": "mia", "colour": "red; x"})
    assert page.status_code == 200
    assert not User.objects.exists()


@pytest.mark.django_db
def test_the_account_page_changes_it_and_the_table_shows_it(ann: User, client: Client) -> None:
    at = new_table("casino")
    at.sit(ann, 1)
    client.force_login(ann)
    assert "Colour of your name" in client.get("/account/").content.decode()
    client.post("/account/colour/", {"colour": "lime"})
    assert at.view.seats[0].colour == "lime"
    answer = client.post("/account/colour/", {"colour": "pink"}, follow=True)
    assert "Choose one of the colours." in answer.content.decode()
    assert at.view.seats[0].colour == "lime"


@pytest.mark.django_db
def test_a_deleted_account_has_none(ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(colour="lime")
    account_deletion.delete_account(ann.pk, new_table("casino").now)
    ann.refresh_from_db()
    assert ann.colour == ""
