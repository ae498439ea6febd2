"""Messages about alerts: they arrive at a real mail server and a real receiver, once, and are signed."""

from __future__ import annotations

import datetime as dt
import json
import re
import threading
from collections.abc import Callable, Iterator
from email.headerregistry import Address
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from accounts.lib import server_clock
from accounts.models import HouseSettings
from tables.lib import outgoing_http, webhooks
from tables.models import Alert, AlertDelivery
from tables.operators.alerts import deliveries
from tests.helpers.receivers import (
    Mailbox,
    Receiver,
    find_closed_port,
    mail_server,
    webhook_receiver,
)

pytestmark = pytest.mark.django_db

OPERATIONS = (Path(__file__).resolve().parents[2] / "docs/operations.md").read_text()
NOW = timezone.now()
SECRET = "whsec_bm90LWEtc2VjcmV0LWJ1dC1sb25nLWVub3VnaC0hIQ=="
SMTP = "django.core.mail.backends.smtp.EmailBackend"
Status = AlertDelivery.Status


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with webhook_receiver() as server:
        HouseSettings.objects.update(alert_webhook=server.url, alert_webhook_secret=SECRET)
        yield server


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    HouseSettings.objects.update(alert_emails="ops@example.com\nboss@example.com")
    with (
        mail_server() as box,
        override_settings(
            MAIL_QUEUE_BACKEND=SMTP, EMAIL_HOST="127.0.0.1", EMAIL_PORT=box.port, EMAIL_TIMEOUT=5
        ),
    ):
        yield box


def open_alert(*channels: str, text: str = "The table Casino is paused.") -> Alert:
    alert = Alert.objects.create(
        kind="rack", subject=f"table:{Alert.objects.count()}", text=text,
        path="/admin/racks/?state=empty", since=NOW, opened_at=NOW,
    )  # fmt: skip
    for channel in channels:
        AlertDelivery.objects.create(alert=alert, channel=channel, event="opened", due_at=NOW)
    return alert


def send(now: dt.datetime = NOW) -> int:
    return deliveries.send_due(now)


def is_genuine() -> Callable[[str, dict[str, str], bytes], bool]:
    """The function of the docs."""
    program = re.search(r"```python\n(import base64.*?)```", OPERATIONS, re.DOTALL)
    assert program is not None
    namespace: dict[str, Any] = {}
    exec(program[1], namespace)
    function: Callable[[str, dict[str, str], bytes], bool] = namespace["is_genuine"]
    return function


# Webhooks


def test_a_webhook_gets_what_the_docs_say(receiver: Receiver) -> None:
    alert = open_alert("webhook")
    assert send() == 1
    posted = receiver.take()
    example = re.search(r"```json\n(\{\n  \"type\": \"alert.opened\".*?)```", OPERATIONS, re.DOTALL)
    assert example is not None
    message, described = json.loads(posted.body), json.loads(example[1])
    assert list(message) == list(described)
    assert list(message["data"]) == list(described["data"])
    assert message["type"] == "alert.opened"
    assert message["text"] == alert.text
    assert message["data"]["url"].endswith("/admin/racks/?state=empty")
    assert message["data"]["url"].startswith("http")
    assert posted.path == "/hook?from=cards"
    delivery = AlertDelivery.objects.get()
    assert (delivery.status, delivery.answer) == (Status.SENT, "200 OK thanks")
    assert posted.headers["webhook-id"] == message["id"] == str(delivery.uid)
    assert send(NOW + dt.timedelta(days=1)) == 0


def test_the_program_of_the_docs_checks_the_signature(receiver: Receiver) -> None:
    open_alert("webhook")
    send()
    posted, check = receiver.take(), is_genuine()
    assert check(SECRET, posted.headers, posted.body)
    assert not check(SECRET, posted.headers, posted.body + b" ")
    assert not check(SECRET[:-4] + "AA==", posted.headers, posted.body)
    another = posted.headers | {"webhook-id": "another"}
    assert not check(SECRET, another, posted.body)
    old = posted.headers | {"webhook-timestamp": "1000000000"}
    old["webhook-signature"] = webhooks.sign(SECRET, old["webhook-id"], 1000000000, posted.body)
    assert not check(SECRET, old, posted.body)


