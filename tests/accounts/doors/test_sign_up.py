"""Who may sign up, play as a guest and create tables: open, by invite, by approval, off."""

from __future__ import annotations

import datetime as dt
import re
import uuid
from typing import Any

import pytest
from allauth.core.context import request_context
from django.core import mail
from django.db import connection
from django.http import HttpRequest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.doors import access, approvals, invites
from accounts.ledger import rebuys as ledger_rebuys
from accounts.models import Account, Act, Approval, SignUpInvite, User
from accounts.staff import invites as staff_invites
from accounts.users import guests
from tables.game import lifecycle, rebuys
from tables.game.matches import duplicates, opening
from tables.models import Match, Standing, Table
from tables.protocol.commands import React, Reaction, Say
from tables.records import leaderboard
from tables.social import chat, reactions
from tests.helpers.site import change_settings
from tests.helpers.table_client import TableClient, code, new_player

pytestmark = pytest.mark.django_db

PASSWORD = "blackjack-21!"
SIGN_UP = "/accounts/signup/"
OFFERS = (f'href="{SIGN_UP}', f'action="{SIGN_UP}')
PLACES = ("/", "/accounts/login/", "/rules/", "/nowhere/")


@pytest.fixture
def olga(db: None) -> User:
    return User.objects.create_superuser("olga")


def sign_up(browser: Client, name: str) -> User | None:
    """Sign up; the new user, or ``None`` if the site refused."""
    browser.post(SIGN_UP, {"username": name, "email": "", "password1": PASSWORD})
    return User.objects.filter(username=name).first()


def invite(olga: User, places: int = 1, until: dt.datetime | None = None) -> str:
    _, token = invites.create(
        Operator(olga.pk), timezone.now(), label="Friends", places=places, until=until
    )
    return token


def follow(token: str) -> Client:
    """A browser in which somebody has opened the link."""
    browser = Client()
    answer = browser.get(f"/accounts/invited/{token}/")
    assert (answer.status_code, answer.headers["Location"]) == (302, SIGN_UP)
    return browser


def offers_sign_up(browser: Client, path: str) -> bool:
    page = browser.get(path).content.decode()
    return any(offer in page for offer in OFFERS)


# Off


def test_with_sign_up_off_no_page_offers_it_and_the_page_says_so(casino: TableClient) -> None:
    browser = Client()
    paths = (*PLACES, f"/tables/{casino.table_id}/", f"/join/{casino.row.code}/")
    assert all(offers_sign_up(browser, path) for path in paths if path != "/nowhere/")
    change_settings(sign_up="off")
    assert not any(offers_sign_up(browser, path) for path in paths)
    page = browser.get(SIGN_UP).content.decode()
    assert "Sign-up is closed at this site." in page
    assert "<form" not in page.partition("<main")[2].partition("</main>")[0]
    assert sign_up(browser, "ann") is None
    for path in (f"/join/{casino.row.code}/", "/accounts/login/"):
        assert "Sign-up is closed at this site." in browser.get(path).content.decode()


def test_a_friend_s_link_to_a_table_says_what_to_do_without_an_account(casino: TableClient) -> None:
    change_settings(sign_up="off", allows_guests=False)
    page = Client().get(f"/join/{casino.row.code}/").content.decode()
    assert "If you have one, log in, and you come back to this table." in page
    assert f'href="/accounts/login/?next=/join/{casino.row.code}/"' in page
    assert "/accounts/guest/" not in page
    change_settings(sign_up="open")
    page = Client().get(f"/join/{casino.row.code}/").content.decode()
    assert "Sign up or log in, and you come back to this table." in page


def test_an_invite_does_not_open_a_site_that_is_off(olga: User) -> None:
    token = invite(olga)
    browser = follow(token)
    change_settings(sign_up="off")
    assert sign_up(browser, "ann") is None
    page = Client().get(f"/accounts/invited/{token}/")
    assert page.status_code == 410
    assert "Sign-up is closed at this site." in page.content.decode()


