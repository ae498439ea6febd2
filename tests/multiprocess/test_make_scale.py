"""``make scale``: everything on one machine, started and ended by one command."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from deploy.__main__ import MOST_RESTARTS, watch_parts
from deploy.nginx import Nginx
from deploy.part import CannotStart, is_listening
from deploy.postgres import Postgres
from deploy.redis import Redis
from deploy.web import Web
from tables.servers.open_files import MANY
from tests.conftest import skip_or_fail
from tests.helpers.file_limits import MOST, as_in_a_shell, open_at_most
from tests.helpers.servers.fork_server import own_environment
from tests.helpers.servers.process import own_port
from tests.helpers.socket_player import SocketPlayer
from tests.multiprocess.test_two_processes import CASINO, play_a_round

ROOT = Path(__file__).resolve().parent.parent.parent


class Scale:
    """The command, and what it says."""

    def __init__(self, folder: Path) -> None:
        self.port = own_port()
        self.url = f"http://localhost:{self.port}"
        environment = {
            key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "deploy", "--processes", "2"],
            cwd=ROOT, env=environment | {"BLACKJACK_DATA": str(folder), "PORT": str(self.port)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.ports: list[int] = []
        self.webs: list[int] = []
        """The ids of the web processes."""

    def listen(self, words: str) -> str:
        """Read what it says until it says this; return that line."""
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if started := re.match(r"web \d serves on port (\d+), as process (\d+)", line):
                self.ports.append(int(started[1]))
                self.webs.append(int(started[2]))
            if words in line:
                return line
        raise AssertionError(f"it ended and never said {words!r}:\n{''.join(lines)}")

    def viewers(self) -> list[float]:
        """How many pages each process keeps up to date."""
        pages = [
            urllib.request.urlopen(f"http://localhost:{port}/metrics").read().decode()
            for port in self.ports
        ]
        return [float(page.split("\nblackjack_viewers ")[1].split("\n")[0]) for page in pages]

    def family(self) -> set[int]:
        """Every process that it has started, and that those have."""
        pids, new = set[int](), {self.process.pid}
        while new:
            pids |= new
            new = {
                int(child)
                for parent in new
                for path in Path(f"/proc/{parent}/task").glob("*/children")
                for child in path.read_text().split()
            } - pids
        return pids - {self.process.pid}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where PostgreSQL may go, too, whose user pytest's own folders keep out."""
    path = Path(tempfile.mkdtemp(prefix="bj-scale-", dir="/tmp"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def scale(folder: Path, prepared: Path) -> Iterator[Scale]:
    for kind in (Postgres, Redis, Nginx):
        try:
            kind.verify_installed()
        except CannotStart as missing:
            skip_or_fail(str(missing))
    shutil.copytree(prepared / "static", folder / "static")  # compressed already
    with as_in_a_shell():
        started = Scale(folder)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.process.terminate()
            started.process.wait(30)
        assert started.process.stdout is not None
        started.process.stdout.close()


async def test_friends_on_two_processes_play_through_the_proxy_until_sigterm_ends_it_all(
    scale: Scale,
) -> None:
    scale.listen("/admin/ is made by: BLACKJACK_DATA=")  # and what else names its database
    scale.listen("What its parts say is in")
    ann, ben = SocketPlayer(scale.url, "ann"), SocketPlayer(scale.url, "ben")
    for player, seat in ((ann, 1), (ben, 2)):
        player.sign_up()
        await player.open(CASINO)
        assert (await player.send(t="sit", seat=seat))["t"] == "done"
    assert sorted(scale.viewers()) == [0, 2]  # all players of a table are at one process
    await play_a_round(ann, ben)
    assert ann.table == ben.table
    for player in (ann, ben):
        await player.close()
    # Whom the proxy asks for is not what the sender says.
    spoofed = urllib.request.Request(f"{scale.url}/metrics", headers={"X-Forwarded-For": "1.2.3.4"})
    assert urllib.request.urlopen(spoofed).status == 200
    with pytest.raises(HTTPError, match="413") as refusal:
        urllib.request.urlopen(f"{scale.url}/accounts/login/", b"x" * 65537)
    assert b"nginx" in refusal.value.read()
    # The log-in is told the whole address, with each sign as three.
    assert urllib.request.urlopen(f"{scale.url}/home/?x={'%41' * 1500}").status == 200
    os.kill(scale.webs[0], signal.SIGKILL)
    scale.listen("web 1 ended by SIGKILL")
    assert [urllib.request.urlopen(scale.url).status for _ in range(4)] == [200] * 4
    family = scale.family()
    assert len(family) > 4
    limits = set()
    for pid in family:
        with suppress(FileNotFoundError, ProcessLookupError):  # a session that has ended
            limits.add(open_at_most(pid))
    assert MOST in limits
    assert limits <= {MOST, MANY}  # the proxy asks by itself
    scale.process.terminate()
    assert scale.process.wait(60) == 0
    assert [pid for pid in family if Path(f"/proc/{pid}").exists()] == []
    assert not is_listening(scale.port)


async def open_page(scale: Scale, table: int) -> ClientConnection:
    url = scale.url.replace("http", "ws")
    return await connect(f"{url}/ws/tables/{table}/?language=en", origin=Origin(scale.url))


@pytest.mark.long
async def test_pages_come_back_at_once_after_the_processes_were_restarted_one_by_one(
    scale: Scale,
) -> None:
    """While one is away, and when it is back, sockets go to the one that answers."""
    scale.listen("What its parts say is in")
    open_pages = [await open_page(scale, table) for table in (1, 2, 3) for _ in range(4)]
    for port, pid in zip(scale.ports, tuple(scale.webs), strict=True):
        os.kill(pid, signal.SIGTERM)
        await asyncio.to_thread(scale.listen, "is started again")
        until = time.monotonic() + 30
        while not is_listening(port):
            with suppress(InvalidStatus):  # some ask while it is away
                open_pages.append(await open_page(scale, len(open_pages) % 3 + 1))
            assert time.monotonic() < until
            await asyncio.sleep(0.05)
    came = await asyncio.gather(*(open_page(scale, number % 3 + 1) for number in range(30)))
    for page in (*open_pages, *came):
        await page.close()


@pytest.mark.long(seconds=10)
def test_a_killed_proxy_leaves_nothing_that_keeps_its_port(scale: Scale) -> None:
    scale.listen("What its parts say is in")
    (master,) = [
        pid
        for pid in scale.family()
        if b"nginx: master" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    os.kill(master, signal.SIGKILL)
    assert scale.process.wait(60) == 1
    assert not is_listening(scale.port)


def by_hand(command: str, *words: str) -> str:
    """What a command says that somebody has copied from the screen."""
    result = subprocess.run(
        " ".join([command, *words]), shell=True, cwd=ROOT, capture_output=True, text=True,
        env=own_environment() | {"DJANGO_SUPERUSER_PASSWORD": "blackjack-21!"}, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


@pytest.mark.long(seconds=25)
def test_commands_that_it_prints_use_its_database_and_a_backup_is_restored_after_it(
    scale: Scale, folder: Path, tmp_path: Path
) -> None:
    create = scale.listen("is made by: ").partition("is made by: ")[2].strip()
    restore = scale.listen("after Ctrl-C also: ").partition("after Ctrl-C also: ")[2].strip()
    scale.listen("What its parts say is in")
    assert create == f"BLACKJACK_DATA={folder} deploy/manage createsuperuser"
    assert restore.endswith("deploy/manage restore FILE")
    assert f"is made by: {create}\n" in (folder / "web-1.log").read_text()
    output = by_hand(create, "--noinput", "--username=chief", "--email=chief@example.com")
    assert "PostgreSQL runs for this command alone" not in output
    manage = create.removesuffix(" createsuperuser")
    names = "shell -c 'from accounts.models import User; print([*User.objects.values_list(\"username\")])'"
    assert "('chief',)" in by_hand(manage, names)
    by_hand(manage, "backup", str(tmp_path))
    (backup,) = tmp_path.glob("blackjack-*.tar.gz")
    by_hand(create, "--noinput", "--username=later", "--email=later@example.com")
    scale.process.terminate()
    assert scale.process.wait(60) == 0
    restored = by_hand(restore.replace("FILE", str(backup)), "--yes")
    assert "PostgreSQL runs for this command alone" in restored
    assert "everything adds up" in restored
    there = by_hand(manage, names)
    assert "('chief',)" in there
    assert "('later',)" not in there
    assert not (folder / "postgresql/postmaster.pid").exists()


@pytest.mark.long(seconds=15)
def test_a_folder_has_one_site_and_its_parts_end_with_a_command_that_is_killed(
    scale: Scale, folder: Path
) -> None:
    scale.listen("The site is open at")
    second = run(folder, PORT=str(own_port()), PATH=os.environ["PATH"])
    assert second.returncode == 1
    assert second.stderr == (
        f"make scale runs already with {folder}, as process {scale.process.pid}. Stop it first, or name "
        "another folder by BLACKJACK_DATA.\n"
    )
    link = subprocess.run(
        ["deploy/manage", "first_link"], cwd=ROOT,
        env=os.environ | {"BLACKJACK_DATA": str(folder)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert link.stdout.startswith(f"{scale.url}/first/")
    family = scale.family()
    assert len(family) > 5
    scale.process.kill()
    scale.process.wait()
    until = time.monotonic() + 20
    while alive := [pid for pid in family if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < until, alive
        time.sleep(0.1)


def test_by_hand_no_house_and_no_second_server_are_sentences(folder: Path) -> None:
    for words, sentence in (
        ("audit", f"There is no site of make scale in {folder}."),
        ("serve", "The servers of this site are started by: make scale"),
    ):
        result = subprocess.run(
            ["deploy/manage", words], cwd=ROOT, env=os.environ | {"BLACKJACK_DATA": str(folder)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 1
        assert sentence in result.stderr
        assert "Traceback" not in result.stderr
    assert list(folder.iterdir()) == []


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "deploy"],
        cwd=ROOT, env={"BLACKJACK_DATA": str(folder), **environment},
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip


def test_a_taken_port_and_a_missing_package_are_clear_sentences(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = run(tmp_path, PORT=str(port))
    assert result.returncode == 1
    assert f"Cannot listen on 127.0.0.1 port {port}" in result.stderr
    assert result.stderr.endswith(f"Another port is used by: make scale PORT={port + 1}\n")
    result = run(tmp_path, PORT=str(own_port()), PATH=str(tmp_path))
    assert result.returncode == 1
    assert re.fullmatch(
        r"\S+ is not installed. As root on Debian: apt-get install \S+\n", result.stderr
    )
    assert list(tmp_path.iterdir()) == []


def test_what_ends_unasked_is_named_with_its_last_words(tmp_path: Path) -> None:
    redis = Redis(tmp_path)
    try:
        redis.start()
    except CannotStart as missing:
        skip_or_fail(str(missing))
    redis.wait_until_ready()
    assert redis.process is not None
    redis.process.send_signal(signal.SIGKILL)
    with pytest.raises(CannotStart, match=r"redis ended by SIGKILL. What it said last[^ ]* .*\n"):
        watch_parts([redis])
    second = Redis(tmp_path)
    second.find_program = lambda name: sys.executable
    second.start()
    with pytest.raises(CannotStart, match=r"redis ended with 2(.|\n)*unknown option --port"):
        second.wait_until_ready()


class ShortWeb(Web):
    """A web process that ends at once, and says so."""

    def command(self) -> list[str]:
        return ["/bin/sh", "-c", f"echo {self.name} ends; exit 3"]


class SteadyWeb(Web):
    """A web process that ends when the log of the first says that it has ended for the last time."""

    def command(self) -> list[str]:
        log = self.folder / "web-1.log"
        count = f"[ $(grep -c ends {log}) = {1 + MOST_RESTARTS} ]"
        return ["/bin/sh", "-c", f"until {count}; do sleep 0.05; done; sleep 0.5; exit 4"]


def test_a_web_process_that_ends_is_started_again_but_not_without_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short, steady = ShortWeb(1, tmp_path, {}), SteadyWeb(2, tmp_path, {})
    for web in (short, steady):
        web.log.write_text("of the run before\n")
        web.start()
    with pytest.raises(CannotStart, match=r"web 2 ended with 4(.|\n)*So all of it ends") as end:
        watch_parts([short, steady])
    output = capsys.readouterr().out
    assert output.count("web 1 ended with 3.") == 1 + MOST_RESTARTS
    assert len(re.findall(r"web 1 is started again, as process \d+\n", output)) == MOST_RESTARTS
    assert "It has ended too often to be started again. The others go on." in output
    assert short.log.read_text() == "of the run before\n" + "web 1 ends\n" * (1 + MOST_RESTARTS)
    assert "of the run before" not in output + str(end.value)


def test_nginx_takes_a_folder_with_any_character(tmp_path: Path) -> None:
    folder = tmp_path / 'card room #1; "x" \\y'
    folder.mkdir()
    nginx = Nginx(folder, host="127.0.0.1", port=own_port(), ports=[own_port()])
    program, *arguments = nginx.command()
    result = subprocess.run(
        [program, "-t", *arguments], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert (folder / "nginx-body").is_dir()
