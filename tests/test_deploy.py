"""Every way to run several processes: files that no test can start, held against what one can."""

from __future__ import annotations

import configparser
import json
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
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text()
SCHEMA = "vendor.compose-spec"
CADDYFILE = ROOT / "deploy/Caddyfile"
PREPARE = ("manage.py", "prepare", "--wait", "600")
NOT_FOR_CONTAINERS = {"BLACKJACK_DATA", "DEBUG", "SQLITE_SYNCHRONOUS"}
"""The image says where the data is; the others are of no use there."""
BEHIND_ITS_OWN_NETWORK = ("--host", "0.0.0.0")


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str
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
    for name, service in SERVICES.items():
        if name != "prepare":
            assert service["healthcheck"]["test"], name
            assert service["restart"] == "unless-stopped", name


def test_containers_are_told_what_the_operations_list_and_where_they_are() -> None:
    environment = SERVICES["web"]["environment"]
    variables = OPERATIONS.split("## Variables", 1)[1].split("\n## ", 1)[0]
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", variables, re.MULTILINE))
    assert set(environment) == listed - NOT_FOR_CONTAINERS
    port = environment["PORT"]
    assert re.search(rf"name web\n\s+port {port}\n", CADDYFILE.read_text())
    assert "@postgres:5432/house" in environment["DATABASE_URL"]
    assert environment["REDIS_URL"] == "redis://redis:6379/0"
    assert environment["TRUSTED_PROXIES"] == "1"
    published = {name for name, service in SERVICES.items() if "ports" in service}
    assert published == {"caddy"}


def test_what_is_done_each_night_and_by_hand_has_what_the_servers_have() -> None:
    """Without the variables it would be another house, and everything in order there."""
    web, nightly = unit("blackjack@.service")["Service"], unit("blackjack-nightly.service")
    for name in ("User", "WorkingDirectory", "EnvironmentFile"):
        assert nightly["Service"][name] == web[name], name
    program = web["ExecStart"].split()[0]
    text = (ROOT / "deploy/blackjack-nightly.service").read_text()
    commands = re.findall(r"^ExecStart=(\S+) manage.py (\w+)", text, re.MULTILINE)
    assert commands == [(program, "backup"), (program, "audit")]
    assert f"--owner={web['User']} --mode=700 /var/backups/blackjack" in text
    by_hand = (ROOT / "deploy/manage").read_text()
    for part in (
        f"--uid={web['User']} ", f"--working-directory={web['WorkingDirectory']} ",
        f"--property=EnvironmentFile={web['EnvironmentFile']} ", f'{program} manage.py "$@"',
    ):  # fmt: skip
        assert part in by_hand, part


@pytest.mark.parametrize("secret", ["SITE_URL", "SECRET_KEY", "POSTGRES_PASSWORD"])
def test_compose_says_what_has_to_be_set(secret: str) -> None:
    values = " ".join(map(str, SERVICES["web"]["environment"].values()))
    assert re.search(rf"\$\{{{secret}:\?\w+ \w+ [^}}]+\}}", values)


def test_the_image_is_made_of_what_is_there() -> None:
    build = SERVICES["prepare"]["build"]
    assert "build" not in SERVICES["web"], "two builds of one image get into each other's way"
    assert SERVICES["web"]["image"] == SERVICES["prepare"]["image"]
    assert SERVICES["web"]["pull_policy"] == "never"
    dockerfile = (ROOT / build["dockerfile"]).read_text()
    assert "--require-hashes -r /tmp/scale.txt" in dockerfile
    names = [
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    ]
    assert all((ROOT / name).exists() for name in names)
    version = re.search(r"postgresql-client-(\d+)", dockerfile)
    assert version
    assert SERVICES["postgres"]["image"].startswith(f"postgres:{version[1]}.")


