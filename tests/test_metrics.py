"""Each number of ``/metrics`` moves when what it counts happens, and the docs say what it means."""

from __future__ import annotations

import asyncio
import datetime as dt
import math
import re
import threading
import uuid
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.db import OperationalError
from django.test import Client, override_settings
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts.lib.sql import optimistic
from accounts.models import HouseSettings, User
from blackjack_site.asgi import application
from tables.game import commands, deadlines, seats
from tables.game.commands import QueuedCommand
from tables.metrics import REGISTRY
from tables.models import Alert, AuditRun, Backup, Table
from tables.protocol.commands import Bet
from tables.protocol.frames import CloseCode
from tables.realtime import gauges, runtime
from tables.realtime.connections.connection import OUTBOX_BYTES, Connection
from tables.realtime.deadline_timer import DeadlineTimer
from tables.realtime.hub import Hub
from tables.realtime.redis_relay import MAX_WAITING
from tables.realtime.writers.writer import Writer, writer
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, code
from tests.realtime.test_sockets import ORIGIN, page
from tests.realtime.writers.test_writer import sitting, together

OPERATIONS = (Path(__file__).resolve().parent.parent / "docs/operations.md").read_text()
TOKEN = "a-token-that-chance-has-made"
SOCKETS = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]


def value(name: str, **labels: str) -> float:
    """What the registry has for this sample now; 0 when there is none yet."""
    return REGISTRY.get_sample_value(name, labels) or 0.0


def moved(name: str, **labels: str) -> Callable[[], float]:
    """By how much the number has moved since."""
    before = value(name, **labels)
    return lambda: value(name, **labels) - before


def marks(test: Any) -> Any:
    for mark in SOCKETS:
        test = mark(test)
    return test


async def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds, for as long as a slow machine may need."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def looked(name: str, **labels: str) -> float:
    """The gauge, after somebody fetched the metrics."""
    await database_sync_to_async(gauges.update_gauges)()
    return value(name, **labels)


# Commands


@marks
async def test_commands_are_counted_by_kind_and_answer(casino: TableClient, ann: User) -> None:
    successes = moved("blackjack_commands_total", command="sit", result="done")
    conflicts = moved("blackjack_commands_total", command="sit", result="seat_taken")
    wrong = moved("blackjack_commands_total", command="hit", result="stale_turn")
    unreadable = moved("blackjack_commands_total", command="unreadable", result="bad_json")
    strangers = moved("blackjack_commands_total", command="sit", result="login_required")
    measured = moved("blackjack_command_seconds_count")
    spent = moved("blackjack_command_seconds_sum")
    async with page(casino.table_id, ann) as anns, page(casino.table_id) as stranger:
        await anns.send(t="sit", seat=1)
        await anns.send(t="hit", turn=999)
        await anns.communicator.send_to(text_data="{")
        await anns.frame_of("err")
        await stranger.send(t="sit", seat=2)
    assert (successes(), wrong(), unreadable(), strangers()) == (1, 1, 1, 1)
    assert conflicts() == 0
    assert measured() == 2
    assert 0 < spent() < 10


@marks
async def test_a_line_of_chat_is_a_command_too(casino: TableClient, ann: User) -> None:
    chat_lines = moved("blackjack_commands_total", command="say", result="done")
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await anns.send(t="say", text="Good luck!")
    assert chat_lines() == 1


