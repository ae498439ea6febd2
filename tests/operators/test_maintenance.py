"""Announcements and maintenance: who hears of them, when, and that it is all in the trail."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import audit_log, maintenance
from accounts.audit_log import SITE, Operator
from accounts.models import Act, HouseSettings, User
from blackjack_site.asgi import application
from tables.models import Seat
from tables.operators.floor import announcements, overview
from tables.realtime import presence
from tables.social import announcements as announcements_on_pages
from tables.state import locking
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import ORIGIN, page

pytestmark = pytest.mark.django_db(transaction=True)

Role = Callable[..., User]
SOON = dt.timedelta(minutes=5)


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def mona(operator: Role) -> User:
    """Manages the house."""
    return operator("manager", "mona")


@pytest.fixture
def monas(mona: User, stopped_writer: None) -> Client:
    """Her browser."""
    client = Client()
    client.force_login(mona)
    return client


@asynccontextmanager
async def lobby() -> AsyncIterator[WebsocketCommunicator]:
    headers = [(b"origin", ORIGIN.encode())]
    path = f"/ws/lobby/?since={round(timezone.now().timestamp() * 1000)}"
    opened = WebsocketCommunicator(application, path, headers=headers)
    assert (await opened.connect(timeout=5))[0]
    yield opened
    await opened.disconnect()


async def frame(opened: WebsocketCommunicator) -> dict[str, object]:
    data: dict[str, object] = json.loads(await opened.receive_from(timeout=5))
    return data


def press(client: Client, where: str, **data: str) -> str:
    answer = client.post(f"/admin/floor/{where}", data, follow=True)
    return " ".join(answer.content.decode().split())


def house_acts() -> list[tuple[str, object]]:
    return [(act.what, act.after) for act in audit_log.list_entries(SITE)]


# Announcements


@pytest.mark.usefixtures("running")
async def test_everybody_with_a_table_or_the_lobby_open_hears_an_announcement_once(
    casino: TableClient, classic: TableClient, ann: User, mona: User
) -> None:
    async with (
        page(casino.table_id, ann) as anns,
        page(classic.table_id) as watcher,
        lobby() as hall,
    ):
        for one in (anns, watcher):
            await one.frame_of("snapshot")
        assert (await frame(hall))["house"] == {"announcement": None, "maintenance": None}
        is_new = await sync_to_async(announcements.announce)(Operator(mona.pk), "The bar is open.")
        assert is_new
        for one in (anns, watcher):
            news = await one.frame_of("house_news")
            assert news["house"]["announcement"]["text"] == "The bar is open."
        assert (await frame(hall))["house"]["announcement"]["text"] == "The bar is open."
        again = await sync_to_async(announcements.announce)(Operator(mona.pk), "The bar is open.")
        assert not again
        await asyncio.sleep(0.2)
        assert sum('"house_news"' in text for text in anns.heard) == 1
    assert await sync_to_async(house_acts)() == [
        (Act.What.ANNOUNCE, {"announcement": "The bar is open."})
    ]


@pytest.mark.usefixtures("running")
async def test_one_table_is_told_something_and_no_other(
    casino: TableClient, classic: TableClient, ann: User, mona: User
) -> None:
    async with page(casino.table_id, ann) as anns, page(classic.table_id) as elsewhere:
        for one in (anns, elsewhere):
            await one.frame_of("snapshot")
        announce = sync_to_async(announcements.announce_at)
        assert await announce(Operator(mona.pk), casino.table_id, "Dealer change.")
        news = await anns.frame_of("announced")
        assert news["announcement"]["text"] == "Dealer change."
        assert not await announce(Operator(mona.pk), casino.table_id, "Dealer change.")
        await asyncio.sleep(0.2)
        assert not any("Dealer change." in text for text in elsewhere.heard)
    async with page(casino.table_id) as late, page(classic.table_id) as other:
        assert (await late.frame_of("snapshot"))["announcement"]["text"] == "Dealer change."
        assert (await other.frame_of("snapshot"))["announcement"] is None


def test_what_was_told_ten_minutes_ago_may_be_told_again(
    casino: TableClient, mona: User, stopped_writer: None
) -> None:
    announce = announcements.announce_at
    assert announce(Operator(mona.pk), casino.table_id, "Last orders.")
    assert not announce(Operator(mona.pk), casino.table_id, "Last orders.")
    row = casino.row
    assert row.announced_at is not None
    row.announced_at -= dt.timedelta(minutes=10)
    row.save(update_fields=["announced_at"])
    assert announce(Operator(mona.pk), casino.table_id, "Last orders.")


# Announcements that are taken back


@pytest.mark.usefixtures("running")
async def test_an_announcement_that_is_taken_back_disappears_from_open_pages(
    casino: TableClient, ann: User, mona: User
) -> None:
    by = Operator(mona.pk)
    async with page(casino.table_id, ann) as anns, lobby() as hall:
        await anns.frame_of("snapshot")
        await frame(hall)
        await sync_to_async(announcements.announce_at)(by, casino.table_id, "Dealer change.")
        await sync_to_async(announcements.announce)(by, "The bar is open.")
        row = await sync_to_async(lambda: casino.row)()
        site = await HouseSettings.objects.aget()
        assert row.announced_at is not None
        assert site.announced_at is not None
        assert (await anns.frame_of("announced"))["announcement"]["text"] == "Dealer change."
        assert (await anns.frame_of("house_news"))["house"]["announcement"] is not None
        await frame(hall)
        back = sync_to_async(announcements.take_back_at)
        assert await back(by, casino.table_id, row.announced_at)
        assert await sync_to_async(announcements.take_back)(by, site.announced_at)
        assert (await anns.frame_of("announced"))["announcement"] is None
        assert (await anns.frame_of("house_news"))["house"]["announcement"] is None
        assert (await frame(hall))["house"]["announcement"] is None
    async with page(casino.table_id, ann) as later:
        snapshot = await later.frame_of("snapshot")
        assert (snapshot["announcement"], snapshot["house"]["announcement"]) == (None, None)


def test_the_floor_shows_the_announcements_that_are_on_and_takes_them_back(
    casino: TableClient, mona: User, monas: Client, operator: Role
) -> None:
    press(monas, f"tables/{casino.table_id}/announce/", text="Dealer change.")
    press(monas, "announce/", text="The bar is open.")
    row = casino.row
    assert row.announced_at is not None
    for path in ("/admin/floor/", f"/admin/floor/tables/{casino.table_id}/"):
        text = " ".join(monas.get(path).content.decode().split())
        assert "The bar is open. <span" in text
        assert "to everyone, by mona, since" in text
        assert "at Casino, by mona, since" in text
        assert "new pages show it until" in text
        assert 'id="take-back-all"' in text
        assert f'id="take-back-{casino.table_id}"' in text
    notices = monas.get("/admin/floor/").context["floor"].announcements
    assert [one.until - one.since for one in notices] == [announcements_on_pages.SHOWN_FOR] * 2
    assert notices[1].since == row.announced_at
    other = Client()
    other.force_login(operator("floor", "olga"))
    made_at, back = row.announced_at.isoformat(), f"tables/{casino.table_id}/announce/back/"
    assert "was taken back" in press(monas, back, made_at=made_at)
    text = press(other, back, made_at=made_at)
    assert "isn&#x27;t shown any more. Nothing was changed." in text.replace("’", "&#x27;")
    assert "Dealer change." not in monas.get("/admin/floor/").content.decode()
    newest, first = audit_log.list_entries(f"table:{casino.table_id}")
    assert (newest.what, newest.by, newest.before, newest.after) == (
        Act.What.UNANNOUNCE, mona, {"announcement": "Dealer change."}, {"announcement": ""},
    )  # fmt: skip
    assert first.what == Act.What.ANNOUNCE
    site = HouseSettings.objects.get().announced_at
    assert site is not None
    assert "was taken back" in press(monas, "announce/back/", made_at=site.isoformat())
    assert [what for what, _after in house_acts()] == [Act.What.UNANNOUNCE, Act.What.ANNOUNCE]


def test_of_two_who_take_back_at_once_one_does(casino: TableClient, mona: User) -> None:
    announcements.announce_at(Operator(mona.pk), casino.table_id, "Dealer change.")
    at = casino.row.announced_at
    assert at is not None

    def take_back(_: int) -> bool:
        try:
            return announcements.take_back_at(Operator(mona.pk), casino.table_id, at)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(take_back, range(4))) == [False, False, False, True]
    assert Act.objects.filter(what=Act.What.UNANNOUNCE).count() == 1


def test_who_takes_back_an_announcement_leaves_a_newer_one(
    casino: TableClient, mona: User, monas: Client
) -> None:
    announcements.announce_at(Operator(mona.pk), casino.table_id, "Dealer change.")
    first = casino.row.announced_at
    announcements.announce_at(Operator(mona.pk), casino.table_id, "Last orders.")
    assert first is not None
    assert not announcements.take_back_at(Operator(mona.pk), casino.table_id, first)
    for made_at in ("", "x", "2026-11-25", "9" * 50, "2026-11-25T20:00:00\0"):
        press(monas, f"tables/{casino.table_id}/announce/back/", made_at=made_at)
    assert casino.row.announcement == "Last orders."


@pytest.mark.parametrize("text", ["", "  ", "x" * 201, "a\0b"])
def test_an_announcement_is_one_line_that_fits(
    monas: Client, casino: TableClient, text: str
) -> None:
    for where in ("announce/", f"tables/{casino.table_id}/announce/"):
        assert "What will happen" in press(monas, where, text=text)
    assert HouseSettings.objects.get().announcement == casino.row.announcement == ""


def test_a_game_that_goes_on_keeps_what_its_table_was_told(
    casino: TableClient, ann: User, mona: User, stopped_writer: None
) -> None:
    live = casino.live
    announcements.announce_at(Operator(mona.pk), casino.table_id, "Dealer change.")
    casino.sit(ann, 1)
    assert live.row.announcement == ""
    assert casino.row.announcement == "Dealer change."


# Maintenance


def test_maintenance_is_planned_and_called_off_from_its_page(monas: Client, mona: User) -> None:
    began = timezone.now()
    text = press(monas, "maintenance/", minutes="5", says="New felt.", instead_of="")
    assert "everyone was notified" in text
    plan = maintenance.get_planned()
    assert plan is not None
    assert began + SOON - dt.timedelta(seconds=1) <= plan.at <= timezone.now() + SOON
    assert plan.says == "New felt."
    assert "The site is open again" in press(monas, "maintenance/end/")
    assert maintenance.get_planned() is None
    reopened, planned = audit_log.list_entries(SITE)
    assert (planned.what, reopened.what) == (Act.What.MAINTAIN, Act.What.REOPEN)
    assert planned.before == reopened.after == {"at": None, "says": ""}
    assert planned.after == reopened.before == {"at": plan.at.isoformat(), "says": "New felt."}
    assert planned.by == mona


def test_the_same_plan_sent_twice_is_made_once(monas: Client) -> None:
    press(monas, "maintenance/", minutes="5", says="", instead_of="")
    plan = maintenance.get_planned()
    text = press(monas, "maintenance/", minutes="5", says="", instead_of="")
    assert "Nothing was changed" in text
    assert maintenance.get_planned() == plan
    press(monas, "maintenance/end/")
    assert "No maintenance was scheduled" in press(monas, "maintenance/end/")
    assert len(house_acts()) == 2


def test_a_plan_is_moved_from_the_page_that_shows_it(monas: Client) -> None:
    press(monas, "maintenance/", minutes="5", says="", instead_of="")
    first = maintenance.get_planned()
    press(monas, "maintenance/", minutes="60", says="", instead_of=announcements.plan_id(first))
    moved = maintenance.get_planned()
    assert first is not None
    assert moved is not None
    assert moved.at > first.at


@pytest.mark.parametrize("minutes", ["", "-1", "x", "10081", "9" * 40, "1.5", "5\0"])
def test_maintenance_begins_within_a_week(monas: Client, minutes: str) -> None:
    press(monas, "maintenance/", minutes=minutes, says="", instead_of="")
    assert maintenance.get_planned() is None


@pytest.mark.usefixtures("running")
async def test_open_pages_hear_of_maintenance_and_of_its_end(
    casino: TableClient, mona: User
) -> None:
    at = (timezone.now() + SOON).replace(microsecond=0)
    async with page(casino.table_id) as watcher, lobby() as hall:
        await watcher.frame_of("snapshot")
        await frame(hall)
        plan = sync_to_async(announcements.plan_maintenance)
        assert await plan(Operator(mona.pk), at, "New felt.", instead_of="")
        expected = {"at": round(at.timestamp() * 1000), "says": "New felt."}
        assert (await watcher.frame_of("house_news"))["house"]["maintenance"] == expected
        assert (await frame(hall))["house"]["maintenance"] == expected
        async with lobby() as late:
            assert (await frame(late))["house"]["maintenance"] == expected
        assert await sync_to_async(announcements.end_maintenance)(Operator(mona.pk))
        assert (await watcher.frame_of("house_news"))["house"]["maintenance"] is None


def test_the_floor_says_when_it_is_safe_to_stop(
    casino: TableClient, ann: User, mona: User, monas: Client, stack: Callable[..., None]
) -> None:
    stack("Ts Kd 9c 9h 8c 7d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    now = timezone.now()
    assert not overview.load_site_state(now).is_safe_to_stop
    announcements.plan_maintenance(Operator(mona.pk), now + SOON, "", instead_of="")
    assert not overview.load_site_state(now).is_safe_to_stop
    later = now + SOON
    assert not overview.load_site_state(later).is_safe_to_stop
    assert overview.load_site_state(later).rounds == 1
    casino.act(ann, "stand")
    assert overview.load_site_state(later).is_safe_to_stop
    assert "safe to stop" not in monas.get("/admin/floor/").content.decode()
    HouseSettings.objects.update(maintenance_at=now)
    assert "safe to stop" in monas.get("/admin/floor/").content.decode()


def test_who_is_away_when_the_house_opens_again_has_a_minute_to_come_back(
    casino: TableClient, ann: User, ben: User, mona: User, stopped_writer: None
) -> None:
    sit_down(casino, ann, ben)
    now = timezone.now()
    HouseSettings.objects.update(maintenance_at=now - dt.timedelta(hours=1))
    Seat.objects.update(away_since=now - dt.timedelta(minutes=50))
    assert announcements.end_maintenance(Operator(mona.pk))
    presence.update_table(casino.table_id, "p", {}, timezone.now())
    assert casino.row.seats.count() == 2
    presence.update_table(casino.table_id, "p", {}, timezone.now() + dt.timedelta(seconds=61))
    assert casino.row.seats.count() == 0


def test_who_is_away_when_a_running_maintenance_is_moved_has_a_minute_to_come_back(
    casino: TableClient, ann: User, ben: User, mona: User, stopped_writer: None
) -> None:
    sit_down(casino, ann, ben)
    now = timezone.now()
    HouseSettings.objects.update(maintenance_at=now - dt.timedelta(hours=1))
    Seat.objects.update(away_since=now - dt.timedelta(minutes=50))
    plan = announcements.plan_id(maintenance.get_planned())
    assert announcements.plan_maintenance(Operator(mona.pk), now + SOON, "", instead_of=plan)
    presence.update_table(casino.table_id, "p", {}, timezone.now())
    assert casino.row.seats.count() == 2
    presence.update_table(casino.table_id, "p", {}, timezone.now() + dt.timedelta(seconds=61))
    assert casino.row.seats.count() == 0


def test_a_plan_that_is_moved_before_it_runs_holds_no_seat_for_longer(
    casino: TableClient, ann: User, mona: User, stopped_writer: None
) -> None:
    sit_down(casino, ann)
    now = timezone.now()
    HouseSettings.objects.update(maintenance_at=now + SOON)
    Seat.objects.update(away_since=now - dt.timedelta(minutes=50))
    plan = announcements.plan_id(maintenance.get_planned())
    assert announcements.plan_maintenance(Operator(mona.pk), now + 2 * SOON, "", instead_of=plan)
    presence.update_table(casino.table_id, "p", {}, timezone.now())
    assert casino.row.seats.count() == 0


@pytest.mark.parametrize("is_moved", [True, False])
def test_tables_are_locked_before_their_seats_are_held_anew(
    casino: TableClient,
    classic: TableClient,
    ann: User,
    mona: User,
    stopped_writer: None,
    monkeypatch: pytest.MonkeyPatch,
    is_moved: bool,
) -> None:
    sit_down(casino, ann)
    now = timezone.now()
    long_ago = now - dt.timedelta(minutes=50)
    HouseSettings.objects.update(maintenance_at=now - dt.timedelta(hours=1))
    Seat.objects.update(away_since=long_ago)
    locked: list[tuple[list[int], dt.datetime | None]] = []
    lock = locking.lock_tables

    def noted(table_ids: list[int]) -> None:
        locked.append((list(table_ids), Seat.objects.get().away_since))
        lock(table_ids)

    monkeypatch.setattr(locking, "lock_tables", noted)
    if is_moved:
        plan = announcements.plan_id(maintenance.get_planned())
        announcements.plan_maintenance(Operator(mona.pk), now + SOON, "", instead_of=plan)
    else:
        announcements.end_maintenance(Operator(mona.pk))
    assert ([casino.table_id], long_ago) in locked
    held_since = Seat.objects.get().away_since
    assert held_since is not None
    assert held_since >= now
