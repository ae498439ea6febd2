"""The settlement sheet: who won what, the fewest payments, who may see it, and its files."""

from __future__ import annotations

import csv
import io
import itertools
import uuid
from collections.abc import Callable
from functools import cache
from random import Random

import pytest
from django.test import Client

from accounts.audit_log import Operator
from accounts.models import Account, User
from tables import access
from tables.game import history_reset
from tables.operators.rounds import voids
from tables.protocol.commands import Close, TopUp
from tables.records import share_links
from tables.records.sheet.payments import MOST_EXACT, find_payments
from tables.records.sheet.settlement_sheet import DEALER, build_sheet
from tests.game.test_stacks import SIZE, lose_all, open_table
from tests.helpers.rounds import faults, play_round, sit_down
from tests.helpers.table_client import TableClient, balance_of, new_player

# The payments


def fewest(nets: tuple[int, ...]) -> int:
    """The least number of payments, by trying every way to divide the parties into groups."""

    @cache
    def most_groups(remaining: frozenset[int]) -> int:
        if not remaining:
            return 0
        first, *others = sorted(remaining)
        best = -1
        for size in range(len(others) + 1):
            for more in itertools.combinations(others, size):
                group = {first, *more}
                if sum(nets[index] for index in group) == 0:
                    rest = most_groups(remaining - group)
                    best = max(best, rest + 1)
        return best

    parties = frozenset(index for index, net in enumerate(nets) if net)
    return len(parties) - most_groups(parties)


@pytest.mark.parametrize("seed", range(60))
def test_payments_are_as_few_as_possible_and_make_everyone_even(seed: int) -> None:
    chance = Random(seed)
    nets = [chance.randint(-4, 4) * 100 for _ in range(chance.randint(1, 7))]
    nets.append(-sum(nets))
    payments = find_payments(dict(enumerate(nets)))
    balances = list(nets)
    for payment in payments:
        assert payment.amount > 0
        balances[payment.payer] += payment.amount
        balances[payment.payee] -= payment.amount
    assert not any(balances)
    assert len(payments) == fewest(tuple(nets))


def test_with_many_parties_everyone_is_even_too() -> None:
    nets = {number: 100 * (number - MOST_EXACT) for number in range(2 * MOST_EXACT + 1)}
    balances = dict(nets)
    payments = find_payments(nets)
    for payment in payments:
        balances[payment.payer] += payment.amount
        balances[payment.payee] -= payment.amount
    assert not any(balances.values())
    assert len(payments) < len(nets)


def test_results_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="not 0"):
        find_payments({"ann": 1})


# The sheet

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(ann: User, ben: User) -> TableClient:
    at = open_table(ann, top_ups=3, is_private=True)
    access.grant_access(at.row, ben.pk)
    return at


