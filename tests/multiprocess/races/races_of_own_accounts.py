"""Races about what is somebody's own: daily losses, reminders, names, and accounts that go."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import Account, OwnLimit, Transfer, User, WalletEntry
from accounts.users import limits
from accounts.users.forms import NameForm
from accounts.users.limits import Kind
from tables.game import account_deletion
from tables.models import Seat
from tables.social import reminders
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, balance_of, code, new_player
from tests.multiprocess.parallel import AT_ONCE, at_once

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "blackjack-21!"
Stack = Callable[..., None]


def tables_with(*players: User, rules: str = "casino", number: int = AT_ONCE) -> list[TableClient]:
    tables = [new_table(rules) for _ in range(number)]
    for table in tables:
        sit_down(table, *players)
    return tables


def delete(user: User) -> str:
    try:
        account_deletion.delete_account(user.pk, timezone.now())
    except account_deletion.StillPlaying:
        return "still playing"
    return "deleted"


# The daily loss


def test_a_loss_limit_that_allows_three_bets_allows_three_of_twenty_tables(ann: User) -> None:
    tables = tables_with(ann, new_player("ben"))
    limits.set_limit(ann, Kind.DAILY_LOSS, 3_999, timezone.now())
    played = at_once([lambda t=t: t.bet(ann, 1000) for t in tables])
    assert Counter(map(code, played)) == {"done": 3, "loss_limit": AT_ONCE - 3}
    assert balance_of(ann) == 47_000
    call_command("audit")


def test_two_tables_double_at_once_and_the_limit_allows_one(ann: User, stack: Stack) -> None:
    cards = "8s 6h 3d Kc 2c 5h 9c 3d 4d"
    stack(cards, cards)
    tables = tables_with(ann, number=2)
    for table in tables:
        table.bet(ann, 1000)
    limits.set_limit(ann, Kind.DAILY_LOSS, 3_000, timezone.now())
    turns = [table.row.turn for table in tables]
    played = at_once(
        [lambda t=t, n=n: t.act(ann, "double", n) for t, n in zip(tables, turns, strict=True)]
    )
    answers = sorted(map(code, played))
    staked = -sum(WalletEntry.objects.filter(kind="stake").values_list("amount", flat=True))
    # The one that was first may have won before the other was looked at: then both were allowed.
    if answers == ["done", "loss_limit"]:
        assert staked == 3_000
    else:
        assert answers == ["done", "done"]
        assert WalletEntry.objects.filter(kind="payout").exists()
    call_command("audit")


def test_twenty_limits_at_once_leave_the_strictest(ann: User) -> None:
    now = timezone.now()
    values = [1000 * (number + 1) for number in range(AT_ONCE)]
    at_once([lambda v=v: limits.set_limit(ann, Kind.DAILY_LOSS, v, now) for v in values])
    assert limits.load_current_limits(User.objects.get(pk=ann.pk), now).daily_loss == 1000
    assert OwnLimit.objects.filter(ends_at=None).count() == 1


# The reminder


def test_of_twenty_processes_one_reminds(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    now = timezone.now()
    limits.set_limit(ann, Kind.REMINDER, 5, now)
    Seat.objects.update(sat_at=now - dt.timedelta(minutes=10))
    (due,) = reminders.list_due(now)
    assert sum(at_once([lambda: reminders.claim(due, now)] * AT_ONCE)) == 1


# Names


def test_twenty_players_want_one_name(db: None) -> None:
    players = [new_player(f"player{number}") for number in range(AT_ONCE)]

    def rename(user: User) -> bool:
        form = NameForm({"username": "Winner"}, user=user)
        return form.is_valid() and form.save()

    assert sum(at_once([lambda p=p: rename(p) for p in players])) == 1
    assert User.objects.filter(username="Winner").count() == 1


def test_of_twenty_look_alikes_one_signs_up(db: None) -> None:
    letters = ("Bill", "BilI", "Bi1l", "BiIl", "Bil1", "BiII", "Bi11", "Bi1I")

    def sign_up(name: str) -> bool:
        form = {"username": name, "password1": PASSWORD}
        client = Client()
        client.post("/accounts/signup/", form)
        return "_auth_user_id" in client.session

    signed_up = at_once([lambda n=n: sign_up(n) for n in letters])
    assert sum(signed_up) == 1
    assert User.objects.count() == 1
    assert Account.objects.filter(kind="wallet").count() == 1


def test_a_new_name_and_a_look_alike_cannot_both_win(db: None) -> None:
    players = [new_player(f"player{number}") for number in range(AT_ONCE)]

    def rename(user: User, name: str) -> bool:
        form = NameForm({"username": name}, user=user)
        return form.is_valid() and form.save()

    names = [("B0b", "Bob")[number % 2] for number in range(AT_ONCE)]
    won = at_once([lambda p=p, n=n: rename(p, n) for p, n in zip(players, names, strict=True)])
    assert sum(won) == 1


# Accounts that go


def test_an_account_is_deleted_once(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    assert set(at_once([lambda: delete(ann)] * AT_ONCE)) == {"deleted"}
    assert Transfer.objects.filter(kind=Transfer.Kind.RETURN).count() == 1
    assert casino.row.seats.count() == 0
    call_command("audit")


def test_an_account_that_goes_while_it_bets_at_many_tables_owes_nobody(ann: User) -> None:
    tables = tables_with(ann, new_player("ben"), number=10)
    results = at_once([lambda: delete(ann), *(lambda t=t: code(t.bet(ann, 1000)) for t in tables)])
    user = User.objects.get(pk=ann.pk)
    if results[0] == "deleted":
        assert not user.is_active
        assert set(results[1:]) <= {"not_allowed", "not_seated"}
        assert not Seat.objects.filter(user=ann).exists()
        assert balance_of(ann) == 0
    else:
        assert user.is_active
        assert balance_of(ann) == 50_000 - 1000 * results.count("done")
    call_command("audit")


def test_an_account_that_goes_while_it_sits_down_has_no_seat(ann: User) -> None:
    tables = [new_table("casino") for _ in range(AT_ONCE - 1)]
    results = at_once([lambda: delete(ann), *(lambda t=t: code(t.sit(ann, 1)) for t in tables)])
    assert results[0] == "deleted"
    assert set(results[1:]) <= {"done", "not_allowed"}
    assert not User.objects.get(pk=ann.pk).is_active
    assert Seat.objects.filter(user=ann).count() == 0
    assert Account.objects.get(user=ann).balance == 0
    call_command("audit")
