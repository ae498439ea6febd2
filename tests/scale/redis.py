"""A real redis-server of the test's own, on a free port."""

from __future__ import annotations

from deploy.part import CannotStart
from deploy.redis import Redis


class RedisServer(Redis):
    """Can be killed and started again, empty, on the same port."""

    def start(self) -> None:
        try:
            super().start()
        except CannotStart as error:
            from tests.conftest import skip_or_fail  # which needs Django; the server does not

            skip_or_fail(str(error))
        self.wait_until_ready()
