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

from accounts.ledger import transfers
from accounts.ledger.rebuys import RebuyDecision
from accounts.ledger.transfers import Posting
from accounts.models import Account, HouseSettings, Transfer, User
from tables.game import lifecycle
from tables.game import rebuys as game_rebuys
from tables.models import Admission, Table
from tables.protocol import codec
from tables.protocol.commands import Bet, Lock
from tables.protocol.frames import Wallet
from tables.realtime.hub import hub
from tests.helpers.rounds import faults, new_table
from tests.helpers.site import SETTINGS_FORM
from tests.helpers.table_client import TableClient, balance_of, code, new_player

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
    movement = Posting(kind, wallet.pk, transfers.get_bank().pk, over, f"test/{uuid.uuid4()}")
    with transaction.atomic():
        transfers.post([movement], at=timezone.now())


def answer(user: User, now: dt.datetime | None = None) -> RebuyDecision:
    return game_rebuys.get_rebuy_state(user, now or timezone.now()).answer


def rebuys() -> list[tuple[int, int, str]]:
    rows = Transfer.objects.filter(kind=Transfer.Kind.REBUY).order_by("pk")
    return list(rows.values_list("amount", "credit_balance", "reference"))


# Who may


def test_who_cannot_afford_the_smallest_stake_is_brought_back_to_500(
    ann: User, casino: TableClient
) -> None:
    leave_in_wallet(ann, 350)
    now = timezone.now()
    assert game_rebuys.rebuy(ann, now).value.amount == 49_650
    assert rebuys() == [(49_650, 50_000, f"user:{ann.pk}/rebuy/1")]
    transfer = Transfer.objects.get(kind=Transfer.Kind.REBUY)
    assert (transfer.debit, transfer.credit, transfer.at, transfer.by) == (
        transfers.get_bank(),
        ann.wallet,
        now,
        ann,
    )
    assert faults() == []


@pytest.mark.parametrize(
    ("balance", "decision"),
    [(1000, RebuyDecision.CAN_PLAY), (999, RebuyDecision.ALLOWED), (0, RebuyDecision.ALLOWED)],
)
def test_the_smallest_stake_decides(
    balance: int, decision: RebuyDecision, ann: User, casino: TableClient
) -> None:
    leave_in_wallet(ann, balance)
    assert answer(ann) is decision
    assert game_rebuys.rebuy(ann, timezone.now()).value.answer is decision
    assert balance_of(ann) == (50_000 if decision is RebuyDecision.ALLOWED else balance)


def test_the_smallest_stake_is_that_of_the_public_tables_that_are_open(
    casino: TableClient, classic: TableClient, ann: User
) -> None:
    assert game_rebuys.find_least_stake(ann.pk) == 1000
    high = lifecycle.open_table(name="High", rules_key="vegas", rules_options={"minimum": 2500})
    assert game_rebuys.find_least_stake(ann.pk) == 1000
    Table.objects.filter(pk=casino.table_id).update(closed_at=timezone.now())
    assert game_rebuys.find_least_stake(ann.pk) == 2500
    low = new_table("pot")
    assert game_rebuys.find_least_stake(ann.pk) == 200
    Table.objects.filter(pk=low.table_id).update(is_private=True)
    assert game_rebuys.find_least_stake(ann.pk) == 2500
    Table.objects.filter(pk=low.table_id).update(is_private=False, is_closing=True)
    assert game_rebuys.find_least_stake(ann.pk) == 2500
    Table.objects.filter(pk=high.pk).update(is_private=True)
    assert game_rebuys.find_least_stake(ann.pk) == 200, "of the presets, where no table is open"


@pytest.mark.parametrize(
    ("balance", "decision"),
    [(2_500, RebuyDecision.CAN_PLAY), (2_499, RebuyDecision.ALLOWED), (200, RebuyDecision.ALLOWED)],
)
def test_who_sits_needs_the_minimum_of_that_table_though_there_is_a_smaller_one(
    balance: int, decision: RebuyDecision, ann: User, casino: TableClient
) -> None:
    high = new_table("vegas", minimum=2_500)
    Table.objects.filter(pk=high.table_id).update(is_private=True, maker=ann)
    high.sit(ann, 1)
    leave_in_wallet(ann, balance)
    assert answer(ann) is decision
    assert game_rebuys.rebuy(ann, timezone.now()).value.answer is decision
    assert faults() == []


