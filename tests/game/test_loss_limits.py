"""What players' own limits mean at a table, and the reminder."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client

from accounts.models import User
from accounts.users import limits
from accounts.users.limits import Kind
from tables.game import seats
from tables.models import Seat
from tables.protocol.frames import Err, Reminder
from tables.realtime import dispatch, heartbeats, runtime
from tables.realtime.writers.writer import writer
from tables.social import reminders
from tables.state.live_table import LiveTable
from tests.helpers.rounds import after, faults, new_table, sit_down
from tests.helpers.table_client import TableClient, balance_of, code, fingerprint
from tests.realtime.test_sockets import page

Stack = Callable[..., None]

NOON = dt.datetime(2030, 5, 10, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
LOSES, WINS = "Ts 6h 8d Kc 5h", "Ts 6h 9d Kc Th"
"""Against ann, who stands: the dealer draws to 21, or busts."""


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def table(casino: TableClient, ann: User) -> TableClient:
    """Ann sits, at noon of a day on which nothing was played before."""
    casino.now = NOON
    assert code(casino.sit(ann, 1)) == "done"
    return casino


def may_lose(user: User, amount: int | None, now: dt.datetime = NOON) -> None:
    limits.set_limit(user, Kind.DAILY_LOSS, amount, now)


def play(at: TableClient, user: User, stake: int) -> str:
    """Bet and stand; what became of the bet."""
    answer = code(at.bet(user, stake))
    if answer == "done" and at.view.asked is not None:
        at.act(user, "stand")
    return answer


def legal(at: TableClient) -> tuple[str, ...]:
    decision = at.view.asked
    assert decision is not None
    return decision.legal


# How much may be staked


@pytest.mark.django_db
@pytest.mark.parametrize(("limit", "answer"), [(1000, "done"), (999, "loss_limit")])
def test_exactly_the_limit_may_be_staked_and_one_hundredth_more_may_not(
    table: TableClient, ann: User, ben: User, limit: int, answer: str
) -> None:
    table.sit(ben, 2)
    may_lose(ann, limit)
    assert code(table.bet(ann, 1000)) == answer
    assert faults() == []


@pytest.mark.django_db
def test_a_bet_over_the_limit_changes_nothing_and_says_why(table: TableClient, ann: User) -> None:
    may_lose(ann, 1000)
    before = fingerprint(table)
    refused = table.bet(ann, 1100)
    assert isinstance(refused.value, Err)
    assert refused.value.code == "loss_limit"
    assert "daily loss limit" in refused.value.message
    assert fingerprint(table) == before


@pytest.mark.django_db
def test_what_is_lost_is_used_up(table: TableClient, ann: User, stack: Stack) -> None:
    stack(LOSES, LOSES)
    may_lose(ann, 3000)
    assert play(table, ann, 2000) == "done"
    assert play(table, ann, 1100) == "loss_limit"
    assert play(table, ann, 1000) == "done"
    assert play(table, ann, 1000) == "loss_limit"
    assert balance_of(ann) == 47_000
    assert faults() == []


@pytest.mark.django_db
def test_what_was_won_earlier_in_the_day_counts(
    table: TableClient, ann: User, stack: Stack
) -> None:
    stack(WINS, LOSES, LOSES)
    may_lose(ann, 1000)
    assert play(table, ann, 1000) == "done"
    assert play(table, ann, 2100) == "loss_limit"
    assert play(table, ann, 2000) == "done"
    assert balance_of(ann) == 49_000
    assert play(table, ann, 1000) == "loss_limit"


@pytest.mark.django_db
def test_a_stake_that_lies_on_a_table_counts_until_it_comes_back(
    table: TableClient, ann: User, ben: User
) -> None:
    table.sit(ben, 2)
    other = new_table("casino")
    other.now = NOON
    sit_down(other, ann, ben)
    may_lose(ann, 1000)
    assert code(table.bet(ann, 1000)) == "done"
    assert code(other.bet(ann, 1000)) == "loss_limit"
    table.take_back(ann)
    assert code(other.bet(ann, 1000)) == "done"


@pytest.mark.django_db
def test_a_bet_may_be_changed_up_to_the_limit(table: TableClient, ann: User, ben: User) -> None:
    table.sit(ben, 2)
    may_lose(ann, 1000)
    for stake, answer in ((1000, "done"), (1100, "loss_limit"), (1000, "done")):
        assert code(table.bet(ann, stake)) == answer
    assert table.view.seats[0].stake == 1000


@pytest.mark.django_db
def test_after_midnight_utc_it_begins_anew(table: TableClient, ann: User, stack: Stack) -> None:
    stack(LOSES, LOSES)
    may_lose(ann, 1000)
    table.now = dt.datetime(2030, 5, 10, 23, 59, 58, tzinfo=dt.UTC)
    assert play(table, ann, 1000) == "done"
    assert play(table, ann, 1000) == "loss_limit"
    table.now = dt.datetime(2030, 5, 11, tzinfo=dt.UTC)
    assert play(table, ann, 1000) == "done"
    assert play(table, ann, 1000) == "loss_limit"


BEFORE_MIDNIGHT = dt.datetime(2030, 5, 10, 23, 59, 50, tzinfo=dt.UTC)
AFTER_MIDNIGHT = dt.datetime(2030, 5, 11, 0, 0, 1, tzinfo=dt.UTC)


def get_remaining_loss(user: User, now: dt.datetime = AFTER_MIDNIGHT) -> int:
    return limits.get_remaining_loss(user.wallet.pk, 10_000, now)


@pytest.fixture
def late(table: TableClient, ben: User) -> TableClient:
    """Shortly before midnight, with ben beside ann. A round is over, so there is one before."""
    table.sit(ben, 2)
    table.now = BEFORE_MIDNIGHT - dt.timedelta(minutes=5)
    table.bet(ben, 1000)
    table.time_is_up()
    while table.view.asked is not None:
        table.act(ben, "stand")
    table.now = BEFORE_MIDNIGHT
    return table


@pytest.mark.django_db
def test_a_bet_taken_back_after_midnight_raises_no_limit(late: TableClient, ann: User) -> None:
    late.bet(ann, 10_000)
    late.now = AFTER_MIDNIGHT
    assert get_remaining_loss(ann) == 10_000
    assert code(late.take_back(ann)) == "done"
    assert get_remaining_loss(ann) == 10_000


@pytest.mark.django_db
def test_a_bet_made_smaller_after_midnight_is_a_stake_of_the_new_day(
    late: TableClient, ann: User
) -> None:
    late.bet(ann, 10_000)
    late.now = AFTER_MIDNIGHT
    assert code(late.bet(ann, 4000)) == "done"
    assert get_remaining_loss(ann) == 6000
    late.take_back(ann)
    assert get_remaining_loss(ann) == 10_000


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("cards", "gain"), [("Ts 9s 6h 8d 9d Kc Th", 2000), ("Ts 9s 6h 8d 9d Kc 5h", 0)]
)
def test_of_a_round_paid_after_midnight_the_profit_counts_and_the_stake_does_not(
    late: TableClient, ann: User, ben: User, stack: Stack, cards: str, gain: int
) -> None:
    late.bet(ann, 3000)
    late.bet(ann, 2000)
    stack(cards)
    late.bet(ben, 1000)
    late.now = AFTER_MIDNIGHT
    late.act(ann, "stand")
    late.act(ben, "stand")
    assert late.view.asked is None
    assert get_remaining_loss(ann) == 10_000 + gain
    late.now += dt.timedelta(seconds=30)
    late.bet(ann, 3000)
    assert get_remaining_loss(ann) == 7000 + gain
    late.take_back(ann)
    assert get_remaining_loss(ann) == 10_000 + gain
    assert faults() == []


@pytest.mark.django_db
def test_half_a_stake_that_comes_back_after_midnight_changes_nothing(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 6h 7d Kc")
    vegas.now = BEFORE_MIDNIGHT
    sit_down(vegas, ann)
    vegas.bet(ann, 1000)
    vegas.now = AFTER_MIDNIGHT
    assert code(vegas.act(ann, "surrender")) == "done"
    assert balance_of(ann) == 49_500
    assert get_remaining_loss(ann) == 10_000


@pytest.mark.django_db
def test_a_hand_doubled_after_midnight_counts_with_what_was_added(
    table: TableClient, ann: User, stack: Stack
) -> None:
    stack("5s 6h 6d Kc 9d Th")  # 11, doubled to 20; the dealer has 16 and busts
    table.now = BEFORE_MIDNIGHT
    table.bet(ann, 1000)
    table.now = AFTER_MIDNIGHT
    assert code(table.act(ann, "double")) == "done"
    assert balance_of(ann) == 52_000
    assert get_remaining_loss(ann) == 12_000


@pytest.mark.django_db
def test_a_stake_paid_after_midnight_is_found_at_each_of_several_tables(
    late: TableClient, ann: User, ben: User
) -> None:
    other = new_table("casino")
    other.now = BEFORE_MIDNIGHT
    sit_down(other, ben, ann)
    late.bet(ann, 2000)
    other.bet(ann, 3000)
    for each in (late, other):
        each.now = AFTER_MIDNIGHT
        each.take_back(ann)
        assert get_remaining_loss(ann) == 10_000


@pytest.mark.django_db
def test_what_others_moved_at_midnight_in_another_order_is_not_left_out(
    table: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    """Two processes write a moment apart, and the later one first."""
    midnight = dt.datetime(2030, 5, 11, tzinfo=dt.UTC)
    stack(LOSES)
    table.now = midnight + dt.timedelta(seconds=2)
    assert play(table, ann, 1000) == "done"
    other = new_table("casino")
    other.now = midnight + dt.timedelta(seconds=1)
    sit_down(other, ben, ann)
    other.bet(ben, 1000)
    assert limits.get_remaining_loss(ann.wallet.pk, 1000, table.now) == 0


@pytest.mark.django_db
def test_a_limit_below_what_is_lost_already_lets_nothing_be_staked(
    table: TableClient, ann: User, stack: Stack
) -> None:
    stack(LOSES)
    play(table, ann, 2000)
    may_lose(ann, 1000)
    assert play(table, ann, 1000) == "loss_limit"
    assert limits.get_remaining_loss(ann.wallet.pk, 1000, NOON) == -1000
    may_lose(ann, 3000)
    assert play(table, ann, 1000) == "loss_limit"  # for a day yet


@pytest.mark.django_db
def test_a_bet_that_lies_there_already_is_played(
    table: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    table.sit(ben, 2)
    table.bet(ann, 2000)
    may_lose(ann, 1000)
    stack("Ts 9s 6h 8d 9d Kc 5h")
    assert code(table.bet(ben, 1000)) == "done"
    assert code(table.act(ann, "stand")) == "done"
    assert code(table.act(ben, "stand")) == "done"
    assert faults() == []


@pytest.mark.django_db
def test_loosening_is_felt_at_the_table_after_24_hours(table: TableClient, ann: User) -> None:
    may_lose(ann, 500)
    may_lose(ann, 1000)
    table.now = NOON + DAY - dt.timedelta(seconds=1)
    assert code(table.bet(ann, 1000)) == "loss_limit"
    table.now = NOON + DAY
    assert code(table.bet(ann, 1000)) == "done"


@pytest.mark.django_db
def test_who_has_no_limits_is_asked_about_none(
    table: TableClient, ann: User, ben: User, django_assert_max_num_queries: Any
) -> None:
    table.sit(ben, 2)
    with django_assert_max_num_queries(40) as queries:
        table.bet(ann, 1000)
    assert not [query for query in queries.captured_queries if "ownlimit" in query["sql"]]


# Double, split and insurance


@pytest.mark.django_db
@pytest.mark.parametrize(("limit", "offered"), [(2000, True), (1999, False)])
def test_to_double_and_to_split_are_offered_when_the_limit_allows_it(
    table: TableClient, ann: User, stack: Stack, limit: int, offered: bool
) -> None:
    stack("8s 6h 8d Kc 2c 5h 9c 3d 4d")
    may_lose(ann, limit)
    table.bet(ann, 1000)
    assert ("double" in legal(table), "split" in legal(table)) == (offered, offered)
    if not offered:
        before = fingerprint(table)
        assert code(table.act(ann, "double")) == "loss_limit"
        assert code(table.act(ann, "split")) == "loss_limit"
        assert fingerprint(table) == before


@pytest.mark.django_db
def test_what_is_told_after_a_split_leaves_out_what_it_used_up(
    table: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8d Kc 2c 5h 9c 3d 4d")
    may_lose(ann, 2500)
    table.bet(ann, 1000)
    decision = after(table.act(ann, "split")).asked
    assert decision is not None
    assert "double" not in decision.legal
    assert legal(table) == decision.legal


@pytest.mark.django_db
@pytest.mark.parametrize(("limit", "is_asked"), [(1500, True), (1499, False)])
def test_insurance_is_declined_by_itself_when_the_limit_holds_it_back(
    vegas: TableClient, ann: User, stack: Stack, limit: int, is_asked: bool
) -> None:
    stack("Ts As 7s 9d 5h")
    vegas.now = NOON
    sit_down(vegas, ann)
    may_lose(ann, limit)
    vegas.bet(ann, 1000)
    assert ("insure" in legal(vegas)) is is_asked
    if not is_asked:
        assert "stand" in legal(vegas)


@pytest.mark.django_db
def test_insurance_that_another_table_used_up_meanwhile_is_refused(
    vegas: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts As 7s 9d 5h")
    vegas.now = NOON
    sit_down(vegas, ann)
    other = new_table("casino")
    other.now = NOON
    sit_down(other, ben, ann)
    may_lose(ann, 2000)
    vegas.bet(ann, 1000)
    other.bet(ann, 1000)
    assert code(vegas.act(ann, "insure")) == "loss_limit"
    assert code(vegas.act(ann, "decline")) == "done"


@pytest.mark.django_db
def test_where_the_dealer_matches_bets_ones_own_stake_counts(
    pot: TableClient, ann: User, ben: User
) -> None:
    pot.now = NOON
    sit_down(pot, ann, ben)
    may_lose(ann, 1000)
    assert code(pot.bet(ann, 1000)) == "done"
    pot.take_back(ann)
    assert limits.get_remaining_loss(ann.wallet.pk, 1000, NOON) == 1000
    assert code(pot.bet(ann, 1100)) == "loss_limit"


# Breaks


@pytest.mark.django_db
def test_who_takes_a_break_takes_no_seat_and_places_no_bet(
    table: TableClient, classic: TableClient, ann: User
) -> None:
    classic.now = NOON
    classic.sit(ann, 1)
    limits.set_limit(ann, Kind.BREAK, (NOON.date() + DAY).toordinal(), NOON)
    refused = table.bet(ann, 1000)
    assert isinstance(refused.value, Err)
    assert refused.value.message == "You're taking a break until 11 May 2030, 00:00 UTC."
    assert code(classic.bet(ann, 0)) == "on_break"
    other = new_table("casino")
    other.now = NOON
    assert code(other.sit(ann, 1)) == "on_break"


@pytest.mark.django_db
def test_after_the_break_play_goes_on(table: TableClient, ann: User) -> None:
    limits.set_limit(ann, Kind.BREAK, (NOON.date() + DAY).toordinal(), NOON)
    table.now = dt.datetime(2030, 5, 10, 23, 59, 59, tzinfo=dt.UTC)
    assert code(table.bet(ann, 1000)) == "on_break"
    table.now = dt.datetime(2030, 5, 11, tzinfo=dt.UTC)
    assert code(table.bet(ann, 1000)) == "done"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_a_break_gives_every_seat_back_and_a_hand_in_play_stands(
    client: Client, casino: TableClient, classic: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts 9s 6h 8d 9d Kc 5h")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    sit_down(classic, ann, ben)
    classic.bet(ann, 0)
    client.force_login(ann)
    tomorrow = (casino.now.date() + DAY).isoformat()
    client.post("/account/limits/break/", {"until": tomorrow})
    assert [seat.player for seat in classic.view.seats] == [None, "ben", None]
    seat = casino.view.seats[0]
    assert (seat.player, seat.leaving, len(seat.hands)) == ("ann", True, 1)
    casino.now += dt.timedelta(seconds=1)
    casino.act(ben, "stand")
    assert casino.view.seats[0].player is None
    assert balance_of(ann) == 49_000
    assert faults() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_a_bet_on_the_coming_round_comes_back_with_the_break(
    client: Client, casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    client.force_login(ann)
    tomorrow = (casino.now.date() + DAY).isoformat()
    client.post("/account/limits/break/", {"until": tomorrow})
    assert balance_of(ann) == 50_000
    assert casino.view.seats[0].player is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_a_seat_that_cannot_be_given_back_keeps_no_other_one(
    client: Client, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [new_table("casino") for _ in range(3)]
    for at in tables:
        sit_down(at, ann)
    broken, leave = tables[0], seats.leave

    def leave_some(live: LiveTable, user_id: int) -> None:
        if live.row.pk == broken.table_id:
            raise OperationalError("database is locked")
        leave(live, user_id)

    monkeypatch.setattr(seats, "leave", leave_some)
    client.force_login(ann)
    tomorrow = (broken.now.date() + DAY).isoformat()
    text = client.post("/account/limits/break/", {"until": tomorrow}, follow=True).content.decode()
    assert (
        f"You could not be taken off {broken.row.name}. Leave the table from your home page."
        in text
    )
    assert [at.row.seats.count() for at in tables] == [1, 0, 0]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_seats_that_take_long_are_given_back_a_little_later(
    client: Client, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [new_table("casino") for _ in range(2)]
    for at in tables:
        sit_down(at, ann)
    monkeypatch.setattr(dispatch, "ANSWER_SECONDS", 0.1)
    go_on = threading.Event()
    writer.submit(go_on.wait)
    client.force_login(ann)
    tomorrow = (tables[0].now.date() + DAY).isoformat()
    text = client.post("/account/limits/break/", {"until": tomorrow}, follow=True).content.decode()
    go_on.set()
    writer.stop()
    assert text.count("You will leave your seat shortly") == 1
    assert [at.row.seats.count() for at in tables] == [0, 0]


# The reminder


def sat(user: User, minutes: float, now: dt.datetime) -> Seat:
    """The user's seat, as if taken so many minutes ago."""
    Seat.objects.filter(user=user).update(sat_at=now - dt.timedelta(minutes=minutes))
    return Seat.objects.get(user=user)


