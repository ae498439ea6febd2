"""The operators' pages of who may come in: invites, approvals, bans."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.doors import bans, invites
from accounts.models import Act, NetworkBan, SignUpInvite, User
from tables.operators import dashboard
from tests.helpers.site import change_settings
from tests.helpers.table_client import new_player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stopped_writer")]

OperatorWith = Callable[..., User]


@pytest.fixture
def manager(client: Client, operator: OperatorWith) -> Client:
    client.force_login(operator("manager"))
    return client


def text_of(answer: Any) -> str:
    return " ".join(re.sub(r"<.*?>", " ", answer.content.decode()).split())


def waiting(name: str, email: str = "") -> User:
    user = User.objects.create_user(name, email=email)
    user.approval = "waiting"
    user.save()
    return user


def test_a_link_is_shown_once_and_counts_what_is_left(manager: Client) -> None:
    until = (timezone.now() + dt.timedelta(days=3)).date()
    form = {"label": "Friday group", "places": "5", "until": until.isoformat()}
    text = manager.post("/admin/invites/", form).content.decode()
    match = re.search(r'value="(http\S+/accounts/invited/\S+/)"', text)
    assert match
    assert Client().get(match[1].removeprefix("http://localhost:8000")).status_code == 302
    page = manager.get("/admin/invites/")
    assert match[1] not in page.content.decode()
    assert "Friday group valid 5 of 5" in text_of(page)
    SignUpInvite.objects.update(used=2)
    assert "Friday group valid 3 of 5" in text_of(manager.get("/admin/invites/"))
    act = Act.objects.get(what=Act.What.INVITE_PLAYER)
    assert act.after == {
        "label": "Friday group", "places": 5, "until": f"{until.isoformat()}T00:00:00+00:00",
    }  # fmt: skip


def test_an_invite_is_withdrawn_once(manager: Client) -> None:
    manager.post("/admin/invites/", {"label": "Friends", "places": "1"})
    row = SignUpInvite.objects.get()
    withdraw = f"/admin/invites/{row.pk}/withdraw/"
    text = text_of(manager.post(withdraw, follow=True))
    assert "The invite for Friends is withdrawn." in text
    assert "Friends withdrawn 1 of 1" in text
    assert "was already withdrawn" in text_of(manager.post(withdraw, follow=True))
    assert Act.objects.filter(what=Act.What.WITHDRAW).count() == 1


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("label", ""), ("places", "0"), ("places", "1001"), ("places", "many"), ("until", "2020-01-01"),
     ("until", "2999-01-01"), ("until", "soon")],
)  # fmt: skip
def test_an_invite_that_makes_no_sense_is_refused_and_kept(
    manager: Client, field: str, wrong: str
) -> None:
    form = {"label": "Friends", "places": "3", field: wrong}
    page = manager.post("/admin/invites/", form)
    assert [*page.context["form"].errors] == [field]
    assert page.context["form"]["label"].value() == form["label"]
    assert not SignUpInvite.objects.exists()


def test_the_page_says_that_invites_do_not_work_while_sign_up_is_off(manager: Client) -> None:
    change_settings(sign_up="off")
    assert (
        "Invites can't be used while it is off." in manager.get("/admin/invites/").content.decode()
    )


# Approvals


def test_accounts_that_wait_are_on_the_first_page_and_in_the_list(
    client: Client, operator: OperatorWith
) -> None:
    floor = operator("floor")
    waiting("Wanda", "wanda@example.com")
    client.force_login(floor)
    assert [each.words for each in dashboard.list_pending_work(floor)] == ["1 account to approve"]
    assert [*dashboard.list_pending_work(operator("cashier"))] == []
    page = text_of(client.get(dashboard.list_pending_work(floor)[0].address))
    assert "Wanda wanda@example.com" in page


def test_an_operator_approves_and_the_owner_gets_a_letter(
    manager: Client, mailoutbox: list[Any]
) -> None:
    wanda = waiting("Wanda", "wanda@example.com")
    approve = f"/admin/approvals/{wanda.pk}/approve/"
    assert "The account Wanda is approved." in text_of(manager.post(approve, follow=True))
    assert "doesn't wait" in manager.post(approve, follow=True).content.decode().replace(
        "&#x27;", "'"
    )
    assert [letter.to for letter in mailoutbox] == [["wanda@example.com"]]
    wanda.refresh_from_db()
    assert wanda.approval == "approved"


def test_a_refusal_needs_a_reason(manager: Client, mailoutbox: list[Any]) -> None:
    wanda = waiting("Wanda", "wanda@example.com")
    refuse = f"/admin/approvals/{wanda.pk}/refuse/"
    assert "The player sees this text." in text_of(manager.get(refuse))
    assert manager.post(refuse, {"reason": ""}).status_code == 200
    text = text_of(manager.post(refuse, {"reason": "Unknown here."}, follow=True))
    assert "The account Wanda is refused." in text
    assert "Unknown here. Approve Wanda" in text
    assert "Unknown here." in mailoutbox[0].body


# Bans


@pytest.mark.parametrize(
    ("time", "until"),
    [("hour", dt.timedelta(hours=1)), ("day", dt.timedelta(days=1)),
     ("week", dt.timedelta(weeks=1)), ("month", dt.timedelta(days=30))],
)  # fmt: skip
def test_an_address_is_banned_for_a_time(manager: Client, time: str, until: dt.timedelta) -> None:
    form = {"network": "198.51.100.7", "time": time, "reason": "Spam."}
    before = timezone.now()
    text = text_of(manager.post("/admin/bans/", form, follow=True))
    assert "198.51.100.7/32 is banned." in text
    row = NetworkBan.objects.get()
    assert before + until <= row.until <= timezone.now() + until
    assert Client(REMOTE_ADDR="198.51.100.7").get("/").status_code == 403
    text = text_of(manager.post(f"/admin/bans/{row.pk}/lift/", follow=True))
    assert "The ban of 198.51.100.7/32 is lifted." in text
    assert Client(REMOTE_ADDR="198.51.100.7").get("/").status_code == 200
    assert "is over already" in text_of(manager.post(f"/admin/bans/{row.pk}/lift/", follow=True))


def test_a_ban_that_is_sent_twice_is_one(manager: Client) -> None:
    form = {"network": "198.51.100.7", "time": "day", "reason": "Spam."}
    manager.post("/admin/bans/", form)
    text = text_of(manager.post("/admin/bans/", form, follow=True))
    assert "198.51.100.7/32 is banned already. Lift that ban first to change it." in text
    assert NetworkBan.objects.count() == 1


def test_an_address_is_banned_until_a_day(manager: Client) -> None:
    day = (timezone.now() + dt.timedelta(days=9)).date()
    form = {"network": "2001:db8::7", "time": "until", "until": day.isoformat(), "reason": "Spam."}
    manager.post("/admin/bans/", form)
    row = NetworkBan.objects.get()
    assert (row.network, row.until) == (
        "2001:db8::/64",
        dt.datetime(*day.timetuple()[:3], tzinfo=dt.UTC),
    )


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"network": "0.0.0.0/0"}, "network"), ({"network": "127.0.0.1"}, "network"),
     ({"network": "hello"}, "network"), ({"reason": ""}, "reason"), ({"time": "year"}, "time"),
     ({"time": "until"}, "until"), ({"time": "until", "until": "2020-01-01"}, "until"),
     ({"time": "hour", "until": "2999-01-01"}, "until")],
)  # fmt: skip
def test_a_ban_that_makes_no_sense_is_refused_and_kept(
    manager: Client, changed: dict[str, str], field: str
) -> None:
    form = {"network": "198.51.100.7", "time": "day", "reason": "Spam."} | changed
    page = manager.post("/admin/bans/", form)
    assert [*page.context["form"].errors] == [field]
    assert page.context["form"]["reason"].value() == form["reason"]
    assert not NetworkBan.objects.exists()


def test_operators_cannot_ban_the_network_that_they_are_in(operator: OperatorWith) -> None:
    browser = Client(REMOTE_ADDR="198.51.100.9")
    browser.force_login(operator("manager"))
    form = {"network": "198.51.100.0/24", "time": "day", "reason": "Spam."}
    page = browser.post("/admin/bans/", form).content.decode()
    assert "You are in that network yourself." in page
    assert not NetworkBan.objects.exists()


def test_the_lists_have_no_query_per_row(manager: Client, operator: OperatorWith) -> None:
    def count(path: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert manager.get(path).status_code == 200
        return len(queries)

    paths = ("/admin/invites/", "/admin/approvals/", "/admin/bans/")
    by, now = Operator(operator("floor").pk), timezone.now()

    def fill(number: int) -> None:
        for each in range(number):
            invites.create(by, now, label=f"i{each}", places=1, until=None)
            waiting(f"w{number}.{each}")
            network = bans.parse_network(f"198.51.{number}.{each}", own_address=None)
            bans.ban(by, network, now + dt.timedelta(days=1), "Spam.", now)

    fill(2)
    few = [count(path) for path in paths]
    fill(20)
    assert [count(path) for path in paths] == few
    assert new_player("ann").approval == ""
