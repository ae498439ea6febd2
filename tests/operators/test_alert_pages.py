"""The number on every operators' page, the page of alerts, and their settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.models import Act, AlertKind, HouseSettings, User, WaitingChange
from accounts.staff import waiting_changes
from accounts.users import reauthentication
from tables.models import Alert, AlertDelivery, Backup, Report, Table, Void
from tables.operators.alerts import check
from tests.helpers.receivers import mail_server, webhook_receiver
from tests.helpers.site import SETTINGS_FORM
from tests.operators import populated_site as worlds
from tests.operators.populated_site import PLAYER, SUPERUSER, WITHOUT_ROLE, World
from tests.operators.test_alert_messages import SMTP
from tests.operators.test_rounds import as_, read_page

pytestmark = pytest.mark.django_db

Operators = Callable[..., User]
ALERTS, SETTINGS = "/admin/alerts/", "/admin/accounts/housesettings/1/change/"


@pytest.fixture
def world(db: None) -> World:
    """A report, a void, an account, a limit and an empty rack wait. The world has a band."""
    world = worlds.build()
    table = Table.objects.filter(pk=world.ids["table"])
    table.update(paused_at=timezone.now(), fill_limit=100, auto_filled=200)
    Report.objects.exclude(pk=world.ids["report"]).update(answered_at=timezone.now())
    check.check(timezone.now())
    return world


def badge(page: str) -> int | None:
    """The number in the header; ``None`` without one."""
    match = re.search(r'<a class="alert-badge"[^>]*?( hidden)?><span id="alert-count">(\d+)<', page)
    assert match is not None
    assert bool(match[1]) == (match[2] == "0")
    return None if match[1] else int(match[2])


def title(page: str) -> str:
    return unescape(re.findall(r"<title>(.*?)</title>", page)[0])


@pytest.mark.parametrize(("role", "number"), [("manager", 6), ("floor", 4), ("cashier", 2)])
def test_each_role_counts_what_it_may_see_to(role: str, number: int, world: World) -> None:
    client = as_(world.actors[role])
    for path in ("/admin/", ALERTS, "/admin/books/", "/admin/players/", "/admin/rounds/"):
        page = read_page(client, path)
        assert badge(page) == number, path
        assert title(page).startswith(f"({number}) "), path
    assert client.get("/admin/alerts/count/").json() == {"count": number}


def test_every_page_of_the_admin_has_the_number(world: World) -> None:
    client = as_(world.actors[SUPERUSER])
    for path in (
        SETTINGS, "/admin/tables/round/", "/admin/accounts/user/", "/admin/trail/", "/admin/floor/",
        reverse("admin:void_round", args=[world.ids["round"]]),
    ):  # fmt: skip
        assert badge(read_page(client, path)) == 6, path


def test_without_a_role_there_is_nothing_to_count(world: World) -> None:
    page = read_page(as_(world.actors[WITHOUT_ROLE]), "/admin/")
    assert "alert-badge" not in page
    assert not title(page).startswith("(")
    assert as_(world.actors[PLAYER]).get("/admin/alerts/count/").status_code == 302


def test_a_void_does_not_wait_for_who_requested_it(world: World) -> None:
    Void.objects.update(asked_by=world.actors["manager"])
    page = read_page(as_(world.actors["manager"]), ALERTS)
    assert badge(page) == 5
    assert "approval of another operator" not in page


def test_a_raised_limit_waits_for_other_managers_alone(world: World) -> None:
    manager = world.actors["manager"]
    waiting_changes.change_limits(Operator(manager.pk), {"void_limit": 900_000}, timezone.now())
    check.check(timezone.now())
    link = f"/admin/staff/changes/{WaitingChange.objects.get(asked_by=manager).pk}/"
    assert link not in read_page(as_(manager), ALERTS)
    assert link in read_page(as_(world.actors[SUPERUSER]), ALERTS)
    assert link not in read_page(as_(world.actors["cashier"]), ALERTS)


def test_what_is_answered_is_off_the_next_page(world: World) -> None:
    client = as_(world.actors["floor"])
    before = badge(read_page(client, ALERTS))
    path = reverse("admin:answer_report", args=[world.ids["report"]])
    assert client.post(path, {"text": "It is right."}).status_code == 302
    assert before == 4
    assert badge(read_page(client, ALERTS)) == 3


def test_what_another_operator_requests_is_on_the_next_page(world: World) -> None:
    Alert.objects.filter(kind="void").delete()
    client = as_(world.actors["floor"])
    path = reverse("admin:player_note", args=[world.ids["player"]])
    assert client.post(path, {"text": "Polite."}).status_code == 302
    assert Alert.objects.filter(kind="void", ended_at=None).count() == 1


def test_a_refused_action_checks_nothing(world: World) -> None:
    Alert.objects.filter(kind="void").delete()
    client = as_(world.actors["cashier"])
    path = reverse("admin:answer_report", args=[world.ids["report"]])
    assert client.post(path, {"text": "It is right."}).status_code == 403
    assert not Alert.objects.filter(kind="void").exists()


def test_the_page_lists_what_waits_with_its_link_and_who_was_called(world: World) -> None:
    alert = Alert.objects.get(kind="report")
    now = timezone.now()
    AlertDelivery.objects.create(
        alert=alert, channel="email", event="opened", due_at=now, status="sent", attempts=1,
        tried_at=now, answer="The mail server has accepted it.",
    )  # fmt: skip
    AlertDelivery.objects.create(
        alert=alert, channel="webhook", event="opened", due_at=now, attempts=2, tried_at=now,
        answer="500 Internal Server Error",
    )  # fmt: skip
    page = read_page(as_(world.actors["floor"]), ALERTS)
    path = reverse("admin:answer_report", args=[world.ids["report"]])
    report = f"Report {world.ids['report']}"
    assert f'<a href="{path}">{report} waits for an answer.</a>' in page
    assert re.search(r"e-mail, opened: sent .*? The mail server has accepted it\.", page)
    assert re.search(r"webhook, opened: 2 attempts failed, the next one .*? 500 Internal", page)


def test_each_role_is_led_where_it_may_go(world: World) -> None:
    for role in ("manager", "floor", "cashier"):
        client = as_(world.actors[role])
        page = read_page(client, ALERTS)
        links = re.findall(r'<p class="alert-text"><a href="([^"]+)"', page)
        assert links
        for link in links:
            assert client.get(unescape(link)).status_code == 200, (role, link)


def test_what_is_seen_is_not_counted_any_more(world: World) -> None:
    client, alert = as_(world.actors["floor"]), Alert.objects.get(kind="rack")
    path = reverse("admin:see_alert", args=[alert.pk])
    assert client.post(path).status_code == 302
    page = read_page(client, ALERTS)
    assert badge(page) == 3
    assert "seen by floor" in page
    act = Act.objects.get(what="alert_seen")
    assert (act.by, act.subject) == (world.actors["floor"], f"alert:{alert.pk}")
    assert act.after == {"alert": "rack", "of": alert.subject}
    client.post(path)
    assert Act.objects.filter(what="alert_seen").count() == 1
    assert "already over, or marked as seen" in read_page(client, ALERTS)


def test_who_may_do_nothing_about_it_cannot_mark_it(world: World) -> None:
    path = reverse("admin:see_alert", args=[Alert.objects.get(kind="void").pk])
    assert as_(world.actors["floor"]).post(path).status_code == 404
    assert not Alert.objects.exclude(seen_at=None).exists()


def test_an_ended_alert_is_listed_below(world: World) -> None:
    Report.objects.update(answered_at=timezone.now())
    check.check(timezone.now())
    page = read_page(as_(world.actors["floor"]), ALERTS)
    below = page.split('id="ended-title"')[1]
    assert f"Report {world.ids['report']} waits for an answer." in below


def test_the_last_backup_is_told_to_managers(world: World) -> None:
    manager, floor = as_(world.actors["manager"]), as_(world.actors["floor"])
    assert "No backup of this database has been made yet: manage.py nightly" in read_page(
        manager, ALERTS
    )
    epoch = HouseSettings.objects.get().epoch
    Backup.objects.create(epoch=epoch, finished_at=timezone.now(), name="b.tar.gz", size=2048)
    assert "b.tar.gz" in read_page(manager, ALERTS)
    assert "backup" not in read_page(floor, ALERTS)


def test_a_tab_that_is_left_open_is_counted_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything else asks for the password after half an hour."""
    client = as_(world.actors["floor"])
    step = reauthentication.Step.PASSWORD
    monkeypatch.setattr(reauthentication, "find_step", lambda _request: step)
    assert client.get(ALERTS).status_code == 302
    assert client.get("/admin/alerts/count/").json() == {"count": 4}