@marks
async def test_a_command_that_breaks_is_counted_as_what_its_sender_is_told(
    casino: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    internal = moved("blackjack_commands_total", command="sit", result="internal")
    busy = moved("blackjack_commands_total", command="sit", result="busy")
    answers: list[str] = []
    async with page(casino.table_id, ann) as anns:
        for failure in (ValueError("broken"), OperationalError("gone")):

            def fail(*_: Any, failure: Exception = failure, **__: Any) -> None:
                raise failure

            monkeypatch.setattr(seats, "sit_down", fail)
            answers.append((await anns.send(t="sit", seat=1))["code"])
    assert answers == ["internal", "busy"]
    assert (internal(), busy()) == (1, 1)


def test_labels_have_few_values() -> None:
    """No name and no id of a player is among them."""
    for family in REGISTRY.collect():
        for sample in family.samples:
            for label in sample.labels.values():
                assert re.fullmatch(r"[a-z_]+|[0-9.]+|\+Inf", label), sample


# Sockets


@marks
async def test_sockets_and_those_who_look_at_a_table_are_counted(
    casino: TableClient, ann: User
) -> None:
    sent = moved("blackjack_frames_sent_total")
    assert await looked("blackjack_sockets") == 0
    async with page(casino.table_id, ann) as anns, lobby():
        await anns.frame_of("snapshot")
        assert await looked("blackjack_sockets") == 2
        assert await looked("blackjack_viewers") == 1
    await until(lambda: sent() >= 1)
    assert await looked("blackjack_sockets") == 0


@asynccontextmanager
async def lobby() -> AsyncIterator[None]:
    """An open lobby."""
    headers = [(b"origin", ORIGIN.encode())]
    communicator = WebsocketCommunicator(application, "/ws/lobby/", headers=headers)
    assert (await communicator.connect(timeout=5))[0]
    try:
        yield
    finally:
        await communicator.disconnect()


@marks
async def test_a_page_that_missed_something_is_counted(casino: TableClient, ann: User) -> None:
    resyncs = moved("blackjack_resyncs_total")
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        await anns.communicator.send_to(text_data='{"t": "resync"}')
        await anns.frame_of("snapshot")
    assert resyncs() == 1


async def test_a_reader_who_is_too_slow_is_counted_once() -> None:
    slow = moved("blackjack_slow_readers_total")
    viewer = Connection()
    for _ in range(OUTBOX_BYTES // 1000 + 5):
        viewer.push("x" * 1000)
    assert slow() == 1


# What goes wrong


async def test_broadcasts_that_other_processes_do_not_hear_are_counted() -> None:
    failed = moved("blackjack_dropped_broadcasts_total", why="relay_send_failed")
    full = moved("blackjack_dropped_broadcasts_total", why="relay_full")
    hub = Hub()
    with override_settings(REDIS_URL="redis://127.0.0.1:1/0"):  # where nobody listens
        hub.start()
    hub.publish([("table.1", "{}")])
    await until(lambda: failed() == 1)
    hub.publish([("table.1", "{}")] * (MAX_WAITING + 3))
    assert full() == 3
    await hub.stop(CloseCode.RESTART)


@pytest.mark.django_db(transaction=True)
def test_a_batch_that_fails_as_a_whole_is_counted(
    casino: TableClient, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = moved("blackjack_failed_batches_total")
    own = Writer()

    def fail(*_: Any) -> None:
        raise OperationalError("deadlock detected")

    monkeypatch.setattr(commands, "execute", fail)
    together(own, sitting(casino, ann, 1), sitting(casino, ben, 2))
    own.stop()
    assert failures() == 1


@pytest.mark.django_db(transaction=True)
def test_chips_that_are_staked_at_two_tables_at_once_are_no_failure(ann: User) -> None:
    """The operators are not told that the database fails: one bet is refused."""
    failures = moved("blackjack_failed_batches_total")
    own, bets = Writer(), []
    balance = ann.wallet.balance
    for at in (new_table("casino"), new_table("casino")):
        sit_down(at, ann)
        bet = Bet(uuid.uuid4(), at.row.turn, balance - balance % 100)
        bets.append(QueuedCommand(at.table_id, ann.pk, bet))
    answers = sorted(code(future.result()) for future in together(own, *bets))
    own.stop()
    assert (answers, failures()) == (["cannot_afford", "done"], 0)


async def test_a_clock_that_cannot_look_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    failures = moved("blackjack_clock_failures_total")

    def refuse(*_: Any, **__: Any) -> Future[Any]:
        raise OperationalError("gone")

    monkeypatch.setattr(writer, "submit", refuse)
    clock = asyncio.create_task(DeadlineTimer().run())
    await until(lambda: failures() == 1)
    clock.cancel()


@marks
async def test_a_table_whose_clock_cannot_be_applied_is_counted(
    casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = moved("blackjack_clock_failures_total")

    def refuse(*_: Any) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(deadlines, "apply_deadline", refuse)
    past = timezone.now() - dt.timedelta(seconds=5)
    monkeypatch.setattr(deadlines, "list_overdue_tables", lambda _, ids: ids)

    def has_failed() -> bool:
        runtime._Running.timer.expect(casino.table_id, past)
        return failures() >= 1

    await until(has_failed)


@pytest.mark.django_db
def test_the_lag_of_a_deadline_is_measured(casino: TableClient, ann: User) -> None:
    measured = moved("blackjack_deadline_lag_seconds_count")
    total = moved("blackjack_deadline_lag_seconds_sum")
    casino.sit(ann, 1)
    casino.sit(User.objects.create(username="other"), 2)
    casino.bet(ann, 1000)
    deadline_at = casino.row.deadline_at
    assert deadline_at is not None
    assert deadlines.apply_deadline(casino.table_id, deadline_at) == ()
    assert measured() == 0
    assert deadlines.apply_deadline(casino.table_id, deadline_at + dt.timedelta(seconds=3))
    assert measured() == 1
    assert total() == pytest.approx(3)


# How things stand


def test_changes_that_wait_are_counted(stopped_writer: None) -> None:
    go_on, begun = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        go_on.wait(10)

    futures = [writer.submit(hold)]
    begun.wait(10)
    futures += [writer.submit(lambda: None) for _ in range(3)]
    gauges.update_gauges()
    assert value("blackjack_writer_queue") == 3
    go_on.set()
    for each in futures:
        each.result(10)
    gauges.update_gauges()
    assert value("blackjack_writer_queue") == 0


@pytest.mark.django_db
def test_tables_rounds_seats_and_clocks_are_counted(
    casino: TableClient, classic: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    gauges.update_gauges()
    assert value("blackjack_database_up") == 1
    assert value("blackjack_tables", state="open") == 2
    assert value("blackjack_rounds_in_play") == value("blackjack_seats_taken") == 0
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    past = timezone.now() - dt.timedelta(minutes=1)
    Table.objects.filter(pk=casino.table_id).update(deadline_at=past)
    Table.objects.filter(pk=classic.table_id).update(paused_at=past)
    gauges.update_gauges()
    assert value("blackjack_rounds_in_play") == value("blackjack_seats_taken") == 1
    assert value("blackjack_overdue_deadlines") == 1
    assert value("blackjack_tables", state="paused") == 1
    Table.objects.filter(pk=classic.table_id).update(closed_at=past)
    gauges.update_gauges()
    assert value("blackjack_tables", state="open") == 1
    assert value("blackjack_tables", state="paused") == 0


@pytest.mark.django_db
def test_the_last_audit_that_was_finished_is_told() -> None:
    gauges.update_gauges()
    assert value("blackjack_audit_finished_timestamp_seconds") == 0
    now = timezone.now()
    AuditRun.objects.create(started_at=now, seen_at=now, finished_at=now, faults=["a", "b"])
    AuditRun.objects.create(started_at=now, seen_at=now)  # still running
    gauges.update_gauges()
    assert value("blackjack_audit_faults") == 2
    assert value("blackjack_audit_finished_timestamp_seconds") == pytest.approx(now.timestamp())


@pytest.mark.django_db
def test_backups_maintenance_and_what_waits_are_told(casino: TableClient, ann: User) -> None:
    gauges.update_gauges()
    assert value("blackjack_backup_finished_timestamp_seconds") == 0
    assert value("blackjack_maintenance") == 0
    assert value("blackjack_waiting", kind="rack") == value("blackjack_alerts", kind="rack") == 0
    assert math.isnan(value("blackjack_redis_up"))
    now = timezone.now()
    epoch = HouseSettings.objects.get().epoch
    Backup.objects.create(epoch=epoch, finished_at=now, name="a", size=1)
    later = now + dt.timedelta(hours=1)
    Backup.objects.create(epoch="another", finished_at=later, name="b", size=1)  # before a restore
    HouseSettings.objects.update(maintenance_at=now - dt.timedelta(minutes=1))
    Table.objects.filter(pk=casino.table_id).update(paused_at=now, fill_limit=1, auto_filled=2)
    values = {"text": "…", "path": "/admin/", "since": now, "opened_at": now}
    Alert.objects.create(kind="rack", subject="table:1", **values)
    Alert.objects.create(kind="rack", subject="table:2", ended_at=now, **values)
    optimistic.forget_all()
    gauges.update_gauges()
    assert value("blackjack_backup_finished_timestamp_seconds") == pytest.approx(now.timestamp())
    assert value("blackjack_maintenance") == 1
    assert value("blackjack_waiting", kind="rack") == value("blackjack_alerts", kind="rack") == 1
    assert value("blackjack_waiting", kind="report") == value("blackjack_waiting", kind="void") == 0


async def test_redis_is_told_to_be_away() -> None:
    hub = Hub()
    assert hub.is_relay_connected is None
    with override_settings(REDIS_URL="redis://127.0.0.1:1/0"):  # where nobody listens
        hub.start()
    assert hub.is_relay_connected is False
    await hub.stop(CloseCode.RESTART)


def test_without_a_database_the_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(gauges, "_update_database_gauges", refuse)
    page = Client().get("/metrics")
    assert page.status_code == 200
    assert value("blackjack_database_up") == 0
    assert math.isnan(value("blackjack_seats_taken"))
    assert "blackjack_sockets 0.0" in page.content.decode()


# Who may read it


@pytest.mark.django_db
def test_the_page_is_what_prometheus_reads(client: Client) -> None:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = {family.name for family in text_string_to_metric_families(answer.content.decode())}
    assert names() <= families
    assert "process_resident_memory_bytes" in families


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "headers", "proxies", "status"),
    [
        ("127.0.0.1", {}, 0, 200),
        ("127.8.9.1", {}, 0, 200),
        ("::1", {}, 0, 200),
        ("::ffff:127.0.0.1", {}, 0, 200),
        ("192.0.2.1", {}, 0, 404),
        ("::ffff:192.0.2.1", {}, 0, 404),
        ("", {}, 0, 404),
        # A proxy on this machine that nobody told us of
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.1"}, 0, 404),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1"}, 0, 404),
        ("127.0.0.1", {"forwarded": "for=127.0.0.1"}, 0, 404),
        ("127.0.0.1", {"x-real-ip": "127.0.0.1"}, 0, 404),
        ("127.0.0.1", {"x-forwarded-host": "localhost"}, 0, 404),
        ("127.0.0.1", {"x-forwarded-proto": "https"}, 0, 404),
        ("127.0.0.1", {"via": "1.1 proxy"}, 0, 404),
        # One that we know, and that does not say for whom it asks
        ("127.0.0.1", {"x-real-ip": "127.0.0.1"}, 1, 404),
        ("127.0.0.1", {"x-forwarded-proto": "https"}, 1, 404),
        ("127.0.0.1", {"x-real-ip": "127.0.0.1", "x-forwarded-for": "127.0.0.1"}, 1, 200),
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.1", "via": "1.1 proxy"}, 1, 404),
        # One that we know
        ("127.0.0.1", {}, 1, 200),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1"}, 1, 200),
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.1"}, 1, 404),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1, 192.0.2.1"}, 1, 404),
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.1, 127.0.0.1"}, 1, 404),
        ("127.0.0.1", {"x-forwarded-for": ""}, 1, 404),
        ("10.0.0.2", {"x-forwarded-for": "127.0.0.1"}, 1, 404),
    ],
)
def test_programs_on_this_machine_read_it_and_others_find_nothing(
    address: str, headers: dict[str, str], proxies: int, status: int
) -> None:
    with override_settings(ALLAUTH_TRUSTED_PROXY_COUNT=proxies):
        answer = Client(REMOTE_ADDR=address, headers=headers).get("/metrics")
    assert answer.status_code == status
    assert (b"blackjack_sockets" in answer.content) is (status == 200)


