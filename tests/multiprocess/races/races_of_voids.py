"""Voids by several operators at once, and while the players play on."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from random import Random
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.models import Act, HouseSettings, Transfer, User, WalletEntry
from tables.game import account_deletion
from tables.game.account_deletion import StillPlaying
from tables.models import ChatLine, Report, Round, Tally, Void
from tables.operators.rounds import reports as rounds_reports
from tables.operators.rounds import voids
from tables.operators.rounds.voids import CannotVoid
from tables.results import projector
from tables.social import reports
from tests.helpers.recomputed_stats import reckoned
from tests.helpers.rounds import new_table, play_round, sit_down
from tests.helpers.table_client import TableClient, balance_of, code, new_player
from tests.multiprocess.parallel import at_once
from tests.results.test_results import LOST, WON, assert_all_is_written

pytestmark = pytest.mark.django_db(transaction=True)

Stack = Callable[..., None]
START = 50_000
MANY = 6


@pytest.fixture
def operators(db: None) -> list[Operator]:
    return [Operator(new_player(f"operator{number}").pk) for number in range(MANY)]


def void(round_: Round, by: Operator) -> str:
    try:
        return voids.request_void(round_.pk, by, "A race.", timezone.now()).value.status
    except CannotVoid:
        return "refused"


def decide(pk: int, by: Operator, *, approves: bool) -> str:
    try:
        if approves:
            return voids.approve_void(pk, by, timezone.now()).value.status
        return voids.refuse_void(pk, by, "A race.", timezone.now()).value.status
    except CannotVoid:
        return "too late"


def withdraw(pk: int, by: Operator) -> str:
    try:
        return voids.withdraw_void(pk, by, "A race.", timezone.now()).value.status
    except CannotVoid:
        return "too late"


def won(at: TableClient, user: User, stake: int, actions: tuple[str, ...] = ()) -> Round:
    sit_down(at, user)
    assert code(at.bet(user, stake)) == "done"
    for action in actions:
        at.act(user, action)
    return Round.objects.latest("pk")


def test_of_many_operators_one_voids_a_round(
    casino: TableClient, ann: User, operators: list[Operator], stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    round_ = won(casino, ann, 1000)
    answers = at_once([lambda by=by: void(round_, by) for by in operators])
    assert Counter(answers) == {"done": 1, "refused": MANY - 1}
    assert balance_of(ann) == START
    assert WalletEntry.objects.filter(kind="reversal").count() == 2
    assert (Void.objects.count(), Act.objects.count()) == (1, 1)
    call_command("audit")


def test_of_many_operators_one_asks_and_one_decides(
    casino: TableClient, ann: User, operators: list[Operator], stack: Stack
) -> None:
    HouseSettings.objects.update(void_limit=0)
    stack("As 9h Kd 7c")
    round_ = won(casino, ann, 1000)
    answers = at_once([lambda by=by: void(round_, by) for by in operators])
    assert Counter(answers) == {"waiting": 1, "refused": MANY - 1}
    request = Void.objects.get()
    answers = at_once(
        [
            lambda by=by, n=n: decide(request.pk, by, approves=n % 2 == 0)
            for n, by in enumerate(operators)
            if by.user_id != request.asked_by_id
        ]
    )
    assert Counter(answers)["too late"] == MANY - 2
    request.refresh_from_db()
    assert balance_of(ann) == (START if request.status == "done" else START + 1500)
    assert Act.objects.count() == 2
    call_command("audit")


@pytest.mark.parametrize("attempt", range(4))
def test_a_request_that_is_taken_back_approved_and_refused_at_once_ends_once(
    attempt: int, casino: TableClient, ann: User, operators: list[Operator], stack: Stack
) -> None:
    HouseSettings.objects.update(void_limit=0)
    stack("As 9h Kd 7c")
    round_ = won(casino, ann, 1000)
    void(round_, operators[0])
    request = Void.objects.get()
    answers = at_once(
        [lambda: withdraw(request.pk, operators[0])] * 2
        + [lambda: decide(request.pk, operators[1], approves=True)] * 2
        + [lambda: decide(request.pk, operators[2], approves=False)]
    )
    request.refresh_from_db()
    assert Counter(answers) == {request.status: 1, "too late": 4}
    assert request.decided_by_id is not None
    assert balance_of(ann) == (START if request.status == "done" else START + 1500)
    assert Act.objects.count() == 2
    again = void(round_, operators[3])
    assert again == ("refused" if request.status == "done" else "waiting")
    call_command("audit")


@pytest.mark.parametrize("attempt", range(4))
def test_a_void_and_a_bet_that_empties_the_wallet(
    attempt: int, casino: TableClient, ann: User, operators: list[Operator], stack: Stack
) -> None:
    """Whichever comes first: the bank covers what the bet took, or the bet is not afforded."""
    stack("As 9h Kd 7c")
    round_ = won(casino, ann, 1000)
    other = new_table("casino")
    other.sit(ann, 1)
    other.sit(new_player("ben"), 2)
    everything, turn = balance_of(ann), other.row.turn
    voided, bet = at_once(
        [lambda: void(round_, operators[0]), lambda: code(other.bet(ann, everything, turn))]
    )
    assert voided == "done"
    assert bet in ("done", "cannot_afford")
    covered = sum(Transfer.objects.filter(kind="adjustment").values_list("amount", flat=True))
    assert (balance_of(ann), covered) == ((0, 1500) if bet == "done" else (START, 0))
    call_command("audit")


@pytest.mark.parametrize("attempt", range(4))
def test_a_void_and_the_players_deleting_of_the_account(
    attempt: int, casino: TableClient, ann: User, operators: list[Operator], stack: Stack
) -> None:
    stack(LOST)
    round_ = won(casino, ann, 1000, ("stand",))
    now = timezone.now()

    def delete() -> str:
        try:
            account_deletion.delete_account(ann.pk, now)
        except StillPlaying:
            return "playing"
        return "deleted"

    answers = at_once([lambda: void(round_, operators[0]), delete])
    assert answers == ["done", "deleted"]
    assert balance_of(ann) == 0
    call_command("audit")


def test_voids_at_many_tables_while_the_same_people_play_on(
    ann: User, ben: User, operators: list[Operator]
) -> None:
    """Every table has its own rounds voided; results and figures of both come out right.

    Each table has a time of its own here, and streaks go by the order of the times.
    """
    HouseSettings.objects.update(void_limit=10**9)
    tables = [new_table("casino") for _ in range(4)]
    for at in tables:
        sit_down(at, ann, ben)
        for _ in range(4):
            play_round(at, [ann, ben], Random(at.table_id))

    def keep_on(at: TableClient) -> None:
        chance = Random(at.table_id)
        for number in range(4):
            mine = Round.objects.filter(table=at.table_id, voided_at=None, dealt_at__isnull=False)
            void(mine.exclude(finished_at=None).earliest("pk"), operators[number])
            play_round(at, [ann, ben], chance)

    at_once([lambda at=at: keep_on(at) for at in tables])
    assert Round.objects.exclude(voided_at=None).count() == 16
    assert_all_is_written(reckoned())
    call_command("audit")


@pytest.mark.parametrize("attempt", range(4))
def test_a_void_of_yesterday_and_the_first_round_of_today(
    attempt: int, casino: TableClient, ann: User, operators: list[Operator], stack: Stack
) -> None:
    """The streak that the new day begins with is the one that the void leaves."""
    stack(WON, WON)
    round_ = won(casino, ann, 1000, ("stand",))
    casino.leave(ann)
    other = new_table("casino")
    other.now = casino.now + dt.timedelta(days=1)
    other.sit(ann, 1)
    other.bet(ann, 1000)
    at_once([lambda: void(round_, operators[0]), lambda: other.act(ann, "stand")])
    projector.catch_up()
    day = Tally.objects.get(user=ann, rules_key="")
    assert (day.streak, day.longest_streak) == (1, 1)
    assert_all_is_written(reckoned())


def test_of_many_operators_one_answers_a_report(
    casino: TableClient, ann: User, operators: list[Operator], stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    round_ = won(casino, ann, 1000)
    at_once([lambda: reports.create_report(round_, ann, "Wrong.", timezone.now())] * MANY)
    report = Report.objects.get()

    def answer(by: Operator) -> str:
        try:
            return rounds_reports.answer_report(report.pk, by, "Correct.", timezone.now()).answer
        except OperationRefused:
            return "too late"

    answers = at_once([lambda by=by: answer(by) for by in operators])
    assert Counter(answers) == {"Correct.": 1, "too late": MANY - 1}
    assert Act.objects.count() == 1


def test_of_many_reports_of_one_line_one_is_kept_and_one_operator_answers_it(
    casino: TableClient, ann: User, ben: User, operators: list[Operator]
) -> None:
    line = ChatLine.objects.create(
        table=casino.row, user=ben, command_id=uuid4(), at=timezone.now(), text="Fool."
    )

    def tell() -> bool:
        now = timezone.now()
        return reports.report_line(casino.row, ann, line.pk, "insult", "", now)

    assert Counter(at_once([tell] * MANY)) == {True: 1, False: MANY - 1}

    def tell_of_person() -> bool:
        return reports.report_person(casino.row, ann, "ben", "unfair", "", timezone.now())

    assert Counter(at_once([tell_of_person] * MANY)) == {True: 1, False: MANY - 1}
    report = Report.objects.get(kind="line")

    def answer(by: Operator) -> str:
        try:
            return rounds_reports.answer_report(report.pk, by, "Seen.", timezone.now()).answer
        except OperationRefused:
            return "too late"

    answers = at_once([lambda by=by: answer(by) for by in operators])
    assert Counter(answers) == {"Seen.": 1, "too late": MANY - 1}
    assert Act.objects.count() == 1
