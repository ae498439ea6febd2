"""What stands in the environment is judged before anything starts."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings

from blackjack_site.conf.logging import configure_logs
from tests.helpers.servers.fork_server import own_environment, with_packages

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = str(ROOT / "blackjack_site/settings.py")
PRODUCTION = {"SITE_URL": "https://cards.example", "TRUSTED_PROXIES": "1", "LOG_FORMAT": "json"}
POSTGRESQL = "postgres://house:secret@db.example:5432/house"
MAIL = {
    "EMAIL_URL": "smtp+tls://user:password@mail.example:587",
    "DEFAULT_FROM_EMAIL": "house@cards.example",
}
LONG = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO"

SENTENCES = {
    "PORT=eighty": "PORT is a whole number from 1 to 65535, and not 'eighty'.",
    "PORT=0": "PORT is a whole number from 1 to 65535",
    "SITE_URL=cards.example": "write where the site is reached, with http:// or https://",
    "SITE_URL=https://cards.example/casino": "and with nothing after the name",
    "SITE_URL=https://cards.example//": "and with nothing after the name",
    "SITE_URL=ftp://cards.example": "with http:// or https://",
    "SITE_URL=/": "such as https://cards.example",
    "SITE_URL=https://": "such as https://cards.example",
    "SITE_URL=https://cards.example:port": "such as https://cards.example",
    "SITE_URL=https://cards.example?a=b": "with nothing after the name",
    "SITE_URL=http://cards example": "such as https://cards.example",
    "SITE_URL=http://-cards.example": "such as https://cards.example",
    "SITE_URL=http://cards..example": "such as https://cards.example",
    "SITE_URL=http://1.2.3": "such as https://cards.example",
    "DATABASE_URL=house": "DATABASE_URL cannot be read: write postgres://",
    "DATABASE_URL=mysql://house:secret@db/house": "or leave it out for SQLite.",
    "DATABASE_URL=postgres://house:secret@db": "DATABASE_URL cannot be read",
    "DATABASE_URL=postgres://house:secret@db:port/house": "DATABASE_URL cannot be read",
    "SQLITE_SYNCHRONOUS=OFF": "SQLITE_SYNCHRONOUS is one of NORMAL, FULL, EXTRA, and not 'OFF'.",
    "REDIS_URL=redis.example": "REDIS_URL cannot be read: write redis://",
    "REDIS_URL=redis://redis.example:port/0": "REDIS_URL cannot be read: write redis://",
    "REDIS_URL=redis://redis.example/first": "REDIS_URL cannot be read: write redis://",
    "DATABASE_POOL=many": "DATABASE_POOL is a whole number from 2 to 1000, and not 'many'.",
    "SECRET_KEY=secret": "SECRET_KEY is too easily guessed: give it 50 characters or more",
    "SECRET_KEY=" + "x" * 60: "SECRET_KEY is too easily guessed",
    "METRICS_TOKEN=secret": "METRICS_TOKEN is too easily guessed: give it 20 letters",
    "METRICS_TOKEN=with a space in the middle": "METRICS_TOKEN is too easily guessed",
    "SENTRY_DSN=cards.example": "SENTRY_DSN cannot be read: write https://key@host/project",
    "SENTRY_DSN=https://cards.example/1": "SENTRY_DSN cannot be read",
    "LOG_FORMAT=xml": "LOG_FORMAT is one of text, json, and not 'xml'.",
    "LOG_LEVEL=loud": "LOG_LEVEL is one of INFO, DEBUG, WARNING, ERROR, CRITICAL, and not 'LOUD'.",
    "EMAIL_URL=mailer": "EMAIL_URL cannot be read: write smtp+tls://",
    "EMAIL_URL=smtp://": "or leave it out and letters go to the console.",
    "EMAIL_URL=smtp://mail.example": "EMAIL_URL cannot be read: write smtp+tls://",
    "DEFAULT_FROM_EMAIL=the house": "DEFAULT_FROM_EMAIL is 'the house': write an address, such as",
    "TRUSTED_PROXIES=-1": "TRUSTED_PROXIES is a whole number from 0 to 10, and not '-1'.",
    "GUESTS_PER_ADDRESS=many": "GUESTS_PER_ADDRESS is a number and a time, such as 10/h",
    "GUESTS_PER_ADDRESS=3/0m": "GUESTS_PER_ADDRESS is a number and a time, such as 10/h",
    "GUESTS_PER_ADDRESS=99999999999/h": "GUESTS_PER_ADDRESS is a number and a time, such as 10/h",
    "SOCKETS_WITHOUT_LOGIN=0": "SOCKETS_WITHOUT_LOGIN is a whole number from 1 to 100000",
    "HSTS_SECONDS=long": "HSTS_SECONDS is a whole number from 0 to 100000000, and not 'long'.",
    "HSTS_SUBDOMAINS=maybe": "HSTS_SUBDOMAINS is on or off, and not 'maybe'.",
    "HSTS_PRELOAD=maybe": "HSTS_PRELOAD is on or off, and not 'maybe'.",
    "LANGUAGES=en,nl": "LANGUAGES is some of en, de, es, fr, separated by commas, and not 'nl'.",
    "LANGUAGE_CODE=nl": "LANGUAGE_CODE is one of en, de, es, fr, and not 'nl'.",
    "DEBUG=perhaps": "DEBUG is on or off, and not 'perhaps'.",
    "BLACKJACK_DATA=/dev/null/data": "BLACKJACK_DATA is /dev/null/data, which is no folder",
}


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """Settings that are read set up the logs."""
    yield
    configure_logs(log_format="text", level="INFO")


def settings_with(monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, Any]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(SETTINGS)


def test_the_languages_are_narrowed(monkeypatch: pytest.MonkeyPatch) -> None:
    values = settings_with(monkeypatch, LANGUAGES="de, fr")
    assert values["LANGUAGES"] == [("de", "Deutsch"), ("fr", "Français")]
    assert values["LANGUAGE_CODE"] == "de"


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return with_packages().run(command, own_environment() | environment)


@pytest.mark.parametrize("bad", SENTENCES)
def test_what_cannot_be_meant_is_refused_with_a_sentence(
    bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, _, value = bad.partition("=")
    with pytest.raises(ImproperlyConfigured) as refusal:
        settings_with(monkeypatch, **{name: value})
    assert SENTENCES[bad] in str(refusal.value)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    "name",
    [
        "http://localhost:8000",
        "https://192.0.2.7",
        "http://[2001:db8::7]:8000",
        "https://Cards-1.example",
    ],
)
def test_a_site_is_a_name_or_an_address(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (name, f"{name}/"):
        assert settings_with(monkeypatch, SITE_URL=text, TRUSTED_PROXIES="1")["SITE_URL"] == name


@pytest.mark.parametrize(
    "setting",
    ["PORT", "LOG_LEVEL", "DATA_DIR", "REDIS_URL", "MAIL_QUEUE_BACKEND", "DEFAULT_FROM_EMAIL"],
)
def test_what_is_empty_is_as_good_as_not_set(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLACKJACK_DATA")
    usual = settings_with(monkeypatch)[setting]
    named = {"DATA_DIR": "BLACKJACK_DATA", "MAIL_QUEUE_BACKEND": "EMAIL_URL"}
    variable = named.get(setting, setting)
    assert settings_with(monkeypatch, **{variable: ""})[setting] == usual


def test_what_shows_the_inside_is_refused_where_strangers_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ImproperlyConfigured, match="DEBUG shows strangers the inside"):
        settings_with(monkeypatch, **PRODUCTION, DEBUG="yes")


def test_https_needs_a_proxy_that_speaks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured, match="set TRUSTED_PROXIES=1"):
        settings_with(monkeypatch, SITE_URL="https://cards.example")


def test_no_password_is_in_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        settings_with(monkeypatch, DATABASE_URL="postgres://house:hunter2@db:port/house")
    assert "hunter2" not in str(refusal.value)
    assert refusal.value.__suppress_context__


def test_production_settings_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    values = settings_with(
        monkeypatch, **PRODUCTION, SECRET_KEY=LONG, METRICS_TOKEN=LONG, DATABASE_URL=POSTGRESQL,
        REDIS_URL="redis://redis.example:6379/0", LOG_LEVEL="warning", DATABASE_POOL="20",
        EMAIL_URL="smtp+tls://user:password@mail.example:587",
    )  # fmt: skip
    assert values["SECRET_KEY"] == values["METRICS_TOKEN"] == LONG
    assert values["LOG_LEVEL"] == "WARNING"
    assert values["ALLOWED_HOSTS"] == ["cards.example"]
    assert values["DATABASES"]["default"]["OPTIONS"]["pool"]["max_size"] == 20
    assert (values["EMAIL_HOST"], values["EMAIL_USE_TLS"]) == ("mail.example", True)


@pytest.mark.parametrize(
    "command", [("manage.py", "check"), ("manage.py", "serve"), ("-m", "daphne"), ("-m", "uvicorn")]
)
def test_a_bad_value_ends_every_program_with_one_sentence(command: tuple[str, ...]) -> None:
    served = command[0] == "-m"
    result = run(*command, *(["blackjack_site.asgi:application"] if served else []), PORT="eighty")
    assert result.returncode == 1
    assert result.stderr == (
        "This cannot start: PORT is a whole number from 1 to 65535, and not 'eighty'.\n"
    )


@pytest.mark.parametrize("address", ["sqlite:///", "sqlite://:memory:", "sqlite:////tmp"])
def test_a_database_that_is_no_file_is_refused(address: str, tmp_path: Path) -> None:
    """A house in memory would be gone with its process."""
    result = run("manage.py", "check", BLACKJACK_DATA=str(tmp_path), DATABASE_URL=address)
    assert result.returncode == 1
    assert "DATABASE_URL names no file: write sqlite:////path/of/a/file" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"SECRET_KEY": LONG, "METRICS_TOKEN": LONG, "SQLITE_SYNCHRONOUS": "FULL"},
        {"DATABASE_URL": POSTGRESQL, "REDIS_URL": "redis://redis.example:6379/0"},
    ],
    ids=["alone", "sqlite", "postgresql"],
)
def test_nothing_is_wrong_with_production_settings(
    environment: dict[str, str], tmp_path: Path
) -> None:
    production = PRODUCTION | MAIL | environment | {"BLACKJACK_DATA": str(tmp_path)}
    result = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **production)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    assert "no issues (2 silenced)" in result.stdout


def test_several_processes_that_cannot_hear_each_other_are_warned_of(tmp_path: Path) -> None:
    data = {"BLACKJACK_DATA": str(tmp_path), "DATABASE_URL": POSTGRESQL}
    production = PRODUCTION | MAIL | data
    result = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **production)
    assert result.returncode == 1
    assert "house.W001" in result.stderr
    assert "Set REDIS_URL, unless one process is all that ever runs." in result.stderr


@pytest.mark.parametrize(
    ("missing", "code", "advice"),
    [
        ("EMAIL_URL", "house.W002", "Set EMAIL_URL=smtp+tls://user:password@host:587 and"),
        ("DEFAULT_FROM_EMAIL", "house.W003", "Set DEFAULT_FROM_EMAIL to an address of your own"),
    ],
)
def test_e_mails_that_reach_nobody_are_warned_of(
    missing: str, code: str, advice: str, tmp_path: Path
) -> None:
    mail = {name: value for name, value in MAIL.items() if name != missing}
    production = PRODUCTION | mail | {"BLACKJACK_DATA": str(tmp_path)}
    result = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **production)
    assert result.returncode == 1
    assert code in result.stderr
    assert advice in result.stderr


@pytest.mark.parametrize("host", ["localhost:8000", "web:8000", "10.0.0.5:8001"])
@override_settings(ALLOWED_HOSTS=["cards.example"], METRICS_TOKEN=LONG)
def test_a_program_need_not_know_the_name_of_the_site(host: str, db: None) -> None:
    here, elsewhere = Client(), Client(REMOTE_ADDR="192.0.2.1")
    name, token = {"host": host}, {"authorization": f"Bearer {LONG}"}
    for path in ("/livez", "/readyz", "/metrics"):
        assert here.get(path, headers=name).status_code == 200
    for path in ("/livez", "/readyz"):
        assert elsewhere.get(path, headers=name).status_code == 200
    assert elsewhere.get("/metrics", headers=name).status_code == 404
    assert elsewhere.get("/metrics", headers=name | token).status_code == 200
    for client in (here, elsewhere):
        assert client.get("/", headers=name).status_code == 400


def test_case_57_subdomains_and_preload_are_the_operators_choice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def get_hsts(**more: str) -> tuple[Any, ...]:
        names = ("SECURE_HSTS_SECONDS", "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD")
        with monkeypatch.context() as patch:
            settings = settings_with(patch, **more)
        return tuple(settings[name] for name in names)

    monkeypatch.setenv("HSTS_SUBDOMAINS", "on")
    assert get_hsts() == (0, False, False)  # plain http has none of it
    for name, value in PRODUCTION.items():
        monkeypatch.setenv(name, value)
    assert get_hsts(HSTS_SUBDOMAINS="") == (31_536_000, False, False)
    assert get_hsts(HSTS_SECONDS="3600") == (3600, True, False)
    assert get_hsts(HSTS_SECONDS="0", HSTS_SUBDOMAINS="") == (0, False, False)
    assert get_hsts(HSTS_PRELOAD="on") == (31_536_000, True, True)
    for wrong in ({"HSTS_SUBDOMAINS": ""}, {"HSTS_SECONDS": "3600"}):
        with pytest.raises(ImproperlyConfigured, match="HSTS_PRELOAD asks to be in the list"):
            get_hsts(HSTS_PRELOAD="on", **wrong)


NO_KEYS = {
    "empty": (b"", "is empty"),
    "white space": (b" \n\t\n", "is empty"),
    "short": (b"secret\n", "is too easily guessed"),
    "one letter": (b"x" * 64, "is too easily guessed"),
    "no text": (b"\xff" * 64, "cannot be read"),
}


@pytest.mark.parametrize("kind", NO_KEYS)
def test_case_54_a_secret_key_that_is_none_is_a_sentence(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, sentence = NO_KEYS[kind]
    (tmp_path / "secret_key").write_bytes(written)
    with pytest.raises(ImproperlyConfigured) as refusal:
        settings_with(monkeypatch, BLACKJACK_DATA=str(tmp_path))
    assert sentence in str(refusal.value)
    assert str(tmp_path / "secret_key") in str(refusal.value)
    assert (tmp_path / "secret_key").read_bytes() == written
    settings_with(monkeypatch, BLACKJACK_DATA=str(tmp_path), SECRET_KEY=LONG)  # needs no file


@pytest.mark.parametrize(
    "command",
    [
        ("manage.py", "serve"), ("manage.py", "migrate"), ("manage.py", "prepare"),
        ("manage.py", "backup", "/tmp"), ("manage.py", "createsuperuser"), ("manage.py", "check"),
        ("-c", "import blackjack_site.asgi"),
    ],
    ids=lambda command: command[1],
)  # fmt: skip
def test_case_54_every_command_says_so_and_exits_with_1(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "secret_key").touch()
    result = run(*command, BLACKJACK_DATA=str(tmp_path))
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert result.stderr.strip().count("\n") == 0
    assert "The secret key in" in result.stderr


def test_case_54_a_secret_key_is_made_whole_and_once(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path\n"
        "from blackjack_site.conf.secret_key import read_or_make_secret_key\n"
        f"print(read_or_make_secret_key(Path({str(tmp_path)!r})))"
    )
    racing = [
        subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE)
        for _ in range(6)
    ]
    keys = {process.communicate(timeout=60)[0].decode().strip() for process in racing}
    assert keys == {(tmp_path / "secret_key").read_text()}
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
