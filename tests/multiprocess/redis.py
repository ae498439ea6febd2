"""A real redis-server of the test's own, on a free port."""

from __future__ import annotations

from pathlib import Path

from deploy.part import CannotStart
from deploy.redis import Redis
from tests.helpers.servers.process import own_port


class RedisServer(Redis):
    """Can be killed and started again, empty, on the same port."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.port = own_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        try:
            super().start()
        except CannotStart as error:
            from tests.conftest import skip_or_fail  # which needs Django; the server does not

            skip_or_fail(str(error))
        self.wait_until_ready()
