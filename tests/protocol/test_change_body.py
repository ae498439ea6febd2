"""The stored form of a change: what goes in comes out, in few bytes, for ever."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.cards import Card
from tables.engine.events import Event, event_to_dict
from tables.protocol import change_body, codec
from tables.protocol.change_body import DamagedBody, decode, encode
from tables.protocol.commands import Bet, Command, Hit, Incoming, Sit
from tables.protocol.events import TableEvent

ID = uuid.UUID("6f1f4f0e-8f0a-4b9e-9c57-0b6f2b3d9a11")
EVENTS: tuple[Any, ...] = (*get_args(TableEvent), *get_args(Event))
COMMANDS = [kind for kind in get_args(Incoming) if issubclass(kind, Command)]
HASH = "5d" * 32
HIT = codec.encode(Hit(ID, 12))
DEALT = codec.encode([{"type": "card_dealt", "seat": 3, "hand": 1, "card": "7c"}])
STORED = bytes.fromhex("01a320816149dce6c08c170b00")
"""A body as version 1 has been written."""
AFTER_VERSION_1 = (
    "hints", "allow_hints", "hints_switched", "hints_allowed", "queue_up", "leave_queue",
    "queue_joined", "queue_left", "seat_offered", "offer_lapsed",
    "pause", "table_changing", "ban", "player_banned", "ban_lifted",
    "start_match", "match_started", "match_round_ended", "match_ended",
    "top_up", "ask_top_up", "give_stack", "top_up_asked", "topped_up",
    "decide_ahead", "plan_played", "sit_out", "sit_out_switched", "time_bank_started",
    "bet_behind", "take_back_behind", "bet_behind_placed", "bet_behind_returned",
    "bet_behind_raised", "bet_behind_settled", "table_kept_open",
)  # fmt: skip
"""Too rare for a version of their own: without the dictionary, each takes some 30 bytes more."""
DICTIONARY_1 = "93b715d3693e2ce1fdd95e33f71d7aeba19dbf2ad7385398a2881d9db4c2a527"


def sample(kind: Any) -> dict[str, Any]:
    """An event of this type."""
    values = {
        "seat": 2, "hand": 1, "card": Card("A", "s"), "player": "ann", "stake": 1000, "payout": 0,
        "words": [{"seat": 1, "player": "ann", "commitment": HASH, "words": "ünder my hat \\ \""}],
        "absent": [], "commitment": HASH, "secret": HASH, "shoe": 31, "number": 8, "round": 340,
        "because": "The table's state was lost.", "on": True, "outcome": "win", "cards": 5,
        "pile": "house", "winner": "draw", "house": 26, "reason": "left",
        "by_host": True, "until": 1_700_000_000_000,
        "left": 30_000, "plan": "hit_to_17", "action": "hit", "along": True,
        "rounds": 20, "leaders": ["ann", "ben"], "stack": 105_000, "winners": ["ann"],
    }  # fmt: skip
    return event_to_dict(kind(**{name: values[name] for name in kind.__dataclass_fields__}))


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: str(kind.__name__))
def test_each_event_comes_back(kind: Any) -> None:
    events = [sample(kind)]
    assert decode(encode("", None, codec.encode(events)), None) == ("", events)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: str(kind.__name__))
def test_the_dictionary_has_each_event(kind: Any) -> None:
    name = sample(kind)["type"]
    is_in = f'{{"type":"{name}"' in change_body._DICTIONARY.decode()
    assert is_in == (name not in AFTER_VERSION_1)


def texts_of_commands() -> Iterator[str]:
    yield from (codec.encode(one) for one in (Hit(ID, 2**53), Sit(ID, 1), Sit(ID, 3, HASH)))
    yield codec.encode(Bet(ID, 7, 1500, f'"id":"" and \\"id\\":\\"{ID}\\" ü \x1f', HASH))


@pytest.mark.parametrize("text", list(texts_of_commands()))
def test_a_command_comes_back_word_for_word_and_its_id_is_not_in_the_body(text: str) -> None:
    body = encode(text, ID, DEALT)
    assert decode(body, ID) == (text, codec.decode_events(DEALT))
    assert decode(body, None)[0] == text.replace(f'"id":"{ID}"', '"id":""', 1)


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: str(kind.__name__))
def test_the_dictionary_has_each_command_of_the_game(kind: Any) -> None:
    tag = kind.__struct_config__.tag
    if tag not in ("say", "unsay", "silence", "react", *AFTER_VERSION_1):
        assert f'{{"t":"{tag}","id":"' in change_body._DICTIONARY.decode()


def test_a_command_with_another_id_keeps_it() -> None:
    assert decode(encode(HIT, uuid.uuid4(), "[]"), uuid.uuid4())[0] == HIT


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=64)


@given(words, st.lists(st.fixed_dictionaries({"type": words, "player": words}), max_size=20))
def test_any_text_comes_back(word: str, events: list[dict[str, Any]]) -> None:
    text = codec.encode(Bet(ID, 7, 1500, word))
    assert decode(encode(text, ID, codec.encode(events)), ID) == (text, events)


def test_a_body_of_version_1_can_be_read_for_ever() -> None:
    assert decode(STORED, ID) == (HIT, codec.decode_events(DEALT))
    assert sha256(change_body._DICTIONARIES[1]).hexdigest() == DICTIONARY_1


def damaged() -> Iterator[bytes]:
    body = encode(HIT, ID, DEALT)
    yield from (b"", b"\x00", b"\x01", b"\xff" + body[1:], body + b"\0")
    yield from (body[:length] for length in range(len(body)))
    for text in ("", "no events", "\0", "\0[", '\0[{"type":1}]\0', "\0[]\0[]"):
        yield encode(text.partition("\0")[0], None, text.partition("\0")[2])


@pytest.mark.parametrize("body", list(damaged()))
def test_a_damaged_body_is_refused_with_one_error(body: bytes) -> None:
    with pytest.raises(DamagedBody):
        decode(body, ID)


def test_any_byte_that_is_wrong_gives_a_text_or_that_error() -> None:
    body = encode(HIT, ID, DEALT)
    for place in range(len(body)):
        for value in range(256):
            try:
                decode(body[:place] + bytes((value,)) + body[place + 1 :], ID)
            except DamagedBody:
                continue


def a_deal() -> tuple[str, list[dict[str, Any]]]:
    command = Bet(ID, 33, 1000)
    to = [(1, "Ts"), (2, "8c"), (3, "3s"), (0, "Ad"), (1, "Ah"), (2, "Kd"), (3, "2h"), (0, None)]
    events: list[dict[str, Any]] = [
        {"type": "card_dealt", "seat": seat, "hand": 1, "card": card}
        if seat
        else {"type": "dealer_card_dealt", "card": card}
        for seat, card in to
    ]
    bet = {"type": "bet_placed", "seat": 3, "stake": 1000}
    return codec.encode(command), [bet, *events]


def test_usual_changes_are_small() -> None:
    """A hit, and the deal to three players with the last bet."""
    command, deal = a_deal()
    assert len(HIT) + len(DEALT) == 118
    assert len(encode(HIT, ID, DEALT)) <= 16
    assert len(command) + len(codec.encode(deal)) > 500
    assert len(encode(command, ID, codec.encode(deal))) <= 100
    assert msgspec.json.decode(command)["id"] == str(ID)
