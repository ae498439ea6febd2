"""Players report people and chat lines of a table; operators look into it and answer."""

from __future__ import annotations

import datetime as dt
import json
import re
import uuid
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.models import Act, AlertKind, User
from tables import access
from tables.game import account_deletion
from tables.models import Alert, ChatLine, Report, Table
from tables.operators.alerts import check, overview
from tables.operators.rounds import reports as rounds_reports
from tests.game.test_host_commands import made_by
from tests.helpers.table_client import TableClient, new_player
from tests.operators.test_rounds import as_, read_page
from tests.social.test_chat import get_frame as line_of
from tests.social.test_chat import say

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def send(user: User, at: TableClient, **typed: Any) -> tuple[bool, str]:
    data = {"reason": "insult", "text": "", **typed}
    answer = as_(user).post(
        f"/tables/{at.table_id}/report/", data, headers={"X-Requested-With": "fetch"}
    )
    assert answer.status_code == 200
    body = json.loads(answer.content)
    return body["isDone"], body["says"]


@pytest.fixture
def line(casino: TableClient, ben: User) -> ChatLine:
    casino.sit(ben, 2)
    return ChatLine.objects.get(pk=line_of(say(casino, ben, "You play like a fool.")).line.line)


# The player


def test_a_line_is_reported_once_with_what_it_said(
    casino: TableClient, ann: User, ben: User, line: ChatLine
) -> None:
    is_done, says = send(ann, casino, line=line.pk, text="He always does that.")
    assert (is_done, says[:9]) == (True, "Thank you")
    ChatLine.objects.update(text="")
    report = Report.objects.get()
    assert (report.kind, report.reason, report.user, report.about) == ("line", "insult", ann, ben)
    assert (report.said, report.about_name) == ("You play like a fool.", "ben")
    assert (report.said_at, report.table_id) == (line.at, casino.table_id)
    ChatLine.objects.update(text="You play like a fool.")
    assert send(ann, casino, line=line.pk) == (True, "You have already reported this message.")
    assert Report.objects.count() == 1
    line.delete()
    assert Report.objects.get().said == "You play like a fool."


def test_a_removed_line_can_still_be_reported(
    casino: TableClient, ann: User, line: ChatLine
) -> None:
    ChatLine.objects.update(removed_at=timezone.now())
    assert send(ann, casino, line=line.pk)[0]


def test_a_person_is_reported_again_only_after_the_answer(
    casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ben, 2)
    assert send(ann, casino, player="BEN", reason="unfair")[0]
    assert "already reported this person" in send(ann, casino, player="ben")[1]
    report = Report.objects.get()
    rounds_reports.answer_report(report.pk, Operator(new_player("flo").pk), "Seen.", timezone.now())
    assert send(ann, casino, player="ben", reason="name")[0]
    assert Report.objects.filter(kind="person", about=ben).count() == 2


