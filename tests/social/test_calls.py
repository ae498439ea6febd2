"""Which browsers a player may be called in, and when that ends."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client

from accounts.lib import server_clock
from accounts.models import User
from blackjack_site.conf.vapid_key import is_vapid_key, read_or_make_vapid_key
from tables.game import account_deletion
from tables.lib import push_keys, push_service
from tables.models import PushSubscription
from tables.social import calls
from tests.helpers.push_device import Device, from_base64

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def asks(client: Client, device: Device | None = None, **other: str) -> int:
    form = (device or Device()).form | other
    return client.post("/account/calls/", form).status_code


def test_each_session_says_for_itself(ann: User) -> None:
    phone, laptop = browser(ann), browser(ann)
    assert asks(phone) == 200
    assert phone.get("/account/calls/").json()["isOn"]
    assert not laptop.get("/account/calls/").json()["isOn"]
    assert phone.post("/account/calls/end/").status_code == 200
    assert not PushSubscription.objects.exists()


def test_a_log_out_ends_the_calls_of_that_browser_alone(ann: User) -> None:
    phone, laptop = browser(ann), browser(ann)
    assert (asks(phone, Device("phone")), asks(laptop, Device("laptop"))) == (200, 200)
    phone.post("/accounts/logout/")
    assert [device.endpoint[-6:] for device in PushSubscription.objects.all()] == ["laptop"]


def test_ending_the_other_sessions_ends_their_calls(ann: User) -> None:
    phone, laptop = browser(ann), browser(ann)
    asks(phone, Device("phone"))
    asks(laptop, Device("laptop"))
    laptop.post("/account/sessions/end/")
    assert [device.endpoint[-6:] for device in PushSubscription.objects.all()] == ["laptop"]


@pytest.mark.parametrize("way", ["expiry", "password", "frozen"])
def test_after_the_end_of_its_session_no_device_is_called(ann: User, way: str) -> None:
    """Also if nothing has dropped it: sessions are looked at before each call."""
    asks(browser(ann))
    assert len(calls.list_devices(ann.pk, server_clock.now())) == 1
    if way == "expiry":
        Session.objects.update(expire_date=server_clock.now())
    elif way == "password":
        ann.set_password("another-21!")
        ann.save()
    else:
        User.objects.filter(pk=ann.pk).update(is_active=False)
    assert calls.list_devices(ann.pk, server_clock.now()) == []
    assert not PushSubscription.objects.exists()


def test_the_deletion_of_the_account_ends_them(ann: User) -> None:
    asks(browser(ann))
    account_deletion.delete_account(ann.pk, server_clock.now())
    assert not PushSubscription.objects.exists()


def test_a_browser_calls_its_latest_player_alone(ann: User, ben: User) -> None:
    device = Device()
    assert (asks(browser(ann), device), asks(browser(ben), device)) == (200, 200)
    assert [one.user for one in PushSubscription.objects.all()] == [ben]


def test_a_player_has_so_many_devices_the_latest(ann: User) -> None:
    for number in range(calls.MOST_DEVICES + 2):
        assert asks(browser(ann), Device(f"phone-{number}")) == 200
    endpoints = PushSubscription.objects.order_by("pk").values_list("endpoint", flat=True)
    assert [endpoint[-1] for endpoint in endpoints] == ["2", "3", "4", "5", "6"]


def test_nobody_asks_more_often_than_allowed(ann: User) -> None:
    client = browser(ann)
    assert [asks(client) for _ in range(31)] == [200] * 30 + [429]


def test_a_visitor_has_no_calls(client: Client) -> None:
    assert asks(client) == 302
    assert not PushSubscription.objects.exists()


def test_another_site_cannot_turn_them_on(ann: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    assert asks(client) == 403


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "http://push.example/to/ann",
        "https://127.0.0.1/to/ann",
        "https://[::1]/to/ann",
        "https://localhost/to/ann",
        "https://2130706433/",
        "https://push.example:8443/to/ann",
        "https://ann@push.example/to/ann",
        "https://push.example:x/",
        "https://push.example/ to",
        "https://push.example/\r\nX-Other: 1",
        "https://push.example/" + "a" * 500,
        "ftp://push.example/",
    ],
)
def test_an_address_of_no_push_service_is_refused(ann: User, endpoint: str) -> None:
    assert asks(browser(ann), endpoint=endpoint) == 404
    assert not PushSubscription.objects.exists()


@pytest.mark.parametrize(
    "keys", [{"p256dh": "short"}, {"auth": "short"}, {"p256dh": "A" * 87}, {"auth": ""}]
)
def test_keys_of_no_browser_are_refused(ann: User, keys: dict[str, str]) -> None:
    assert asks(browser(ann), **keys) == 404


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.7", "192.168.1.1", "169.254.169.254", "::1", "fd00::1"]
)
def test_a_name_that_leads_into_a_private_network_is_not_connected_to(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """Also if another address behind the same name is public."""
    addresses = [(2, 1, 6, "", (one, 443)) for one in ("1.1.1.1", address)]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_more: addresses)
    monkeypatch.setattr("socket.create_connection", lambda *_args: pytest.fail("connected"))
    device = Device()
    with pytest.raises(push_service.PushFailed, match="not a public address"):
        push_service.send(
            "https://push.example/", device.form["p256dh"], device.form["auth"], b"{}", ttl=1
        )


def test_the_key_is_made_once_and_read_by_its_owner_alone(tmp_path: Path) -> None:
    key = read_or_make_vapid_key(tmp_path)
    assert is_vapid_key(key)
    assert read_or_make_vapid_key(tmp_path) == key
    assert (tmp_path / "vapid_key").stat().st_mode & 0o777 == 0o600


def test_browsers_get_the_public_key() -> None:
    assert from_base64(push_keys.get_public_key())[0] == 4
    assert len(from_base64(push_keys.get_public_key())) == 65


@pytest.mark.parametrize("junk", ["!" * 200, "\x00", "=" * 90, " "])
def test_keys_with_signs_that_the_decoder_leaves_out_are_refused(junk: str) -> None:
    point = urlsafe_b64encode(b"\x04" + bytes(64)).decode().rstrip("=")
    secret = urlsafe_b64encode(bytes(16)).decode().rstrip("=")
    calls.Device("https://push.example/1", point, secret)
    for keys in ((point + junk, secret), (point, secret + junk)):
        with pytest.raises(calls.NotASubscription):
            calls.Device("https://push.example/1", *keys)
