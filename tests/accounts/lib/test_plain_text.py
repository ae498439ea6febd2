"""What can be seen of a text stays, and what cannot be seen is no name, no line and no reason."""

from __future__ import annotations

import sys
import unicodedata
import uuid

import pytest
from django.test import Client

from accounts.lib.form_fields import LineField, LinesField
from accounts.lib.plain_text import to_plain_line, to_plain_text
from accounts.models import User
from tables.lobby.forms import PlayerTableForm
from tables.protocol.commands import Say
from tables.protocol.frames import Err
from tables.social import chat
from tests.helpers.table_client import TableClient

INVISIBLE = [
    "\u3164", "\uffa0", "\u115f", "\u1160", "\u2800", "\u17b4", "\u17b5", "\u200b", "\u200c",
    "\u200d", "\u2060", "\u2063", "\u00ad", "\u034f", "\u061c", "\u180e", "\ufe0f", "\ufe00",
    "\ufeff", "\ufffc", "\u00a0", "\u3000", "\u202e", "\U000e0041", "\U000e0100", "\U0001d159",
    "\U0001d173", "\U00016fe4", "\u0301", "\u20dd", "\ue000", "\x07",
]  # fmt: skip
TEXTS = [
    "Friday night", "¿Qué tal?", "Ünïcödé", "日本語", "한국어", "ภาษาไทย", "नमस्ते", "می\u200cخواهم",
    "👍", "👍🏽", "👩\u200d🚀", "❤\ufe0f", "🏳\ufe0f\u200d🌈", "👨\u200d👩\u200d👧",
    "🇩🇪", "1\ufe0f\u20e3", "⠿",
    "...", "♠",
    "क्\u200dष",
]  # fmt: skip


@pytest.mark.parametrize("letter", INVISIBLE, ids=lambda letter: f"{ord(letter):04x}")
@pytest.mark.parametrize("around", ["{}", "{0}{0}{0}", " {} ", "\u200d{}\u200d"])
def test_case_57_what_cannot_be_seen_is_nothing(letter: str, around: str) -> None:
    assert to_plain_line(around.format(letter)) == ""
    assert to_plain_text(around.format(letter) + "\n" + letter) == ""


@pytest.mark.parametrize("text", TEXTS)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert to_plain_line(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("letter", [one for one in INVISIBLE if one not in "\u0301\u20dd\ufe0f"])
def test_two_texts_that_look_alike_are_the_same(letter: str) -> None:
    assert to_plain_line(f"Fri{letter}day") in ("Friday", "Fri day")
    assert to_plain_line(f"{letter}Friday{letter}") == "Friday"


def test_nothing_that_no_category_shows_gets_through() -> None:
    """Every code point there is, alone."""
    for point in range(sys.maxunicode + 1):
        letter = chr(point)
        if unicodedata.category(letter)[0] in "CZM":
            assert to_plain_line(letter) == "", f"{point:04x}"


def test_lines_of_a_text_stay_lines() -> None:
    assert to_plain_text("\n one \r\n\u3164\ntwo\u202e\n\n") == "one\n\ntwo"


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["\u3164", "\uffa0\u115f", "\u2800 \u17b4", "\u200d", "\u0301"])
def test_case_57_such_a_line_and_such_a_name_are_refused(
    text: str, casino: TableClient, ann: User, client: Client
) -> None:
    effects = chat.execute(casino.table_id, ann.pk, Say(uuid.uuid4(), text), casino.now)
    assert isinstance(effects.value, Err)
    assert effects.value.code == "bad_text"
    assert "name" in PlayerTableForm({"name": text}).errors
    page = client.post(
        "/accounts/signup/",
        {"username": text, "password1": "blackjack-21!"},
    )
    assert "username" in page.context["form"].errors
    for field in (LineField(), LinesField()):
        with pytest.raises(Exception, match="required"):
            field.clean(text)
    assert not User.objects.filter(username=text).exists()
