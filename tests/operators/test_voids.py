"""A round that an operator declares void: its money goes back, and it counts nowhere."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from random import Random

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from time_machine import TimeMachineFixture

from accounts.audit_log import Operator
from accounts.ledger import transfers
from accounts.ledger.entries import list_round_entries
from accounts.ledger.transfers import Posting
from accounts.lib.errors import OperationRefused
from accounts.models import STARTING_GRANT, Account, Act, HouseSettings, Transfer, User
from accounts.users import limits
from accounts.users.limits import Kind
from tables.game import account_deletion, recovery
from tables.game.chips.racks import get_minimum_for_matching
from tables.game.history_reset import reset_history
from tables.game.void_plan import VoidPlan
from tables.models import (
    Change,
    PileGame,
    Result,
    Round,
    Standing,
    Table,
    Takings,
    Tally,
    Void,
)
from tables.operators.players import freezing
from tables.operators.rounds import round_list, voids
from tables.operators.rounds.voids import CannotVoid
from tables.realtime import epochs
from tables.results import projector
from tables.state.effects import Effects
from tests.helpers.recomputed_stats import reckoned
from tests.helpers.rounds import (
    faults,
    last_movement,
    least_stake,
    moved,
    new_table,
    play_round,
    shoe_in_use,
    sit_down,
)
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient, balance_of, code, new_player, told_of_wallets
from tests.results.test_results import Week, assert_all_is_written

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
Operators = Callable[..., User]
START = STARTING_GRANT
BECAUSE = "The dealer's card was shown too early."
BLACKJACK, WON, LOST = "As 9h Kd 7c", "Ts 9h 9d 8c", "Ts 9h 8d Kc"


@pytest.fixture
def pot(db: None) -> TableClient:
    """The dealer matches every bet."""
    return new_table("pot")


@pytest.fixture
def vegas(db: None) -> TableClient:
    """Insurance, surrender, splits to four hands."""
    return new_table("vegas")


@pytest.fixture
def piles(db: None) -> TableClient:
    """Cards are the score."""
    return new_table("piles")


@pytest.fixture
def mia(operator: Operators) -> User:
    """A manager, who voids."""
    return operator("manager", "mia")


@pytest.fixture
def max_(operator: Operators) -> User:
    """The second manager."""
    return operator("manager", "max")


def last_round() -> Round:
    return Round.objects.filter(finished_at__isnull=False).latest("pk")


def void(round_: Round, by: User, now: dt.datetime | None = None) -> Effects[Void]:
    return voids.request_void(round_.pk, Operator(by.pk), BECAUSE, now or timezone.now())


def get_plan(round_: Round, to: User) -> VoidPlan:
    return get_plan_at(round_, to, timezone.now())


def get_plan_at(round_: Round, to: User, now: dt.datetime) -> VoidPlan:
    return voids.preview_void(Round.objects.get(pk=round_.pk), Operator(to.pk), now)


def played(at: TableClient, user: User, stake: int, *actions: str) -> Round:
    """A round of one player, who sits down for it if need be."""
    if at.live.seat_of(user.pk) is None:
        sit_down(at, user)
    assert code(at.bet(user, stake)) == "done"
    for action in actions:
        assert code(at.act(user, action)) == "done"
    return last_round()


def finish(at: TableClient) -> Round:
    """Everybody stands until the round is over."""
    while at.view.asked is not None:
        at.time_is_up()
    return last_round()


def take_from(account: Account, *, all_but: int) -> None:
    """Bring the rest to the bank, as if it had been spent."""
    account.refresh_from_db()
    reference, amount = f"test/{last_movement()}", account.balance - all_but
    kind = Transfer.Kind.RETURN
    out = Posting(kind, account.pk, transfers.get_bank().pk, amount, reference)
    transfers.post([out], at=timezone.now())


def why_not(round_: Round, by: User) -> str:
    """What an operator is told who may not, after which nothing has changed."""
    before = Act.objects.count(), Void.objects.count(), last_movement()
    with pytest.raises(CannotVoid) as refused:
        void(round_, by)
    assert (Act.objects.count(), Void.objects.count(), last_movement()) == before
    return str(refused.value)


def limit(amount: int) -> None:
    HouseSettings.objects.update(void_limit=amount)


# Money


def test_a_blackjack_is_taken_back(casino: TableClient, ann: User, mia: User, stack: Stack) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    rack, before = casino.chips.rack, last_movement()
    assert balance_of(ann) == START + 1500
    void(round_, mia)
    assert moved(before) == [
        ("reversal", "table", "ann", 1000),
        ("reversal", "ann", "table", 2500),
    ]
    assert balance_of(ann) == START
    assert (casino.chips.rack, casino.chips.staked) == (rack + 1500, 0)
    assert faults() == []


def test_every_transfer_is_linked_to_the_one_that_takes_it_back(
    vegas: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    """A split, a double on its first hand, and a loss on the other."""
    stack("8s Td 8d 9c 3d Kc 9s 5h")
    round_ = played(vegas, ann, 1000, "split", "double", "stand")
    entries = list(list_round_entries(round_.pk))
    assert sum(entry.kind == "stake" for entry in entries) == 3
    void(round_, mia)
    for entry in entries:
        (back,) = entry.reversals.all()
        assert (back.kind, back.amount) == ("reversal", -entry.amount)
        assert (back.wallet_id, back.round) == (entry.wallet_id, round_.pk)
        assert back.reference == entry.reference.replace("round:", "void:", 1)
        assert back.by_id == mia.pk
    assert balance_of(ann) == START
    assert faults() == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_the_entries_of_a_round_are_found_by_its_id(db: None) -> None:
    with CaptureQueriesContext(connection) as captured:
        list(list_round_entries(1))
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {captured.captured_queries[0]['sql']}")
        steps = " ".join(step for *_, step in cursor.fetchall())
    assert "entries_of_a_round_are_unique (round=?)" in steps


def test_an_insurance_goes_back_with_the_hand(
    vegas: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack("Ts As 9h 7d")
    round_ = played(vegas, ann, 2000, "insure", "stand")
    assert list_hands(round=round_)[0].insurance_stake == 1000
    void(round_, mia)
    assert balance_of(ann) == START
    assert faults() == []


def test_a_void_between_two_answers_about_insurance_returns_all_and_the_table_goes_on(
    vegas: TableClient, ann: User, ben: User, mia: User, stack: Stack
) -> None:
    stack("Ts Ks As 9h 9d 7d", "Ts Ks As 9h 9d 7d")
    sit_down(vegas, ann, ben)
    for user in (ann, ben):
        vegas.bet(user, 2000)
    vegas.act(ann, "insure")
    void(Round.objects.get(pk=vegas.view.round), mia)
    assert [balance_of(user) for user in (ann, ben)] == [START, START]
    assert not any(seat.answered for seat in vegas.view.seats)
    assert faults() == []
    for user in (ann, ben):
        vegas.bet(user, 2000)
    assert [one.seat for one in vegas.view.insurance] == [1, 2]


def test_bets_that_were_changed_before_the_cards_go_back_as_well(
    pot: TableClient, ann: User, ben: User, mia: User
) -> None:
    sit_down(pot, ann, ben)
    rack = pot.chips.rack
    for stake in (500, 1000, 1500):
        assert code(pot.bet(ann, stake)) == "done"
    assert code(pot.bet(ben, 500)) == "done"
    finish(pot)
    round_ = last_round()
    kinds = [entry.kind for entry in list_round_entries(round_.pk)]
    assert kinds.count("refund") == 2
    void(round_, mia)
    assert (balance_of(ann), balance_of(ben), pot.chips.rack) == (START, START, rack)
    assert faults() == []


@pytest.mark.parametrize("key", ["casino", "pot", "vegas"])
@pytest.mark.parametrize("seed", range(3))
def test_after_voids_at_random_everybody_has_what_the_other_rounds_left(
    key: str, seed: int, mia: User
) -> None:
    chance, at = Random(f"{key} {seed}"), new_table(key)
    players = [new_player(name) for name in ("ann", "ben", "cleo")][: at.row.rules.seats]
    sit_down(at, *players)
    limit(10**9)
    for number in range(12):
        if chance.random() < 0.5 and len(players) > 1:  # a bet that is changed and taken back
            at.bet(players[0], 2 * least_stake(at))
            at.take_back(players[0])
            at.bet(players[0], 2 * least_stake(at))
        play_round(at, players, chance)
        at.later(5)
        if chance.random() < 0.5 or number == 11:
            earlier = Round.objects.filter(dealt_at__isnull=False, voided_at=None)
            chosen = chance.choice(list(earlier.exclude(finished_at=None)))
            void(chosen, mia, at.now)
    assert Round.objects.exclude(voided_at=None).exists()
    for user in players:
        counts = list_hands(user=user, round__voided_at=None)
        assert balance_of(user) == START + sum(hand.net for hand in counts)
    seats = at.live.seats.values()
    assert {seat.net for seat in seats} == {balance_of(seat.user) - START for seat in seats}
    assert_all_is_written(reckoned())
    assert faults() == []


def test_where_the_wallet_has_not_what_it_won_the_bank_covers_the_rest(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    take_from(ann.wallet, all_but=400)
    (share,) = get_plan(round_, mia).shares
    assert (share.net, share.covered, share.after) == (1500, 1100, 0)
    before = last_movement()
    void(round_, mia)
    assert moved(before)[0] == ("adjustment", "bank", "ann", 1100)
    assert balance_of(ann) == 0
    assert Transfer.objects.get(reference=f"void:{round_.pk}/cover/user:{ann.pk}").by_id == mia.pk
    assert faults() == []


def test_the_bank_covers_no_more_than_lacks_in_the_end(
    vegas: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    """Three stakes come back before anything is taken."""
    stack("8s Td 8d 9c 3d 3c Kc 5h Td")
    round_ = played(vegas, ann, 1000, "split", "double", "double")
    net = sum(hand.net for hand in list_hands(round=round_))
    take_from(ann.wallet, all_but=max(net, 0))
    before = last_movement()
    void(round_, mia)
    assert "adjustment" not in [kind for kind, *_ in moved(before)]
    assert balance_of(ann) == max(-net, 0)
    assert faults() == []


def test_a_rack_that_is_to_get_chips_of_an_open_round_is_filled_before(
    casino: TableClient, ann: User, ben: User, mia: User, stack: Stack
) -> None:
    """What it has won in the round in play is free, but it is not there yet."""
    stack(LOST, "Ts Td 6h 8d 9c Kc 8s")
    round_ = played(casino, ann, 1000, "stand")
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.act(ann, "hit")
    assert casino.row.rack_due == 1000
    take_from(casino.row.rack, all_but=0)
    plan = get_plan(round_, mia)
    assert (plan.rack, plan.rack_moved, plan.filled) == (1000, -1000, 1_000_000)
    void(round_, mia)
    assert casino.row.rack.balance == 999_000
    assert faults() == []


def test_a_rack_that_lacks_is_filled(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(LOST)
    round_ = played(casino, ann, 1000, "stand")
    take_from(casino.row.rack, all_but=300)
    plan = get_plan(round_, mia)
    assert (plan.rack, plan.rack_moved, plan.filled) == (300, -1000, 1_000_000)
    void(round_, mia)
    assert balance_of(ann) == START
    assert casino.chips.rack == plan.rack_after == 999_300
    assert faults() == []


def test_a_rack_that_has_what_it_needs_in_the_end_is_not_filled(
    casino: TableClient, ann: User, ben: User, mia: User, stack: Stack
) -> None:
    """What it got from ann goes back only after what it gave to ben has come."""
    stack("Ts Tc 9h 7d Qd 9s")  # 17 and 20 against 18
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    round_ = finish(casino)
    assert [hand.net for hand in list_hands()] == [-1000, 1000]
    take_from(casino.row.rack, all_but=0)
    before = last_movement()
    void(round_, mia)
    assert {kind for kind, *_ in moved(before)} == {"reversal"}
    assert (balance_of(ann), balance_of(ben), casino.chips.rack) == (START, START, 0)
    assert faults() == []


def test_a_dealer_who_matches_bets_can_match_as_many_as_before(
    pot: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack("Ts 7h 9d Kd")
    round_ = played(pot, ann, 500, "stand")
    take_from(pot.row.rack, all_but=1000)
    void(round_, mia)
    assert pot.chips.rack >= 1000
    assert code(pot.bet(ann, 500)) == "done"
    assert faults() == []


def test_a_dealer_who_matches_bets_can_match_the_bets_of_now(
    pot: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    """The smallest bet has become a larger one since."""
    stack("Ts 7h 9d Kd")
    round_ = played(pot, ann, 500, "stand")
    assert pot.chips.rack > 50_000
    take_from(pot.row.rack, all_but=50_000)
    Table.objects.update(rules_options={"minimum": 50_000})
    rules = pot.row.rules
    assert get_minimum_for_matching(rules) >= 50_000
    void(round_, mia)
    assert pot.chips.rack >= 50_000
    assert faults() == []


def test_every_account_of_a_void_is_locked_before_anything_is_moved(
    casino: TableClient, ann: User, ben: User, cleo: User, mia: User
) -> None:
    """Also that of who had no hand in it, but a bet that went back before the cards."""
    sit_down(casino, ann, ben, cleo)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.leave(ann)
    casino.bet(cleo, 1000)
    round_ = finish(casino)
    assert not list_hands(round=round_, user=ann)
    with CaptureQueriesContext(connection) as captured:
        void(round_, mia)
    assert balance_of(ann) == START
    locking = re.compile(r'"(accounts_\w+)"\."id" IN \(([^)]*)\) ORDER BY "\1"\."id"')
    locked: dict[str, list[set[str]]] = {"accounts_user": [], "accounts_account": []}
    for query in captured:
        if match := locking.search(query["sql"]):
            locked[match[1]].append(set(match[2].split(", ")))
    assert locked["accounts_user"][0] == {str(user.pk) for user in (ann, ben, cleo, mia)}
    first, last = locked["accounts_account"][0], locked["accounts_account"][-1]
    assert str(ann.wallet.pk) in first
    assert last <= first, "bank.move locked more"


def test_what_comes_to_who_deleted_the_account_goes_on_to_the_bank(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(LOST)
    round_ = played(casino, ann, 1000, "stand")
    account_deletion.delete_account(ann.pk, casino.now)
    before = last_movement()
    (share,) = get_plan(round_, mia).shares
    assert (share.is_gone, share.returned, share.after) == (True, 1000, 0)
    void(round_, mia)
    name = User.objects.get(pk=ann.pk).username
    assert moved(before)[-1] == ("return", name, "bank", 1000)
    assert Transfer.objects.filter(reference=f"void:{round_.pk}/user:{ann.pk}/return").exists()
    assert balance_of(ann) == 0
    assert faults() == []


def test_what_who_deleted_the_account_had_won_is_covered_by_the_bank(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    account_deletion.delete_account(ann.pk, casino.now)
    void(round_, mia)
    assert balance_of(ann) == 0
    assert shown_result(round_, ann) == ("void", 0, 0)
    assert faults() == []


def test_the_money_of_somebody_frozen_stays_theirs(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(LOST)
    round_ = played(casino, ann, 1000, "stand")
    User.objects.filter(pk=ann.pk).update(is_active=False, frozen_at=casino.now)
    void(round_, mia)
    assert balance_of(ann) == START


# Who may, and when


def test_nothing_is_voided_twice(casino: TableClient, ann: User, mia: User, max_: User) -> None:
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    round_ = finish(casino)
    void(round_, mia)
    assert why_not(round_, max_) == "This round is already void."


def test_nobody_voids_a_round_they_played_in(casino: TableClient, mia: User) -> None:
    casino.sit(mia, 1)
    casino.bet(mia, 1000)
    assert "You played this round" in why_not(finish(casino), mia)


def test_a_round_of_which_no_card_was_dealt_is_not_voided(
    casino: TableClient, ann: User, ben: User, mia: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    assert "No cards were dealt" in why_not(Round.objects.latest("pk"), mia)
    casino.take_back(ann)
    assert "No cards were dealt" in why_not(Round.objects.latest("pk"), mia)


def test_a_round_that_is_played_is_broken_off(
    casino: TableClient, ann: User, ben: User, mia: User, stack: Stack
) -> None:
    stack("8s 9h 9d 8d 7h Ks 2c 3c")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 2000)
    casino.act(ann, "double")
    round_, shoe = Round.objects.get(), shoe_in_use(casino)
    assert "You played this round" in why_not(round_, ann)
    planned = get_plan(round_, mia)
    assert [(share.user, share.moved, share.after) for share in planned.shares] == [
        (ann, 2000, START),
        (ben, 2000, START),
    ]
    (change,) = void(round_, mia).changes
    assert {
        "type": "round_broken_off",
        "round": round_.pk,
        "because": BECAUSE,
        "number": round_.number,
    } in (change.changed.events)
    assert told_of_wallets(change) == {ann.pk: START, ben.pk: START}
    assert change.changed.table.asked is None
    assert [seat.player for seat in change.changed.table.seats[:2]] == ["ann", "ben"]
    assert [seat.hands for seat in change.changed.table.seats] == [(), (), ()]
    assert Result.objects.filter(outcome="void", stake=0, payout=0).count() == 2
    assert not Tally.objects.filter(rounds__gt=0).exists()
    shoe.refresh_from_db()
    assert shoe.secret
    assert shoe.retired_because == "broken_off"
    listed = round_list.list_rounds(round_list.RoundListFilters(flag="void")).rounds
    assert [(one.players, one.staked, one.paid) for one in listed] == [((ann, ben), 4000, 0)]
    assert faults() == []
    assert code(casino.bet(ann, 1000)) == "done"


def test_a_void_that_waits_is_decided_when_the_round_is_over(
    casino: TableClient, ann: User, mia: User, max_: User, stack: Stack
) -> None:
    stack("Ts 9h 8d Kc")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    limit(0)
    waiting = void(Round.objects.get(), mia).value
    assert (waiting.status, balance_of(ann)) == ("waiting", START - 1000)
    casino.act(ann, "stand")
    voids.approve_void(waiting.pk, Operator(max_.pk), timezone.now())
    assert balance_of(ann) == START
    assert len(list_hands()) == 1
    assert faults() == []


def cannot_be_read(at: TableClient) -> None:
    Table.objects.filter(pk=at.table_id).update(state="damaged")
    recovery.resume_after_outage(at.table_id, at.now)


def waits_for_a_day(at: TableClient) -> None:
    at.now += dt.timedelta(hours=24, minutes=5)
    recovery.resume_after_outage(at.table_id, at.now)


def is_restored(at: TableClient) -> None:
    epochs.begin_epoch()


def runs_out_of_cards(at: TableClient) -> None:
    at.act(at.row.seats.get().user, "hit")


@pytest.mark.parametrize(
    "happens", [cannot_be_read, waits_for_a_day, is_restored, runs_out_of_cards]
)
def test_a_round_that_the_site_cancels_leaves_nothing_to_decide(
    happens: Callable[[TableClient], None],
    casino: TableClient,
    ann: User,
    mia: User,
    max_: User,
    stack: Stack,
) -> None:
    """Somebody has asked for its void before, and nobody has decided yet."""
    stack("Ts 6h 8d 6c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    round_ = Round.objects.get()
    limit(0)
    assert void(round_, mia).value.status == "waiting"
    happens(casino)
    assert (balance_of(ann), casino.row.phase) == (START, "betting")
    statuses = Void.objects.filter(round=round_).order_by("pk").values_list("status", "decided_by")
    assert list(statuses) == [("withdrawn", None), ("done", None)]
    for own in Void.objects.filter(round=round_):
        for decide in (
            lambda pk: voids.approve_void(pk, Operator(max_.pk), casino.now),
            lambda pk: voids.refuse_void(pk, Operator(max_.pk), "No.", casino.now),
            lambda pk: voids.withdraw_void(pk, Operator(mia.pk), "", casino.now),
        ):
            with pytest.raises(CannotVoid, match=r"^The site has cancelled this round itself\.$"):
                decide(own.pk)
    client = Client()
    client.force_login(max_)
    for own in Void.objects.filter(round=round_):
        page = client.get(f"/admin/voids/{own.pk}/", follow=True).content.decode()
        assert "The site has cancelled this round itself." in page
        assert "Cancelled automatically" in page
    assert faults() == []


def test_at_the_limit_one_operator_is_enough_and_above_it_two_are_needed(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    limit(1499)
    before = last_movement()
    request = void(round_, mia).value
    assert (request.status, request.decided_by, request.reason) == ("waiting", None, BECAUSE)
    assert (last_movement(), Result.objects.get().outcome) == (before, "blackjack")
    Void.objects.all().delete()
    limit(1500)
    assert void(round_, mia).value.status == "done"


def test_voids_that_are_small_one_by_one_count_together_for_a_day(
    casino: TableClient, ann: User, mia: User, max_: User, stack: Stack
) -> None:
    stack(BLACKJACK, BLACKJACK, BLACKJACK)
    first, second, third = (played(casino, ann, 1000) for _ in range(3))
    limit(2999)
    midnight = (timezone.now() + dt.timedelta(days=1)).replace(hour=0, minute=0, second=0)
    assert void(first, mia, midnight).value.status == "done"
    noon = midnight + dt.timedelta(hours=12)
    plan = get_plan_at(second, mia, noon)
    assert (plan.total, plan.voided_today, plan.needs_second) == (1500, 1500, True)
    request = void(second, mia, noon).value
    assert request.status == "waiting"
    voids.approve_void(request.pk, Operator(max_.pk), noon)
    assert void(third, max_, noon).value.status == "done", "what max approved was no void of his"


def test_the_next_day_begins_with_nothing(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK, BLACKJACK)
    first, second = (played(casino, ann, 1000) for _ in range(2))
    limit(1500)
    last = timezone.now().replace(hour=23, minute=59, second=59)
    assert void(first, mia, last).value.status == "done"
    assert get_plan_at(second, mia, last).needs_second
    assert void(second, mia, last + dt.timedelta(seconds=1)).value.status == "done"


@pytest.mark.parametrize("new", ["mia", "max"])
def test_neither_who_requests_nor_who_approves_a_void_is_new_in_the_role(
    new: str, casino: TableClient, ann: User, mia: User, max_: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    limit(0)
    request, now = void(round_, mia).value, timezone.now()
    User.objects.filter(username=new).update(role_since=now - dt.timedelta(hours=23))
    with pytest.raises(OperationRefused, match="less than 24 hours"):
        voids.approve_void(request.pk, Operator(max_.pk), now)
    later = now + dt.timedelta(hours=1)
    assert voids.approve_void(request.pk, Operator(max_.pk), later).value.status == "done"


@pytest.mark.parametrize("way", ["role", "deleted", "frozen"])
def test_nobody_approves_what_somebody_requested_who_is_no_operator_any_more(
    way: str, casino: TableClient, ann: User, mia: User, max_: User, stack: Stack
) -> None:
    """Or one operator could have an account of their own request it for a minute."""
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    limit(0)
    request, now = void(round_, mia).value, timezone.now()
    if way == "role":
        mia.groups.clear()
    elif way == "deleted":
        account_deletion.delete_account(mia.pk, now)
    else:
        superuser = User.objects.create_superuser("olga")
        freezing.freeze(Operator(superuser.pk), mia.pk, "x", now)
    with pytest.raises(OperationRefused, match="may no longer void rounds"):
        voids.approve_void(request.pk, Operator(max_.pk), now)
    assert voids.preview_void(round_, Operator(max_.pk), now, waiting=request), "the page is shown"
    voids.refuse_void(request.pk, Operator(max_.pk), "x", now)
    assert void(round_, max_).value.status == "waiting"


def test_what_all_players_won_and_lost_counts_together(
    casino: TableClient, ann: User, ben: User, mia: User, stack: Stack
) -> None:
    stack("Ts As 9h 8d Kd Kc")  # ann has 18 against 19 and loses, ben has a blackjack
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    plan = get_plan(finish(casino), mia)
    assert [share.net for share in plan.shares] == [-1000, 1500]
    assert plan.total == 2500
    assert plan.rack_moved == 500


def test_a_second_operator_approves_it(
    casino: TableClient, ann: User, mia: User, max_: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    limit(0)
    request = void(round_, mia).value
    row = voids.approve_void(request.pk, Operator(max_.pk), casino.now).value
    assert (row.status, row.asked_by, row.decided_by) == ("done", mia, max_)
    assert balance_of(ann) == START
    assert [(act.what, act.by) for act in Act.objects.order_by("pk")] == [
        ("ask_void", mia), ("void", max_),
    ]  # fmt: skip
    assert faults() == []


@pytest.mark.parametrize("is_superuser", [False, True])
def test_nobody_approves_their_own(
    casino: TableClient, ann: User, mia: User, stack: Stack, is_superuser: bool
) -> None:
    mia.is_superuser = is_superuser
    mia.save()
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    limit(0)
    request = void(round_, mia).value
    for decide in (
        lambda: voids.approve_void(request.pk, Operator(mia.pk), casino.now),
        lambda: voids.refuse_void(request.pk, Operator(mia.pk), "No.", casino.now),
    ):
        with pytest.raises(CannotVoid, match="You requested this void"):
            decide()
    assert balance_of(ann) == START + 1500


def test_nobody_approves_the_void_of_a_round_they_played_in(
    casino: TableClient, mia: User, max_: User
) -> None:
    casino.sit(max_, 1)
    casino.bet(max_, 1000)
    round_ = finish(casino)
    limit(0)
    if not get_plan(round_, mia).total:
        pytest.skip("a push")
    request = void(round_, mia).value
    with pytest.raises(CannotVoid, match="You played this round"):
        voids.approve_void(request.pk, Operator(max_.pk), casino.now)


def test_a_void_is_refused_and_can_be_asked_for_again(
    casino: TableClient, ann: User, mia: User, max_: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    limit(0)
    request = void(round_, mia).value
    assert why_not(round_, max_) == "A void of this round is already pending, requested by mia."
    voids.refuse_void(request.pk, Operator(max_.pk), "The cards were right.", casino.now)
    assert balance_of(ann) == START + 1500
    act = Act.objects.get(what="refuse_void")
    assert (act.subject, act.reason) == (f"round:{round_.pk}", "The cards were right.")
    with pytest.raises(CannotVoid, match="max has already refused"):
        voids.approve_void(request.pk, Operator(max_.pk), casino.now)
    assert void(round_, max_).value.status == "waiting"


def test_who_comes_second_with_a_decision_is_told(
    casino: TableClient, ann: User, mia: User, max_: User, operator: Operators, stack: Stack
) -> None:
    stack(BLACKJACK)
    limit(0)
    request = void(played(casino, ann, 1000), mia).value
    voids.approve_void(request.pk, Operator(max_.pk), casino.now)
    third = Operator(operator("manager", "mo").pk)
    before = last_movement()
    with pytest.raises(CannotVoid, match="max has already approved"):
        voids.approve_void(request.pk, third, casino.now)
    with pytest.raises(CannotVoid, match="max has already approved"):
        voids.refuse_void(request.pk, third, "No.", casino.now)
    assert last_movement() == before


def withdraw(void_: Void, by: User, reason: str = "") -> Void:
    return voids.withdraw_void(void_.pk, Operator(by.pk), reason, timezone.now()).value


def test_who_asked_for_a_void_takes_it_back_and_can_ask_again(
    casino: TableClient, ann: User, mia: User, max_: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    limit(0)
    request, before = void(round_, mia).value, last_movement()
    with pytest.raises(CannotVoid, match=r"^mia requested this void\. Refuse it instead"):
        withdraw(request, max_)
    assert withdraw(request, mia, "It was right.").status == "withdrawn"
    act = Act.objects.get(what="withdraw_void")
    assert (act.by, act.subject, act.reason) == (mia, f"round:{round_.pk}", "It was right.")
    assert act.before == {"void": request.pk, "asked_by": "mia", "reason": BECAUSE}
    assert (balance_of(ann), last_movement()) == (START + 1500, before)
    for late in (
        lambda: voids.approve_void(request.pk, Operator(max_.pk), casino.now),
        lambda: voids.refuse_void(request.pk, Operator(max_.pk), "No.", casino.now),
        lambda: withdraw(request, mia),
    ):
        with pytest.raises(CannotVoid, match=r"^mia has taken this request back\.$"):
            late()
    assert void(round_, mia).value.status == "waiting"
    assert faults() == []


@pytest.mark.parametrize("decision", ["approved", "refused"])
def test_what_is_decided_is_not_taken_back(
    decision: str, casino: TableClient, ann: User, mia: User, max_: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    limit(0)
    request, by = void(played(casino, ann, 1000), mia).value, Operator(max_.pk)
    if decision == "approved":
        voids.approve_void(request.pk, by, casino.now)
    else:
        voids.refuse_void(request.pk, by, "No.", casino.now)
    with pytest.raises(CannotVoid, match=f"^max has already {decision} this"):
        withdraw(request, mia)
    assert not Act.objects.filter(what="withdraw_void").exists()


def test_the_trail_says_who_voided_what_and_why(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    result = voids.request_void(round_.pk, Operator(mia.pk, "198.51.100.7"), BECAUSE, casino.now)
    act = Act.objects.get()
    assert (act.what, act.subject, act.reason) == ("void", f"round:{round_.pk}", BECAUSE)
    assert (act.by, act.address, act.at) == (mia, "198.51.100.7", casino.now)
    assert act.after == {
        "void": result.value.pk, "moved": 1500, "covered_by_the_bank": 0, "players": {"ann": -1500},
    }  # fmt: skip


# What the round leaves


def shown_result(round_: Round, user: User) -> tuple[str, int, int]:
    row = Result.objects.get(round=round_, user=user)
    return row.outcome, row.stake, row.payout


def test_the_round_stays_and_its_results_count_nowhere(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(WON, BLACKJACK)
    played(casino, ann, 1000, "stand")
    round_ = played(casino, ann, 1000)
    void(round_, mia, casino.now)
    projector.catch_up()
    round_.refresh_from_db()
    assert (round_.voided_at, round_.dealer_cards) == (casino.now, "9h 7c")
    assert list_hands(round=round_)[0].payout == 2500
    assert shown_result(round_, ann) == ("void", 0, 0)
    day = Tally.objects.get(user=ann, rules_key="")
    assert (day.rounds, day.won, day.blackjacks, day.net) == (1, 1, 0, 1000)
    assert (day.biggest_win, day.streak, day.longest_streak) == (1000, 1, 1)
    standing = Standing.objects.get()
    assert (standing.rounds, standing.net) == (1, 1000)


def test_the_day_of_its_only_round_is_gone_and_so_is_the_standing(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    void(played(casino, ann, 1000), mia)
    assert not Tally.objects.exists()
    assert not Standing.objects.exists()
    assert_all_is_written(reckoned())


def test_the_takings_of_the_day_have_it_beside_them(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    void(played(casino, ann, 1000), mia)
    day = Takings.objects.get()
    assert (day.rounds, day.staked, day.paid) == (1, 1000, 2500)
    assert (day.void_rounds, day.void_plays, day.void_staked, day.void_paid) == (1, 1, 1000, 2500)


def test_a_streak_is_longer_over_days_without_the_loss_in_it(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(WON, LOST, WON, WON, LOST, WON)
    lost = None
    for number in range(6):
        round_ = played(casino, ann, 1000, "stand")
        lost = round_ if number == 1 else lost
        casino.later(24 * 3600)
    projector.catch_up()
    days = Tally.objects.filter(user=ann, rules_key="").order_by("day")
    streaks = [(day.streak, day.longest_streak) for day in days]
    assert streaks == [(1, 1), (0, 0), (1, 1), (2, 2), (0, 0), (1, 1)]
    assert lost is not None
    void(lost, mia)
    streaks = [(day.streak, day.longest_streak) for day in days.all()]
    assert streaks == [(1, 1), (2, 2), (3, 3), (0, 0), (1, 1)]
    assert_all_is_written(reckoned())


def test_no_more_days_are_counted_anew_than_a_void_changes(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(WON, LOST, WON, WON)
    first = played(casino, ann, 1000, "stand")
    for _ in range(3):
        casino.later(24 * 3600)
        played(casino, ann, 1000, "stand")
    projector.catch_up()
    # A mark that would be gone if the day had been counted anew.
    third = Tally.objects.filter(rules_key="").order_by("day")[2]
    Tally.objects.filter(pk=third.pk).update(longest_streak=77)
    void(first, mia)
    third.refresh_from_db()
    assert third.longest_streak == 77


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_weeks_at_all_tables_are_written_down_without_what_was_voided(
    seed: int, mia: User, time_machine: TimeMachineFixture
) -> None:
    week = Week(seed + 10)
    limit(10**9)
    for part in range(3):
        week.play(15)
        chosen = Round.objects.filter(voided_at=None, results__isnull=False).distinct()
        for round_ in week.chance.sample(list(chosen), 4):
            void(round_, mia, week.now)
        assert_all_is_written(reckoned())
        if part == 1:
            week.now += dt.timedelta(minutes=1)
            time_machine.move_to(week.now, tick=False)
            reset_history(week.people[0].pk)
    assert faults() == []


def test_a_round_that_the_player_has_emptied_away_stays_away(
    casino: TableClient, ann: User, mia: User, stack: Stack, time_machine: TimeMachineFixture
) -> None:
    stack(BLACKJACK, WON)
    round_ = played(casino, ann, 1000)
    casino.later(1)
    time_machine.move_to(casino.now, tick=False)
    reset_history(ann.pk)
    casino.later(1)
    played(casino, ann, 1000, "stand")
    projector.catch_up()
    before = Tally.objects.get(user=ann, rules_key="")
    void(round_, mia)
    assert Tally.objects.get(user=ann, rules_key="") == before
    day = Tally.objects.get(user=ann, rules_key="")
    assert (day.rounds, day.won, day.net, day.streak) == (1, 1, 1000, 1)
    assert Standing.objects.get().rounds == 1
    assert_all_is_written(reckoned())


def test_a_round_without_money_is_voided_alone_and_counts_no_more(
    classic: TableClient, ann: User, mia: User
) -> None:
    limit(0)
    classic.sit(ann, 1)
    classic.bet(ann, 0)
    round_ = finish(classic)
    before = last_movement()
    assert void(round_, mia).value.status == "done"
    assert last_movement() == before
    assert shown_result(round_, ann) == ("void", 0, 0)
    assert not Tally.objects.exists()
    seat = classic.live.seats[1]
    assert (seat.won, seat.lost, seat.pushed) == (0, 0, 0)
    assert faults() == []


def test_a_game_of_piles_keeps_its_cards_and_its_winner(
    piles: TableClient, ann: User, mia: User
) -> None:
    chance = Random(4)
    sit_down(piles, ann)
    while not PileGame.objects.exists():
        play_round(piles, [ann], chance)
        piles.later(1)
    first = Round.objects.filter(results__isnull=False).order_by("pk")[0]
    game = PileGame.objects.values().get()
    void(first, mia)
    void(PileGame.objects.get().round, mia)
    assert PileGame.objects.values().get() == game
    assert Result.objects.get(round=first).opens_game
    assert_all_is_written(reckoned())
    assert faults() == []


# At the table


def test_it_is_said_at_the_table_and_taken_out_of_the_score(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    seq = casino.row.seq
    (change,) = void(round_, mia).changes
    assert change.changed.events == (
        {"type": "round_voided", "round": round_.pk, "number": round_.number},
    )
    assert (change.changed.seq, casino.row.seq) == (seq + 1, seq + 1)
    assert told_of_wallets(change) == {ann.pk: START}
    assert casino.live.seats[1].net == 0
    assert Change.objects.filter(table=casino.row).count() == seq + 1


def test_the_score_of_who_has_sat_down_anew_is_another(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    casino.leave(ann)
    casino.later(1)
    casino.sit(ann, 1)
    void(round_, mia)
    assert casino.live.seats[1].net == 0


def test_it_changes_nothing_of_the_round_that_is_played_meanwhile(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK, WON)
    round_ = played(casino, ann, 1000)
    casino.bet(ann, 2000)
    assert casino.view.asked is not None
    void(round_, mia)
    assert casino.chips.staked == 2000
    casino.act(ann, "stand")
    assert balance_of(ann) == START + 2000
    assert faults() == []


def test_a_closed_table_stays_as_it_is(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(BLACKJACK)
    round_ = played(casino, ann, 1000)
    Table.objects.filter(pk=casino.table_id).update(closed_at=casino.now)
    seq = casino.row.seq
    effects = void(round_, mia)
    assert (effects.changes, effects.wallets, casino.row.seq) == ((), {ann.pk}, seq)
    assert balance_of(ann) == START


# What a player may still lose today


def get_remaining_loss(user: User, now: dt.datetime, most: int = 10_000) -> int:
    return limits.get_remaining_loss(user.wallet.pk, most, now)


def test_a_voided_loss_of_today_may_be_lost_again(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(LOST)
    round_ = played(casino, ann, 1000, "stand")
    assert get_remaining_loss(ann, casino.now) == 9_000
    void(round_, mia, casino.now)
    assert get_remaining_loss(ann, casino.now) == 10_000


def test_a_voided_win_lets_nobody_lose_more(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(LOST, BLACKJACK)
    played(casino, ann, 1000, "stand")
    round_ = played(casino, ann, 1000)
    assert get_remaining_loss(ann, casino.now) == 10_500
    void(round_, mia, casino.now)
    assert get_remaining_loss(ann, casino.now) == 9_000


def test_a_void_of_what_was_staked_yesterday_loosens_nothing_today(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(LOST, LOST)
    round_ = played(casino, ann, 1000, "stand")
    casino.later(24 * 3600)
    played(casino, ann, 2000, "stand")
    void(round_, mia, casino.now)
    assert get_remaining_loss(ann, casino.now) == 8_000


def test_a_void_of_what_was_staked_before_midnight_and_paid_after_it_changes_nothing_today(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(WON)
    casino.now = casino.now.replace(hour=23, minute=59, second=50)
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.later(15)
    casino.act(ann, "stand")
    assert get_remaining_loss(ann, casino.now) == 11_000
    void(last_round(), mia, casino.now)
    assert get_remaining_loss(ann, casino.now) == 10_000


def test_a_limit_is_free_again_at_the_table(
    casino: TableClient, ann: User, mia: User, stack: Stack
) -> None:
    stack(LOST)
    round_ = played(casino, ann, 1000, "stand")
    limits.set_limit(ann, Kind.DAILY_LOSS, 1000, casino.now)
    assert code(casino.bet(ann, 1000)) == "loss_limit"
    void(round_, mia, casino.now)
    assert code(casino.bet(ann, 1000)) == "done"
