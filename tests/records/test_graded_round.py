"""The page of a round shows the cost of decisions to who made them, and to nobody else."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import translation

from accounts.models import User
from tables.models import Grade, Result, Round
from tables.realtime import grading_worker
from tables.records import round_page, share_links
from tables.records.skill import graded_round
from tables.records.skill.graded_round import GradeView
from tables.results import projector
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]


@pytest.fixture
def played(ann: User, ben: User, stack: Stack) -> Round:
    """Ann hits 15 against a 10 and stands; ben stands on 11, which costs something."""
    stack("Ts 5s 5h 6h Kc 7d 6d Qs")
    at = new_table("pot")
    sit_down(at, ann, ben)
    at.bet(ann, 1000)
    at.bet(ben, 1000)
    at.act(ann, "hit")
    at.act(ann, "stand")
    at.act(ben, "stand")
    return Round.objects.get()


def grade_all() -> None:
    projector.catch_up()
    while grading_worker.grade_batch():
        pass


def grade_of(round_: Round, viewer: User | None) -> GradeView | None:
    return round_page.build_round_page(round_, viewer.pk if viewer else None).grade


def page(round_: Round, user: User | None = None, by: User | None = None) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    token = {"by": share_links.create_share_token(round_.pk, by.pk)} if by else {}
    text = client.get(f"/rounds/{round_.pk}/", token).content.decode()
    return " ".join(re.sub(r"<[^>]*>", " ", text[text.index("<main") :]).split())


def test_each_decision_says_what_it_cost(played: Round, ann: User, ben: User) -> None:
    assert grade_of(played, ben) == GradeView(is_waiting=True)
    grade_all()
    view = grade_of(played, ben)
    assert view is not None
    (decision,) = view.decisions
    grade = Grade.objects.get(user=ben)
    assert grade.mistakes == 1
    money = graded_round.format_money(grade.money_cost)
    cost = graded_round.format_share(grade.cost)
    assert decision.sentence == f"Standing on 11 against a 10 cost {cost} bets: {money}."
    assert decision.cost == graded_round.format_money(-grade.money_cost)
    assert [(one.name, one.is_best, one.is_done) for one in decision.options] == [
        ("Hit", True, False),
        ("Stand", False, True),
    ]
    right = grade_of(played, ann)
    assert right is not None
    assert [one.sentence for one in right.decisions] == [
        "Hitting 15 against a 10 cost 0.052 bets: 0.52.",
        "Standing on 21 against a 10 was right.",
    ]


def test_the_steps_of_the_replay_have_their_decisions(played: Round, ann: User) -> None:
    grade_all()
    replay_page = round_page.build_round_page(played, ann.pk)
    steps = [step for moment in replay_page.moments for step in moment.steps]
    assert [step.sentence for step in steps if step.graded] == [
        "You hit and get the six of diamonds: 21.",
        "You stand on 21.",
    ]
    assert all(step.graded is None or step.graded.step == step.number for step in steps)


def test_nobody_else_is_shown_a_cost(played: Round, ann: User, ben: User, dora: User) -> None:
    grade_all()
    assert "Standing on 11 against a 10 cost" in page(played, ben)
    assert "Luck and skill" in page(played, ben)
    for viewer, sharer in ((ann, None), (dora, None), (None, None), (None, ben), (ann, ben)):
        text = page(played, viewer, sharer)
        assert "Standing on 11 against" not in text
        assert ("Luck and skill" in text) == (viewer == ann)
    assert grade_of(played, dora) is None


def test_a_page_before_the_grading_says_so(played: Round, ann: User, dora: User) -> None:
    assert grade_of(played, ann) == GradeView(is_waiting=True)  # also before it is counted
    projector.catch_up()
    assert grade_of(played, ann) == GradeView(is_waiting=True)
    assert "are being graded" in page(played, ann)
    assert grade_of(played, dora) is None
    grade_all()
    Grade.objects.update(fault="no cards")
    assert grade_of(played, ann) is None


@pytest.mark.parametrize(("cards", "is_best"), [("5s Td 6h 9c", False), ("Ts Td 9h 9c", True)])
def test_a_decision_of_the_clock_counts_and_says_so(
    casino: TableClient, ann: User, stack: Stack, cards: str, is_best: bool
) -> None:
    stack(cards)
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    casino.time_is_up()
    grade_all()
    view = grade_of(Round.objects.get(), ann)
    assert view is not None
    (decision,) = view.decisions
    assert decision.note == "Time ran out, which counts as your decision."
    assert decision.is_best == is_best
    grade = Grade.objects.get()
    assert (grade.decisions, grade.mistakes) == (1, 0 if is_best else 1)


def test_a_hand_that_stands_because_its_player_left_counts_and_an_older_grade_stays(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("5s Td 6h 9c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    casino.leave(ann)
    grade_all()
    view = grade_of(Round.objects.get(), ann)
    assert view is not None
    assert view.decisions[0].note == "You left, which counts as your decision."
    grade = Grade.objects.get()
    assert (grade.decisions, grade.mistakes) == (1, 1)
    older = grade.details.replace('"left"', '"house"')
    Grade.objects.update(details=older, decisions=0, mistakes=0, cost=0)
    view = grade_of(Round.objects.get(), ann)
    assert view is not None
    note = "The dealer decided for you, so it does not count as your mistake."
    assert view.decisions[0].note == note


def test_the_hand_of_a_split_is_named(ann: User, stack: Stack) -> None:
    at = new_table("casino")
    stack("8s 6h 8h Td 3c Td 8d 7c")
    sit_down(at, ann)
    at.bet(ann, 1000)
    for action in ("split", "double", "stand"):
        at.act(ann, action)
    grade_all()
    view = grade_of(Round.objects.get(), ann)
    assert view is not None
    assert [one.sentence for one in view.decisions] == [
        "Splitting two 8s against a 6 was right.",
        "Hand 1: Doubling 11 against a 6 was right.",
        "Hand 2: Standing on 18 against a 6 was right.",
    ]


def test_cards_that_are_face_down_in_a_pile_have_no_cost(ann: User) -> None:
    at = new_table("piles")
    sit_down(at, ann)
    at.bet(ann, 0)
    while at.view.asked is not None:
        at.act(ann, "stand")
    grade_all()
    round_ = Round.objects.get()
    assert Result.objects.get().grade.fault == ""
    assert grade_of(round_, ann) is None


def test_very_small_costs_have_more_decimals_and_their_own_separator() -> None:
    assert (graded_round.format_share(4_000), graded_round.format_share(12)) == (
        "0.004",
        "0.000012",
    )
    assert graded_round.format_share(51_600) == "0.052"
    assert graded_round.format_value(-540_000) == "\N{MINUS SIGN}0.540"
    with translation.override("de"):
        assert graded_round.format_share(4_000) == "0,004"
