"""Alerts: each opens when its cause is there, once, and ends when it is gone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.doors import approvals
from accounts.models import (
    AlertKind,
    Approval,
    HouseSettings,
    StaffInvite,
    User,
    WaitingChange,
)
from accounts.staff import waiting_changes
from accounts.staff.second_operator import LEAST_TIME
from tables.models import (
    Alert,
    AlertDelivery,
    AlertSchedule,
    AuditRun,
    Backup,
    DatabaseIdentity,
    Report,
    Round,
    ServerProcess,
    Table,
    Takings,
    Void,
)
from tables.operators.alerts import check, conditions
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient, new_player

pytestmark = pytest.mark.django_db

NOW = timezone.now()
Stack = Callable[..., None]
ALL = frozenset(AlertKind)


@pytest.fixture
def round_(casino: TableClient, ann: User, stack: Stack) -> Round:
    stack("As 9h Kd 7c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    return Round.objects.get()


@pytest.fixture
def called() -> None:
    HouseSettings.objects.update(alert_emails="ops@example.com", alert_webhook="https://x.example/")


def look(now: dt.datetime = NOW) -> list[str]:
    """The subjects of the alerts that are open after a check."""
    check.check(now, ALL)
    return sorted(f"{one.kind} {one.subject}" for one in Alert.objects.filter(ended_at=None))


def minutes(number: float) -> dt.datetime:
    return NOW + dt.timedelta(minutes=number)


# What they are about


def test_nothing_is_wrong_at_a_new_site(casino: TableClient) -> None:
    DatabaseIdentity.objects.create(began_at=NOW)
    assert look() == []


def test_a_report_opens_one_until_it_is_answered(round_: Round, ann: User) -> None:
    report = Report.objects.create(round=round_, user=ann, at=NOW, text="Not a name.")
    assert look() == look(minutes(1)) == [f"report report:{report.pk}"]
    alert = Alert.objects.get()
    assert alert.since == NOW
    assert alert.path == f"/admin/reports/{report.pk}/answer/"
    assert alert.text == f"Report {report.pk} waits for an answer."
    assert "Not a name" not in alert.text
    Report.objects.update(answered_at=NOW)
    assert look(minutes(2)) == []
    alert.refresh_from_db()
    assert alert.ended_at == minutes(2)


def test_more_reports_than_have_alerts_open_one_together(
    round_: Round, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strangers who send many do not hide the ones that come after."""
    monkeypatch.setattr(conditions, "MOST", 2)
    people = [new_player(f"p{number}") for number in range(4)]
    for person in people[:2]:
        Report.objects.create(round=round_, user=person, at=NOW)
    assert len(look()) == 2
    for number, person in enumerate(people[2:], 1):
        Report.objects.create(round=round_, user=person, at=minutes(number))
        assert "report reports" in look(minutes(5))
    more = Alert.objects.get(subject="reports")
    assert more.text == "2 more reports wait for an answer."
    assert (more.path, more.since) == ("/admin/reports/", minutes(1))
    Report.objects.filter(user__in=people[:2]).update(answered_at=NOW)
    assert "report reports" not in look(minutes(6))


def test_a_void_opens_one_until_it_is_decided(round_: Round, ann: User) -> None:
    void = Void.objects.create(round=round_, reason="Because.", asked_by=ann, asked_at=NOW)
    assert look() == [f"void void:{void.pk}"]
    Void.objects.update(status=Void.Status.REFUSED)
    assert look() == []


def test_a_new_account_opens_one_until_it_is_approved(ann: User, ben: User) -> None:
    User.objects.filter(pk=ann.pk).update(approval=Approval.WAITING, date_joined=NOW)
    assert look() == [f"account user:{ann.pk}"]
    alert = Alert.objects.get()
    assert (alert.path, alert.since) == ("/admin/approvals/", NOW)
    assert alert.text == f"The new account {ann.pk} waits for approval."
    approvals.approve(Operator(ben.pk), ann.pk, NOW)
    assert look() == []


