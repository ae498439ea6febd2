"""redis-server of ``make scale``, without persistent data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deploy.part import Part, find_free_port, is_listening


class Redis(Part):
    """Redis on a free port of this machine. A restart on the same port is empty."""

    programs = ("redis-server",)
    package = "redis-server"

    def __init__(self, folder: Path) -> None:
        super().__init__("redis", folder)
        self.port = find_free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> Sequence[str]:
        return (
            self.find_program("redis-server"), "--port", str(self.port), "--bind", "127.0.0.1",
            "--save", "", "--dir", str(self.folder),
        )  # fmt: skip

    def is_ready(self) -> bool:
        return is_listening(self.port)
