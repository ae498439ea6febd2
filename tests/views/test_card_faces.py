"""Cards are drawn once, and in the language of whoever looks."""

from __future__ import annotations

from django.template import Context, Template
from django.utils import translation

from tables.records.hand_view import PlayedCard, parse_played_cards


def drawn(card: PlayedCard) -> str:
    tag = Template("{% load cards %}{% card_face card %}")
    return tag.render(Context({"card": card}))


def included(card: PlayedCard) -> str:
    return Template('{% include "_card.html" %}').render(Context({"card": card}))


def test_a_card_looks_as_its_template_has_it() -> None:
    for card in parse_played_cards("As Td 7c Kh"):
        assert drawn(card) == included(card)
        assert drawn(card) == drawn(card)


def test_no_card_has_the_name_or_the_suit_of_another() -> None:
    faces = {drawn(card) for card in parse_played_cards("As Ah Ad Ac Ks 2s")}
    assert len(faces) == 6


def test_a_card_is_named_in_the_language_of_the_page() -> None:
    with translation.override("en"):
        (card,) = parse_played_cards("As")
    named_otherwise = PlayedCard(card.rank, card.suit, "Pik-Ass")
    assert "Pik-Ass" not in drawn(card)
    assert "Pik-Ass" in drawn(named_otherwise)
    assert "Pik-Ass" not in drawn(card)


def test_a_name_is_no_markup() -> None:
    assert "<b>" not in drawn(PlayedCard("A", "s", "<b>"))
