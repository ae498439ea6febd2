"""The last place of an invite, the first operator, and an approval, wanted by many at once."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.doors import approvals, first_links, invites
from accounts.models import Account, Act, SignUpInvite, User
from accounts.staff import invites as staff_invites
from tests.helpers.site import change_settings
from tests.multiprocess.parallel import AT_ONCE, at_once

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "blackjack-21!"


def test_of_twenty_who_sign_up_by_an_invite_for_three_three_get_an_account() -> None:
    olga = User.objects.create_superuser("olga")
    change_settings(sign_up="invite")
    now = timezone.now()
    _, token = invites.create(Operator(olga.pk), now, label="Friends", places=3, until=None)

    def sign_up(number: int) -> bool:
        browser = Client(REMOTE_ADDR=f"192.0.2.{number}")
        browser.get(f"/accounts/invited/{token}/")
        form = {"username": f"p{number}", "email": "", "password1": PASSWORD}
        browser.post("/accounts/signup/", form)
        return User.objects.filter(username=f"p{number}").exists()

    works = [lambda number=number: sign_up(number) for number in range(AT_ONCE)]
    assert Counter(at_once(works)) == {True: 3, False: AT_ONCE - 3}
    assert SignUpInvite.objects.get().used == 3
    assert SignUpInvite.objects.get().accounts.count() == 3
    assert Account.objects.filter(kind=Account.Kind.WALLET).count() == 3


def test_of_twenty_who_sign_up_by_an_operators_invite_one_gets_an_account() -> None:
    olga = User.objects.create_superuser("olga")
    change_settings(sign_up="off")
    _, token = staff_invites.create(Operator(olga.pk), "floor", timezone.now())

    def sign_up(number: int) -> bool:
        browser = Client(REMOTE_ADDR=f"192.0.2.{number}")
        browser.get(f"/staff/{token}/")
        form = {"username": f"p{number}", "email": "", "password1": PASSWORD}
        browser.post("/accounts/signup/", form)
        return User.objects.filter(username=f"p{number}").exists()

    works = [lambda number=number: sign_up(number) for number in range(AT_ONCE)]
    assert Counter(at_once(works)) == {True: 1, False: AT_ONCE - 1}
    assert User.objects.get(staff_invite__isnull=False).is_held


def test_of_twenty_who_press_the_links_of_the_first_operator_one_becomes_it() -> None:
    links = [first_links.make_link(f"port {n}", is_only=False) for n in range(4)]
    paths = [urlsplit(link or "").path for link in links]

    def press(number: int) -> int:
        form = {"username": f"boss{number}", "password1": PASSWORD}
        return Client(REMOTE_ADDR=f"192.0.2.{number}").post(paths[number % 4], form).status_code

    works = [lambda number=number: press(number) for number in range(AT_ONCE)]
    assert Counter(at_once(works)) == {302: 1, 404: AT_ONCE - 1}
    assert User.objects.filter(is_superuser=True).count() == 1


def test_two_operators_decide_about_an_account_and_one_of_them_does() -> None:
    olga = User.objects.create_superuser("olga")
    wanda = User.objects.create_user("Wanda")
    User.objects.filter(pk=wanda.pk).update(approval="waiting")
    by, now = Operator(olga.pk), timezone.now()
    answers = at_once([lambda: approvals.approve(by, wanda.pk, now)] * AT_ONCE)
    assert Counter(answers) == {True: 1, False: AT_ONCE - 1}
    assert Act.objects.filter(what=Act.What.APPROVE).count() == 1
