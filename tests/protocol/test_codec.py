"""Frames that come in: what is read, and what is refused under which code."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tables.protocol import codec
from tables.protocol.codec import FrameError, decode_command, find_command_id
from tables.protocol.commands import (
    Bet,
    Double,
    Hit,
    Incoming,
    Leave,
    Resync,
    Sight,
    Sit,
    Split,
    Stand,
)

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

ID = "6f1f4f0e-8f0a-4b9e-9c57-0b6f2b3d9a11"


def frame(**fields: object) -> str:
    return codec.encode({"id": ID, **fields})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (frame(t="sit", seat=2), Sit(uuid.UUID(ID), 2)),
        (frame(t="leave"), Leave(uuid.UUID(ID))),
        (frame(t="bet", turn=7, stake=1500), Bet(uuid.UUID(ID), 7, 1500)),
        (frame(t="hit", turn=7), Hit(uuid.UUID(ID), 7)),
        (frame(t="stand", turn=7), Stand(uuid.UUID(ID), 7)),
        (frame(t="double", turn=7), Double(uuid.UUID(ID), 7)),
        (frame(t="split", turn=7), Split(uuid.UUID(ID), 7)),
        ('{"t":"resync"}', Resync()),
        ('{"t":"sight","on":false}', Sight(False)),
    ],
)
def test_every_command_is_read(text: str, expected: Incoming) -> None:
    assert decode_command(text) == expected


@pytest.mark.parametrize("text", [None, ""])
def test_a_frame_without_text_is_a_bad_frame(text: str | None) -> None:
    assert refusal(text) == "bad_frame"


@pytest.mark.parametrize("text", [" " * 4097, "ä" * 2049, "[" * 100_000, "x" * 1_000_000])
def test_a_frame_over_4096_bytes_is_too_large(text: str) -> None:
    assert refusal(text) == "too_large"


@pytest.mark.parametrize(
    "text",
    [
        "nonsense", "{", "[]", "1", "null", '"x"', "true", "NaN", "{}x",
        "[" * 7 + "]" * 7,
        "{" * 900,
        '{"t":"leave","id":' + "[" * 900 + "]" * 900 + "}",
        frame(t="bet", turn=1).replace("}", ',"stake":NaN}'),
        frame(t="bet", turn=1).replace("}", ',"stake":Infinity}'),
        frame(t="bet", turn=1).replace("}", ',"stake":1e999}'),
        frame(t="bet", turn=1).replace("}", ',"stake":-0.0}'),
        frame(t="bet", turn=1).replace("}", ',"stake":1000.0}'),
        frame(t="bet", turn=1).replace("}", ',"stake":1000,"stake":50000}'),
    ],
)  # fmt: skip
def test_what_is_no_strict_json_object_is_bad_json(text: str) -> None:
    assert refusal(text) == "bad_json"


@pytest.mark.parametrize(
    "stake", ["true", '"25"', "null", "[25]", "{}", "-5", "1" + "0" * 30, "9" * 2000]
)
def test_a_stake_that_is_no_amount_is_a_bad_bet(stake: str) -> None:
    assert refusal(frame(t="bet", turn=1).replace("}", f',"stake":{stake}}}')) == "bad_bet"


@pytest.mark.parametrize(
    "text",
    [
        "{}", '{"t":"hit"}', '{"t":1}', '{"t":["hit"]}', '{"t":"resync","id":1}',
        '{"t":"websocket.disconnect","type":"websocket.disconnect"}',
        '{"t":"__proto__"}',
        '{"t":"hit","turn":1}',
        '{"t":"hit","turn":1,"id":7}',
        '{"t":"hit","turn":1,"id":"not-a-uuid"}',
        frame(t="hit"),
        frame(t="hit", turn=0),
        frame(t="hit", turn="1"),
        frame(t="hit", turn=1, hand=2),
        frame(t="hit", turn=1, __proto__={}),
        frame(t="bet", turn=1),
        frame(t="sit", seat=0),
        frame(t="sit", seat=4),
        frame(t="HIT", turn=1),
    ],
)  # fmt: skip
def test_what_is_no_command_is_a_bad_command(text: str) -> None:
    assert refusal(text) == "bad_cmd"


@pytest.mark.parametrize(
    "text",
    [
        '{"t":"\\u0000"}', '{"t":"\\ud800"}', '{"\\udfff":1}',
        frame(t="say").replace("}", ',"text":"half \\ud83d"}'),
        frame(t="say").replace("}", ',"text":"no\\u0000thing"}'),
        frame(t="silence", on=True).replace("}", ',"player":"\\u0000"}'),
    ],
)  # fmt: skip
def test_what_no_database_could_keep_is_bad_text(text: str) -> None:
    assert refusal(text) == "bad_text"


def test_a_whole_surrogate_pair_is_a_letter_like_any_other() -> None:
    assert refusal(frame(t="say").replace("}", ',"text":"\\ud83d\\ude00"}')) is None


@unhurried
@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda b: b.decode("latin-1")))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert refusal(text) in {
        None, "bad_frame", "bad_json", "bad_text", "bad_bet", "bad_cmd", "too_large",
    }  # fmt: skip


@unhurried
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_any_json_under_a_command_is_read_or_refused(value: object) -> None:
    import json

    text = json.dumps({"t": "bet", "id": ID, "turn": 1, "stake": value})
    assert refusal(text) in {None, "bad_json", "bad_text", "bad_bet", "too_large"}


def test_the_id_of_an_unreadable_command_is_found_where_there_is_one() -> None:
    assert find_command_id(frame(t="nonsense")) == uuid.UUID(ID)
    assert find_command_id("nonsense") is None
    assert find_command_id('{"id":7}') is None
    assert find_command_id(None) is None


def refusal(text: str | None) -> str | None:
    try:
        decode_command(text)
    except FrameError as unreadable:
        return unreadable.code
    return None