def test_the_pages_ask_as_often_however_much_waits(world: World) -> None:
    client = as_(world.actors["manager"])

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(ALERTS).status_code == 200
        return len(queries)

    count()
    before, now = count(), timezone.now()
    for number in range(20):
        alert = Alert.objects.create(
            kind="band", subject=f"table:{number}", text="…", path="/admin/", since=now,
            opened_at=now, seen_at=now, seen_by=world.actors["floor"],
        )  # fmt: skip
        AlertDelivery.objects.create(alert=alert, channel="email", event="opened", due_at=now)
    assert count() == before


# The channels


def test_a_secret_is_shown_when_it_is_made_and_never_again(world: World) -> None:
    HouseSettings.objects.update(alert_webhook="https://x.example/")
    manager = as_(world.actors["manager"])
    before = HouseSettings.objects.get().alert_webhook_secret
    assert before.startswith("whsec_")
    assert before not in read_page(manager, ALERTS)
    page = unescape(manager.post("/admin/alerts/secret/").content.decode())
    secret = HouseSettings.objects.get().alert_webhook_secret
    assert secret != before
    assert page.count(secret) == 1
    for role in ("manager", "floor", "cashier"):
        assert secret not in unescape(read_page(as_(world.actors[role]), ALERTS))
    assert secret not in unescape(read_page(as_(world.actors["floor"]), SETTINGS))
    act = Act.objects.get(what="alert_secret")
    assert secret not in f"{act.before}{act.after}{act.reason}"