def test_the_image_has_the_command_and_the_health_check_of_the_web_service() -> None:
    command = re.search(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert command
    assert json.loads(command[1]) == shlex.split(SERVICES["web"]["command"])
    checked = re.search(r"^ +CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert checked
    assert json.loads(checked[1]) == shlex.split(SERVICES["web"]["healthcheck"]["test"])


def test_all_images_of_others_have_a_minor_version() -> None:
    (base,) = re.findall(r"^ARG BASE=\S+/(\S+)$", DOCKERFILE, re.MULTILINE)
    images = {service["image"] for service in SERVICES.values()} - {"blackjack"} | {base}
    assert len(images) == 4
    for image in images:
        assert re.fullmatch(r"[a-z]+:\d+\.\d+(-[a-z]+)?", image), image


def test_compose_has_a_schema_that_the_file_keeps(tmp_path: Path) -> None:
    def check(path: Path) -> int:
        program = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", SCHEMA, str(path)]
        return subprocess.run(program, capture_output=True, check=False).returncode

    assert check(ROOT / "docker-compose.yml") == 0
    wrong = tmp_path / "docker-compose.yml"
    text = (ROOT / "docker-compose.yml").read_text()
    wrong.write_text(text.replace("stop_grace_period", "stop_after", 1))
    assert check(wrong) != 0


@pytest.mark.parametrize("name", SERVICES)
def test_no_container_can_write_to_its_own_files_or_gain_a_right(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_the_services_of_the_site_differ_only_in_what_they_do() -> None:
    shared = ("image", "environment", "volumes", "tmpfs", "init")
    for name in ("prepare", "nightly"):
        assert {key: SERVICES[name][key] for key in shared} == {
            key: SERVICES["web"][key] for key in shared
        }


def test_each_night_containers_do_what_the_units_do() -> None:
    command = arguments(SERVICES["nightly"]["command"])
    assert command == ("manage.py", "nightly", "/data/backups", "--keep", "14", "--at", "03:15")
    text = (ROOT / "deploy/blackjack-nightly.service").read_text()
    assert " --keep 14\n" in text
    assert unit("blackjack-nightly.timer")["Timer"]["OnCalendar"] == "*-*-* 03:15"


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
    assert len(units) == 5
    result = subprocess.run(
        [analyze, "verify", *units], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stderr


UNITS = ("blackjack@", "blackjack-prepare", "blackjack-nightly")
MOST_EXPOSED = 40
"""Tenths of the scale of ``systemd-analyze security``, on which 100 is a program without any rule."""


@pytest.mark.parametrize("name", UNITS)
def test_systemd_rates_a_unit_as_little_exposed(name: str) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        skip_or_fail("no systemd-analyze here: apt-get install systemd")
    assert analyze is not None
    result = subprocess.run(
        [analyze, "security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSED - 1}",
         str(ROOT / f"deploy/{name}.service")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr


def test_all_units_have_the_same_rules_and_report_their_failure() -> None:
    rules = {}
    for name in UNITS:
        text = (ROOT / f"deploy/{name}.service").read_text()
        assert unit(f"{name}.service")["Unit"]["OnFailure"] == "blackjack-failed@%n.service"
        _, written = text.split("# No rights, ")
        written = written.split("\n[Install]")[0].strip()
        (folders,) = re.findall(r"^ReadWritePaths=(.+)$", written, re.MULTILINE)
        assert "/srv/blackjack/var" in folders
        rules[name] = written.replace(folders, "")
    assert len(set(rules.values())) == 1
    (nightly,) = re.findall(
        r"^ReadWritePaths=(.+)$",
        (ROOT / "deploy/blackjack-nightly.service").read_text(),
        re.MULTILINE,
    )
    assert "/var/backups/blackjack" in nightly


def test_pre_commit_takes_its_file_and_uses_the_projects_own_tools() -> None:
    path = ROOT / ".pre-commit-config.yaml"
    program = [sys.executable, "-m", "pre_commit", "validate-config", str(path)]
    result = subprocess.run(program, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    (local,) = yaml.safe_load(path.read_text())["repos"]
    assert local["repo"] == "local"
    makefile = (ROOT / "Makefile").read_text()
    for hook in local["hooks"]:
        program, *words = hook["entry"].split()
        if program == "make":
            for target in words[1:]:
                assert target.startswith("node_modules/") or f"\n{target}:" in makefile
        else:
            assert (Path(sys.executable).parent / Path(program).name).exists(), program


def test_caddy_takes_its_file() -> None:
    caddy = shutil.which("caddy")
    if caddy is None:
        skip_or_fail("no caddy here: apt-get install caddy")
    assert caddy is not None
    result = subprocess.run(
        [caddy, "validate", "--adapter", "caddyfile", "--config", str(CADDYFILE)],
        env={"SITE_URL": "https://cards.example", "HOME": "/nonexistent"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "Valid configuration" in result.stderr + result.stdout
