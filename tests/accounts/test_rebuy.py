"""Play money back up to 500, once in a while, for who cannot afford a seat any more."""

from __future__ import annotations

import datetime as dt
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import wait
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts import bank, rebuy
from accounts.bank import Movement
from accounts.models import Account, HouseSettings, Transfer, User
from accounts.rebuy import Answer
from tables import messages, opening, protocol, rebuying
from tables.messages import Wallet
from tables.models import Table
from tests.at_table import AtTable, balance_of, code, new_player
from tests.tables.evenings import faults, new_table

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]


@pytest.fixture(autouse=True)
def nobody_has_tried() -> None:
    """What was counted against somebody's limit in another test."""
    cache.clear()


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    client.force_login(ann)
    return client


def leave_in_wallet(user: User, amount: int) -> None:
    """Bring what is more than that back to the bank."""
    wallet = Account.objects.get(user=user)
    over = wallet.balance - amount
    kind = Transfer.Kind.GRANT
    movement = Movement(kind, wallet.pk, bank.bank().pk, over, f"test/{uuid.uuid4()}")
    with transaction.atomic():
        bank.move([movement], at=timezone.now())


def answer(user: User, now: dt.datetime | None = None) -> Answer:
    return rebuying.rebuy_state(user, now or timezone.now()).answer


def rebuys() -> list[tuple[int, int, str]]:
    rows = Transfer.objects.filter(kind=Transfer.Kind.REBUY).order_by("pk")
    return list(rows.values_list("amount", "credit_balance", "reference"))


# Who may


def test_who_cannot_afford_the_smallest_stake_is_brought_back_to_500(
    ann: User, casino: AtTable
) -> None:
    leave_in_wallet(ann, 350)
    now = timezone.now()
    assert rebuying.take(ann, now).amount == 49_650
    assert rebuys() == [(49_650, 50_000, f"user:{ann.pk}/rebuy/1")]
    taken = Transfer.objects.get(kind=Transfer.Kind.REBUY)
    assert (taken.debit, taken.credit, taken.at, taken.by) == (bank.bank(), ann.wallet, now, ann)
    assert faults() == []


@pytest.mark.parametrize(
    ("balance", "found"), [(1000, Answer.CAN_PLAY), (999, Answer.ALLOWED), (0, Answer.ALLOWED)]
)
def test_the_smallest_stake_decides(
    balance: int, found: Answer, ann: User, casino: AtTable
) -> None:
    leave_in_wallet(ann, balance)
    assert answer(ann) is found
    assert rebuying.take(ann, timezone.now()).answer is found
    assert balance_of(ann) == (50_000 if found is Answer.ALLOWED else balance)


def test_the_smallest_stake_is_that_of_the_public_tables_that_are_open(
    casino: AtTable, classic: AtTable, ann: User
) -> None:
    assert rebuying.least_stake(ann.pk) == 1000
    high = opening.open_table(name="High", rules_key="vegas", rules_options={"minimum": 2500})
    assert rebuying.least_stake(ann.pk) == 1000
    Table.objects.filter(pk=casino.table_id).update(closed_at=timezone.now())
    assert rebuying.least_stake(ann.pk) == 2500
    low = new_table("pot")
    assert rebuying.least_stake(ann.pk) == 200
    Table.objects.filter(pk=low.table_id).update(is_private=True)
    assert rebuying.least_stake(ann.pk) == 2500
    Table.objects.filter(pk=low.table_id).update(is_private=False, is_closing=True)
    assert rebuying.least_stake(ann.pk) == 2500
    Table.objects.filter(pk=high.pk).update(is_private=True)
    assert rebuying.least_stake(ann.pk) == 200, "of the presets, where no table is open"


def strangers_table(maker: User, *, seats: int = 3) -> AtTable:
    """A public table for the smallest bets there are."""
    options = {"minimum": 100, "seats": seats}
    return AtTable(
        opening.open_table(
            name="Low", rules_key="casino", rules_options=options, maker_id=maker.pk
        ).pk
    )


@pytest.mark.parametrize("is_locked", [True, False])
def test_case_57_a_strangers_table_that_lets_nobody_in_does_not_count(
    is_locked: bool, casino: AtTable, ann: User, ben: User
) -> None:
    """Neither one that is locked nor one whose seats the stranger has taken."""
    low = strangers_table(ben, seats=3 if is_locked else 1)
    leave_in_wallet(ann, 500)
    assert answer(ann) is Answer.CAN_PLAY
    if is_locked:
        low.send(ben, messages.Lock(uuid.uuid4(), on=True))
    else:
        low.sit(ben, 1)
    assert rebuying.least_stake(ann.pk) == 1000
    assert rebuying.take(ann, timezone.now()).allowed
    assert balance_of(ann) == 50_000