@pytest.mark.parametrize("what", ["secret", "test/email", "test/webhook"])
def test_the_channels_need_a_recent_login(
    what: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = as_(world.actors["manager"])
    monkeypatch.setattr(reauthentication, "is_factor_recent", lambda _request: False)
    before = HouseSettings.objects.get().alert_webhook_secret
    answer = client.post(f"/admin/alerts/{what}/")
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/accounts/2fa/confirm/")
    assert HouseSettings.objects.get().alert_webhook_secret == before
    assert not Act.objects.filter(what__in=("alert_test", "alert_secret")).exists()


def test_a_test_shows_the_real_answer_of_the_receiver(world: World) -> None:
    client = as_(world.actors["manager"])
    with webhook_receiver() as receiver:
        HouseSettings.objects.update(alert_webhook=receiver.url)
        client.post("/admin/alerts/test/webhook/")
        assert "Test by webhook: sent. 200 OK thanks" in read_page(client, ALERTS)
        assert b'"type":"test"' in receiver.take().body
        receiver.status, receiver.says = 403, "<b>who are you?</b>"
        client.post("/admin/alerts/test/webhook/")
        page = read_page(client, ALERTS)
        assert "not sent. 403 Forbidden &lt;b&gt;who are you?&lt;/b&gt;" in page
    assert [act.after["answer"] for act in Act.objects.filter(what="alert_test")][1] == (
        "200 OK thanks"
    )


def test_a_test_shows_the_real_answer_of_the_mail_server(world: World) -> None:
    client = as_(world.actors["manager"])
    HouseSettings.objects.update(alert_emails="ops@example.com")
    with (
        mail_server() as box,
        override_settings(MAIL_QUEUE_BACKEND=SMTP, EMAIL_HOST="127.0.0.1", EMAIL_PORT=box.port),
    ):
        client.post("/admin/alerts/test/email/")
        assert "Test by e-mail: sent. The mail server has accepted it." in read_page(client, ALERTS)
        assert "This is a test" in box.take().get_content()
        box.refusal = "550 no such user"
        client.post("/admin/alerts/test/email/")
        page = read_page(client, ALERTS)
        assert "Test by e-mail: not sent." in page
        assert "no such user" in page


def test_without_an_address_a_test_says_so(world: World) -> None:
    client = as_(world.actors["manager"])
    client.post("/admin/alerts/test/email/")
    client.post("/admin/alerts/test/webhook/")
    page = read_page(client, ALERTS)
    assert "No address is set." in page
    assert "No webhook is set." in page


# The settings


def form(**changed: object) -> dict[str, object]:
    return {**SETTINGS_FORM, **changed}


def test_the_settings_of_alerts_are_stored_and_logged(operator: Operators) -> None:
    client = as_(operator("manager"))
    sent = form(
        alert_emails="ops@example.com, boss@example.com\n ops@example.com",
        alert_email_kinds=["void", "audit"], alert_webhook=" https://x.example/hook?a=b ",
        alert_report_minutes="0",
    )  # fmt: skip
    assert client.post(SETTINGS, sent).status_code == 302
    house_settings = HouseSettings.objects.get()
    assert house_settings.alert_emails == "ops@example.com\nboss@example.com"
    assert house_settings.alert_email_kinds == "void,audit"
    assert house_settings.alert_webhook == "https://x.example/hook?a=b"
    assert house_settings.alert_report_minutes == 0
    assert house_settings.alert_webhook_kinds.count(",") == len(AlertKind) - 1
    act = Act.objects.get(what="settings")
    assert set(act.after) == {
        "alert_emails", "alert_email_kinds", "alert_webhook", "alert_report_minutes",
    }  # fmt: skip
    assert act.after["alert_emails"].split() == ["o…@example.com", "b…@example.com"]
    assert act.after["alert_webhook"] == "https://x.example…"
    page = read_page(client, "/admin/trail/")
    assert "e-mail addresses for alerts" in page


def test_what_is_saved_unchanged_is_no_change(operator: Operators) -> None:
    assert as_(operator("manager")).post(SETTINGS, form()).status_code == 302
    assert not Act.objects.filter(what="settings").exists()


@pytest.mark.parametrize(
    ("field", "typed", "error"),
    [
        ("alert_emails", "ops@example.com\nboss@", "“boss@” is not an e-mail address."),
        ("alert_emails", " ".join(f"a{n}@example.com" for n in range(21)), "At most 20 addresses"),
        ("alert_webhook", "x.example/hook", "This is not a URL"),
        ("alert_webhook", "ftp://x.example/", "This is not a URL"),
        ("alert_webhook", "https://", "This is not a URL"),
        ("alert_webhook", "https://x.example:99999/", "This is not a URL"),
        ("alert_webhook", "https://[::1/", "This is not a URL"),
        ("alert_webhook", "https://me:secret@x.example/", "password or a part after #"),
        ("alert_webhook", "http://x.example/", "to this machine alone"),
        ("alert_webhook", "http://10.0.0.1/", "to this machine alone"),
        ("alert_report_minutes", "-1", "greater than or equal to 0"),
        ("alert_email_kinds", ["nonsense"], "not one of the available choices"),
    ],
)
def test_what_cannot_be_is_said_and_kept_in_the_form(
    field: str, typed: object, error: str, operator: Operators
) -> None:
    before = HouseSettings.objects.values().get()
    page = as_(operator("manager")).post(SETTINGS, form(**{field: typed})).content.decode()
    assert error in unescape(page)
    if isinstance(typed, str):
        assert typed.split("\n")[-1] in unescape(page)
    assert HouseSettings.objects.values().get() == before


@pytest.mark.parametrize("url", ["http://localhost:9000/", "http://127.0.0.1/", "http://[::1]:1/x"])
def test_a_receiver_on_this_machine_needs_no_https(url: str, operator: Operators) -> None:
    client = as_(operator("manager"))
    page = client.post(SETTINGS, form(alert_webhook=url)).content.decode()
    assert "WEBHOOK_PRIVATE=on" in page
    assert not HouseSettings.objects.get().alert_webhook
    with override_settings(WEBHOOK_PRIVATE=True):
        assert client.post(SETTINGS, form(alert_webhook=url)).status_code == 302
    assert HouseSettings.objects.get().alert_webhook == url


def test_who_may_only_read_reads_no_addresses_and_no_url(operator: Operators) -> None:
    HouseSettings.objects.update(
        alert_emails="ops@example.com", alert_webhook="https://x.example/hook/7f3a"
    )
    page = read_page(as_(operator("floor")), SETTINGS)
    assert "ops@example.com" not in page
    assert "x.example" not in page
    assert "field-alert_report_minutes" in page
    assert "x.example/hook/7f3a" in read_page(as_(operator("manager")), SETTINGS)


@pytest.mark.parametrize("is_console", [True, False])
def test_the_settings_say_where_emails_go(is_console: bool, operator: Operators) -> None:
    console = "django.core.mail.backends.console.EmailBackend"
    with override_settings(MAIL_QUEUE_BACKEND=console if is_console else SMTP):
        page = read_page(as_(operator("manager")), SETTINGS)
    assert ("printed to the console" in page) is is_console


def test_a_client_without_login_is_asked_for_one() -> None:
    assert Client().get("/admin/alerts/count/").status_code == 302
