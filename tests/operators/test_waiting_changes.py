"""Raised limits and new managers wait: for 24 hours, or for a second operator."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.ledger import adjustments
from accounts.lib.errors import OperationRefused
from accounts.models import Act, HouseSettings, User, WaitingChange
from accounts.staff import assignment, invites, roles, waiting_changes
from accounts.staff.second_operator import LEAST_TIME
from tables.game import account_deletion
from tables.operators import dashboard
from tables.operators.audit_log.search import AuditLogFilters, list_entries
from tables.operators.players import freezing
from tests.helpers.site import SETTINGS_FORM
from tests.helpers.table_client import new_player

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("stopped_writer"),
]

Role = Callable[..., User]
SETTINGS = "/admin/accounts/housesettings/1/change/"
HOUR = dt.timedelta(hours=1)
VOIDS, RAISED = 100_000, 500_000


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def mia(operator: Role) -> User:
    """A manager."""
    return operator("manager", "mia")


@pytest.fixture
def max_(operator: Role) -> User:
    """Another manager."""
    return operator("manager", "max")


@pytest.fixture
def now(db: None) -> dt.datetime:
    return timezone.now()


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def change(by: User, value: int, now: dt.datetime, name: str = "void_limit") -> None:
    waiting_changes.change_limits(Operator(by.pk), {name: value}, now)


def ask(by: User, value: int, now: dt.datetime, name: str = "void_limit") -> WaitingChange:
    change(by, value, now, name)
    return WaitingChange.objects.latest("pk")


def approve(change: WaitingChange, by: User, now: dt.datetime) -> None:
    waiting_changes.approve(change.pk, Operator(by.pk), now)


def limit(now: dt.datetime) -> int:
    return waiting_changes.load_settings(now).void_limit


def form(**fields: str) -> dict[str, Any]:
    return SETTINGS_FORM | fields


# The time


def test_case_72_a_raised_limit_takes_effect_after_24_hours(mia: User, now: dt.datetime) -> None:
    ask(mia, RAISED, now)
    assert limit(now) == VOIDS
    assert limit(now + LEAST_TIME - dt.timedelta(seconds=1)) == VOIDS
    assert limit(now + LEAST_TIME) == RAISED
    assert HouseSettings.objects.get().void_limit == VOIDS, "no job is needed for it"


def test_the_history_of_the_settings_has_the_limits(
    mia: User, max_: User, now: dt.datetime
) -> None:
    waiting = ask(mia, RAISED, now)
    waiting_changes.approve(waiting.pk, Operator(max_.pk), now)
    page = browser_of(mia).get(f"{SETTINGS[: -len('change/')]}history/", follow=True)
    assert page.redirect_chain[-1][0] == "/admin/trail/?subject=housesettings%3A1"
    assert "5,000" in page.content.decode()


def test_the_limits_of_adjustments_are_read_by_the_same_function(
    mia: User, operator: Role, ann: User, now: dt.datetime
) -> None:
    cashier = operator("cashier")
    ask(mia, 300_000, now, "adjustment_limit")

    def adjust(at: dt.datetime) -> None:
        adjustments.adjust(
            Operator(cashier.pk), ann.pk, 200_000, key=uuid.uuid4(), reason="x", now=at
        )

    with pytest.raises(OperationRefused, match="at most 1,000 at a time"):
        adjust(now + LEAST_TIME - HOUR)
    assert adjustments.adjustment_limits(cashier, now + LEAST_TIME).at_once == 300_000
    adjust(now + LEAST_TIME)


def test_that_it_took_effect_is_in_the_trail_once(mia: User, now: dt.datetime) -> None:
    ask(mia, RAISED, now)
    assert waiting_changes.apply_due(now + HOUR) == []
    assert HouseSettings.objects.get().void_limit == VOIDS
    for _ in range(2):
        waiting_changes.apply_due(now + LEAST_TIME + HOUR)
    assert HouseSettings.objects.get().void_limit == RAISED
    assert [act.what for act in Act.objects.order_by("pk")] == ["ask_change", "take_effect"]
    entry = list_entries(AuditLogFilters()).entries[0]
    assert {(each.name, each.before, each.after) for each in entry.changed} >= {
        ("maximum void without approval", "1,000", "5,000"), ("requested by", "–", "mia"),
    }  # fmt: skip


# The second operator


def test_a_second_operator_puts_it_into_effect_at_once(
    mia: User, max_: User, now: dt.datetime
) -> None:
    change = ask(mia, RAISED, now)
    approve(change, max_, now + HOUR)
    assert limit(now + HOUR) == RAISED
    act = Act.objects.latest("pk")
    assert (act.what, act.by, act.before) == ("approve_change", max_, {"void_limit": VOIDS})
    assert act.after == {"void_limit": RAISED, "asked_by": "mia"}
    with pytest.raises(OperationRefused, match="max has already approved"):
        approve(change, max_, now + HOUR)


def test_nobody_approves_what_they_request(mia: User, now: dt.datetime) -> None:
    olga = User.objects.create_superuser("olga")
    for number, by in enumerate((mia, olga)):
        with pytest.raises(OperationRefused, match="another operator must approve"):
            approve(ask(by, RAISED + number, now), by, now)
    assert limit(now) == VOIDS
    approve(ask(mia, RAISED, now), olga, now)
    assert limit(now) == RAISED, "a superuser is a second operator"


@pytest.mark.parametrize("role", ["floor", "cashier"])
def test_a_role_without_the_permission_decides_nothing(
    role: str, mia: User, operator: Role, now: dt.datetime
) -> None:
    change, by = ask(mia, RAISED, now), operator(role)
    with pytest.raises(OperationRefused, match="does not have access"):
        approve(change, by, now)
    with pytest.raises(OperationRefused, match="does not have access"):
        waiting_changes.refuse(change.pk, Operator(by.pk), "", now)
    assert limit(now) == VOIDS


def test_who_is_new_in_the_role_approves_nothing(mia: User, max_: User, now: dt.datetime) -> None:
    change = ask(mia, RAISED, now)
    User.objects.filter(pk=max_.pk).update(role_since=now - LEAST_TIME + HOUR)
    with pytest.raises(OperationRefused, match="less than 24 hours"):
        approve(change, max_, now)
    approve(change, max_, now + HOUR)


def test_who_was_dismissed_or_frozen_meanwhile_approves_nothing(
    mia: User, max_: User, now: dt.datetime
) -> None:
    change = ask(mia, RAISED, now)
    User.objects.filter(pk=max_.pk).update(is_active=False, frozen_at=now)
    with pytest.raises(OperationRefused, match="does not have access"):
        approve(change, max_, now)


@pytest.mark.parametrize(("by", "status"), [("mia", "withdrawn"), ("max", "refused")])
def test_who_asked_and_any_other_manager_can_end_it(
    by: str, status: str, mia: User, max_: User, now: dt.datetime
) -> None:
    change, who = ask(mia, RAISED, now), {"mia": mia, "max": max_}[by]
    waiting_changes.refuse(change.pk, Operator(who.pk), "Too much.", now)
    change.refresh_from_db()
    assert (change.status, change.decided_by) == (status, who)
    assert limit(now + LEAST_TIME) == VOIDS
    act = Act.objects.latest("pk")
    assert (act.what, act.by, act.reason) == ("refuse_change", who, "Too much.")
    with pytest.raises(OperationRefused, match=f"{by} has already"):
        approve(change, max_, now)


def test_nobody_ends_what_is_in_effect(mia: User, max_: User, now: dt.datetime) -> None:
    change = ask(mia, RAISED, now)
    with pytest.raises(OperationRefused, match="already taken effect"):
        waiting_changes.refuse(change.pk, Operator(max_.pk), "", now + LEAST_TIME)
    assert limit(now + LEAST_TIME) == RAISED


# Raised again, lowered


def test_another_raise_begins_its_24_hours_anew(mia: User, max_: User, now: dt.datetime) -> None:
    first = ask(mia, VOIDS + 1, now)
    second = ask(mia, RAISED, now + 23 * HOUR)
    assert limit(now + LEAST_TIME) == VOIDS
    assert limit(now + 23 * HOUR + LEAST_TIME) == RAISED
    with pytest.raises(OperationRefused, match="replaced this by another"):
        approve(first, max_, now + 23 * HOUR)
    approve(second, max_, now + 23 * HOUR)


def test_the_same_raise_again_changes_nothing(mia: User, max_: User, now: dt.datetime) -> None:
    """Nor does it make the other one the asker: then the first could approve it."""
    ask(mia, RAISED, now)
    ask(max_, RAISED, now + HOUR)
    change = WaitingChange.objects.get()
    assert (change.asked_by, change.takes_effect_at) == (mia, now + LEAST_TIME)


def test_a_lower_limit_applies_at_once_and_ends_the_raise(mia: User, now: dt.datetime) -> None:
    ask(mia, RAISED, now)
    ask(mia, 50_000, now + HOUR)
    assert limit(now + HOUR) == 50_000
    assert limit(now + 3 * LEAST_TIME) == 50_000
    assert WaitingChange.objects.get().status == "withdrawn"


def test_back_to_what_it_was_is_a_raise_as_well(mia: User, now: dt.datetime) -> None:
    """Two steps are not faster than one."""
    change(mia, 50_000, now)
    change(mia, VOIDS, now)
    assert limit(now) == 50_000
    assert limit(now + LEAST_TIME) == VOIDS


def test_a_raise_after_one_that_is_in_effect_goes_by_that(mia: User, now: dt.datetime) -> None:
    ask(mia, RAISED, now)
    later = now + LEAST_TIME
    ask(mia, VOIDS + 1, later)
    assert limit(later) == VOIDS + 1, "less than what is in effect, so at once"
    assert WaitingChange.objects.get().status == "done"


# Who loses the role


@pytest.mark.parametrize("way", ["dismissed", "frozen", "deleted"])
def test_what_an_operator_requested_goes_with_the_role(
    way: str, mia: User, max_: User, now: dt.datetime
) -> None:
    ask(mia, RAISED, now)
    olga = Operator(User.objects.create_superuser("olga").pk)
    if way == "dismissed":
        assignment.assign(olga, mia.pk, ["floor"], now)
    elif way == "frozen":
        freezing.freeze(olga, mia.pk, "x", now)
    else:
        account_deletion.delete_account(mia.pk, now)
    assert limit(now + LEAST_TIME) == VOIDS
    assert WaitingChange.objects.get().status == "withdrawn"


def test_freezing_who_asked_takes_back_nothing_that_is_in_effect(
    mia: User, now: dt.datetime
) -> None:
    ask(mia, RAISED, now)
    olga = Operator(User.objects.create_superuser("olga").pk)
    freezing.freeze(olga, mia.pk, "x", now + LEAST_TIME)
    assert limit(now + LEAST_TIME) == RAISED


@pytest.mark.parametrize("way", ["role", "superuser", "frozen", "deleted"])
def test_what_was_requested_for_a_user_goes_with_what_is_taken_from_them(
    way: str, mia: User, ann: User, now: dt.datetime
) -> None:
    olga = Operator(User.objects.create_superuser("olga").pk)
    assignment.assign(olga, ann.pk, ["floor"], now, is_superuser=False)
    assignment.assign(Operator(mia.pk), ann.pk, ["floor", "manager"], now)
    if way == "role":
        assignment.assign(olga, ann.pk, [], now)
    elif way == "superuser":
        assignment.assign(olga, ann.pk, ["floor"], now, is_superuser=True)
        assert WaitingChange.objects.get().status == "waiting"
        assignment.assign(olga, ann.pk, ["floor"], now, is_superuser=False)
    elif way == "frozen":
        freezing.freeze(olga, ann.pk, "x", now)
    else:
        account_deletion.delete_account(ann.pk, now)
    assert WaitingChange.objects.get().status == "withdrawn"
    assert waiting_changes.apply_due(now + LEAST_TIME) == []
    assert "manager" not in roles.list_roles(ann)


@pytest.mark.parametrize("role", ["floor", "manager"])
@pytest.mark.parametrize(
    ("what", "why"),
    [
        ({"is_active": False, "frozen_at": timezone.now()}, "has frozen this account"),
        ({"is_guest": True}, "guest can't be an operator"),
        ({"approval": "waiting"}, "approve this account first"),
    ],
)
def test_who_could_not_accept_an_invite_is_given_no_role_either(
    what: dict[str, Any], why: str, role: str, mia: User, ann: User, now: dt.datetime
) -> None:
    User.objects.filter(pk=ann.pk).update(**what)
    with pytest.raises(OperationRefused, match=why):
        assignment.assign(Operator(mia.pk), ann.pk, [role], now)
    assert roles.list_roles(ann) == []
    assert not WaitingChange.objects.exists()


def test_a_role_of_a_frozen_operator_can_be_taken(mia: User, ann: User, now: dt.datetime) -> None:
    assignment.assign(Operator(mia.pk), ann.pk, ["cashier", "floor"], now)
    User.objects.filter(pk=ann.pk).update(is_active=False, frozen_at=now)
    assignment.assign(Operator(mia.pk), ann.pk, ["cashier"], now)
    assert roles.list_roles(ann) == ["cashier"]


def test_a_role_that_takes_the_place_of_another_still_waits(
    mia: User, ann: User, now: dt.datetime
) -> None:
    assignment.assign(Operator(mia.pk), ann.pk, ["floor"], now)
    assignment.assign(Operator(mia.pk), ann.pk, ["manager"], now)
    assert roles.list_roles(ann) == []
    assert WaitingChange.objects.get().status == "waiting"


# The role of managers


def test_a_manager_makes_no_second_operator_alone(
    mia: User, max_: User, ann: User, now: dt.datetime
) -> None:
    outcome = assignment.assign(Operator(mia.pk), ann.pk, ["manager"], now)
    assert (outcome.waits, outcome.is_changed) == (True, False)
    change = WaitingChange.objects.get()
    for who in (mia, ann):
        with pytest.raises(OperationRefused):
            approve(change, who, now)
    ann.refresh_from_db()
    assert (ann.is_staff, roles.list_roles(ann)) == (False, [])
    approve(change, max_, now)
    ann.refresh_from_db()
    assert (ann.is_staff, roles.list_roles(ann), ann.role_since) == (True, ["manager"], now)
    with pytest.raises(OperationRefused, match="less than 24 hours"):
        approve(ask(mia, RAISED, now), ann, now)


def test_a_new_manager_comes_after_24_hours(mia: User, ann: User, now: dt.datetime) -> None:
    assignment.assign(Operator(mia.pk), ann.pk, ["floor", "manager"], now)
    ann.refresh_from_db()
    assert roles.list_roles(ann) == ["floor"], "the other role is given at once"
    assert waiting_changes.apply_due(now + LEAST_TIME) == [ann.pk]
    assert roles.list_roles(ann) == ["floor", "manager"]
    ann.refresh_from_db()
    assert ann.role_since == now + LEAST_TIME
    assert Act.objects.latest("pk").what == "take_effect"


def test_nobody_approves_what_a_new_account_of_their_own_requests(
    mia: User, max_: User, now: dt.datetime
) -> None:
    User.objects.filter(pk=max_.pk).update(role_since=now - dt.timedelta(minutes=4))
    waiting = ask(max_, 900_000, now)
    with pytest.raises(
        OperationRefused, match="max, who requested this, has had the role for less"
    ):
        approve(waiting, mia, now)
    assert limit(now) < 900_000
    approve(waiting, mia, now + LEAST_TIME - dt.timedelta(minutes=4))


def test_a_role_that_is_due_is_not_given_to_who_was_frozen_before_it_was_stored(
    mia: User, ann: User, now: dt.datetime
) -> None:
    olga = Operator(User.objects.create_superuser("olga").pk)
    assignment.assign(Operator(mia.pk), ann.pk, ["floor", "manager"], now)
    freezing.freeze(olga, ann.pk, "x", now + LEAST_TIME)
    assert waiting_changes.apply_due(now + LEAST_TIME) == []
    assert "manager" not in roles.list_roles(ann)


def test_another_role_does_not_begin_the_time_in_the_role_anew(
    mia: User, max_: User, ann: User, now: dt.datetime
) -> None:
    olga = Operator(User.objects.create_superuser("olga").pk)
    since = now - 2 * LEAST_TIME
    assignment.assign(olga, ann.pk, ["manager"], since)
    assignment.assign(Operator(mia.pk), ann.pk, ["manager", "floor"], now)
    ann.refresh_from_db()
    assert ann.role_since == since
    approve(ask(mia, RAISED, now), ann, now)


def test_who_becomes_a_manager_or_superuser_begins_anew(ann: User, now: dt.datetime) -> None:
    olga = Operator(User.objects.create_superuser("olga").pk)
    times = []
    for number, (names, is_superuser) in enumerate(
        [(["floor"], False), (["cashier"], False), (["manager"], False), (["manager"], True)]
    ):
        assignment.assign(olga, ann.pk, names, now + number * HOUR, is_superuser=is_superuser)
        ann.refresh_from_db()
        times.append(ann.role_since)
    assert times == [now, now, now + 2 * HOUR, now + 3 * HOUR]


def test_a_superuser_makes_a_manager_at_once(mia: User, ann: User, now: dt.datetime) -> None:
    assignment.assign(Operator(mia.pk), ann.pk, ["manager"], now)
    olga = User.objects.create_superuser("olga")
    outcome = assignment.assign(Operator(olga.pk), ann.pk, ["manager"], now)
    assert (outcome.waits, roles.list_roles(ann)) == (False, ["manager"])
    assert WaitingChange.objects.get().status == "replaced"


def test_a_manager_takes_the_role_from_no_manager(mia: User, max_: User, now: dt.datetime) -> None:
    with pytest.raises(OperationRefused, match="Only a superuser can take"):
        assignment.assign(Operator(mia.pk), max_.pk, [], now)
    assert roles.list_roles(max_) == ["manager"]


def test_nobody_changes_the_own_role_or_makes_a_superuser(
    mia: User, ann: User, now: dt.datetime
) -> None:
    with pytest.raises(OperationRefused, match="your own role"):
        assignment.assign(Operator(mia.pk), mia.pk, ["manager", "cashier"], now)
    with pytest.raises(OperationRefused, match="Only a superuser"):
        assignment.assign(Operator(mia.pk), ann.pk, [], now, is_superuser=True)
    olga = User.objects.create_superuser("olga")
    with pytest.raises(OperationRefused, match="is a superuser"):
        assignment.assign(Operator(mia.pk), olga.pk, [], now)


def test_an_invite_for_managers_waits_as_well(mia: User, ann: User, now: dt.datetime) -> None:
    invite, _token = invites.create(Operator(mia.pk), "manager", now)
    assert invites.accept(invite, Operator(ann.pk), now).waits
    assert roles.list_roles(ann) == []
    change = WaitingChange.objects.get()
    assert (change.asked_by, change.user) == (mia, ann)


# The pages


def test_the_first_page_says_who_asks_for_what_and_leads_to_the_decision(
    mia: User, max_: User, operator: Role, now: dt.datetime
) -> None:
    change = ask(mia, RAISED, now)
    words = [each.words for each in dashboard.list_pending_work(max_)]
    assert len(words) == 1
    assert words[0].startswith(
        "mia asks to raise the maximum void without approval from 1,000 to 5,000. It takes effect on"
    )
    page = browser_of(max_).get("/admin/").content.decode()
    assert f'href="/admin/staff/changes/{change.pk}/"' in page
    assert dashboard.list_pending_work(operator("floor")) == []


def test_the_form_of_the_settings_says_that_a_raise_waits(mia: User, max_: User) -> None:
    client = browser_of(mia)
    page = client.post(SETTINGS, form(void_limit="5000"), follow=True).content.decode()
    assert "The raised limit waits" in page
    assert "Saved. The new settings apply now." not in page
    assert "mia asks to raise the maximum void without approval from 1,000 to 5,000" in page
    assert 'name="void_limit" value="1,000"' in page
    change = WaitingChange.objects.get()
    link = f'<a href="/admin/staff/changes/{change.pk}/">Decide</a>'
    assert link in browser_of(max_).get(SETTINGS).content.decode()
    decided = browser_of(max_).post(
        f"/admin/staff/changes/{change.pk}/", {"decision": "approve"}, follow=True
    )
    assert "Approved. The change is in effect now." in decided.content.decode()
    page = client.get(SETTINGS).content.decode()
    assert 'name="void_limit" value="5,000"' in page
    assert "asks to raise" not in page


def test_the_form_saves_the_other_fields_at_once(mia: User) -> None:
    browser_of(mia).post(SETTINGS, form(void_limit="5000", rebuy_hours="7"))
    settings = HouseSettings.objects.get()
    assert (settings.rebuy_hours, settings.void_limit) == (7, VOIDS)


def test_an_old_tab_raises_nothing(mia: User, max_: User) -> None:
    """The form was opened before another manager lowered the limit."""
    browser_of(max_).post(SETTINGS, form(void_limit="10"))
    browser_of(mia).post(SETTINGS, form(rebuy_hours="7"))
    settings = HouseSettings.objects.get()
    assert (settings.rebuy_hours, settings.void_limit) == (7, 1000)
    assert WaitingChange.objects.get().after == VOIDS


def test_the_page_shows_a_limit_that_is_in_effect_and_not_stored_yet(
    mia: User, max_: User, now: dt.datetime
) -> None:
    ask(mia, RAISED, now - LEAST_TIME)
    client = browser_of(max_)
    assert 'name="void_limit" value="5,000"' in client.get(SETTINGS).content.decode()
    client.post(SETTINGS, form(void_limit="5000", rebuy_hours="7"))
    assert not WaitingChange.objects.filter(status="waiting", takes_effect_at__gt=now).exists()


def test_who_asked_may_only_withdraw_and_is_told_why(mia: User, now: dt.datetime) -> None:
    change, client = ask(mia, RAISED, now), browser_of(mia)
    path = f"/admin/staff/changes/{change.pk}/"
    for place in (SETTINGS, "/admin/staff/"):
        assert f'<a href="{path}">Withdraw</a>' in client.get(place).content.decode()
    page = client.get(path).content.decode()
    assert "Withdraw a request" in page
    assert "Decide" not in page
    assert "another operator must approve it" in page
    assert "Withdraw it" in page
    assert "Approve it" not in page
    assert client.post(path, {"decision": "approve"}).status_code == 200
    assert limit(now) == VOIDS
    assert client.post(path, {"decision": "refuse"}).status_code == 302
    assert "has already withdrawn" in client.get(path, follow=True).content.decode()


def test_who_may_not_decide_reads_what_waits_without_a_link(
    mia: User, operator: Role, now: dt.datetime
) -> None:
    change = ask(mia, RAISED, now)
    page = browser_of(operator("floor")).get(SETTINGS).content.decode()
    assert "mia asks to raise" in page
    assert f"/admin/staff/changes/{change.pk}/" not in page


def test_a_deleted_account_asks_for_nothing(now: dt.datetime) -> None:
    """Players have no requests, and their deletion locks no settings."""
    ann = new_player("ann")
    account_deletion.delete_account(ann.pk, now)
    assert not Act.objects.exists()
