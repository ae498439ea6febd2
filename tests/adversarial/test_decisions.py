"""Commands that come again, that are not legal or too late, and what comes of odd amounts.

Played with the house's own functions and a clock that the tests move; also on PostgreSQL.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from fractions import Fraction

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import Account, User, WalletEntry
from tables.engine.events import Outcome
from tables.engine.options import customize
from tables.engine.payouts import payout
from tables.game import deadlines
from tables.models import Change
from tables.protocol import codec
from tables.protocol.commands import (
    Bet,
    BetBehind,
    Double,
    Hit,
    Leave,
    Sit,
    Split,
    Stand,
    TakeBack,
    TurnCommand,
)
from tests.helpers.rounds import faults, new_table, sit_down
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import COMMANDS, TableClient, balance_of, code, events, fingerprint
from tests.state_machine.fault_points import FAULTS, Killed, dying

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
START = 50_000


@pytest.fixture
def vegas(db: None) -> TableClient:
    """With splits to four hands, insurance and surrender."""
    return new_table("vegas")


# The same id


def test_case_13_every_command_that_is_sent_again_is_answered_again_and_done_once(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("8s Td 6h 8d 9c Kc 2c 3d 4s 9s Ts 5h 7h")
    casino.sit(ben, 2)
    for kind, *rest in (
        (Sit, 1),
        (Bet, 1000),
        (Split,),
        (Hit,),
        (Stand,),
        (Double,),
        (Leave,),
    ):
        if kind is Bet:
            casino.bet(ben, 1000)
        needs_turn = issubclass(kind, TurnCommand)
        arguments = [casino.row.turn, *rest] if needs_turn else rest
        command = kind(uuid.uuid4(), *arguments)
        first = casino.send(ann, command)
        assert code(first) == "done", (kind, first)
        after = fingerprint(casino)
        again = [casino.send(ann, command) for _ in range(4)]
        assert {codec.encode(played.value) for played in again} == {codec.encode(first.value)}
        assert all(played.changes == () for played in again)
        assert fingerprint(casino) == after


def test_case_14_an_id_cannot_be_used_for_something_else(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    command_id = uuid.uuid4()
    casino.send(ann, Bet(command_id, casino.row.turn, 1000))
    before = fingerprint(casino)
    for other in (
        Bet(command_id, casino.row.turn, 2000),
        Bet(command_id, casino.row.turn + 1, 1000),
        TakeBack(command_id, casino.row.turn),
        Leave(command_id),
    ):
        assert code(casino.send(ann, other)) == "id_reused"
        assert fingerprint(casino) == before


def test_case_14_an_id_cannot_be_used_at_another_table(
    casino: TableClient, classic: TableClient, ann: User
) -> None:
    command = Sit(uuid.uuid4(), 1)
    casino.send(ann, command)
    assert code(classic.send(ann, command)) == "id_reused"
    assert classic.view.seats[0].player is None


# Not this hand, not now


@pytest.mark.parametrize("action", COMMANDS)
def test_case_16_nobody_decides_out_of_turn_about_other_hands_or_other_rounds(
    vegas: TableClient, ann: User, ben: User, dora: User, stack: Stack, action: str
) -> None:
    stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th Ts 5h")
    sit_down(vegas, ann, ben)
    betting = vegas.row.turn
    vegas.bet(ann, 1000)
    vegas.bet(ben, 1000)
    playing = vegas.row.turn

    def refused(user: User, turn: int) -> str:
        before = fingerprint(vegas)
        answer = code(vegas.act(user, action, turn))
        assert fingerprint(vegas) == before
        return answer

    assert refused(ben, playing) == "not_your_turn"
    assert refused(dora, playing) == "not_seated"
    assert refused(ann, betting) == "stale_turn"
    assert refused(ann, playing + 1) == "stale_turn"
    vegas.act(ann, "stand")
    assert refused(ann, vegas.row.turn) == "not_your_turn"
    vegas.act(ben, "stand")
    assert refused(ann, playing) == "stale_turn", "a round that is settled"
    assert refused(ann, vegas.row.turn) == "wrong_phase", "a round that is not dealt"


# Not legal


def cannot(at: TableClient, user: User, action: str) -> str:
    """The code of a refusal that moves nothing and holds nothing back."""
    before = fingerprint(at)
    answer = code(at.act(user, action))
    assert fingerprint(at) == before
    assert faults() == []
    return answer


def test_case_17_nothing_is_doubled_or_split_without_the_money(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8d Kc 2c 3d")
    sit_down(vegas, ann)
    vegas.bet(ann, 25_100)
    assert cannot(vegas, ann, "double") == "cannot_afford"
    assert cannot(vegas, ann, "split") == "cannot_afford"


def test_case_17_after_a_hit_nothing_is_doubled_split_or_given_up(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("2s 6h 2d Kc 2c 2h")
    sit_down(vegas, ann)
    vegas.bet(ann, 1000)
    vegas.act(ann, "hit")
    assert cannot(vegas, ann, "double") == "cannot_double"
    assert cannot(vegas, ann, "split") == "cannot_split"
    assert cannot(vegas, ann, "surrender") == "cannot_surrender"


def test_case_17_unequal_cards_are_not_split_and_no_fifth_hand_is_made(
    vegas: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("8s 6h 7d Kc 5h", "8s 6h 8d Kc 8h 8c 8s 8d 8h 8c 9s")
    sit_down(vegas, ann)
    vegas.bet(ann, 1000)
    assert cannot(vegas, ann, "split") == "cannot_split"
    vegas.leave(ann)
    other = new_table("vegas")
    sit_down(other, ben)
    other.bet(ben, 1000)
    for _ in range(3):
        assert code(other.act(ben, "split")) == "done"
    assert len(other.view.seats[0].hands) == 4
    assert other.view.seats[0].hands[0].cards[0][0] == other.view.seats[0].hands[0].cards[1][0]
    assert cannot(other, ben, "split") == "cannot_split"


def test_case_17_nothing_is_insured_without_an_ace_or_given_up_after_a_split(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8d Kc 2c 3d")
    sit_down(vegas, ann)
    vegas.bet(ann, 1000)
    assert cannot(vegas, ann, "insure") == "cannot_insure"
    assert cannot(vegas, ann, "decline") == "cannot_insure"
    vegas.act(ann, "split")
    assert cannot(vegas, ann, "surrender") == "cannot_surrender"


# Deadlines, to the millisecond


@pytest.mark.parametrize("off_ms", [-50, -1, 0, 50])
def test_case_22_a_decision_counts_until_the_grace_is_over(
    casino: TableClient, ann: User, stack: Stack, off_ms: int
) -> None:
    stack("2s 6h 3d Kc 4h 5h 6d 7d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    turn, deadline_at = casino.row.turn, casino.row.deadline_at
    assert deadline_at is not None
    casino.now = deadline_at + deadlines.GRACE
    casino.later(off_ms / 1000)
    played = casino.act(ann, "hit", turn)
    first = events(played)[0]["type"]
    assert (code(played), first) == (
        ("done", "card_dealt") if off_ms < 0 else ("stale_turn", "clock_ran_out")
    )


@pytest.mark.parametrize("off_ms", [-50, -1, 0, 50])
def test_case_22_a_bet_counts_until_the_grace_is_over(
    casino: TableClient, ann: User, ben: User, stack: Stack, off_ms: int
) -> None:
    stack("2s 6h 3d Kc 4h 5h 6d 7d")
    sit_down(casino, ann, ben)
    casino.bet(ben, 1000)
    turn, deadline_at = casino.row.turn, casino.row.deadline_at
    assert deadline_at is not None
    casino.now = deadline_at + deadlines.GRACE
    casino.later(off_ms / 1000)
    played = casino.bet(ann, 1000, turn)
    first = events(played)[0]["type"]
    assert (code(played), first, balance_of(ann)) == (
        ("done", "bet_placed", START - 1000)
        if off_ms < 0
        else ("stale_turn", "clock_ran_out", START)
    )


# Settled once


@pytest.mark.parametrize("place", sorted(FAULTS))
def test_case_24_a_settlement_that_died_is_repeated_and_pays_once(
    casino: TableClient, ann: User, stack: Stack, place: str
) -> None:
    stack("Ts 6h 9d Kc 9s")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    command, before = Stand(uuid.uuid4(), casino.row.turn), fingerprint(casino)
    with dying(place), pytest.raises(Killed):
        casino.send(ann, command)
    assert fingerprint(casino) == before
    assert not list_hands()
    for _ in range(3):
        assert code(casino.send(ann, command)) == "done"
    assert (balance_of(ann), casino.chips.staked) == (START + 1000, 0)
    assert WalletEntry.objects.filter(kind="payout").count() == 1
    assert Change.objects.filter(command_id=command.id).count() == 1
    assert faults() == []


@pytest.mark.parametrize("place", sorted(FAULTS))
def test_case_63_a_bet_behind_is_paid_once_by_a_settlement_that_died(
    casino: TableClient, ann: User, ben: User, stack: Stack, place: str
) -> None:
    stack("Ts 6h 9d Kc 9s")
    casino.sit(ann, 1)
    backed = BetBehind(uuid.uuid4(), 1, casino.row.turn, 3000)
    assert code(casino.send(ben, backed)) == "done"
    casino.bet(ann, 1000)
    command, before = Stand(uuid.uuid4(), casino.row.turn), fingerprint(casino)
    with dying(place), pytest.raises(Killed):
        casino.send(ann, command)
    assert fingerprint(casino) == before
    for _ in range(2):
        assert code(casino.send(ann, command)) == "done"
    assert (balance_of(ben), casino.chips.staked) == (START + 3000, 0)
    assert faults() == []


# Odd amounts


def money_of(at: TableClient, *users: User) -> tuple[int, ...]:
    """What the wallets hold, in hundredths; all accounts together hold nothing."""
    assert sum(Account.objects.values_list("balance", flat=True)) == 0
    assert faults() == []
    return tuple(map(balance_of, users))


@pytest.mark.parametrize("units", [15, 11, 333])
def test_case_25_three_to_two_is_paid_to_the_hundredth(
    casino: TableClient, ann: User, stack: Stack, units: int
) -> None:
    stack("As 9h Kd 7c")
    casino.sit(ann, 1)
    casino.bet(ann, units * 100)
    assert money_of(casino, ann) == (START + units * 150,)


def test_case_25_half_a_stake_insures_and_half_is_given_back(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts Ah 9d Kc", "Ts 9h 6d Kc")
    vegas.sit(ann, 1)
    vegas.bet(ann, 2_500)
    vegas.act(ann, "insure")
    (hand,) = list_hands()
    assert (hand.insurance_stake, hand.insurance_payout) == (1_250, 3_750)
    assert money_of(vegas, ann) == (START,)
    other = new_table("vegas")
    other.sit(ann, 1)
    other.bet(ann, 2_500)
    other.act(ann, "surrender")
    assert money_of(other, ann) == (START - 1_250,)


def test_case_25_what_is_less_than_a_hundredth_stays_with_the_house() -> None:
    """No table takes such a stake; the one rule is written in ``payout``."""
    casino = customize("casino", {})
    assert casino.natural_pays == Fraction(3, 2)
    assert payout(casino, Outcome.BLACKJACK, 25) == 25 + 37
    assert payout(casino, Outcome.SURRENDER, 25) == 12
    assert payout(customize("casino", {"natural_pays": "6:5"}), Outcome.BLACKJACK, 7) == 7 + 8


# Many from one place


def test_case_26_of_a_hundred_new_guests_of_one_address_thirty_come_in(db: None) -> None:
    cache.clear()
    codes = [Client().post(reverse("guest")).status_code for _ in range(100)]
    assert codes == [302] * 30 + [429] * 70
    assert User.objects.filter(is_guest=True).count() == 30
    cache.clear()