def test_the_account_of_an_invited_operator_opens_none(ann: User, ben: User) -> None:
    invite = StaffInvite.objects.create(
        role="floor", made_by=ben, made_at=NOW, expires_at=NOW + dt.timedelta(days=1)
    )
    User.objects.filter(pk=ann.pk).update(approval=Approval.WAITING, staff_invite=invite)
    assert look() == []


def test_a_raised_limit_opens_one_until_it_is_in_effect(ann: User) -> None:
    waiting_changes.change_limits(Operator(ann.pk), {"void_limit": 500_000}, NOW)
    change = WaitingChange.objects.get()
    assert look() == [f"change waitingchange:{change.pk}"]
    alert = Alert.objects.get()
    assert alert.path == f"/admin/staff/changes/{change.pk}/"
    assert alert.text.startswith("A raised limit waits for a second operator, or until ")
    assert look(NOW + LEAST_TIME) == []


def test_a_new_manager_opens_one_until_the_request_is_refused(ann: User, ben: User) -> None:
    waiting_changes.ask_role(Operator(ann.pk), ben, "manager", NOW)
    assert look() == [f"change waitingchange:{WaitingChange.objects.get().pk}"]
    assert Alert.objects.get().text.startswith("A new manager waits for a second operator")
    waiting_changes.withdraw_by(ann.pk, Operator(ann.pk), NOW)
    assert look() == []


def test_a_table_paused_by_its_rack_opens_one_and_one_paused_by_hand_does_not(
    casino: TableClient, classic: TableClient
) -> None:
    Table.objects.update(paused_at=NOW)
    assert look() == []
    Table.objects.filter(pk=casino.table_id).update(fill_limit=100, auto_filled=200)
    assert look() == [f"rack table:{casino.table_id}"]
    Table.objects.update(paused_at=None)
    assert look() == []


def test_the_last_audit_counts(ann: User) -> None:
    AuditRun.objects.create(started_at=NOW, seen_at=NOW, finished_at=NOW, faults=["a", "b"])
    assert look() == ["audit house"]
    assert Alert.objects.get().text == "The last audit found 2 errors."
    AuditRun.objects.create(started_at=NOW, seen_at=NOW)  # it runs
    assert look() == ["audit house"]
    assert look(minutes(2)) == ["audit house"]
    assert "not finished" in Alert.objects.get().text
    AuditRun.objects.create(started_at=NOW, seen_at=NOW, finished_at=NOW)
    assert look(minutes(3)) == []


def test_a_new_site_has_a_day_for_its_first_backup() -> None:
    DatabaseIdentity.objects.create(began_at=NOW)
    assert look(minutes(26 * 60)) == []
    assert look(minutes(26 * 60 + 1)) == ["backup house"]
    epoch = HouseSettings.objects.get().epoch
    Backup.objects.create(epoch=epoch, finished_at=minutes(26 * 60), name="one", size=1)
    assert look(minutes(26 * 60 + 2)) == []
    assert look(minutes(2 * 26 * 60 + 2)) == ["backup house"]


def test_a_backup_of_before_a_restore_is_none() -> None:
    """The restored database knows backups, but none has what was played since."""
    DatabaseIdentity.objects.create(began_at=NOW)
    Backup.objects.create(epoch="before", finished_at=minutes(27 * 60), name="one", size=1)
    assert look(minutes(27 * 60)) == ["backup house"]


def test_who_makes_backups_otherwise_turns_that_off() -> None:
    DatabaseIdentity.objects.create(began_at=NOW)
    HouseSettings.objects.update(alert_backup_hours=0)
    assert look(minutes(100 * 60)) == []


def test_a_process_that_was_killed_opens_one_until_another_takes_its_place() -> None:
    values = {"host": "here", "started_at": NOW, "pid": 7}
    ServerProcess.objects.create(key="a", seen_at=NOW, **values)
    ServerProcess.objects.create(key="b", seen_at=minutes(2), **values)
    assert look(minutes(0.5)) == []
    assert look(minutes(2)) == ["process process:a"]
    assert "Process 7 on here" in Alert.objects.get().text
    new = values | {"started_at": minutes(2.5)}
    ServerProcess.objects.create(key="c", seen_at=minutes(2.5), **new)
    assert look(minutes(2.5)) == []
    # One new process takes the place of one that is gone, and not of two.
    ServerProcess.objects.filter(key="b").update(seen_at=minutes(1))
    assert look(minutes(2.6)) == ["process process:b"]


