"""Links that make an operator: once, for 48 hours, of whoever accepts first."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.doors import approvals
from accounts.lib.errors import OperationRefused
from accounts.lib.tokens import hash_token
from accounts.models import Act, StaffInvite, User
from accounts.staff import assignment, invites, roles
from accounts.users import guests
from tables.operators.players import freezing
from tests.helpers.site import change_settings

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("stopped_writer"),
]

Role = Callable[..., User]
PAGE = "/staff/"


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def mia(operator: Role) -> User:
    """A manager."""
    return operator("manager", "mia")


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def link_of(by: User, role: str = "floor") -> str:
    """Make an invite as a manager does, and take its link from the page."""
    page = browser_of(by).post("/admin/staff/invite/", {"role": role}).content.decode()
    match = re.search(r'value="http://[^/"]+(/staff/[^"]+/)"', page)
    assert match, page
    return match[1]


def opened(client: Client, link: str) -> str:
    """The page that the link leads to."""
    answer = client.get(link)
    assert answer.headers["Location"] == PAGE
    return " ".join(client.get(PAGE).content.decode().split())


def test_a_new_user_signs_up_and_becomes_an_operator(mia: User) -> None:
    """From the link to the operators' pages, with nobody logged in before."""
    client = Client()
    page = opened(client, link_of(mia))
    assert "invites you to be an operator" in page
    assert "the role “floor” at The Card Room" in page
    assert "pauses, resumes and closes tables" in page
    assert 'href="/accounts/signup/?next=/staff/"' in page
    assert "Accept as" not in page
    filled = {"username": "nina", "password1": "blackjack-21!", "password2": "blackjack-21!"}
    signed_up = client.post("/accounts/signup/?next=/staff/", {**filled, "next": PAGE})
    assert signed_up.headers["Location"] == PAGE
    page = " ".join(client.get(PAGE).content.decode().split())
    assert "Accept as" in page
    accepted = client.post(PAGE)
    assert accepted.headers["Location"] == "/admin/"
    nina = User.objects.get(username="nina")
    assert (nina.is_staff, roles.list_roles(nina)) == (True, ["floor"])
    assert nina.role_since is not None
    invite = StaffInvite.objects.get()
    assert (invite.made_by, invite.accepted_by) == (mia, nina)
    acts = {act.what: act for act in Act.objects.all()}
    assert (acts["invite"].by, acts["accept_invite"].by) == (mia, nina)
    assert acts["accept_invite"].after == {
        "role": "floor", "invited_by": "mia", "invite": invite.pk,
    }  # fmt: skip
    assert (acts["edit_user"].by, acts["edit_user"].after) == (mia, {"groups": ["floor"]})


@pytest.mark.parametrize("mode", ["off", "invite", "approval"])
def test_an_invited_operator_signs_up_at_a_closed_site(mia: User, mode: str) -> None:
    """Who opens a site for friends closes the sign-up first, and then invites operators."""
    change_settings(sign_up=mode)
    stranger, client = Client(), Client()
    opened(client, link_of(mia))
    filled = {"username": "nina", "password1": "blackjack-21!", "password2": "blackjack-21!"}
    if mode != "approval":
        stranger.post("/accounts/signup/", {**filled, "username": "otto"})
        assert not User.objects.filter(username="otto").exists()
    signed_up = client.post("/accounts/signup/?next=/staff/", {**filled, "next": PAGE})
    assert signed_up.headers["Location"] == PAGE
    assert User.objects.get(username="nina").is_held, "until the invite is accepted"
    assert client.get("/").headers["Location"] == "/accounts/waiting/"
    assert client.get("/accounts/waiting/").headers["Location"] == PAGE
    assert "Accept as" in client.get(PAGE).content.decode()
    client.post(PAGE)
    nina = User.objects.get(username="nina")
    assert nina.is_staff
    assert not nina.approval
    User.objects.update(is_staff=False)  # dismissed, and a player like others
    assert not User.objects.get(username="nina").is_held


def sign_up(client: Client, name: str) -> User | None:
    typed = {"username": name, "password1": "blackjack-21!", "password2": "blackjack-21!"}
    client.post("/accounts/signup/?next=/staff/", {**typed, "next": PAGE})
    return User.objects.filter(username=name).first()


