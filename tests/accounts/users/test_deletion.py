"""Deleting one's account: what goes, what the books keep, and what stands against it."""

from __future__ import annotations

import datetime as dt
import threading
import uuid
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.models import Account, FormerName, OwnLimit, Transfer, User
from accounts.users import limits
from accounts.users.limits import Kind
from tables import access
from tables.game import account_deletion, lifecycle
from tables.models import Admission, ChatLine, Result, Seat, Standing, Table, Tally, Visit
from tables.protocol.commands import Say
from tables.realtime import presence
from tables.realtime.writers.writer import writer
from tables.social import chat
from tables.state.effects import Effects
from tests.accounts.users.test_sign_up import PASSWORD, log_in
from tests.game.test_host_commands import made_by
from tests.helpers.rounds import faults, new_table, sit_down, types
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient, balance_of, code, events, new_player

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("stopped_writer"),
]

PAGE = "/account/delete/"
Stack = Callable[..., None]
LOSES = "Ts 6h 8d Kc 5h"


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    assert log_in(client, "ann")
    return client


def delete(client: Client, name: str = "ann", password: str = PASSWORD) -> str:
    response = client.post(PAGE, {"name": name, "password": password}, follow=True)
    return " ".join(response.content.decode().split())


def now_of(user: User) -> User:
    return User.objects.get(pk=user.pk)


def is_there(user: User) -> bool:
    return now_of(user).is_active


# What goes, and what is kept


def test_the_page_says_what_goes_and_what_is_kept(anns: Client, ann: User) -> None:
    page = " ".join(anns.get(PAGE).content.decode().split())
    assert "your 500 in play money" in page
    assert f"“former #{ann.pk}”" in page


def test_it_ends_in_the_lobby_with_a_word(anns: Client, ann: User) -> None:
    response = anns.post(PAGE, {"name": "ann", "password": PASSWORD}, follow=True)
    assert response.redirect_chain == [("/", 302)]
    assert "Your account was deleted." in response.content.decode()
    assert "_auth_user_id" not in anns.session


