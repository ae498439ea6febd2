"""Former names: stored, found by operators, and held for their owner."""

from __future__ import annotations

import datetime as dt

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from accounts.lib import server_clock
from accounts.lists.player_list import PlayerFilters, list_players
from accounts.lists.players import find_player
from accounts.models import FormerName, User
from accounts.users import former_names, names
from accounts.users.forms import NameForm
from tables.game import account_deletion
from tests.helpers.table_client import new_player

pytestmark = pytest.mark.django_db


def rename(user: User, name: str) -> User:
    form = NameForm({"username": name}, user=User.objects.get(pk=user.pk))
    assert form.is_valid(), form.errors
    assert form.save()
    return User.objects.get(pk=user.pk)


def later(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    moment = timezone.now() + dt.timedelta(days=days)
    monkeypatch.setattr(server_clock, "now", lambda: moment)


def refused(name: str, owner: User | None = None) -> str:
    with pytest.raises(ValidationError) as error:
        names.clean(name, owner=owner)
    return str(error.value.code)


def test_a_name_is_held_for_its_owner_for_ninety_days(
    ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = rename(new_player("bob"), "Robert")
    assert refused("bob") == refused("BOB", ben) == "username_taken"
    assert refused("b0b") == "too_close"
    assert names.clean("bob", owner=bob) == "bob"
    later(monkeypatch, 89)
    assert refused("bob") == "username_taken"
    later(monkeypatch, 91)
    assert names.clean("bob") == names.clean("bob", owner=ben) == "bob"


def test_the_owner_takes_it_back_and_the_other_one_is_held(ann: User) -> None:
    ann = rename(rename(ann, "Anna"), "ann")
    assert ann.username == "ann"
    assert refused("Anna") == "username_taken"
    assert list(FormerName.objects.order_by("pk").values_list("name", flat=True)) == ["ann", "Anna"]


def test_a_name_that_is_not_changed_is_not_a_former_one(ann: User) -> None:
    rename(ann, "ann")
    assert not FormerName.objects.exists()


def test_the_sign_up_says_that_the_name_is_taken(ann: User) -> None:
    rename(ann, "Anna")
    typed = {"username": "Ann", "password1": "a-long-passphrase", "password2": "a-long-passphrase"}
    page = Client().post("/accounts/signup/", typed).content.decode()
    assert "That name is taken. Choose another one." in page
    assert not User.objects.filter(folded="ann").exists()


def test_a_deleted_account_leaves_no_name_but_nobody_takes_it(
    ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename(ann, "Anna")
    account_deletion.delete_account(ann.pk, timezone.now())
    rows = list(FormerName.objects.all())
    assert [(row.user_id, row.name) for row in rows] == [(None, ""), (None, "")]
    stored = str([(row.folded, row.skeleton) for row in rows]).lower()
    assert "ann" not in stored
    assert refused("ann") == refused("ANNA") == "username_taken"
    rename(ben, "Benno")
    later(monkeypatch, 91)
    assert names.clean("Anna") == "Anna"
    former_names.drop_old(server_clock.now())
    assert [row.name for row in FormerName.objects.all()] == ["ben"], "those of others are kept"


def test_players_are_found_by_former_names(ann: User, ben: User) -> None:
    ann = rename(ann, "Zoe")
    page = list_players(PlayerFilters("an"))
    assert [user.username for user in page.users] == ["Zoe"]
    assert page.formerly == {ann.pk: "ann"}
    match = find_player("ANN")
    assert match is not None
    assert (match.user, match.note) == (ann, "Zoe, formerly ann.")


def test_who_has_the_name_now_comes_before_who_had_it(
    ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = rename(ann, "Zoe")
    FormerName.objects.update(until=timezone.now() - dt.timedelta(days=100))
    ben = rename(ben, "ann")
    match = find_player("ann")
    assert match is not None
    assert (match.user, match.others) == (ben, (ann,))
    assert f"Zoe (user:{ann.pk})" in match.note
    page = list_players(PlayerFilters("ann"))
    assert {user.username for user in page.users} == {"ann", "Zoe"}
    assert page.formerly == {ann.pk: "ann"}
    by_number = find_player(f"user:{ann.pk}")
    assert by_number is not None
    assert by_number.user == ann


def test_pages_of_names_show_each_name_once_and_lose_none() -> None:
    users = [new_player(f"name{number:02}") for number in range(7)]
    rename(users[3], "name99")
    ids: list[int] = []
    after = ""
    while True:
        page = list_players(PlayerFilters("name"), after=after, size=2)
        ids += [user.pk for user in page.users]
        if page.onward is None:
            break
        after = page.onward
    assert set(ids) == {user.pk for user in users}
    assert len(ids) == 8, "the renamed one by both names"
