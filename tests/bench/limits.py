"""What a house has only so much of, and with how many players it is full."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tests.bench.capacity import Costs, Evening, House

MOST = 10**12
"""Players. What is not full with so many is never full."""


@dataclass(frozen=True)
class Limit:
    """``used``: of what there is; more than 1 is too much. ``is_shared``: only parts help."""

    what: str
    used: Callable[[House], float]
    add: str
    is_shared: bool = False


LIMITS = (
    Limit(
        "one process on SQLite",
        lambda house: house.alone / house.evening.busy,
        "PostgreSQL, Redis, and processes",
    ),
    Limit(
        "sockets of one process",
        lambda house: house.sockets / house.evening.files,
        "a higher limit of open files, or processes",
    ),
    Limit(
        "PostgreSQL's connections",
        lambda house: house.processes * house.evening.pool / house.evening.connections,
        "a higher max_connections, or a smaller DATABASE_POOL",
    ),
    Limit(
        "Redis, one core",
        lambda house: house.redis,
        "parts",
        is_shared=True,
    ),
    Limit(
        "PostgreSQL, a primary's cores",
        lambda house: house.postgresql / house.evening.primary,
        "a read replica for pages; then parts",
        is_shared=True,
    ),
    Limit(
        "PostgreSQL, commits",
        lambda house: house.commands / house.evening.commits,
        "a quicker disk; then parts",
        is_shared=True,
    ),
    Limit(
        "news and clocks at each process",
        lambda house: house.everywhere / house.evening.busy,
        "parts, each with a lobby of its own",
        is_shared=True,
    ),
    Limit(
        "the disk, in a year",
        lambda house: house.books_gb / 1000 / house.evening.disk,
        "disk; old rounds into partitions of their own",
    ),
    Limit(
        "the line to the players",
        lambda house: house.megabits / 1000 / house.evening.line,
        "proxies",
    ),
)


def full_at(limit: Limit, costs: Costs, evening: Evening) -> float:
    """With how many players it is full; endless where it never is."""
    low, high = 1.0, float(MOST)
    if limit.used(House(high, costs, evening)) <= 1:
        return math.inf
    while high - low > 1:
        middle = (low + high) / 2
        if limit.used(House(middle, costs, evening)) <= 1:
            low = middle
        else:
            high = middle
    return low


def parts_for(players: float, costs: Costs, evening: Evening) -> int:
    """How many houses beside each other, tables and players divided among them."""
    shared = (full_at(limit, costs, evening) for limit in LIMITS if limit.is_shared)
    return math.ceil(players / min(shared))