def test_of_several_seats_the_highest_minimum_counts_until_the_seat_is_left(
    ann: User, casino: TableClient, classic: TableClient
) -> None:
    high = new_table("vegas", minimum=2_500)
    for table in (casino, high, classic):
        table.sit(ann, 1)
    assert game_rebuys.find_least_stake(ann.pk) == 2_500
    high.leave(ann)
    assert game_rebuys.find_least_stake(ann.pk) == 1_000


def test_a_seat_with_a_high_minimum_gives_no_second_top_up_and_nothing_above_500(
    ann: User, casino: TableClient
) -> None:
    new_table("vegas", minimum=60_000).sit(ann, 1)
    now = timezone.now()
    assert answer(ann) is RebuyDecision.HAS_ALL
    leave_in_wallet(ann, 40_000)
    assert game_rebuys.rebuy(ann, now).value.amount == 10_000
    leave_in_wallet(ann, 40_000)
    assert game_rebuys.rebuy(ann, now).value.answer is RebuyDecision.TOO_SOON


def strangers_table(maker: User, *, seats: int = 3) -> TableClient:
    """A public table for the smallest bets there are."""
    options = {"minimum": 100, "seats": seats}
    return TableClient(
        lifecycle.open_table(
            name="Low", rules_key="casino", rules_options=options, host_id=maker.pk
        ).pk
    )


@pytest.mark.parametrize("is_locked", [True, False])
def test_case_57_a_strangers_table_that_lets_nobody_in_does_not_count(
    is_locked: bool, casino: TableClient, ann: User, ben: User
) -> None:
    """Neither one that is locked nor one whose seats the stranger has taken."""
    low = strangers_table(ben, seats=3 if is_locked else 1)
    leave_in_wallet(ann, 500)
    assert answer(ann) is RebuyDecision.CAN_PLAY
    if is_locked:
        low.send(ben, Lock(uuid.uuid4(), on=True))
    else:
        low.sit(ben, 1)
    assert game_rebuys.find_least_stake(ann.pk) == 1000
    assert game_rebuys.rebuy(ann, timezone.now()).value.allowed
    assert balance_of(ann) == 50_000


def test_a_locked_table_counts_for_its_maker_and_for_who_sits_there(
    casino: TableClient, ann: User, ben: User
) -> None:
    low = strangers_table(ben)
    low.sit(ann, 1)
    low.send(ben, Lock(uuid.uuid4(), on=True))
    assert game_rebuys.find_least_stake(ben.pk) == 100
    assert game_rebuys.find_least_stake(ann.pk) == 100
    low.leave(ann)
    assert game_rebuys.find_least_stake(ann.pk) == 1000


def test_the_houses_own_table_counts_while_it_is_full(casino: TableClient, ann: User) -> None:
    for seat, name in enumerate(("ben", "cleo", "dora"), start=1):
        casino.sit(new_player(f"{name}s"), seat)
    assert game_rebuys.find_least_stake(ann.pk) == 1000


def test_nobody_is_brought_above_500(ann: User) -> None:
    table = lifecycle.open_table(name="High", rules_key="casino", rules_options={"minimum": 60_000})
    assert table.rules.stakes is not None
    assert answer(ann) is RebuyDecision.HAS_ALL
    leave_in_wallet(ann, 49_999)
    assert game_rebuys.rebuy(ann, timezone.now()).value.amount == 1
    assert balance_of(ann) == 50_000


def test_a_guest_may_too(db: None, casino: TableClient) -> None:
    guest = User.objects.create_user("Heron", is_guest=True)
    transfers.get_or_open_wallet(guest, at=timezone.now())
    leave_in_wallet(guest, 0)
    assert game_rebuys.rebuy(guest, timezone.now()).value.allowed


def test_who_never_had_money_has_the_grant_before_anything_else(casino: TableClient) -> None:
    erin = User.objects.create_user("erin")
    assert answer(erin) is RebuyDecision.HAS_ALL
    assert not game_rebuys.rebuy(erin, timezone.now()).value.allowed
    assert balance_of(erin) == 50_000


def test_an_account_that_was_switched_off_is_given_nothing(ann: User, casino: TableClient) -> None:
    leave_in_wallet(ann, 0)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert game_rebuys.rebuy(ann, timezone.now()).value.reason == (
        "This account can't play. It is frozen or deleted."
    )
    assert balance_of(ann) == 0


# Once in a while


def test_it_is_possible_again_when_the_time_is_over(ann: User, casino: TableClient) -> None:
    now = timezone.now()
    leave_in_wallet(ann, 0)
    game_rebuys.rebuy(ann, now)
    leave_in_wallet(ann, 0)
    over = now + dt.timedelta(hours=24)
    state = game_rebuys.rebuy(ann, over - dt.timedelta(microseconds=1)).value
    assert (state.answer, state.next_at, state.amount) == (RebuyDecision.TOO_SOON, over, 0)
    assert balance_of(ann) == 0
    assert game_rebuys.rebuy(ann, over).value.allowed
    assert [reference for *_, reference in rebuys()] == [
        f"user:{ann.pk}/rebuy/1", f"user:{ann.pk}/rebuy/2",
    ]  # fmt: skip