def remind(user: User, minutes: int) -> None:
    limits.set_limit(user, Kind.REMINDER, minutes, NOON)


@pytest.mark.django_db
@pytest.mark.parametrize(("minutes", "is_due"), [(59.99, False), (60, True), (400, True)])
def test_a_reminder_is_due_after_its_minutes(
    table: TableClient, ann: User, minutes: float, is_due: bool
) -> None:
    remind(ann, 60)
    seat = sat(ann, minutes, NOON)
    Seat.objects.update(net=-2000)
    found = reminders.list_due(NOON)
    assert [due.seat_id for due in found] == ([seat.pk] if is_due else [])
    if is_due:
        assert found[0].reminder == Reminder(table.table_id, int(minutes), -2000)


@pytest.mark.django_db
def test_it_comes_again_after_as_many_minutes(table: TableClient, ann: User) -> None:
    remind(ann, 60)
    sat(ann, 60, NOON)
    assert reminders.claim(reminders.list_due(NOON)[0], NOON)
    assert reminders.list_due(NOON + dt.timedelta(minutes=59)) == []
    (again,) = reminders.list_due(NOON + dt.timedelta(minutes=60))
    assert again.reminder.minutes == 120


@pytest.mark.django_db
def test_of_two_processes_one_reminds(table: TableClient, ann: User) -> None:
    remind(ann, 60)
    sat(ann, 60, NOON)
    first, second = reminders.list_due(NOON)[0], reminders.list_due(NOON)[0]
    assert [reminders.claim(first, NOON), reminders.claim(second, NOON)] == [True, False]
    later = NOON + dt.timedelta(hours=1)
    first, second = reminders.list_due(later)[0], reminders.list_due(later)[0]
    assert [reminders.claim(first, later), reminders.claim(second, later)] == [True, False]


