"""A site under the rules of its systemd units, as far as a process can give them to itself."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import skip_or_fail
from tests.helpers.servers.process import Server, own_environment
from tests.helpers.socket_player import SocketPlayer
from tests.multiprocess.test_two_processes import CASINO, play_a_round
from tests.test_docs import ROOT

RESTRICTED = "tests.helpers.servers.restricted"
WEB, PREPARE, NIGHTLY = (
    str(ROOT / f"deploy/blackjack{name}.service") for name in ("@", "-prepare", "-nightly")
)
REFUSED = """
import mmap, os, socket
for what in (
    lambda: socket.socket(socket.AF_NETLINK),
    lambda: os.chown(".", os.getuid(), os.getgid()),
    lambda: os.nice(1),
    lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC),
):
    try:
        print(what())
    except PermissionError:
        print("refused")
"""


@pytest.fixture(autouse=True)
def _on_linux_with_systemd() -> None:
    if not shutil.which("systemd-analyze"):
        skip_or_fail("no systemd-analyze here: apt-get install systemd")
    if sys.platform != "linux":
        pytest.skip("systemd is Linux's")


def restricted(unit: str, *command: str) -> list[str]:
    return [sys.executable, "-m", RESTRICTED, unit, sys.executable, *command]


class RestrictedServer(Server):
    """A server under the rules of its unit."""

    is_forked = False

    def _launch(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                restricted(WEB, *self.command),
                cwd=self.root, env=self.environment, stdout=log, stderr=log,
            )  # fmt: skip

    def manage_as(self, unit: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            restricted(unit, "manage.py", *arguments),
            cwd=self.root, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip


@pytest.mark.long
async def test_friends_play_on_a_server_under_the_rules_of_its_unit(tmp_path: Path) -> None:
    server = RestrictedServer(tmp_path, program="uvicorn")
    prepared = server.manage_as(PREPARE, "prepare")
    assert prepared.returncode == 0, prepared.stderr
    try:
        server.start()
        assert server.process
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        assert "NoNewPrivs:\t1" in status
        assert "Seccomp:\t2" in status
        ann, ben = SocketPlayer(server.url, "ann"), SocketPlayer(server.url, "ben")
        for player, seat in ((ann, 1), (ben, 2)):
            player.sign_up()
            await player.open(CASINO)
            assert (await player.send(t="sit", seat=seat))["t"] == "done"
        await play_a_round(ann, ben)
        for player in (ann, ben):
            await player.close()
        backup = server.manage_as(NIGHTLY, "backup", str(tmp_path / "backups"))
        assert backup.returncode == 0, backup.stderr
        audit = server.manage_as(NIGHTLY, "audit")
        assert "1 rounds: everything adds up." in audit.stdout, audit.stderr
        assert server.stop(signal.SIGTERM) == 0
    finally:
        server.end()


def test_the_rules_are_in_force() -> None:
    result = subprocess.run(
        restricted(WEB, "-c", REFUSED),
        cwd=ROOT, env=own_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.stdout.split() == ["refused"] * 4, result.stdout + result.stderr