def test_operators_say_how_much_time_lies_between(ann: User, casino: TableClient) -> None:
    HouseSettings.objects.update(rebuy_hours=2)
    now = timezone.now()
    leave_in_wallet(ann, 0)
    game_rebuys.rebuy(ann, now)
    leave_in_wallet(ann, 0)
    assert answer(ann, now + dt.timedelta(hours=2, seconds=-1)) is RebuyDecision.TOO_SOON
    assert answer(ann, now + dt.timedelta(hours=2)) is RebuyDecision.ALLOWED


def test_what_others_took_does_not_count(ann: User, ben: User, casino: TableClient) -> None:
    leave_in_wallet(ann, 0)
    leave_in_wallet(ben, 0)
    now = timezone.now()
    assert game_rebuys.rebuy(ann, now).value.allowed
    assert game_rebuys.rebuy(ben, now).value.allowed


# Not while a stake lies on a table


def test_a_bet_that_lies_on_a_table_is_played_first(
    ann: User, ben: User, casino: TableClient
) -> None:
    leave_in_wallet(ann, 1000)
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    assert game_rebuys.rebuy(ann, timezone.now()).value.answer is RebuyDecision.STAKED
    assert balance_of(ann) == 0
    casino.take_back(ann)
    assert answer(ann) is RebuyDecision.CAN_PLAY


@pytest.mark.parametrize(
    ("staked", "expected"), [(0, RebuyDecision.ALLOWED), (1000, RebuyDecision.STAKED)]
)
def test_a_table_whose_state_is_damaged_has_what_is_staked_there(
    anns: Client, ann: User, ben: User, casino: TableClient, staked: int, expected: RebuyDecision
) -> None:
    """It is returned when the table is reset, at its next change."""
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    for user in (ann, ben):
        leave_in_wallet(user, 0)
    Table.objects.filter(pk=casino.table_id).update(state="damaged", staked=staked)
    assert answer(ann) is expected
    assert game_rebuys.is_out_of_reach(casino.row) == (staked == 0)
    for page in ("/home/", "/rebuy/", f"/tables/{casino.table_id}/rebuy/"):
        assert anns.get(page, follow=True).status_code == 200


def test_an_open_hand_is_played_first_and_a_lost_one_is_none(
    ann: User, ben: User, casino: TableClient, stack: Stack
) -> None:
    stack("Ts 9h 6h Kd 5c 7c Th 2c")
    leave_in_wallet(ann, 1000)
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    assert casino.view.asked is not None
    assert answer(ann) is RebuyDecision.STAKED
    assert code(casino.act(ann, "hit")) == "done"
    assert casino.live.game.is_playing, "ben still plays"
    assert answer(ann) is RebuyDecision.ALLOWED


def test_a_hand_that_nothing_was_staked_on_holds_nobody_up(
    ann: User, casino: TableClient, classic: TableClient, stack: Stack
) -> None:
    stack("Ts 6h 9h 7c")
    leave_in_wallet(ann, 0)
    classic.sit(ann, 1)
    classic.bet(ann, 0)
    assert classic.live.game.is_playing
    assert answer(ann) is RebuyDecision.ALLOWED


def test_somebody_elses_stake_in_the_seat_that_was_mine_is_not_mine(
    ann: User, ben: User, casino: TableClient, stack: Stack
) -> None:
    stack("Ts 6h 9h 7c")
    leave_in_wallet(ben, 0)
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    assert answer(ben) is RebuyDecision.ALLOWED


# The page


def test_the_page_says_what_will_happen_and_a_get_does_nothing(
    anns: Client, ann: User, casino: TableClient
) -> None:
    leave_in_wallet(ann, 350)
    page = " ".join(anns.get("/rebuy/").content.decode().split())
    assert "You have 3.50. The lowest minimum bet of all tables is 10." in page
    assert "You'll get 496.50 in free play money. Your balance will be 500 again." in page
    assert "once every 24 hours" in page
    assert page.count('<button class="button is-wide" type="submit">Get 496.50</button>') == 1
    assert balance_of(ann) == 350


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_confirmed_it_is_done_and_told_on_the_statement(
    anns: Client, ann: User, casino: TableClient
) -> None:
    leave_in_wallet(ann, 350)
    response = anns.post("/rebuy/", follow=True)
    assert response.redirect_chain == [("/statement/", 302)]
    page = " ".join(response.content.decode().split())
    assert "You got 496.50 in play money. Your balance is 500 again." in page
    assert "more chips" in page
    assert ": correct." in page


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_a_second_click_is_told_why_not_and_changes_nothing(
    anns: Client, ann: User, casino: TableClient
) -> None:
    leave_in_wallet(ann, 0)
    anns.post("/rebuy/")
    again = anns.post("/rebuy/", follow=True).content.decode()
    assert "You still have enough for the minimum bet of 10." in again
    assert len(rebuys()) == 1


