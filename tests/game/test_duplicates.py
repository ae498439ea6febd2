"""A duplicate match: the same sealed shoes at a table for each player, opened when all have finished."""

from __future__ import annotations

import datetime as dt
import uuid

import pytest
from django.test import Client

from accounts.models import User
from tables import access
from tables.engine.provably_fair.proof import find_proof_faults
from tables.game.account_deletion import delete_account
from tables.game.matches import duplicates
from tables.game.matches.duplicates import (
    MatchHasBegun,
    NoDuplicates,
    NotHost,
    TooFewPlayers,
    TooManyMatches,
)
from tables.models import Change, Match, MatchPlayer, Round, Shoe, Table
from tables.protocol.commands import Commit
from tables.realtime import epochs
from tables.records.matches.match_page import build_match_page
from tables.records.round_page import build_proof, list_same_deals
from tests.game.test_matches import STACK, play_by_the_clock
from tests.helpers.rounds import faults
from tests.helpers.table_client import TableClient, code

pytestmark = pytest.mark.django_db
ROUNDS = 5


def new_duplicate(host: User) -> Match:
    return duplicates.open_duplicate(
        name="The same for all",
        rules_key="casino",
        rules_options={},
        host_id=host.pk,
        rounds=ROUNDS,
        stack=STACK,
    )


def table_of(match: Match, user: User) -> TableClient:
    table_id = MatchPlayer.objects.get(match=match, user=user).table_id
    assert table_id is not None
    return TableClient(table_id)


def now(at: TableClient) -> Match:
    row = Match.objects.get()
    assert at.row.match_id == row.pk
    return row


@pytest.fixture
def match(ann: User, ben: User) -> Match:
    """A duplicate match of ann and ben that has begun."""
    match = new_duplicate(ann)
    clock = TableClient(0).now
    duplicates.enter(match.pk, ben.pk, clock)
    duplicates.start(match.pk, ann.pk, clock)
    return Match.objects.get(pk=match.pk)


def play_to_the_end(match: Match, user: User) -> TableClient:
    at = table_of(match, user)
    while at.live.game.is_match_running:
        play_by_the_clock(at)
    return at


def dealt_cards(at: TableClient, number: int) -> list[str]:
    """The first cards of a round: those that no decision has changed."""
    changes = Change.objects.filter(round__table=at.table_id, round__number=number).order_by("seq")
    events = [event for change in changes for event in change.events]
    dealt = [event["card"] for event in events if event["type"] == "card_dealt"]
    return dealt[:2]


def test_it_begins_with_two_players_when_its_maker_says_so(
    ann: User, ben: User, cleo: User
) -> None:
    match, clock = new_duplicate(ann), TableClient(0).now
    with pytest.raises(TooFewPlayers):
        duplicates.start(match.pk, ann.pk, clock)
    duplicates.enter(match.pk, ben.pk, clock)
    duplicates.enter(match.pk, ben.pk, clock)
    with pytest.raises(NotHost):
        duplicates.start(match.pk, ben.pk, clock)
    duplicates.start(match.pk, ann.pk, clock)
    duplicates.start(match.pk, ann.pk, clock)
    assert Table.objects.filter(match=match).count() == 2
    with pytest.raises(MatchHasBegun):
        duplicates.enter(match.pk, cleo.pk, clock)
    assert table_of(match, ann).row.deadline_at is not None


def test_rules_that_keep_their_shoe_are_refused(ann: User) -> None:
    with pytest.raises(NoDuplicates):
        duplicates.open_duplicate(
            name="x", rules_key="vegas", rules_options={}, host_id=ann.pk, rounds=5, stack=STACK
        )


def test_all_seals_are_public_at_the_start_and_no_secret_is(
    match: Match, ann: User, ben: User, client: Client
) -> None:
    client.force_login(ben)
    page = client.get(f"/matches/{match.pk}/").content.decode()
    shoes = Shoe.objects.filter(same_as=None).order_by("number")
    assert shoes.count() == ROUNDS
    for shoe, secret in zip(shoes, match.secrets, strict=True):
        assert shoe.commitment in page
        assert secret not in page
        assert shoe.secret == ""


