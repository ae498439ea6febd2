"""What a published proof is checked for, and what is said about a forged one."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.__main__ import main
from tables.engine.cards import format_cards
from tables.engine.presets import PRESETS
from tables.engine.provably_fair import shuffle
from tables.engine.provably_fair.proof import ProofError, find_proof_faults, list_limits
from tables.engine.rules import DealOrder
from tests.engine.fairness_vectors import FILE, entry, shoe, shuffled, silent, text
from tests.engine.program import ROOT, Run, as_process
from tests.engine.random_rounds import quick

GOOD = shoe(lengths=(9,))
VECTORS = json.loads(FILE.read_text())
IN_ORDER = "In order: the shoe was dealt as it was sealed.\n"
NOT_COMPARED = "Note: not compared with the seal that you saw. Give it with --seal.\n"
NOT_THE_SECRET = "The secret is not the one that was sealed before the bets."


def proof(**changed: Any) -> dict[str, Any]:
    """A good proof, with something else in it."""
    return deepcopy({**GOOD, **changed})


def with_round(**changed: Any) -> dict[str, Any]:
    return proof(rounds=[{**GOOD["rounds"][0], **changed}])


def list_faults(a_proof: Any, **evidence: Any) -> list[str]:
    return [fault.reason for fault in find_proof_faults(a_proof, **evidence)]


# Good ones, forged ones, and what is none: the file that is published


def test_the_published_vectors_are_those_that_are_made_here() -> None:
    assert FILE.read_text() == text()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_case_42_every_vector_is_found_to_be_what_it_is(vector: dict[str, Any]) -> None:
    evidence = {name: vector[name] for name in ("seal", "shoe", "words") if name in vector}
    if vector["faults"] is None:
        with pytest.raises(ProofError):
            list_faults(vector["proof"], **evidence)
    else:
        assert list_faults(vector["proof"], **evidence) == vector["faults"]


def test_every_reason_of_the_specification_is_in_a_vector() -> None:
    page = (FILE.parent / "fairness.md").read_text()
    table = page.split("| reason | found when |")[1].split("\n\n")[0]
    listed = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    reasons = {reason for vector in VECTORS for reason in vector["faults"] or []}
    assert reasons == listed


@pytest.mark.parametrize("decks", range(1, 9))
def test_a_shoe_of_any_size_can_be_proved(decks: int):
    assert list_faults(shoe(decks=decks, options={"decks": decks})) == []


@pytest.mark.parametrize("key", PRESETS)
def test_the_specification_says_decks_and_seats_of_every_rule_set(key: str) -> None:
    page = (FILE.parent / "fairness.md").read_text()
    (row,) = [line for line in page.splitlines() if line.startswith("| `") and f"`{key}`" in line]
    rules = PRESETS[key]
    deal = {DealOrder.ONE_TO_EACH: "one", DealOrder.PLAYER_BY_PLAYER: "two"}[rules.deal_order]
    assert row.split("|")[2:5] == [f" {rules.decks} ", f" {rules.seats} ", f" {deal} to each "]


def test_a_forged_card_is_told_with_what_the_shoe_says():
    dealt = GOOD["rounds"][0]["cards"]
    forged = ("As" if dealt[:2] != "As" else "Kd") + dealt[2:]
    (fault,) = find_proof_faults(with_round(cards=forged))
    assert str(fault) == f"Round 812 was dealt {forged}, but the shoe says {dealt}."


def test_two_cards_that_changed_places_are_found():
    first, second, *others = GOOD["rounds"][0]["cards"].split()
    assert list_faults(with_round(cards=" ".join([second, first, *others]))) == ["cards"]


@pytest.mark.parametrize("first", [1, -1, 43, 52, 10**9])
def test_a_round_that_began_elsewhere_is_found(first: int):
    assert list_faults(with_round(first=first)) == ["first", "cards"]


def test_the_last_cards_counted_from_the_end_are_no_place():
    """Five from the end is a place to Python and none to a dealer."""
    cards = format_cards(shuffled(GOOD)[-9:])
    assert list_faults(with_round(first=-9, cards=cards)) == ["first", "cards"]


@pytest.mark.parametrize(
    "changed",
    [
        {"words": [entry(1, "abd"), entry(3, "words of seat 3")]},
        {"words": [entry(1, "words of seat 1"), silent(3)]},
        {"label": "shoe:58"},
    ],
    ids=["a word", "one left out", "label"],
)
def test_what_was_mixed_in_cannot_be_changed_afterwards(changed: dict[str, Any]):
    """The secret is the sealed one, and the round does not agree with it any more."""
    assert list_faults(proof(**changed)) == ["cards"]


def test_a_commitment_is_bound_to_its_seat() -> None:
    assert shuffle.compute_commitment(1, "abc") != shuffle.compute_commitment(3, "abc")
    assert shuffle.compute_commitment(1, "abc") == sha256(b"1:abc").hexdigest()


# What somebody saw and added


def test_case_43_a_seal_that_was_seen_is_compared() -> None:
    seal = GOOD["commitment"]
    assert list_faults(GOOD, seal=seal) == list_faults(GOOD, seal=f" {seal.upper()}\n") == []
    assert list_faults(GOOD, seal="00" * 32) == ["other_seal"]
    assert list_faults(GOOD, seal="") == ["other_seal"]


def test_case_43_words_that_were_added_are_compared() -> None:
    assert list_faults(GOOD, words=["words of seat 1", "words of seat 3"]) == []
    assert list_faults(GOOD, words=["mine", "words of seat 3", "also mine"]) == ["own_words"] * 2


def test_what_a_good_proof_does_not_show_is_said() -> None:
    notes_of = {
        vector["name"]: list(list_limits(vector["proof"]))
        for vector in VECTORS
        if not vector["faults"] and vector["faults"] is not None
    }
    assert notes_of["nobody added words"] == [
        "Nobody added words to this shoe: it rests on the seal alone."
    ]
    assert notes_of["a seat that committed and did not bet"] == [
        "Seat 2 committed to words but did not bet."
    ]
    assert notes_of["from before words were committed to"] == [
        "This shoe is from before players committed to words."
    ]
    assert notes_of["a pot"] == []


# What is no proof


@pytest.mark.parametrize("missing", GOOD)
def test_a_proof_that_lacks_something_is_none(missing: str):
    with pytest.raises(ProofError, match=f"This is not a proof of a shoe: '{missing}'"):
        list_faults({name: value for name, value in GOOD.items() if name != missing})


@pytest.mark.parametrize("missing", GOOD["rounds"][0])
def test_a_round_that_lacks_something_is_none(missing: str):
    (a_round, *_) = GOOD["rounds"]
    with pytest.raises(ProofError, match=missing):
        list_faults(proof(rounds=[{name: a_round[name] for name in a_round if name != missing}]))


def test_a_secret_that_is_still_sealed_proves_nothing_yet():
    with pytest.raises(ProofError, match="the secret is still sealed"):
        list_faults(proof(secret=None))


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "card-room-3"},
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
        {"secret": 7},
        {"absent": None},
        {"absent": [7]},
        {"absent": [{"seat": "1", "commitment": "00"}]},
        {"retired_because": None},
        {"words": None},
        {"words": 7},
        {"words": [1, 2]},
        {"words": [[1, "abc"]]},
        {"words": [{"seat": 1}]},
        {"words": [{"seat": 1.5, "commitment": None, "words": ""}]},
        {"words": [{"seat": 2**53, "commitment": None, "words": ""}]},
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
        list_faults(proof(**changed))


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
        {"to": None},
        {"to": 7},
        {"cards": "As 1s"},
        {"cards": "As\u00a0Kd"},
        {"cards": "As\tKd"},
        {"round": "\ud800"},
        {"round": None},
        {"rules": None},
        {"options": None},
        {"options": {"decks": "1"}},
        {"seats": None},
        {"seats": [True]},
        {"broken_off": None},
    ],
    ids=str,
)
def test_a_round_with_nonsense_in_it_is_none(changed: dict[str, Any]):
    with pytest.raises(ProofError):
        list_faults(with_round(**changed))


@pytest.mark.parametrize("value", [None, 7, "proof", [], [1], True, 1.5])
def test_anything_else_is_no_proof(value: Any):
    with pytest.raises(ProofError):
        list_faults(value)


plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)


@quick
@given(st.sampled_from([*GOOD]), plain)
def test_a_proof_with_anything_in_it_is_told_or_refused(name: str, value: Any):
    try:
        faults = list_faults(proof(**{name: value}))
    except ProofError:
        return
    assert faults or value == GOOD[name]


# From the command line


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "proof.json"


def test_a_good_proof_is_verified_by_the_program(file: Path):
    file.write_text(json.dumps(GOOD))
    result = as_process("verify", str(file))
    assert (result.status, result.out, result.err) == (0, IN_ORDER + NOT_COMPARED, "")


def test_a_proof_is_read_from_standard_input_as_well():
    result = as_process("verify", "-", stdin=json.dumps(GOOD))
    assert (result.status, result.out, result.err) == (0, IN_ORDER + NOT_COMPARED, "")


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"rounds": with_round(cards="As " * 6)["rounds"]}, "Round 812 was dealt As As As"),
        ({"secret": "00" * 32}, NOT_THE_SECRET),
        ({"words": [entry(1, "abc"), entry(3, "xyy")]}, "Round 812 was dealt "),
    ],
    ids=["a forged card", "a forged secret", "a forged word"],
)
def test_a_forged_proof_is_found_by_the_program(changed: dict[str, Any], fault: str, file: Path):
    file.write_text(json.dumps(proof(**changed)))
    result = as_process("verify", str(file))
    assert (result.status, fault in result.out, result.err) == (1, True, "")


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "not json", "[" * 100_000, '{"secret": 1e999}', "\0"],
    ids=["empty", "{}", "[]", "null", "text", "deep", "infinite", "zero"],
)
def test_what_is_no_proof_is_said_in_a_line_by_the_program(text: str, run: Run):
    result = run("verify", "-", stdin=text)
    assert (result.status, result.out, len(result.err.splitlines())) == (2, "", 1)


def test_fields_that_are_not_listed_are_ignored_whatever_is_in_them(run: Run, file: Path):
    text = json.dumps(shoe() | {"other": 0}).replace('"other": 0', f'"other": {"1" * 5000}')
    file.write_text(text)
    assert run("verify", str(file)).status == 0
    file.write_text(text.replace("1" * 5000, "NaN"))
    assert run("verify", str(file)).status == 2
    assert run("verify", str(file)).err == "NaN is not JSON.\n"


@pytest.mark.parametrize("redirection", ["> /dev/full", "<&-", "| true"])
def test_no_traceback_where_nothing_can_be_read_or_written(redirection: str, file: Path):
    file.write_text(json.dumps(shoe()))
    path = "-" if redirection == "<&-" else str(file)
    command = f"{sys.executable} -m tables.engine verify {path} {redirection}"
    ended = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=ROOT, capture_output=True, text=True
    )
    assert "Traceback" not in ended.stderr + ended.stdout
    assert "Exception ignored" not in ended.stderr
    assert ended.returncode in (0, 2)
    assert "| true" in redirection or ended.returncode == 2


class FullDisk(io.StringIO):
    def flush(self) -> None:
        raise OSError("No space left on device")


def test_a_full_disk_and_no_input_are_said_in_a_line(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    file.write_text(json.dumps(shoe()))
    monkeypatch.setattr(sys, "argv", ["tables.engine", "verify", str(file)])
    with monkeypatch.context() as full:
        full.setattr(sys, "stdout", FullDisk())
        assert main() == 2
    assert capsys.readouterr().err == "No space left on device\n"
    monkeypatch.setattr(sys, "argv", ["tables.engine", "verify", "-"])
    monkeypatch.setattr(sys, "stdin", None)
    assert main() == 2
    assert capsys.readouterr().err == "There is no standard input to read.\n"


def test_no_proof_at_all_is_said_by_the_process(file: Path):
    assert as_process("verify", str(file)).status == 2
    file.write_bytes(b"\xff\xfe\x00")
    result = as_process("verify", str(file))
    assert (result.status, result.out, len(result.err.splitlines())) == (2, "", 1)


def test_case_43_seal_and_words_are_given_to_the_program(run: Run, file: Path):
    file.write_text(json.dumps(GOOD))
    seal = GOOD["commitment"]
    result = run("verify", "--seal", seal, "--shoe", "57", "--words", "words of seat 1", str(file))
    assert (result.status, result.out) == (0, IN_ORDER)
    result = run("verify", "--seal", "00" * 32, "--shoe", "75", "--words", "mine", str(file))
    assert result.status == 1
    assert result.out.splitlines() == [
        f"The seal that you saw is {'00' * 32}, that of the proof is {seal}.",
        "You saw shoe 75, the proof is of “shoe:57”.",
        "Your words “mine” are not in the proof.",
    ]


@pytest.mark.parametrize("is_good", [True, False])
def test_the_program_and_the_process_say_the_same(is_good: bool, run: Run, file: Path):
    file.write_text(json.dumps(GOOD if is_good else proof(words=[])))
    assert run("verify", str(file)) == as_process("verify", str(file))
