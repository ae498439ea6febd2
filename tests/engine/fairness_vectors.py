"""Proofs of shoes, good and forged, each with what a verifier has to find.

``python -m tests.engine.fairness_vectors`` writes them to ``docs/fairness-vectors.json``, for who
writes a verifier. The reasons are written down here by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from tables.engine.cards import Card, format_cards
from tables.engine.piles import is_game_over
from tables.engine.provably_fair import shuffle
from tables.engine.shoe import Shoe

FILE = Path(__file__).parents[2] / "docs" / "fairness-vectors.json"
SECRET = bytes(range(32))
OTHER_SECRET = bytes(range(32, 64))

Proof = dict[str, Any]


# Honest shoes


def entry(seat: int, words: str) -> Proof:
    """What a seat that has committed to its words showed."""
    return {"seat": seat, "commitment": shuffle.compute_commitment(seat, words), "words": words}


def silent(seat: int) -> Proof:
    """A seat that bet and added nothing."""
    return {"seat": seat, "commitment": None, "words": ""}


def shuffled(proof: Proof) -> tuple[Card, ...]:
    words = [
        (item["seat"], item["words"])
        for item in proof["words"]
        if item["commitment"] is not None or proof["method"] == shuffle.FIRST_METHOD
    ]
    secret = bytes.fromhex(proof["secret"])
    return shuffle.shuffle_shoe(secret, proof["label"], words, proof["decks"], proof["method"])


def dealt_to(rules: str, seats: tuple[int, ...], cards: int) -> str:
    """Whose the cards of a round are: what is drawn after the deal goes to the last seat, and the
    last card to the dealer.
    """
    each = [*map(str, seats), "d"]
    one_to_each = rules in ("casino", "vegas")
    deal = [*each, *each] if one_to_each else [one for one in each for _ in range(2)]
    drawn = cards - len(deal)
    more = ([each[-2 if len(each) > 1 else -1]] * (drawn - 1) + ["d"]) if drawn > 0 else []
    return " ".join([*deal, *more][:cards])


def shoe(
    rules: str = "casino",
    lengths: tuple[int, ...] = (9,),
    *,
    seats: tuple[int, ...] = (1, 3),
    words: list[Proof] | None = None,
    decks: int = 1,
    options: dict[str, Any] | None = None,
    why: str = "every_round",
    **other: Any,
) -> Proof:
    """A proof of an honest shoe, from which rounds of so many cards were dealt."""
    proof: Proof = {
        "method": shuffle.METHOD,
        "label": "shoe:57",
        "decks": decks,
        "commitment": shuffle.seal_of(SECRET),
        "secret": SECRET.hex(),
        "words": [entry(seat, f"words of seat {seat}") for seat in seats]
        if words is None
        else words,
        "absent": [],
        "rounds": [],
        "retired_because": why,
    } | other
    cards, first = shuffled(proof), 0
    for number, length in enumerate(lengths, start=812):
        proof["rounds"].append(
            {
                "round": number,
                "rules": rules,
                "options": options or {},
                "seats": list(seats),
                "first": first,
                "cards": format_cards(cards[first : first + length]),
                "to": dealt_to(rules, seats, length),
                "broken_off": False,
            }
        )
        first += length
    return proof


def broken_off(hidden: int = 5, dealt: int = 6) -> Proof:
    """A vegas shoe of which the second round was broken off with one card face down: the sixth
    is the hole card.
    """
    proof = shoe("vegas", (9, dealt), decks=6, why="broken_off")
    last = proof["rounds"][1]
    cards = last["cards"].split()
    cards[hidden] = "??"
    last |= {"cards": " ".join(cards), "broken_off": True}
    return proof


def game_of_piles() -> Proof:
    """A game of piles that was played until no hand could be dealt any more."""
    deck = Shoe(shuffled(shoe("piles", (), seats=(1,))))
    lengths = []
    while not is_game_over(deck):
        lengths.append(min(5, deck.left))
        deck.dealt += lengths[-1]
    return shoe("piles", tuple(lengths), seats=(1,), why="game_over")


def long_shoe(rounds: int, why: str) -> Proof:
    """A vegas shoe, nine cards a round: the cut card lies behind card 234, in the 26th round."""
    return shoe("vegas", (9,) * rounds, decks=6, why=why)


GOOD: dict[str, Proof] = {
    "one deck, one round, two of three seats": shoe(),
    "a pot": shoe("pot", (11,), seats=(1, 2, 3)),
    "classic": shoe("classic", (6,), seats=(2,)),
    "heads-up": shoe("heads-up", (4,), seats=(1,)),
    "six decks until the cut card": long_shoe(26, "cut_card"),
    "six decks, and the table emptied": long_shoe(2, "table_empty"),
    "two decks where the table has two": shoe(decks=2, options={"decks": 2}),
    "a game of piles": game_of_piles(),
    "a round that was broken off": broken_off(),
    "a restored house": shoe("vegas", (9,), decks=6, why="restored"),
    "nobody added words": shoe(words=[silent(1), silent(3)]),
    "one of two added words": shoe(words=[silent(1), entry(3, "xyz")]),
    "words that are empty, and committed to": shoe(words=[entry(1, ""), entry(3, "x: ~")]),
    "a seat that committed and did not bet": shoe(
        absent=[{"seat": 2, "commitment": shuffle.compute_commitment(2, "unknown")}]
    ),
    "one deck that is written as 1.0": shoe() | {"decks": 1.0},
    "from before words were committed to": shoe(
        words=[{"seat": 3, "commitment": None, "words": "xyz"}],
        method=shuffle.FIRST_METHOD,
        why="",
    ),
}


# Forged ones


def changed(**values: Any) -> Proof:
    """The first good proof with something else in it; its cards stay."""
    return deepcopy({**shoe(), **values})


def first_round(**values: Any) -> Proof:
    proof = shoe()
    proof["rounds"][0] |= values
    return proof


def dealt_anew(words: list[Proof], **values: Any) -> Proof:
    """What a house gives out that has shuffled with these words: the cards follow from them."""
    return shoe(words=words, **values)


def of_a_long_shoe(change: Callable[[list[Proof]], None]) -> Proof:
    proof = long_shoe(26, "cut_card")
    change(proof["rounds"])
    return proof


def dealt_again(rounds: list[Proof]) -> None:
    rounds[1] |= {"first": 0, "cards": rounds[0]["cards"]}


def leave_out_round(rounds: list[Proof]) -> None:
    del rounds[3]


def leave_out_last_card(rounds: list[Proof]) -> None:
    for name in ("cards", "to"):
        rounds[2][name] = " ".join(rounds[2][name].split()[:-1])


def exchanged(rounds: list[Proof]) -> None:
    rounds[0], rounds[1] = rounds[1], rounds[0]


def from_a_chosen_place() -> Proof:
    proof = shoe()
    cards = shuffled(proof)[20:29]
    proof["rounds"][0] |= {"first": 20, "cards": format_cards(cards)}
    return proof


def not_from_the_top() -> Proof:
    proof = shoe()
    proof["rounds"][0]["cards"] = format_cards(shuffled(proof)[20:29])
    return proof


def other_secret() -> Proof:
    return shoe(secret=OTHER_SECRET.hex())


def card_changed() -> Proof:
    proof = shoe()
    cards = proof["rounds"][0]["cards"].split()
    cards[4] = "As" if cards[4] != "As" else "Kd"
    proof["rounds"][0]["cards"] = " ".join(cards)
    return proof


def uncommitted() -> Proof:
    """The cards follow from words of seat 1 for which it shows no commitment."""
    proof = dealt_anew([entry(1, "ground"), entry(3, "b")])
    proof["words"][0]["commitment"] = None
    return proof


def all_and_one_more() -> Proof:
    proof = shoe(lengths=(52,))
    proof["rounds"][0]["cards"] += " As"
    proof["rounds"][0]["to"] += " d"
    return proof


def after_a_round_that_was_broken_off(rounds: list[Proof]) -> None:
    rounds[3]["broken_off"] = True


def went_on() -> Proof:
    return long_shoe(27, "cut_card")


def second_round_from_one_deck() -> Proof:
    return shoe(lengths=(9, 9))


def piles_went_on() -> Proof:
    proof = game_of_piles()
    cards = shuffled(proof)
    first = sum(len(round_["cards"].split()) for round_ in proof["rounds"])
    while len(cards) - first < 4:  # give back rounds until cards for another are there
        last = proof["rounds"].pop()
        first = last["first"]
    return proof


LONG = "x" * 65
FORGED: dict[str, tuple[Proof, tuple[str, ...]]] = {
    "words of a seat that nobody took": (
        dealt_anew([entry(1, "a"), entry(2, "ground"), entry(3, "b")]),
        ("words_seats",),
    ),
    "words of a seat that does not exist": (
        dealt_anew([entry(1, "a"), entry(3, "b"), entry(7, "ground")]),
        ("words_seats",),
    ),
    "words twice for one seat": (
        dealt_anew([entry(1, "a"), entry(1, "ground"), entry(3, "b")]),
        ("words_seats",),
    ),
    "words left out": (dealt_anew([entry(1, "a")]), ("words_seats",)),
    "words in another order": (dealt_anew([entry(3, "b"), entry(1, "a")]), ("words_seats",)),
    "words of 65 characters": (dealt_anew([entry(1, LONG), entry(3, "b")]), ("words_text",)),
    "words on two lines": (dealt_anew([entry(1, "a\n2:b"), entry(3, "b")]), ("words_text",)),
    "words that are not plain": (dealt_anew([entry(1, "é"), entry(3, "b")]), ("words_text",)),
    "words that nobody committed to": (
        uncommitted(),
        ("words_commitment", "cards"),
    ),
    "words chosen after the commitment": (
        dealt_anew([entry(1, "a") | {"words": "ground"}, entry(3, "b")]),
        ("words_commitment",),
    ),
    "the commitment of another seat": (
        dealt_anew([entry(3, "a") | {"seat": 1}, entry(3, "a")]),
        ("words_commitment",),
    ),
    "other words than were mixed in": (
        changed(words=[entry(1, "a"), entry(3, "b")]),
        ("cards",),
    ),
    "a label that was ground": (shoe(label="shoe:12:33"), ("label",)),
    "a label with a zero before it": (shoe(label="shoe:057"), ("label",)),
    "a label with a blank": (shoe(label="shoe:57 "), ("label",)),
    "a label with a line feed": (shoe(label="shoe:57\n"), ("label",)),
    "a label in other digits": (shoe(label="shoe:٥٧"), ("label",)),
    "a label without a number": (shoe(label="shoe:"), ("label",)),
    "a label below zero": (shoe(label="shoe:-57"), ("label",)),
    "the label of another shoe": (changed(label="shoe:58"), ("cards",)),
    "a round that was not dealt from the top": (not_from_the_top(), ("cards",)),
    "a round that was dealt from a chosen place": (from_a_chosen_place(), ("first",)),
    "a place before the first card": (first_round(first=-1), ("first", "cards")),
    "the same cards twice": (of_a_long_shoe(dealt_again), ("first", "first")),
    "a round left out": (of_a_long_shoe(leave_out_round), ("first",)),
    "a card left out at the end of a round": (
        of_a_long_shoe(leave_out_last_card),
        ("first",),
    ),
    "rounds in another order": (
        of_a_long_shoe(exchanged),
        ("first", "round_order", "first", "first"),
    ),
    "a round after one that was broken off": (
        of_a_long_shoe(after_a_round_that_was_broken_off),
        ("broken_off",),
    ),
    "no rounds": (changed(rounds=[]), ("no_rounds", "words_seats")),
    "a round without cards": (first_round(cards=""), ("too_few_cards",)),
    "words of a seat that was dealt nothing": (
        shoe(seats=(1, 2, 3)) | {"rounds": [shoe()["rounds"][0] | {"seats": [1, 2, 3]}]},
        ("dealt_to", "cards"),
    ),
    "cards that go round in another order": (
        first_round(to="1 1 3 3 d d 3 3 d"),
        ("dealt_to",),
    ),
    "a card to the dealer before the last seat has played": (
        first_round(to="1 3 d 1 3 d 3 d 3"),
        ("dealt_to",),
    ),
    "a card to a seat that has played already": (
        first_round(to="1 3 d 1 3 d 3 1 d"),
        ("dealt_to",),
    ),
    "a card to a seat that is not in the round": (
        first_round(to="1 3 d 1 3 d 2 3 d"),
        ("dealt_to",),
    ),
    "a card that is nobody's": (first_round(to="1 3 d 1 3 d 3 3"), ("dealt_to",)),
    "a round with fewer cards than its seats are dealt": (
        shoe(lengths=(5,)),
        ("too_few_cards",),
    ),
    "a round without seats": (
        first_round(seats=[]),
        ("seats", "dealt_to", "words_seats"),
    ),
    "a seat that there is not": (
        shoe(seats=(1, 4)),
        ("seats",),
    ),
    "more seats than the rules have": (shoe("heads-up", seats=(1, 2)), ("seats",)),
    "more cards than the shoe has": (all_and_one_more(), ("cards",)),
    "a card that was changed": (card_changed(), ("cards",)),
    "another secret with its own seal": (other_secret(), ("seal",)),
    "another secret, and its seal in the place of the one that was shown": (
        shoe(secret=OTHER_SECRET.hex(), commitment=shuffle.seal_of(OTHER_SECRET)),
        ("other_seal",),
    ),
    "the seal of another shoe": (shoe(), ("other_label",)),
    "other words than mine": (dealt_anew([entry(1, "ground"), entry(3, "b")]), ("own_words",)),
    "a secret of one byte": (shoe(secret="00", commitment=shuffle.seal_of(b"\0")), ("secret",)),
    "a game of piles with a secret of one byte": (
        game_of_piles() | {"secret": "00", "commitment": shuffle.seal_of(b"\0")},
        ("secret",),
    ),
    "a secret of no bytes": (shoe(secret="", commitment=shuffle.seal_of(b"")), ("secret",)),
    "a secret of 33 bytes": (shoe(secret="00" * 33), ("secret",)),
    "a secret in capitals": (changed(secret=SECRET.hex().upper()), ("secret",)),
    "another seal": (changed(commitment="00" * 32), ("seal",)),
    "two decks where the rules say one": (shoe(decks=2), ("decks",)),
    "one deck where the table has two": (shoe(options={"decks": 2}), ("decks",)),
    "an unknown rule set": (shoe("roulette"), ("rules", "retired")),
    "a second round from a shoe for one": (second_round_from_one_deck(), ("shoe_over",)),
    "a round after the cut card": (went_on(), ("shoe_over",)),
    "a shoe that was retired before the cut card": (long_shoe(3, "cut_card"), ("retired",)),
    "a shoe with a cut card that was retired like one for a round": (
        long_shoe(1, "every_round"),
        ("retired",),
    ),
    "a game of piles that was ended early": (piles_went_on(), ("retired",)),
    "a shoe that was retired for no reason": (shoe(why="bored"), ("retired",)),
    "a reason of before for a shoe of today": (shoe(why=""), ("retired",)),
    "broken off, and no round was": (shoe(why="broken_off"), ("retired",)),
    "a card face down in a round that was played to its end": (
        first_round(cards=shoe()["rounds"][0]["cards"][:-2] + "??"),
        ("face_down",),
    ),
    "a card of a player face down in a round that was broken off": (
        shoe(why="broken_off")
        | {
            "rounds": [
                shoe()["rounds"][0]
                | {"broken_off": True, "cards": "?? " + shoe()["rounds"][0]["cards"][3:]}
            ]
        },
        ("face_down",),
    ),
    "the dealer's up card face down in a round that was broken off": (
        broken_off(hidden=2),
        ("face_down",),
    ),
    "the hole card face down in a round in which the dealer drew": (
        broken_off(dealt=7),
        ("face_down",),
    ),
    "a seat that bet and is said to be absent": (
        changed(absent=[{"seat": 1, "commitment": "00" * 32}]),
        ("absent",),
    ),
    "an absent seat without a commitment": (
        changed(absent=[{"seat": 2, "commitment": ""}]),
        ("absent",),
    ),
    "the first method with commitments": (
        shoe(method=shuffle.FIRST_METHOD, why=""),
        ("words_commitment", "words_commitment"),
    ),
}

NO_PROOFS: dict[str, Any] = {
    "a secret that is still sealed": changed(secret=None),
    "an unknown method": changed(method="card-room-3"),
    "no label": {name: value for name, value in shoe().items() if name != "label"},
    "decks that are no number": changed(decks="1"),
    "no decks": changed(decks=0),
    "nine decks": changed(decks=9),
    "words as they were before": changed(words=[[1, "a"], [3, "b"]]),
    "a seat that is true": changed(words=[entry(1, "a") | {"seat": True}]),
    "half a surrogate pair": changed(label="\ud800"),
    "a card that there is not": first_round(cards="As 1s Kd Qd 2h 3h"),
    "a number of a round that not every program can read": first_round(round=2**53),
    "rounds that are no list": changed(rounds={"round": 1}),
    "nothing": None,
    "a list": [],
}

EVIDENCE: dict[str, dict[str, Any]] = {
    "the seal of another shoe": {"shoe": 56},
    "another secret, and its seal in the place of the one that was shown": {
        "seal": shuffle.seal_of(SECRET)
    },
    "other words than mine": {"words": ["words of seat 1"]},
    "one deck, one round, two of three seats": {
        "seal": shuffle.seal_of(SECRET),
        "shoe": 57,
        "words": ["words of seat 1"],
    },
}
"""What somebody saw and added, by the name of the vector: a seal, the number of the shoe, words."""


def vectors() -> list[dict[str, Any]]:
    """All of them, as they are written down."""
    entries: list[dict[str, Any]] = [
        {"name": name, "proof": proof, "faults": []} for name, proof in GOOD.items()
    ]
    entries += [
        {"name": name, "proof": proof, "faults": list(reasons)}
        for name, (proof, reasons) in FORGED.items()
    ]
    entries += [{"name": name, "proof": proof, "faults": None} for name, proof in NO_PROOFS.items()]
    return [vector | EVIDENCE.get(vector["name"], {}) for vector in entries]


def text() -> str:
    """The file: one vector a line."""
    lines = ",\n".join(json.dumps(vector) for vector in vectors())
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    FILE.write_text(text())
