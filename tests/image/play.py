"""Start the image on SQLite, and then all of docker-compose.yml; play, back up, restore, stop.

``__main__.py`` starts this in a network and with process ids of its own: nothing outlives it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from tests.helpers.servers.process import ROOT
from tests.helpers.socket_player import PASSWORD, SocketPlayer
from tests.image.containers import (
    OUTSIDE,
    PREFIX,
    Container,
    Image,
    StepFailure,
    fill_in,
    open_network,
    wait_for,
)
from tests.multiprocess.test_two_processes import CASINO, play_a_round

SITE: Final = "cards.localhost"
"""Caddy makes its own certificate for such a name."""
TOKEN: Final = "a-token-for-the-metrics"
VARIABLES: Final = {
    "SITE_URL": f"https://{SITE}",
    "SECRET_KEY": "only-for-this-test-" * 4,
    "POSTGRES_PASSWORD": "onlyForThisTest1",
}
ENTRY_POINTS: Final[Mapping[str, list[str]]] = {
    "postgres": ["start-postgres"], "redis": [], "caddy": [],
}  # fmt: skip
"""Of the stand-ins for the images of others, by service."""
BACKUPS: Final = "/data/backups"
ALONE: Final = f"{PREFIX}.100"

_began = time.monotonic()


def main() -> int:
    """Run all steps. Returns 1 after the first that fails."""
    folder = Path(sys.argv[1])
    open_network()
    try:
        play_on_sqlite(folder / "sqlite")
        play_as_compose_does(folder / "compose")
    except (StepFailure, AssertionError, OSError, subprocess.CalledProcessError) as error:
        say(f"FAILED: {type(error).__name__}: {error}")
        for log in sorted(folder.glob("*/*.log")):
            print(f"--- {log}", *log.read_text(errors="replace").splitlines()[-12:], sep="\n")
        return 1
    say("everything works")
    return 0


def play_on_sqlite(folder: Path) -> None:
    """The image alone, as ``docker run`` starts it."""
    say("SQLITE: the image alone")
    write_hosts(folder, [(ALONE, "alone")])
    image = Image.load(folder.parent / "blackjack.json")
    environment = {"SITE_URL": f"http://{ALONE}:8000", "SECRET_KEY": VARIABLES["SECRET_KEY"]}
    locked = compose_file()["x-locked"] | {"tmpfs": ["/tmp"], "stop_grace_period": "15s"}
    service = locked | {"environment": environment, "volumes": ["house:/data"]}

    def container(command: str | None = None) -> Container:
        more = {} if command is None else {"command": command}
        return Container("alone", image, service | more, folder, ALONE)

    run_once(container("python manage.py prepare"))
    web = container()
    web.start()
    wait_for("the site", 60, web.is_healthy)
    say(f"  ready, as user {web.run('id', '-un').stdout.strip()}, with {describe_versions(web)}")
    balances = asyncio.run(play_new_players(environment["SITE_URL"]))
    say(f"  ann and ben have played a round by socket: {balances}")
    back_up(web)
    stop_politely(web)
    house = folder / "volumes/house"
    house.rename(folder / "volumes/lost")
    backup = find_backup(folder / "volumes/lost/backups")
    shutil.copytree(folder / "volumes/lost/backups", house / "backups")
    take_over_owner(house, folder / "volumes/lost")
    run_once(container(f"python manage.py restore {BACKUPS}/{backup.name}"))
    run_once(container("python manage.py prepare"))
    say("  restored into an empty volume")
    web = container()
    web.start()
    wait_for("the site", 60, web.is_healthy)
    compare(balances, asyncio.run(read_balances(environment["SITE_URL"])))
    audit(web)
    stop_politely(web)


def play_as_compose_does(folder: Path) -> None:
    """Every service of docker-compose.yml."""
    say("COMPOSE: PostgreSQL, Redis, two web processes, Caddy and the backup of each night")
    compose = Compose(folder)
    compose.start_all()
    versions = describe_versions(compose["web-1"])
    postgres = compose["postgres"].run("postgres", "--version").stdout.split()[2]
    redis = compose["redis"].run("redis-server", "--version").stdout.split()[2].removeprefix("v=")
    say(f"  all healthy, with {versions}, PostgreSQL {postgres}, Redis {redis}")
    nightly_backup = find_backup(folder / "volumes/house/backups")
    say(f"  the service of each night has made {nightly_backup.name} and audited")
    trust_caddy(folder)
    url = VARIABLES["SITE_URL"]
    balances = asyncio.run(play_new_players(url, compose.list_viewers))
    say(f"  ann and ben have played a round over https, one at each process: {balances}")
    check_https(url)
    nightly_backup.unlink()
    back_up(compose["web-1"])
    for name in ("caddy", "nightly", "web-1", "web-2"):
        stop_politely(compose[name])
    for name in ("redis", "postgres"):
        say(f"  {name} ended with {compose[name].stop()[0]}")
    volumes = folder / "volumes"
    for name in ("house", "postgres"):
        (volumes / name).rename(volumes / f"lost-{name}")
    shutil.copytree(volumes / "lost-house/backups", volumes / "house/backups")
    take_over_owner(volumes / "house", volumes / "lost-house")
    backup = find_backup(volumes / "house/backups")
    compose.run_prepare(f"python manage.py restore {BACKUPS}/{backup.name}")
    say("  restored into empty volumes")
    compose.start_all()
    compare(balances, asyncio.run(read_balances(url)))
    audit(compose["web-2"])
    for name in ("caddy", "nightly", "web-1", "web-2"):
        stop_politely(compose[name])


class Compose:
    """The containers of docker-compose.yml, started in the order of ``depends_on``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = compose_file()
        self._containers: dict[str, list[Container]] = {}
        addresses = (f"{PREFIX}.{number}" for number in range(OUTSIDE + 1, 100))
        for name, service in self.file["services"].items():
            image = Image.load(folder.parent / "blackjack.json")
            if name in ENTRY_POINTS:
                image = Image.load(folder.parent / "services.json")
                image.config["Entrypoint"] = ENTRY_POINTS[name]
            count = int(service.get("deploy", {}).get("replicas", 1))
            self._containers[name] = [
                Container(
                    name if count == 1 else f"{name}-{place}",
                    image,
                    service,
                    folder,
                    next(addresses),
                )
                for place in range(1, count + 1)
            ]
        write_hosts(
            folder,
            [(each.address, name) for name, some in self._containers.items() for each in some],
        )

    def __getitem__(self, name: str) -> Container:
        return next(each for each in self._list_all() if each.name == name)

    def start_all(self) -> None:
        """Start what does not run yet, and wait until everything is healthy."""
        for name in self.file["services"]:
            self.start(name)
        for each in self._list_all():
            if each.status is None:
                wait_for(f"{each.name} to be healthy", 60, each.is_healthy)

    def start(self, name: str) -> None:
        """Start a service after those that it depends on."""
        self._start_needs(name)
        for each in self._containers[name]:
            if not each.pid or (each.poll() is not None and name != "prepare"):
                each.start()

    def run_prepare(self, command: str) -> None:
        """Run another command in place of ``prepare``, as ``docker compose run``."""
        self._start_needs("prepare")
        (prepare,) = self._containers["prepare"]
        service = {**prepare.service, "command": command}
        run_once(Container("restore", prepare.image, service, self.folder, prepare.address))
        prepare.pid, prepare.status = 0, None  # it has not run on these volumes

    def _start_needs(self, name: str) -> None:
        needs = self.file["services"][name].get("depends_on", {})
        for other in needs:
            self.start(other)
            condition = needs[other]["condition"] if isinstance(needs, dict) else "service_started"
            for each in self._containers[other]:
                if condition == "service_healthy":
                    wait_for(f"{other} to be healthy", 60, each.is_healthy)
                elif condition == "service_completed_successfully" and each.wait(120):
                    raise StepFailure(f"{other} ended with {each.status}:\n{each.read_log()}")

    def list_viewers(self) -> list[int]:
        """How many pages of tables each web process serves."""
        return [read_viewers(each.address) for each in self._containers["web"]]

    def _list_all(self) -> Iterator[Container]:
        for containers in self._containers.values():
            yield from containers


