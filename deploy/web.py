"""One web process, with the same command as in containers and systemd."""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

from deploy.part import Part, find_free_port

WEB: tuple[str, ...] = ("manage.py", "serve", "--server", "uvicorn")


class Web(Part):
    """A web process on a free port of this machine, behind the proxy."""

    def __init__(self, number: int, folder: Path, environment: Mapping[str, str]) -> None:
        super().__init__(f"web {number}", folder)
        self.port = find_free_port()
        self._environment = {**environment, "PORT": str(self.port)}

    def command(self) -> Sequence[str]:
        return (sys.executable, *WEB)

    def environment(self) -> Mapping[str, str]:
        return self._environment

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(
                f"http://localhost:{self.port}/readyz", timeout=5
            ) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False
