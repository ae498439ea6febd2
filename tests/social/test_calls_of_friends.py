"""Calls for an offered seat and for friends: who wishes them, once each, and never from the blocked."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import User
from tables.game import lifecycle
from tables.models import Notice, PushSubscription, QueueEntry, Table, Visit
from tables.social import call_sender, calls, friends, invites_by_name
from tests.helpers.push_device import Device
from tests.helpers.rounds import new_table
from tests.helpers.table_client import TableClient
from tests.social.test_friends import befriend

pytestmark = pytest.mark.django_db

NOW = timezone.now()


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def device_of(user: User, **kinds: bool) -> Client:
    """A browser of the user that is called for these kinds."""
    client = Client()
    client.force_login(user)
    assert client.post("/account/calls/", Device(user.username).form).status_code == 200
    chosen = {name: "on" for name, is_on in kinds.items() if is_on}
    client.post("/account/calls/kinds/", chosen)
    return client


def message(claimed: call_sender.Claimed) -> dict[str, str]:
    ((_device, text, _ttl),) = claimed
    content: dict[str, str] = json.loads(text)
    return content


def test_a_device_is_called_at_first_for_what_one_waits_for_at_a_table(ann: User) -> None:
    client = Client()
    client.force_login(ann)
    assert client.get("/account/calls/").json()["isOn"] is False
    turned_on = client.post("/account/calls/", Device("phone").form).json()
    assert turned_on == {"isOn": True, "kinds": {"turns": True, "seats": True, "friends": False}}
    chosen = client.post("/account/calls/kinds/", {"friends": "on"}).json()
    assert chosen["kinds"] == {"turns": False, "seats": False, "friends": True}
    assert client.get("/account/calls/").json()["kinds"] == chosen["kinds"]


def test_devices_of_before_are_called_for_turns_alone(ann: User) -> None:
    PushSubscription.objects.create(
        user=ann, session_key="k", endpoint="https://push.example/a", created_at=NOW
    )
    assert calls.find_kinds(ann.pk, "k") == calls.Kinds(turns=True, seats=False, friends=False)


def test_a_device_of_another_player_begins_anew(ann: User, ben: User) -> None:
    first, second = Client(), Client()
    first.force_login(ann)
    second.force_login(ben)
    device = Device("phone")
    first.post("/account/calls/", device.form)
    first.post("/account/calls/kinds/", {"friends": "on"})
    assert second.post("/account/calls/", device.form).json()["kinds"]["friends"] is False


@pytest.fixture
def offer(ann: User, ben: User, cleo: User, dora: User) -> TableClient:
    """A seat is offered to dora, who is in line."""
    at = new_table("casino")
    for seat, user in enumerate((ann, ben, cleo), 1):
        at.sit(user, seat)
    Visit.objects.create(table=at.row, process="a", user=dora, is_in_sight=False, seen_at=at.now)
    at.queue_up(dora)
    at.leave(ben)
    assert QueueEntry.objects.get().seat == 2
    return at


def test_a_free_seat_calls_the_player_in_line_once(offer: TableClient, dora: User) -> None:
    device_of(dora, seats=True)
    called = call_sender.claim_offer_calls(offer.table_id, 2, offer.now)
    assert message(called) == {
        "title": f"{offer.row.name} – The Card Room",
        "body": "A seat is free for you for 30 seconds.",
        "url": f"/tables/{offer.table_id}/",
    }
    assert called[0][2] == 30, "the push service keeps it as long as the offer"
    assert call_sender.claim_offer_calls(offer.table_id, 2, offer.now) == []
    another = offer.now + dt.timedelta(seconds=40)
    QueueEntry.objects.update(until=another)
    assert len(call_sender.claim_offer_calls(offer.table_id, 2, offer.now)) == 1, "another offer"


def test_who_did_not_choose_it_or_looks_at_the_table_is_not_called(
    offer: TableClient, dora: User
) -> None:
    device_of(dora, turns=True)
    assert call_sender.claim_offer_calls(offer.table_id, 2, offer.now) == []
    PushSubscription.objects.update(is_for_seats=True)
    Visit.objects.update(is_in_sight=True)
    assert call_sender.claim_offer_calls(offer.table_id, 2, offer.now) == []
    Visit.objects.update(is_in_sight=False)
    late = offer.now + dt.timedelta(seconds=31)
    assert call_sender.claim_offer_calls(offer.table_id, 2, late) == []


def test_an_ended_session_is_not_called(offer: TableClient, dora: User) -> None:
    device_of(dora, seats=True).post("/accounts/logout/")
    assert call_sender.claim_offer_calls(offer.table_id, 2, offer.now) == []


def opened(host: User, *, minutes: int = 0, name: str = "Porch") -> int:
    table = lifecycle.open_table(name=name, rules_key="casino", host_id=host.pk, is_private=False)
    at = NOW + dt.timedelta(minutes=minutes)
    (notice_id,) = invites_by_name.notify_friends(table, at).calls
    return notice_id


def test_a_friends_table_calls_once_and_once_in_an_hour(ann: User, ben: User) -> None:
    befriend(ann, ben)
    device_of(ben, friends=True)
    first = opened(ann)
    called = call_sender.claim_news_calls(first, NOW)
    assert message(called)["body"] == "ann has opened this table."
    assert call_sender.claim_news_calls(first, NOW) == []
    row = lifecycle.open_table(name="Attic", rules_key="casino", host_id=ann.pk, is_private=True)
    TableClient(row.pk).sit(ann, 1)
    soon = NOW + dt.timedelta(minutes=20)
    (invited,) = invites_by_name.invite(ann.pk, "ben", soon, row.pk).calls
    assert call_sender.claim_news_calls(invited, soon) == [], "the same friend in the same hour"
    later = NOW + dt.timedelta(minutes=61)
    sent = message(call_sender.claim_news_calls(invited, later))
    assert (sent["title"], sent["body"], sent["url"]) == (
        "Attic – The Card Room",
        "ann invites you.",
        f"/join/{row.code}/",
    )


def test_no_call_of_a_friend_no_more_of_a_blocked_one_or_of_a_closed_table(
    ann: User, ben: User
) -> None:
    befriend(ann, ben)
    device_of(ben, friends=True)
    notice_id = opened(ann)
    Table.objects.update(closed_at=NOW)
    assert call_sender.claim_news_calls(notice_id, NOW) == []
    Table.objects.update(closed_at=None)
    friends.end(ben.pk, "ann", NOW)
    assert call_sender.claim_news_calls(notice_id, NOW) == []
    befriend(ann, ben)
    friends.block(ben.pk, "ann", NOW)
    assert call_sender.claim_news_calls(notice_id, NOW) == []
    assert not Notice.objects.filter(pk=notice_id).exists()


def test_nobody_with_a_page_in_sight_is_called_for_friends(ann: User, ben: User) -> None:
    befriend(ann, ben)
    device_of(ben, friends=True)
    notice_id = opened(ann)
    elsewhere = new_table("classic").row
    Visit.objects.create(table=elsewhere, process="a", user=ben, seen_at=NOW)
    assert call_sender.claim_news_calls(notice_id, NOW) == []
    Visit.objects.update(is_in_sight=False)
    assert len(call_sender.claim_news_calls(notice_id, NOW)) == 1