@pytest.mark.django_db
def test_nobody_is_reminded_who_did_not_wish_it_or_has_no_page_open(
    table: TableClient, ann: User, ben: User
) -> None:
    table.sit(ben, 2)
    may_lose(ben, 1000)
    Seat.objects.update(sat_at=NOON - DAY)
    assert reminders.list_due(NOON) == []
    remind(ann, 60)
    assert len(reminders.list_due(NOON)) == 1
    Seat.objects.filter(user=ann).update(away_since=NOON)
    assert reminders.list_due(NOON) == []


@pytest.mark.django_db
def test_looking_for_them_asks_twice_however_many_play(
    table: TableClient, ann: User, ben: User, cleo: User, django_assert_num_queries: Any
) -> None:
    for seat, user in enumerate((ben, cleo), start=2):
        table.sit(user, seat)
    for user in (ann, ben, cleo):
        remind(user, 60)
    with django_assert_num_queries(2):
        reminders.list_due(NOON)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_the_reminder_reaches_all_pages_of_the_player_and_nobody_else(
    casino: TableClient, ann: User, ben: User
) -> None:

    await database_sync_to_async(casino.sit)(ann, 1)
    await database_sync_to_async(casino.sit)(ben, 2)
    await database_sync_to_async(limits.set_limit)(ann, Kind.REMINDER, 60, casino.now)
    await Seat.objects.aupdate(sat_at=casino.now - dt.timedelta(minutes=61))
    async with (
        page(casino.table_id, ann) as first,
        page(casino.table_id, ann) as second,
        page(casino.table_id, ben) as bens,
    ):
        for opened in (first, second, bens):
            await opened.frame_of("snapshot")
        await runtime.run_periodic_checks()
        for opened in (first, second):
            frame = await opened.frame_of("reminder")
            assert frame == {"t": "reminder", "table": casino.table_id, "minutes": 61, "net": 0}
        await runtime.run_periodic_checks()
        await heartbeats.of_process.send_all()
        while (await bens.frame())["t"] != "heartbeat":
            pass
        while (await first.frame())["t"] != "heartbeat":
            pass
    assert not any('"reminder"' in text for text in bens.heard)
    assert sum('"reminder"' in text for text in first.heard) == 1
