"""A match in the form, in the lobby and on its page."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.audit_log import Operator
from accounts.models import User
from tables.models import Match, Round, Table
from tables.operators.rounds import voids
from tests.game.test_matches import new_match, play_by_the_clock, start
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient, new_player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stopped_writer")]


def browser(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def form(**changed: Any) -> dict[str, Any]:
    return {
        "name": "The final", "rules_key": "casino", "betting_seconds": 20, "turn_seconds": 30,
        "has_chat": "on", "play": "match", "match_rounds": 7, "match_stack": 300, **changed,
    }  # fmt: skip


def create(user: User, **changed: Any) -> Any:
    return browser(user).post(reverse("new-table"), form(**changed))


@pytest.fixture(autouse=True)
def _no_wrong_codes() -> None:
    """Other tests may have typed many."""
    cache.clear()


@pytest.fixture
def running(ann: User, ben: User) -> TableClient:
    """A match of ann and ben."""
    at = new_match(ann)
    sit_down(at, ann, ben)
    at.send(ann, start())
    return at


def test_the_form_opens_a_match_with_its_stack_and_a_seat_for_its_host(ann: User) -> None:
    answer = create(ann)
    table = Table.objects.get(name="The final")
    assert answer.headers["Location"] == reverse("table", args=[table.pk])
    match = Match.objects.get()
    assert (match.rounds, match.stack, match.kind) == (7, 30_000, Match.Kind.TABLE)
    assert (table.stack_size, table.top_ups, table.match_id) == (30_000, 0, match.pk)
    assert [seat.user for seat in table.seats.all()] == [ann]


def test_a_void_after_the_end_is_told_where_the_places_stay(
    running: TableClient, ann: User
) -> None:
    while not Match.objects.get().has_ended:
        play_by_the_clock(running)
    page = reverse("match", args=[Match.objects.get().pk])
    sentence = "A round was voided after the end."
    assert sentence not in browser(ann).get(page).content.decode()
    running.later(60)
    chief = new_player("olga")
    User.objects.filter(pk=chief.pk).update(is_staff=True, is_superuser=True)
    round_ = Round.objects.earliest("pk")
    voids.request_void(round_.pk, Operator(chief.pk), "It was wrong.", running.now)
    assert sentence in browser(ann).get(page).content.decode()


def test_a_match_keeps_its_seats_whatever_is_entered_about_idle_ones(ann: User) -> None:
    create(ann, idle_minutes=999)
    assert Table.objects.get(name="The final").idle_minutes is None


def test_all_faults_of_a_match_are_named_at_once(ann: User) -> None:
    page = create(ann, name="", match_rounds=4, match_stack=200, minimum=400).content.decode()
    for message in (
        "Give the table a name.",
        "Between 5 and 100 rounds.",
        "The stack is smaller than the smallest bet.",
    ):
        assert message in page, message


def test_a_match_until_one_is_left_has_no_number_of_rounds(ann: User) -> None:
    create(ann, match_end="one")
    assert Match.objects.get().rounds is None


def test_a_duplicate_match_leads_to_its_page_and_opens_no_table_yet(ann: User) -> None:
    before = Table.objects.count()
    answer = create(ann, play="duplicate")
    match = Match.objects.get()
    assert answer.headers["Location"] == reverse("match", args=[match.pk])
    assert Table.objects.count() == before
    page = browser(ann).get(answer.headers["Location"]).content.decode()
    assert reverse("match-invite", args=[match.pk, match.code]) in page


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"match_rounds": 4}, "Between 5 and 100 rounds."),
        ({"match_rounds": 101}, "Between 5 and 100 rounds."),
        ({"match_stack": 5}, "Between 100 and 1,000,000 chips."),
        ({"rules_key": "classic"}, "A match needs rules with bets."),
        ({"minimum": 400}, "The stack is smaller than the smallest bet."),
        ({"rules_key": "vegas", "play": "duplicate"}, "shuffle before every round"),
        ({"play": "none-such"}, "none-such"),
    ],
)
def test_what_is_no_match_is_refused_in_words(
    ann: User, changed: dict[str, Any], error: str
) -> None:
    page = create(ann, **changed)
    assert page.status_code == 200
    assert error in page.content.decode()
    assert not Match.objects.exists()


def test_a_card_of_the_lobby_says_which_round_it_is(running: TableClient, cleo: User) -> None:
    play_by_the_clock(running)
    for client in (browser(), browser(cleo)):
        card = client.get("/").content.decode().split(f'id="table-{running.table_id}"')[1]
        card = card.split('</li>\n<li class="table-card')[0]
        assert "Match, round 2 of 5" in card
        assert reverse("sit", args=[running.table_id, 3]) not in card


def test_the_home_page_says_of_a_seat_that_the_match_is_over(
    running: TableClient, ben: User
) -> None:
    def text() -> str:
        return browser(ben).get(reverse("home")).content.decode()

    assert "Between rounds." in text()
    while Match.objects.get().state == Match.State.RUNNING:
        play_by_the_clock(running)
    assert "The match is over." in text()
    assert "Between rounds." not in text()


def test_its_page_has_the_standings_and_all_rounds(running: TableClient) -> None:
    match = Match.objects.get()
    play_by_the_clock(running)
    page = browser().get(reverse("match", args=[match.pk])).content.decode()
    assert "1 of 5 rounds played" in page
    assert "Round 1" in page
    assert 'data-state="running"' in page


def test_the_page_of_a_private_match_is_for_its_players(ann: User, ben: User, cleo: User) -> None:
    at = new_match(ann, is_private=True)
    match, page = Match.objects.get(), reverse("match", args=[Match.objects.get().pk])
    assert [browser(user).get(page).status_code for user in (ann, cleo, None)] == [200, 404, 404]
    invited = browser(ben)
    invited.get(reverse("join", args=[at.row.code]))
    assert invited.get(page).status_code == 200
    assert match.state == Match.State.WAITING


def test_again_leads_to_the_seat_at_the_new_table(running: TableClient, ann: User) -> None:
    match = Match.objects.get()
    again = reverse("match-again", args=[match.pk])
    refused = browser(ann).post(again)
    assert refused.headers["Location"] == reverse("match", args=[match.pk])
    running.leave(ann)
    answer = browser(ann).post(again)
    table = Table.objects.exclude(pk=running.table_id).latest("pk")
    assert answer.headers["Location"] == reverse("table", args=[table.pk])
    assert [seat.user for seat in table.seats.all()] == [ann]
    assert running.view.match is not None
    assert running.view.match.rematch == table.pk


def test_nobody_else_presses_again(running: TableClient, ann: User, cleo: User) -> None:
    running.leave(ann)
    match = Match.objects.get()
    assert browser(cleo).post(reverse("match-again", args=[match.pk])).status_code == 404
    assert Match.objects.count() == 1


def test_the_settings_stay_as_they_are_while_a_match_runs(running: TableClient, ann: User) -> None:
    page = browser(ann).get(reverse("table-settings", args=[running.table_id]))
    made_from = page.context["form"].initial["made_from"]
    answer = browser(ann).post(
        reverse("table-settings", args=[running.table_id]), form(minimum=20, made_from=made_from)
    )
    assert "Its settings stay as they are." in answer.content.decode()
    assert running.row.rules_options == {}


def test_a_wrong_code_of_a_duplicate_match_leads_nowhere(ann: User, ben: User) -> None:
    create(ann, play="duplicate")
    match = Match.objects.get()
    assert browser(ben).get(f"/matches/{match.pk}/00000000/").status_code == 404
    assert browser(ben).get(reverse("match", args=[match.pk])).status_code == 404


def test_the_link_of_a_duplicate_match_lets_others_in_until_it_starts(
    ann: User, ben: User, cleo: User
) -> None:
    create(ann, play="duplicate")
    match = Match.objects.get()
    link = reverse("match-invite", args=[match.pk, match.code])
    anns, bens, cleos = browser(ann), browser(ben), browser(cleo)
    for friend in (bens, cleos):
        assert friend.get(link).headers["Location"] == reverse("match", args=[match.pk])
    bens.post(reverse("match-enter", args=[match.pk]))
    cleos.post(reverse("match-enter", args=[match.pk]))
    cleos.post(reverse("match-withdraw", args=[match.pk]))
    bens.post(reverse("match-start", args=[match.pk]))
    assert Match.objects.get().state == Match.State.WAITING
    anns.post(reverse("match-start", args=[match.pk]))
    assert Match.objects.get().state == Match.State.RUNNING
    assert [one.user for one in match.players.all()] == [ann, ben]
    page = cleos.post(reverse("match-enter", args=[match.pk]), follow=True).content.decode()
    assert "Nobody else can join." in page
    mine = match.players.get(user=ben).table_id
    for client, status in ((bens, 200), (anns, 404), (cleos, 404)):
        assert client.get(reverse("table", args=[mine])).status_code == status
    now = bens.get(reverse("match-now", args=[match.pk])).content.decode()
    assert f'data-table="{reverse("table", args=[mine])}"' in now