@pytest.mark.parametrize("path", ["/statement/", "/rebuy/"])
def test_nobody_is_asked_to_who_can_play(path: str, anns: Client, casino: TableClient) -> None:
    page = anns.get(path).content.decode()
    content = page.split("<main", 1)[1].split("</main>", 1)[0]
    assert "<button" not in content or path == "/statement/"
    assert 'href="/rebuy/"' not in page


def test_the_statement_has_a_link_when_it_is_possible(
    anns: Client, ann: User, casino: TableClient
) -> None:
    leave_in_wallet(ann, 0)
    assert 'href="/rebuy/"' in anns.get("/statement/").content.decode()


def test_too_early_the_page_says_from_when_on(anns: Client, ann: User, casino: TableClient) -> None:
    leave_in_wallet(ann, 0)
    game_rebuys.rebuy(ann, dt.datetime(2126, 3, 1, 9, 5, tzinfo=dt.UTC))
    leave_in_wallet(ann, 0)
    page = anns.get("/rebuy/").content.decode()
    assert "Next top-up: 2 March 2126, 09:05 UTC." in page
    assert 'href="/rebuy/"' not in anns.get("/statement/").content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_it_leads_back_to_the_table_and_to_no_other_site(anns: Client, casino: TableClient) -> None:
    table = f"/tables/{casino.table_id}/"
    assert anns.post("/rebuy/", {"next": table}).headers["Location"] == table
    for foreign in ("https://elsewhere.example/", "//elsewhere.example/", ""):
        answer = anns.post("/rebuy/", {"next": foreign})
        assert answer.headers["Location"] == "/statement/"


def test_a_table_is_told_of_more_chips_or_of_a_smaller_table(
    anns: Client, ann: User, casino: TableClient
) -> None:
    address = f"/tables/{casino.table_id}/rebuy/"
    leave_in_wallet(ann, 1_000)
    offer = anns.get(address).json()
    assert not offer["allowed"]
    assert offer["table"]["url"] == f"/tables/{casino.table_id}/"
    leave_in_wallet(ann, 0)
    offer = anns.get(address).json()
    assert (offer["allowed"], offer["table"]) == (True, None)


def test_who_cannot_bet_where_they_sit_has_every_way_on(
    anns: Client, ann: User, ben: User, casino: TableClient
) -> None:
    """More chips, the smaller table with its minimum, the settings for its host."""
    options = {"minimum": 30_000}
    high = TableClient(
        lifecycle.open_table(
            name="High", rules_key="vegas", rules_options=options, host_id=ann.pk, is_private=True
        ).pk
    )
    Admission.objects.create(table=high.row, user=ben, code=high.row.code)
    high.sit(ann, 1)
    high.sit(ben, 2)
    leave_in_wallet(ann, 20_000)
    leave_in_wallet(ben, 29_999)
    offer = anns.get(f"/tables/{high.table_id}/rebuy/").json()
    assert offer == {
        "allowed": True,
        "reason": "",
        "table": {
            "name": casino.row.name, "url": f"/tables/{casino.table_id}/", "minimum": 1_000,
        },
        "is_host": True,
        "nobody": "Nobody seated here can afford the minimum bet of 300.",
    }  # fmt: skip