def test_all_get_the_same_cards_and_the_proofs_show_it(match: Match, ann: User, ben: User) -> None:
    anns, bens = play_to_the_end(match, ann), play_to_the_end(match, ben)
    for number in range(1, min(anns.row.round_count, bens.row.round_count) + 1):
        assert dealt_cards(anns, number) == dealt_cards(bens, number)
        proofs = [
            build_proof(Shoe.objects.get(table=at.table_id, number=number)) for at in (anns, bens)
        ]
        assert [list(find_proof_faults(proof)) for proof in proofs] == [[], []]
        for shared in ("secret", "label", "commitment", "words"):
            assert proofs[0][shared] == proofs[1][shared]
        assert proofs[0]["words"] == [{"seat": 1, "commitment": None, "words": ""}]
    first = Round.objects.get(table=anns.table_id, number=1)
    assert [name for _, name in list_same_deals(first, ben.pk)] == ["ann", "ben"]
    assert faults() == []


def test_no_secret_is_revealed_before_all_have_finished(match: Match, ann: User, ben: User) -> None:
    at = play_to_the_end(match, ann)
    assert at.view.match is not None
    assert at.view.match.state == Match.State.OVER
    assert now(at).state == Match.State.RUNNING
    assert not Shoe.objects.exclude(secret="").exists()
    assert build_proof(Shoe.objects.filter(table=at.table_id)[0])["secret"] is None
    event_text = "".join(str(change.events) for change in Change.objects.all())
    assert not any(secret in event_text for secret in match.secrets)
    play_to_the_end(match, ben)
    assert now(at).state == Match.State.OVER
    assert not Shoe.objects.filter(secret="").exists()
    places = MatchPlayer.objects.values_list("place", flat=True)
    assert set(places) <= {1, 2}


def test_nobody_else_sees_a_table_or_a_round_before_the_end(
    match: Match, ann: User, ben: User, client: Client
) -> None:
    at = play_to_the_end(match, ann)
    table, round_ = at.row, Round.objects.filter(table=at.table_id)[0]
    codes = {str(table.pk): table.code}
    assert access.may_see(table, ann.pk, {})
    assert not access.may_see(table, ben.pk, codes)
    assert not access.may_see(table, None, codes)
    assert access.may_see_round(round_, ann.pk, {})
    assert not access.may_see_round(round_, ben.pk, {})
    client.force_login(ann)
    assert client.get(f"/rounds/{round_.pk}/").status_code == 200
    assert client.get(f"/tables/{table.pk}/").status_code == 200
    client.force_login(ben)
    assert client.get(f"/rounds/{round_.pk}/").status_code == 404
    assert client.get(f"/tables/{table.pk}/").status_code == 404
    play_to_the_end(match, ben)
    assert client.get(f"/rounds/{round_.pk}/").status_code == 200
    assert "ann" in client.get(f"/rounds/{round_.pk}/").content.decode()
    assert (
        "in a duplicate match all players get the same cards"
        in client.get(f"/rounds/{round_.pk}/").content.decode()
    )


def test_standings_compare_the_rounds_that_all_have_finished(
    match: Match, ann: User, ben: User
) -> None:
    play_to_the_end(match, ann)
    play_by_the_clock(table_of(match, ben))
    page = build_match_page(now(table_of(match, ann)), ben.pk, ann.pk)
    assert page.played == 1
    assert [row.number for row in page.rounds] == [1]
    assert len({one.stack for one in page.standings if one.place == 1}) == 1


def test_no_words_are_mixed_in(match: Match, ann: User) -> None:
    assert code(table_of(match, ann).send(ann, Commit(uuid.uuid4(), "a" * 64))) == "no_words"


def test_who_leaves_has_finished(match: Match, ann: User, ben: User) -> None:
    at, anns = table_of(match, ben), table_of(match, ann)
    at.leave(ben)
    assert now(at).state == Match.State.RUNNING
    (change,) = anns.leave(ann).changes
    assert change.other_cards == (at.table_id,), "in the lobby, its match is over as well"
    row = now(at)
    assert row.state == Match.State.OVER
    assert MatchPlayer.objects.filter(match=row).exclude(place=None).count() == 2


def test_who_deletes_the_account_before_the_start_is_not_in_it(
    ann: User, ben: User, cleo: User
) -> None:
    match, clock = new_duplicate(ann), TableClient(0).now
    duplicates.enter(match.pk, ben.pk, clock)
    duplicates.enter(match.pk, cleo.pk, clock)
    delete_account(ann.pk, clock)
    duplicates.start(match.pk, ben.pk, clock)
    assert Table.objects.filter(match=match).count() == 2
    delete_account(cleo.pk, clock)
    assert MatchPlayer.objects.get(user=cleo).has_left