def test_the_process_that_ends_itself_opens_none() -> None:
    ServerProcess.objects.create(key="a", seen_at=NOW, host="here", started_at=NOW, pid=7)
    ServerProcess.objects.filter(key="a").delete()  # as it does at its end
    assert look(minutes(5)) == []


def keep_takings(table: TableClient, result: int, *, day: dt.date | None = None) -> None:
    """A thousand equal bets of 10.00 at a table, with this result of the site."""
    Takings.objects.create(
        table_id=table.table_id, rules_key="casino", day=day or NOW.date(), rounds=1000, plays=1000,
        staked=1_000_000, paid=1_000_000 - result, bets=1_000_000,
        bets_squared=Decimal(1000 * 1000**2),
    )  # fmt: skip


def test_a_result_far_outside_of_its_band_opens_one(casino: TableClient) -> None:
    keep_takings(casino, -300_000)
    assert look() == ["band rules:casino", f"band table:{casino.table_id}"]
    Takings.objects.all().delete()
    keep_takings(casino, 5_000)
    assert look() == []


def test_a_result_just_outside_of_the_band_of_the_books_opens_none(casino: TableClient) -> None:
    """One in twenty is there by chance."""
    keep_takings(casino, 0)
    (row,) = next(iter(conditions.revenue.iter_pages(conditions.RevenueFilters(by="rules"))))
    assert row.band is not None
    Takings.objects.all().delete()
    keep_takings(casino, int(row.band.expected - 1.2 * row.band.half))
    (row,) = next(iter(conditions.revenue.iter_pages(conditions.RevenueFilters(by="rules"))))
    assert row.verdict == "outside"
    assert look() == []


def test_a_result_of_long_ago_opens_none(casino: TableClient) -> None:
    keep_takings(casino, -300_000, day=(NOW - dt.timedelta(days=32)).date())
    assert look() == []


def test_a_flood_of_reports_is_a_list_that_ends(
    round_: Round, django_user_model: type[User]
) -> None:
    for number in range(conditions.MOST + 3):
        user = django_user_model.objects.create(username=f"player{number}")
        Report.objects.create(round=round_, user=user, at=NOW, text="…")
    assert len(look()) == conditions.MOST + 1
    assert Alert.objects.get(subject="reports").text == "3 more reports wait for an answer."


# Who is called


def deliveries(**where: str) -> list[tuple[str, str]]:
    rows = AlertDelivery.objects.filter(**where).order_by("pk")
    return list(rows.values_list("channel", "event"))


def test_each_channel_is_called_once(called: None, casino: TableClient) -> None:
    Table.objects.update(paused_at=NOW, fill_limit=100, auto_filled=200)
    for _ in range(3):
        look()
    assert deliveries() == [("email", "opened"), ("webhook", "opened")]


def test_without_an_address_nobody_is_called(casino: TableClient) -> None:
    Table.objects.update(paused_at=NOW, fill_limit=100, auto_filled=200)
    look()
    assert deliveries() == []


def test_each_channel_is_called_for_the_kinds_that_are_ticked(
    called: None, casino: TableClient
) -> None:
    HouseSettings.objects.update(alert_email_kinds="void,report", alert_webhook_kinds="audit,rack")
    Table.objects.update(paused_at=NOW, fill_limit=100, auto_filled=200)
    look()
    assert deliveries() == [("webhook", "opened")]


def test_a_report_calls_after_the_minutes_of_the_settings(
    called: None, round_: Round, ann: User
) -> None:
    Report.objects.create(round=round_, user=ann, at=NOW, text="…")
    look(minutes(1))
    assert {each.due_at for each in AlertDelivery.objects.all()} == {minutes(15)}
    Report.objects.update(answered_at=NOW)
    look(minutes(2))
    assert deliveries() == []  # nobody is called, and nobody is told that it is over


