"""What operators are told when the house is too busy: never that nothing happened when it may."""

from __future__ import annotations

import html
import threading
import uuid
from collections.abc import Callable, Iterator

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import Act, User
from tables.models import AuditRun, Report, Round, Table, Void
from tables.realtime import dispatch
from tables.realtime.writers.writer import writer
from tables.social import reports
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient
from tests.realtime.test_overload import locked

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stopped_writer")]

Role = Callable[..., User]
SORRY = "The site is busy. Check whether it was done before you try again."


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def monas(operator: Role) -> Client:
    """The browser of a manager."""
    client = Client()
    client.force_login(operator("manager", "mona"))
    return client


@pytest.fixture
def round_(casino: TableClient, ann: User, stack: Callable[..., None]) -> Round:
    stack("As 9h Kd 7c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    return Round.objects.get()


@pytest.fixture
def go_on(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let the writer go on, which is busy for longer than a page waits."""
    monkeypatch.setattr(dispatch, "ANSWER_SECONDS", 0.1)
    is_busy, is_over = threading.Event(), threading.Event()
    writer.submit(lambda: is_busy.set() or is_over.wait(20))
    assert is_busy.wait(10)
    yield is_over
    is_over.set()


def post_form(client: Client, path: str, **data: str) -> str:
    answer = client.post(path, data, follow=True)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def test_what_is_done_a_little_later_is_not_called_undone(
    casino: TableClient, monas: Client, go_on: threading.Event
) -> None:
    path = f"/admin/floor/tables/{casino.table_id}/announce/"
    assert SORRY in post_form(monas, path, text="Dealer change.")
    assert casino.row.announcement == ""
    go_on.set()
    writer.submit(lambda: None).result(10)
    assert casino.row.announcement == "Dealer change."


def test_a_void_that_is_done_a_little_later_is_not_called_undone(
    round_: Round, monas: Client, go_on: threading.Event
) -> None:
    assert SORRY in post_form(
        monas, f"/admin/rounds/{round_.pk}/void/", reason="Two tens of spades."
    )
    assert not Void.objects.exists()
    go_on.set()
    writer.submit(lambda: None).result(10)
    assert Void.objects.get().round == round_


def keeps(client: Client, path: str, form: dict[str, str], typed: str) -> bool:
    """Whether the form says that the house is busy, with what was typed still in it."""
    text = post_form(client, path, **form)
    assert SORRY in text, path
    return f'value="{typed}"' in text or f">\n{typed}</textarea>" in text


def test_a_form_that_was_not_done_keeps_what_was_typed(
    casino: TableClient, round_: Round, ann: User, monas: Client
) -> None:
    reports.create_report(round_, ann, "Look.", timezone.now())
    for path, name in (
        (f"/admin/reports/{Report.objects.get().pk}/answer/", "text"),
        (f"/admin/players/{ann.pk}/note/", "text"),
        (f"/admin/players/{ann.pk}/silence/", "reason"),
    ):
        with connection.execute_wrapper(locked):
            form = {name: "It was one card.", "lasts": "1d"}  # which the first two do not have
            assert keeps(monas, path, form, "It was one card."), path
    assert is_unchanged(1)


def test_a_form_that_the_writer_has_no_time_for_keeps_what_was_typed(
    casino: TableClient, ann: User, monas: Client, go_on: threading.Event
) -> None:
    floor, tables = f"/admin/floor/tables/{casino.table_id}", f"/admin/tables/{casino.table_id}"
    edit = monas.get(f"{tables}/edit/").context["form"]
    fields = {field.html_name: field.value() for field in edit if field.value() is not None}
    chips = {"amount": "77", "after": "0", "sure": "yes"}
    for path, name, others in (
        (f"{floor}/pause/", "reason", {}),
        (f"{floor}/close/", "reason", {}),
        ("/admin/floor/announce/", "text", {}),
        ("/admin/floor/maintenance/", "says", {"minutes": "77"}),
        (f"{tables}/edit/", "name", fields),
        (f"{tables}/fill/", "reason", chips),
        (f"/admin/players/{ann.pk}/freeze/", "reason", {}),
    ):
        assert keeps(monas, path, {**others, name: "A word of mine."}, "A word of mine."), path
    go_on.set()
    writer.submit(lambda: None).result(10)


def is_unchanged(table_count: int) -> bool:
    """Whether nothing was written."""
    return (Act.objects.count(), AuditRun.objects.count(), Table.objects.count()) == (
        0, 0, table_count,
    )  # fmt: skip


def test_a_locked_database_is_told_kindly(
    casino: TableClient, round_: Round, ann: User, monas: Client
) -> None:
    reports.create_report(round_, ann, "Look.", timezone.now())
    report = Report.objects.get()
    new = monas.get("/admin/tables/new/").context["form"].initial
    opening = {"name": "New", "rules_key": "casino", "code": new["code"]}
    for path, form in (
        (f"/admin/reports/{report.pk}/answer/", {"text": "It was one card."}),
        (f"/admin/players/{ann.pk}/note/", {"text": "Asked twice.", "key": str(uuid.uuid4())}),
        ("/admin/tables/new/", opening | {"betting_seconds": "20", "turn_seconds": "20"}),
        ("/admin/books/audit/run/", {}),
    ):
        with connection.execute_wrapper(locked):
            assert SORRY in post_form(monas, path, **form), path
        assert is_unchanged(1), path
    report.refresh_from_db()
    assert report.answered_at is None


def test_no_file_of_the_books_is_given_that_the_trail_does_not_know_of(
    casino: TableClient, monas: Client
) -> None:
    with connection.execute_wrapper(locked):
        answer = monas.get("/admin/books/takings.csv?by=day", follow=True)
    assert "The site is busy." in html.unescape(answer.content.decode())
    assert answer.redirect_chain
    assert is_unchanged(1)
