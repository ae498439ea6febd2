"""What a house of so many players needs, and what is full first: arithmetic from measured costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SEATS = 3
LOBBY_NEWS_A_ROUND = 2
"""When cards are dealt, and when the round is over."""
LOBBY_PAUSE_SECONDS = 1.0
"""A page of the lobby gets one frame in that time at most; tables/realtime/lobby_feed.py has it."""


def value(line: dict[str, Any]) -> float:
    return float(line["value"])


def of_2000_sockets(line: dict[str, Any]) -> float:
    """Of a core's second, in milliseconds, for one of them."""
    return 1000 * value(line) / 2000


def thousands(line: dict[str, Any]) -> float:
    return value(line) / 1000


def measured(
    default: float, line: str, words: str, of: Callable[[dict[str, Any]], float] = value
) -> Any:
    """A cost; ``line`` is the name of the line of the bench that tells it."""
    return field(default=default, metadata={"line": line, "is": words, "of": of})


def assumed(default: float, words: str) -> Any:
    """Something that people do, or that a machine has."""
    return field(default=default, metadata={"is": words})


@dataclass(frozen=True)
class Costs:
    """``_ms`` are of a processor, ``_kb`` of thousand bytes."""

    sqlite_ms: float = measured(
        0.46, "cpu_ms_per_command_twenty_tables_daphne_sqlite", "a command on SQLite, all of it"
    )
    servers_ms: float = measured(
        0.64,
        "two_processes_cpu_ms_per_command_of_servers_by_table",
        "a command: server processes",
    )
    postgresql_ms: float = measured(
        0.21,
        "two_processes_cpu_ms_per_command_of_postgresql_by_table",
        "a command: PostgreSQL",
    )
    relay_ms: float = measured(
        0.17, "server_cpu_ms_per_relayed_frame", "a frame to another process: both of them"
    )
    redis_ms: float = measured(
        0.04, "redis_cpu_ms_per_relayed_frame", "a frame to another process: Redis"
    )
    clock_ms: float = measured(
        0.86, "server_cpu_ms_per_clock_of_another_process", "a clock that ran out elsewhere"
    )
    clock_there_ms: float = measured(
        0.72, "postgresql_cpu_ms_per_clock_of_another_process", "the same: PostgreSQL"
    )
    lobby_frame_ms: float = measured(
        0.052, "cpu_ms_per_lobby_frame", "changed tables for a page of the lobby"
    )
    lobby_page_ms: float = measured(9.1, "lobby_ms", "the page of the lobby")
    table_page_ms: float = measured(7.7, "table_ms", "the page of a table")
    history_page_ms: float = measured(10.5, "history_ms", "the page of the history")
    socket_ms: float = measured(
        0.0257, "core_with_2000_idle_sockets", "an idle socket, a second", of_2000_sockets
    )
    socket_kb: float = measured(39, "kilobytes_per_watcher", "memory of a socket")
    table_kb: float = measured(
        26.3, "kilobytes_per_open_table", "memory of a table, in each process"
    )
    round_kb: float = measured(
        14.8, "bytes_of_a_round_casino", "a round on the wire, for one page", thousands
    )
    grade_ms: float = measured(
        17.5, "server_cpu_ms_per_graded_round", "the grades of a round, when there is time"
    )
    books_kb: float = measured(4.8, "kb_of_books_per_round", "a round in PostgreSQL, for ever")
    log_kb: float = measured(2.6, "kb_of_wal_per_command", "a command in PostgreSQL's log")


@dataclass(frozen=True)
class Evening:
    """What people do at the peak, and what the machines are."""

    online: float = assumed(0.1, "share of all players who are there at the peak")
    lobby: float = assumed(0.05, "share of those who look at the lobby, and sit nowhere")
    commands: float = assumed(4, "commands a minute of each who sits")
    rounds: float = assumed(100, "rounds an hour at each table of three")
    late: float = assumed(0.02, "share of commands that the clock gives, as nobody did")
    watchers: float = assumed(0.5, "who look on at each table")
    lobby_pages: float = assumed(4, "requests of the lobby page per hour and online player")
    table_pages: float = assumed(4, "requests of a table page per hour and online player")
    other_pages: float = assumed(
        2, "requests of other pages per hour and online player, each at the cost of the history"
    )
    spread: float = assumed(
        1, "processes at which the pages of a table are; more without the proxy's hash"
    )
    hours: float = assumed(6, "hours a day at the peak that make up a whole day")
    busy: float = assumed(0.6, "share of a processor that may be used at the peak")
    primary: float = assumed(32, "cores of the largest PostgreSQL")
    commits: float = assumed(10_000, "commits a second that its disk can do")
    connections: float = assumed(100, "connections that PostgreSQL takes (max_connections)")
    pool: float = assumed(8, "of them for each process (DATABASE_POOL)")
    memory: float = assumed(100, "MB of a server process that serves nobody yet")
    files: float = assumed(65536, "files and sockets that a process may have open")
    disk: float = assumed(4, "TB of disk for the books")
    line: float = assumed(10, "Gbit/s to the players")


