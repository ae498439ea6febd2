"""What a published proof is checked for, and what is said about a forged one."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine import fair
from tables.engine.cards import format_cards
from tables.engine.proof import ProofError, faults
from tests.engine.program import Run, as_process
from tests.engine.random_rounds import quick

SECRET = bytes(range(32))
WORDS = [(1, "abc"), (3, "xyz")]
SHOE = fair.shuffled(SECRET, "table 7, shoe 3", WORDS, 6)

GOOD: dict[str, Any] = {
    "method": "card-room-1",
    "label": "table 7, shoe 3",
    "decks": 6,
    "commitment": fair.commitment(SECRET),
    "secret": SECRET.hex(),
    "words": [[1, "abc"], [3, "xyz"]],
    "rounds": [
        {"round": 41, "first": 0, "cards": format_cards(SHOE[:9])},
        {"round": 42, "first": 9, "cards": format_cards(SHOE[9:14])},
        {"round": 99, "first": 307, "cards": format_cards(SHOE[307:])},
    ],
}
IN_ORDER = "In order: the shoe was sealed before the bets, and dealt as it was sealed.\n"
NOT_THE_SECRET = "The secret is not the one that was sealed before the bets."


def proof(**changed: Any) -> dict[str, Any]:
    """A good proof, with something else in it."""
    return deepcopy({**GOOD, **changed})


def with_round(**changed: Any) -> dict[str, Any]:
    return proof(rounds=[{**GOOD["rounds"][0], **changed}])


def found_in(a_proof: Any) -> list[str]:
    return list(faults(a_proof))


# Faults


def test_a_good_proof_has_no_fault():
    assert found_in(GOOD) == []


@pytest.mark.parametrize("decks", range(1, 9))
def test_a_shoe_of_any_size_can_be_proved(decks: int):
    cards = format_cards(fair.shuffled(SECRET, "x", [], decks))
    rounds = [{"round": 1, "first": 0, "cards": cards}]
    assert found_in(proof(label="x", decks=decks, words=[], rounds=rounds)) == []


def test_a_forged_card_is_told_with_what_the_shoe_says():
    forged = "As " + format_cards(SHOE[10:14])
    assert found_in(proof(rounds=[{"round": 42, "first": 9, "cards": forged}])) == [
        f"Round 42 was dealt {forged}, but the shoe says {format_cards(SHOE[9:14])}."
    ]


def test_two_cards_that_changed_places_are_found():
    first, second, *others = SHOE[:9]
    assert len(found_in(with_round(cards=format_cards([second, first, *others])))) == 1


@pytest.mark.parametrize("first", [1, -1, 303, 304, 312, 10**9])
def test_a_round_that_began_elsewhere_is_found(first: int):
    assert len(found_in(with_round(first=first))) == 1


def test_the_last_cards_counted_from_the_end_are_no_place():
    """Five from the end is a place to Python and none to a dealer."""
    assert len(found_in(with_round(first=-5, cards=format_cards(SHOE[-5:])))) == 1


def test_more_cards_than_the_shoe_has_are_found():
    cards = format_cards(SHOE[307:]) + " As"
    assert len(found_in(with_round(first=307, cards=cards))) == 1


def test_a_forged_secret_is_found_though_the_cards_follow_from_it():
    other = bytes(32)
    cards = format_cards(fair.shuffled(other, GOOD["label"], WORDS, 6)[:9])
    rounds = [{"round": 41, "first": 0, "cards": cards}]
    assert found_in(proof(secret=other.hex(), rounds=rounds)) == [NOT_THE_SECRET]


def test_a_forged_commitment_is_found():
    assert found_in(proof(commitment="00" * 32)) == [NOT_THE_SECRET]


@pytest.mark.parametrize(
    "changed",
    [
        {"words": [[1, "abd"], [3, "xyz"]]},
        {"words": [[1, "abc"], [2, "xyz"]]},
        {"words": [[3, "xyz"], [1, "abc"]]},
        {"words": []},
        {"label": "table 7, shoe 4"},
        {"decks": 5},
    ],
    ids=["a word", "a seat", "their order", "no words", "label", "decks"],
)
def test_what_was_mixed_in_cannot_be_changed_afterwards(changed: dict[str, Any]):
    """The secret is the sealed one, and none of the rounds agrees with it any more."""
    told = found_in(proof(**changed))
    assert [fault.split(" was dealt ")[0] for fault in told] == ["Round 41", "Round 42", "Round 99"]


def test_every_fault_is_told():
    told = found_in(proof(secret=bytes(32).hex()))
    assert (told[0], len(told)) == (NOT_THE_SECRET, 4)


# What is no proof


@pytest.mark.parametrize("missing", GOOD)
def test_a_proof_that_lacks_something_is_none(missing: str):
    with pytest.raises(ProofError, match=f"This is not a proof of a shoe: '{missing}'"):
        found_in({name: value for name, value in GOOD.items() if name != missing})


@pytest.mark.parametrize("missing", ["first", "cards"])
def test_a_round_that_lacks_something_is_none(missing: str):
    (a_round, *_) = GOOD["rounds"]
    with pytest.raises(ProofError, match=missing):
        found_in(proof(rounds=[{name: a_round[name] for name in a_round if name != missing}]))


def test_a_secret_that_is_still_sealed_proves_nothing_yet():
    with pytest.raises(ProofError, match="the secret is still sealed"):
        found_in(proof(secret=None))


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "card-room-2"},
        {"method": None},
        {"label": None},
        {"label": 7},
        {"label": "\ud800"},
        {"decks": 0},
        {"decks": 9},
        {"decks": "many"},
        {"decks": None},
        {"decks": float("inf")},
        {"decks": float("nan")},
        {"secret": "secret"},
        {"secret": "0"},
        {"secret": 7},
        {"words": None},
        {"words": 7},
        {"words": [1, 2]},
        {"words": [["one", "abc"]]},
        {"words": [[1]]},
        {"words": "abc"},
        {"rounds": None},
        {"rounds": 7},
        {"rounds": [7]},
        {"rounds": ["round"]},
        {"rounds": {"round": 1}},
    ],
    ids=str,
)
def test_a_proof_with_nonsense_in_it_is_none(changed: dict[str, Any]):
    with pytest.raises(ProofError):
        found_in(proof(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"first": None},
        {"first": "x"},
        {"first": float("inf")},
        {"first": []},
        {"cards": None},
        {"cards": ["As"]},
        {"cards": 7},
        {"cards": "As 1s"},
        {"cards": "??"},
        {"round": "\ud800", "first": 1},
        {"round": None, "first": 1},
    ],
    ids=str,
)
def test_a_round_with_nonsense_in_it_is_none(changed: dict[str, Any]):
    with pytest.raises(ProofError):
        found_in(with_round(**changed))


@pytest.mark.parametrize("value", [None, 7, "proof", [], [1], True, 1.5])
def test_anything_else_is_no_proof(value: Any):
    with pytest.raises(ProofError):
        found_in(value)


plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)


@quick
@given(st.sampled_from([*GOOD]), plain)
def test_a_proof_with_anything_in_it_is_told_or_refused(name: str, value: Any):
    try:
        told = found_in(proof(**{name: value}))
    except ProofError:
        return
    assert told or name in ("rounds", "words", "decks")


# From the command line


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "proof.json"


def test_a_good_proof_is_verified_by_the_program(file: Path):
    file.write_text(json.dumps(GOOD))
    said = as_process("verify", str(file))
    assert (said.status, said.out, said.err) == (0, IN_ORDER, "")


def test_a_proof_is_read_from_standard_input_as_well():
    said = as_process("verify", "-", stdin=json.dumps(GOOD))
    assert (said.status, said.out, said.err) == (0, IN_ORDER, "")


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"rounds": [{"round": 1, "first": 0, "cards": "As As As"}]}, "Round 1 was dealt As As As"),
        ({"secret": "00" * 32}, NOT_THE_SECRET),
        ({"words": [[1, "abc"], [3, "xyy"]]}, "Round 41 was dealt "),
    ],
    ids=["a forged card", "a forged secret", "a forged word"],
)
def test_a_forged_proof_is_found_by_the_program(changed: dict[str, Any], fault: str, file: Path):
    file.write_text(json.dumps(proof(**changed)))
    said = as_process("verify", str(file))
    assert (said.status, said.out.startswith(fault), said.err) == (1, True, "")


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "not json", "[" * 100_000, '{"secret": 1e999}', "\0"],
    ids=["empty", "{}", "[]", "null", "text", "deep", "infinite", "zero"],
)
def test_what_is_no_proof_is_said_in_a_line_by_the_program(text: str, run: Run):
    said = run("verify", "-", stdin=text)
    assert (said.status, said.out, len(said.err.splitlines())) == (2, "", 1)


def test_no_proof_at_all_is_said_by_the_process(file: Path):
    assert as_process("verify", str(file)).status == 2
    file.write_bytes(b"\xff\xfe\x00")
    said = as_process("verify", str(file))
    assert (said.status, said.out, len(said.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("is_good", [True, False])
def test_the_program_and_the_process_say_the_same(is_good: bool, run: Run, file: Path):
    file.write_text(json.dumps(GOOD if is_good else proof(words=[])))
    assert run("verify", str(file)) == as_process("verify", str(file))
