"""Where a process dies in the middle of a change: named places inside the real transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from accounts.ledger.transfers import Postings
from tables.engine.round import Round
from tables.game import commit, settlement
from tables.results import recording


class Killed(BaseException):
    """The process is gone. No ``except Exception`` sees this, and nothing after it is done."""


Fault = Callable[[Callable[..., Any]], Callable[..., Any]]


def _before(real: Callable[..., Any]) -> Callable[..., Any]:
    def killed(*args: Any, **options: Any) -> Any:
        raise Killed

    return killed


def _after(real: Callable[..., Any]) -> Callable[..., Any]:
    def killed(*args: Any, **options: Any) -> Any:
        real(*args, **options)
        raise Killed

    return killed


def _in_dealers_play(real: Callable[..., Any]) -> Callable[..., Any]:
    """With the hole card turned over and the dealer's first card drawn."""

    def killed(round_: Round, *args: Any) -> Any:
        real(round_, *args)
        if round_.is_hole_revealed:
            raise Killed

    return killed


FAULTS: dict[str, tuple[Any, str, Fault]] = {
    "with nothing written": (commit, "_write_changes", _before),
    "before the money moves": (Postings, "write", _before),
    "with the money moved": (Postings, "write", _after),
    "in the dealer's play": (Round, "_deal_to_dealer", _in_dealers_play),
    "before the settlement": (settlement, "settle_round", _before),
    "in the settlement": (recording, "record_results", _before),
    "with the results written": (recording, "record_results", _after),
    "before the change is numbered": (commit.insert_changes, "insert_values", _before),
    "before the commit": (commit, "commit_tables", _after),
}


@contextmanager
def dying(where: str) -> Iterator[None]:
    """Within the block the process dies as soon as it comes to this place."""
    owner, name, fault = FAULTS[where]
    real = getattr(owner, name)
    is_own = name in vars(owner)
    setattr(owner, name, fault(real))
    try:
        yield
    finally:
        if is_own:
            setattr(owner, name, real)
        else:
            delattr(owner, name)
