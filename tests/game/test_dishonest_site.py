"""A server that was changed to choose the cards: what it publishes is found to be forged.

Each way of cheating looks for an order in which the dealer has a natural. What the player saw and
added is held against the proof, as ``verify --seal --words`` and the page of the round do it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from os import urandom
from typing import Any

import pytest

from accounts.models import User
from tables.engine.cards import Card
from tables.engine.provably_fair import proof, shuffle
from tables.engine.shoe import Shoe
from tables.game import shoes
from tables.models import Round
from tables.models import Shoe as ShoeRow
from tables.records import round_page
from tables.state.game_state import SealedShoe
from tests.helpers.rounds import new_table
from tests.helpers.table_client import TableClient, code

pytestmark = pytest.mark.django_db

WORDS = "words that nobody can guess"


def has_natural(cards: tuple[Card, ...], first: int = 0) -> bool:
    """Whether the dealer of `pot`, with one player, gets an ace and a ten."""
    return sorted(card.points for card in cards[first + 2 : first + 4]) == [10, 11]


def with_words_of_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def cards_in_order(rules: Any, sealed: SealedShoe, words: list[tuple[int, str]]) -> Shoe:
        for number in count():
            ground = (3, str(number))
            cards = shuffle.shuffle_shoe(sealed.secret, f"shoe:{sealed.id}", [*words, ground], 1)
            if has_natural(cards):
                publish(*ground)
                return Shoe(cards)
        raise AssertionError

    def publish(seat: int, words: str) -> None:
        commitment = shuffle.compute_commitment(seat, words)
        entry = {"seat": seat, "commitment": commitment, "words": words}
        # mypy takes a property of the class for its value.
        mixed_in = ShoeRow.mixed_in.fget
        monkeypatch.setattr(ShoeRow, "mixed_in", property(lambda shoe: [*mixed_in(shoe), entry]))

    monkeypatch.setattr(shoes, "shuffle_sealed", cards_in_order)


def with_other_words_of_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    def mixed_in(game: Any) -> list[dict[str, Any]]:
        for number in count():
            words = str(number)
            entries = [
                {"seat": 1, "commitment": shuffle.compute_commitment(1, words), "words": words}
            ]
            label = f"shoe:{game.shoe.id}"
            if has_natural(shuffle.shuffle_shoe(game.shoe.secret, label, [(1, words)], 1)):
                return entries
        raise AssertionError

    monkeypatch.setattr(shoes.commitments, "list_contributions", mixed_in)


def with_another_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    def cards_in_order(rules: Any, sealed: SealedShoe, words: Any) -> Shoe:
        while True:
            sealed.secret = urandom(32)
            cards = shuffle.shuffle_shoe(sealed.secret, f"shoe:{sealed.id}", words, 1)
            if has_natural(cards):
                return Shoe(cards)

    monkeypatch.setattr(shoes, "shuffle_sealed", cards_in_order)


def with_another_secret_and_its_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    def cards_in_order(rules: Any, sealed: SealedShoe, words: Any) -> Shoe:
        while True:
            sealed.secret = urandom(32)
            cards = shuffle.shuffle_shoe(sealed.secret, f"shoe:{sealed.id}", words, 1)
            if has_natural(cards):
                seal = shuffle.seal_of(sealed.secret)
                ShoeRow.objects.filter(pk=sealed.id).update(commitment=seal)
                return Shoe(cards)

    monkeypatch.setattr(shoes, "shuffle_sealed", cards_in_order)


def with_a_label_that_was_ground(monkeypatch: pytest.MonkeyPatch) -> None:
    def cards_in_order(rules: Any, sealed: SealedShoe, words: Any) -> Shoe:
        for number in count():
            label = f"shoe:{sealed.id}:{number}"
            cards = shuffle.shuffle_shoe(sealed.secret, label, words, 1)
            if has_natural(cards):
                monkeypatch.setattr(ShoeRow, "label", label)
                return Shoe(cards)
        raise AssertionError

    monkeypatch.setattr(shoes, "shuffle_sealed", cards_in_order)


def from_a_chosen_place(monkeypatch: pytest.MonkeyPatch) -> None:
    real = shoes.shuffle_sealed

    def cards_in_order(rules: Any, sealed: SealedShoe, words: Any) -> Shoe:
        shoe = real(rules, sealed, words)
        places = range(1, 40)
        shoe.dealt = next((at for at in places if has_natural(tuple(shoe.cards), at)), 7)
        return shoe

    monkeypatch.setattr(shoes, "shuffle_sealed", cards_in_order)


def without_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves the words out, so that the order rests on a secret which it could choose."""

    def mixed_in(game: Any) -> list[dict[str, Any]]:
        return [{"seat": 1, "commitment": None, "words": ""}]

    monkeypatch.setattr(shoes.commitments, "list_contributions", mixed_in)


@pytest.mark.parametrize(
    ("cheat", "found"),
    [
        (with_words_of_nobody, {"words_seats"}),
        (with_other_words_of_the_player, {"own_words"}),
        (with_another_secret, {"seal"}),
        (with_another_secret_and_its_seal, {"other_seal"}),
        (with_a_label_that_was_ground, {"label"}),
        (from_a_chosen_place, {"first"}),
        (without_the_words, {"own_words"}),
    ],
)
def test_case_42_a_house_that_chooses_the_cards_is_found_out(
    cheat: Callable[[pytest.MonkeyPatch], None],
    found: set[str],
    monkeypatch: pytest.MonkeyPatch,
    ann: User,
) -> None:
    with monkeypatch.context() as changed:
        cheat(changed)
        at, seal = play(ann)
        round_ = Round.objects.get(finished_at__isnull=False)
        assert round_.shoe is not None
        published = round_page.build_proof(round_.shoe)
    if cheat not in (from_a_chosen_place, without_the_words):
        dealer = {card[0] for card in round_.dealer_cards.split()}
        assert "A" in dealer, "the house has not cheated at all"
    reasons = {
        fault.reason for fault in proof.find_proof_faults(published, seal=seal, words=[WORDS])
    }
    assert reasons == found
    assert at.chips.staked == 0


def test_an_honest_house_is_found_to_be_one(ann: User) -> None:
    _, seal = play(ann)
    shoe = Round.objects.get(finished_at__isnull=False).shoe
    assert shoe is not None
    assert (
        list(proof.find_proof_faults(round_page.build_proof(shoe), seal=seal, words=[WORDS])) == []
    )


def play(ann: User) -> tuple[TableClient, str]:
    """One round for who commits to words and shows them; with the seal that was shown before."""
    at = new_table("pot")
    assert code(at.sit(ann, 1, words=WORDS)) == "done"
    shoe = at.view.shoe
    assert shoe is not None
    assert code(at.bet(ann, 200)) == "done"
    while at.view.asked is not None:
        assert code(at.act(ann, "stand")) == "done"
    return at, shoe.commitment
