"""The audit runs from its page, beside the game, and says how far it is and what it found."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.ledger import audit as accounts_audit
from accounts.ledger.audit import ReportProgress
from accounts.models import Account, Act, User
from tables.models import AuditRun
from tables.operators.books import audit_runs
from tests.helpers.table_client import TableClient, code

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/admin/books/audit/"


class HeldAudit:
    """An audit that stops in its second step until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.has_come, self.may_go_on = threading.Event(), threading.Event()
        faults = accounts_audit.find_faults

        def find_after_pause(tell: ReportProgress) -> Iterator[str]:
            tell("chains", 3, 8)
            self.has_come.set()
            assert self.may_go_on.wait(20)
            yield from faults(tell)

        monkeypatch.setattr(accounts_audit, "find_faults", find_after_pause)
        monkeypatch.setattr(audit_runs, "_TELL_SECONDS", 0.05)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch, stopped_writer: None) -> Iterator[HeldAudit]:
    audit = HeldAudit(monkeypatch)
    yield audit
    audit.may_go_on.set()
    wait_for(lambda: not AuditRun.objects.filter(finished_at=None).exists())


@pytest.fixture
def manager(client: Client, operator: Callable[..., User], stopped_writer: None) -> Client:
    client.force_login(operator("manager"))
    return client


def wait_for(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


def run_to_its_end(manager: Client) -> AuditRun:
    assert manager.post(PAGE + "run/").status_code == 302
    wait_for(lambda: AuditRun.objects.filter(finished_at__isnull=False).exists())
    return AuditRun.objects.get()


def page(manager: Client) -> str:
    return " ".join(manager.get(PAGE).content.decode().split())


def test_an_audit_from_the_page_says_that_everything_adds_up(
    manager: Client, casino: TableClient, ann: User
) -> None:
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    run = run_to_its_end(manager)
    assert run.faults == []
    assert "Everything adds up." in page(manager)
    act = Act.objects.get()
    assert (act.what, act.subject, act.by.username) == ("audit", f"auditrun:{run.pk}", "manager")


def test_what_does_not_add_up_is_listed(manager: Client, ann: User, ben: User) -> None:
    Account.objects.filter(user__in=[ann, ben]).update(balance=1)
    run = run_to_its_end(manager)
    assert len(run.faults) == 3
    text = page(manager)
    assert "3 differences" in text
    assert f"account {ann.wallet.pk} (wallet of ann) holds 1, but" in text


def test_of_very_many_faults_the_first_are_kept(
    manager: Client, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_runs, "MOST_FAULTS", 2)
    Account.objects.filter(user__in=[ann, ben]).update(balance=1)
    run = run_to_its_end(manager)
    assert [fault[:7] for fault in run.faults[:2]] == ["account", "account"]
    assert run.faults[2:] == ["there are more differences"]


def test_its_page_says_how_far_it_is(manager: Client, held: HeldAudit) -> None:
    manager.post(PAGE + "run/")
    assert held.has_come.wait(20)
    wait_for(lambda: AuditRun.objects.get().of == 8)
    progress = manager.get(PAGE + "progress/").json()
    assert progress | {"so_long": ""} == {
        "is_running": True, "step": "Transfers in sequence", "number": 2, "of_steps": 11,
        "done": 3, "of": 8, "so_long": "",
    }  # fmt: skip
    assert 'value="3" max="8"' in page(manager)
    assert "Run the audit" not in page(manager)
    held.may_go_on.set()
    wait_for(lambda: AuditRun.objects.get().finished_at is not None)
    assert manager.get(PAGE + "progress/").json() == {"is_running": False}


def test_the_game_goes_on_meanwhile(
    manager: Client, held: HeldAudit, casino: TableClient, ann: User
) -> None:
    """What happens after it began is not seen by it, and nobody waits."""
    manager.post(PAGE + "run/")
    assert held.has_come.wait(20)
    assert code(casino.sit(ann, 1)) == code(casino.bet(ann, 1000)) == "done"
    held.may_go_on.set()
    wait_for(lambda: AuditRun.objects.get().finished_at is not None)
    assert AuditRun.objects.get().faults == []


def test_one_runs_at_a_time(manager: Client, held: HeldAudit) -> None:
    manager.post(PAGE + "run/")
    assert held.has_come.wait(20)
    text = manager.post(PAGE + "run/", follow=True).content.decode()
    assert "The audit is already running." in text
    with pytest.raises(CommandError, match="running already"):
        call_command("audit")
    assert AuditRun.objects.count() == Act.objects.count() == 1


def test_two_who_ask_at_once_start_one(operator: Callable[..., User], held: HeldAudit) -> None:
    by, runs = Operator(operator("manager").pk), []
    start = threading.Barrier(2)

    def ask() -> None:
        start.wait(10)
        runs.append(audit_runs.start_run(by, timezone.now()))
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sum(run is not None for run in runs) == AuditRun.objects.count() == 1


def test_one_whose_process_ended_is_told_and_holds_up_nobody(manager: Client) -> None:
    before = timezone.now() - dt.timedelta(minutes=1)
    AuditRun.objects.create(started_at=before, seen_at=before)
    assert "Its process stopped before the end." in page(manager)
    assert manager.get(PAGE + "progress/").json() == {"is_running": False}
    manager.post(PAGE + "run/")
    wait_for(lambda: AuditRun.objects.filter(finished_at__isnull=False).exists())
    assert AuditRun.objects.count() == 2


def test_it_is_seen_to_run_while_it_waits_for_one_long_statement(
    manager: Client, held: HeldAudit
) -> None:
    manager.post(PAGE + "run/")
    assert held.has_come.wait(20)
    first = AuditRun.objects.get().seen_at
    wait_for(lambda: AuditRun.objects.get().seen_at > first)


def test_one_that_breaks_says_so(manager: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(tell: ReportProgress) -> Iterator[str]:
        yield "a wallet is wrong"
        raise ValueError("no such thing")

    monkeypatch.setattr(accounts_audit, "find_faults", broken)
    run = run_to_its_end(manager)
    stop = "the audit stopped with an error: ValueError('no such thing')"
    assert run.faults == ["a wallet is wrong", stop]
    with pytest.raises(CommandError, match=r"^a wallet is wrong\nthe audit stopped"):
        call_command("audit")


def test_the_command_stands_in_the_list_too(manager: Client, ann: User) -> None:
    Account.objects.filter(user=ann).update(balance=1)
    with pytest.raises(CommandError, match="wallet of ann"):
        call_command("audit")
    assert "the command line" in page(manager)
    assert "differences" in page(manager)
    assert not Act.objects.exists()


def test_who_may_not_run_it_has_no_button(client: Client, operator: Callable[..., User]) -> None:
    client.force_login(operator("cashier"))
    assert "Run the audit" not in page(client)
    assert client.post(PAGE + "run/").status_code == 403
    assert not AuditRun.objects.exists()