def test_a_locked_table_counts_for_its_maker_and_for_who_sits_there(
    casino: AtTable, ann: User, ben: User
) -> None:
    low = strangers_table(ben)
    low.sit(ann, 1)
    low.send(ben, messages.Lock(uuid.uuid4(), on=True))
    assert rebuying.least_stake(ben.pk) == 100
    assert rebuying.least_stake(ann.pk) == 100
    low.leave(ann)
    assert rebuying.least_stake(ann.pk) == 1000


def test_the_houses_own_table_counts_while_it_is_full(casino: AtTable, ann: User) -> None:
    for seat, name in enumerate(("ben", "cleo", "dora"), start=1):
        casino.sit(new_player(f"{name}s"), seat)
    assert rebuying.least_stake(ann.pk) == 1000


def test_nobody_is_brought_above_500(ann: User) -> None:
    table = opening.open_table(name="High", rules_key="casino", rules_options={"minimum": 60_000})
    assert table.rules.stakes is not None
    assert answer(ann) is Answer.HAS_ALL
    leave_in_wallet(ann, 49_999)
    assert rebuying.take(ann, timezone.now()).amount == 1
    assert balance_of(ann) == 50_000


def test_a_guest_may_too(db: None, casino: AtTable) -> None:
    guest = User.objects.create_user("Heron", is_guest=True)
    bank.wallet_of(guest, at=timezone.now())
    leave_in_wallet(guest, 0)
    assert rebuying.take(guest, timezone.now()).allowed


def test_who_never_had_money_has_the_grant_before_anything_else(casino: AtTable) -> None:
    erin = User.objects.create_user("erin")
    assert answer(erin) is Answer.HAS_ALL
    assert not rebuying.take(erin, timezone.now()).allowed
    assert balance_of(erin) == 50_000


def test_an_account_that_was_switched_off_is_given_nothing(ann: User, casino: AtTable) -> None:
    leave_in_wallet(ann, 0)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert rebuying.take(ann, timezone.now()).reason == "This account cannot play."
    assert balance_of(ann) == 0


# Once in a while


def test_it_is_possible_again_when_the_time_is_over(ann: User, casino: AtTable) -> None:
    now = timezone.now()
    leave_in_wallet(ann, 0)
    rebuying.take(ann, now)
    leave_in_wallet(ann, 0)
    over = now + dt.timedelta(hours=24)
    state = rebuying.take(ann, over - dt.timedelta(microseconds=1))
    assert (state.answer, state.next_at, state.amount) == (Answer.TOO_SOON, over, 0)
    assert balance_of(ann) == 0
    assert rebuying.take(ann, over).allowed
    assert [reference for *_, reference in rebuys()] == [
        f"user:{ann.pk}/rebuy/1", f"user:{ann.pk}/rebuy/2",
    ]  # fmt: skip


def test_operators_say_how_much_time_lies_between(ann: User, casino: AtTable) -> None:
    HouseSettings.objects.update(rebuy_hours=2)
    now = timezone.now()
    leave_in_wallet(ann, 0)
    rebuying.take(ann, now)
    leave_in_wallet(ann, 0)
    assert answer(ann, now + dt.timedelta(hours=2, seconds=-1)) is Answer.TOO_SOON
    assert answer(ann, now + dt.timedelta(hours=2)) is Answer.ALLOWED


def test_what_others_took_does_not_count(ann: User, ben: User, casino: AtTable) -> None:
    leave_in_wallet(ann, 0)
    leave_in_wallet(ben, 0)
    now = timezone.now()
    assert rebuying.take(ann, now).allowed
    assert rebuying.take(ben, now).allowed


# Not while a stake lies on a table


def test_a_bet_that_lies_on_a_table_is_played_first(ann: User, ben: User, casino: AtTable) -> None:
    leave_in_wallet(ann, 1000)
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    assert rebuying.take(ann, timezone.now()).answer is Answer.STAKED
    assert balance_of(ann) == 0
    casino.take_back(ann)
    assert answer(ann) is Answer.CAN_PLAY


