"""What racks take from the bank: by themselves up to a limit, and from operators."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.test import Client

from accounts import audit_log, site_settings
from accounts.audit_log import Operator
from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.lib.errors import OperationRefused
from accounts.lib.money import format_money
from accounts.models import Act, HouseSettings, Transfer, User
from tables.engine.presets import PRESETS
from tables.game import commit, host_commands, pauses
from tables.game.chips.racks import RACK_FILL
from tables.game.pending_settings import ChangedMeanwhile, TableIsClosed
from tables.models import Change, Table
from tables.operators.tables import rack_transfers
from tables.operators.tables.rack_transfers import NoStakes
from tables.state.live_table import LiveTable
from tests.helpers.rounds import faults, new_table, play_round, sit_down, types
from tests.helpers.table_client import TableClient, balance_of, code, events, new_player
from tests.operators.test_editing import change

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
NATURAL = "As 9h Kd 7c"
WIN = "Ts 9h 6d Kd 8s"
"""For who stands where the dealer matches bets."""


@pytest.fixture
def cashier(operator: Callable[..., User]) -> Operator:
    return Operator(operator("cashier").pk, "192.0.2.9")


@pytest.fixture
def boss(operator: Callable[..., User]) -> Operator:
    return Operator(operator("manager").pk)


def limit(at: TableClient, most: int | None, filled: int = 0) -> None:
    Table.objects.filter(pk=at.table_id).update(fill_limit=most, auto_filled=filled)


def win(at: TableClient, user: User, stack: Stack, stake: int = 1000) -> list[str]:
    """A natural, and what everybody was told."""
    stack(NATURAL)
    return types(events(at.bet(user, stake)))


def fill(at: TableClient, by: Operator, amount: int, after: int | None = None) -> int:
    """Fill the rack by hand; the number of the act."""
    last_act = rack_transfers.find_last_act(at.row) if after is None else after
    rack_transfers.fill_rack(by, at.table_id, last_act, amount, "Low.", at.now)
    return rack_transfers.find_last_act(at.row)


# By itself


def test_what_the_rack_takes_by_itself_is_added_up(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    sit_down(casino, ann)
    win(casino, ann, stack)
    row = casino.row
    assert (row.auto_filled, row.paused_at) == (RACK_FILL, None)
    win(casino, ann, stack)
    assert casino.row.auto_filled == RACK_FILL, "the rack had enough"


def test_every_fill_is_added_to_those_before(casino: TableClient, ann: User, stack: Stack) -> None:
    limit(casino, None, filled=700)
    sit_down(casino, ann)
    win(casino, ann, stack)
    assert casino.row.auto_filled == RACK_FILL + 700


def test_at_its_limit_a_table_plays_on(casino: TableClient, ann: User, stack: Stack) -> None:
    limit(casino, RACK_FILL)
    sit_down(casino, ann)
    assert "table_paused" not in win(casino, ann, stack)
    assert casino.row.paused_at is None


def test_beyond_its_limit_the_win_is_paid_and_the_table_waits(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    limit(casino, RACK_FILL - 1)
    sit_down(casino, ann)
    event_types = win(casino, ann, stack)
    assert balance_of(ann) == 51_500
    assert event_types[-1] == "table_paused"
    row = casino.row
    assert row.paused_at is not None
    assert "chips" in row.paused_because
    assert row.auto_filled == RACK_FILL
    assert code(casino.bet(ann, 1000)) != "done"
    assert faults() == []


def test_the_round_in_which_the_rack_is_used_up_is_played_to_its_end(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    limit(casino, 0)
    sit_down(casino, ann, ben)
    stack("As Td 6h Kd 8c Kc Th")  # ann has blackjack, ben is asked
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    assert casino.view.asked is not None
    casino.act(ben, "stand")
    assert casino.row.paused_at is not None
    assert casino.view.phase == "betting"
    assert faults() == []


def test_a_dealer_who_matches_bets_waits_for_an_operator_too(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    site_settings.remember(HouseSettings(starting_money=1_000_000))
    rich, at = new_player("rich"), new_table("pot", minimum=300_000, maximum=300_000)
    limit(at, 0)
    sit_down(at, rich)
    stack(WIN)
    at.bet(rich, 300_000)
    event_types = types(events(at.act(rich, "stand")))
    assert event_types[-1] == "table_paused"
    assert balance_of(rich) == 1_300_000
    assert at.row.auto_filled == RACK_FILL
    assert at.chips.rack == 2 * RACK_FILL - 300_000
    assert faults() == []


def test_a_dealer_who_matches_bets_takes_no_chips_for_a_table_that_is_closed(
    ann: User, stack: Stack
) -> None:
    at = new_table("pot")
    limit(at, 0)
    sit_down(at, ann)
    stack(WIN)
    at.bet(ann, 500)
    rack = at.row.rack
    # All but what the rack loses when the round is over.
    amount = rack.balance - 500
    out = Posting(Transfer.Kind.FILL, rack.pk, transfers.get_bank().pk, amount, "test/out")
    transfers.post([out], at=at.now)
    Table.objects.update(is_closing=True)
    event_types = types(events(at.act(ann, "stand")))
    assert event_types[-1] == "table_closed"
    row = at.row
    assert (row.paused_at, row.auto_filled, row.rack.balance) == (None, 0, 0)
    assert row.closed_at is not None
    assert faults() == []


def test_what_is_won_at_a_table_that_closes_is_paid_and_it_does_not_wait(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    limit(casino, 0)
    sit_down(casino, ann)
    stack("Ts 9h 9d 8c")
    casino.bet(ann, 1000)
    Table.objects.update(is_closing=True)
    event_types = types(events(casino.act(ann, "stand")))
    assert (event_types[-1], casino.row.paused_at) == ("table_closed", None)
    assert (balance_of(ann), casino.chips.rack) == (51_000, RACK_FILL - 1000)
    assert faults() == []


@pytest.mark.parametrize("key", PRESETS)
def test_in_every_rule_set_the_sum_is_what_the_bank_has_brought(
    key: str, ann: User, ben: User
) -> None:
    at, chance = new_table(key), Random(key)
    players = [ann, ben][: at.row.rules.seats]
    sit_down(at, *players)
    for _ in range(4):
        play_round(at, players, chance)
    fills = Transfer.objects.filter(kind="fill", reference__contains="/change:")
    assert at.row.auto_filled == sum(fills.values_list("amount", flat=True))
    assert not fills.exclude(by=None).exists(), "no player has filled it"


# When it is counted anew


def pause(at: TableClient, user: User, stack: Stack) -> None:
    limit(at, 0)
    sit_down(at, user)
    win(at, user, stack)
    assert at.row.paused_at is not None


def test_a_fill_by_hand_is_a_transfer_and_an_act_and_counts_anew(
    casino: TableClient, ann: User, stack: Stack, cashier: Operator
) -> None:
    pause(casino, ann, stack)
    rack = casino.chips.rack
    act = Act.objects.get(pk=fill(casino, cashier, 123_400))
    transfer = Transfer.objects.latest("pk")
    assert (transfer.kind, transfer.amount, transfer.by_id) == ("fill", 123_400, cashier.user_id)
    assert transfer.reference == f"act:{act.pk}/fill"
    assert (act.what, act.subject) == ("fill_rack", f"table:{casino.table_id}")
    assert act.before == {"rack": rack, "auto_filled": RACK_FILL}
    assert act.after == {"rack": rack + 123_400, "auto_filled": 0}
    assert (act.reason, act.address) == ("Low.", "192.0.2.9")
    assert casino.row.auto_filled == 0
    assert casino.row.paused_at is not None, "then resume the table"
    assert Change.objects.latest("pk").user_id == cashier.user_id
    assert faults() == []


def test_a_table_that_is_resumed_counts_anew(casino: TableClient, ann: User, stack: Stack) -> None:
    pause(casino, ann, stack)
    live = LiveTable.lock(casino.table_id, casino.now)
    pauses.resume(live)
    commit.commit_table(live)
    assert (casino.row.auto_filled, casino.row.paused_at) == (0, None)
    assert "table_paused" not in win(casino, ann, stack)


def test_another_limit_counts_anew(
    casino: TableClient, ann: User, stack: Stack, boss: Operator
) -> None:
    pause(casino, ann, stack)
    change(casino, boss, fill_limit=5 * RACK_FILL)
    assert (casino.row.auto_filled, casino.row.fill_limit) == (0, 5 * RACK_FILL)


# By hand


def test_a_form_that_is_sent_twice_fills_once(casino: TableClient, cashier: Operator) -> None:
    fill(casino, cashier, 1000, after=0)
    with pytest.raises(ChangedMeanwhile):
        fill(casino, cashier, 1000, after=0)
    assert casino.chips.rack == 1000
    assert Act.objects.count() == 1
    fill(casino, cashier, 500)
    assert casino.chips.rack == 1500


def test_a_rack_is_filled_while_a_round_is_played(
    casino: TableClient, ann: User, stack: Stack, cashier: Operator
) -> None:
    stack("Ts 6h 9d Kc 5h")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    fill(casino, cashier, 1000)
    assert casino.view.asked is not None
    casino.act(ann, "stand")
    assert faults() == []


def test_the_rack_of_a_closed_table_is_not_filled(casino: TableClient, cashier: Operator) -> None:
    Table.objects.update(closed_at=casino.now)
    with pytest.raises(TableIsClosed):
        fill(casino, cashier, 1000)


# Back to the bank


def bring_back(at: TableClient, by: Operator, amount: int, after: int | None = None) -> Act:
    last_act = rack_transfers.find_last_act(at.row) if after is None else after
    rack_transfers.return_chips(by, at.table_id, last_act, amount, "Too many.", at.now)
    return audit_log.list_entries(f"table:{at.table_id}")[0]


def test_chips_that_come_back_are_a_transfer_and_an_act_and_count_nothing_anew(
    casino: TableClient, cashier: Operator
) -> None:
    fill(casino, cashier, 5000)
    limit(casino, None, filled=700)
    owed, seq = transfers.get_bank().balance, casino.row.seq
    act = bring_back(casino, cashier, 1500)
    assert (casino.chips.rack, transfers.get_bank().balance) == (3500, owed + 1500)
    transfer = Transfer.objects.latest("pk")
    assert (transfer.kind, transfer.amount, transfer.by_id) == ("fill", 1500, cashier.user_id)
    assert (transfer.debit_id, transfer.credit.kind) == (casino.row.rack_id, "bank")
    assert transfer.reference == f"act:{act.pk}/back"
    assert act.before == {"rack": 5000}
    assert act.after == {"command": "bring_back", "rack": 3500}
    assert (act.reason, act.address) == ("Too many.", "192.0.2.9")
    assert (casino.row.auto_filled, casino.row.seq) == (700, seq + 1)
    assert faults() == []


def test_a_rack_never_goes_below_zero(casino: TableClient, cashier: Operator) -> None:
    fill(casino, cashier, 5000)
    with pytest.raises(OperationRefused, match=r"holds 50\. You can return at most 50\."):
        bring_back(casino, cashier, 5001)
    assert casino.chips.rack == 5000
    bring_back(casino, cashier, 5000)
    assert casino.chips.rack == 0
    assert faults() == []


def test_an_empty_rack_pays_what_is_won_all_the_same(
    casino: TableClient, ann: User, stack: Stack, cashier: Operator
) -> None:
    fill(casino, cashier, 5000)
    bring_back(casino, cashier, 5000)
    sit_down(casino, ann)
    win(casino, ann, stack)
    assert balance_of(ann) == 51_500
    assert faults() == []


def test_a_dealer_who_matches_bets_keeps_what_the_next_bets_need(
    ann: User, stack: Stack, cashier: Operator
) -> None:
    at = new_table("pot")
    rules, rack = at.row.rules, at.chips.rack
    assert rules.stakes is not None
    least = rules.seats * rules.stakes.minimum
    assert 0 < least < rack
    with pytest.raises(OperationRefused, match="can return at most"):
        bring_back(at, cashier, rack - least + 1)
    bring_back(at, cashier, rack - least)
    assert at.chips.rack == least
    sit_down(at, ann)
    stack(WIN)
    assert code(at.bet(ann, rules.stakes.minimum)) == "done"
    assert faults() == []


def test_no_chips_leave_while_they_may_be_needed(
    casino: TableClient, ann: User, ben: User, stack: Stack, cashier: Operator
) -> None:
    fill(casino, cashier, 5000)
    sit_down(casino, ann, ben)
    stack("Ts 9h 6h Kd 8d Kc Th 5s 5d")
    for player in (ann, ben):
        casino.bet(player, 1000)
        with pytest.raises(OperationRefused, match="between two rounds"):
            bring_back(casino, cashier, 1000)
    assert casino.view.asked is not None
    assert casino.chips.rack == 5000


def test_the_chips_of_a_closed_table_go_home(casino: TableClient, cashier: Operator) -> None:
    fill(casino, cashier, 5000)
    live = LiveTable.lock(casino.table_id, casino.now)
    host_commands.close_table(live)
    commit.commit_table(live)
    assert casino.row.closed_at is not None
    bring_back(casino, cashier, 5000)
    assert casino.chips.rack == 0
    assert faults() == []


def test_a_form_that_is_sent_twice_brings_chips_back_once(
    casino: TableClient, cashier: Operator
) -> None:
    fill(casino, cashier, 5000)
    last_act = rack_transfers.find_last_act(casino.row)
    bring_back(casino, cashier, 1000, after=last_act)
    with pytest.raises(ChangedMeanwhile):
        bring_back(casino, cashier, 1000, after=last_act)
    with pytest.raises(ChangedMeanwhile):
        fill(casino, cashier, 1000, after=last_act)
    assert casino.chips.rack == 4000


def test_where_nothing_is_staked_there_are_no_chips(cashier: Operator) -> None:
    with pytest.raises(NoStakes):
        bring_back(new_table("classic"), cashier, 1)


@pytest.fixture
def counter(stopped_writer: None, operator: Callable[..., User], client: Client) -> Client:
    client.force_login(operator("cashier"))
    return client


@pytest.mark.django_db(transaction=True)
def test_a_cashier_finds_a_rack_and_fills_it(counter: Client, casino: TableClient) -> None:
    page = f"/admin/tables/{casino.table_id}/fill/"
    assert f'href="{page}"' in counter.get("/admin/racks/").content.decode()
    after = counter.get(page).context["form"]["after"].value()
    sent = {"amount": "2,500.50", "reason": "For tonight.", "after": after}
    for _ in range(2):
        text = counter.post(page, sent).content.decode()
        assert "The bank gives 2,500.50 to the rack." in text
        assert "The rack changes from 0 to 2,500.50." in text
        owed = transfers.get_bank().balance
        assert f"The bank changes from {format_money(owed)} to" in text
        assert f"to {format_money(owed - 250_050)}." in text
        assert "Reason in the audit log: For tonight." in text
    assert casino.chips.rack == 0, "only previewed"
    again = counter.post(page, sent | {"back": "yes"}).content.decode()
    assert 'value="2,500.50"' in again
    assert 'name="sure"' not in again
    answers = [counter.post(page, sent | {"sure": "yes"}, follow=True) for _ in range(2)]
    assert casino.chips.rack == 250_050
    first, second = (" ".join(map(str, answer.context["messages"])) for answer in answers)
    assert first == "The rack was refilled. It changed from 0 to 2,500.50."
    assert "already done" in second


@pytest.mark.django_db(transaction=True)
def test_who_fills_a_rack_reads_that_it_moved_since_the_preview(
    counter: Client, casino: TableClient, ann: User, stack: Stack, boss: Operator
) -> None:
    fill(casino, boss, 50_000)
    page = f"/admin/tables/{casino.table_id}/fill/"
    sent = {"amount": "10", "reason": "Low.", "after": rack_transfers.find_last_act(casino.row)}
    previewed = counter.post(page, sent).context["form"]["previewed"].value()
    sit_down(casino, ann)
    win(casino, ann, stack)
    answer = counter.post(page, sent | {"previewed": previewed, "sure": "yes"}, follow=True)
    assert " ".join(map(str, answer.context["messages"])) == (
        "The rack was refilled. It changed from 485 to 495. "
        "Since the preview it had moved from 500 to 485."
    )
    assert casino.chips.rack == 49_500


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("amount", "0"), ("amount", "-5"), ("amount", "9" * 40), ("amount", "NaN"),
        ("amount", "1.001"), ("amount", ""), ("reason", ""), ("reason", "\u202e"),
        ("reason", "a\0"), ("after", "x"), ("after", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_read_fills_nothing(
    counter: Client, casino: TableClient, field: str, value: str
) -> None:
    sent: dict[str, Any] = {"amount": "10", "reason": "Low.", "after": 0, field: value}
    answer = counter.post(f"/admin/tables/{casino.table_id}/fill/", sent)
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [field]
    assert casino.chips.rack == 0


@pytest.mark.django_db(transaction=True)
def test_a_cashier_reads_what_it_comes_to_before_chips_come_back(
    counter: Client, casino: TableClient, boss: Operator
) -> None:
    fill(casino, boss, 5000)
    page = f"/admin/tables/{casino.table_id}/fill/back/"
    assert f'href="{page}"' in counter.get("/admin/racks/").content.decode()
    after = counter.get(page).context["form"]["after"].value()
    sent = {"amount": "12.50", "reason": "For another table.", "after": after}
    text = counter.post(page, sent).content.decode()
    assert "The bank gets 12.50. The transfer is recorded in your name." in text
    assert "The rack changes from 50 to 37.50." in text
    assert casino.chips.rack == 5000
    again = counter.post(page, sent | {"back": "yes"})
    assert 'value="12.50"' in again.content.decode()
    assert 'name="sure"' not in again.content.decode()
    for _ in range(2):
        answer = counter.post(page, sent | {"sure": "yes"}, follow=True)
    assert casino.chips.rack == 3750
    assert "already done" in " ".join(map(str, answer.context["messages"]))


@pytest.mark.django_db(transaction=True)
def test_more_than_there_is_has_no_preview_and_stays_in_the_form(
    counter: Client, casino: TableClient, boss: Operator
) -> None:
    fill(casino, boss, 5000)
    sent = {"amount": "51", "reason": "All.", "after": rack_transfers.find_last_act(casino.row)}
    answer = counter.post(f"/admin/tables/{casino.table_id}/fill/back/", sent)
    text = answer.content.decode()
    assert "The rack holds 50. You can return at most 50." in text
    assert "What will happen" not in text
    assert 'value="All."' in text


@pytest.mark.django_db(transaction=True)
def test_the_trail_says_in_words_that_chips_came_back(
    casino: TableClient, cashier: Operator, operator: Callable[..., User], client: Client
) -> None:
    fill(casino, cashier, 5000)
    bring_back(casino, cashier, 1000)
    client.force_login(operator("manager"))
    text = client.get("/admin/trail/").content.decode()
    assert "returned rack chips to the bank" in text