@pytest.mark.parametrize("mode", ["off", "invite", "approval"])
def test_an_invite_opens_a_closed_site_to_one_account(mia: User, mode: str) -> None:
    """Who does not accept does not play, and lets nobody else in."""
    change_settings(sign_up=mode)
    link = link_of(mia)
    first, second, third = Client(), Client(), Client()
    for client in (first, second, third):
        opened(client, link)
    assert sign_up(first, "nina") is not None
    otto = sign_up(second, "otto")
    if mode == "approval":
        assert otto is not None
        assert otto.is_held
        assert "An operator has to approve this account first." in page_of(second)
        assert second.post(PAGE).status_code == 200
        assert not User.objects.get(username="otto").is_staff
    else:
        assert otto is None
    third.post("/accounts/guest/")
    typed = {"username": "paul", "password1": "blackjack-21!", "password2": "blackjack-21!"}
    third.post("/accounts/keep/", typed)
    paul = User.objects.filter(username="paul").first()
    assert paul is None or paul.is_held
    first.post(PAGE)
    assert User.objects.get(username="nina").is_staff


def test_an_account_that_operators_refused_does_not_accept(mia: User) -> None:
    change_settings(sign_up="off")
    client = Client()
    opened(client, link_of(mia))
    nina = sign_up(client, "nina")
    assert nina is not None
    assert approvals.refuse(Operator(mia.pk), nina.pk, "A mistake.", timezone.now())
    assert "An operator has to approve this account first." in page_of(client)
    assert client.post(PAGE).status_code == 200
    assert StaffInvite.objects.get().accepted_at is None
    assert client.get("/accounts/waiting/").status_code == 200


def page_of(client: Client) -> str:
    return client.get(PAGE).content.decode()


def test_a_user_logs_in_on_the_way(mia: User, ann: User) -> None:
    client = Client()
    opened(client, link_of(mia, "cashier"))
    logged_in = client.post(
        "/accounts/login/?next=/staff/",
        {"login": "ann", "password": "blackjack-21!", "next": PAGE},
    )
    assert logged_in.headers["Location"] == PAGE
    client.post(PAGE)
    assert roles.list_roles(ann) == ["cashier"]


def test_the_link_is_stored_as_a_hash_and_shown_once(mia: User) -> None:
    link = link_of(mia)
    token = link.split("/")[2]
    invite = StaffInvite.objects.get()
    assert invite.token_hash == hash_token(token)
    assert token not in str(Act.objects.values_list("after", "subject"))
    assert token not in browser_of(mia).get("/admin/staff/").content.decode()


def test_the_token_is_in_no_address_that_a_page_could_tell(mia: User) -> None:
    client, link = Client(), link_of(mia)
    answer = client.get(link)
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "no-store" in answer.headers["Cache-Control"]
    page = client.get(PAGE).content.decode()
    token = link.split("/")[2]
    assert token not in page
    assert token not in str(dict(client.session))


def test_an_invite_works_once(mia: User, ann: User, ben: User) -> None:
    link = link_of(mia)
    anns, bens = browser_of(ann), browser_of(ben)
    opened(anns, link)
    opened(bens, link)
    anns.post(PAGE)
    late = bens.post(PAGE)
    assert late.status_code == 410
    assert "already used. It works only once." in late.content.decode()
    assert roles.list_roles(ben) == []
    bens.get(link)
    assert "already used" in bens.get(PAGE).content.decode()


def test_an_invite_expires_after_48_hours(mia: User, ann: User) -> None:
    now = timezone.now()
    invite, token = invites.create(Operator(mia.pk), "floor", now - invites.LIFETIME)
    client = browser_of(ann)
    answer = client.get(f"/staff/{token}/")
    assert answer.status_code == 410
    assert "has expired" in answer.content.decode()
    assert roles.list_roles(ann) == []
    invites.accept(invite, Operator(ann.pk), now - dt.timedelta(seconds=1))
    assert roles.list_roles(ann) == ["floor"]


def test_a_manager_withdraws_an_invite(mia: User, ann: User, operator: Role) -> None:
    link, client = link_of(mia), browser_of(operator("manager", "max"))
    anns = browser_of(ann)
    opened(anns, link)
    invite = StaffInvite.objects.get()
    page = client.get("/admin/staff/").content.decode()
    assert f"Withdraw invite {invite.pk}" in page
    path = f"/admin/staff/invites/{invite.pk}/withdraw/"
    assert "The invite is withdrawn." in client.post(path, follow=True).content.decode()
    assert "was withdrawn" in anns.post(PAGE).content.decode()
    assert roles.list_roles(ann) == []
    assert "Withdraw invite" not in client.get("/admin/staff/").content.decode()
    assert "already used or withdrawn" in client.post(path, follow=True).content.decode()


