"""Insurance: asked of all seats at once, paid to the hundredth, never taken for who is away."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest
from django.db import transaction
from django.test import Client

from accounts.lib.sql import optimistic
from accounts.models import User
from tables.game import lifecycle, recovery, unreadable_state
from tables.models import Table
from tables.protocol.public import Asked, PublicInsurance
from tables.realtime import snapshots
from tests.helpers.rounds import faults, last_movement, moved, sit_down, types
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import (
    TableClient,
    balance_of,
    code,
    events,
    fingerprint,
    told_of_wallets,
)

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
NINETEEN, BLACKJACK = ("Ts", "9h"), ("Ks", "Ah")
NATURAL, NO_NATURAL = "Kd", "6d"


def stack_against_an_ace(stack: Stack, hand: tuple[str, str], hole: str) -> None:
    stack(f"{hand[0]} As {hand[1]} {hole}")


def get_decision(at: TableClient) -> Asked | None:
    return at.view.asked


@pytest.fixture
def three_asked(vegas: TableClient, ann: User, ben: User, cleo: User, stack: Stack) -> TableClient:
    """Ann 20, ben a blackjack, cleo 15, and an ace over a six: 17."""
    stack("Ts Ks 7s As Tc Ah 8h 6d 2c 3c 4c")
    sit_down(vegas, ann, ben, cleo)
    for user in (ann, ben, cleo):
        vegas.bet(user, 2000)
    return vegas


QUESTION = ("insure", "decline")


def list_open_seats(at: TableClient) -> list[int]:
    assert all(one.legal == QUESTION for one in at.view.insurance)
    return [one.seat for one in at.view.insurance]


# Asked


def test_all_seats_are_asked_at_once_and_their_answers_come_in_order(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    """RULES: "after insurance was asked of every seat in order, one with a blackjack included"."""
    turn, deadline_at = three_asked.row.turn, three_asked.row.deadline_at
    assert list_open_seats(three_asked) == [1, 2, 3]
    assert get_decision(three_asked) == Asked(1, 1, QUESTION)
    three_asked.later(5)
    assert events(three_asked.act(cleo, "insure", turn)) == [
        {"type": "insurance_answered", "seat": 3}
    ]
    assert list_open_seats(three_asked) == [1, 2]
    assert events(three_asked.act(ann, "decline", turn)) == [
        {"type": "insurance_answered", "seat": 1}
    ]
    assert list_open_seats(three_asked) == [2]
    assert get_decision(three_asked) == Asked(2, 1, QUESTION)
    assert (three_asked.row.turn, three_asked.row.deadline_at) == (turn, deadline_at)
    assert events(three_asked.act(ben, "insure", turn)) == [
        {"type": "insurance_declined", "seat": 1},
        {"type": "insurance_taken", "seat": 2, "stake": 1000},
        {"type": "insurance_taken", "seat": 3, "stake": 1000},
        {"type": "hole_card_peeked"},
        {"type": "insurance_settled", "seat": 2, "stake": 1000, "payout": 0},
        {"type": "insurance_settled", "seat": 3, "stake": 1000, "payout": 0},
        {"type": "hand_settled", "seat": 2, "hand": 1, "outcome": "blackjack", "stake": 2000,
         "payout": 5000},
    ]  # fmt: skip
    assert three_asked.view.insurance == ()
    assert get_decision(three_asked) == Asked(
        1, 1, ("hit", "stand", "double", "split", "surrender")
    )
    assert three_asked.row.turn == turn + 1
    assert faults() == []


def test_others_see_that_a_player_has_answered_and_not_what(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    frames = []
    for first, second in (("insure", "decline"), ("decline", "insure")):
        with transaction.atomic():
            results = [three_asked.act(ann, first), three_asked.act(ben, second)]
            frames.append([msgspec.to_builtins(one.changes[0].changed) for one in results])
            seats = three_asked.view.seats
            assert [(seat.insurance, seat.answered) for seat in seats] == [
                (None, True), (None, True), (None, False),
            ]  # fmt: skip
            for user, own in ((ann, first), (ben, second), (cleo, None), (None, None)):
                snapshot = snapshots.table_snapshot(
                    three_asked.table_id, user.pk if user else None, three_asked.now
                )
                assert snapshot.you.insurance == own
                assert snapshot.table == three_asked.view
            transaction.set_rollback(True)
        optimistic.forget_all()
    assert frames[0] == frames[1], "an answer can be told from the frames"


def test_chips_of_the_table_do_not_tell_an_answer(
    ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("Ts Ks 7s As Tc Ah 8h 6d 2c 3c 4c")
    row = lifecycle.open_table(
        name="Friday", rules_key="vegas", host_id=ann.pk, stack_size=10_000, top_ups=0
    )
    at = TableClient(row.pk)
    sit_down(at, ann, ben, cleo)
    for user in (ann, ben, cleo):
        at.bet(user, 2000)
    before = [seat.chips for seat in at.view.seats]
    at.act(ann, "insure")
    at.act(ben, "decline")
    assert [seat.chips for seat in at.view.seats] == before
    assert at.live.balance_of(at.live.seats[1]) == 7000
    at.act(cleo, "decline")
    assert [seat.chips for seat in at.view.seats] == [7000, 13_000, 8000]  # his natural is paid


def test_what_everybody_answered_is_in_sight_once_all_have(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    three_asked.act(ann, "decline")
    three_asked.act(ben, "insure")
    three_asked.act(cleo, "insure")
    answers = [seat.insurance for seat in three_asked.view.seats]
    assert answers == [PublicInsurance(stake, 0, True) for stake in (0, 1000, 1000)]
    assert not any(seat.answered for seat in three_asked.view.seats)
    for user in (ann, cleo):
        three_asked.act(user, "stand")
    assert [seat.insurance for seat in three_asked.view.seats] == answers
    three_asked.bet(ann, 2000)
    assert [seat.insurance for seat in three_asked.view.seats] == answers


def test_answers_are_in_the_row_for_another_process(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    three_asked.act(ben, "insure")
    optimistic.forget_all()
    three_asked.act(ann, "decline")
    optimistic.forget_all()
    assert list_open_seats(three_asked) == [3]
    assert types(events(three_asked.act(cleo, "decline")))[:3] == [
        "insurance_declined", "insurance_taken", "insurance_declined",
    ]  # fmt: skip
    assert balance_of(ben) == 50_000 - 2000 - 1000 + 5000
    assert faults() == []


def test_a_round_that_was_asked_seat_by_seat_goes_on(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    """Its state is of an earlier version: seat 1 has declined, and seat 2 is asked."""
    state = json.loads(three_asked.row.state)
    assert "insurance_answers" not in state
    state["round"] |= {"insurance": {"1": [0, 0]}, "turn": [2, 1]}
    Table.objects.filter(pk=three_asked.table_id).update(state=json.dumps(state))
    optimistic.forget_all()
    assert list_open_seats(three_asked) == [2, 3]
    assert code(three_asked.act(ann, "insure")) == "stale_turn"
    three_asked.act(cleo, "insure")
    assert types(events(three_asked.act(ben, "decline")))[:3] == [
        "insurance_declined", "insurance_taken", "hole_card_peeked",
    ]  # fmt: skip
    assert faults() == []


def test_nobody_is_asked_against_another_card(vegas: TableClient, ann: User, stack: Stack) -> None:
    stack("Ts Ks 9h 6d")
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    assert get_decision(vegas) == Asked(1, 1, ("hit", "stand", "double", "surrender"))
    assert [seat.insurance for seat in vegas.view.seats] == [None, None, None]


@pytest.mark.parametrize("action", ["hit", "stand", "double", "split", "surrender"])
def test_it_refuses_to_play_before_insurance_is_answered(
    three_asked: TableClient, ann: User, action: str
) -> None:
    before = fingerprint(three_asked)
    assert code(three_asked.act(ann, action)) == "insurance_first"
    assert fingerprint(three_asked) == before


@pytest.mark.parametrize("action", ["insure", "decline"])
def test_it_refuses_an_answer_twice_or_unasked(
    three_asked: TableClient, ann: User, ben: User, cleo: User, dora: User, action: str
) -> None:
    before = fingerprint(three_asked)
    assert code(three_asked.act(dora, action)) == "not_seated"
    assert code(three_asked.act(ben, action, three_asked.row.turn - 1)) == "stale_turn"
    assert fingerprint(three_asked) == before
    three_asked.act(ben, action)
    before = fingerprint(three_asked)
    for again in ("insure", "decline", "hit"):
        assert code(three_asked.act(ben, again)) == "stale_turn"
    assert fingerprint(three_asked) == before
    three_asked.act(ann, "decline")
    three_asked.act(cleo, "decline")
    before = fingerprint(three_asked)
    assert code(three_asked.act(ann, action)) == "cannot_insure"
    assert fingerprint(three_asked) == before


def test_it_refuses_an_answer_of_who_is_not_in_the_round(
    vegas: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack_against_an_ace(stack, NINETEEN, NO_NATURAL)
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    vegas.sit(ben, 2)
    before = fingerprint(vegas)
    assert code(vegas.act(ben, "insure")) == "not_your_turn"
    assert fingerprint(vegas) == before


@pytest.mark.parametrize("action", ["insure", "decline"])
def test_it_is_not_played_at_other_tables(
    casino: TableClient, ann: User, stack: Stack, action: str
) -> None:
    stack_against_an_ace(stack, NINETEEN, NO_NATURAL)
    casino.sit(ann, 1)
    casino.bet(ann, 2000)
    before = fingerprint(casino)
    assert get_decision(casino) == Asked(1, 1, ("hit", "stand", "double"))
    assert code(casino.act(ann, action)) == "cannot_insure"
    assert fingerprint(casino) == before


# Paid


@pytest.mark.parametrize(
    ("hand", "hole", "answer", "net"),
    [
        (NINETEEN, NATURAL, "insure", 0),
        (NINETEEN, NATURAL, "decline", -2000),
        (NINETEEN, NO_NATURAL, "insure", 1000),
        (NINETEEN, NO_NATURAL, "decline", 2000),
        (BLACKJACK, NATURAL, "insure", 2000),  # even money
        (BLACKJACK, NATURAL, "decline", 0),
        (BLACKJACK, NO_NATURAL, "insure", 2000),  # even money
        (BLACKJACK, NO_NATURAL, "decline", 3000),
    ],
)
def test_what_a_round_against_an_ace_comes_to(
    vegas: TableClient,
    ann: User,
    stack: Stack,
    hand: tuple[str, str],
    hole: str,
    answer: str,
    net: int,
) -> None:
    stack_against_an_ace(stack, hand, hole)
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    assert balance_of(ann) == 48_000
    assert faults() == []
    played = vegas.act(ann, answer)
    assert faults() == []
    if vegas.view.asked is not None:
        assert balance_of(ann) == (47_000 if answer == "insure" else 48_000)
        played = vegas.act(ann, "stand")
    assert balance_of(ann) == 50_000 + net
    assert told_of_wallets(played.changes[0]) == {} or told_of_wallets(played.changes[0]) == {
        ann.pk: 50_000 + net
    }
    assert vegas.chips.staked == 0
    assert faults() == []
    (row,) = list_hands()
    insured = (1000, 3000 if hole == NATURAL else 0) if answer == "insure" else (0, 0)
    assert (row.insurance_stake, row.insurance_payout) == insured
    assert row.net == net


def test_every_step_of_an_insurance_is_in_the_books(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack_against_an_ace(stack, NINETEEN, NATURAL)
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    before = last_movement()
    assert events(vegas.act(ann, "insure"))[:4] == [
        {"type": "insurance_taken", "seat": 1, "stake": 1000},
        {"type": "hole_card_revealed", "card": "Kd"},
        {"type": "insurance_settled", "seat": 1, "stake": 1000, "payout": 3000},
        {"type": "hand_settled", "seat": 1, "hand": 1, "outcome": "lose", "stake": 2000,
         "payout": 0},
    ]  # fmt: skip
    assert moved(before) == [
        ("fill", "bank", "rack", 1_000_000),
        ("stake", "ann", "table", 1000),
        ("payout", "table", "ann", 3000),
    ]


def test_half_of_an_odd_stake_is_exact(vegas: TableClient, ann: User, stack: Stack) -> None:
    stack_against_an_ace(stack, NINETEEN, NATURAL)
    vegas.sit(ann, 1)
    vegas.bet(ann, 700)
    vegas.act(ann, "insure")
    (row,) = list_hands()
    assert (row.insurance_stake, row.insurance_payout, row.payout) == (350, 1050, 0)
    assert balance_of(ann) == 50_000
    assert faults() == []


def test_a_split_round_keeps_its_insurance_with_its_first_hand(
    vegas: TableClient, ann: User, stack: Stack, client: Client
) -> None:
    stack("8s As 8h 6d Tc Th")
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    for action in ("insure", "split", "stand", "stand"):
        vegas.act(ann, action)
    hands = list_hands()
    assert [(hand.stake, hand.payout, hand.insurance_stake) for hand in hands] == [
        (2000, 4000, 1000),
        (2000, 4000, 0),
    ]
    assert balance_of(ann) == 50_000 + 4000 - 1000
    assert faults() == []


def test_the_history_and_the_page_of_the_round_show_the_insurance(
    vegas: TableClient, ann: User, stack: Stack, client: Client
) -> None:
    stack_against_an_ace(stack, NINETEEN, NATURAL)
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    vegas.act(ann, "insure")
    client.force_login(ann)
    response = client.get("/history/")
    (played,) = response.context["page"].rounds
    assert (played.stake, played.payout, played.net) == (3000, 3000, 0)
    assert "insurance 10, paid 30" in response.content.decode()
    page = client.get(f"/rounds/{played.id}/").content.decode()
    assert "bet 20, paid 0; insurance 10, paid 30" in page


def test_a_declined_insurance_is_not_spoken_of_afterwards(
    vegas: TableClient, ann: User, stack: Stack, client: Client
) -> None:
    stack_against_an_ace(stack, NINETEEN, NATURAL)
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    vegas.act(ann, "decline")
    client.force_login(ann)
    assert "insurance" not in client.get("/history/").content.decode()


# Money and answers that wait


def test_the_stake_moves_with_the_answer(
    three_asked: TableClient, ann: User, ben: User, cleo: User, casino: TableClient
) -> None:
    """Nobody can spend it elsewhere before the others have answered."""
    before = last_movement()
    answer = three_asked.act(ann, "insure")
    assert moved(before) == [("stake", "ann", "table", 1000)]
    assert told_of_wallets(answer.changes[0]) == {ann.pk: 47_000}
    assert three_asked.chips.staked == 7000
    assert faults() == []
    sit_down(casino, ann, ben)
    assert code(casino.bet(ann, 47_100)) == "cannot_afford"
    assert code(casino.bet(ann, 47_000)) == "done"
    three_asked.act(ben, "decline")
    before = last_movement()
    three_asked.act(cleo, "decline")
    assert ("stake", "ann", "table", 1000) not in moved(before), "it is paid twice"
    assert three_asked.view.seats[0].insurance == PublicInsurance(1000, 0, True)
    assert faults() == []


def test_a_void_between_two_answers_returns_the_stake_of_the_first(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    three_asked.act(ann, "insure")
    Table.objects.filter(pk=three_asked.table_id).update(state="{damaged")
    unreadable_state.reset_table(three_asked.table_id, three_asked.now)
    assert [balance_of(user) for user in (ann, ben, cleo)] == [50_000] * 3
    assert three_asked.chips.staked == 0
    assert faults() == []


def test_an_outage_between_two_answers_gives_time_and_keeps_them(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    three_asked.act(ann, "insure")
    three_asked.later(120)
    (change,) = recovery.resume_after_outage(three_asked.table_id, three_asked.now)
    assert types(list(change.changed.events)) == ["clock_extended"]
    assert list_open_seats(three_asked) == [2, 3]
    assert three_asked.view.seats[0].answered
    three_asked.later(120 * 3600)
    recovery.resume_after_outage(three_asked.table_id, three_asked.now)
    assert [balance_of(user) for user in (ann, ben, cleo)] == [50_000] * 3
    assert three_asked.view.insurance == ()
    assert faults() == []


# Answered for who is away, gone or out of money


def test_the_clock_declines_for_all_who_have_not_answered(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    three_asked.later(20)
    three_asked.act(ben, "insure")
    (change,) = three_asked.time_is_up()
    assert change.changed.events[:5] == (
        {"type": "clock_ran_out", "seat": 1, "hand": 1},
        {"type": "insurance_declined", "seat": 1},
        {"type": "insurance_taken", "seat": 2, "stake": 1000},
        {"type": "clock_ran_out", "seat": 3, "hand": 1},
        {"type": "insurance_declined", "seat": 3},
    )
    assert get_decision(three_asked) == Asked(
        1, 1, ("hit", "stand", "double", "split", "surrender")
    )
    assert [balance_of(user) for user in (ann, cleo)] == [48_000, 48_000]
    deadline_at = three_asked.row.deadline_at
    assert deadline_at is not None
    assert (deadline_at - three_asked.now).total_seconds() == three_asked.row.turn_seconds
    assert faults() == []


def test_a_table_of_sleepers_plays_itself_to_the_end(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    while three_asked.view.asked is not None:
        three_asked.time_is_up()
    assert [balance_of(user) for user in (ann, ben, cleo)] == [52_000, 53_000, 48_000]
    assert {hand.insurance_stake for hand in list_hands()} == {0}
    assert faults() == []


def test_who_has_staked_everything_is_not_asked(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    """The question comes in the change in which the last of the money is bet."""
    stack_against_an_ace(stack, NINETEEN, NO_NATURAL)
    vegas.sit(ann, 1)
    bet = vegas.bet(ann, 50_000)
    assert types(events(bet)) == [
        "bet_placed", "shoe_shuffled",
        "card_dealt", "dealer_card_dealt", "card_dealt", "dealer_card_dealt",
        "insurance_declined", "hole_card_peeked",
    ]  # fmt: skip
    assert get_decision(vegas) == Asked(1, 1, ("hit", "stand", "surrender"))


@pytest.mark.parametrize(("stake", "is_asked"), [(33_300, True), (33_400, False)])
def test_who_has_half_the_stake_left_is_asked(
    stake: int, is_asked: bool, vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack_against_an_ace(stack, NINETEEN, NO_NATURAL)
    vegas.sit(ann, 1)
    declined = {"type": "insurance_declined", "seat": 1}
    assert (declined in events(vegas.bet(ann, stake))) is not is_asked
    question = ("insure", "decline") if is_asked else ("hit", "stand", "surrender")
    assert get_decision(vegas) == Asked(1, 1, question)


def test_who_cannot_pay_has_declined_as_the_others_are_asked(
    vegas: TableClient, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("Ts Ks 7s As Tc 9h 8h 6d")
    sit_down(vegas, ann, ben, cleo)
    for user, stake in ((ann, 2000), (ben, 50_000)):
        vegas.bet(user, stake)
    assert events(vegas.bet(cleo, 2000))[-1] == {"type": "insurance_answered", "seat": 2}
    assert list_open_seats(vegas) == [1, 3]
    assert code(vegas.act(ben, "insure")) == "stale_turn"
    vegas.act(ann, "insure")
    assert events(vegas.act(cleo, "insure"))[:3] == [
        {"type": "insurance_taken", "seat": 1, "stake": 1000},
        {"type": "insurance_declined", "seat": 2},
        {"type": "insurance_taken", "seat": 3, "stake": 1000},
    ]
    assert faults() == []


def test_who_spends_the_money_elsewhere_is_refused_and_can_decline(
    vegas: TableClient, casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack_against_an_ace(stack, NINETEEN, NO_NATURAL)
    vegas.sit(ann, 1)
    vegas.bet(ann, 2000)
    sit_down(casino, ann, ben)
    casino.bet(ann, 48_000)
    before = fingerprint(vegas)
    assert get_decision(vegas) == Asked(1, 1, ("decline",))
    assert code(vegas.act(ann, "insure")) == "cannot_afford"
    assert fingerprint(vegas) == before
    assert code(vegas.act(ann, "decline")) == "done"


def test_who_quits_when_asked_declines_at_once_and_stands_later(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    assert events(three_asked.leave(ben)) == [{"type": "insurance_answered", "seat": 2}]
    assert list_open_seats(three_asked) == [1, 3]
    three_asked.act(cleo, "decline")
    last = three_asked.leave(ann)
    assert types(events(last)) == [
        "insurance_declined", "insurance_declined", "insurance_declined", "hole_card_peeked",
        "hand_settled", "hand_stood",
    ]  # fmt: skip
    assert get_decision(three_asked) == Asked(3, 1, ("hit", "stand", "double", "surrender"))
    assert balance_of(ann) == 48_000


def test_who_quits_after_an_answer_stays_insured(
    three_asked: TableClient, ann: User, ben: User, cleo: User
) -> None:
    three_asked.act(ann, "insure")
    assert events(three_asked.leave(ann)) == []
    three_asked.act(ben, "decline")
    three_asked.act(cleo, "decline")
    assert not list_hands()
    assert three_asked.view.seats[0].insurance == PublicInsurance(1000, 0, True)
    three_asked.act(cleo, "stand")
    assert list_hands(user=ann)[0].insurance_stake == 1000
    assert faults() == []