@pytest.fixture
def elsewhere(db: None) -> Client:
    return Client(REMOTE_ADDR="192.0.2.1")


@override_settings(METRICS_TOKEN=TOKEN)
@pytest.mark.parametrize(
    ("credential", "status"),
    [
        (f"Bearer {TOKEN}", 200), (f"bearer  {TOKEN}", 200), (f"Bearer {TOKEN}x", 404),
        (f"Bearer {TOKEN[:-1]}", 404), ("Bearer ", 404), ("Bearer", 404), (TOKEN, 404),
        (f"Basic {TOKEN}", 404), ("Bearer ü", 404), ("", 404),
    ],
)  # fmt: skip
def test_who_has_the_token_reads_it_from_anywhere(
    credential: str, status: int, elsewhere: Client
) -> None:
    answer = elsewhere.get("/metrics", headers={"authorization": credential})
    assert answer.status_code == status


@pytest.mark.parametrize("credential", ["Bearer ", "Bearer", "Bearer x"])
def test_without_a_token_nobody_has_it(credential: str, elsewhere: Client) -> None:
    answer = elsewhere.get("/metrics", headers={"authorization": credential})
    assert answer.status_code == 404


@pytest.mark.parametrize(("role", "status"), [("floor", 200), ("manager", 200), ("cashier", 404)])
def test_operators_who_see_tables_read_it(
    role: str, status: int, elsewhere: Client, operator: Callable[..., User]
) -> None:
    elsewhere.force_login(operator(role))
    assert elsewhere.get("/metrics").status_code == status


