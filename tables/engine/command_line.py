"""Command lines that refuse ``--`` as the value of an option, on every Python."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

_DASHES = re.compile(r"(?P<long>--?[^=]+)=--|(?P<short>-[^-])--", re.DOTALL)
"""``--name=--``, ``-n=--`` or ``-n--``."""


class Parser(argparse.ArgumentParser):
    """Argparse's parser. Before Python 3.13 it returns an empty list for such a value."""

    def parse_known_args(  # type: ignore[override]  # the stubs overload it
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        arguments = sys.argv[1:] if args is None else list(args)
        if fault := describe_fault(arguments):
            self.error(fault)
        return super().parse_known_args(arguments, namespace)


def describe_fault(arguments: Iterable[str]) -> str:
    """Return why no parser should read these arguments, in a sentence; empty if one may.

    >>> describe_fault(["play", "--seats=--"])
    'argument --seats: expected a value, and not --'
    >>> describe_fault(["play", "--seats=2", "--", "--seats=--"])
    ''
    """
    for argument in takewhile(lambda argument: argument != "--", arguments):
        if match := _DASHES.fullmatch(argument):
            return f"argument {match['long'] or match['short']}: expected a value, and not --"
    return ""
