"""What comes in over a socket and should not: refused, closed, and nobody else notices."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.adversarial.abused_server import VEGAS, IllTreated
from tests.adversarial.raw_socket import (
    BINARY,
    NO_CLOSE_FRAME,
    PARTS,
    PING,
    Refused,
    close_frame,
    frame,
)  # fmt: skip
from tests.helpers.servers.process import serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

ID = "6f1f4f0e-8f0a-4b9e-9c57-0b6f2b3d9a11"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(
    tmp_path_factory: pytest.TempPathFactory, prepared: Path
) -> AsyncIterator[IllTreated]:
    """One for all of these tests."""
    with serving(tmp_path_factory.mktemp("frames"), prepared) as running:
        opened = IllTreated(running)
        await opened.settle_in()
        yield opened
        await opened.close()


@pytest_asyncio.fixture(autouse=True, loop_scope="module")
async def nobody_notices(server: IllTreated) -> AsyncIterator[None]:
    """Whatever a test does: no traceback, no restart, and the next table plays on."""
    yield
    await server.verify_is_well()


def bet(stake: str) -> bytes:
    """A bet whose stake is any text."""
    return frame(f'{{"t":"bet","id":"{ID}","turn":1,"stake":{stake}}}')


async def test_case_01_frames_that_are_binary_or_empty_are_bad_frames(server: IllTreated) -> None:
    frames = [frame(b"\0\xff", BINARY), frame(b"", BINARY), frame("")]
    assert await server.refusals(*frames) == ["bad_frame"] * 3


async def test_case_01_five_of_them_close_the_socket(server: IllTreated) -> None:
    raw = await server.line()
    await raw.send(*[frame(b"\0\xff", BINARY)] * 5)
    assert await raw.closed() == 4400
    assert [m["code"] for m in raw.messages if m["t"] == "err"] == ["bad_frame"] * 5


async def test_case_01_pings_are_answered_until_they_are_a_flood(server: IllTreated) -> None:
    raw = await server.line()
    await raw.send(*[frame(b"x" * 125, PING)] * 100, frame("nonsense"))
    await raw.message_of("err")
    assert raw.pongs == 100

    async def flood() -> None:
        raw = await server.line()
        await raw.send(*[frame(b"x" * 125, PING)] * 20_000)
        assert await raw.closed() in {4429, NO_CLOSE_FRAME}
        assert raw.pongs < 400

    assert await server.forgets(flood)


async def test_case_02_what_is_no_json_object_is_bad_json(server: IllTreated) -> None:
    texts = ["nonsense", "{", "{}x", "[]", "1", "null", '"x"', "true"]
    assert await server.refusals(*map(frame, texts)) == ["bad_json"] * 8


async def test_case_03_a_message_has_4096_bytes_at_most(server: IllTreated) -> None:
    frames = [frame("x" * 4096), frame("x" * 4097), frame("ä" * 2049), frame("x" * 8192)]
    assert await server.refusals(*frames) == ["bad_json", *["too_large"] * 3]


@pytest.mark.parametrize(
    "frames",
    [
        [frame("x" * 2**20)],
        [frame("x", length=2**62)],
        [frame("x" * 5000, fin=False), frame("x" * 5000, PARTS)],
        [frame("x", fin=False), *[frame("x", PARTS, fin=False)] * 2**20],
        [frame("", fin=False), *[frame("", PARTS, fin=False)] * 2**18],
    ],
    ids=["a megabyte", "a false length", "two parts", "parts of a byte", "parts of nothing"],
)
async def test_case_03_a_megabyte_ends_the_connection_and_is_kept_nowhere(
    server: IllTreated, frames: list[bytes]
) -> None:
    async def flood() -> None:
        raw = await server.line()
        await raw.send(*frames)
        assert await raw.closed() in {4429, NO_CLOSE_FRAME}

    assert await server.forgets(flood)


async def test_case_04_what_is_nested_too_deep_is_bad_json(server: IllTreated) -> None:
    frames = [
        frame("[" * 7 + "]" * 7),
        frame('{"t":' * 7 + "1" + "}" * 7),
        frame('{"t":"leave","id":' + "[" * 900 + "]" * 900 + "}"),
        frame("[" * 4000),
    ]
    assert await server.refusals(*frames) == ["bad_json"] * 4
    raw = await server.line()
    await raw.send(frame("[" * 100_000))
    assert await raw.closed() == NO_CLOSE_FRAME


async def test_case_05_numbers_that_are_not_whole_are_bad_json(server: IllTreated) -> None:
    stakes = ["NaN", "Infinity", "-Infinity", "1e999", "-0.0", "1.0", "1e3"]
    assert await server.refusals(*map(bet, stakes)) == ["bad_json"] * 7


async def test_case_06_what_is_no_bet_leaves_the_bankroll_alone(server: IllTreated) -> None:
    raw = await server.line("ann", VEGAS)
    await raw.send(frame(json.dumps({"t": "sit", "id": str(uuid.uuid4()), "seat": 1})))
    assert (await raw.message_of("done"))["seq"] == 1
    stakes = [
        "true", '"500"', "null", "[500]", "-500", "1" + "0" * 30, "9" * 3900,
        "0", "400", "550", "100100",
    ]  # fmt: skip
    for number, stake in enumerate(stakes, 1):
        if number % 4 == 0:
            raw = await server.line("ann", VEGAS)
        await raw.send(bet(stake))
        assert (await raw.message_of("err"))["code"] == "bad_bet", stake
    await raw.send(bet("9" * 5000))
    assert (await raw.message_of("err"))["code"] == "too_large"
    last = await server.line("ann", VEGAS)
    assert last.messages[-1]["you"]["balance"] == 50_000
    assert last.messages[-1]["seq"] == 1
    assert "stake" not in last.messages[-1]["table"]["seats"][0]


async def test_case_07_the_same_key_twice_is_no_json(server: IllTreated) -> None:
    frames = [bet('500,"stake":50000'), frame('{"t":"resync","t":"leave"}')]
    assert await server.refusals(*frames) == ["bad_json"] * 2


async def test_case_09_what_is_no_command_is_a_bad_command(server: IllTreated) -> None:
    texts = [
        "{}", '{"t":"fold"}', '{"t":"__proto__"}', '{"t":"__init__"}', '{"t":["hit"]}',
        '{"t":"websocket.disconnect","type":"websocket.disconnect"}',
        '{"t":"leave"}',
        '{"t":"leave","id":7}',
        '{"t":"leave","id":"not-a-uuid"}',
        f'{{"t":"leave","id":"{ID}","seat":1}}',
        f'{{"t":"leave","id":"{ID}","__proto__":{{}}}}',
        f'{{"t":"hit","id":"{ID}","turn":1,"type":"websocket.disconnect"}}',
    ]  # fmt: skip
    assert await server.refusals(*map(frame, texts)) == ["bad_cmd"] * 12


async def test_case_11_a_thousand_frames_at_once_close_the_socket(server: IllTreated) -> None:
    raw = await server.line()
    await raw.send(*[frame('{"t":"resync"}')] * 1000)
    assert await raw.closed() == 4429
    assert len(raw.messages) < 25


async def test_case_11_a_flood_is_kept_nowhere(server: IllTreated) -> None:
    raw = await server.line()
    before = server.memory()
    await raw.send(*[frame("x" * 1000)] * 50_000)
    await raw.closed()
    assert server.memory() - before < 5


async def test_case_11_a_player_has_one_allowance_for_all_sockets(server: IllTreated) -> None:
    lines = [await server.line("ben") for _ in range(4)]
    for raw in lines:
        await raw.send(*[frame('{"t":"resync"}')] * 20)  # one line alone may just send that
    ends = [asyncio.create_task(raw.closed()) for raw in lines]
    closed, others = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    assert {task.result() for task in closed} == {4429}
    for raw in lines:
        raw.drop()
    await asyncio.wait(others)


async def test_case_11_the_page_that_was_opened_first_goes_for_a_sixth(server: IllTreated) -> None:
    lines = [await server.line("cleo", 1 + number % 2) for number in range(5)]
    for number in range(25):
        lines.append(await server.line("cleo"))
        assert await lines[number].closed() == 4409
    for raw in lines[25:]:
        await raw.send(frame("nonsense"))
        assert (await raw.message_of("err"))["code"] == "bad_json"
        raw.drop()


async def test_case_11_one_address_has_a_hundred_sockets(server: IllTreated) -> None:
    there = [await server.line(address="127.0.0.9") for _ in range(100)]
    assert await _is_refused(server, "127.0.0.9")
    assert not await _is_refused(server, "127.0.0.10")
    there.pop().drop()
    async with asyncio.timeout(10):
        while await _is_refused(server, "127.0.0.9"):
            pass
    for raw in there:
        raw.drop()


async def _is_refused(server: IllTreated, address: str) -> bool:
    raw = await server.line(address=address, greeted=False)
    try:
        await raw.message_of("snapshot")
    except ConnectionError:
        assert raw.close_code == 4429
        return True
    finally:
        raw.drop()
    return False


@pytest.mark.parametrize(
    "broken",
    [
        frame("{}", rsv=4), frame("{}", rsv=1), frame(b"\xff\xfe"), frame("ä".encode()[:1]),
        frame("{}", masked=False), frame("{}", opcode=3), frame("{}", opcode=11),
        frame("x", PARTS), frame("x" * 126, PING), frame("x", PING, fin=False),
        frame("x", fin=False) + frame("y"), frame(b"\0", 8), frame(b"\x03\xe8\xff", 8),
    ],
    ids=[
        "a flag", "another flag", "not UTF-8", "half a letter",
        "no mask", "no such kind", "no such control", "a part of nothing", "a long ping",
        "a ping in parts", "a part without end", "half a close code", "a close not in UTF-8",
    ],
)  # fmt: skip
async def test_case_12_what_breaks_the_protocol_ends_the_connection(
    server: IllTreated, broken: bytes
) -> None:
    raw = await server.line()
    await raw.send(broken, frame("nonsense"))
    assert await raw.closed() in {NO_CLOSE_FRAME, 1000, 1002, 1005, 1007}
    assert [m for m in raw.messages if m["t"] == "err"] == []


async def test_case_12_compression_is_not_spoken(server: IllTreated) -> None:
    raw = await server.line(asks="Sec-WebSocket-Extensions: permessage-deflate\r\n")
    assert "extensions" not in raw.headers.lower()
    await raw.send(frame(b"\xaa\x56\x2a\x51\xb2\x52\x50", rsv=4))
    assert await raw.closed() == NO_CLOSE_FRAME


async def test_case_12_a_command_after_the_close_is_not_done(server: IllTreated) -> None:
    raw = await server.line("dora")
    sit = frame(json.dumps({"t": "sit", "id": ID, "seat": 3}))
    await raw.send(close_frame(), sit)
    await raw.closed()
    again = await server.line("dora")
    assert "player" not in again.messages[-1]["table"]["seats"][2]
    again.drop()


async def test_case_12_who_does_not_wait_to_be_let_in_is_not_listened_to(
    server: IllTreated,
) -> None:
    """What comes before the answer would be kept, and be taken for another request."""
    answers = set()
    for _ in range(20):
        try:
            raw = await server.line(
                cookies="sessionid=" + "a" * 32, ahead=b"GET / HTTP/1.1\r\n\r\n", greeted=False
            )
        except Refused as refused:
            answers.add(str(refused))
        else:
            raw.drop()
    assert answers <= {"the line was cut"}
