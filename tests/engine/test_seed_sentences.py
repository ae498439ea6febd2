"""No sentence of the source texts is forgotten: a test names its seed and quotes it in full."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SEEDS = ("000", "001", "002", "003", "004")
LINE = re.compile(r"(?P<kind>rule|house|talk) +(?P<sentence>\S.*\S)")


def read_sentences() -> dict[str, dict[str, list[str]]]:
    """The sentences of ``seed_sentences.txt``, by seed and kind."""
    sentences: dict[str, dict[str, list[str]]] = {}
    for line in (HERE / "seed_sentences.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("seed "):
            kinds = sentences.setdefault(line.removeprefix("seed "), {})
            continue
        read = LINE.fullmatch(line)
        assert read, f"neither a seed nor a sentence: {line!r}"
        kinds.setdefault(read["kind"], []).append(read["sentence"])
    return sentences


def docstrings_of_tests(directory: Path) -> list[str]:
    """What stands in the docstrings of all tests of a directory, each on one line."""
    return [
        " ".join(docstring.split())
        for path in sorted(directory.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and (docstring := ast.get_docstring(node))
    ]


SENTENCES = read_sentences()
DOCSTRINGS = docstrings_of_tests(HERE)


def test_all_five_seeds_are_listed():
    assert tuple(SENTENCES) == SEEDS


@pytest.mark.parametrize(
    ("seed", "counts"),
    [
        ("000", {"rule": 35, "house": 3, "talk": 2}),
        ("001", {"rule": 24}),
        ("002", {"rule": 26, "talk": 4}),
        ("003", {"rule": 26, "house": 9, "talk": 4}),
        ("004", {"rule": 29, "house": 1, "talk": 3}),
    ],
)
def test_no_sentence_gets_lost_from_the_list(seed: str, counts: dict[str, int]):
    assert {kind: len(sentences) for kind, sentences in SENTENCES[seed].items()} == counts


@pytest.mark.parametrize("seed", SEEDS)
def test_a_test_quotes_every_rule_of_the_seed(seed: str):
    """A sentence that the seed says several times is quoted by as many tests."""
    quotes = [text for text in DOCSTRINGS if f"Seed {seed}: " in text]
    unquoted = [
        sentence
        for sentence, times in Counter(SENTENCES[seed]["rule"]).items()
        if sum(sentence in text for text in quotes) < times
    ]
    assert unquoted == []
