"""What players did and were told, held against the database: nothing lost, doubled or stuck.

``python -m tests.chaos.audit FOLDER`` does it with the data of a server, and prints JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.client_log import UNSURE, History, Line, read_all
from tests.helpers.servers.fork_server import with_packages
from tests.helpers.servers.process import Server

LATE = 30
"""Seconds after its deadline at which an open round counts as stuck."""


@dataclass(frozen=True)
class Fault:
    """``kind``: ``lost``, ``doubled``, ``stuck``, ``events``, ``cards``, ``money``, ``line``."""

    kind: str
    words: str


def faults(histories: list[History]) -> Iterator[Fault]:
    """Everything in which the database and the players disagree. Needs Django to be set up."""
    from tests.chaos import audit_rounds

    stored = _Stored(histories)
    yield from _commands(histories, stored)
    for history in histories:
        yield from _lines(history)
        yield from _events(history, stored)
    yield from audit_rounds.faults(histories)


class _Stored:
    """The changes of the tables at which the bots were."""

    def __init__(self, histories: list[History]) -> None:
        from tables.models import Change, Table

        tables = {history.table for history in histories}
        self.last = dict(Table.objects.filter(pk__in=tables).values_list("pk", "seq"))
        self.events: dict[tuple[int, int], Any] = {}
        self.rows: dict[tuple[str, str], list[Line]] = defaultdict(list)
        changes = Change.objects.filter(table__in=tables).select_related("user")
        for change in changes.order_by("table", "seq"):
            self.events[change.table_id, change.seq] = change.events
            if change.user is not None:
                # By what stands in the command and not by its column, which is unique anyway.
                command = json.loads(change.command)
                row = {"table": change.table_id, "seq": change.seq, "command": command}
                self.rows[change.user.username, command["id"]].append(row)


def _commands(histories: list[History], stored: _Stored) -> Iterator[Fault]:
    """Each acknowledged command is there once, each unknown one at most once."""
    for history in histories:
        lines: dict[str, list[Line]] = defaultdict(list)
        for line in history.of("sent", "ok", "fail", "unknown"):
            lines[line["id"]].append(line)
        for line in history.of("invoke"):
            command = line["command"]
            rows = stored.rows[history.player, command["id"]]
            name = f"{command['t']} {command['id']} of {history.player}"
            yield from _command(name, command, lines[command["id"]], rows, history.table)


def _command(
    name: str, command: Line, lines: list[Line], rows: list[Line], table: int
) -> Iterator[Fault]:
    seqs = {line["seq"] for line in lines if line["what"] == "ok"}
    if len(rows) > 1 or len(seqs) > 1:
        yield Fault("doubled", f"{name}: done {len(rows)} times, answered with {sorted(seqs)}")
    if seqs and not rows:
        yield Fault("lost", f"{name}: acknowledged as change {sorted(seqs)}, and not there")
    for row in rows:
        if row["command"] | {"words": ""} != command | {"words": ""} or row["table"] != table:
            yield Fault("events", f"{name}: stored as {row}")
        if seqs and row["seq"] not in seqs:
            yield Fault("events", f"{name}: change {row['seq']}, acknowledged as {sorted(seqs)}")
    codes = [line["code"] for line in lines if line["what"] == "fail"]
    sent = sum(line["what"] == "sent" for line in lines)
    if rows and codes and sent == 1 and codes[0] not in UNSURE:
        yield Fault("events", f"{name}: refused as {codes}, and done all the same")


def _lines(history: History) -> Iterator[Fault]:
    for line in history.of("closed"):
        if 4400 <= line["code"] < 4500 or line["code"] == 1011:
            yield Fault("line", f"a page of {history.player} was closed with {line['code']}")


def _events(history: History, stored: _Stored) -> Iterator[Fault]:
    """What this page heard is a contiguous piece of what the table did, and the same."""
    where = f"at table {history.table}, {history.player}"
    at = 0
    for line in history.of("snapshot", "changed"):
        seq = line["seq"]
        if line["what"] == "snapshot":
            if seq > stored.last[history.table] or (seq < at and line["is_applied"]):
                yield Fault("events", f"{where} was at {at} and is shown {seq}")
            at = max(at, seq)
            continue
        if (history.table, seq) not in stored.events:
            yield Fault("events", f"{where} was told of change {seq}, which is not there")
        elif stored.events[history.table, seq] != line["events"]:
            yield Fault("events", f"{where} was told something else of change {seq}")
        if line["is_applied"]:
            if seq != at + 1:
                yield Fault("events", f"{where} went from {at} to {seq}: a hole")
            at = seq
    if at != stored.last[history.table]:
        yield Fault("events", f"{where} is at {at}, the table at {stored.last[history.table]}")


# As a program


def audit(server: Server, histories: list[History], folder: Path) -> dict[str, Any]:
    """Both audits in the data of ``server``: ours, and the house's own."""
    folder.mkdir(exist_ok=True)
    for number, history in enumerate(histories):
        history.write(folder, number)
    command = ["-m", "tests.chaos.audit", str(folder)]
    process = with_packages().run(command, server.environment, timeout=None)
    if process.returncode:
        raise RuntimeError(process.stderr[-4000:])
    report: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return report


def main(folder: Path) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    import django

    django.setup()
    from django.core.management import CommandError, call_command
    from django.db.models import Count, Q

    from tables.models import Round

    entries = [(fault.kind, fault.words) for fault in faults(read_all(folder))]
    try:
        call_command("audit")
    except CommandError as error:
        entries.append(("money", f"manage.py audit: {error}"))
    rounds = Round.objects.aggregate(
        rounds=Count("pk", filter=Q(dealt_at__isnull=False)),
        voided=Count("pk", filter=Q(voided_at__isnull=False)),
    )
    print(json.dumps({"faults": entries, **rounds}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