# By invite


def test_with_an_invite_link_somebody_signs_up_and_it_is_recorded(olga: User) -> None:
    change_settings(sign_up="invite")
    token = invite(olga)
    assert sign_up(Client(), "nobody") is None
    assert "You need an invite link" in Client().get(SIGN_UP).content.decode()
    browser = follow(token)
    assert offers_sign_up(browser, "/")
    ann = sign_up(browser, "ann")
    assert ann is not None
    row = SignUpInvite.objects.get()
    assert (ann.sign_up_invite, ann.approval, row.used, row.left) == (row, "", 1, 0)
    assert Account.objects.filter(user=ann).exists()
    assert browser.get("/home/").status_code == 200


def test_an_invite_is_for_so_many_people_and_not_one_more(olga: User) -> None:
    change_settings(sign_up="invite")
    token = invite(olga, places=2)
    browsers = [follow(token) for _ in range(3)]
    names = [sign_up(browser, f"p{number}") for number, browser in enumerate(browsers)]
    assert [user is not None for user in names] == [True, True, False]
    assert "You need an invite link" in browsers[2].get(SIGN_UP).content.decode()
    page = Client().get(f"/accounts/invited/{token}/")
    assert page.status_code == 410
    assert "Everybody whom it was for has signed up." in page.content.decode()


def test_a_sign_up_that_fails_uses_nothing_up(olga: User) -> None:
    new_player("ann")
    change_settings(sign_up="invite")
    browser = follow(invite(olga))
    assert browser.post(SIGN_UP, {"username": "ann", "password1": PASSWORD}).status_code == 200
    assert SignUpInvite.objects.get().used == 0
    assert sign_up(browser, "ben") is not None


def test_an_invite_ends_with_its_time_and_when_it_is_withdrawn(olga: User) -> None:
    change_settings(sign_up="invite")
    over, withdrawn = invite(olga), invite(olga)
    late = [follow(over), follow(withdrawn)]
    first, second = SignUpInvite.objects.order_by("pk")
    SignUpInvite.objects.filter(pk=first.pk).update(until=timezone.now())
    assert invites.withdraw(Operator(olga.pk), second.pk, timezone.now())
    assert not invites.withdraw(Operator(olga.pk), second.pk, timezone.now())
    assert [sign_up(browser, f"p{n}") for n, browser in enumerate(late)] == [None, None]
    for token, says in ((over, "Its time is over."), (withdrawn, "It was withdrawn.")):
        page = Client().get(f"/accounts/invited/{token}/")
        assert (page.status_code, says in page.content.decode()) == (410, True)
    unknown = Client().get("/accounts/invited/nonsense/")
    assert (unknown.status_code, "Check the link" in unknown.content.decode()) == (404, True)


def test_the_secret_of_a_link_is_not_stored(olga: User) -> None:
    token = invite(olga)
    stored = [str(value) for value in SignUpInvite.objects.values_list().get()]
    assert not any(token in value for value in stored)
    assert token not in str([(act.before, act.after) for act in Act.objects.all()])
    assert len(token) >= 32


def test_a_forged_cookie_is_no_invite(olga: User) -> None:
    change_settings(sign_up="invite")
    browser = Client()
    browser.cookies[invites.COOKIE] = invite(olga)
    assert sign_up(browser, "ann") is None


def test_an_invite_is_recorded_where_sign_up_is_open_and_needs_no_approval(olga: User) -> None:
    opened = sign_up(follow(invite(olga)), "ann")
    change_settings(sign_up="approval")
    approved = sign_up(follow(invite(olga)), "ben")
    assert opened is not None
    assert approved is not None
    assert opened.sign_up_invite is not None
    assert approved.sign_up_invite is not None
    assert (opened.approval, approved.approval) == ("", "")


def test_who_has_an_account_is_led_on(olga: User, client: Client) -> None:
    client.force_login(new_player("ann"))
    assert client.get(f"/accounts/invited/{invite(olga)}/").headers["Location"] == "/"
    client.force_login(guests.create_guest(at=timezone.now()))
    assert client.get(f"/accounts/invited/{invite(olga)}/").headers["Location"] == "/accounts/keep/"