def test_the_name_the_password_and_the_address_go(anns: Client, ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(
        email="ann@example.org", first_name="Ann", last_name="A", is_staff=True, is_superuser=True
    )
    EmailAddress.objects.create(user=ann, email="ann@example.org")
    ann.user_permissions.add(Permission.objects.get(codename="run_table"))
    delete(anns)
    user = now_of(ann)
    assert (user.username, user.email, user.first_name, user.last_name) == (
        f"former #{ann.pk}", "", "", "",
    )  # fmt: skip
    assert not any((user.is_active, user.is_listed, user.is_staff, user.is_superuser))
    assert not user.has_usable_password()
    assert user.user_permissions.count() == 0
    assert EmailAddress.objects.count() == 0
    assert not log_in(Client(), "ann")


def test_every_login_ends(anns: Client, ann: User, ben: User) -> None:
    other, bens = Client(), Client()
    other.force_login(ann)
    bens.force_login(ben)
    delete(anns)
    assert other.get("/account/").status_code == 302
    assert bens.get("/account/").status_code == 200
    assert other.get("/home/").status_code == 302


def test_the_name_is_free_again_after_a_time_and_the_former_one_is_not(
    anns: Client, ann: User
) -> None:
    delete(anns)
    form = {"email": "", "password1": PASSWORD}
    Client().post("/accounts/signup/", form | {"username": "ann"})
    assert not User.objects.filter(username="ann").exists(), "it is held for ninety days"
    FormerName.objects.update(until=timezone.now() - dt.timedelta(days=91))
    for name in ("ann", f"former #{ann.pk}"):
        Client().post("/accounts/signup/", form | {"username": name})
    assert sorted(User.objects.values_list("username", flat=True)) == [
        "ann", f"former #{ann.pk}",
    ]  # fmt: skip


def test_the_money_goes_back_to_the_bank_and_the_books_add_up(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack(LOSES)
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    delete(anns)
    assert balance_of(ann) == 0
    back = Transfer.objects.get(kind=Transfer.Kind.RETURN)
    assert (back.amount, back.reference) == (49_000, f"user:{ann.pk}/return")
    assert back.credit.kind == Account.Kind.BANK
    assert faults() == []
    call_command("audit")


def test_who_has_nothing_left_gives_nothing_back(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack(LOSES)
    casino.sit(ann, 1)
    casino.bet(ann, 50_000)
    casino.act(ann, "stand")
    delete(anns)
    assert not is_there(ann)
    assert not Transfer.objects.filter(kind=Transfer.Kind.RETURN).exists()


def test_rounds_are_kept_under_the_former_name(
    anns: Client, casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts 9s 6h 8d 9d Kc 5h")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.act(ann, "stand")
    casino.act(ben, "stand")
    round_id = casino.view.round
    delete(anns)
    assert len(list_hands(user=ann)) == Result.objects.filter(user=ann).count() == 1
    bens = Client()
    bens.force_login(ben)
    page = bens.get(f"/rounds/{round_id}/").content.decode()
    assert ">ann<" not in page


def test_figures_limits_invites_and_what_was_said_go(
    anns: Client, casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack(LOSES)
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    limits.set_limit(ann, Kind.REMINDER, 60, timezone.now())
    private = made_by(ben, is_private=True)
    access.grant_access(private.row, ann.pk)
    presence.update_table(casino.table_id, "a process", {ann.pk: 1}, timezone.now())
    for user in (ann, ben):
        command = Say(uuid.uuid4(), f"{user.username} was here")
        chat.execute(casino.table_id, user.pk, command, timezone.now())
    delete(anns)
    for model in (Tally, Standing, OwnLimit, Admission, Visit, Seat):
        assert not model._default_manager.filter(user=ann).exists(), model
    lines = [(line.text, line.removed_at is None) for line in ChatLine.objects.order_by("pk")]
    assert lines == [("", False), ("ben was here", True)]
    assert not now_of(ann).has_own_limits


# At the tables


def test_seats_between_rounds_are_given_back(
    anns: Client, casino: TableClient, classic: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    sit_down(classic, ann)
    delete(anns)
    assert [seat.player for seat in casino.view.seats] == [None, "ben", None]
    assert classic.row.seats.count() == 0


@pytest.mark.parametrize("is_dealt", [False, True])
def test_it_is_refused_while_money_lies_on_a_table(
    anns: Client,
    casino: TableClient,
    classic: TableClient,
    ann: User,
    ben: User,
    is_dealt: bool,
    stack: Stack,
) -> None:
    stack("2s 3h 4d 5c 6h 7s")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    if is_dealt:
        casino.bet(ben, 1000)
    sit_down(classic, ann)
    assert "Finish that round first." in delete(anns)
    assert is_there(ann)
    assert classic.row.seats.count() == 1
    assert faults() == []


def test_who_watches_the_others_play_on_may_go(
    anns: Client, casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts 6h 8d Kc 5h")
    casino.sit(ben, 1)
    casino.bet(ben, 1000)
    casino.sit(ann, 2)
    delete(anns)
    assert not is_there(ann)
    assert code(casino.act(ben, "stand")) == "done"
    assert faults() == []


def test_tables_that_they_run_are_closed(anns: Client, ann: User, ben: User) -> None:
    mine, bens = made_by(ann), made_by(ben)
    mine.sit(ben, 1)
    mine.sit(new_player("cleo"), 2)
    mine.bet(ben, 1000)
    delete(anns)
    assert mine.row.closed_at is not None
    assert bens.row.closed_at is None
    assert balance_of(ben) == 50_000
    assert faults() == []


def test_a_round_that_others_play_there_is_played_first(
    anns: Client, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts 6h 8d Kc 5h")
    mine = made_by(ann)
    mine.sit(ben, 1)
    mine.bet(ben, 1000)
    delete(anns)
    assert mine.row.closed_at is None
    assert mine.view.closing
    played = mine.act(ben, "stand")
    assert "table_closed" in types(events(played))
    assert Table.objects.get(pk=mine.table_id).closed_at is not None
    assert faults() == []


def test_who_is_gone_sits_down_nowhere(anns: Client, ann: User) -> None:
    delete(anns)
    assert code(new_table("casino").sit(ann, 1)) == "not_allowed"


def test_tables_are_locked_outside_of_what_others_do_together(
    anns: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside: list[bool] = []
    delete_now = account_deletion.delete_account

    def noted(user_id: int, now: dt.datetime) -> Effects[None]:
        inside.append(connection.in_atomic_block)
        return delete_now(user_id, now)

    monkeypatch.setattr(account_deletion, "delete_account", noted)
    is_busy, go_on = threading.Event(), threading.Event()
    writer.submit(lambda: is_busy.set() or go_on.wait(10))
    is_busy.wait(10)
    writer.submit(lambda: None)
    threading.Timer(0.5, go_on.set).start()
    assert "Your account was deleted." in delete(anns)
    assert inside == [False]


# Asking first


@pytest.mark.parametrize(
    ("name", "password", "why"),
    [
        ("ben", PASSWORD, "That name doesn&#x27;t match yours. Try again."),
        ("", PASSWORD, "This field is required."),
        ("\0", PASSWORD, "Null characters are not allowed."),
        ("ann", "no", "That password is wrong. Try again."),
        ("ann", "", "This field is required."),
    ],
)
def test_it_wants_the_name_and_the_password(
    anns: Client, ann: User, name: str, password: str, why: str
) -> None:
    assert why in delete(anns, name, password)
    assert is_there(ann)


def test_guessing_the_password_is_slowed_down(anns: Client, ann: User) -> None:
    for _ in range(5):
        delete(anns, password="no")
    assert anns.post(PAGE, {"name": "ann", "password": PASSWORD}).status_code == 429
    assert is_there(ann)


def test_a_guest_needs_no_password(client: Client) -> None:
    client.post("/accounts/guest/")
    guest = User.objects.get()
    assert 'name="password"' not in client.get(PAGE).content.decode()
    assert "Your account was deleted." in delete(client, guest.username, "")
    assert not is_there(guest)


def test_a_second_time_changes_nothing(ann: User) -> None:
    account_deletion.delete_account(ann.pk, timezone.now())
    late = Posting(Transfer.Kind.REBUY, transfers.get_bank().pk, ann.wallet.pk, 500, "late")
    with transaction.atomic():
        transfers.post([late], at=timezone.now())
    before = Transfer.objects.count()
    assert account_deletion.delete_account(ann.pk, timezone.now()) == Effects(None)
    assert Transfer.objects.count() == before


def test_the_page_is_for_who_is_logged_in(client: Client) -> None:
    assert client.get(PAGE).status_code == 302
    assert client.post(PAGE, {"name": "ann"}).status_code == 302


def test_the_page_asks_as_much_of_a_busy_player_as_of_a_new_one(
    anns: Client, ann: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for seats in (0, 3):
        for number in range(seats):
            table = lifecycle.open_table(name=f"T{number}", rules_key="casino", host_id=ann.pk)
            TableClient(table.pk).sit(ann, 1)
        with django_assert_num_queries(4):  # session, user, wallet, notices
            anns.get("/account/delete/")