def compose_file() -> dict[str, Any]:
    """docker-compose.yml, with its variables."""
    text = (ROOT / "docker-compose.yml").read_text()
    compose: dict[str, Any] = yaml.safe_load(fill_in(text, VARIABLES))
    for name in ("web", "prepare", "nightly"):
        compose["services"][name]["environment"]["METRICS_TOKEN"] = TOKEN
    return compose


def write_hosts(folder: Path, names: list[tuple[str, str]]) -> None:
    """Make the folder of these containers, and the file by which they find each other."""
    (folder / "volumes").mkdir(parents=True)
    lines = [f"{address} {name}" for address, name in [("127.0.0.1", "localhost"), *names]]
    lines += [f"{address} {SITE}" for address, name in names if name == "caddy"]
    (folder / "hosts").write_text("\n".join(lines) + "\n")
    subprocess.run(["mount", "--bind", folder / "hosts", "/etc/hosts"], check=True)


def take_over_owner(volume: Path, like: Path) -> None:
    """Give a new volume to the user of an old one, as Docker does with an empty one."""
    owner = like.stat()
    volume.chmod(0o700)
    for path in (volume, *volume.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)


def run_once(container: Container) -> None:
    """Run a container to its end, which must be a success."""
    container.start()
    if container.wait(120):
        raise StepFailure(f"{container.spec['process']['args']} failed:\n{container.read_log()}")