def test_a_restored_site_breaks_it_off_and_reveals_its_shoes(
    match: Match, ann: User, ben: User
) -> None:
    play_by_the_clock(table_of(match, ann))
    epochs.begin_epoch()
    at = table_of(match, ben)
    row = now(at)
    assert row.state == Match.State.BROKEN_OFF
    assert at.view.match is not None
    assert at.view.match.state == Match.State.BROKEN_OFF
    assert not Shoe.objects.filter(secret="").exists()
    assert code(at.bet(ben, 1000)) == "match_over"
    assert faults() == []


def test_again_is_one_match_with_the_same_settings(match: Match, ann: User, ben: User) -> None:
    for user in (ann, ben):
        at = play_to_the_end(match, user)
    opened = duplicates.open_rematch(match.pk, ben.pk, at.now).value
    assert duplicates.open_rematch(match.pk, ann.pk, at.now).value == opened
    again = Match.objects.get(pk=opened)
    assert (again.maker, again.rounds, again.players.count()) == (ben, ROUNDS, 2)
    assert again.settings == match.settings


def test_who_played_before_sees_the_next_match(
    match: Match, ann: User, ben: User, cleo: User, client: Client
) -> None:
    for user in (ann, ben):
        at = play_to_the_end(match, user)
    opened = duplicates.open_rematch(match.pk, ann.pk, at.now).value
    for user, status in ((ben, 200), (cleo, 404)):
        client.force_login(user)
        assert client.get(f"/matches/{opened}/").status_code == status


def test_who_may_not_play_now_is_not_in_it(ann: User, ben: User, cleo: User) -> None:
    match, clock = new_duplicate(ann), TableClient(0).now
    for user in (ben, cleo):
        duplicates.enter(match.pk, user.pk, clock)
    User.objects.filter(pk=cleo.pk).update(is_active=False)
    duplicates.start(match.pk, ann.pk, clock)
    assert Table.objects.filter(match=match).count() == 2


def test_the_costs_of_decisions_are_for_its_players_when_it_has_ended(
    match: Match, ann: User, ben: User
) -> None:
    play_to_the_end(match, ann)
    assert not build_match_page(Match.objects.get(), ann.pk, ann.pk).is_grading
    play_to_the_end(match, ben)
    page = build_match_page(Match.objects.get(), ann.pk, ann.pk)
    while page.is_grading:
        page = build_match_page(Match.objects.get(), ann.pk, ann.pk)
    costs = [cell.cost for row in page.rounds for cell in row.cells]
    assert all(cost is not None and cost >= 0 for cost in costs)
    first, second = (sum(row.cells[number].cost or 0 for row in page.rounds) for number in (0, 1))
    assert first == second, "the clock has decided the same for both"
    others = build_match_page(Match.objects.get(), None, ann.pk)
    assert {cell.cost for row in others.rounds for cell in row.cells} == {None}


def test_a_match_that_nobody_starts_ends_after_a_day(ann: User, ben: User, cleo: User) -> None:
    match, clock = new_duplicate(ann), TableClient(0).now
    duplicates.enter(match.pk, ben.pk, clock)
    duplicates.end_unused(clock)
    assert Match.objects.get(pk=match.pk).state == Match.State.WAITING
    duplicates.end_unused(clock + duplicates.UNUSED + dt.timedelta(minutes=1))
    assert Match.objects.get(pk=match.pk).state == Match.State.BROKEN_OFF
    with pytest.raises(MatchHasBegun):
        duplicates.enter(match.pk, cleo.pk, clock)


def test_a_match_whose_only_player_deletes_the_account_ends(ann: User) -> None:
    match, clock = new_duplicate(ann), TableClient(0).now
    delete_account(ann.pk, clock)
    duplicates.end_unused(clock)
    assert Match.objects.get(pk=match.pk).state == Match.State.BROKEN_OFF


def test_a_player_has_five_open_matches_at_most(ann: User, ben: User) -> None:
    matches = [new_duplicate(ann) for _ in range(duplicates.MOST_OPEN)]
    with pytest.raises(TooManyMatches):
        new_duplicate(ann)
    clock = TableClient(0).now
    duplicates.enter(matches[0].pk, ben.pk, clock)
    duplicates.withdraw(matches[0].pk, ann.pk, clock)
    new_duplicate(ann)
