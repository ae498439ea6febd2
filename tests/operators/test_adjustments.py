"""Wallets that operators adjust: how much, why, once, and taken back by a transfer of its own."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
import uuid
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.admin.site_settings import HouseSettingsForm
from accounts.audit_log import Operator
from accounts.ledger import adjustments, transfers
from accounts.ledger.adjustments import Adjustment
from accounts.ledger.transfers import Play, Posting
from accounts.lib.errors import OperationRefused
from accounts.models import Account, Act, HouseSettings, Transfer, User, WalletEntry
from tables.models import Round, Void
from tables.records.statement import StatementFilters, list_lines
from tests.helpers.rounds import faults
from tests.helpers.site import SETTINGS_FORM
from tests.helpers.table_client import TableClient, balance_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("stopped_writer"),
]

Role = Callable[..., User]
START = 50_000


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def adjust(
    by: User, user: User, amount: int, reason: str = "a test", key: uuid.UUID | None = None,
    now: dt.datetime | None = None,
) -> Adjustment:  # fmt: skip
    return adjustments.adjust(
        Operator(by.pk), user.pk, amount,
        key=key or uuid.uuid4(), reason=reason, now=now or timezone.now(),
    )  # fmt: skip


def reverse(by: User, transfer_id: int, reason: str = "a mistake") -> Adjustment:
    return adjustments.reverse(Operator(by.pk), transfer_id, reason=reason, now=timezone.now())


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def limits(at_once: int, a_day: int) -> None:
    HouseSettings.objects.update(adjustment_limit=at_once, adjustment_day_limit=a_day)


# What moves


def test_the_bank_gives_what_a_wallet_gets(operator: Role, ann: User) -> None:
    cashier = operator("cashier")
    owed = transfers.get_bank().balance
    adjustment = adjust(cashier, ann, 1250)
    assert balance_of(ann) == START + 1250 == adjustment.balance
    assert transfers.get_bank().balance == owed - 1250
    assert faults() == []


def test_the_bank_takes_what_is_taken_from_a_wallet(operator: Role, ann: User) -> None:
    cashier = operator("cashier")
    adjustment = adjust(cashier, ann, -1250)
    transfer = Transfer.objects.get(pk=adjustment.transfer_id)
    assert balance_of(ann) == START - 1250
    assert (transfer.kind, transfer.amount, transfer.by) == ("adjustment", 1250, cashier)
    assert faults() == []


def test_a_wallet_never_goes_below_zero(operator: Role, ann: User) -> None:
    with pytest.raises(OperationRefused, match="holds 500"):
        adjust(operator("manager"), ann, -START - 1)
    adjust(User.objects.get(username="manager"), ann, -START)
    assert balance_of(ann) == 0


@pytest.mark.parametrize("amount", [0, 10**15, -(10**15)])
def test_what_is_no_amount_is_not_moved(operator: Role, ann: User, amount: int) -> None:
    with pytest.raises(OperationRefused, match="a valid amount"):
        adjust(operator("manager"), ann, amount)
    assert balance_of(ann) == START


def test_nobody_adjusts_their_own_wallet(operator: Role) -> None:
    manager = operator("manager")
    with pytest.raises(OperationRefused, match="own wallet"):
        adjust(manager, manager, 1)
    assert balance_of(manager) == START


def test_the_wallet_of_a_deleted_account_stays_empty(operator: Role, ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(is_active=False)
    with pytest.raises(OperationRefused, match="deleted"):
        adjust(operator("manager"), ann, 1)


def test_the_wallet_of_a_frozen_player_is_adjusted_as_any_other(operator: Role, ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(is_active=False, frozen_at=timezone.now())
    assert adjust(operator("manager"), ann, 1).balance == START + 1


def test_somebody_without_a_wallet_has_nothing_to_adjust(operator: Role) -> None:
    nobody = User.objects.create_user("nobody")
    with pytest.raises(OperationRefused, match="no wallet yet"):
        adjust(operator("manager"), nobody, 1)


def test_the_trail_has_who_why_and_both_balances(operator: Role, ann: User) -> None:
    adjustment = adjust(operator("cashier"), ann, 100, "lost in the storm")
    act = Act.objects.get()
    assert (act.by.username, act.what, act.subject) == ("cashier", "adjust", f"user:{ann.pk}")
    assert act.before == {"balance": START}
    assert act.after == {"balance": START + 100, "transfer": adjustment.transfer_id}
    assert act.reason == "lost in the storm"


def test_a_refused_adjustment_leaves_no_trace(operator: Role, ann: User) -> None:
    before = Transfer.objects.count()
    with pytest.raises(OperationRefused):
        adjust(operator("manager"), ann, -START - 1)
    assert (Act.objects.count(), Transfer.objects.count()) == (0, before + 1)  # the manager's grant


# Once


def test_the_same_form_twice_is_done_once(operator: Role, ann: User) -> None:
    cashier, key = operator("cashier"), uuid.uuid4()
    first, second = (adjust(cashier, ann, 100, key=key) for _ in range(2))
    assert (first.is_new, second.is_new) == (True, False)
    assert second.transfer_id == first.transfer_id
    assert (balance_of(ann), Act.objects.count()) == (START + 100, 1)


@pytest.mark.parametrize("amount", [200, -100])
def test_the_same_form_with_another_amount_is_refused(
    operator: Role, ann: User, amount: int
) -> None:
    cashier, key = operator("cashier"), uuid.uuid4()
    adjust(cashier, ann, 100, key=key)
    with pytest.raises(OperationRefused, match="already used"):
        adjust(cashier, ann, amount, key=key)


def test_the_same_form_for_somebody_else_is_refused(operator: Role, ann: User, ben: User) -> None:
    cashier, key = operator("cashier"), uuid.uuid4()
    adjust(cashier, ann, 100, key=key)
    with pytest.raises(OperationRefused, match="already used"):
        adjust(cashier, ben, 100, key=key)
    assert balance_of(ben) == START


# The limits


def test_a_cashier_moves_no_more_at_a_time_than_the_house_allows(operator: Role, ann: User) -> None:
    limits(1000, 5000)
    cashier = operator("cashier")
    for amount in (1001, -1001):
        with pytest.raises(OperationRefused, match="at most 10 at a time"):
            adjust(cashier, ann, amount)
    assert adjust(cashier, ann, 1000).balance == START + 1000


def test_a_cashier_moves_no_more_in_a_day_both_ways_counted(operator: Role, ann: User) -> None:
    limits(1000, 2500)
    cashier = operator("cashier")
    adjust(cashier, ann, 1000)
    adjust(cashier, ann, -1000)
    with pytest.raises(OperationRefused, match=r"at most 5 more today"):
        adjust(cashier, ann, 501)
    assert adjust(cashier, ann, 500).is_new
    with pytest.raises(OperationRefused, match=r"at most 0 more today"):
        adjust(cashier, ann, 1)


def test_a_reversal_counts_against_the_day_too(operator: Role, ann: User) -> None:
    limits(1000, 2500)
    cashier = operator("cashier")
    adjustment = adjust(cashier, ann, 1000)
    reverse(cashier, adjustment.transfer_id)
    assert adjustments.sum_moved_today(cashier.pk, timezone.now()) == 2000
    other = adjust(cashier, ann, 500)
    with pytest.raises(OperationRefused, match=r"at most 0 more today"):
        reverse(cashier, other.transfer_id)


def test_each_cashier_has_a_day_of_their_own(operator: Role, ann: User) -> None:
    limits(1000, 1000)
    adjust(operator("cashier"), ann, 1000)
    assert adjust(operator("cashier", "carol"), ann, 1000).balance == START + 2000


def test_the_next_day_begins_at_midnight_utc(operator: Role, ann: User) -> None:
    limits(1000, 1000)
    cashier = operator("cashier")
    late = dt.datetime(2126, 3, 1, 23, 59, 59, tzinfo=dt.UTC)
    adjust(cashier, ann, 1000, now=late)
    with pytest.raises(OperationRefused):
        adjust(cashier, ann, 1, now=late)
    assert adjust(cashier, ann, 1000, now=late + dt.timedelta(seconds=1)).is_new


def test_a_manager_has_no_limit(operator: Role, ann: User) -> None:
    limits(1000, 1000)
    assert adjust(operator("manager"), ann, 1_000_000).balance == START + 1_000_000


def test_what_a_void_moved_does_not_count(operator: Role, ann: User) -> None:
    manager = operator("manager")
    with transaction.atomic():
        cover = Posting(
            Transfer.Kind.ADJUSTMENT,
            transfers.get_bank().pk,
            ann.wallet.pk,
            700,
            "void:1/cover/user:1",
        )
        transfers.post([cover], at=timezone.now(), by=manager.pk)
    assert adjustments.sum_moved_today(manager.pk, timezone.now()) == 0


def test_the_sum_of_a_day_is_found_by_indexes(operator: Role, ann: User) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("plans are told in SQLite's words")
    adjust(operator("cashier"), ann, 100)
    with CaptureQueriesContext(connection) as queries:
        adjustments.sum_moved_today(1, timezone.now())
    plans = []
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plans += [row[3] for row in cursor.fetchall()]
    assert not [step for step in plans if "SCAN accounts_transfer" in step and "INDEX" not in step]
    assert sum("by_kind" in step for step in plans) == 4, plans


# Reversed


def test_a_reversal_is_whole_and_linked(operator: Role, ann: User) -> None:
    cashier = operator("cashier")
    adjustment = adjust(cashier, ann, 1250)
    back = reverse(cashier, adjustment.transfer_id, "wrong player")
    transfer = Transfer.objects.get(pk=back.transfer_id)
    assert (transfer.kind, transfer.amount) == ("reversal", 1250)
    assert transfer.reverses_id == adjustment.transfer_id
    assert balance_of(ann) == START == back.balance
    act = Act.objects.get(what="reverse")
    assert act.reason == "wrong player"
    assert act.after == {
        "balance": START, "transfer": back.transfer_id, "reverses": adjustment.transfer_id,
    }  # fmt: skip
    assert faults() == []


def test_what_was_taken_comes_back(operator: Role, ann: User) -> None:
    cashier = operator("cashier")
    adjustment = adjust(cashier, ann, -300)
    reverse(cashier, adjustment.transfer_id)
    assert balance_of(ann) == START


def test_it_is_reversed_once_whoever_asks_again(operator: Role, ann: User) -> None:
    adjustment = adjust(operator("cashier"), ann, 100)
    assert reverse(operator("manager"), adjustment.transfer_id).is_new
    again = reverse(operator("cashier", "carol"), adjustment.transfer_id)
    assert not again.is_new
    assert balance_of(ann) == START
    assert Transfer.objects.filter(kind="reversal").count() == 1


def test_a_reversal_is_not_reversed(operator: Role, ann: User) -> None:
    manager = operator("manager")
    back = reverse(manager, adjust(manager, ann, 100).transfer_id)
    with pytest.raises(OperationRefused, match="You can't reverse a reversal"):
        reverse(manager, back.transfer_id)


def test_other_transfers_are_not_reversed_here(
    operator: Role, ann: User, casino: TableClient
) -> None:
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    manager = operator("manager")
    for kind in ("grant", "fill"):
        transfers.post(
            [transfers.rack_fill(casino.row.rack_id, 5, f"test/{kind}")], at=timezone.now()
        )
        transfer = Transfer.objects.filter(kind=kind).first()
        assert transfer is not None
        with pytest.raises(OperationRefused, match="You can only reverse adjustments"):
            reverse(manager, transfer.pk)
    with pytest.raises(OperationRefused, match="No such transfer"):
        reverse(manager, 10**15)


def test_what_was_spent_meanwhile_is_not_taken_back(operator: Role, ann: User) -> None:
    manager = operator("manager")
    adjustment = adjust(manager, ann, 1000)
    adjust(manager, ann, -START - 500)
    with pytest.raises(OperationRefused, match="holds 5"):
        reverse(manager, adjustment.transfer_id)


def test_nobody_reverses_in_their_own_wallet(operator: Role) -> None:
    cashier = operator("cashier")
    adjustment = adjust(operator("manager"), cashier, -100)
    with pytest.raises(OperationRefused, match="own wallet"):
        reverse(cashier, adjustment.transfer_id)


# The pages


def form_of(client: Client, user: User, **fields: str) -> dict[str, str]:
    """The fields of the empty form, filled in."""
    page = client.get(f"/admin/players/{user.pk}/adjust/").content.decode()
    key = re.search(r'name="key" value="([^"]+)"', page)
    assert key
    filled = {"way": "give", "amount": "12.50", "reason": "a storm", "key": key[1]}
    return filled | fields


def test_the_form_says_what_will_happen_before_it_happens(operator: Role, ann: User) -> None:
    client = browser_of(operator("cashier"))
    form = form_of(client, ann)
    page = " ".join(client.post(f"/admin/players/{ann.pk}/adjust/", form).content.decode().split())
    assert "The bank gives 12.50 to ann." in page
    assert "The wallet changes from 500 to 512.50." in page
    assert balance_of(ann) == START
    answer = client.post(f"/admin/players/{ann.pk}/adjust/", form | {"sure": "yes"}, follow=True)
    assert answer.redirect_chain == [(f"/admin/players/{ann.pk}/statement/", 302)]
    assert "The wallet of ann was adjusted. It now holds 512.50." in answer.content.decode()
    assert balance_of(ann) == START + 1250


def test_a_button_pressed_twice_moves_once_and_says_so(operator: Role, ann: User) -> None:
    client = browser_of(operator("cashier"))
    form = form_of(client, ann, way="take") | {"sure": "yes"}
    for _ in range(2):
        answer = client.post(f"/admin/players/{ann.pk}/adjust/", form, follow=True)
    assert "That was already done." in answer.content.decode()
    assert balance_of(ann) == START - 1250


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": ""}, {"amount": "0"}, {"amount": "-5"}, {"amount": "1.005"}, {"amount": "NaN"},
        {"amount": "1e400"}, {"amount": "9" * 400}, {"reason": ""}, {"reason": "  "},
        {"reason": "a\0b"}, {"reason": "x" * 201}, {"way": "keep"}, {"key": "x"}, {"key": ""},
    ],
)  # fmt: skip
def test_a_form_that_is_not_filled_in_right_moves_nothing(
    operator: Role, ann: User, wrong: dict[str, str]
) -> None:
    client = browser_of(operator("manager"))
    form = form_of(client, ann) | wrong | {"sure": "yes"}
    answer = client.post(f"/admin/players/{ann.pk}/adjust/", form)
    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()
    assert balance_of(ann) == START


def test_commas_between_thousands_are_read(operator: Role, ann: User) -> None:
    client = browser_of(operator("manager"))
    form = form_of(client, ann, amount="1,000.50") | {"sure": "yes"}
    client.post(f"/admin/players/{ann.pk}/adjust/", form)
    assert balance_of(ann) == START + 100_050


def test_a_refusal_is_said_in_the_form(operator: Role, ann: User) -> None:
    limits(1000, 1000)
    client = browser_of(operator("cashier"))
    form = form_of(client, ann) | {"sure": "yes"}
    page = client.post(f"/admin/players/{ann.pk}/adjust/", form).content.decode()
    assert "You can adjust at most 10 at a time." in page


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"amount": "11"}, "You can adjust at most 10 at a time."),
        ({"amount": "501", "way": "take"}, "The wallet holds 500 and can&#x27;t go below zero."),
    ],
)
def test_what_would_be_refused_has_no_preview_and_stays_in_the_form(
    operator: Role, ann: User, form: dict[str, str], message: str
) -> None:
    limits(1000 if form["amount"] == "11" else 10**9, 10**9)
    client = browser_of(operator("cashier"))
    page = client.post(f"/admin/players/{ann.pk}/adjust/", form_of(client, ann, **form))
    text = page.content.decode()
    assert message in text
    assert "What will happen" not in text
    assert 'name="sure"' not in text
    assert f'value="{form["amount"]}"' in text
    assert 'value="a storm"' in text


def test_who_begins_again_finds_what_was_typed(operator: Role, ann: User) -> None:
    client = browser_of(operator("cashier"))
    form = form_of(client, ann, way="take")
    preview = client.post(f"/admin/players/{ann.pk}/adjust/", form).content.decode()
    assert 'name="back"' in preview
    text = client.post(f"/admin/players/{ann.pk}/adjust/", form | {"back": "yes"}).content.decode()
    assert "What will happen" not in text
    assert 'value="12.50"' in text
    assert 'value="a storm"' in text
    assert re.search(r'value="take"[^>]* checked', text)
    assert f'value="{form["key"]}"' in text
    assert balance_of(ann) == START


@pytest.mark.parametrize("amount", [1, -1, 1000, 1001, -START, -START - 1, 3000, 0, 10**15])
def test_a_preview_refuses_what_the_act_refuses(operator: Role, ann: User, amount: int) -> None:
    limits(1000, 2500)
    cashier = operator("cashier")

    def come_to(do: Callable[[], int]) -> int | str:
        try:
            return do()
        except OperationRefused as refused:
            return str(refused)

    by, now = Operator(cashier.pk), timezone.now()
    before = come_to(lambda: adjustments.preview(by, ann.pk, amount, now=now).after)
    assert before == come_to(lambda: adjust(cashier, ann, amount, now=now).balance)


def test_an_adjustment_that_cannot_be_reversed_is_not_offered(operator: Role, ann: User) -> None:
    cashier = operator("cashier")
    adjustment = adjust(cashier, ann, 1250)
    limits(1000, 10**9)
    address = f"/admin/players/{ann.pk}/reverse/{adjustment.transfer_id}/"
    client = browser_of(cashier)
    answer = client.get(address, follow=True)
    assert answer.redirect_chain == [(f"/admin/players/{ann.pk}/statement/", 302)]
    assert "You can adjust at most 10 at a time." in answer.content.decode()
    limits(10**9, 10**9)
    assert "What will happen" in client.get(address).content.decode()
    reverse(cashier, adjustment.transfer_id)
    answer = client.get(address, follow=True)
    assert "This adjustment has already been reversed." in answer.content.decode()


def test_the_page_of_a_reversal_says_what_will_happen_and_wants_a_reason(
    operator: Role, ann: User
) -> None:
    cashier = operator("cashier")
    adjustment = adjust(cashier, ann, 1250)
    client = browser_of(cashier)
    statement = client.get(f"/admin/players/{ann.pk}/statement/").content.decode()
    address = f"/admin/players/{ann.pk}/reverse/{adjustment.transfer_id}/"
    assert f'href="{address}"' in statement
    assert "takes back the 12.50 it gave ann" in client.get(address).content.decode()
    client.post(address, {"reason": ""})
    assert balance_of(ann) == START + 1250
    answer = client.post(address, {"reason": "wrong player"}, follow=True)
    assert "The adjustment was reversed." in answer.content.decode()
    assert f'href="{address}"' not in answer.content.decode()
    assert (
        "was already reversed"
        in client.post(address, {"reason": "again"}, follow=True).content.decode()
    )
    assert balance_of(ann) == START


def test_the_page_of_somebody_elses_transfer_is_not_there(
    operator: Role, ann: User, ben: User
) -> None:
    cashier = operator("cashier")
    adjustment = adjust(cashier, ann, 1250)
    address = f"/admin/players/{ben.pk}/reverse/{adjustment.transfer_id}/"
    assert browser_of(cashier).get(address).status_code == 404


# What the player reads


def test_the_statement_says_that_the_house_did_it_and_why(operator: Role, ann: User) -> None:
    cashier = operator("cashier")
    adjustment = adjust(cashier, ann, 1250, "the storm of <Friday>")
    reverse(cashier, adjustment.transfer_id, "it was sunny")
    page = browser_of(ann).get("/statement/").content.decode()
    assert "adjusted by an operator" in page
    assert "Reason: the storm of &lt;Friday&gt;" in page
    assert "Adjustment reversed" in page
    assert "Reason: it was sunny" in page
    assert "cashier" not in page
    assert ": correct." in page


def test_the_statement_is_filtered_by_what_the_house_did(operator: Role, ann: User) -> None:
    cashier = operator("cashier")
    adjustment = adjust(cashier, ann, 1250)
    reverse(cashier, adjustment.transfer_id)
    for kind in ("adjustment", "reversal"):
        lines = list_lines(ann.pk, StatementFilters(kind)).lines
        assert [line.words.kind for line in lines] == [kind]
        assert browser_of(ann).get(f"/statement/?kind={kind}").status_code == 200


def test_the_file_has_the_reasons(operator: Role, ann: User) -> None:
    adjust(operator("cashier"), ann, 1250, "=1+1")
    streamed = browser_of(ann).get("/statement.csv").streaming_content
    _head, first, second = csv.reader(io.StringIO(b"".join(streamed).decode()))
    assert first[1:] == [
        "adjusted by an operator", "", "", "the bank", "12.50", "512.50", "'=1+1", "",
    ]  # fmt: skip
    assert second[-2:] == ["", ""]


def test_two_adjustments_at_one_moment_keep_their_own_reasons(operator: Role, ann: User) -> None:
    cashier, now = operator("cashier"), timezone.now()
    for reason in ("first", "second"):
        adjust(cashier, ann, 10, reason, now=now)
    lines = list_lines(ann.pk, StatementFilters()).lines
    assert [line.words.because for line in lines] == ["second", "first", ""]


def test_what_a_void_moved_is_told_with_its_round_and_reason(
    operator: Role, ann: User, casino: TableClient, stack: Callable[..., None]
) -> None:
    stack("Ts 9h Td 7c Ts")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    round_, manager, now = Round.objects.get(), operator("manager"), timezone.now()
    Void.objects.create(
        round=round_, status="done", reason="a card fell", asked_by=manager, asked_at=now
    )
    stake, paid = WalletEntry.objects.get(kind="stake"), WalletEntry.objects.get(kind="payout")
    kind, wallet = Transfer.Kind.REVERSAL, Account.objects.get(user=ann)
    with transaction.atomic():
        transfers.post(
            [
                Play(kind, wallet.pk, -stake.amount, round_.pk, "void/1", stake.pk),
                Posting(
                    Transfer.Kind.ADJUSTMENT, transfers.get_bank().pk, wallet.pk, 5,
                    f"void:{round_.pk}/cover/user:{ann.pk}",
                ),
                Play(kind, wallet.pk, -paid.amount, round_.pk, "void/2", paid.pk),
            ],
            at=now, by=manager.pk,
        )  # fmt: skip
    lines = [
        (line.words.what, line.words.because, line.words.round and line.words.round.id)
        for line in list_lines(ann.pk, StatementFilters()).lines[:3]
    ]
    assert lines == [
        ("payout reversed: the round is void", "a card fell", round_.pk),
        ("covered by the bank: a round is void", "a card fell", round_.pk),
        ("bet returned: the round is void", "a card fell", round_.pk),
    ]


def test_a_statement_without_the_house_asks_nothing_more(
    operator: Role, ann: User, ben: User
) -> None:
    with CaptureQueriesContext(connection) as plain:
        list_lines(ben.pk, StatementFilters())
    adjust(operator("cashier"), ann, 5)
    with CaptureQueriesContext(connection) as adjusted:
        list_lines(ann.pk, StatementFilters())
    assert len(adjusted) == len(plain) + 1


# The settings


def test_the_settings_of_the_house_are_written_in_units(db: None) -> None:
    olga = User.objects.create_superuser("olga")
    client = browser_of(olga)
    page = client.get("/admin/accounts/housesettings/1/change/").content.decode()
    assert 'name="adjustment_limit" value="1,000"' in page
    new_limits = SETTINGS_FORM | {"adjustment_limit": "950.50"}
    client.post("/admin/accounts/housesettings/1/change/", new_limits)
    settings = HouseSettings.objects.get()
    assert (settings.adjustment_limit, settings.adjustment_day_limit) == (95_050, 500_000)
    act = Act.objects.get()
    assert (act.before, act.after) == (
        {"adjustment_limit": 100_000}, {"adjustment_limit": 95_050},
    )  # fmt: skip
    assert "950.50" in client.get("/admin/accounts/housesettings/").content.decode()


def test_who_may_only_view_the_settings_reads_the_same_values(
    operator: Callable[..., User],
) -> None:
    page = browser_of(operator("floor")).get("/admin/accounts/housesettings/1/change/")
    fields = {
        field.field["name"].removeprefix("view_only_"): field.contents()
        for part in page.context["adminform"]
        for line in part
        for field in line
    }
    assert (fields["adjustment_limit"], fields["starting_money"]) == ("1,000", "500")
    assert (fields["day_hour"], fields["second_factor_roles"]) == ("00:00", "manager")
    assert fields["languages"] == "English, Deutsch, Español, Français"
    assert "in hundredths" not in page.content.decode()


@pytest.mark.parametrize("wrong", ["", "-1", "0.001", "NaN", "1" * 30])
def test_settings_that_are_no_amounts_change_nothing(db: None, wrong: str) -> None:
    client = browser_of(User.objects.create_superuser("olga"))
    client.post(
        "/admin/accounts/housesettings/1/change/",
        SETTINGS_FORM | {"adjustment_limit": wrong, "adjustment_day_limit": "1"},
    )
    assert HouseSettings.objects.get().adjustment_day_limit == 500_000


def test_settings_that_are_changed_leave_alone_what_changes_at_the_same_time(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser_of(User.objects.create_superuser("olga"))
    now, read = timezone.now(), HouseSettingsForm.is_valid

    def somebody_else_is_quicker(form: HouseSettingsForm) -> bool:
        HouseSettings.objects.update(maintenance_at=now, announcement="Hello.", void_limit=7)
        return read(form)

    monkeypatch.setattr(HouseSettingsForm, "is_valid", somebody_else_is_quicker)
    client.post(
        "/admin/accounts/housesettings/1/change/",
        SETTINGS_FORM | {"rebuy_hours": "12"},
    )
    house = HouseSettings.objects.get()
    assert house.rebuy_hours == 12
    assert (house.maintenance_at, house.announcement, house.void_limit) == (now, "Hello.", 7)