def test_it_adds_up_at_any_time_and_after_the_table_has_closed(
    table: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    sit_down(table, ann, ben)
    for seed in range(4):
        play_round(table, [ann, ben], Random(seed))
    table.bet(ann, 10_000)
    before = build_sheet(table.row)
    assert [player.taken for player in before.players] == [SIZE, SIZE]
    assert sum(player.net for player in before.players) + before.dealer == 0
    assert before.rounds == 4
    table.send(ann, Close(uuid.uuid4()))
    after = build_sheet(table.row)
    assert [(one.name, one.net) for one in after.players] == [
        (one.name, one.net) for one in before.players
    ]
    assert after.dealer == before.dealer
    assert faults() == []


def test_a_round_in_play_is_not_counted(
    table: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    sit_down(table, ann)
    stack("Ts 6h 8d Kc 5h")
    table.bet(ann, 40_000)
    sheet = build_sheet(table.row)
    assert [(one.held, one.net) for one in sheet.players] == [(SIZE, 0)]
    assert (sheet.dealer, sheet.payments, sheet.rounds) == (0, (), 0)


def test_top_ups_and_figures(table: TableClient, ann: User, stack: Callable[..., None]) -> None:
    sit_down(table, ann)
    lose_all(table, ann, stack)
    table.send(ann, TopUp(uuid.uuid4()))
    stack("As 9d Kh 7d")
    table.bet(ann, 10_000)
    (player,) = build_sheet(table.row).players
    assert (player.stacks, player.taken, player.held) == (2, 2 * SIZE, SIZE + 15_000)
    assert (player.rounds, player.blackjacks, player.biggest_win, player.best_streak) == (
        2, 1, 15_000, 1,
    )  # fmt: skip
    (payment,) = build_sheet(table.row).payments
    assert (payment.payer, payment.payee, payment.amount) == (ann.pk, DEALER, SIZE - 15_000)


def test_after_a_void_it_adds_up(table: TableClient, ann: User, stack: Callable[..., None]) -> None:
    """Also where the stack no longer has what was won, and the bank covers it."""
    sit_down(table, ann)
    stack("Ts Td Th 9d")
    table.bet(ann, SIZE)
    table.act(ann, "stand")
    won = table.row.rounds.order_by("pk").first()
    assert won is not None
    lose_all(table, ann, stack)
    _void(won.pk, table)
    sheet = build_sheet(table.row)
    assert [player.net for player in sheet.players] == [-2 * SIZE]
    assert sheet.dealer == 2 * SIZE
    assert balance_of(ann) == 50_000
    assert faults() == []


def _void(round_id: int, at: TableClient) -> None:
    chief = new_player("olga")
    User.objects.filter(pk=chief.pk).update(is_staff=True, is_superuser=True)
    voids.request_void(round_id, Operator(chief.pk), "It was wrong.", at.now)
    for void in voids.Void.objects.filter(status="waiting"):
        other = new_player("otto")
        User.objects.filter(pk=other.pk).update(is_staff=True, is_superuser=True)
        voids.approve_void(void.pk, Operator(other.pk), at.now)


def test_rounds_of_a_closed_table_stay_as_they_are(
    table: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    sit_down(table, ann)
    lose_all(table, ann, stack)
    table.send(ann, Close(uuid.uuid4()))
    (round_,) = table.row.rounds.all()
    with pytest.raises(voids.CannotVoid, match="back in the bank"):
        _void(round_.pk, table)


def test_a_cleared_history_takes_the_rounds_off_and_not_the_money(
    table: TableClient, ann: User, ben: User
) -> None:
    sit_down(table, ann, ben)
    play_round(table, [ann, ben], Random(1))
    nets = {one.name: one.net for one in build_sheet(table.row).players}
    history_reset.reset_history(ann.pk)
    after = {one.name: one for one in build_sheet(table.row).players}
    assert {name: one.net for name, one in after.items()} == nets
    assert (after["ann"].rounds, after["ben"].rounds) == (0, 1)


# Who may see it


def url(at: TableClient, file: str = "sheet/") -> str:
    return f"/tables/{at.table_id}/{file}"


def test_who_sat_there_sees_it_after_the_table_has_closed_and_shares_it_by_a_link(
    table: TableClient, ann: User, ben: User, client: Client
) -> None:
    sit_down(table, ann, ben)
    play_round(table, [ann, ben], Random(1))
    table.send(ann, Close(uuid.uuid4()))
    assert client.get(url(table)).status_code == 404
    client.force_login(new_player("cleo2"))
    assert client.get(url(table)).status_code == 404
    client.force_login(ben)
    page = client.get(url(table)).content.decode()
    assert "ann" in page
    assert "The table is closed." in page
    token = share_links.create_sheet_token(table.table_id, ben.pk)
    assert f"?by={token}" in page
    stranger = Client()
    assert stranger.get(f"{url(table)}?by={token}").status_code == 200
    assert stranger.get(f"{url(table, 'sheet.csv')}?by={token}").status_code == 200
    for wrong in ("", "1-", f"{token}0", share_links.create_share_token(table.table_id, ben.pk)):
        assert stranger.get(f"{url(table)}?by={wrong}").status_code == 404


def test_a_table_with_money_has_no_sheet(casino: TableClient, ann: User, client: Client) -> None:
    sit_down(casino, ann)
    client.force_login(ann)
    assert client.get(url(casino)).status_code == 404
    assert client.get(url(casino, "sheet.csv")).status_code == 404


def test_the_csv_has_players_dealer_and_payments(
    table: TableClient, ann: User, client: Client, stack: Callable[..., None]
) -> None:
    sit_down(table, ann)
    lose_all(table, ann, stack)
    client.force_login(ann)
    body = b"".join(client.get(url(table, "sheet.csv")).streaming_content)
    rows = list(csv.reader(io.StringIO(body.decode())))
    assert rows[1] == ["ann", "1", "1000.00", "0.00", "-1000.00", "1", "0.00", "0", "0"]
    assert rows[2][:5] == ["The dealer", "", "", "", "1000.00"]
    assert rows[-1] == ["ann", "The dealer", "1000.00"]


def test_an_empty_sheet_is_a_page_too(table: TableClient, ann: User, client: Client) -> None:
    client.force_login(ann)
    table.row.admissions.create(user=ann)
    assert "Nobody has taken a stack yet." in client.get(url(table)).content.decode()
    assert Account.objects.filter(kind=Account.Kind.STACK).count() == 0