# By approval


@pytest.fixture
def wanda(db: None) -> User:
    """Has signed up, and waits."""
    change_settings(sign_up="approval")
    user = sign_up(Client(), "Wanda")
    assert user is not None
    return user


def test_a_new_account_waits_and_its_owner_reads_that(client: Client) -> None:
    change_settings(sign_up="approval")
    assert "has to approve a new account" in client.get(SIGN_UP).content.decode()
    form = {"username": "Wanda", "email": "", "password1": PASSWORD}
    page = client.post(SIGN_UP, form, follow=True)
    assert page.redirect_chain[-1] == ("/accounts/waiting/", 302)
    assert "Your account waits for approval" in page.content.decode()
    for path in ("/", "/home/", "/friends/", "/rebuy/", "/tables/new/", "/leaderboard/"):
        assert client.get(path).headers["Location"] == "/accounts/waiting/", path
    for path in ("/account/", "/rules/", "/practice/", "/account/delete/"):
        assert client.get(path).status_code == 200, path


def test_a_log_in_leads_to_the_same_page(wanda: User, client: Client) -> None:
    page = client.post("/accounts/login/", {"login": "Wanda", "password": PASSWORD}, follow=True)
    assert page.redirect_chain[-1] == ("/accounts/waiting/", 302)


def test_a_waiting_account_can_do_nothing_at_a_table(wanda: User, casino: TableClient) -> None:
    now = timezone.now()
    assert code(casino.sit(wanda, 1)) == "not_approved"
    assert code(casino.queue_up(wanda)) == "not_approved"
    line = chat.execute(casino.table_id, wanda.pk, Say(uuid.uuid4(), "Hello"), now)
    cheers = reactions.execute(casino.table_id, wanda.pk, React(uuid.uuid4(), Reaction.CHEERS), now)
    assert [code(each) for each in (line, cheers)] == ["not_approved", "not_approved"]


def test_a_waiting_account_opens_no_table_gets_no_top_up_and_is_not_listed(wanda: User) -> None:
    with pytest.raises(lifecycle.NoTableMaker):
        lifecycle.open_table(name="Mine", rules_key="casino", host_id=wanda.pk)
    Account.objects.filter(user=wanda).update(balance=0)
    state = rebuys.rebuy(wanda, timezone.now()).value
    assert state.answer is ledger_rebuys.RebuyDecision.CLOSED
    Standing.objects.create(user=wanda, rounds=100, net=1, per_hundred=1)
    assert leaderboard.list_rows() == []
    User.objects.update(approval="")
    assert [row.name for row in leaderboard.list_rows()] == ["Wanda"]


def test_an_approved_account_is_told_once_and_plays(
    wanda: User, olga: User, casino: TableClient, client: Client
) -> None:
    client.force_login(wanda)
    assert approvals.approve(Operator(olga.pk), wanda.pk, timezone.now())
    assert not approvals.approve(Operator(olga.pk), wanda.pk, timezone.now())
    waited = client.get("/accounts/waiting/", headers={"Accept": "text/html"}, follow=True)
    assert waited.redirect_chain == [("/", 302)]
    assert "Your account is approved. You can play now." in waited.content.decode()
    assert "is approved" not in client.get("/", headers={"Accept": "text/html"}).content.decode()
    wanda.refresh_from_db()
    assert (wanda.approval, code(casino.sit(wanda, 1))) == ("", "done")


def test_a_refused_account_reads_why_and_may_be_approved_later(
    wanda: User, olga: User, client: Client
) -> None:
    client.force_login(wanda)
    now = timezone.now()
    assert approvals.refuse(Operator(olga.pk), wanda.pk, "Not <one> of us.", now)
    assert not approvals.refuse(Operator(olga.pk), wanda.pk, "Again.", now)
    page = client.get("/", follow=True).content.decode()
    assert "Your account was refused" in page
    assert "Not &lt;one&gt; of us." in page
    assert approvals.approve(Operator(olga.pk), wanda.pk, now)
    assert client.get("/").status_code == 200
    whats = [act.what for act in Act.objects.order_by("pk")]
    assert whats == [Act.What.REFUSE, Act.What.APPROVE]


