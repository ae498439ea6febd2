"""More races: insurance, surrender, matched stakes, changed bets, invites, and people who talk."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.models import Account, Transfer, User, WalletEntry
from accounts.users import guests
from tables import access
from tables.game import deadlines, lifecycle
from tables.models import ChatLine, Table, Visit
from tables.protocol.commands import Say
from tables.protocol.frames import Done, Err
from tables.realtime import presence
from tables.social import chat
from tables.state.effects import Effects
from tests.game.test_host_commands import close, made_by, renew
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, balance_of, code, new_player
from tests.multiprocess.parallel import AT_ONCE, at_once

pytestmark = pytest.mark.django_db(transaction=True)

Stack = Callable[..., None]


def leave_in_rack(at: TableClient, amount: int) -> None:
    """Bring what is more than ``amount`` from the table's own account back to the bank."""
    rack = Account.objects.get(pk=at.row.rack_id)
    move(Transfer.Kind.FILL, rack.pk, transfers.get_bank().pk, rack.balance - amount)


def leave_in_wallet(user: User, amount: int) -> None:
    wallet = Account.objects.get(user=user)
    move(Transfer.Kind.GRANT, wallet.pk, transfers.get_bank().pk, wallet.balance - amount)


def move(kind: Transfer.Kind, debit: int, credit: int, amount: int) -> None:
    movement = Posting(kind, debit, credit, amount, f"test/{uuid.uuid4()}")
    with transaction.atomic():
        transfers.post([movement], at=timezone.now())


# Matched stakes (seed 003)


def test_a_dealers_account_that_can_match_one_bet_matches_one(
    ann: User, ben: User, cleo: User
) -> None:
    pot = new_table("pot")
    sit_down(pot, ann, ben, cleo)
    leave_in_rack(pot, 1000)
    played = at_once([lambda user=user: pot.bet(user, 1000) for user in (ann, ben)])
    assert Counter(map(code, played)) == {"done": 1, "rack_cannot_match": 1}
    assert (pot.chips.rack, pot.chips.staked) == (0, 2000)
    call_command("audit")


def test_a_matched_bet_that_is_changed_at_once_is_matched_once(ann: User, ben: User) -> None:
    pot = new_table("pot")
    sit_down(pot, ann, ben)
    rack = pot.chips.rack
    stakes = [200 * (number + 1) for number in range(AT_ONCE)]
    played = at_once([lambda s=stake: pot.bet(ann, s) for stake in stakes])
    assert Counter(map(code, played)) == {"done": AT_ONCE}
    staked = pot.view.seats[0].stake
    assert staked is not None
    assert pot.chips.staked == 2 * staked
    assert pot.chips.rack == rack - staked
    assert balance_of(ann) == 50_000 - staked
    call_command("audit")


# Insurance and surrender (vegas)


def test_insurance_is_taken_once(ann: User, stack: Stack) -> None:
    stack("Ts Ah 9d Kc 5h")
    vegas = new_table("vegas")
    sit_down(vegas, ann)
    vegas.bet(ann, 1000)
    turn = vegas.row.turn
    played = at_once([lambda: vegas.act(ann, "insure", turn) for _ in range(AT_ONCE)])
    assert Counter(map(code, played))["done"] == 1
    assert WalletEntry.objects.filter(place__contains="/insurance/stake").count() == 1
    call_command("audit")


def test_one_wallet_insures_at_one_of_two_tables(ann: User, stack: Stack) -> None:
    stack("Ts Ah 9d 9c 5h", "Ts Ah 9d 9c 5h")
    tables = [new_table("vegas"), new_table("vegas")]
    for table in tables:
        sit_down(table, ann)
        table.bet(ann, 1000)
    leave_in_wallet(ann, 500)
    turns = [table.row.turn for table in tables]
    played = at_once(
        [lambda t=t, n=n: t.act(ann, "insure", n) for t, n in zip(tables, turns, strict=True)]
    )
    assert sorted(map(code, played)) == ["cannot_afford", "done"]
    assert WalletEntry.objects.filter(place__contains="/insurance/stake").count() == 1
    call_command("audit")


