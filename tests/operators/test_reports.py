"""Rounds that look wrong to who played them: said, read by operators, and answered."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.models import Act, User
from tables import access
from tables.models import Report, Round
from tables.operators.rounds import reports as rounds_reports
from tables.operators.rounds.reports import ReportFilters
from tables.social import reports
from tests.game.test_host_commands import made_by
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient, new_player
from tests.operators.test_rounds import as_, read_page

pytestmark = pytest.mark.django_db

Operators = Callable[..., User]
Stack = Callable[..., None]
WORDS = "The card came <i>twice</i>."


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def floor(operator: Operators) -> User:
    """Who answers."""
    return operator("floor", "flo")


@pytest.fixture
def round_(casino: TableClient, ann: User, stack: Stack) -> Round:
    stack("As 9h Kd 7c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    return Round.objects.get()


def tell(client: Client, round_: Round, text: str = WORDS) -> int:
    return client.post(f"/rounds/{round_.pk}/report/", {"text": text}).status_code


def answer(report: Report, by: User, text: str = "It was one card.") -> Report:
    return rounds_reports.answer_report(report.pk, Operator(by.pk), text, timezone.now())


# The player


def test_who_played_a_round_says_that_it_looks_wrong(round_: Round, ann: User) -> None:
    client, path = as_(ann), f"/rounds/{round_.pk}/"
    assert "Report this round" in read_page(client, path)
    assert tell(client, round_) == 302
    report = Report.objects.get()
    assert (report.round, report.user, report.text, report.answer) == (round_, ann, WORDS, "")
    text = read_page(client, path)
    assert "Report this round" not in text
    assert "The card came &lt;i&gt;twice&lt;/i&gt;." in text
    assert "The answer will appear here." in text


def test_words_are_not_needed(round_: Round, ann: User) -> None:
    assert tell(as_(ann), round_, "") == 302
    assert Report.objects.get().text == ""


@pytest.mark.parametrize(("text", "why"), [("a" * 501, "at most 500"), ("a\0b", "Null")])
def test_what_cannot_be_kept_is_said_on_the_page(
    round_: Round, ann: User, text: str, why: str
) -> None:
    page = as_(ann).post(f"/rounds/{round_.pk}/report/", {"text": text})
    assert why in page.content.decode()
    assert not Report.objects.exists()


def test_what_was_said_first_stands(round_: Round, ann: User) -> None:
    assert tell(as_(ann), round_) == tell(as_(ann), round_, "Something else.") == 302
    assert Report.objects.get().text == WORDS


def test_each_player_of_a_round_may_say_something(
    casino: TableClient, round_: Round, ann: User, ben: User
) -> None:
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    while casino.view.asked is not None:
        casino.time_is_up()
    both = Round.objects.latest("pk")
    assert tell(as_(ann), both, "One.") == tell(as_(ben), both, "Two.") == 302
    assert set(Report.objects.values_list("user", "text")) == {(ann.pk, "One."), (ben.pk, "Two.")}
    assert "Two." not in read_page(as_(ann), f"/rounds/{both.pk}/")


def test_nobody_else_is_asked_or_heard(round_: Round, ben: User) -> None:
    path = f"/rounds/{round_.pk}/"
    assert "Report this round" not in read_page(as_(ben), path)
    assert "Report this round" not in read_page(Client(), path)
    assert tell(as_(ben), round_) == 404
    assert Client().post(f"{path}report/").headers["Location"].startswith("/accounts/login/")
    assert not Report.objects.exists()


def test_a_round_in_play_is_not_reported(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("Ts 9h 6d Kd 5c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    assert tell(as_(ann), Round.objects.get()) == 404


def test_a_round_of_a_private_table_is_reported_by_its_players(ann: User, ben: User) -> None:
    at = made_by(ann, is_private=True)
    access.grant_access(at.row, ben.pk)
    sit_down(at, ann)
    at.bet(ann, 1000)
    while at.view.asked is not None:
        at.time_is_up()
    assert tell(as_(ann), Round.objects.get()) == 302
    assert tell(as_(new_player("eve")), Round.objects.get()) == 404


def test_a_get_leads_to_the_round(round_: Round, ann: User) -> None:
    location = as_(ann).get(f"/rounds/{round_.pk}/report/").headers["Location"]
    assert location == f"/rounds/{round_.pk}/"


def test_it_takes_a_token_of_our_own_page(round_: Round, ann: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    assert tell(client, round_) == 403


def test_who_reports_too_much_is_asked_for_patience(round_: Round, ann: User) -> None:
    client = as_(ann)
    assert [tell(client, round_) for _ in range(21)] == [302] * 20 + [429]


# The operators


def test_reports_wait_with_the_oldest_first(
    casino: TableClient, round_: Round, ann: User, floor: User, operator: Operators
) -> None:
    casino.bet(ann, 1000)
    second = Round.objects.latest("pk")
    reports.create_report(second, ann, "The second.", timezone.now())
    reports.create_report(round_, ann, "", timezone.now())
    text = read_page(as_(floor), "/admin/reports/")
    assert text.index("The second.") < text.index("No comment.")
    assert text.count(">Answer<") == 2
    assert f"/admin/rounds/{second.pk}/" in text


def test_the_answer_stands_on_the_players_page(round_: Round, ann: User, floor: User) -> None:
    reports.create_report(round_, ann, WORDS, timezone.now())
    path = f"/admin/reports/{Report.objects.get().pk}/answer/"
    assert "&lt;i&gt;twice" in read_page(as_(floor), path)
    page = as_(floor).post(path, {"text": "It was <b>one</b> card."}, follow=True)
    assert "The answer is now on the round&#x27;s page." in page.content.decode()
    report = Report.objects.get()
    assert (report.answer, report.answered_by) == ("It was <b>one</b> card.", floor)
    assert "It was &lt;b&gt;one&lt;/b&gt; card." in read_page(as_(ann), f"/rounds/{round_.pk}/")
    assert "Your report has been answered" in read_page(as_(ann), "/history/")
    act = Act.objects.get()
    assert (act.what, act.by, act.subject) == ("answer", floor, f"round:{round_.pk}")
    assert act.after == {"report": report.pk, "answer": "It was <b>one</b> card."}
    assert "No open reports." in read_page(as_(floor), "/admin/reports/")
    assert "one" in read_page(as_(floor), "/admin/reports/?answered=on")


def test_nobody_is_told_who_of_the_house_answered(round_: Round, ann: User, floor: User) -> None:
    reports.create_report(round_, ann, WORDS, timezone.now())
    answer(Report.objects.get(), floor)
    assert not re.search(r"\bflo\b", read_page(as_(ann), f"/rounds/{round_.pk}/"))


@pytest.mark.parametrize("text", ["", " ", "a" * 501, "a\0b"])
def test_an_answer_needs_words_that_can_be_kept(
    round_: Round, ann: User, floor: User, text: str
) -> None:
    reports.create_report(round_, ann, WORDS, timezone.now())
    path = f"/admin/reports/{Report.objects.get().pk}/answer/"
    assert as_(floor).post(path, {"text": text}).status_code == 200
    assert Report.objects.get().answered_at is None
    assert not Act.objects.exists()


def test_the_second_who_answers_is_told(
    round_: Round, ann: User, floor: User, operator: Operators
) -> None:
    reports.create_report(round_, ann, WORDS, timezone.now())
    answer(Report.objects.get(), floor)
    with pytest.raises(OperationRefused, match="flo has already answered"):
        answer(Report.objects.get(), operator("manager"), "Another.")
    path = f"/admin/reports/{Report.objects.get().pk}/answer/"
    page = as_(operator("floor", "fred")).post(path, {"text": "A third."}, follow=True)
    assert "flo has already answered" in page.content.decode()
    assert Report.objects.get().answer == "It was one card."
    assert Act.objects.count() == 1


def test_nobody_answers_about_a_round_they_played(casino: TableClient, floor: User) -> None:
    casino.sit(floor, 1)
    casino.bet(floor, 1000)
    while casino.view.asked is not None:
        casino.time_is_up()
    reports.create_report(Round.objects.latest("pk"), floor, WORDS, timezone.now())
    with pytest.raises(OperationRefused, match="You played this round"):
        answer(Report.objects.get(), floor)


def test_a_page_of_reports_ends_where_the_next_begins(
    casino: TableClient, ann: User, floor: User
) -> None:
    sit_down(casino, ann)
    for number in range(5):
        casino.bet(ann, 1000)
        while casino.view.asked is not None:
            casino.time_is_up()
        last = Round.objects.latest("pk")
        reports.create_report(last, ann, f"number {number}", timezone.now())

    def walk(*, is_open: bool) -> list[str]:
        texts: list[str] = []
        before = None
        while True:
            filters = ReportFilters(is_open=is_open)
            rows, before = rounds_reports.list_reports(filters, floor.pk, before=before, size=2)
            assert len(rows) <= 2
            texts += [report.text for report in rows]
            if before is None:
                return texts

    expected = [f"number {number}" for number in range(5)]
    assert walk(is_open=True) == expected
    for report in Report.objects.all():
        answer(report, floor)
    assert walk(is_open=False) == expected[::-1]
    assert walk(is_open=True) == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_those_that_wait_are_found_by_their_own_index(round_: Round, floor: User) -> None:
    with CaptureQueriesContext(connection) as captured:
        rounds_reports.list_reports(ReportFilters(), floor.pk)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {captured.captured_queries[0]['sql']}")
        steps = " ".join(step for *_, step in cursor.fetchall())
    assert "reports_that_wait" in steps
    assert "TEMP B-TREE" not in steps


@pytest.mark.parametrize("query", ["before=x", "before=99999999999999999999", "answered=%00"])
def test_what_cannot_be_read_of_an_address_is_no_fault(floor: User, query: str) -> None:
    read_page(as_(floor), f"/admin/reports/?{query}")
    read_page(as_(floor), "/admin/reports/99999999999999999999999/answer/", 404)