def test_a_table_where_somebody_can_bet_is_not_called_out_of_reach(
    ann: User, ben: User, casino: TableClient
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    leave_in_wallet(ann, 0)
    leave_in_wallet(ben, 1_000)
    assert not game_rebuys.is_out_of_reach(casino.row)
    casino.bet(ben, 1_000)
    assert not game_rebuys.is_out_of_reach(casino.row), "the bet lies on the table"
    casino.take_back(ben)
    leave_in_wallet(ben, 999)
    assert game_rebuys.is_out_of_reach(casino.row)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_too_many_tries_are_slowed_down(anns: Client, ann: User, casino: TableClient) -> None:
    answers = [anns.post("/rebuy/").status_code for _ in range(11)]
    assert answers == [302] * 10 + [429]
    assert anns.get("/rebuy/").status_code == 200
    anns.force_login(new_player("erin"))
    assert anns.post("/rebuy/").status_code == 302, "each has tries of their own"


def test_a_form_of_another_site_does_nothing(ann: User, casino: TableClient) -> None:
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
    anns: Client, ann: User, casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames: list[tuple[str, str]] = []
    monkeypatch.setattr(hub, "publish", frames.extend)
    leave_in_wallet(ann, 0)
    anns.post("/rebuy/")
    anns.post("/rebuy/")
    assert frames == [
        (f"user.{ann.pk}", codec.encode(Wallet(50_000, Account.objects.get(user=ann).seq)))
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_open_pages_hear_of_it_in_the_order_in_which_it_happened(
    anns: Client, ann: User, ben: User, casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bet that follows at once, on another page, is not overtaken by the balance before it."""
    from tables.realtime import dispatch

    casino.sit(ann, 1)
    casino.sit(ben, 2)
    leave_in_wallet(ann, 0)
    texts: list[str] = []

    def publish(frames: list[tuple[str, str]]) -> None:
        if not is_committed.is_set():
            is_committed.set()  # the rebuy is, and not told yet
            bet = Bet(uuid.uuid4(), casino.row.turn, 1000)
            wait([dispatch.submit(casino.table_id, ann.pk, bet)], 0.5)
        texts.extend(text for topic, text in frames if topic == f"user.{ann.pk}")
        if len(texts) == 2:
            is_over.set()

    is_committed, is_over = threading.Event(), threading.Event()
    monkeypatch.setattr(hub, "publish", publish)
    anns.post("/rebuy/")
    is_over.wait(10)
    seq = Account.objects.get(user=ann).seq
    assert texts == [
        codec.encode(Wallet(50_000, seq - 1)), codec.encode(Wallet(49_000, seq)),
    ]  # fmt: skip


# For operators


def test_operators_change_the_settings_and_neither_add_nor_delete_them(client: Client) -> None:
    operator = User.objects.create_superuser("olga", password="blackjack-21!")
    client.force_login(operator)
    change = "/admin/accounts/housesettings/1/change/"
    assert "hours between top-ups" in client.get(change).content.decode().lower()
    assert client.post(change, SETTINGS_FORM | {"rebuy_hours": "0"}).status_code == 200
    assert client.post(change, SETTINGS_FORM | {"rebuy_hours": "48"}).status_code == 302
    assert HouseSettings.objects.get().rebuy_hours == 48
    assert client.get("/admin/accounts/housesettings/add/").status_code == 403
    assert client.post("/admin/accounts/housesettings/1/delete/").status_code == 403


def test_who_has_no_permission_cannot_change_them(client: Client) -> None:
    client.force_login(User.objects.create_user("oscar", is_staff=True))
    change = "/admin/accounts/housesettings/1/change/"
    assert client.post(change, SETTINGS_FORM | {"rebuy_hours": "48"}).status_code == 403


def test_the_audit_finds_a_rebuy_that_went_wrong(ann: User, casino: TableClient) -> None:
    leave_in_wallet(ann, 0)
    game_rebuys.rebuy(ann, timezone.now())
    assert faults() == []
    kind = Transfer.Kind.REBUY
    too_much = Posting(kind, transfers.get_bank().pk, ann.wallet.pk, 1, f"user:{ann.pk}/rebuy/2")
    with transaction.atomic():
        transfers.post([too_much], at=timezone.now())
    assert faults() == [
        f"transfer {Transfer.objects.latest('pk').pk} (user:{ann.pk}/rebuy/2) brought a wallet to "
        "50001, and a rebuy brings it to 50000"
    ]


def test_a_state_says_in_words_why_not(ann: User, casino: TableClient, settings: Any) -> None:
    leave_in_wallet(ann, 0)
    state = game_rebuys.get_rebuy_state(ann, timezone.now())
    assert (state.allowed, state.reason, state.amount, state.hours) == (True, "", 50_000, 24)


def test_the_page_asks_as_much_with_many_tables_as_with_one(
    anns: Client, ann: User, casino: TableClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    leave_in_wallet(ann, 350)
    for tables in (0, 5):
        for number in range(tables):
            table = lifecycle.open_table(name=f"T{number}", rules_key="casino")
            TableClient(table.pk).sit(ann, 1)
        # user 2, wallet 1, last, hours, tables, seats 2, bets behind, head 2
        with django_assert_num_queries(11):
            anns.get("/rebuy/")