@pytest.mark.parametrize("way", ["dismissed", "frozen"])
def test_the_invites_of_who_is_no_manager_any_more_are_void(way: str, mia: User, ann: User) -> None:
    now = timezone.now()
    invite, _token = invites.create(Operator(mia.pk), "cashier", now)
    olga = Operator(User.objects.create_superuser("olga").pk)
    if way == "dismissed":
        assignment.assign(olga, mia.pk, ["floor"], now)
    else:
        freezing.freeze(olga, mia.pk, "x", now)
    with pytest.raises(OperationRefused, match="withdrawn"):
        invites.accept(invite, Operator(ann.pk), now)
    assert roles.list_roles(ann) == []
    assert not invites.list_open(now)


def test_the_invites_of_a_role_that_was_taken_do_not_come_back_with_it(
    mia: User, ann: User
) -> None:
    now = timezone.now()
    invite, _token = invites.create(Operator(mia.pk), "cashier", now)
    assert [one.pk for one in invites.list_open(now)] == [invite.pk]
    olga, later = Operator(User.objects.create_superuser("olga").pk), now + dt.timedelta(hours=1)
    assignment.assign(olga, mia.pk, ["floor"], now)
    assignment.assign(olga, mia.pk, ["manager"], later)
    with pytest.raises(OperationRefused, match="withdrawn"):
        invites.accept(invite, Operator(ann.pk), later)
    assert not invites.list_open(later)


def test_the_invites_of_who_was_frozen_do_not_come_back_after_it(mia: User, ann: User) -> None:
    now = timezone.now()
    invite, _token = invites.create(Operator(mia.pk), "cashier", now)
    invites.create(Operator(mia.pk), "floor", now - dt.timedelta(hours=49))  # expired
    olga = Operator(User.objects.create_superuser("olga").pk)
    freezing.freeze(olga, mia.pk, "x", now)
    freezing.unfreeze(olga, mia.pk, "x", now)
    with pytest.raises(OperationRefused, match="withdrawn"):
        invites.accept(invite, Operator(ann.pk), now)
    assert not invites.list_open(now)
    (act,) = Act.objects.filter(what="end_invite")
    assert (act.by_id, act.subject) == (olga.user_id, f"staffinvite:{invite.pk}")


def test_a_link_that_never_was_says_so(ann: User) -> None:
    client = browser_of(ann)
    answer = client.get("/staff/nothing/")
    assert answer.status_code == 404
    assert "Check the link" in answer.content.decode()
    assert client.get(PAGE).status_code == 404


def test_a_guest_saves_the_account_first(mia: User) -> None:
    guest = guests.create_guest(at=timezone.now())
    client = browser_of(guest)
    page = opened(client, link_of(mia))
    assert "A guest can&#x27;t be an operator" in page
    assert 'href="/accounts/keep/?next=/staff/"' in page
    assert client.post(PAGE).status_code == 200
    assert roles.list_roles(guest) == []
    assert StaffInvite.objects.get().accepted_at is None


def test_who_has_the_role_already_leaves_the_invite_to_others(mia: User) -> None:
    client = browser_of(mia)
    page = opened(client, link_of(mia))
    assert "who can already do all of this" in page
    assert client.post(PAGE).status_code == 200
    assert StaffInvite.objects.get().accepted_at is None


def test_nobody_accepts_without_a_login(mia: User) -> None:
    client = Client()
    opened(client, link_of(mia))
    assert client.post(PAGE).headers["Location"] == "/accounts/login/?next=/staff/"
    assert StaffInvite.objects.get().accepted_at is None


def test_the_page_says_that_the_role_of_managers_waits(mia: User, ann: User) -> None:
    client = browser_of(ann)
    opened(client, link_of(mia, "manager"))
    answer = client.post(PAGE, follow=True)
    assert "You get the role manager in 24 hours" in answer.content.decode()
    assert not User.objects.get(pk=ann.pk).is_staff
