"""Players are told what operators have decided about their rounds."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from accounts.audit_log import Operator
from accounts.models import HouseSettings, User
from tables.models import Notice, Report, Round
from tables.operators.rounds import reports, voids
from tables.protocol.frames import Noticed
from tables.realtime import publishing
from tables.social import notices
from tables.state.effects import Effects
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

NOW = timezone.now()
Stack = Callable[..., None]


@pytest.fixture
def round_(casino: TableClient, ann: User, ben: User, stack: Stack) -> Round:
    stack("As 9h 8h Kd 7c 9c 4c")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    while casino.view.asked is not None:
        casino.act((ann, ben)[casino.view.asked.seat - 1], "stand")
    return Round.objects.get()


@pytest.fixture
def flo(operator: Callable[..., User]) -> Operator:
    return Operator(operator("floor", "flo").pk)


@pytest.fixture
def mia(operator: Callable[..., User]) -> Operator:
    return Operator(operator("manager", "mia").pk)


@pytest.fixture
def ida(operator: Callable[..., User]) -> Operator:
    return Operator(operator("manager", "ida").pk)


def report(round_: Round, user: User) -> Report:
    return Report.objects.create(round=round_, user=user, at=NOW, text="It looks wrong.")


def list_notices(user: User) -> list[str]:
    return [one.text for one in notices.list_shown(user.pk, timezone.now())]


def page(user: User, path: str) -> str:
    client = Client()
    client.force_login(user)
    return client.get(path).content.decode()


def test_who_reported_a_round_is_told_that_it_was_answered(
    round_: Round, ann: User, ben: User, flo: Operator
) -> None:
    reports.answer_report(report(round_, ann).pk, flo, "It was one card.", NOW)
    assert notices.count_new(ann.pk) == 1
    assert notices.count_new(ben.pk) == 0
    text = page(ann, "/friends/")
    assert "An operator has answered your report about a round at" in text
    assert f'href="/rounds/{round_.pk}/"' in text
    assert "Go to the round" in text
    assert not re.search(r"\bflo\b", text)


def test_open_pages_get_it_at_once(
    round_: Round, ann: User, flo: Operator, monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:  # fmt: skip
    published: list[Effects[None]] = []
    monkeypatch.setattr(publishing, "publish_threadsafe", published.append)
    row = report(round_, ann)
    with django_capture_on_commit_callbacks(execute=True):
        reports.answer_report(row.pk, flo, "It was one card.", NOW)
    ((topic, frame),) = published[0].frames
    assert topic == f"user.{ann.pk}"
    assert isinstance(frame, Noticed)
    assert frame.count == 1
    assert frame.notice is not None
    assert (frame.notice.kind, frame.notice.player) == ("answered", None)
    assert (frame.notice.table, frame.notice.url) == ("Casino", f"/rounds/{round_.pk}/")


def test_reading_the_round_is_reading_the_notice(round_: Round, ann: User, flo: Operator) -> None:
    reports.answer_report(report(round_, ann).pk, flo, "It was one card.", NOW)
    assert 'id="bell-count">1<' in page(ann, "/")
    assert 'id="bell-count">0<' in page(ann, f"/rounds/{round_.pk}/")
    assert notices.count_new(ann.pk) == 0
    assert len(list_notices(ann)) == 1  # it stays on the list


def test_a_prefetch_reads_nothing(round_: Round, ann: User, flo: Operator) -> None:
    reports.answer_report(report(round_, ann).pk, flo, "It was one card.", NOW)
    client = Client(headers={"sec-purpose": "prefetch"})
    client.force_login(ann)
    client.get(f"/rounds/{round_.pk}/")
    assert notices.count_new(ann.pk) == 1


def test_the_page_of_another_round_reads_nothing(
    round_: Round, casino: TableClient, ann: User, ben: User, flo: Operator
) -> None:
    reports.answer_report(report(round_, ann).pk, flo, "It was one card.", NOW)
    casino.later(1)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    while casino.view.asked is not None:
        casino.act((ann, ben)[casino.view.asked.seat - 1], "stand")
    page(ann, f"/rounds/{Round.objects.latest('pk').pk}/")
    assert notices.count_new(ann.pk) == 1


def test_everybody_who_played_a_round_is_told_that_it_is_void(
    round_: Round, ann: User, ben: User, cleo: User, mia: Operator
) -> None:
    effects = voids.request_void(round_.pk, mia, "The lights went out.", NOW)
    assert sorted(topic for topic, _ in effects.frames) == sorted(
        f"user.{user.pk}" for user in (ann, ben)
    )
    for user in (ann, ben):
        assert list_notices(user) == ["A round that you played at Casino is now void."]
    assert list_notices(cleo) == []
    assert "The lights went out." in page(ann, f"/rounds/{round_.pk}/")


def test_nobody_is_told_of_a_void_that_waits(
    round_: Round, ann: User, mia: Operator, ida: Operator
) -> None:
    HouseSettings.objects.update(void_limit=0)
    void = voids.request_void(round_.pk, mia, "Because.", NOW).value
    assert notices.count_new(ann.pk) == 0
    voids.approve_void(void.pk, ida, NOW)
    assert notices.count_new(ann.pk) == 1


def test_a_refused_void_is_told_to_who_reported_the_round_alone(
    round_: Round, ann: User, ben: User, mia: Operator, ida: Operator
) -> None:
    """The others never knew that there was a question."""
    report(round_, ann)
    HouseSettings.objects.update(void_limit=0)
    void = voids.request_void(round_.pk, mia, "Because.", NOW).value
    voids.refuse_void(void.pk, ida, "It was right.", NOW)
    assert list_notices(ann) == ["The round at Casino that you reported is not voided."]
    assert list_notices(ben) == []


def test_a_notice_without_a_round_is_possible(ann: User) -> None:
    frames = notices.create_decision([ann.pk, ann.pk], Notice.Kind.ANSWERED, NOW)
    assert len(frames) == 1
    assert list_notices(ann) == ["An operator has answered your report."]
    assert "An operator has answered your report." in page(ann, "/friends/")


def test_it_is_kept_when_the_table_is_closed(
    round_: Round, casino: TableClient, ann: User, flo: Operator
) -> None:
    reports.answer_report(report(round_, ann).pk, flo, "It was one card.", NOW)
    round_.table.closed_at = NOW
    round_.table.save(update_fields=["closed_at"])
    notices.drop_old(timezone.now())
    assert notices.count_new(ann.pk) == 1
