"""What if, on the page of a round: for its player alone, and only of a shoe that is open."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from random import Random

import pytest
from django.test import Client

from accounts.models import User
from tables.engine.cards import parse_cards
from tables.models import Round
from tables.records import what_if_page
from tests.helpers.rounds import new_table, play_round, sit_down
from tests.helpers.table_client import TableClient, code

pytestmark = pytest.mark.django_db

CARDS = "Ts Kd 6h Qc 5s 2c 3c"
"""Sixteen against a ten; the next card makes 21."""
CARD = re.compile(r'<span class="card".*?</span></span></span>', re.DOTALL)


@pytest.fixture
def played(
    casino: TableClient, ann: User, stack: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> Round:
    """Ann stood on 16 for 10, and lost."""
    stack(CARDS)
    monkeypatch.setattr("tables.records.what_if.shuffle_again", lambda shoe: parse_cards(CARDS))
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    assert code(casino.act(ann, "stand")) == "done"
    return Round.objects.get()


def what_if(round_: Round, user: User | None, query: str = "") -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    answer = client.get(f"/rounds/{round_.pk}/{query}")
    assert answer.status_code == 200
    text = answer.content.decode()
    if "what-if-heading" not in text:
        return ""
    part = text[text.index('id="what-if"') :].split("</section>")[0]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", CARD.sub("", part))))


def test_the_page_says_what_would_have_happened(played: Round, ann: User) -> None:
    text = what_if(played, ann)
    assert "You stood. Hit instead Double instead" in text
    assert "If you had hit" not in text
    text = what_if(played, ann, "?if=0-hit")
    assert "If you had hit" in text
    assert "Would have been +10 Was −10 Difference +20" in text
    assert re.search(r"Hit best shown here −0\.\d{3} −5\.\d\d", text)
    assert re.search(r"Stand what you did −0\.\d{3} −5\.\d\d", text)
    assert "Would have been +20 Was −10 Difference +30" in what_if(played, ann, "?if=0-double")
    for nonsense in ("0-split", "0-stand", "7-hit", "x", ""):
        assert "Would have been" not in what_if(played, ann, f"?if={nonsense}")


def test_it_is_for_the_player_of_the_round_alone(played: Round, ben: User) -> None:
    assert what_if(played, ben, "?if=0-hit") == ""
    assert what_if(played, None, "?if=0-hit") == ""


def test_each_player_has_their_own_decisions(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    cards = "Ts 9s 7d 6h 3h Tc 5s 8d 9c 2s"
    stack(cards)
    monkeypatch.setattr("tables.records.what_if.shuffle_again", lambda shoe: parse_cards(cards))
    sit_down(casino, ann, ben)
    for user in (ann, ben):
        casino.bet(user, 1000)
    casino.act(ann, "hit")
    assert code(casino.act(ben, "stand")) == "done"
    round_ = Round.objects.get()
    assert "16 against You hit. Stand instead" in what_if(round_, ann)
    assert "12 against You stood. Hit instead" in what_if(round_, ben)


def test_a_shoe_in_use_is_never_dealt_again(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    at = new_table("vegas")
    sit_down(at, ann)
    chance = Random(4)
    while not any(event["type"] == "hand_stood" for event in play_round(at, [ann], chance)):
        pass
    round_ = Round.objects.select_related("shoe").latest("pk")
    assert round_.shoe is not None
    assert round_.shoe.retired_at is None
    monkeypatch.setattr("tables.records.what_if.shuffle_again", lambda shoe: pytest.fail("dealt"))
    assert what_if_page.build_what_if(round_, 1, "0-hit") is None
    assert what_if(round_, ann, "?if=0-hit") == ""


def test_a_round_that_does_not_follow_from_its_shoe_is_left_out(
    played: Round, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tables.records.what_if.shuffle_again", lambda shoe: parse_cards(CARDS)[::-1]
    )
    assert what_if(played, ann) == ""
