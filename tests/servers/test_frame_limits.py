"""How much an open socket may send, counted from the heads of its frames."""

from __future__ import annotations

from random import Random

import pytest

from tables.servers import frame_limits
from tables.servers.frame_limits import (
    FRAMES_AT_ONCE,
    MAX_MESSAGE_BYTES,
    ExceededLimit,
    FrameLimiter,
)
from tests.adversarial.raw_socket import BINARY, PARTS, PING, PONG, frame


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_limits, "FRAMES_PER_SECOND", 0)
    monkeypatch.setattr(frame_limits, "READS_PER_SECOND", 0)
    monkeypatch.setattr(frame_limits, "READS_AT_ONCE", 10**6)


def in_pieces(data: bytes, chance: Random) -> list[bytes]:
    """The same, as a line may bring it."""
    cuts = sorted(chance.choices(range(len(data) + 1), k=chance.choice([0, 3, 50, 900])))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def some_frames(chance: Random) -> bytes:
    """Frames of any kind and length, and at the end perhaps one that is too long."""
    kinds = [PARTS, 1, BINARY, PING, PONG, 8]
    frames = [
        frame(
            b"x" * chance.choice([0, 1, 30, 125, 126, 300]),
            chance.choice(kinds),
            fin=chance.random() < 0.5,
            masked=chance.random() < 0.9,
        )
        for _ in range(chance.randrange(FRAMES_AT_ONCE + 20))
    ]
    if chance.random() < 0.3:
        frames.append(frame(b"x", BINARY, length=chance.choice([MAX_MESSAGE_BYTES + 1, 2**63])))
    return b"".join(frames)


@pytest.mark.parametrize("seed", range(60))
def test_it_does_not_matter_in_which_pieces_the_frames_come(seed: int) -> None:
    chance = Random(seed)
    data = some_frames(chance)
    whole = FrameLimiter()
    output = whole.count_data(data)
    sliced = FrameLimiter()
    pieces = [sliced.count_data(piece) for piece in in_pieces(data, chance)]
    assert sliced.excess is whole.excess
    # Of a frame that is too much, the beginning of its head may have been passed on.
    assert b"".join(pieces)[: len(output)] == output
    assert len(b"".join(pieces)) - len(output) < 14
    assert whole.excess is not None or output == data


@pytest.mark.parametrize("kind", [PARTS, 1, BINARY, PING, PONG, 8, 11])
def test_frames_of_every_kind_are_counted(kind: int) -> None:
    flow = FrameLimiter()
    one = frame(b"", kind)
    assert flow.count_data(one * FRAMES_AT_ONCE) == one * FRAMES_AT_ONCE
    assert flow.excess is None
    assert flow.count_data(one) == b""
    assert flow.excess is ExceededLimit.TOO_MANY_FRAMES
    assert flow.count_data(one) == b""  # and nothing after that


def test_the_parts_of_a_message_are_as_long_together_as_one_may_be() -> None:
    flow = FrameLimiter()
    half = frame("x" * (MAX_MESSAGE_BYTES // 2), fin=False)
    more = frame("x" * (MAX_MESSAGE_BYTES // 2), PARTS, fin=False)
    ping = frame(b"x" * 100, PING)
    for _ in range(3):  # each message by itself
        assert flow.count_data(half + ping + more + ping) == half + ping + more + ping
    assert flow.count_data(frame("x", PARTS)) == b""
    assert flow.excess is ExceededLimit.TOO_LONG


def test_bytes_that_come_one_by_one_are_too_many_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_limits, "READS_AT_ONCE", 100)
    flow = FrameLimiter()
    data = frame("x" * 200)
    output = b"".join(flow.count_data(data[at : at + 1]) for at in range(len(data)))
    assert output == data[:100]
    assert flow.excess is ExceededLimit.TOO_MANY_FRAMES
