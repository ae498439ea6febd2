"""``make model``: what so many players need, and what is full first, from measured costs.

``make bench > lines.json`` and ``make model LINES=lines.json`` take the costs from that run; what
it does not tell is as it was when the defaults were written down. What people do is assumed:
``python -m tests.bench.model --help`` lists it. All of it is arithmetic, and no promise.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

from tables.engine.command_line import Parser
from tables.lib import arguments
from tests.bench.capacity import Costs, Evening, House
from tests.bench.limits import LIMITS, full_at, parts_for

EVENINGS = {"10 thousand": 10**4, "1 million": 10**6, "100 million": 10**8}

ROWS: dict[str, Callable[[House], float]] = {
    "online at the peak": lambda house: house.online,
    "tables": lambda house: house.tables,
    "commands a second": lambda house: house.commands,
    "server processes, a core each": lambda house: house.processes,
    "cores for grades, all hours": lambda house: house.grades,
    "cores of PostgreSQL": lambda house: house.postgresql,
    "cores of Redis": lambda house: house.redis,
    "Mbit/s to the players": lambda house: house.megabits,
    "GB of memory": lambda house: house.memory_gb,
    "MB/s of PostgreSQL's log": lambda house: house.log_mb,
    "GB of books a year": lambda house: house.books_gb,
}


def report(costs: Costs, evening: Evening, untold: set[str]) -> Iterator[str]:
    """One screen. ``untold``: the costs that no line of a bench told."""
    yield from list_costs(costs, untold)
    yield ""
    house = House(1_000_000, costs, evening)
    per_core, work = house.players_of_a_core, house.work
    yield (
        f"A core of a server process is enough for {spelled(per_core)} players,"
        f" {spelled(per_core * evening.online)} of them online. It works on"
    )
    shares = (f"{name} {part / sum(work.values()):.0%}" for name, part in work.items())
    yield ", ".join(shares) + "."
    yield ""
    yield f"{'players':32}" + "".join(f"{name:>15}" for name in EVENINGS)
    parts = {players: parts_for(players, costs, evening) for players in EVENINGS.values()}
    for name, of in ROWS.items():
        figures = (of(House(n / parts[n], costs, evening)) * parts[n] for n in parts)
        yield f"{name:32}" + "".join(f"{spelled(figure):>15}" for figure in figures)
    yield f"{'parts':32}" + "".join(f"{spelled(number):>15}" for number in parts.values())
    yield ""
    yield f"{'full first':32}{'at players':>15}  what to add"
    for limit in sorted(LIMITS, key=lambda each: full_at(each, costs, evening)):
        at = spelled(full_at(limit, costs, evening))
        yield f"{limit.what:32}{at:>15}  {limit.add}"


def list_costs(costs: Costs, untold: set[str]) -> Iterator[str]:
    """The costs, each with the line of the bench that tells it."""
    for each in fields(Costs):
        source = "as written down" if each.name in untold else each.metadata["line"]
        value = spelled(getattr(costs, each.name))
        yield f"{each.name:14}{value:>8}  {each.metadata['is']:50}{source}"


def spelled(figure: float) -> str:
    """With no more digits than mean something.

    >>> spelled(1234567.0), spelled(0.123), spelled(float("inf"))
    ('1,230,000', '0.12', 'never')
    """
    if math.isinf(figure):
        return "never"
    if figure >= 100:
        digits = len(str(int(figure))) - 3
        return f"{round(figure, -digits):,.0f}"
    return f"{figure:.2g}" if figure < 10 else f"{figure:.0f}"


def costs_in(path: Path) -> tuple[Costs, set[str]]:
    """The costs that lines of the bench tell, and the names of those that they do not.

    Raises ``ValueError`` with a sentence where the file is not one of such lines.
    """
    try:
        lines = [json.loads(text) for text in path.read_text().splitlines() if text.strip()]
        named = {line["name"]: line for line in lines}
        values = {
            each.name: each.metadata["of"](named[each.metadata["line"]])
            for each in fields(Costs)
            if each.metadata["line"] in named
        }
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not what make bench prints: a JSON object a line.") from error
    return Costs(**values), {each.name for each in fields(Costs)} - set(values)


def main(argv: list[str] | None = None) -> None:
    parser = Parser(prog="python -m tests.bench.model")
    parser.add_argument("--lines", type=arguments.parse_path, help="what make bench has printed")
    amount = arguments.number_parser(0, 10**9)
    for each in fields(Evening):
        words = f"{each.metadata['is']} ({each.default:g})"
        parser.add_argument(f"--{each.name}", type=amount, default=each.default, help=words)
    options = vars(parser.parse_args(argv))
    lines = options.pop("lines")
    try:
        costs, untold = costs_in(lines) if lines else (Costs(), {f.name for f in fields(Costs)})
    except ValueError as error:
        sys.exit(str(error))
    try:
        print("\n".join(report(costs, Evening(**options), untold)))
    except ZeroDivisionError:
        parser.error("with such a 0 nothing can be reckoned")


if __name__ == "__main__":
    main()