def test_an_open_hand_is_played_first_and_a_lost_one_is_none(
    ann: User, ben: User, casino: AtTable, stack: Stack
) -> None:
    stack("Ts 9h 6h Kd 5c 7c Th 2c")
    leave_in_wallet(ann, 1000)
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    assert casino.view.asked is not None
    assert answer(ann) is Answer.STAKED
    assert code(casino.act(ann, "hit")) == "done"
    assert casino.live.game.is_playing, "ben still plays"
    assert answer(ann) is Answer.ALLOWED


def test_a_hand_that_nothing_was_staked_on_holds_nobody_up(
    ann: User, casino: AtTable, classic: AtTable, stack: Stack
) -> None:
    stack("Ts 6h 9h 7c")
    leave_in_wallet(ann, 0)
    classic.sit(ann, 1)
    classic.bet(ann, 0)
    assert classic.live.game.is_playing
    assert answer(ann) is Answer.ALLOWED


def test_somebody_elses_stake_in_the_seat_that_was_mine_is_not_mine(
    ann: User, ben: User, casino: AtTable, stack: Stack
) -> None:
    stack("Ts 6h 9h 7c")
    leave_in_wallet(ben, 0)
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    assert answer(ben) is Answer.ALLOWED


# The page


def test_the_page_says_what_will_happen_and_a_get_does_nothing(
    anns: Client, ann: User, casino: AtTable
) -> None:
    leave_in_wallet(ann, 350)
    page = " ".join(anns.get("/rebuy/").content.decode().split())
    assert "You have 3.50, and the smallest bet at an open table is 10." in page
    assert "The bank gives you 496.50, and then you have 500 again." in page
    assert "once in 24 hours" in page
    assert page.count('<button class="button is-wide" type="submit">Take 496.50</button>') == 1
    assert balance_of(ann) == 350


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_confirmed_it_is_done_and_told_on_the_statement(
    anns: Client, ann: User, casino: AtTable
) -> None:
    leave_in_wallet(ann, 350)
    done = anns.post("/rebuy/", follow=True)
    assert done.redirect_chain == [("/statement/", 302)]
    page = " ".join(done.content.decode().split())
    assert "The bank gave you 496.50. You have 500 again." in page
    assert "play money taken back up" in page
    assert "checked." in page


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_a_second_click_is_told_why_not_and_changes_nothing(
    anns: Client, ann: User, casino: AtTable
) -> None:
    leave_in_wallet(ann, 0)
    anns.post("/rebuy/")
    again = anns.post("/rebuy/", follow=True).content.decode()
    assert "You can still play: the smallest bet at an open table is 10." in again
    assert len(rebuys()) == 1


@pytest.mark.parametrize("path", ["/statement/", "/rebuy/"])
def test_nobody_is_asked_to_who_can_play(path: str, anns: Client, casino: AtTable) -> None:
    page = anns.get(path).content.decode()
    assert "<button" not in page.split("<main", 1)[1] or path == "/statement/"
    assert 'href="/rebuy/"' not in page


def test_the_statement_has_a_link_when_it_is_possible(
    anns: Client, ann: User, casino: AtTable
) -> None:
    leave_in_wallet(ann, 0)
    assert 'href="/rebuy/"' in anns.get("/statement/").content.decode()


def test_too_early_the_page_says_from_when_on(anns: Client, ann: User, casino: AtTable) -> None:
    leave_in_wallet(ann, 0)
    rebuying.take(ann, dt.datetime(2126, 3, 1, 9, 5, tzinfo=dt.UTC))
    leave_in_wallet(ann, 0)
    page = anns.get("/rebuy/").content.decode()
    assert "You can again from 2 March 2126, 09:05 UTC." in page
    assert 'href="/rebuy/"' not in anns.get("/statement/").content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_too_many_tries_are_slowed_down(anns: Client, ann: User, casino: AtTable) -> None:
    answers = [anns.post("/rebuy/").status_code for _ in range(11)]
    assert answers == [302] * 10 + [429]
    assert anns.get("/rebuy/").status_code == 200
    anns.force_login(new_player("erin"))
    assert anns.post("/rebuy/").status_code == 302, "each has tries of their own"


def test_a_form_of_another_site_does_nothing(ann: User, casino: AtTable) -> None:
    leave_in_wallet(ann, 0)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ann)
    assert strict.post("/rebuy/").status_code == 403
    assert balance_of(ann) == 0


