"""A hundred thousand frames at random: the server takes no harm, and its players notice nothing."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.adversarial import fuzz
from tests.adversarial.abused_server import IllTreated
from tests.adversarial.raw_socket import NO_CLOSE_FRAME, RawSocket, frame
from tests.helpers.servers.process import serving


@pytest_asyncio.fixture
async def house(tmp_path: Path, prepared: Path) -> AsyncIterator[IllTreated]:
    """A server of its own."""
    with serving(tmp_path, prepared) as server:
        opened = IllTreated(server)
        yield opened
        await opened.close()


@pytest.mark.long(seconds=30)
async def test_a_hundred_thousand_frames_at_random_disturb_nobody(house: IllTreated) -> None:
    """Meanwhile, as it takes as long: a page that sends but answers no pings is cut off."""
    seed = uuid.uuid4().hex[:8]
    sys.stdout.write(f"make fuzz SEED={seed}\n")
    deaf = await house.line()
    deaf.answers_pings = False
    sending = asyncio.create_task(_keep_sending(deaf))
    lines = await fuzz.run(house, seed=seed, frames=fuzz.FRAMES)
    sys.stdout.write("\n".join(lines) + "\n")
    await asyncio.wait_for(sending, 40)
    assert await deaf.closed() == NO_CLOSE_FRAME


async def _keep_sending(raw: RawSocket) -> None:
    while not raw.ended.is_set():
        await raw.send(frame('{"t":"resync"}'))
        await asyncio.sleep(1)
