"""Operators who decide, invite and dismiss each other at the same moment."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.models import Act, HouseSettings, StaffInvite, User, WaitingChange
from accounts.staff import assignment, invites, roles, waiting_changes
from accounts.staff.second_operator import LEAST_TIME
from tables.models import Round, Void
from tables.operators.players import freezing
from tables.operators.rounds import voids
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import code, new_player
from tests.multiprocess.parallel import at_once

pytestmark = pytest.mark.django_db(transaction=True)

Stack = Callable[..., None]
MANY, ATTEMPTS = 6, range(4)
VOIDS, RAISED, LOWERED = 100_000, 500_000, 50_000


def manager(name: str) -> Operator:
    user = new_player(name)
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    user.groups.add(Group.objects.get(name="manager"))
    return Operator(user.pk)


@pytest.fixture
def managers(db: None) -> list[Operator]:
    return [manager(f"manager{number}") for number in range(MANY)]


@pytest.fixture
def now(db: None) -> dt.datetime:
    return timezone.now()


def change(by: Operator, value: int, now: dt.datetime) -> str:
    outcome = waiting_changes.change_limits(by, {"void_limit": value}, now)
    return "waits" if outcome.waiting else "lowered"


def decide(pk: int, by: Operator, now: dt.datetime, *, approves: bool) -> str:
    try:
        if approves:
            waiting_changes.approve(pk, by, now)
            return "approved"
        waiting_changes.refuse(pk, by, "a race", now)
    except OperationRefused:
        return "too late"
    return "refused"


def limit(now: dt.datetime) -> int:
    return waiting_changes.load_settings(now).void_limit


def test_case_72_of_many_consents_one_puts_it_into_effect(
    managers: list[Operator], now: dt.datetime
) -> None:
    change(managers[0], RAISED, now)
    pk = WaitingChange.objects.get().pk
    answers = at_once([lambda by=by: decide(pk, by, now, approves=True) for by in managers])
    assert Counter(answers) == {"approved": 1, "too late": MANY - 1}
    assert answers[0] == "too late", "who asked"
    assert limit(now) == RAISED
    assert Act.objects.filter(what="approve_change").count() == 1


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_consent_and_a_withdrawal(
    attempt: int, managers: list[Operator], now: dt.datetime
) -> None:
    change(managers[0], RAISED, now)
    row = WaitingChange.objects.get()
    answers = at_once(
        [
            lambda: decide(row.pk, managers[1], now, approves=True),
            lambda: decide(row.pk, managers[0], now, approves=False),
        ]
    )
    assert answers in (["approved", "too late"], ["too late", "refused"])
    row.refresh_from_db()
    is_done = answers[0] == "approved"
    assert row.status == ("done" if is_done else "withdrawn")
    assert limit(now) == limit(now + LEAST_TIME) == (RAISED if is_done else VOIDS)
    assert Act.objects.count() == 2


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_raise_and_a_lower_limit(
    attempt: int, managers: list[Operator], now: dt.datetime
) -> None:
    """Whichever comes first, the lower limit holds for 24 hours at least."""
    answers = at_once(
        [lambda: change(managers[0], RAISED, now), lambda: change(managers[1], LOWERED, now)]
    )
    assert answers == ["waits", "lowered"]
    assert limit(now) == HouseSettings.objects.get().void_limit == LOWERED
    row = WaitingChange.objects.get()
    assert (row.status, row.before) in (("withdrawn", VOIDS), ("waiting", LOWERED))


def test_of_many_raises_at_once_one_waits(managers: list[Operator], now: dt.datetime) -> None:
    at_once([lambda by=by, n=n: change(by, RAISED + n, now) for n, by in enumerate(managers)])
    stored = Counter(WaitingChange.objects.values_list("status", flat=True))
    assert stored == {"waiting": 1, "replaced": MANY - 1}


def test_of_many_processes_one_stores_what_took_effect(
    managers: list[Operator], now: dt.datetime
) -> None:
    change(managers[0], RAISED, now)
    ann, later = new_player("ann"), now + LEAST_TIME
    assignment.assign(managers[0], ann.pk, ["manager"], now)
    results = at_once([lambda: waiting_changes.apply_due(later)] * MANY)
    assert sorted(results, key=len)[-1] == [ann.pk]
    assert sum(len(each) for each in results) == 1
    assert Act.objects.filter(what="take_effect").count() == 2
    assert (HouseSettings.objects.get().void_limit, roles.list_roles(ann)) == (RAISED, ["manager"])


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_consent_while_who_asked_is_frozen(
    attempt: int, managers: list[Operator], now: dt.datetime
) -> None:
    change(managers[0], RAISED, now)
    pk = WaitingChange.objects.get().pk
    olga = Operator(User.objects.create_superuser("olga").pk)
    answers = at_once(
        [
            lambda: decide(pk, managers[1], now, approves=True),
            lambda: str(freezing.freeze(olga, managers[0].user_id, "a race", now).value),
        ]
    )
    assert answers[1] == "True"
    is_done = answers[0] == "approved"
    assert WaitingChange.objects.get().status == ("done" if is_done else "withdrawn")
    assert limit(now + LEAST_TIME) == (RAISED if is_done else VOIDS)


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_two_managers_who_are_dismissed_while_they_approve_each_other(
    attempt: int, managers: list[Operator], now: dt.datetime
) -> None:
    """Users are locked before the settings by everybody, so nobody waits for ever."""
    change(managers[0], RAISED, now)
    pk = WaitingChange.objects.get().pk
    olga = Operator(User.objects.create_superuser("olga").pk)

    def dismiss(who: Operator) -> str:
        assignment.assign(olga, who.user_id, [], now)
        return "dismissed"

    answers = at_once(
        [
            lambda: decide(pk, managers[1], now, approves=True),
            lambda: dismiss(managers[0]),
            lambda: dismiss(managers[1]),
        ]
    )
    assert answers[1:] == ["dismissed", "dismissed"]
    is_done = answers[0] == "approved"
    assert limit(now + LEAST_TIME) == (RAISED if is_done else VOIDS)


# Invites


def accept(invite: StaffInvite, user: User, now: dt.datetime) -> str:
    try:
        invites.accept(invite, Operator(user.pk), now)
    except OperationRefused:
        return "too late"
    return "accepted"


def test_of_many_who_accept_one_gets_the_role(managers: list[Operator], now: dt.datetime) -> None:
    invite, _token = invites.create(managers[0], "cashier", now)
    players = [new_player(f"player{number}") for number in range(MANY)]
    answers = at_once([lambda user=user: accept(invite, user, now) for user in players])
    assert Counter(answers) == {"accepted": 1, "too late": MANY - 1}
    invite.refresh_from_db()
    (winner,) = [user for user in players if roles.list_roles(user)]
    assert invite.accepted_by == winner == players[answers.index("accepted")]
    assert Act.objects.filter(what="accept_invite").count() == 1


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_an_invite_that_is_withdrawn_while_it_is_accepted(
    attempt: int, managers: list[Operator], now: dt.datetime
) -> None:
    invite, _token = invites.create(managers[0], "cashier", now)
    ann = new_player("ann")
    answers = at_once(
        [
            lambda: accept(invite, ann, now),
            lambda: str(invites.withdraw(managers[1], invite.pk, now)),
        ]
    )
    assert answers in (["accepted", "False"], ["too late", "True"])
    assert roles.list_roles(ann) == (["cashier"] if answers[0] == "accepted" else [])


# Voids


def test_voids_at_once_share_what_one_manager_may_do_alone(
    managers: list[Operator], now: dt.datetime, stack: Stack
) -> None:
    HouseSettings.objects.update(void_limit=2_000)
    rounds = []
    for number in range(4):
        stack("As 9h Kd 7c")  # pays 1,500
        table, user = new_table("casino"), new_player(f"player{number}")
        sit_down(table, user)
        assert code(table.bet(user, 1000)) == "done"
        rounds.append(Round.objects.latest("pk"))

    def void(round_: Round) -> str:
        return voids.request_void(round_.pk, managers[0], "a race", timezone.now()).value.status

    answers = at_once([lambda round_=round_: void(round_) for round_ in rounds])
    assert Counter(answers) == {"done": 1, "waiting": 3}
    assert Void.objects.count() == 4