def test_who_is_not_logged_in_is_asked_to(client: Client) -> None:
    assert client.post("/rebuy/").headers["Location"] == "/accounts/login/?next=/rebuy/"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_open_pages_hear_of_the_new_balance(
    anns: Client, ann: User, casino: AtTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tables import runtime

    told: list[tuple[str, str]] = []
    monkeypatch.setattr(runtime.hub, "publish_soon", told.extend)
    leave_in_wallet(ann, 0)
    anns.post("/rebuy/")
    anns.post("/rebuy/")
    assert told == [
        (f"user.{ann.pk}", protocol.encode(Wallet(50_000, Account.objects.get(user=ann).seq)))
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_open_pages_hear_of_it_in_the_order_in_which_it_happened(
    anns: Client, ann: User, ben: User, casino: AtTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bet that follows at once, on another page, is not overtaken by the balance before it."""
    from tables import command_path, runtime

    casino.sit(ann, 1)
    casino.sit(ben, 2)
    leave_in_wallet(ann, 0)
    told: list[str] = []

    def publish(frames: list[tuple[str, str]]) -> None:
        if not is_committed.is_set():
            is_committed.set()  # the rebuy is, and not told yet
            bet = messages.Bet(uuid.uuid4(), casino.row.turn, 1000)
            wait([command_path.play_soon(casino.table_id, ann.pk, bet)], 0.5)
        told.extend(text for topic, text in frames if topic == f"user.{ann.pk}")
        if len(told) == 2:
            is_over.set()

    is_committed, is_over = threading.Event(), threading.Event()
    monkeypatch.setattr(runtime.hub, "publish_soon", publish)
    monkeypatch.setattr(runtime, "tell", lambda changes: publish(runtime.frames_of(changes)))
    anns.post("/rebuy/")
    is_over.wait(10)
    seq = Account.objects.get(user=ann).seq
    assert told == [
        protocol.encode(Wallet(50_000, seq - 1)), protocol.encode(Wallet(49_000, seq)),
    ]  # fmt: skip


# For operators


SETTINGS = {
    field.name: field.default
    for field in HouseSettings._meta.fields
    if field.editable and not field.primary_key
}


def test_operators_change_the_settings_and_neither_add_nor_delete_them(client: Client) -> None:
    operator = User.objects.create_superuser("olga", password="blackjack-21!")
    client.force_login(operator)
    change = "/admin/accounts/housesettings/1/change/"
    assert "hours between rebuys" in client.get(change).content.decode().lower()
    assert client.post(change, SETTINGS | {"rebuy_hours": "0"}).status_code == 200
    assert client.post(change, SETTINGS | {"rebuy_hours": "48"}).status_code == 302
    assert HouseSettings.objects.get().rebuy_hours == 48
    assert client.get("/admin/accounts/housesettings/add/").status_code == 403
    assert client.post("/admin/accounts/housesettings/1/delete/").status_code == 403


def test_who_has_no_permission_cannot_change_them(client: Client) -> None:
    client.force_login(User.objects.create_user("oscar", is_staff=True))
    change = "/admin/accounts/housesettings/1/change/"
    assert client.post(change, SETTINGS | {"rebuy_hours": "48"}).status_code == 403


def test_the_audit_finds_a_rebuy_that_went_wrong(ann: User, casino: AtTable) -> None:
    leave_in_wallet(ann, 0)
    rebuying.take(ann, timezone.now())
    assert faults() == []
    kind = Transfer.Kind.REBUY
    too_much = Movement(kind, bank.bank().pk, ann.wallet.pk, 1, f"user:{ann.pk}/rebuy/2")
    with transaction.atomic():
        bank.move([too_much], at=timezone.now())
    assert faults() == [
        f"transfer {Transfer.objects.latest('pk').pk} (user:{ann.pk}/rebuy/2) brought a wallet to "
        "50001, and a rebuy brings it to 50000"
    ]


def test_a_state_says_in_words_why_not(ann: User, casino: AtTable, settings: Any) -> None:
    leave_in_wallet(ann, 0)
    state = rebuying.rebuy_state(ann, timezone.now())
    assert (state.allowed, state.reason, state.amount, state.hours) == (True, "", 50_000, 24)
    assert (
        rebuy.told_time(dt.datetime(2126, 3, 1, 9, 5, tzinfo=dt.UTC)) == "1 March 2126, 09:05 UTC"
    )


def test_the_page_asks_as_much_with_many_tables_as_with_one(
    anns: Client, ann: User, casino: AtTable, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    leave_in_wallet(ann, 350)
    for tables in (0, 5):
        for number in range(tables):
            table = opening.open_table(name=f"T{number}", rules_key="casino")
            AtTable(table.pk).sit(ann, 1)
        with django_assert_num_queries(8):  # user 2, wallet 1, last, hours, tables, seats, head
            anns.get("/rebuy/")