def test_the_signature_is_that_of_the_standard() -> None:
    """The example of the specification of Standard Webhooks."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    signed = webhooks.sign(
        secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("status", [302, 400, 404, 500])
def test_what_is_not_accepted_is_sent_again_with_the_same_id(
    status: int, receiver: Receiver
) -> None:
    open_alert("webhook")
    receiver.status = status
    now, waits = NOW, []
    while AlertDelivery.objects.get().status == Status.WAITING:
        assert send(now) == 1
        delivery = AlertDelivery.objects.get()
        assert delivery.answer.startswith(str(status))
        waits.append(round((delivery.due_at - server_clock.now()).total_seconds() / 60))
        now = delivery.due_at
    assert waits == [1, 5, 30, 120, 360, 720, 0]
    assert AlertDelivery.objects.get().status == Status.FAILED
    posted = receiver.take_all()
    assert len(posted) == 7
    assert len({one.headers["webhook-id"] for one in posted}) == 1
    assert send(NOW + dt.timedelta(days=9)) == 0


def test_it_is_not_tried_before_its_time(receiver: Receiver) -> None:
    open_alert("webhook")
    receiver.status = 500
    send()
    assert send(NOW + dt.timedelta(seconds=30)) == 0
    receiver.status = 204
    receiver.says = ""
    assert send(AlertDelivery.objects.get().due_at) == 1
    delivery = AlertDelivery.objects.get()
    assert (delivery.status, delivery.attempts) == (Status.SENT, 2)


@override_settings(WEBHOOK_PRIVATE=True)
def test_case_74_a_receiver_that_is_away_is_tried_again() -> None:
    url = f"http://127.0.0.1:{find_closed_port()}/"
    HouseSettings.objects.update(alert_webhook=url)
    open_alert("webhook")
    send()
    delivery = AlertDelivery.objects.get()
    assert delivery.status == Status.WAITING
    assert "refused" in delivery.answer


@override_settings(DEFAULT_FROM_EMAIL="house\n@example.com")
def test_an_address_that_cannot_be_used_is_a_failure_and_blocks_no_webhook(
    receiver: Receiver,
) -> None:
    HouseSettings.objects.update(alert_emails="ops@example.com")
    alert = open_alert("email")
    AlertDelivery.objects.create(alert=alert, channel="webhook", event="opened", due_at=NOW)
    assert send(NOW) == 2
    delivery = AlertDelivery.objects.get(channel="email")
    assert delivery.status == Status.WAITING
    assert delivery.answer.startswith("BadHeaderError")
    assert AlertDelivery.objects.get(channel="webhook").status == Status.SENT


def test_a_process_that_died_while_it_sent_leaves_it_to_another(receiver: Receiver) -> None:
    open_alert("webhook")
    assert deliveries._claim(AlertDelivery.objects.get(), NOW)  # and then it is killed
    assert send(NOW + dt.timedelta(seconds=119)) == 0
    assert send(NOW + dt.timedelta(seconds=121)) == 1
    assert AlertDelivery.objects.get().status == Status.SENT


def test_what_another_process_sends_is_left_alone(receiver: Receiver) -> None:
    open_alert("webhook")
    mine, theirs = AlertDelivery.objects.get(), AlertDelivery.objects.get()
    assert deliveries._claim(theirs, NOW)
    assert not deliveries._claim(mine, NOW)


def test_nobody_reads_first_that_it_is_over(receiver: Receiver) -> None:
    alert = open_alert("webhook")
    receiver.status = 500
    send()
    AlertDelivery.objects.create(alert=alert, channel="webhook", event="resolved", due_at=NOW)
    assert send(NOW) == 0
    receiver.status = 200
    later = AlertDelivery.objects.get(event="opened").due_at
    assert [send(later), send(later)] == [1, 1]
    kinds = [json.loads(one.body)["type"] for one in receiver.take_all()]
    assert kinds == ["alert.opened", "alert.opened", "alert.resolved"]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://10.1.2.3/", "private network"),
        ("https://169.254.169.254/latest", "private network"),
        ("https://[fd00::1]/", "private network"),
        ("https://127.0.0.1/", "WEBHOOK_PRIVATE=on"),
        ("http://localhost/", "WEBHOOK_PRIVATE=on"),
        ("http://10.1.2.3/", "this machine alone"),
        ("http://1.1.1.1/", "this machine alone"),
    ],
)
def test_it_connects_to_the_internet_alone(url: str, why: str) -> None:
    with pytest.raises(webhooks.WebhookFailed, match=why):
        webhooks.send(url, SECRET, "1", 1, b"{}")


def test_a_private_network_can_be_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    targets: list[str] = []

    def connect(addresses: list[str], port: int) -> Any:
        targets.append(addresses[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(outgoing_http, "_connect_to_first", connect)
    with override_settings(WEBHOOK_PRIVATE=True):
        for host, why in (
            ("10.1.2.3", "Refused"), ("100.64.0.7", "Refused"), ("169.254.169.254", "private"),
        ):  # fmt: skip
            with pytest.raises(webhooks.WebhookFailed, match=why):
                webhooks.send(f"https://{host}/", SECRET, "1", 1, b"{}")
    assert targets == ["10.1.2.3", "100.64.0.7"]


def test_a_receiver_that_drips_its_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setattr(outgoing_http, "MOST_SECONDS", 0.3)
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            line, _ = listener.accept()
            with line:
                while not is_over.wait(0.05):
                    try:
                        line.sendall(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        with override_settings(WEBHOOK_PRIVATE=True), pytest.raises(webhooks.WebhookFailed):
            webhooks.send(url, SECRET, "1", 1, b"{}")
        is_over.set()
        thread.join(5)


# E-mails


def test_an_email_reaches_all_addresses(mailbox: Mailbox) -> None:
    open_alert("email")
    assert send() == 1
    letter = mailbox.take()
    assert letter["Subject"] == "[The Card Room] The table Casino is paused"
    to: tuple[Address, ...] = letter["To"].addresses
    assert [one.addr_spec for one in to] == ["ops@example.com", "boss@example.com"]
    body = letter.get_content()
    assert "The table Casino is paused." in body
    assert "/admin/racks/?state=empty" in body
    delivery = AlertDelivery.objects.get()
    assert (delivery.status, delivery.answer) == (Status.SENT, "The mail server has accepted it.")


def test_many_alerts_are_one_email(mailbox: Mailbox) -> None:
    for number in range(5):
        open_alert("email", text=f"The table {number} is paused.")
    assert send() == 5
    letter = mailbox.take()
    assert letter["Subject"] == "[The Card Room] 5 alerts, the first: The table 0 is paused"
    assert letter.get_content().count("is paused.") == 5
    assert mailbox.letters.empty()


def test_a_mail_server_that_refuses_is_tried_again_and_its_answer_kept(mailbox: Mailbox) -> None:
    open_alert("email")
    mailbox.refusal = "450 try later"
    send()
    delivery = AlertDelivery.objects.get()
    assert delivery.status == Status.WAITING
    assert "try later" in delivery.answer
    mailbox.refusal = ""
    send(delivery.due_at)
    assert mailbox.take()["Subject"]
    assert AlertDelivery.objects.get().status == Status.SENT


def test_a_name_cannot_add_a_line_to_the_head(mailbox: Mailbox) -> None:
    open_alert("email", text="A report by ann\r\nBcc: x@example.com waits.")
    send()
    letter = mailbox.take()
    assert letter["Bcc"] is None
    assert "Bcc: x@example.com" in letter["Subject"]


def test_a_silent_receiver_holds_no_email(mailbox: Mailbox, receiver: Receiver) -> None:
    """E-mails are sent first."""
    receiver.status = 500
    open_alert("email", "webhook")
    assert send() == 2
    assert mailbox.take()["Subject"]