def test_players_find_nothing(elsewhere: Client, ann: User) -> None:
    elsewhere.force_login(ann)
    assert elsewhere.get("/metrics").status_code == 404


@pytest.mark.django_db
def test_it_is_read_and_not_written_to(client: Client) -> None:
    assert client.post("/metrics").status_code == 405


# What it means


def names() -> set[str]:
    """The metrics of this process, as an alert names them without an ending."""
    return {family.name for family in REGISTRY.collect()}


def samples() -> set[str]:
    """What can stand in an alert."""
    endings = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}
    return {
        family.name + ending
        for family in REGISTRY.collect()
        for ending in endings.get(family.type, ("",))
    }


def section(title: str) -> str:
    return OPERATIONS.split(f"## {title}\n")[1].split("\n## ")[0]


def test_every_metric_is_in_the_operations_and_no_other() -> None:
    table = section("Metrics").split("### Alerts")[0]
    described = re.findall(r"^\| `(\w+)`", table, re.MULTILINE)
    counted = {family.name: family.type for family in REGISTRY.collect()}
    written = {f"{n}_total" if kind == "counter" else n for n, kind in counted.items()}
    assert sorted(described) == sorted(written)


def test_alerts_name_metrics_that_exist() -> None:
    alerts = section("Metrics").split("### Alerts")[1]
    expressions = re.findall(r"^\| \w+ \| `([^`]+)` \|", alerts, re.MULTILINE)
    assert len(expressions) >= 10
    for expression in expressions:
        named = re.findall(r"\b(?:blackjack|process)_\w+", expression)
        assert named or re.match(r"up\b", expression), expression
        assert set(named) <= samples(), expression
        assert expression.count("(") == expression.count(")")


@pytest.mark.parametrize(
    "metric",
    [
        "blackjack_database_up", "blackjack_overdue_deadlines", "blackjack_audit_faults",
        "blackjack_deadline_lag_seconds_bucket", "blackjack_command_seconds_bucket",
        "blackjack_dropped_broadcasts_total", "blackjack_failed_batches_total",
        "blackjack_clock_failures_total", "blackjack_slow_readers_total",
        "blackjack_resyncs_total", "blackjack_writer_queue", "blackjack_commands_total",
        "blackjack_audit_finished_timestamp_seconds", "process_open_fds",
        "process_resident_memory_bytes",
    ],
)  # fmt: skip
def test_there_is_an_alert_for_each_thing_that_can_hurt(metric: str) -> None:
    alerts = section("Metrics").split("### Alerts")[1]
    assert metric in " ".join(re.findall(r"^\| \w+ \| `([^`]+)` \|", alerts, re.MULTILINE))