def test_who_was_called_is_told_that_it_is_over(called: None, casino: TableClient) -> None:
    Table.objects.update(paused_at=NOW, fill_limit=100, auto_filled=200)
    look()
    AlertDelivery.objects.filter(channel="email").update(status="sent", attempts=1)
    AlertDelivery.objects.filter(channel="webhook").update(status="failed", attempts=7)
    Table.objects.update(paused_at=None)
    look(minutes(1))
    assert deliveries(event="resolved") == [("email", "resolved")]


def test_what_could_not_be_sent_before_it_was_over_is_not_tried_again(
    called: None, casino: TableClient
) -> None:
    Table.objects.update(paused_at=NOW, fill_limit=100, auto_filled=200)
    look()
    AlertDelivery.objects.filter(channel="email").update(attempts=1, answer="refused")
    AlertDelivery.objects.filter(channel="webhook").update(attempts=1)  # being sent now
    Table.objects.update(paused_at=None)
    look(minutes(1))
    assert deliveries(event="opened") == [("webhook", "opened")]
    assert deliveries(event="resolved") == [("webhook", "resolved")]


def test_nobody_is_told_so_who_does_not_want_it(called: None, casino: TableClient) -> None:
    HouseSettings.objects.update(alert_resolved=False)
    Table.objects.update(paused_at=NOW, fill_limit=100, auto_filled=200)
    look()
    AlertDelivery.objects.update(status="sent", attempts=1)
    Table.objects.update(paused_at=None)
    look(minutes(1))
    assert deliveries(event="resolved") == []


# When


def test_one_process_checks_every_thirty_seconds(casino: TableClient) -> None:
    check.check_if_due(NOW)
    Table.objects.update(paused_at=NOW, fill_limit=100, auto_filled=200)
    check.check_if_due(NOW + dt.timedelta(seconds=29))  # another one
    assert not Alert.objects.exists()
    check.check_if_due(NOW + dt.timedelta(seconds=30))
    assert Alert.objects.count() == 1


def test_a_clock_that_was_set_back_stops_nothing(casino: TableClient) -> None:
    check.check_if_due(NOW + dt.timedelta(days=1))
    Table.objects.update(paused_at=NOW, fill_limit=100, auto_filled=200)
    check.check_if_due(NOW)
    assert Alert.objects.count() == 1


def test_bands_are_looked_at_every_ten_minutes(casino: TableClient) -> None:
    check.check_if_due(NOW)
    keep_takings(casino, -300_000)
    check.check_if_due(minutes(5))
    assert not Alert.objects.exists()
    check.check_if_due(minutes(10))
    assert Alert.objects.count() == 2
    check.check_if_due(minutes(11))  # without them
    assert Alert.objects.filter(ended_at=None).count() == 2


def test_old_alerts_are_deleted() -> None:
    values = {"kind": "rack", "text": "…", "path": "/admin/", "since": NOW, "opened_at": NOW}
    Alert.objects.create(subject="table:1", ended_at=NOW - dt.timedelta(days=91), **values)
    Alert.objects.create(subject="table:2", ended_at=NOW - dt.timedelta(days=89), **values)
    check.check_if_due(NOW)
    assert Alert.objects.get().subject == "table:2"
    assert AlertSchedule.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_manage_backup_ends_the_alert(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The database of this test is in memory, so its copy is replaced; its record is real."""
    from unittest.mock import patch

    from tables.management.commands import backup

    DatabaseIdentity.objects.update_or_create(pk=1, defaults={"began_at": minutes(-60 * 60)})
    assert look() == ["backup house"]
    folder = tmp_path_factory.mktemp("backups")
    with patch.object(backup, "_copy_database", lambda data, _: data.write_bytes(b"data")):
        call_command("backup", str(folder))
    record = Backup.objects.get()
    assert (folder / record.name).stat().st_size == record.size
    assert record.epoch == HouseSettings.objects.get().epoch
    assert look() == []
