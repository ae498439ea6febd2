"""Check a shoe by its published proof.

``docs/fairness.md`` is the specification; ``docs/fairness-vectors.json`` has proofs, good and
forged, with the reasons that are found here and in ``static/js/fairness/shuffle_check.js``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tables.engine.cards import Card, format_cards
from tables.engine.piles import is_game_over
from tables.engine.provably_fair import shuffle
from tables.engine.provably_fair.published import (
    DEALER,
    FACE_DOWN,
    HASH,
    DealtRound,
    Proof,
    ProofError,
    SeatWords,
    read_proof,
)
from tables.engine.rules import DealOrder
from tables.engine.shoe import Shoe

__all__ = ["Fault", "ProofError", "find_proof_faults", "list_limits"]

MOST_SEATS: Final = 3
WHEN_OVER: Final = ("every_round", "cut_card", "game_over")
"""Why a shoe is retired by the rules, one for each way to shuffle."""
BEFORE_IT_IS_OVER: Final = ("table_empty", "rules_changed", "broken_off", "restored")
"""Why a shoe may be retired earlier."""

_LABEL: Final = re.compile(r"shoe:[1-9][0-9]{0,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Fault:
    """An error in a proof."""

    reason: str
    """For programs; ``docs/fairness.md`` lists them."""
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def find_proof_faults(
    published: Mapping[str, Any],
    *,
    seal: str | None = None,
    shoe: int | None = None,
    words: Iterable[str] = (),
) -> Iterator[Fault]:
    """Yield the faults of a proof; none if it is valid.

    ``published`` is the JSON of a proof. ``seal`` is the commitment seen before the bets,
    ``shoe`` the number of the shoe, ``words`` are the player's words; each is compared with the
    proof.
    Raises :class:`ProofError` when it is not a proof.
    """
    proof = read_proof(published)
    yield from _check_observations(proof, seal, shoe, words)
    yield from _check_label_and_seal(proof)
    yield from _check_rounds(proof)
    yield from _check_words(proof)
    yield from _check_absent(proof)
    if HASH.fullmatch(proof.secret):
        yield from _check_retirement(proof)
        yield from _check_cards(proof)


def list_limits(published: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a valid proof does not show. Raises :class:`ProofError`."""
    proof = read_proof(published)
    if proof.is_of_first_method:
        yield "This shoe is from before players committed to words."
    elif all(entry.commitment is None for entry in proof.words):
        yield "Nobody added words to this shoe: it rests on the seal alone."
    for round_ in proof.rounds:
        if round_.is_broken_off:
            yield f"Round {round_.number} was not played to its end."
    for entry in proof.absent:
        yield f"Seat {entry.seat} committed to words but did not bet."


# Checking


def _check_observations(
    proof: Proof, seal: str | None, shoe: int | None, words: Iterable[str]
) -> Iterator[Fault]:
    if seal is not None and seal.strip().lower() != proof.commitment:
        yield Fault(
            "other_seal",
            f"The seal that you saw is {seal.strip().lower()}, that of the proof is "
            f"{proof.commitment}.",
        )
    if shoe is not None and proof.label != f"shoe:{shoe}":
        yield Fault("other_label", f"You saw shoe {shoe}, the proof is of “{proof.label}”.")
    added = {entry.words for entry in proof.words}
    for own in words:
        if own not in added:
            yield Fault("own_words", f"Your words “{own}” are not in the proof.")


def _check_label_and_seal(proof: Proof) -> Iterator[Fault]:
    if not _LABEL.fullmatch(proof.label):
        yield Fault("label", "The label is not “shoe:” and the number of the shoe.")
    if not HASH.fullmatch(proof.secret):
        yield Fault("secret", "The secret is not 32 bytes, written as 64 digits from 0 to f.")
    elif shuffle.seal_of(bytes.fromhex(proof.secret)) != proof.commitment:
        yield Fault("seal", "The secret is not the one that was sealed before the bets.")


