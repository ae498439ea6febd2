"""Blocked words are found as they are written around a filter, and nowhere else."""

from __future__ import annotations

import pytest

from accounts.lib.word_filter import WordFilter

WORDS = WordFilter(["darn", "shit", "ass", "bad word", "Idiöt", "дурак", "クソ"])


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Oh darn!", "Oh •••!"),
        ("DARN it", "••• it"),
        ("dàrn", "•••"),
        ("ѕhіt", "•••"),  # two Cyrillic letters
        ("sh1t, $hit and sh!t!", "•••, ••• and •••!"),
        ("s h i t", "•••"),
        ("s.h.i.t happens", "••• happens"),
        ("daaaarn", "•••"),
        ("idiot", "•••"),
        ("ДУРАК", "•••"),
        ("a bad, word", "a •••"),
        ("これはクソだ", "これは••だ"),
        ("ass shit", "••• •••"),
        ("oh ⓓⓐⓡⓝ", "oh •••"),
        ("ᴅᴀʀɴ, 🅓🅐🅡🅝 and 🅳🅐🆁🅽", "•••, ••• and •••"),
        ("𝐝𝓪𝖗𝚗 🇩🇦🇷🇳 🄳🄰🅁🄽", "••• ••• •••"),
    ],
)
def test_a_blocked_word_is_masked_however_it_is_written(typed: str, expected: str) -> None:
    assert WORDS.mask(typed) == expected
    assert len(expected) <= len(typed)
    assert WORDS.find(typed) is not None


@pytest.mark.parametrize(
    "typed",
    [
        "a class of its own", "Scunthorpe", "shitake", "I bet 455", "I a m", "bad, but a word",
        "darning", "••• is gone", "", "555", "🇩🇪 🇦🇷", "ⓘ and ① ② ③", "ᴅᴀʀɴɪɴɢ", "½ ™ ℠ ㎏",
    ],
)  # fmt: skip
def test_other_words_stay_as_they_are(typed: str) -> None:
    assert WORDS.mask(typed) == typed
    assert WORDS.find(typed) is None


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("Darn", True), ("darn99", True), ("BigDarn", True), ("da.rn", False), ("d.a.r.n", True),
        ("Sh1t_happens", True), ("Bass", False), ("Cassandra", False), ("Darnley", False),
    ],
)  # fmt: skip
def test_names_are_read_with_their_capitals_and_digits(name: str, is_found: bool) -> None:
    assert (WORDS.find(name, is_name=True) is not None) == is_found


def test_an_empty_list_finds_nothing() -> None:
    assert WordFilter([]).mask("darn") == "darn"