def describe_versions(web: Container) -> str:
    """The versions of Python and of the programs of PostgreSQL in the image."""
    python = web.run("python", "-c", "import platform; print(platform.python_version())").stdout
    dump = web.run("pg_dump", "--version").stdout.split()
    assert python.startswith("3.13."), python
    assert dump[2].startswith("17."), dump
    return f"Python {python.strip()}, pg_dump {dump[2]}"


def back_up(web: Container) -> None:
    result = web.run("python", "manage.py", "backup", BACKUPS)
    assert result.returncode == 0, result.stderr
    say(f"  backup: {result.stdout.strip()}")


def find_backup(folder: Path) -> Path:
    """The only backup of a folder."""
    (backup,) = folder.glob("blackjack-*.tar.gz")
    return backup


def audit(web: Container) -> None:
    result = web.run("python", "manage.py", "audit")
    assert result.returncode == 0, result.stderr
    say(f"  audit: {result.stdout.strip()}")


def stop_politely(container: Container) -> None:
    """Stop it with SIGTERM; it has to end with 0."""
    status, seconds = container.stop()
    assert status == 0, f"{container.name} ended with {status}:\n{container.read_log()}"
    say(f"  {container.name} ended with 0, {seconds:.1f} s after SIGTERM")


def trust_caddy(folder: Path) -> None:
    """Let this process trust the certificate that Caddy has made for the site."""
    authority = folder / "volumes/caddy/caddy/pki/authorities/local/root.crt"
    wait_for("Caddy's certificate", 30, authority.exists)
    os.environ["SSL_CERT_FILE"] = str(authority)

    def can_be_fetched() -> bool:
        try:
            return bool(urllib.request.urlopen(f"https://{SITE}/readyz", timeout=5).status == 200)
        except OSError:
            return False

    wait_for("the site through Caddy", 30, can_be_fetched)


def check_https(url: str) -> None:
    """The proxy sends http on to https, and browsers are told to stay there."""
    with urllib.request.urlopen(f"http://{SITE}/accounts/login/") as page:
        assert page.url == f"{url}/accounts/login/", page.url
        assert "max-age=" in page.headers["Strict-Transport-Security"]
    say("  http is redirected to https, with HSTS")


def read_viewers(address: str) -> int:
    """How many pages of tables a web process serves."""
    request = urllib.request.Request(
        f"http://{address}:8000/metrics", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    page = urllib.request.urlopen(request, timeout=10).read().decode()
    return int(float(page.split("\nblackjack_viewers ")[1].split("\n")[0]))


async def play_new_players(url: str, viewers: Callable[[], list[int]] | None = None) -> list[int]:
    """Ann and ben sign up, sit down and play a round. Returns their balances.

    ``viewers``: how many pages each of two web processes serves; each has to serve one.
    """
    ann, ben = SocketPlayer(url, "ann"), SocketPlayer(url, "ben")
    try:
        for player, seat in ((ann, 1), (ben, 2)):
            await asyncio.to_thread(player.sign_up)
            await player.open(CASINO)
            assert (await player.send(t="sit", seat=seat))["t"] == "done"
        assert viewers is None or viewers() == [1, 1], viewers()
        await play_a_round(ann, ben)
        return [(await player.open(CASINO))["you"]["balance"] for player in (ann, ben)]
    finally:
        await ann.close()
        await ben.close()


async def read_balances(url: str) -> list[int]:
    """Ann and ben log in again. Returns their balances."""
    balances = []
    for name in ("ann", "ben"):
        player = SocketPlayer(url, name)
        page = "/accounts/login/"
        await asyncio.to_thread(player.post, page, page, login=name, password=PASSWORD)
        balances.append((await player.open(CASINO))["you"]["balance"])
        await player.close()
    return balances


def compare(before: list[int], after: list[int]) -> None:
    assert before == after, f"balances were {before} and are {after}"
    say(f"  ann and ben have logged in again, and have what they had: {after}")


def say(words: str) -> None:
    print(f"{time.monotonic() - _began:6.1f} s  {words}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