def _check_rounds(proof: Proof) -> Iterator[Fault]:
    if not proof.rounds:
        yield Fault("no_rounds", "The proof has no rounds.")
    dealt, before = 0, 0
    for round_ in proof.rounds:
        name = f"Round {round_.number}"
        if round_.number <= before:
            yield Fault("round_order", f"{name} is not behind the round before it.")
        if round_.first != dealt:
            yield Fault(
                "first",
                f"{name} began at card {round_.first} of the shoe, and {dealt} had been dealt.",
            )
        yield from _check_round(proof, round_, name)
        dealt, before = round_.first + len(round_.cards), round_.number


def _check_round(proof: Proof, round_: DealtRound, name: str) -> Iterator[Fault]:
    if round_.rules is None:
        yield Fault("rules", f"{name} was played by rules that there are not.")
        return
    if round_.decks != proof.decks:
        yield Fault(
            "decks",
            f"{name} was dealt from {proof.decks} decks, but its rules say {round_.decks}.",
        )
    if not round_.seats or not _are_valid_seats(round_.seats, min(round_.most_seats, MOST_SEATS)):
        yield Fault("seats", f"The seats of {name.lower()} are not those of a table, in order.")
    least = 2 * (len(round_.seats) + 1)
    if len(round_.cards) < least:
        yield Fault(
            "too_few_cards",
            f"{name} has {len(round_.cards)} cards, and {len(round_.seats)} seats and the dealer "
            f"get {least} at least.",
        )
    elif not _is_dealt_in_order(round_):
        yield Fault("dealt_to", f"The cards of {name.lower()} did not go round as the rules say.")
    if round_.is_broken_off and round_ is not proof.rounds[-1]:
        yield Fault("broken_off", f"{name} was broken off, and others were dealt after it.")
    if not _has_valid_hidden_cards(round_):
        yield Fault("face_down", f"{name} has a card that was never turned over.")


def _is_dealt_in_order(round_: DealtRound) -> bool:
    """Whether the first two cards of each follow the rules' deal, and later cards go in order."""
    assert round_.rules is not None
    each = [*map(str, round_.seats), DEALER]
    if round_.rules.deal_order is DealOrder.ONE_TO_EACH:
        deal = [*each, *each]
    else:
        deal = [one for one in each for _ in range(2)]
    drawn = round_.to[len(deal) :]
    return (
        len(round_.to) == len(round_.cards)
        and list(round_.to[: len(deal)]) == deal
        and set(drawn) <= set(each)
        and list(drawn) == sorted(drawn)  # a digit comes before a letter
    )


def _has_valid_hidden_cards(round_: DealtRound) -> bool:
    """Whether only the hole card is unknown, in a round aborted before the dealer drew."""
    assert round_.rules is not None
    hidden = [place for place, card in enumerate(round_.cards) if card is None]
    dealers = [place for place, whose in enumerate(round_.to) if whose == DEALER]
    is_before_draw = round_.is_broken_off and len(dealers) == 2
    return not hidden or (is_before_draw and hidden == [dealers[round_.rules.hole_position]])


def _are_valid_seats(seats: tuple[int, ...], most: int) -> bool:
    """Whether these are numbers of seats, each once, in order."""
    return list(seats) == sorted(set(seats)) and all(1 <= seat <= most for seat in seats)


def _check_words(proof: Proof) -> Iterator[Fault]:
    seats = tuple(entry.seat for entry in proof.words)
    first = proof.rounds[0].seats if proof.rounds else ()
    if proof.is_of_first_method:
        is_right = _are_valid_seats(seats, MOST_SEATS) and set(seats) <= set(first)
    else:
        is_right = seats == first
    if not is_right:
        yield Fault(
            "words_seats", "The words are not of the seats that bet on the first round, in order."
        )
    for entry in proof.words:
        if not shuffle.are_valid_words(entry.words):
            yield Fault(
                "words_text",
                f"The words of seat {entry.seat} are not plain characters on one line, "
                f"{shuffle.MOST_WORDS} at most.",
            )
        elif not _is_committed(proof, entry):
            yield Fault(
                "words_commitment",
                f"The words of seat {entry.seat} do not fit what was committed to.",
            )


