"""Players whom an operator keeps out: at the tables, on open pages, at the door, and back."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
import uuid
from collections.abc import Callable
from functools import partial

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import base_user
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.ledger import adjustments
from accounts.lib.errors import OperationRefused
from accounts.models import Act, Transfer, User
from accounts.users import guests
from tables.game import account_deletion, rebuys
from tables.models import Round, Seat, Table
from tables.operators.floor.table_detail import load_table_state
from tables.operators.players import freezing, moderation
from tables.operators.players.wallet_views import run_adjustment
from tables.operators.rounds.detail import list_changes
from tables.protocol.commands import Close, Say, Silence
from tables.protocol.frames import Done, Err
from tables.realtime import dispatch
from tables.social import chat
from tables.state.effects import Effects
from tests.accounts.users.test_sign_up import PASSWORD, log_in
from tests.game.test_host_commands import made_by
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient, balance_of, code, new_player
from tests.realtime.test_sockets import page

pytestmark = pytest.mark.django_db(transaction=True)

Role = Callable[..., User]
Stack = Callable[..., None]
WHY = "Two accounts at one table."
START = 50_000


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def manager(operator: Role) -> User:
    """Who freezes."""
    return operator("manager")


def freeze(by: User, user: User) -> Effects[bool]:
    return freezing.freeze(Operator(by.pk), user.pk, WHY, timezone.now())


def unfreeze(by: User, user: User) -> Effects[bool]:
    return freezing.unfreeze(Operator(by.pk), user.pk, "", timezone.now())


def now_of(user: User) -> User:
    return User.objects.get(pk=user.pk)


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def read_page(client: Client, address: str) -> str:
    return " ".join(client.get(address, follow=True).content.decode().split())


# At the tables


def test_a_bet_that_is_not_dealt_comes_back_and_the_seat_is_freed(
    casino: TableClient, ann: User, ben: User, manager: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    effects = freeze(manager, ann)
    assert effects.value
    assert balance_of(ann) == START
    assert [seat.user for seat in casino.row.seats.all()] == [ben]
    assert [change.table_id for change in effects.changes] == [casino.table_id]
    call_command("audit")


def test_who_has_bet_is_dealt_in_when_the_others_are_frozen(
    casino: TableClient, ann: User, ben: User, manager: User, stack: Stack
) -> None:
    stack("8s 6h 8d Kc")
    sit_down(casino, ann, ben)
    casino.bet(ben, 1000)
    freeze(manager, ann)
    assert casino.live.game.is_playing


def test_a_hand_in_a_round_stands_and_is_settled(
    casino: TableClient, ann: User, ben: User, manager: User, stack: Stack
) -> None:
    stack("5s Ts 9h 6d Td 8c")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    assert casino.view.asked is not None
    assert casino.view.asked.seat == 1
    freeze(manager, ann)
    assert casino.view.asked is not None
    assert casino.view.asked.seat == 2, "nobody waits for who is frozen"
    assert casino.row.seats.get(user=ann).is_leaving
    assert balance_of(ann) == START - 1000
    casino.act(ben, "stand")
    (hand,) = list_hands(user=ann)
    assert (hand.total, hand.stake) == (11, 1000), "no card was taken for who is frozen"
    assert hand.outcome == "lose"
    assert not Seat.objects.filter(user=ann).exists()
    call_command("audit")


def test_the_record_of_a_table_says_which_operator_froze_its_player(
    casino: TableClient, ann: User, ben: User, manager: User, stack: Stack
) -> None:
    stack("5s Ts 9h 6d Td 8c")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    freeze(manager, ann)
    (last, *_) = load_table_state(casino.table_id, casino.now).changes
    assert (last.by, last.command) == (manager.username, "froze a player: ann")
    casino.act(ben, "stand")
    row = Round.objects.get()
    (freezing_change,) = [one for one in list_changes(row) if one.by == manager.username]
    assert freezing_change.command == "froze a player: ann"
    names = {"ann", "ben", manager.username}
    assert {one.by for one in list_changes(row)} == names, "no change without its author"


def test_a_hand_that_waits_its_turn_is_decided_when_it_is_asked(
    casino: TableClient, ann: User, ben: User, manager: User, stack: Stack
) -> None:
    stack("Ts 9h 6d Td 9c 7c Ts")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    freeze(manager, ben)
    assert casino.view.asked is not None
    assert casino.view.asked.seat == 1
    casino.act(ann, "stand")
    assert not casino.live.game.is_playing
    assert len(list_hands(user=ben)) == 1
    assert balance_of(ben) == START + 1000, "what the hand wins is the player's"
    call_command("audit")


def test_who_is_alone_in_a_round_is_settled_at_once(
    casino: TableClient, ann: User, manager: User, stack: Stack
) -> None:
    stack("Ts 6h Td Kc 9c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    freeze(manager, ann)
    assert balance_of(ann) == START + 1000
    assert not Seat.objects.filter(user=ann).exists()
    call_command("audit")


def test_all_their_tables_are_left_and_the_others_played_on(
    ann: User, ben: User, manager: User
) -> None:
    tables = [new_table(key) for key in ("casino", "classic", "casino")]
    for table in tables:
        sit_down(table, ann, ben)
    freeze(manager, ann)
    assert not Seat.objects.filter(user=ann).exists()
    assert Seat.objects.filter(user=ben).count() == 3


def test_the_tables_that_they_run_stay_open(ann: User, ben: User, manager: User) -> None:
    table = made_by(ann)
    table.sit(ben, 1)
    table.sit(ann, 2)
    freeze(manager, ann)
    row = Table.objects.get(pk=table.table_id)
    assert (row.is_closing, row.closed_at, row.maker) == (False, None, ann)
    assert code(table.bet(ben, 1000)) == "done"


def test_the_money_stays(ann: User, manager: User) -> None:
    before = Transfer.objects.count()
    freeze(manager, ann)
    unfreeze(manager, ann)
    assert balance_of(ann) == START
    assert Transfer.objects.count() == before


# While frozen


def test_nothing_is_played_said_taken_or_deleted(
    casino: TableClient, ann: User, ben: User, manager: User
) -> None:
    sit_down(casino, ben)
    freeze(manager, ann)
    assert code(casino.sit(ann, 2)) == "not_allowed"
    answer = chat.execute(casino.table_id, ann.pk, Say(uuid.uuid4(), "hello"), timezone.now()).value
    assert isinstance(answer, Err)
    assert answer.code == "not_allowed"
    assert rebuys.rebuy(now_of(ann), timezone.now()).value.answer in ("closed", "can_play")
    with pytest.raises(account_deletion.FrozenAccount):
        account_deletion.delete_account(ann.pk, timezone.now())
    assert now_of(ann).username == "ann"
    assert balance_of(ann) == START


def test_a_table_of_their_own_is_not_run_by_them_meanwhile(
    ann: User, ben: User, manager: User
) -> None:
    table = made_by(ann)
    table.sit(ben, 1)
    freeze(manager, ann)
    assert code(table.send(ann, Close(uuid.uuid4()))) == "not_allowed"
    silence = Silence(uuid.uuid4(), "ben", True)
    answer = chat.execute(table.table_id, ann.pk, silence, timezone.now()).value
    assert isinstance(answer, Err)


def test_an_old_session_gets_a_notice_on_every_page(
    casino: TableClient, ann: User, manager: User
) -> None:
    anns = browser_of(ann)
    freeze(manager, ann)
    for address in ("/", f"/tables/{casino.table_id}/", "/rules/", "/home/", "/account/"):
        text = read_page(anns, address)
        assert "Your account ann is frozen." in text
        assert f"The reason: {WHY}" in text
        assert "Your chips stay in your account." in text
    assert "is frozen" not in read_page(Client(), "/")


def test_who_logs_in_is_told_why_it_does_not_help(ann: User, manager: User) -> None:
    freeze(manager, ann)
    client = Client()
    right = client.post("/accounts/login/", {"login": "ann", "password": PASSWORD}, follow=True)
    assert "This account is frozen" in right.content.decode()
    assert WHY in right.content.decode()
    wrong = client.post("/accounts/login/", {"login": "ann", "password": "no"}, follow=True)
    assert WHY not in wrong.content.decode()
    assert "_auth_user_id" not in client.session


def test_a_guest_is_told_and_keeps_the_only_way_back(manager: User) -> None:
    guest = guests.create_guest(at=timezone.now())
    browser = browser_of(guest)
    freeze(manager, guest)
    assert "Only this browser can open your account" in read_page(browser, "/")
    browser.post("/accounts/guest/")
    browser.post(
        "/accounts/signup/",
        {"username": "other", "email": "", "password1": PASSWORD},
    )
    assert "is frozen" in read_page(browser, "/accounts/signup/")
    assert not User.objects.filter(username="other").exists()
    assert User.objects.filter(is_guest=True).count() == 1
    unfreeze(manager, guest)
    assert guest.username in read_page(browser, "/home/")
    assert browser.get("/account/").status_code == 200


def test_the_notice_costs_others_no_query(ann: User, manager: User) -> None:
    plain = Client()
    with CaptureQueriesContext(connection) as queries:
        plain.get("/rules/")
    assert [q["sql"] for q in queries.captured_queries if "accounts_user" in q["sql"]] == []


def test_a_session_under_an_old_password_is_told_nothing(ann: User, manager: User) -> None:
    anns = browser_of(ann)
    freeze(manager, ann)
    user = now_of(ann)
    user.set_password("another-21!")
    user.save()
    assert WHY not in read_page(anns, "/")


def test_a_password_that_is_reset_by_mail_is_the_new_one_afterwards(
    ann: User, manager: User
) -> None:
    from accounts.users.allauth_adapter import AccountAdapter

    freeze(manager, ann)
    AccountAdapter().set_password(now_of(ann), "another-21!")
    unfreeze(manager, ann)
    assert log_in(Client(), "ann", "another-21!")


def test_the_name_stays_where_it_was_told(
    casino: TableClient, ann: User, ben: User, manager: User, stack: Stack
) -> None:
    from tables.models import Round
    from tables.records.round_page import build_round_page

    stack("Ts 6h Td Kc 9c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    freeze(manager, ann)
    round_page = build_round_page(Round.objects.get(), ben.pk, sharer_id=ann.pk)
    assert [seat.player for seat in round_page.seats] == ["ann"]


# Back again


def test_unfrozen_everything_is_as_before(casino: TableClient, ann: User, manager: User) -> None:
    anns = browser_of(ann)
    freeze(manager, ann)
    assert anns.get("/account/").status_code == 302
    assert unfreeze(manager, ann).value
    user = now_of(ann)
    assert (user.is_active, user.frozen_at, user.frozen_because) == (True, None, "")
    assert anns.get("/account/").status_code == 200
    assert "is frozen" not in read_page(anns, "/")
    assert code(casino.sit(ann, 1)) == "done"
    assert log_in(Client(), "ann")


def test_sessions_are_kept_in_the_list(ann: User, manager: User) -> None:
    from accounts.users import sessions
    from accounts.users.sessions import list_sessions

    anns = browser_of(ann)
    anns.get("/account/")
    freeze(manager, ann)
    anns.get("/")
    sessions.flush_activity(timezone.now())
    sessions.delete_ended(timezone.now())
    assert len(list_sessions(ann.pk, timezone.now())) == 1


# Who may


def test_it_is_done_once_and_the_trail_says_by_whom(ann: User, manager: User) -> None:
    assert [freeze(manager, ann).value for _ in range(2)] == [True, False]
    assert [unfreeze(manager, ann).value for _ in range(2)] == [True, False]
    acts = Act.objects.order_by("pk").values_list("what", "subject", "by__username", "reason")
    assert list(acts) == [
        ("freeze", f"user:{ann.pk}", "manager", WHY),
        ("unfreeze", f"user:{ann.pk}", "manager", ""),
    ]


def test_nobody_freezes_themselves(manager: User) -> None:
    with pytest.raises(OperationRefused, match="freeze yourself"):
        freeze(manager, manager)
    olga = User.objects.create_superuser("olga")
    with pytest.raises(OperationRefused, match="freeze yourself"):
        freeze(olga, olga)


def test_operators_are_frozen_by_superusers_alone(operator: Role, manager: User) -> None:
    floor = operator("floor")
    with pytest.raises(OperationRefused, match="Only a superuser"):
        freeze(manager, floor)
    olga = User.objects.create_superuser("olga")
    assert freeze(olga, floor).value
    with pytest.raises(OperationRefused, match="Only a superuser"):
        unfreeze(manager, floor)
    assert unfreeze(olga, floor).value


def test_who_deleted_the_account_is_not_frozen(ann: User, manager: User) -> None:
    User.objects.filter(pk=ann.pk).update(is_active=False)
    with pytest.raises(OperationRefused, match="deleted"):
        freeze(manager, ann)
    with pytest.raises(OperationRefused, match="deleted"):
        unfreeze(manager, ann)
    assert not now_of(ann).is_active


@pytest.mark.usefixtures("stopped_writer")
def test_the_page_says_what_will_happen_and_wants_a_reason(ann: User, manager: User) -> None:
    client, address = browser_of(manager), f"/admin/players/{ann.pk}/freeze/"
    assert "A bet not yet dealt is returned." in read_page(client, address)
    for reason in ("", " ", "a\0b", "x" * 201):
        assert client.post(address, {"reason": reason}).status_code == 200
    assert now_of(ann).is_active
    answer = client.post(address, {"reason": WHY}, follow=True).content.decode()
    assert "ann is frozen." in answer
    assert now_of(ann).frozen_because == WHY
    again = client.post(address, {"reason": WHY}, follow=True).content.decode()
    assert "ann was already frozen." in again
    back = f"/admin/players/{ann.pk}/unfreeze/"
    assert "ann is unfrozen." in client.post(back, follow=True).content.decode()
    assert now_of(ann).is_active


# Silenced


def say(table: TableClient, user: User) -> str:
    command = Say(uuid.uuid4(), "hello")
    answer = chat.execute(table.table_id, user.pk, command, timezone.now()).value
    return answer.code if isinstance(answer, Err) else "done"


def test_who_is_silenced_plays_and_talks_nowhere(
    casino: TableClient, classic: TableClient, ann: User, operator: Role
) -> None:
    by = Operator(operator("floor").pk)
    assert moderation.silence(by, ann.pk, "bad words", timezone.now())
    assert not moderation.silence(by, ann.pk, "bad words", timezone.now())
    assert [say(casino, ann), say(classic, ann)] == ["silenced", "silenced"]
    assert code(casino.sit(ann, 1)) == "done"
    text = read_page(browser_of(ann), f"/tables/{casino.table_id}/")
    assert "An operator has muted you" in text
    assert 'id="chat-form"' not in text
    assert moderation.end_silence(by, ann.pk, "", timezone.now())
    assert not moderation.end_silence(by, ann.pk, "", timezone.now())
    assert say(casino, ann) == "done"
    assert 'id="chat-form"' in read_page(browser_of(ann), f"/tables/{casino.table_id}/")
    assert list(Act.objects.order_by("pk").values_list("what", "reason")) == [
        ("silence", "bad words"), ("unsilence", ""),
    ]  # fmt: skip


def test_operators_and_oneself_are_not_silenced(operator: Role, manager: User) -> None:
    floor = operator("floor")
    for by, user in ((floor, manager), (floor, floor)):
        with pytest.raises(OperationRefused):
            moderation.silence(Operator(by.pk), user.pk, "quiet", timezone.now())
    olga = User.objects.create_superuser("olga")
    assert moderation.silence(Operator(olga.pk), floor.pk, "quiet", timezone.now())


def test_a_silence_ends_by_itself(casino: TableClient, ann: User, operator: Role) -> None:
    by, now = Operator(operator("floor").pk), timezone.now()
    assert moderation.silence(by, ann.pk, "bad words", now, dt.timedelta(hours=1))
    sent_twice = now + dt.timedelta(seconds=20)
    assert not moderation.silence(by, ann.pk, "bad words", sent_twice, dt.timedelta(hours=1))
    until = now_of(ann).silenced_until
    assert until == now + dt.timedelta(hours=1)
    answer = chat.execute(casino.table_id, ann.pk, Say(uuid.uuid4(), "hello"), now).value
    assert isinstance(answer, Err)
    assert until.astimezone(dt.UTC).strftime("%H:%M UTC") in answer.message
    page = read_page(browser_of(ann), f"/tables/{casino.table_id}/")
    assert "An operator has muted you until" in page
    assert 'id="chat-form" novalidate hidden' in page
    after = until + dt.timedelta(seconds=1)
    later = chat.execute(casino.table_id, ann.pk, Say(uuid.uuid4(), "hello"), after).value
    assert isinstance(later, Done)
    assert not moderation.end_silence(by, ann.pk, "", after)
    # A longer time replaces a shorter one, and the audit log has both ends.
    assert moderation.silence(by, ann.pk, "again", now, dt.timedelta(weeks=1))
    assert moderation.silence(by, ann.pk, "for good", now)
    acts = list(Act.objects.order_by("pk").values_list("before", "after"))
    week = (now + dt.timedelta(weeks=1)).isoformat()
    assert acts == [
        (None, {"until": until.isoformat()}),
        ({"until": until.isoformat()}, {"until": week}),
        ({"until": week}, {"until": None}),
    ]


def test_the_form_of_a_silence_has_times(ann: User, operator: Role) -> None:
    client = browser_of(operator("floor"))
    path = f"/admin/players/{ann.pk}/silence/"
    assert "10 minutes" in read_page(client, path)
    refused = client.post(path, {"reason": "bad words"})
    assert refused.status_code == 200
    assert now_of(ann).silenced_at is None
    before = timezone.now()
    page = client.post(path, {"reason": "bad words", "lasts": "10m"}, follow=True).content.decode()
    assert "The player ann is muted." in page
    assert "Muted since" in page
    until = now_of(ann).silenced_until
    assert until is not None
    assert dt.timedelta(minutes=9) < until - before < dt.timedelta(minutes=11)


# Open pages

run = sync_to_async(dispatch.run, thread_sensitive=False)


@pytest.mark.usefixtures("running")
async def test_open_pages_close_at_once_and_nobody_elses(
    casino: TableClient, classic: TableClient, ann: User, ben: User, manager: User
) -> None:
    async with (
        page(casino.table_id, ann) as plays,
        page(classic.table_id, ann) as watches,
        page(casino.table_id, ben) as bens,
    ):
        for opened in (plays, watches, bens):
            await opened.frame_of("snapshot")
        await plays.send(t="sit", seat=1)
        began = time.monotonic()
        await run(partial(freezing.freeze, Operator(manager.pk), ann.pk, WHY))
        codes = [await plays.closed(), await watches.closed()]
        assert time.monotonic() - began < 4  # unasked, pages are looked at after 20 seconds
        assert codes == [4401, 4401]
        while not any(
            e["type"] == "player_left" for e in (await bens.frame_of("changed"))["events"]
        ):
            pass
        assert (await bens.send(t="sit", seat=1))["t"] == "done"


@pytest.mark.usefixtures("running")
async def test_a_frozen_players_session_opens_pages_of_a_watcher(
    casino: TableClient, ann: User, manager: User
) -> None:
    await run(partial(freezing.freeze, Operator(manager.pk), ann.pk, WHY))
    async with page(casino.table_id, ann) as anns:
        assert (await anns.frame_of("snapshot"))["you"]["player"] is None
        assert (await anns.send(t="sit", seat=1))["code"] == "login_required"


@pytest.mark.usefixtures("running")
async def test_open_pages_are_told_an_adjusted_balance_once(
    casino: TableClient, ann: User, operator: Role
) -> None:
    by = Operator((await sync_to_async(operator)("cashier")).pk)
    adjust = sync_to_async(run_adjustment, thread_sensitive=False)
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        key = uuid.uuid4()
        for _ in range(2):
            await adjust(partial(adjustments.adjust, by, ann.pk, 1250, key=key, reason="a test"))
        assert (await anns.frame_of("wallet"))["balance"] == START + 1250
        key = uuid.uuid4()
        await adjust(partial(adjustments.adjust, by, ann.pk, 50, key=key, reason="a test"))
        assert (await anns.frame_of("wallet"))["balance"] == START + 1300


@pytest.mark.usefixtures("running")
async def test_who_is_silenced_has_the_page_loaded_again(
    casino: TableClient, ann: User, operator: Role
) -> None:
    floor = await sync_to_async(operator)("floor")
    silence = sync_to_async(moderation.silence, thread_sensitive=False)
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        await silence(Operator(floor.pk), ann.pk, "bad words", timezone.now())
        assert await asyncio.wait_for(anns.closed(), 1) == 4401


def test_everybody_in_the_house_can_be_told_apart(ann: User, manager: User) -> None:
    """Frozen, deleted and well are three things, to whoever asks."""

    ben = new_player("bob")
    account_deletion.delete_account(ben.pk, timezone.now())
    freeze(manager, ann)
    assert [now_of(user).is_deleted for user in (ann, ben, manager)] == [False, True, False]


# Operators, too


@pytest.mark.parametrize("address", ["password_change", "password_change/done"])
def test_operators_change_their_password_where_players_do(manager: User, address: str) -> None:
    client = browser_of(manager)
    for answer in (client.get(f"/admin/{address}/"), client.post(f"/admin/{address}/")):
        assert answer.status_code == 302
        assert answer.headers["Location"] == "/accounts/password/change/"


def test_an_operator_who_is_frozen_while_the_password_is_written_stays_so(
    manager: User, operator: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The right to be one was lost as well: the password is all that is written."""
    floor, slow, new = operator("floor"), base_user.make_password, "another-Pass-77!"
    client = browser_of(floor)

    def meanwhile(password: str) -> str:
        monkeypatch.setattr(base_user, "make_password", slow)
        User.objects.filter(pk=floor.pk).update(is_staff=False)
        assert freeze(manager, floor).value
        return slow(password)

    page_there = client.get("/admin/password_change/", follow=True)
    monkeypatch.setattr(base_user, "make_password", meanwhile)
    names = page_there.context["form"].fields
    sent = {name: PASSWORD if "old" in name else new for name in names}
    client.post(page_there.wsgi_request.path, sent)
    user = now_of(floor)
    assert user.check_password(new)
    assert (user.is_active, user.frozen_because, user.is_staff) == (False, WHY, False)
