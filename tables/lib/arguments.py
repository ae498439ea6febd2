"""Parsers for command-line options: strict, with a sentence for each refusal."""

from __future__ import annotations

import datetime as dt
import math
import os
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

LONGEST_HOST = 253
LONGEST_PATH = 4095
LONGEST_NAME = 255
"""The limits of a host name, a path, and a name in a path."""


def whole_number_parser(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from ``least`` to ``most``."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        if digits.isascii() and digits.isdecimal() and len(digits) <= len(str(most)):
            number = int(text)
            if least <= number <= most:
                return number
        raise ArgumentTypeError(f"{_shorten(text)} is not a whole number from {least} to {most}")

    return read


def number_parser(least: float, most: float) -> Callable[[str], float]:
    """Return a reader of numbers from ``least`` to ``most``."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if least <= number <= most:
            return number
        raise ArgumentTypeError(f"{_shorten(text)} is not a number from {least:g} to {most:g}")

    return read


def parse_host(text: str) -> str:
    """Read an address to listen on. An empty one is refused: it would mean all addresses."""
    try:
        is_host = 0 < len(text.encode("idna")) <= LONGEST_HOST and "\0" not in text
    except UnicodeError:
        is_host = False
    if not is_host:
        raise ArgumentTypeError(f"{_shorten(text)} is not an address to listen on")
    return text


def parse_path(text: str) -> Path:
    """Read a path. An empty one is refused: it would mean the current folder."""
    path = Path(text)
    is_path = text and "\0" not in text and len(os.fsencode(text)) <= LONGEST_PATH
    if not is_path or any(len(os.fsencode(name)) > LONGEST_NAME for name in path.parts):
        raise ArgumentTypeError(f"{_shorten(text)} is not a path of a file or a folder")
    return path


def parse_time(text: str) -> dt.time:
    """Read a time of day, as ``03:15``."""
    try:
        return dt.datetime.strptime(text, "%H:%M").replace(tzinfo=dt.UTC).time()
    except ValueError:
        raise ArgumentTypeError(f"{_shorten(text)} is not a time such as 03:15") from None


def _shorten(text: str) -> str:
    """Shorten a value for a message."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
