"""``manage.py audit`` finds what does not add up in what operators did, and in their books."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.core.management import CommandError
from django.db import transaction
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.ledger import adjustments, daily_totals, transfers
from accounts.ledger.transfers import Play, Posting
from accounts.models import Account, Act, BookDay, Transfer, User, WalletEntry
from tables.models import Result, Round, Standing, Takings, Tally, Void
from tables.operators.rounds import voids
from tables.results import projector
from tests.audit.test_audit import audit, changeable
from tests.helpers.settled_hands import change_hands
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db(transaction=True)

FINE = "everything adds up"


@pytest.fixture
def by(operator: Callable[..., User]) -> Operator:
    return Operator(operator("manager").pk)


@pytest.fixture
def played(casino: TableClient, ann: User, stack: Callable[..., None]) -> TableClient:
    """Two settled rounds that are counted: one won with a double, one lost."""
    stack("5s Ts 6d 7h 9c", "Ts 9s 7d Th")
    casino.now -= dt.timedelta(days=3)
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.act(ann, "double")
    casino.bet(ann, 3000)
    casino.act(ann, "stand")
    projector.catch_up()
    return casino


@pytest.fixture
def voided(played: TableClient, by: Operator) -> Round:
    """The first of them, void."""
    voids.request_void(Round.objects.earliest("pk").pk, by, "The shoe was stacked.", timezone.now())
    return Round.objects.earliest("pk")


def assert_audit_finds(sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        audit()


def test_what_operators_do_adds_up(voided: Round, by: Operator, ann: User) -> None:
    now = timezone.now()
    adjusted = adjustments.adjust(by, ann.pk, 500, key=uuid4(), reason="A gift.", now=now)
    adjustments.reverse(by, adjusted.transfer_id, reason="A slip.", now=now)
    adjustments.adjust(by, ann.pk, -700, key=uuid4(), reason="A slip, too.", now=now)
    daily_totals.sum_finished_days(now)
    assert BookDay.objects.exists()
    assert FINE in audit()


def test_several_faults_are_all_said(played: TableClient, ann: User) -> None:
    Takings.objects.update(rounds=7)
    Standing.objects.filter(user=ann).update(rounds=77)
    assert_audit_finds(r"(?s)rounds 7, .*standing of user \d+: rounds 77")


# Reversals and adjustments


def test_it_finds_a_reversal_of_another_amount(voided: Round) -> None:
    with changeable("accounts_walletentry"):
        reversal = WalletEntry.objects.filter(kind="reversal").earliest("pk")
        WalletEntry.objects.filter(pk=reversal.pk).update(amount=reversal.amount + 1)
    assert_audit_finds(
        rf"transfer {reversal.pk} \(void:.*\) does not take back what transfer \d+ \(round:"
    )


def test_it_finds_a_reversal_that_went_to_somebody_else(voided: Round, ben: User) -> None:
    reversal = WalletEntry.objects.filter(kind="reversal").earliest("pk")
    with changeable("accounts_walletentry"):
        WalletEntry.objects.filter(pk=reversal.pk).update(wallet=ben.wallet, seq=99)
    assert_audit_finds(rf"transfer {reversal.pk} \(void:.*\) does not take back what")


def test_it_finds_the_reversal_of_a_reversal(voided: Round) -> None:
    one = WalletEntry.objects.filter(kind="reversal").earliest("pk")
    back_again = Play(
        Transfer.Kind.REVERSAL, one.wallet_id, -one.amount, voided.pk, "void/again", one.pk
    )
    with transaction.atomic():
        transfers.post([back_again], at=timezone.now())
    assert_audit_finds(rf"\(void:{voided.pk}/again\) reverses a reversal")


@pytest.mark.parametrize("what", ["adjust", "reverse"])
def test_it_finds_money_that_no_operator_answers_for(
    played: TableClient, by: Operator, ann: User, what: str
) -> None:
    now = timezone.now()
    adjusted = adjustments.adjust(by, ann.pk, 500, key=uuid4(), reason="A gift.", now=now)
    adjustments.reverse(by, adjusted.transfer_id, reason="A slip.", now=now)
    with changeable("accounts_act"):
        Act.objects.filter(what=what).update(after={})
    assert_audit_finds(rf"transfer \d+ \({what}:.*\) stands in no operator's trail")


def test_it_finds_an_adjustment_that_is_nobodys(played: TableClient, ann: User) -> None:
    wallet = Account.objects.get(user=ann)
    gift = Posting(Transfer.Kind.ADJUSTMENT, transfers.get_bank().pk, wallet.pk, 5, "for a friend")
    with transaction.atomic():
        transfers.post([gift], at=timezone.now())
    assert_audit_finds(r"transfer \d+ \(for a friend\) belongs to no void round")


def test_it_finds_a_void_s_fill_at_a_round_that_is_not_void(played: TableClient) -> None:
    round_ = Round.objects.latest("pk")
    fill = transfers.rack_fill(played.row.rack_id, 100, f"void:{round_.pk}/fill")
    with transaction.atomic():
        transfers.post([fill], at=timezone.now())
    assert_audit_finds(rf"transfer \d+ \(void:{round_.pk}/fill\) belongs to no void round")


# Voids


def test_it_finds_a_transfer_of_a_void_round_that_was_left(voided: Round) -> None:
    with changeable("accounts_walletentry"):
        last = WalletEntry.objects.filter(kind="reversal").latest("pk")
        WalletEntry.objects.filter(pk=last.pk).delete()
    assert_audit_finds(rf"round {voided.pk} is void, but 1 of its transfers were not reversed")


def test_it_finds_a_round_that_was_undone_and_is_not_void(voided: Round) -> None:
    Round.objects.update(voided_at=None)
    assert_audit_finds(rf"round {voided.pk} is not void, but \d+ of its transfers were reversed")


def test_it_finds_a_void_that_nobody_decided(voided: Round) -> None:
    Void.objects.update(status="waiting")
    assert_audit_finds(f"round {voided.pk} is void, but nobody decided that")


def test_it_finds_a_void_that_nobody_signed(voided: Round) -> None:
    Void.objects.update(decided_by=None)
    assert_audit_finds(f"round {voided.pk} is void, but it is not written down who decided that")


def test_it_finds_a_decision_that_was_not_carried_out(played: TableClient, by: Operator) -> None:
    round_, now = Round.objects.latest("pk"), timezone.now()
    Void.objects.create(
        round=round_, status="done", reason="x", asked_at=now, decided_at=now,
        asked_by_id=by.user_id, decided_by_id=by.user_id,
    )  # fmt: skip
    assert_audit_finds(f"round {round_.pk} was to be voided, but it is not void")


@pytest.mark.parametrize("field", [{"outcome": "win"}, {"stake": 5}, {"payout": 5}])
def test_it_finds_a_result_that_still_counts(
    voided: Round, ann: User, field: dict[str, object]
) -> None:
    Result.objects.filter(round=voided).update(**field)
    assert_audit_finds(rf"round {voided.pk} is void, but the result of user {ann.pk} still counts")


def test_it_finds_a_void_result_of_a_round_that_counts(voided: Round, ann: User) -> None:
    other = Round.objects.latest("pk")
    Result.objects.filter(round=other).update(outcome="void")
    assert_audit_finds(rf"round {other.pk} is not void, but the result of user {ann.pk} is")


def test_it_finds_hands_of_a_void_round_that_were_changed(voided: Round) -> None:
    change_hands(voided.results.all(), payout=0)
    assert_audit_finds(rf"round {voided.pk}: its hands were paid 0, the books say 4000")


# Takings


@pytest.mark.parametrize(
    "field",
    [
        "rounds", "plays", "staked", "paid", "bets", "bets_squared", "void_rounds", "void_plays",
        "void_staked", "void_paid",
    ],
)  # fmt: skip
def test_it_finds_takings_that_the_hands_do_not_make(voided: Round, field: str) -> None:
    Takings.objects.update(**{field: 77})
    assert_audit_finds(
        rf"takings of table \d+ on .* \(casino {{}}\): {field} 77, but the hands make"
    )


def test_it_finds_takings_of_another_day(played: TableClient) -> None:
    Takings.objects.update(day=dt.date(2020, 1, 1))
    assert_audit_finds(
        rf"(?s)on 2020-01-01 .*: rounds 2, .*table {played.table_id} has no takings on "
    )


# Daily totals


@pytest.mark.parametrize("field", ["count", "amount"])
def test_it_finds_a_day_of_the_books_that_is_wrong(played: TableClient, field: str) -> None:
    daily_totals.sum_finished_days(timezone.now())
    BookDay.objects.filter(kind="payout").update(**{field: 7})
    assert_audit_finds(r"the books of .* say .* for payout from rack to wallet, but there are")


def test_it_finds_a_line_of_a_day_that_is_missing(played: TableClient) -> None:
    daily_totals.sum_finished_days(timezone.now())
    BookDay.objects.filter(kind="payout").delete()
    assert_audit_finds(
        r"the books of .* say 0 transfers of 0 for payout from rack to wallet, but there are 1"
    )


def test_it_finds_a_line_of_a_day_on_which_nothing_moved(played: TableClient) -> None:
    daily_totals.sum_finished_days(timezone.now())
    BookDay.objects.filter(kind="payout").update(day=dt.date(2020, 1, 1))
    assert_audit_finds(r"the books of 2020-01-01 say .*, but there are 0 of 0")


# Frozen players


def test_figures_of_frozen_players_are_audited(played: TableClient, ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(is_active=False, frozen_at=timezone.now())
    assert FINE in audit()
    Tally.objects.filter(user=ann).update(net=77)
    assert_audit_finds(rf"tallies of user {ann.pk} of .*: net 77,")
    Tally.objects.filter(user=ann).delete()
    assert_audit_finds(rf"user {ann.pk} has no tally")


def test_standings_of_frozen_players_are_audited(played: TableClient, ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(is_active=False, frozen_at=timezone.now())
    Standing.objects.filter(user=ann).update(net=77)
    assert_audit_finds(rf"standing of user {ann.pk}: net 77,")
    Standing.objects.filter(user=ann).delete()
    assert_audit_finds(rf"user {ann.pk} has no standing, but 2 rounds")
