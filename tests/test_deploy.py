"""Every way to run several processes: files that no test can start, held against what one can."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.web import WEB
from tests.conftest import skip_or_fail

ROOT = Path(__file__).resolve().parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OPERATIONS = (ROOT / "docs/operations.md").read_text()
CADDYFILE = ROOT / "deploy/Caddyfile"
PREPARE = ("manage.py", "prepare", "--wait", "600")
NOT_FOR_CONTAINERS = {"BLACKJACK_DATA", "DEBUG", "SQLITE_SYNCHRONOUS"}
"""The image says where the data is; the others are of no use there."""
BEHIND_ITS_OWN_NETWORK = ("--host", "0.0.0.0")


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string((ROOT / "deploy" / name).read_text())
    return parser


def procfile() -> dict[str, str]:
    lines = (ROOT / "Procfile").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines)


def arguments(command: str) -> tuple[str, ...]:
    """What follows the program, which is Python wherever it lies."""
    program, *rest = shlex.split(command)
    assert Path(program).name == "python"
    return tuple(rest)


def test_every_way_to_run_it_has_the_same_commands() -> None:
    web, prepare = unit("blackjack@.service"), unit("blackjack-prepare.service")
    assert arguments(web["Service"]["ExecStart"]) == WEB
    assert arguments(procfile()["web"]) == WEB + BEHIND_ITS_OWN_NETWORK
    assert arguments(SERVICES["web"]["command"]) == WEB + BEHIND_ITS_OWN_NETWORK
    assert f"`{' '.join(WEB)}`" in OPERATIONS
    for command in (
        prepare["Service"]["ExecStart"], procfile()["release"], SERVICES["prepare"]["command"]
    ):  # fmt: skip
        assert arguments(command) == PREPARE


def test_web_processes_wait_for_what_is_done_once_and_have_time_to_stop() -> None:
    web = unit("blackjack@.service")
    for when in ("Requires", "After"):
        assert web["Unit"][when] == "blackjack-prepare.service"
    assert web["Service"]["TimeoutStopSec"] == "15"
    assert (web["Service"]["EnvironmentFile"], web["Service"]["Environment"]) == (
        "/etc/blackjack", "PORT=%i",
    )  # fmt: skip
    assert SERVICES["web"]["stop_grace_period"] == "15s"
    assert SERVICES["web"]["depends_on"] == {
        "prepare": {"condition": "service_completed_successfully"},
        "redis": {"condition": "service_healthy"},
    }
    assert SERVICES["prepare"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert SERVICES["prepare"]["restart"] == "no"
    for service in ("postgres", "redis", "web"):
        assert SERVICES[service]["healthcheck"]["test"], service


def test_containers_are_told_what_the_operations_list_and_where_they_are() -> None:
    told = SERVICES["web"]["environment"]
    variables = OPERATIONS.split("## Variables", 1)[1].split("\n## ", 1)[0]
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", variables, re.MULTILINE))
    assert set(told) == listed - NOT_FOR_CONTAINERS
    port = told["PORT"]
    assert f"http://localhost:{port}/readyz" in SERVICES["web"]["healthcheck"]["test"]
    assert re.search(rf"name web\n\s+port {port}\n", CADDYFILE.read_text())
    assert "@postgres:5432/house" in told["DATABASE_URL"]
    assert told["REDIS_URL"] == "redis://redis:6379/0"
    assert told["TRUSTED_PROXIES"] == "1"
    published = {name for name, service in SERVICES.items() if "ports" in service}
    assert published == {"caddy"}


def test_what_is_done_each_night_and_by_hand_has_what_the_servers_have() -> None:
    """Without the variables it would be another house, and everything in order there."""
    web, nightly = unit("blackjack@.service")["Service"], unit("blackjack-nightly.service")
    for name in ("User", "WorkingDirectory", "EnvironmentFile"):
        assert nightly["Service"][name] == web[name], name
    program = web["ExecStart"].split()[0]
    text = (ROOT / "deploy/blackjack-nightly.service").read_text()
    done = re.findall(r"^ExecStart=(\S+) manage.py (\w+)", text, re.MULTILINE)
    assert done == [(program, "backup"), (program, "audit")]
    assert f"--owner={web['User']} --mode=700 /var/backups/blackjack" in text
    by_hand = (ROOT / "deploy/manage").read_text()
    for part in (
        f"--uid={web['User']} ", f"--working-directory={web['WorkingDirectory']} ",
        f"--property=EnvironmentFile={web['EnvironmentFile']} ", f'{program} manage.py "$@"',
    ):  # fmt: skip
        assert part in by_hand, part


@pytest.mark.parametrize("secret", ["SITE_URL", "SECRET_KEY", "POSTGRES_PASSWORD"])
def test_compose_says_what_has_to_be_set(secret: str) -> None:
    told = " ".join(map(str, SERVICES["web"]["environment"].values()))
    assert re.search(rf"\$\{{{secret}:\?\w+ \w+ [^}}]+\}}", told)


def test_the_image_is_made_of_what_is_there() -> None:
    build = SERVICES["prepare"]["build"]
    assert "build" not in SERVICES["web"], "two builds of one image get into each other's way"
    assert SERVICES["web"]["image"] == SERVICES["prepare"]["image"]
    assert SERVICES["web"]["pull_policy"] == "never"
    dockerfile = (ROOT / build["dockerfile"]).read_text()
    assert "requirements/scale.txt" in dockerfile
    kept = [
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    ]
    assert all((ROOT / name).exists() for name in kept)
    version = re.search(r"Debian 12 has version (\d+)", dockerfile)
    assert version
    assert SERVICES["postgres"]["image"] == f"postgres:{version[1]}-bookworm"


def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """All but that their program lies where it does here."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        skip_or_fail("no systemd-analyze here: apt-get install systemd")
    assert analyze is not None
    for path in [*ROOT.glob("deploy/*.service"), *ROOT.glob("deploy/*.timer")]:
        text = path.read_text().replace("/srv/blackjack/.venv/bin/python", sys.executable)
        (tmp_path / path.name.replace("@", "@8001")).write_text(text)
    units = sorted(map(str, tmp_path.iterdir()))
    assert len(units) == 4
    done = subprocess.run([analyze, "verify", *units], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_caddy_takes_its_file() -> None:
    caddy = shutil.which("caddy")
    if caddy is None:
        skip_or_fail("no caddy here: apt-get install caddy")
    assert caddy is not None
    done = subprocess.run(
        [caddy, "validate", "--adapter", "caddyfile", "--config", str(CADDYFILE)],
        env={"SITE_URL": "https://cards.example", "HOME": "/nonexistent"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Valid configuration" in done.stderr + done.stdout
