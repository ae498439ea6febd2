"""Environment variables, parsed strictly; an invalid one is refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from email.utils import parseaddr
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

from accounts.lib.private_files import make_database_private, make_private
from blackjack_site.conf.secret_key import LONG_ENOUGH, is_weak
from blackjack_site.conf.vapid_key import is_vapid_key

RATES = re.compile(r"\d{1,6}/([1-9]\d{0,3})?[smhd](,\d{1,6}/([1-9]\d{0,3})?[smhd])*")
SENTRY_DSNS = re.compile(r"https?://[0-9A-Za-z]+@[^\s/@?#]+(/[^\s/@?#]+)*/[0-9]+")
IN_MEMORY = ":memory:"
DATABASES = re.compile(r"(postgres|postgresql|sqlite)://")
HOST = re.compile(
    r"(?!.*\.\d+$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?", re.I
)
"""A host name: words of letters, digits and hyphens with dots between them. It is no IPv4 address."""
MAX_HOST_LENGTH = 253
YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


class Environment(environ.Env):
    """Reads variables. Each method raises ``ImproperlyConfigured`` for an invalid value."""

    def flag(self, name: str) -> bool:
        """Read a boolean."""
        text = self.str(name, default="").lower()
        if text not in YES + NO:
            raise ImproperlyConfigured(f"{name} is on or off, and not {text!r}.")
        return text in YES

    def number(self, name: str, *, default: int, least: int, most: int) -> int:
        """Read a whole number from ``least`` to ``most``."""
        text = self.str(name, default="") or str(default)
        if not re.fullmatch(r"-?[0-9]{1,9}", text) or not least <= int(text) <= most:
            raise ImproperlyConfigured(
                f"{name} is a whole number from {least} to {most}, and not {text!r}."
            )
        return int(text)

    def one_of(self, name: str, *, among: Sequence[str]) -> str:
        """Read one of these words, by default the first, in capitals if they are."""
        text: str = self.str(name, default="") or among[0]
        text = text.upper() if among[0].isupper() else text
        if text not in among:
            raise ImproperlyConfigured(f"{name} is one of {', '.join(among)}, and not {text!r}.")
        return text

    def some_of(self, name: str, *, among: Mapping[str, str]) -> list[tuple[str, str]]:
        """Read some of these keys, separated by commas, with their values; by default all."""
        text: str = self.str(name, default="")
        keys = [key.strip() for key in text.split(",")] if text else list(among)
        if unknown := [key for key in keys if key not in among]:
            raise ImproperlyConfigured(
                f"{name} is some of {', '.join(among)}, separated by commas, and not "
                f"{unknown[0]!r}."
            )
        return [(key, among[key]) for key in dict.fromkeys(keys)]

    def folder(self, name: str, *, default: Path) -> Path:
        """Read a folder; create it if missing, and make it private."""
        path = Path(self.str(name, default="") or default)
        try:
            path.mkdir(parents=True, exist_ok=True)
            make_private(path)
        except OSError as error:
            raise ImproperlyConfigured(
                f"{name} is {path}, which is no folder and cannot be made ({error.strerror}): "
                "name one that belongs to the user who runs the site."
            ) from error
        return path

    def origin(self, name: str) -> str:
        """Read an origin: scheme, host and optional port, without the slash that a browser adds; empty if
        not set.
        """
        typed: str = self.str(name, default="")
        if not typed:
            return ""
        text = typed.removesuffix("/")
        try:
            place = urlsplit(text)
            port = place.port
        except ValueError:
            place, port = urlsplit(""), None
        expected = f"{place.scheme}://{place.netloc}"
        is_plain = text == expected and "@" not in place.netloc and port != 0
        is_named = _is_host(place.hostname or "")
        if place.scheme not in ("http", "https") or not is_named or not is_plain:
            raise ImproperlyConfigured(
                f"{name} is {typed!r}: write where the site is reached, with http:// or https:// "
                "and with nothing after the name or port, such as https://cards.example."
            )
        return text

    def secret(self, name: str) -> str:
        """Read a secret key of sufficient length; empty if not set."""
        text: str = self.str(name, default="")
        if text and is_weak(text):
            raise ImproperlyConfigured(
                f"{name} is too easily guessed: give it {LONG_ENOUGH} characters or more that "
                "chance has made, or leave it out and one is made in BLACKJACK_DATA."
            )
        return text

    def vapid_key(self, name: str) -> str:
        """Read a private key for push messages; empty if not set."""
        text: str = self.str(name, default="")
        if text and not is_vapid_key(text):
            raise ImproperlyConfigured(
                f"{name} is no private key: give it the text of the file vapid_key of another "
                "process, or leave it out and one is made in BLACKJACK_DATA."
            )
        return text

    def token(self, name: str, *, least: int) -> str:
        """Read a token of at least ``least`` characters; empty if not set."""
        text: str = self.str(name, default="")
        if text and (len(text) < least or not re.fullmatch(r"[!-~]+", text)):
            raise ImproperlyConfigured(
                f"{name} is too easily guessed: give it {least} letters and digits or more that "
                "chance has made, or leave it out."
            )
        return text

    def rates(self, name: str, *, default: str) -> str:
        """Read rate limits: numbers and periods, separated by commas."""
        text: str = self.str(name, default=default)
        if text and not RATES.fullmatch(text):
            raise ImproperlyConfigured(f"{name} is a number and a time, such as 10/h or 3/5m.")
        return text

    def database(self, name: str, *, default: Path) -> dict[str, Any]:
        """Read the URL of PostgreSQL or SQLite."""
        text = self.str(name, default="")
        if not text:
            make_database_private(default)
            return {"ENGINE": "django.db.backends.sqlite3", "NAME": default}
        unreadable = ImproperlyConfigured(
            f"{name} cannot be read: write postgres://user:password@host:5432/name, "
            "or leave it out for SQLite."
        )
        try:
            config: dict[str, Any] = self.db(name) if DATABASES.match(text) else {}
        except (ValueError, KeyError, ImproperlyConfigured):
            raise unreadable from None  # it may contain a password
        if not config.get("NAME"):
            raise unreadable
        if config["ENGINE"].endswith("sqlite3"):
            if Path(config["NAME"]).name == IN_MEMORY or Path(config["NAME"]).is_dir():
                raise ImproperlyConfigured(
                    f"{name} names no file: write sqlite:////path/of/a/file, or leave it out for the "
                    "file in BLACKJACK_DATA."
                )
            make_database_private(Path(config["NAME"]))
        if config["ENGINE"].endswith("postgresql") and find_spec("psycopg") is None:
            raise ImproperlyConfigured(
                f"{name} names PostgreSQL, whose driver is not installed: make run LOCK=scale, "
                "or pip install -r requirements/scale.txt."
            )
        return config

    def redis(self, name: str) -> str:
        """Read the URL of Redis; empty if not set."""
        text: str = self.str(name, default="")
        if text and not _is_redis_url(text):
            raise ImproperlyConfigured(f"{name} cannot be read: write redis://host:6379/0.")
        if text and find_spec("redis") is None:
            raise ImproperlyConfigured(
                f"{name} names Redis, whose driver is not installed: make run LOCK=scale, "
                "or pip install -r requirements/scale.txt."
            )
        return text

    def sentry_dsn(self, name: str) -> str:
        """Read the address of a service for error reports; empty if not set."""
        text: str = self.str(name, default="")
        if text and not SENTRY_DSNS.fullmatch(text):
            raise ImproperlyConfigured(
                f"{name} cannot be read: write https://key@host/project, as the service shows it."
            )
        if text and find_spec("sentry_sdk") is None:
            raise ImproperlyConfigured(
                f"{name} asks for error reports, whose package is not installed: make run "
                "LOCK=scale, or pip install -r requirements/scale.txt."
            )
        return text

    def mail(self, name: str) -> dict[str, Any]:
        """Read the URL of the mail server."""
        try:
            text = self.str(name, default="") or "consolemail://"
            config: dict[str, Any] = self.email_url_config(text)
        except (ValueError, KeyError, ImproperlyConfigured):
            config = {}
        is_sent = "smtp" in config.get("EMAIL_BACKEND", "smtp")
        is_complete = bool(config.get("EMAIL_HOST") and config.get("EMAIL_PORT"))
        if not config or (is_sent and not is_complete):
            raise ImproperlyConfigured(
                f"{name} cannot be read: write smtp+tls://user:password@host:587, "
                "or leave it out and letters go to the console."
            )
        return config

    def address(self, name: str, *, default: str) -> str:
        """Read an e-mail address, with or without a name before it."""
        text: str = self.str(name, default="") or default
        try:
            validate_email(parseaddr(text)[1])
        except ValidationError:
            raise ImproperlyConfigured(
                f"{name} is {text!r}: write an address, such as house@cards.example."
            ) from None
        return text


def _is_host(text: str) -> bool:
    """Whether a text is a host name, or an address of IPv4 or IPv6."""
    try:
        ip_address(text)
    except ValueError:
        return len(text) <= MAX_HOST_LENGTH and HOST.fullmatch(text) is not None
    return True


def _is_redis_url(text: str) -> bool:
    try:
        place = urlsplit(text)
        is_reachable = place.hostname is not None and place.port != 0
    except ValueError:
        return False
    if place.scheme == "unix":
        return place.path != ""
    is_database = re.fullmatch(r"(/[0-9]*)?", place.path) is not None
    return place.scheme in ("redis", "rediss") and is_reachable and is_database