def test_the_owner_gets_a_letter(olga: User, mailoutbox: list[mail.EmailMessage], rf: Any) -> None:
    request = rf.post("/admin/")
    with request_context(request):
        for name, approval in (("ann", Approval.APPROVED), ("ben", Approval.REFUSED)):
            user = User.objects.create_user(name, email=f"{name}@example.com")
            user.approval, user.refused_because = approval, "Because."
            user.save()
            approvals.send_letter(request, user.pk)
        approvals.send_letter(request, User.objects.create_user("cleo").pk)  # without an address
    yes, no = mailoutbox
    assert (yes.to, yes.subject) == (
        ["ann@example.com"],
        "[The Card Room] Your account is approved",
    )
    assert "http://localhost" in yes.body
    assert (no.to, "The reason: Because." in no.body) == (["ben@example.com"], True)


def test_where_nobody_waits_a_page_has_no_query_more(client: Client) -> None:
    client.force_login(new_player("ann"))
    counts = []
    for mode in ("open", "approval", "invite", "off"):
        change_settings(sign_up=mode)
        with CaptureQueriesContext(connection) as queries:
            client.get("/")
        counts.append(len(queries))
    assert len(set(counts)) == 1


# Guests


def test_without_guests_nobody_starts_as_one_and_no_page_offers_it(casino: TableClient) -> None:
    browser = Client()
    paths = ("/", "/accounts/login/", SIGN_UP, f"/tables/{casino.table_id}/")
    assert all("/accounts/guest/" in browser.get(path).content.decode() for path in paths)
    change_settings(allows_guests=False)
    assert not any("/accounts/guest/" in browser.get(path).content.decode() for path in paths)
    refused = browser.post("/accounts/guest/")
    assert refused.status_code == 403
    assert "You need an account to play at this site." in refused.content.decode()
    assert not User.objects.filter(is_guest=True).exists()


def test_a_guest_who_plays_goes_on(casino: TableClient, client: Client) -> None:
    client.post("/accounts/guest/")
    guest = User.objects.get(is_guest=True)
    change_settings(allows_guests=False)
    assert client.get("/home/").status_code == 200
    assert code(casino.sit(guest, 1)) == "done"


@pytest.mark.parametrize("mode", ["invite", "off"])
def test_a_guest_is_not_turned_into_an_account_where_nobody_signs_up(
    client: Client, mode: str
) -> None:
    client.post("/accounts/guest/")
    guest = User.objects.get(is_guest=True)
    change_settings(sign_up=mode)
    for path in ("/", "/home/", "/account/", "/friends/", "/leaderboard/"):
        assert "/accounts/keep/" not in client.get(path).content.decode(), path
    form = {"username": "Gus", "email": "", "password1": PASSWORD}
    page = client.post("/accounts/keep/", form).content.decode()
    assert "You can go on playing as a guest in this browser." in page
    guest.refresh_from_db()
    assert guest.is_guest


def test_a_guest_with_an_invite_keeps_the_account(olga: User, client: Client) -> None:
    client.post("/accounts/guest/")
    change_settings(sign_up="invite")
    client.get(f"/accounts/invited/{invite(olga)}/")
    client.post("/accounts/keep/", {"username": "Gus", "email": "", "password1": PASSWORD})
    gus = User.objects.get(username="Gus")
    assert (gus.is_guest, gus.sign_up_invite) == (False, SignUpInvite.objects.get())