@dataclass(frozen=True)
class House:
    """One PostgreSQL, one Redis, as many server processes as are needed: for so many players."""

    players: float
    costs: Costs = Costs()
    evening: Evening = Evening()

    @property
    def online(self) -> float:
        return self.players * self.evening.online

    @property
    def tables(self) -> float:
        return self.online * (1 - self.evening.lobby) / SEATS

    @property
    def sockets(self) -> float:
        return self.online + self.tables * self.evening.watchers

    @property
    def commands(self) -> float:
        """Each second."""
        return self.tables * SEATS * self.evening.commands / 60

    @property
    def rounds(self) -> float:
        """Each second."""
        return self.tables * self.evening.rounds / 3600

    @property
    def viewers(self) -> float:
        """Of one table."""
        return SEATS + self.evening.watchers

    @property
    def lobby_frames(self) -> float:
        """Frames that pages of the lobby get each second."""
        news = LOBBY_NEWS_A_ROUND * self.rounds
        return self.online * self.evening.lobby * min(1 / LOBBY_PAUSE_SECONDS, news)

    @property
    def alone(self) -> float:
        """The part of a processor that one process on SQLite uses for all of it."""
        return self.commands * self.costs.sqlite_ms / 1000 + sum(self._besides.values())

    @property
    def late(self) -> float:
        """Clocks that run out each second; every process looks at each of them."""
        return self.commands * self.evening.late

    @property
    def everywhere(self) -> float:
        """The part of a processor that *each* process uses for what happens in all the house."""
        news = LOBBY_NEWS_A_ROUND * self.rounds * self._hearing_ms
        return (news + self.late * self.costs.clock_ms) / 1000

    @property
    def grades(self) -> float:
        """Cores that grade rounds, on an average of all hours: at the peak they wait."""
        return self.rounds * self.evening.hours / 24 * self.costs.grade_ms / 1000

    @property
    def processes(self) -> float:
        """Server processes, each on a core of its own; endless where such news fill them."""
        spare = self.evening.busy - self.everywhere
        return math.ceil(sum(self.work.values()) / spare) if spare > 0 else math.inf

    @property
    def players_of_a_core(self) -> float:
        """For how many players a core is enough that runs a server process."""
        return self.players * self.evening.busy / sum(self.work.values())

    @property
    def postgresql(self) -> float:
        """Cores."""
        clocks = self.late * self.processes * self.costs.clock_there_ms
        work = self.commands * self.costs.postgresql_ms + clocks
        return work / 1000 / self.evening.busy

    @property
    def redis(self) -> float:
        """Cores, of which it can use one."""
        carried = (
            self.commands * self.evening.spread + LOBBY_NEWS_A_ROUND * self.rounds * self.processes
        )
        return carried * self.costs.redis_ms / 1000 / self.evening.busy

    @property
    def megabits(self) -> float:
        return self.rounds * self.viewers * self.costs.round_kb * 8 / 1000

    @property
    def memory_gb(self) -> float:
        of_tables = self.tables * self.evening.spread * self.costs.table_kb
        of_sockets = self.sockets * self.costs.socket_kb
        return (of_tables + of_sockets) / 1e6 + self.processes * self.evening.memory / 1e3

    @property
    def log_mb(self) -> float:
        """Each second."""
        return self.commands * self.costs.log_kb / 1000

    @property
    def books_gb(self) -> float:
        """Each year."""
        seconds = 365 * self.evening.hours * 3600
        return self.rounds * seconds * self.costs.books_kb / 1e6

    @property
    def work(self) -> dict[str, float]:
        """Processors that all server processes keep busy, by what with, but for news and clocks."""
        return {
            "commands": self.commands * self.costs.servers_ms / 1000,
            "what other processes tell": self.commands * self._relay_ms / 1000,
        } | self._besides

    @property
    def _relay_ms(self) -> float:
        """For a command: its frame at the other processes."""
        return (self.evening.spread - 1) * self._hearing_ms

    @property
    def _hearing_ms(self) -> float:
        """The half of a relayed frame that is its receiver's."""
        return self.costs.relay_ms / 2

    @property
    def _pages_ms(self) -> float:
        """Processor time for the page requests of one online player in an hour."""
        costs, evening = self.costs, self.evening
        return (
            evening.lobby_pages * costs.lobby_page_ms
            + evening.table_pages * costs.table_page_ms
            + evening.other_pages * costs.history_page_ms
        )

    @property
    def _besides(self) -> dict[str, float]:
        return {
            "pages": self.online * self._pages_ms / 3600 / 1000,
            "frames for the lobby": self.lobby_frames * self.costs.lobby_frame_ms / 1000,
            "idle sockets": self.sockets * self.costs.socket_ms / 1000,
        }
