"""The shuffle that everybody can check: what it depends on, and that others compute the same."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import pytest

from tables.engine.cards import DECK, format_cards
from tables.engine.provably_fair import shuffle

SECRET = bytes(range(32))
WORDS = [(1, "abc"), (3, "xyz")]


def computed_from_the_description(
    secret: bytes, label: str, words: Sequence[tuple[int, str]], decks: int
) -> str:
    """The shoe, from what ``shuffle.py`` says about it and from nothing that it does."""
    head = "card-room-2\n" + label + "\n" + "".join(f"{seat}:{text}\n" for seat, text in words)
    waiting: list[int] = []
    block = 0
    shoe = [rank + suit for _ in range(decks) for suit in "shdc" for rank in "A23456789TJQK"]
    for end in range(len(shoe), 1, -1):
        while True:
            if not waiting:
                digest = hmac.new(secret, f"{head}{block}".encode(), hashlib.sha256).digest()
                waiting = [int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4)]
                block += 1
            number = waiting.pop(0)
            if number < 2**32 // end * end:
                break
        place = number % end
        shoe[end - 1], shoe[place] = shoe[place], shoe[end - 1]
    return " ".join(shoe)


# The known answer


@pytest.mark.parametrize("decks", range(1, 9))
@pytest.mark.parametrize(
    ("secret", "label", "words"),
    [
        (SECRET, "shoe 1", WORDS),
        (bytes(32), "", []),
        (b"\xff" * 32, "table 7, shoe 812", [(2, "with blanks and : colons")]),
        (SECRET, "shoe 1", [(1, ""), (2, "~" * 64), (3, "é")]),
    ],
    ids=["words", "nothing", "a sentence", "no words and long ones"],
)
def test_the_shoe_is_what_its_description_computes(
    secret: bytes, label: str, words: list[tuple[int, str]], decks: int
):
    cards = format_cards(shuffle.shuffle_shoe(secret, label, words, decks))
    assert cards == computed_from_the_description(secret, label, words, decks)


def test_the_known_answer():
    """It never changes: old proofs would not hold any more. A new way gets a new name."""
    first = shuffle.shuffle_shoe(SECRET, "shoe 1", WORDS, 1, shuffle.FIRST_METHOD)
    assert shuffle.FIRST_METHOD == "card-room-1"
    assert format_cards(first) == (
        "7c 6h 4s 8h 8d Jh 8c Qh 2d 8s Kh 4h 7d 3c Kc Ah Qs 4d 9c Js 5d 6c Jd 4c 2h 3s "
        "Ac 5s Ad 2c 9d 5h 2s 7s Ts As Kd Ks Qd 7h 6d 3h 6s Tc Th 3d 9s Qc Jc 9h Td 5c"
    )


def test_the_known_answer_of_today() -> None:
    assert shuffle.METHOD == "card-room-2"
    assert format_cards(shuffle.shuffle_shoe(SECRET, "shoe:57", WORDS, 1)) == (
        "3d Jc 5c Td Kc Ad 8s 9c 3s Ac 4s 8d 2c 8h 2d Qs Qh 3h 8c 6d 7s 2s 7c 7d 5h Qc "
        "6h 4d Ts 9h Qd Ks Tc 4c 6s Jh Jd 7h Ah Th Kd 6c As 2h 9d Kh 3c 5d 4h 9s 5s Js"
    )


def test_the_stream_of_numbers_goes_on_from_block_to_block():
    digests = [
        hmac.new(SECRET, f"card-room-2\nx\n{block}".encode(), hashlib.sha256).hexdigest()
        for block in range(3)
    ]
    text = "".join(
        f"{number:08x}" for number in islice(shuffle.generate_numbers(SECRET, "x", []), 24)
    )
    assert text == "".join(digests)


# The commitment


@pytest.mark.parametrize("secret", [SECRET, bytes(32), b""])
def test_the_commitment_is_the_sha_256_of_the_secret(secret: bytes):
    assert shuffle.seal_of(secret) == hashlib.sha256(secret).hexdigest()


def test_the_commitment_of_a_known_secret():
    """FIPS 180-4's own example."""
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert shuffle.seal_of(b"abc") == digest


