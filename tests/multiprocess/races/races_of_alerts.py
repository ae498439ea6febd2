"""Several processes that check and send alerts at the same moment. Run by ``test_postgresql.py``."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from accounts.models import HouseSettings
from tables.models import Alert, AlertDelivery, Table
from tables.operators.alerts import check, deliveries
from tests.helpers.receivers import webhook_receiver
from tests.helpers.table_client import TableClient
from tests.multiprocess.parallel import at_once

pytestmark = pytest.mark.django_db(transaction=True)

PROCESSES = 8


def test_one_of_many_processes_checks(casino: TableClient) -> None:
    now = timezone.now()
    check.check_if_due(now)
    checked: list[dt.datetime] = []
    for number in range(1, 6):
        later = now + number * check.EVERY
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(check, "check", lambda now, _kinds: checked.append(now))
            at_once([lambda later=later: check.check_if_due(later)] * PROCESSES)
        assert checked == [now + n * check.EVERY for n in range(1, number + 1)]


def test_case_74_an_alert_is_opened_once_and_closed_once(casino: TableClient) -> None:
    HouseSettings.objects.update(alert_webhook="https://x.example/", alert_emails="a@example.com")
    now = timezone.now()
    for _ in range(5):
        Table.objects.update(paused_at=now, fill_limit=1, auto_filled=2)
        at_once([lambda: check.check(now)] * PROCESSES)
        assert Alert.objects.count() == 1
        assert AlertDelivery.objects.count() == 2
        AlertDelivery.objects.update(status="sent", attempts=1)
        Table.objects.update(paused_at=None)
        at_once([lambda: check.check(now)] * PROCESSES)
        assert AlertDelivery.objects.filter(event="resolved").count() == 2
        Alert.objects.all().delete()


def test_case_74_a_message_is_sent_by_one_process(casino: TableClient) -> None:
    now = timezone.now()
    with webhook_receiver() as receiver:
        HouseSettings.objects.update(alert_webhook=receiver.url)
        for number in range(10):
            alert = Alert.objects.create(
                kind="rack", subject=f"table:{number}", text="…", path="/admin/", since=now,
                opened_at=now,
            )  # fmt: skip
            AlertDelivery.objects.create(alert=alert, channel="webhook", event="opened", due_at=now)
        at_once([lambda: deliveries.send_due(now)] * PROCESSES)
        sent = [one.headers["webhook-id"] for one in receiver.take_all()]
    assert len(sent) == len(set(sent)) == 10
    assert set(AlertDelivery.objects.values_list("status", "attempts")) == {("sent", 1)}
