"""Bans of addresses and networks: every page is one sentence, until a time."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.doors import bans
from accounts.lib.errors import OperationRefused
from accounts.models import Act, NetworkBan, User
from tests.helpers.table_client import TableClient, new_player

pytestmark = pytest.mark.django_db

HERE, THERE = "192.0.2.7", "192.0.3.7"
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def olga(db: None) -> User:
    return User.objects.create_superuser("olga")


def ban(olga: User, network: str, time: dt.timedelta = HOUR, reason: str = "Spam.") -> NetworkBan:
    now = timezone.now()
    parsed = bans.parse_network(network, own_address=None)
    row = bans.ban(Operator(olga.pk), parsed, now + time, reason, now)
    bans.refresh()
    return row


def at(address: str, **headers: str) -> Client:
    return Client(REMOTE_ADDR=address, headers=headers)


def test_case_73_a_banned_address_reads_until_when_and_why_on_every_page(
    olga: User, casino: TableClient
) -> None:
    ban(olga, HERE, reason="Spam & <b>insults</b>.")
    for path in (
        "/", "/rules/", f"/tables/{casino.table_id}/", "/accounts/login/", "/accounts/signup/",
        "/statement.csv", "/lobby/tables/", "/manifest.webmanifest", "/nowhere/", "/admin/",
        "/service-worker.js",
    ):  # fmt: skip
        answer = at(HERE).get(path)
        page = answer.content.decode()
        assert answer.status_code == 403, path
        assert "Your network address is banned from this site until" in page, path
        assert "Spam &amp; &lt;b&gt;insults&lt;/b&gt;." in page, path
        assert at(THERE).get(path).status_code != 403, path
    assert at(HERE).post("/accounts/guest/").status_code == 403
    assert not User.objects.filter(is_guest=True).exists()


def test_the_sentence_is_in_the_reader_s_language(olga: User) -> None:
    ban(olga, HERE)
    page = at(HERE, **{"Accept-Language": "de"}).get("/").content.decode()
    assert '<html lang="de">' in page


def test_probes_are_answered(olga: User) -> None:
    ban(olga, HERE)
    assert at(HERE).get("/livez").status_code == 200
    assert at(HERE).get("/readyz").status_code == 200


def test_a_log_in_from_there_is_no_way_round(olga: User) -> None:
    ban(olga, HERE)
    ann = at(HERE)
    ann.force_login(new_player("ann"))
    assert ann.get("/").status_code == 403
    assert ann.get("/accounts/login/").status_code == 403


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_case_73_an_operator_keeps_the_operators_pages_and_lifts_the_ban(olga: User) -> None:
    row = ban(olga, HERE)
    browser = at(HERE)
    browser.force_login(olga)
    assert browser.get("/admin/").status_code == 200
    assert browser.get("/").status_code == 403
    assert browser.post(f"/admin/bans/{row.pk}/lift/").status_code == 302
    assert browser.get("/").status_code == 200
    assert at(HERE).get("/").status_code == 200


@pytest.mark.parametrize(
    ("banned", "caught", "free"),
    [
        ("192.0.2.0/24", ["192.0.2.1", "192.0.2.255", "::ffff:192.0.2.9"], ["192.0.3.1", "2001:db8::1"]),
        ("192.0.2.99/24", ["192.0.2.1"], ["192.0.3.1"]),
        ("2001:db8::7", ["2001:db8::1", "2001:db8:0:0:ffff::"], ["2001:db8:0:1::1", "192.0.2.1"]),
        ("2001:db8::/48", ["2001:db8:0:9::1"], ["2001:db8:1::1"]),
        ("::ffff:192.0.2.7", ["192.0.2.7"], ["192.0.2.8"]),
        (HERE, [HERE], ["192.0.2.8", "nonsense", ""]),
    ],
)  # fmt: skip
def test_a_network_contains_its_addresses(
    olga: User, banned: str, caught: list[str], free: list[str]
) -> None:
    ban(olga, banned)
    assert [bans.find(address) is not None for address in caught] == [True] * len(caught)
    assert [bans.find(address) for address in free] == [None] * len(free)
    assert bans.find(None) is None


@pytest.mark.parametrize(
    ("network", "says"),
    [
        ("0.0.0.0/0", "too large"), ("10.0.0.0/8", "too large"), ("::/0", "too large"),
        ("2001::/16", "too large"), ("127.0.0.1", "can't have"), ("127.0.0.0/16", "can't have"),
        ("::1", "can't have"), ("0.0.0.0", "can't have"), ("224.0.0.1", "can't have"),
        ("192.0.2.1", "yourself"), ("192.0.0.0/16", "yourself"), ("example.com", "Enter an address"),
        ("", "Enter an address"), ("192.0.2.0/33", "Enter an address"), ("1.2.3", "Enter an address"),
    ],
)  # fmt: skip
def test_a_ban_that_nobody_can_mean_is_refused(network: str, says: str) -> None:
    with pytest.raises(OperationRefused, match=says):
        bans.parse_network(network, own_address="192.0.2.1")


def test_an_ipv6_address_is_not_that_of_the_operator_in_the_same_64() -> None:
    with pytest.raises(OperationRefused, match="yourself"):
        bans.parse_network("2001:db8::7", own_address="2001:db8::1")
    assert str(bans.parse_network("2001:db8::7", own_address="2001:db8:1::1")) == "2001:db8::/64"


def test_a_ban_ends_by_itself_and_when_it_is_lifted(olga: User) -> None:
    row = ban(olga, HERE)
    NetworkBan.objects.filter(pk=row.pk).update(until=timezone.now() - HOUR)
    assert bans.refresh()
    assert at(HERE).get("/").status_code == 200
    other = ban(olga, HERE)
    assert at(HERE).get("/").status_code == 403
    assert bans.lift(Operator(olga.pk), other.pk, timezone.now())
    assert not bans.lift(Operator(olga.pk), other.pk, timezone.now())
    assert not bans.lift(Operator(olga.pk), row.pk, timezone.now())
    bans.refresh()
    assert at(HERE).get("/").status_code == 200
    whats = [act.what for act in Act.objects.order_by("pk")]
    assert whats == [Act.What.BAN, Act.What.BAN, Act.What.LIFT_BAN]


def test_a_remembered_ban_ends_on_time_without_a_refresh(
    olga: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    ban(olga, HERE)
    later = timezone.now() + 2 * HOUR
    monkeypatch.setattr(bans.server_clock, "now", lambda: later)
    assert bans.find(HERE) is None


def test_of_two_bans_the_longer_one_is_told(olga: User) -> None:
    ban(olga, HERE, 2 * HOUR, "Long.")
    ban(olga, "192.0.2.0/24", HOUR, "Short.")
    match = bans.find(HERE)
    assert match is not None
    assert match.reason == "Long."


def test_a_request_asks_the_database_for_no_ban(olga: User) -> None:
    ban(olga, HERE)
    with CaptureQueriesContext(connection) as queries:
        at(THERE).get("/")
    assert [each["sql"] for each in queries if "networkban" in each["sql"]] == []


def test_behind_a_proxy_the_client_s_own_address_counts(olga: User, settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    ban(olga, HERE)
    proxy = Client(REMOTE_ADDR="10.0.0.1")
    assert proxy.get("/", headers={"X-Forwarded-For": HERE}).status_code == 403
    assert proxy.get("/", headers={"X-Forwarded-For": f"{HERE}, {THERE}"}).status_code == 200
    assert proxy.get("/", headers={"X-Forwarded-For": THERE}).status_code == 200