def _is_committed(proof: Proof, entry: SeatWords) -> bool:
    if proof.is_of_first_method:
        return entry.commitment is None
    if entry.commitment is None:
        return entry.words == ""
    return entry.commitment == shuffle.compute_commitment(entry.seat, entry.words)


def _check_absent(proof: Proof) -> Iterator[Fault]:
    seats = tuple(entry.seat for entry in proof.absent)
    # Another player may have taken the seat since, with a late commitment.
    committed = {entry.seat for entry in proof.words if entry.commitment is not None}
    is_right = (
        _are_valid_seats(seats, MOST_SEATS)
        and not set(seats) & committed
        and all(HASH.fullmatch(entry.commitment or "") for entry in proof.absent)
        and not (seats and proof.is_of_first_method)
    )
    if not is_right:
        yield Fault("absent", "The seats that did not bet are not told as they should be.")


def _check_retirement(proof: Proof) -> Iterator[Fault]:
    """Check that the shoe was retired by the rules."""
    for before, after in zip(proof.rounds, proof.rounds[1:], strict=False):
        if _is_over(proof, before, after.first) or _is_over(proof, after, after.first):
            yield Fault(
                "shoe_over",
                f"Round {after.number} was dealt from a shoe that was over by the rules.",
            )
    if not proof.rounds:
        return
    last, why = proof.rounds[-1], proof.retired_because
    dealt = last.first + len(last.cards)
    if why in WHEN_OVER:
        is_right = why == _shuffle_policy(last) and _is_over(proof, last, dealt)
    elif why == "broken_off":
        is_right = last.is_broken_off
    else:
        # Proofs of the first method have no reason.
        is_right = why in BEFORE_IT_IS_OVER or (proof.is_of_first_method and why == "")
    if not is_right:
        yield Fault("retired", "The shoe was not retired when the rules say.")


def _shuffle_policy(round_: DealtRound) -> str:
    if round_.rules is None:
        return ""
    if round_.rules.has_piles:
        return "game_over"
    return "every_round" if round_.rules.cut_card is None else "cut_card"


def _is_over(proof: Proof, round_: DealtRound, dealt: int) -> bool:
    """Whether the shoe is over after ``dealt`` cards, by the rules of ``round_``."""
    way = _shuffle_policy(round_)
    if way == "cut_card":
        assert round_.rules is not None
        assert round_.rules.cut_card is not None
        return dealt >= int(52 * proof.decks * round_.rules.cut_card)
    if way == "game_over":
        # By the computed cards of the shoe; the published ones are checked separately.
        return is_game_over(Shoe(_shuffle_shoe(proof), min(max(dealt, 0), 52 * proof.decks)))
    return True


def _shuffle_shoe(proof: Proof) -> tuple[Card, ...]:
    words = [
        (entry.seat, entry.words)
        for entry in proof.words
        if entry.commitment is not None or proof.is_of_first_method
    ]
    secret = bytes.fromhex(proof.secret)
    return shuffle.shuffle_shoe(secret, proof.label, words, proof.decks, proof.method)


def _check_cards(proof: Proof) -> Iterator[Fault]:
    shoe = _shuffle_shoe(proof)
    for round_ in proof.rounds:
        first = max(round_.first, 0)
        computed = shoe[first : first + len(round_.cards)]
        cards = [
            theirs if theirs is not None else ours
            for theirs, ours in zip(round_.cards, computed, strict=False)
        ]
        if tuple(cards) != computed or len(cards) != len(round_.cards) or round_.first < 0:
            dealt = " ".join(FACE_DOWN if card is None else str(card) for card in round_.cards)
            yield Fault(
                "cards",
                f"Round {round_.number} was dealt {dealt}, "
                f"but the shoe says {format_cards(computed)}.",
            )
