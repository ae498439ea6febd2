"""Two servers on one PostgreSQL, with a Redis between them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.helpers.servers.process import Server
from tests.multiprocess.redis import RedisServer

CASINO, VEGAS = 1, 2


@dataclass
class TwoServers:
    """Two servers on the same database, and what connects them."""

    first: Server
    second: Server
    redis: RedisServer


ON_DAPHNE = pytest.mark.parametrize("scaled", ["daphne"], indirect=True)
ON_UVICORN = pytest.mark.parametrize("scaled", ["uvicorn"], indirect=True)
"""What is the same on both is looked at on one."""