def test_a_guest_who_is_seated_leaves_first_and_then_waits_for_approval(
    client: Client, casino: TableClient
) -> None:
    client.post("/accounts/guest/")
    guest = User.objects.get(is_guest=True)
    change_settings(sign_up="approval")
    casino.sit(guest, 1)
    form = {"username": "Gus", "email": "", "password1": PASSWORD}
    page = client.post("/accounts/keep/", form, follow=True)
    assert page.redirect_chain == [("/home/", 302)]
    assert "Leave your seat first." in page.content.decode()
    casino.leave(guest)
    assert "can't play until then" in client.get("/accounts/keep/").content.decode()
    page = client.post("/accounts/keep/", form, follow=True)
    assert page.redirect_chain[-1] == ("/accounts/waiting/", 302)
    guest.refresh_from_db()
    assert (guest.username, guest.is_guest, guest.approval) == ("Gus", False, "waiting")


# Tables

MAKERS = ("visitor", "guest", "player", "operator")
MAY = {
    "everybody": {"visitor", "guest", "player", "operator"},
    "players": {"visitor", "player", "operator"},  # a visitor after a log-in
    "operators": {"operator"},
}


@pytest.fixture
def makers(db: None) -> dict[str, User | None]:
    operator = new_player("operator")
    operator.is_staff = True
    operator.save()
    guest = guests.create_guest(at=timezone.now())
    return {"visitor": None, "guest": guest, "player": new_player("ann"), "operator": operator}


@pytest.mark.parametrize("who", MAKERS)
@pytest.mark.parametrize("setting", MAY)
def test_who_may_create_tables(makers: dict[str, User | None], setting: str, who: str) -> None:
    change_settings(table_makers=setting)
    browser, user = Client(), makers[who]
    if user is not None:
        browser.force_login(user)
    is_allowed = who in MAY[setting]
    for path in ("/", "/home/") if user else ("/",):
        assert ('href="/tables/new/"' in browser.get(path).content.decode()) is is_allowed
    answer = browser.get("/tables/new/", follow=True)
    says = re.search("create tables", answer.content.decode())
    assert (answer.redirect_chain == [("/", 302)]) is not is_allowed
    assert is_allowed or says is not None
    if user is None:
        return
    form = {"rules_key": "casino", "play": "open", "name": "Mine", "minimum": "10"}
    browser.post("/tables/new/", form)
    for work in (_open_table, _open_match, _open_duplicate):
        if is_allowed:
            work(user)
        else:
            with pytest.raises(lifecycle.NoTableMaker):
                work(user)
    if not is_allowed:
        assert not Table.objects.exists()
        assert not Match.objects.exists()


def _open_table(user: User) -> None:
    lifecycle.open_table(name="T", rules_key="casino", host_id=user.pk)


def _open_match(user: User) -> None:
    opening.open_match(
        name="M", rules_key="casino", rules_options={}, host_id=user.pk, rounds=5, stack=100_000
    )


def _open_duplicate(user: User) -> None:
    duplicates.open_duplicate(
        name="D", rules_key="casino", rules_options={}, host_id=user.pk, rounds=5, stack=100_000
    )


def test_a_visitor_without_a_request_of_a_browser_is_nobody() -> None:
    request = HttpRequest()
    assert access.may_sign_up(request)
    assert access.may_create_tables(getattr(request, "user", None))


def test_a_guest_who_is_invited_as_an_operator_leaves_the_seat_first_too(
    client: Client, casino: TableClient, olga: User
) -> None:
    """The account is held until it accepts: it could not finish its hand."""
    client.post("/accounts/guest/")
    guest = User.objects.get(is_guest=True)
    change_settings(sign_up="invite")
    casino.sit(guest, 1)
    _invite, token = staff_invites.create(Operator(olga.pk), "floor", timezone.now())
    client.get(f"/staff/{token}/")
    form = {"username": "Gus", "email": "", "password1": PASSWORD}
    page = client.post("/accounts/keep/", form, follow=True)
    assert "Leave your seat first." in page.content.decode()
    casino.leave(guest)
    client.post("/accounts/keep/", form)
    guest.refresh_from_db()
    assert (guest.is_guest, guest.approval) == (False, "waiting")