# What the order depends on


@pytest.mark.parametrize(
    ("secret", "label", "words"),
    [
        (bytes(32), "shoe 1", WORDS),
        (SECRET, "shoe 2", WORDS),
        (SECRET, "shoe 1", []),
        (SECRET, "shoe 1", [(1, "abd"), (3, "xyz")]),
        (SECRET, "shoe 1", [(1, "abc"), (3, "xyz ")]),
        (SECRET, "shoe 1", [(1, "abc"), (2, "xyz")]),
        (SECRET, "shoe 1", [(3, "xyz"), (1, "abc")]),
        (SECRET, "shoe 1", [(1, "abcxyz"), (3, "")]),
        (SECRET, "shoe 1", [*WORDS, (2, "")]),
    ],
    ids=[
        *("secret", "label", "no words", "a letter", "a blank", "the seat", "the order"),
        *("whose they are", "one more player"),
    ],
)
def test_everything_that_is_mixed_in_matters(
    secret: bytes, label: str, words: list[tuple[int, str]]
):
    assert shuffle.shuffle_shoe(secret, label, words, 1) != shuffle.shuffle_shoe(
        SECRET, "shoe 1", WORDS, 1
    )


def test_the_same_again_is_the_same_shoe():
    assert shuffle.shuffle_shoe(SECRET, "x", WORDS, 6) == shuffle.shuffle_shoe(
        SECRET, "x", WORDS, 6
    )


@pytest.mark.parametrize("decks", range(1, 9))
def test_a_shoe_holds_every_card_of_every_deck(decks: int):
    shoe = shuffle.shuffle_shoe(SECRET, "x", WORDS, decks)
    assert Counter(shoe) == Counter(DECK * decks)


# How numbers become places


def test_the_cards_are_changed_from_the_end():
    """Three cards, the numbers 0 and 1: the last goes to place 0, the one before it stays."""
    assert shuffle.shuffle(list(DECK[:3]), iter([0, 1])) == [DECK[2], DECK[1], DECK[0]]


@pytest.mark.parametrize("place", range(52))
def test_a_number_is_the_place_it_leaves_over(place: int):
    """52 times 7 and what is left over: the last card changes places with that one."""
    shoe = shuffle.shuffle(list(DECK), iter([7 * 52 + place, *range(50, 0, -1)]))
    assert shoe[51] == DECK[place]


@pytest.mark.parametrize(
    ("cards", "number"),
    [(3, 2**32 - 1), (52, 2**32 - 1), (52, 2**32 // 52 * 52), (5, 2**32 // 5 * 5)],
)
def test_a_number_that_would_favour_some_places_is_thrown_away(cards: int, number: int):
    stays = list(range(cards - 1, 0, -1))
    fed = iter([number, number, *stays])
    assert shuffle.shuffle(list(DECK[:cards]), fed) == list(DECK[:cards])
    assert list(fed) == []


@pytest.mark.parametrize("cards", [3, 5, 52])
def test_the_largest_number_that_favours_nobody_is_used(cards: int):
    largest = 2**32 // cards * cards - 1
    fed = iter([largest, *range(cards - 2, 0, -1)])
    assert shuffle.shuffle(list(DECK[:cards]), fed) == list(DECK[:cards])


@pytest.mark.parametrize("cards", [0, 1])
def test_nothing_is_drawn_for_cards_that_have_one_order(cards: int):
    assert shuffle.shuffle(list(DECK[:cards]), iter([])) == list(DECK[:cards])


# Words


@pytest.mark.parametrize("text", ["", "a", " ", "~", "x" * 64, "1:abc", "00ff 12", '"\\'])
def test_plain_text_on_one_line_can_be_mixed_in(text: str):
    assert shuffle.are_valid_words(text) is True


@pytest.mark.parametrize("text", ["x" * 65, "a\nb", "\n", "a\tb", "\0", "\x7f", "é", "♠", "\ud800"])
def test_any_other_text_cannot(text: str):
    assert shuffle.are_valid_words(text) is False
