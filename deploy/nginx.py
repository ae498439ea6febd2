"""nginx as the proxy of docs/operations.md, in front of the web processes."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from pathlib import Path

from deploy.part import Part, is_listening

TEMPLATE = Path(__file__).with_name("nginx.conf")


class Nginx(Part):
    """nginx on the public port."""

    programs = ("nginx",)
    package = "nginx-light"
    stop_signal = signal.SIGQUIT  # finishes open requests

    def __init__(self, folder: Path, *, host: str, port: int, ports: Sequence[int]) -> None:
        super().__init__("nginx", folder)
        self.host, self.port = host, port
        self.config = folder / "nginx.conf"
        listen = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._text = (
            TEMPLATE.read_text()
            .replace("@LISTEN@", listen)
            .replace("@FOLDER@", re.sub(r'([\\"])', r"\\\1", str(folder)))  # in quotes
            .replace("@SERVERS@", " ".join(map(_format_server, ports)))
        )

    def command(self) -> Sequence[str]:
        self.config.write_text(self._text)
        return (
            self.find_program("nginx"), "-p", str(self.folder), "-c", str(self.config),
            "-e", "stderr", "-g", "daemon off;",
        )  # fmt: skip

    def is_ready(self) -> bool:
        return is_listening(self.port, self.host)


def _format_server(port: int) -> str:
    return f"server 127.0.0.1:{port} max_fails=0;"