def test_a_guest_may_report(casino: TableClient, ben: User) -> None:
    casino.sit(ben, 2)
    guest = new_player("Gus")
    User.objects.filter(pk=guest.pk).update(is_guest=True)
    assert send(guest, casino, player="ben")[0]


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ({"player": "ann"}, "can't report yourself"),
        ({"player": "nobody"}, "Nobody of that name"),
        ({"player": "dora"}, "Nobody of that name"),  # who was never here
        ({}, "Choose a person or a message."),
        ({"line": "99999"}, "no longer exists"),
        ({"line": "x"}, "Choose a person or a message."),
        ({"player": "ben", "reason": ""}, "Choose a reason."),
        ({"player": "ben", "reason": "boredom"}, "Choose a reason."),
        ({"player": "ben", "text": "x" * 501}, "at most 500"),
    ],
)
def test_what_cannot_be_reported_is_said(
    casino: TableClient, ann: User, ben: User, dora: User, typed: dict[str, str], why: str
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    is_done, says = send(ann, casino, **typed)
    assert not is_done
    assert why in says
    assert not Report.objects.exists()


def test_ones_own_line_and_reasons_of_a_person_are_refused(
    casino: TableClient, ann: User, ben: User, line: ChatLine
) -> None:
    assert "your own message" in send(ben, casino, line=line.pk)[1]
    assert "Choose a reason." in send(ann, casino, line=line.pk, reason="unfair")[1]
    assert not Report.objects.exists()


def test_too_many_reports_at_once_are_refused_in_words(casino: TableClient, ann: User) -> None:
    people = [new_player(f"p{number}") for number in range(11)]
    for person in people:
        say(casino, person, "hello")
    answers = [send(ann, casino, player=person.username) for person in people]
    assert [is_done for is_done, _says in answers] == [True] * 10 + [False]
    assert "too many reports" in answers[-1][1]
    assert "You can send the next one in" in answers[-1][1]


def test_only_who_may_see_the_table_or_was_there(ann: User, ben: User, dora: User) -> None:
    at = made_by(ann, is_private=True)
    path = f"/tables/{at.table_id}/report/"
    assert as_(ben).post(path, {"player": "ann", "reason": "other"}).status_code == 404
    assert Client().post(path).headers["Location"].startswith("/accounts/login/")
    # Dora wrote here, and was banned then.
    ChatLine.objects.create(
        table=at.row, user=dora, command_id="12345678-1234-4234-8234-123456789012",
        at=timezone.now(), text="hello",
    )  # fmt: skip
    assert as_(dora).get(path).status_code == 302
    assert send(dora, at, player="ann")[0]


def write(at: TableClient, user: User, text: str, when: dt.datetime) -> ChatLine:
    return ChatLine.objects.create(
        table=at.row, user=user, command_id=uuid.uuid4(), at=when, text=text
    )


def test_who_was_banned_reports_no_later_line_of_a_private_table(ann: User, dora: User) -> None:
    """A report shows its line, so it must show nothing that the player could not read."""
    at, now = made_by(ann, is_private=True), timezone.now()
    write(at, dora, "hello", now - dt.timedelta(minutes=3))
    before = write(at, ann, "You fool.", now - dt.timedelta(minutes=2))
    at.row.removals.create(user=dora, at=now - dt.timedelta(minutes=1), is_ban=True)
    later = write(at, ann, "A secret.", now)
    assert send(dora, at, line=later.pk) == (False, "That message no longer exists.")
    assert "secret" not in read_page(as_(dora), "/account/reports/")
    assert send(dora, at, line=before.pk)[0]
    at.row.removals.all().delete()  # and without the ban: the invite was renewed
    assert not send(dora, at, line=later.pk)[0]


def test_a_line_of_a_closed_private_table_is_reported_by_who_was_in(ann: User, ben: User) -> None:
    at, now = made_by(ann, is_private=True), timezone.now()
    access.grant_access(at.row, ben.pk)
    write(at, ben, "hello", now)
    line = write(at, ann, "You fool.", now)
    Table.objects.filter(pk=at.table_id).update(closed_at=now)
    assert send(ben, at, line=line.pk)[0]


def test_a_line_that_was_removed_long_ago_is_reported_by_nobody(
    casino: TableClient, ann: User, line: ChatLine
) -> None:
    ChatLine.objects.update(removed_at=timezone.now() - dt.timedelta(minutes=11))
    assert send(ann, casino, line=line.pk) == (False, "That message no longer exists.")
    assert not Report.objects.exists()


def test_many_accounts_at_one_address_report_so_much_together(
    casino: TableClient, ben: User
) -> None:
    casino.sit(ben, 2)
    people = [new_player(f"p{number}") for number in range(31)]
    answers = [send(person, casino, player="ben") for person in people]
    assert [is_done for is_done, _says in answers] == [True] * 30 + [False]


def test_it_takes_a_token_of_our_own_page(casino: TableClient, ann: User, line: ChatLine) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    path = f"/tables/{casino.table_id}/report/"
    assert client.post(path, {"line": line.pk, "reason": "spam"}).status_code == 403


def test_the_answer_is_in_the_account_and_the_reported_learns_nothing(
    casino: TableClient, ann: User, ben: User, line: ChatLine
) -> None:
    send(ann, casino, line=line.pk, text="Please look.")
    page = read_page(as_(ann), "/account/reports/")
    assert "Please look." in page
    assert "You play like a fool." not in page, "who came later would read by reporting"
    assert "The answer will appear here." in page
    flo = new_player("flo")
    rounds_reports.answer_report(
        Report.objects.get().pk, Operator(flo.pk), "He is muted.", timezone.now()
    )
    User.objects.filter(pk=ben.pk).update(username="Benno", folded="benno")
    page = read_page(as_(ann), "/account/reports/")
    assert "He is muted." in page
    assert "ben" in page
    assert "Benno" not in page, "a new name is not given away"
    assert not re.search(r"\bflo\b", page)
    assert "You have reported nothing." in read_page(as_(ben), "/account/reports/")
    assert "/account/reports/" in read_page(as_(ann), "/account/")


def test_a_deleted_account_leaves_neither_name_nor_words(
    casino: TableClient, ann: User, ben: User, line: ChatLine
) -> None:
    send(ann, casino, line=line.pk)
    casino.leave(ben)
    account_deletion.delete_account(ben.pk, timezone.now())
    report = Report.objects.get()
    assert (report.about_name, report.said) == ("", "")
    page = read_page(as_(ann), "/account/reports/")
    assert "A player who has deleted the account" in page
    assert "fool" not in page


# The operators


@pytest.fixture
def flo(operator: Any) -> User:
    user: User = operator("floor", "flo")
    return user


def test_operators_see_the_lines_around_and_former_reports(
    casino: TableClient, ann: User, ben: User, dora: User, line: ChatLine, flo: User
) -> None:
    for number in range(15):
        casino.later(3)
        say(casino, dora, f"after {number}")
    send(dora, casino, player="ben", reason="unfair", text="He looks at my cards.")
    send(ann, casino, line=line.pk, text="Please look.")
    page = read_page(as_(flo), "/admin/reports/")
    assert page.index("He looks at my cards.") < page.index("Please look.")
    assert "A message from ben at" in page
    one = Report.objects.get(kind="line")
    page = read_page(as_(flo), f"/admin/reports/{one.pk}/")
    assert "after 9" in page
    assert "after 10" not in page
    assert "He looks at my cards." in page, "a former report"
    assert f"/admin/players/{ben.pk}/silence/?report={one.pk}" in page
    assert "/freeze/" not in page, "the floor may not freeze"


@pytest.mark.django_db(transaction=True)
def test_a_line_is_removed_from_its_report(
    stopped_writer: None,
    casino: TableClient,
    ann: User,
    ben: User,
    line: ChatLine,
    flo: User,
    operator: Any,
) -> None:
    send(ann, casino, line=line.pk)
    path = f"/admin/reports/{Report.objects.get().pk}/"
    remove = f'name="line" value="{line.pk}"'
    assert remove not in read_page(as_(operator("cashier")), path, 403)
    client = as_(flo)
    assert remove in read_page(client, path)
    data = {"line": line.pk, "report": Report.objects.get().pk}
    answer = client.post(f"/admin/floor/tables/{casino.table_id}/unsay/", data, follow=True)
    assert answer.redirect_chain[-1][0] == path
    page = answer.content.decode()
    assert "The message was removed." in page
    assert remove not in page
    assert ChatLine.objects.get(pk=line.pk).removed_by == flo


def test_an_answer_is_recorded_about_the_player(
    casino: TableClient, ann: User, ben: User, line: ChatLine, flo: User
) -> None:
    send(ann, casino, line=line.pk)
    report = Report.objects.get()
    path = f"/admin/reports/{report.pk}/answer/"
    page = as_(flo).post(path, {"text": "Thank you."}, follow=True).content.decode()
    assert "ann reads it under “Your reports”." in page
    act = Act.objects.get()
    assert (act.what, act.subject) == ("answer", f"user:{ben.pk}")
    assert "ann" not in str(act.after)


def test_nobody_answers_a_report_that_concerns_them(
    casino: TableClient, ann: User, flo: User
) -> None:
    say(casino, flo, "hello")
    send(ann, casino, player="flo")
    with pytest.raises(OperationRefused, match="concerns you"):
        rounds_reports.answer_report(
            Report.objects.get().pk, Operator(flo.pk), "No.", timezone.now()
        )


def test_an_operator_reads_no_report_about_the_operator(
    casino: TableClient, ann: User, ben: User, operator: Any
) -> None:
    """Not on any page: the reporter's name is for the other operators."""
    max_, mia = operator("manager", "max"), operator("manager", "mia")
    say(casino, max_, "hello")
    say(casino, ben, "hello")
    send(ann, casino, player="max", text="He looks at my cards.")
    send(ann, casino, player="ben", text="He shouts.")
    report = Report.objects.get(about=max_)
    check.check(timezone.now(), [AlertKind.REPORT])
    assert "ann" not in Alert.objects.get(subject=f"report:{report.pk}").text
    paths = [
        "/admin/reports/", f"/admin/players/{ann.pk}/", f"/admin/players/{max_.pk}/",
        "/admin/tables/report/", "/admin/reports/?kind=person",
    ]  # fmt: skip
    for path in paths:
        assert "He looks at my cards." in read_page(as_(mia), path), path
        assert "He looks at my cards." not in read_page(as_(max_), path), path
    files = [
        b"".join(as_(one).get("/admin/reports/?as=csv").streaming_content) for one in (mia, max_)
    ]
    assert [b"He looks at my cards." in file for file in files] == [True, False]
    assert b"He shouts." in files[1]
    for path in (f"/admin/reports/{report.pk}/", f"/admin/reports/{report.pk}/answer/"):
        read_page(as_(mia), path)
        read_page(as_(max_), path, 404)
    assert "2 reports to answer" in read_page(as_(mia), "/admin/")
    assert "1 report to answer" in read_page(as_(max_), "/admin/")
    assert [overview.count_waiting(one) for one in (mia, max_)] == [2, 1]


def test_a_silence_from_the_report_leads_back_to_it(
    casino: TableClient, ann: User, ben: User, line: ChatLine, flo: User
) -> None:
    send(ann, casino, line=line.pk)
    report = Report.objects.get()
    path = f"/admin/players/{ben.pk}/silence/?report={report.pk}"
    answer = as_(flo).post(path, {"reason": "Insults", "lasts": "1h"})
    assert answer.headers["Location"] == f"/admin/reports/{report.pk}/"
    until = User.objects.get(pk=ben.pk).silenced_until
    assert until is not None
    assert until - timezone.now() < dt.timedelta(hours=1, seconds=1)


def test_the_players_page_lists_reports_of_both_directions(
    casino: TableClient, ann: User, ben: User, line: ChatLine, flo: User
) -> None:
    send(ann, casino, line=line.pk, text="Please look.")
    assert "Please look." in read_page(as_(flo), f"/admin/players/{ann.pk}/")
    page = read_page(as_(flo), f"/admin/players/{ben.pk}/")
    assert page.index("Reports about this player") < page.index("Please look.")