def offer_insurance_to_three(ann: User, ben: User, cleo: User) -> TableClient:
    vegas = new_table("vegas")
    sit_down(vegas, ann, ben, cleo)
    for user in (ann, ben, cleo):
        vegas.bet(user, 1000)
    assert [one.seat for one in vegas.view.insurance] == [1, 2, 3]
    return vegas


THREE_AGAINST_AN_ACE = "Ts Ks 7s As Tc 9h 8h 6d 2c 3c 4c"


def test_all_answer_about_insurance_at_the_same_moment(
    ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack(THREE_AGAINST_AN_ACE)
    vegas = offer_insurance_to_three(ann, ben, cleo)
    turn, before = vegas.row.turn, vegas.row.seq
    players = (ann, ben, cleo)
    played = at_once([lambda u=u: vegas.act(u, "insure", turn) for u in players for _ in range(2)])
    assert Counter(map(code, played)) == {"done": 3, "stale_turn": 3}
    assert vegas.row.seq == before + 3
    assert vegas.row.turn == turn + 1
    assert [seat.insurance and seat.insurance.stake for seat in vegas.view.seats] == [500] * 3
    assert WalletEntry.objects.filter(place__contains="/insurance/stake").count() == 3
    call_command("audit")


def test_the_last_answer_and_the_clock_at_the_same_moment_decide_once(
    ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack(THREE_AGAINST_AN_ACE)
    vegas = offer_insurance_to_three(ann, ben, cleo)
    vegas.act(cleo, "insure")
    vegas.act(ann, "decline")
    turn, deadline_at = vegas.row.turn, vegas.row.deadline_at
    assert deadline_at is not None
    late = deadline_at + deadlines.GRACE
    at_once(
        [
            lambda: vegas.act(ben, "insure", turn),
            *[lambda: deadlines.apply_deadline(vegas.table_id, late)] * 3,
        ]
    )
    insured = [seat.insurance and seat.insurance.stake for seat in vegas.view.seats]
    assert insured in ([0, 500, 500], [0, 0, 500])
    paid = WalletEntry.objects.filter(place__contains="/insurance/stake").count()
    assert paid == sum(bool(stake) for stake in insured)
    call_command("audit")


def test_one_wallet_insures_at_one_of_two_tables_where_others_are_asked(
    ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    """The stake is taken with the answer: the answers of the others cannot fail because of it."""
    stack(THREE_AGAINST_AN_ACE, THREE_AGAINST_AN_ACE)
    tables = [offer_insurance_to_three(ann, ben, cleo) for _ in range(2)]
    leave_in_wallet(ann, 500)
    turns = [table.row.turn for table in tables]
    played = at_once(
        [lambda t=t, n=n: t.act(ann, "insure", n) for t, n in zip(tables, turns, strict=True)]
    )
    assert sorted(map(code, played)) == ["cannot_afford", "done"]
    for table, answer in zip(tables, played, strict=True):
        if code(answer) == "cannot_afford":
            assert code(table.act(ann, "decline")) == "done"
        assert code(table.act(ben, "insure")) == "done"
        assert code(table.act(cleo, "decline")) == "done"
        assert table.view.insurance == ()
    call_command("audit")


def test_case_23_a_surrender_and_the_clock_at_the_same_moment_decide_once(
    ann: User, stack: Stack
) -> None:
    stack("Ts 9h 6d Kc 5h")
    vegas = new_table("vegas")
    sit_down(vegas, ann)
    vegas.bet(ann, 1000)
    turn, deadline_at = vegas.row.turn, vegas.row.deadline_at
    assert deadline_at is not None
    late = deadline_at + deadlines.GRACE
    at_once(
        [
            lambda: code(vegas.act(ann, "surrender", turn)),
            lambda: str(len(deadlines.apply_deadline(vegas.table_id, late))),
        ]
        * 5
    )
    assert not vegas.live.game.is_playing
    assert balance_of(ann) in (49_000, 49_500)
    assert WalletEntry.objects.filter(place__endswith="hand:1/payout").count() <= 1
    call_command("audit")


# Bets that are changed, and tables that are closed


def test_bets_placed_and_taken_back_at_once_leave_no_money_behind(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    turn = casino.row.turn
    played = at_once(
        [lambda: casino.bet(ann, 1000, turn), lambda: casino.take_back(ann, turn)] * (AT_ONCE // 2)
    )
    assert set(map(code, played)) <= {"done", "no_bet"}
    lies = casino.view.seats[0].stake or 0
    assert balance_of(ann) == 50_000 - lies
    assert casino.chips.staked == lies
    call_command("audit")


def test_a_table_that_is_closed_while_all_bet_owes_nobody(
    ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("Ts Th 9h 6h 8d 9d 8c Kh 5c")  # no natural: if all three bet, somebody is asked
    table = made_by(ann)
    sit_down(table, ann, ben, cleo)
    at_once(
        [
            lambda: code(table.bet(ann, 1000)),
            lambda: code(table.bet(ben, 2000)),
            lambda: code(table.bet(cleo, 3000)),
            lambda: code(table.send(ann, close())),
        ]
    )
    row = table.row
    if row.closed_at is not None:
        assert row.staked == 0
        assert {balance_of(user) for user in (ann, ben, cleo)} == {50_000}
    else:
        assert row.is_closing  # all three had bet before: the round is played first
    call_command("audit")


# Friends


def test_twenty_friends_follow_one_link_at_once(ann: User) -> None:
    friday = made_by(ann, is_private=True)
    friends = [new_player(f"friend{number}") for number in range(AT_ONCE)]

    def follow(user: User) -> str:
        access.grant_access(friday.row, user.pk)
        for seat in (1, 2, 3):
            if code(friday.sit(user, seat)) == "done":
                return "seated"
        return "watching"

    results = at_once([lambda u=user: follow(u) for user in friends])
    assert Counter(results) == {"seated": 3, "watching": AT_ONCE - 3}
    assert friday.row.admissions.count() == AT_ONCE


def test_a_new_invite_and_a_friend_at_the_same_moment(ann: User, ben: User) -> None:
    friday = made_by(ann, is_private=True)
    access.grant_access(friday.row, ben.pk)
    renewed, seated = at_once(
        [lambda: code(friday.send(ann, renew())), lambda: code(friday.sit(ben, 2))]
    )
    assert renewed == "done"
    assert seated in ("done", "not_invited")
    assert access.may_see(friday.row, ben.pk, {}) == (seated == "done")


def test_one_player_opens_five_tables_of_twenty(ann: User) -> None:
    def make() -> str:
        try:
            made_by(ann)
        except lifecycle.TooManyTables:
            return "too many"
        return "made"

    assert Counter(at_once([make] * AT_ONCE)) == {"made": 5, "too many": AT_ONCE - 5}
    assert Table.objects.filter(maker=ann).count() == 5


def test_a_line_that_arrives_twenty_times_is_said_once(casino: TableClient, ann: User) -> None:
    command = Say(uuid.uuid4(), "Good evening!")

    def say() -> Effects[Done | Err]:
        return chat.execute(casino.table_id, ann.pk, command, timezone.now())

    talked = at_once([say] * AT_ONCE)
    assert {type(t.value) for t in talked} == {Done}
    assert sum(len(t.frames) for t in talked) == 1
    assert ChatLine.objects.count() == 1


def test_twenty_processes_note_who_is_there(casino: TableClient, ann: User) -> None:
    sit_down(casino, ann)
    casino.later(10)
    at_once(
        [
            lambda n=n: presence.update_table(
                casino.table_id, f"process {n}", {ann.pk: 1}, casino.now
            )
            for n in range(AT_ONCE)
        ]
    )
    assert Visit.objects.count() == AT_ONCE
    assert casino.view.seats[0].away is None
    updates = at_once(
        [
            lambda n=n: presence.update_table(casino.table_id, f"process {n}", {}, casino.now)
            for n in range(AT_ONCE)
        ]
    )
    assert sum(len(noted.changes) for noted in updates) == 1  # the last one to go
    assert casino.view.seats[0].away is not None


def test_twenty_guests_keep_one_name(db: None) -> None:
    new = [guests.create_guest(at=timezone.now()) for _ in range(AT_ONCE)]

    def keep(guest: User) -> str:
        try:
            with transaction.atomic():
                guests.convert(guest, name="Erin", encoded_password="!", email="")
        except IntegrityError:
            return "taken"
        return "kept"

    assert Counter(at_once([lambda g=g: keep(g) for g in new])) == {
        "kept": 1, "taken": AT_ONCE - 1,
    }  # fmt: skip
    call_command("audit")
