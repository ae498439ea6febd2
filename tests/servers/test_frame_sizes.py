"""What a table of three sends stays small, on real sockets."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.bench.wire_bytes import (
    MOST_OF_A_HIT,
    MOST_OF_A_ROUND,
    THREE_SEATS,
    three_players,
    weigh,
)
from tests.helpers.servers.process import serving


@pytest.mark.long
def test_a_hit_and_a_round_of_three_are_small_by_all_rules(tmp_path: Path, prepared: Path) -> None:
    with serving(tmp_path, prepared) as server:
        players = three_players(server)
        assert len(THREE_SEATS) == 4
        for key in THREE_SEATS:
            weights = asyncio.run(weigh(server, players, key))
            assert weights.hits >= 9, key
            assert weights.hit < MOST_OF_A_HIT, key
            assert weights.whole < MOST_OF_A_ROUND, key
