"""Finding players, everything about one of them, and who may see and change what."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, Permission
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.admin import roles
from accounts.admin.users import PasswordForm
from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.lists.player_list import PlayerFilters, list_players
from accounts.models import Act, User
from accounts.staff import assignment
from accounts.users import limits, search, sessions
from accounts.users.limits import Kind
from tables.game import account_deletion
from tables.models import Report, Result, Round, Table
from tests.game.test_host_commands import made_by
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient, new_player

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("stopped_writer"),
]

Role = Callable[..., User]
Stack = Callable[..., None]


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def olga(db: None) -> User:
    """The superuser."""
    return User.objects.create_superuser("olga", password="blackjack-21!")


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def read_page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return " ".join(answer.content.decode().split())


def names_at(client: Client, query: str = "") -> list[str]:
    page = read_page(client, f"/admin/players/{query}")
    return re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)</a>', page)


def people(count: int, name: str = "player") -> list[User]:
    users = [User(username=f"{name}{number:03}") for number in range(count)]
    return User.objects.bulk_create(users)


# Finding


def test_players_are_found_by_the_beginning_of_their_name_in_any_case(operator: Role) -> None:
    for name in ("Anna", "anne", "ANNIKA", "an", "joanna", "an.nie", "an_na"):
        new_player(name)
    client = browser_of(operator("floor"))
    assert names_at(client, "?q=aNn") == ["Anna", "anne", "ANNIKA"]
    assert names_at(client, "?q=an_") == ["an_na"]
    assert names_at(client, "?q=an%25") == []
    assert names_at(client, "?q=zz") == []


def test_the_longest_name_is_found(operator: Role) -> None:
    new_player("z" * 20)
    assert names_at(browser_of(operator("floor")), "?q=z") == ["z" * 20]


def test_players_are_found_by_their_number(operator: Role, ann: User, ben: User) -> None:
    assert names_at(browser_of(operator("floor")), f"?q={ben.pk}") == ["ben"]


def test_a_number_that_begins_a_name_finds_both(operator: Role, ann: User) -> None:
    new_player(f"{ann.pk}st")
    assert names_at(browser_of(operator("floor")), f"?q={ann.pk}") == ["ann", f"{ann.pk}st"]


def test_players_are_found_by_their_whole_address(operator: Role, ann: User) -> None:
    EmailAddress.objects.create(user=ann, email="ann@example.org")
    client = browser_of(operator("floor"))
    assert names_at(client, "?q=Ann%40Example.org") == ["ann"]
    assert names_at(client, "?q=ann%40example") == []


def test_without_words_the_newest_come_first_page_by_page(operator: Role) -> None:
    people(120)
    client = browser_of(operator("floor"))
    names, query = [], ""
    while query is not None:
        page = read_page(client, f"/admin/players/{query}")
        names += re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)</a>', page)
        onward = re.search(r'href="(\?[^"]*after=[^"]+)">Next page', page)
        query = onward[1] if onward else None
    assert names == ["floor", *(f"player{number:03}" for number in reversed(range(120)))]


def test_the_pages_of_a_search_leave_nobody_out_and_repeat_nobody(operator: Role) -> None:
    people(120, "Guest")
    client = browser_of(operator("floor"))
    names, query = [], "?q=guest"
    while query is not None:
        page = read_page(client, f"/admin/players/{query}")
        names += re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)</a>', page)
        onward = re.search(r'href="(\?[^"]*after=[^"]+)">Next page', page)
        query = onward[1].replace("&amp;", "&") if onward else None
    assert names == [f"Guest{number:03}" for number in range(120)]


@pytest.mark.parametrize(
    "query",
    ["?q=%00", "?q=a%00b", "?q=" + "9" * 18, "?q=" + "9" * 30, "?q=" + "x" * 300, "?after=x",
     "?after=%00", "?q=٣", "?q=%F0%9F%82%A1", "?q=a&after=" + "b" * 19, "?after=" + "9" * 18],
)  # fmt: skip
def test_what_cannot_be_found_is_no_error(operator: Role, ann: User, query: str) -> None:
    read_page(browser_of(operator("floor")), f"/admin/players/{query}")


def test_states_are_told_apart(operator: Role, ann: User, ben: User, cleo: User) -> None:
    now = timezone.now()
    User.objects.filter(pk=ann.pk).update(is_active=False, frozen_at=now, frozen_because="x")
    User.objects.filter(pk=ben.pk).update(silenced_at=now, is_guest=True)
    account_deletion.delete_account(cleo.pk, now)
    page = read_page(browser_of(operator("floor")), "/admin/players/")
    flags = {
        name: re.findall(r'class="flag[^"]*">([^<]+)<', row)
        for row in page.split("<tr>")
        for name in re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)</a>', row)
    }
    assert flags == {
        "ann": ["frozen"], "ben": ["guest", "muted"], f"former #{cleo.pk}": ["deleted"],
        "floor": ["operator"],
    }  # fmt: skip


def plans(work: Callable[[], object]) -> list[str]:
    if connection.vendor != "sqlite":
        pytest.skip("plans are told in SQLite's words")
    with CaptureQueriesContext(connection) as queries:
        work()
    steps = []
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            steps += [row[3] for row in cursor.fetchall()]
    return steps


@pytest.mark.parametrize(
    ("words", "after"), [("ann", ""), ("ann", "anna"), ("12", ""), ("a@example.org", ""), ("", "")]
)
def test_a_search_walks_indexes_and_counts_nothing(ann: User, words: str, after: str) -> None:
    steps = plans(lambda: list_players(PlayerFilters(words), after=after))
    assert steps
    assert not [step for step in steps if "TEMP B-TREE" in step], steps
    if words:
        assert not [step for step in steps if step.startswith("SCAN")], steps
    with CaptureQueriesContext(connection) as queries:
        list_players(PlayerFilters(words), after=after)
    assert not [q for q in queries.captured_queries if "COUNT" in q["sql"]]


def test_a_whole_name_is_found_by_the_index_in_any_case(ann: User) -> None:
    assert search.find_by_name("ANN") == ann
    assert search.find_by_name("an") is None
    steps = plans(lambda: search.find_by_name("Ann"))
    assert steps
    assert not [step for step in steps if step.startswith("SCAN")], steps


def test_a_page_of_players_asks_as_much_as_one_player(operator: Role) -> None:
    client = browser_of(operator("floor"))
    read_page(client, "/admin/players/")
    with CaptureQueriesContext(connection) as few:
        read_page(client, "/admin/players/")
    people(60)
    with CaptureQueriesContext(connection) as many:
        read_page(client, "/admin/players/")
    assert len(many) == len(few)


# One player


def test_the_page_of_a_player_says_who_it_is_and_what_holds(
    operator: Role, casino: TableClient, ann: User
) -> None:
    sit_down(casino, ann)
    made_by(ann)
    limits.set_limit(ann, Kind.DAILY_LOSS, 12_345, timezone.now())
    limits.set_limit(ann, Kind.REMINDER, 30, timezone.now())
    page = read_page(browser_of(operator("floor")), f"/admin/players/{ann.pk}/")
    assert "<dt>Balance</dt><dd>500</dd>" in page
    assert "daily loss limit 123.45" in page
    assert "reminder after 30 minutes" in page
    assert "Casino</a>, seat 1 since" in page
    assert f"{Table.objects.get(maker=ann).name}</a>, host" in page


def test_sessions_are_shown_without_their_keys(operator: Role, ann: User) -> None:
    anns = browser_of(ann)
    anns.get("/", headers={"user-agent": "Mozilla/5.0 (X11; Linux) Firefox/130.0"})
    sessions.flush_activity(timezone.now())
    page = read_page(browser_of(operator("floor")), f"/admin/players/{ann.pk}/")
    assert "Firefox" in page
    assert "127.0.0.1" in page
    assert anns.session.session_key not in page


def test_notes_are_for_operators_and_stay(operator: Role, ann: User) -> None:
    client = browser_of(operator("cashier"))
    for text in ("first", "later <b>"):
        answer = client.post(f"/admin/players/{ann.pk}/note/", {"text": text}, follow=True)
        assert "The note was saved." in answer.content.decode()
    page = read_page(client, f"/admin/players/{ann.pk}/")
    assert page.index("later &lt;b&gt;") < page.index("<p>first</p>")
    assert Act.objects.filter(what="note", subject=f"user:{ann.pk}").count() == 2
    anns = browser_of(ann)
    assert "later" not in anns.get("/account/").content.decode()


def test_a_note_whose_form_is_sent_twice_is_written_once(operator: Role, ann: User) -> None:
    client = browser_of(operator("cashier"))
    for times in (1, 2):
        form = client.get(f"/admin/players/{ann.pk}/").context["note_form"]
        sent = {"text": "the same", "key": form["key"].value()}
        messages = []
        for _ in range(2):
            answer = client.post(f"/admin/players/{ann.pk}/note/", sent, follow=True)
            messages += [str(message) for message in answer.context["messages"]]
        assert messages == ["The note was saved.", "That note was already saved."]
        assert Act.objects.filter(what="note").count() == times
    assert str(sent["key"]) not in answer.content.decode(), "the next form has a key of its own"
    page = read_page(browser_of(operator("manager")), "/admin/trail/")
    assert "the same" in page
    assert str(sent["key"]) not in page


def test_another_note_from_the_same_form_is_written(operator: Role, ann: User) -> None:
    """As by somebody who goes back to it."""
    client = browser_of(operator("cashier"))
    key = client.get(f"/admin/players/{ann.pk}/").context["note_form"]["key"].value()
    for text in ("first", "second", "first"):
        client.post(f"/admin/players/{ann.pk}/note/", {"text": text, "key": key})
    notes = Act.objects.filter(what="note").order_by("pk")
    assert list(notes.values_list("reason", flat=True)) == ["first", "second"]


@pytest.mark.parametrize("key", ["", "x", "\0", "5" * 99])
def test_a_note_with_a_key_that_is_none_is_written_all_the_same(
    operator: Role, ann: User, key: str
) -> None:
    sent = {"text": "a note", "key": key}
    browser_of(operator("cashier")).post(f"/admin/players/{ann.pk}/note/", sent)
    assert Act.objects.get().reason == "a note"


@pytest.mark.parametrize("text", ["", "  ", "a\0b", "x" * 501])
def test_a_note_that_is_none_is_not_written(operator: Role, ann: User, text: str) -> None:
    answer = browser_of(operator("cashier")).post(f"/admin/players/{ann.pk}/note/", {"text": text})
    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()
    assert Act.objects.count() == 0


def test_buttons_are_for_who_may_press_them(operator: Role, ann: User) -> None:
    buttons = {
        "floor": {"silence"},
        "cashier": {"adjust"},
        "manager": {"silence", "freeze", "adjust", "role"},
    }
    for role, allowed in buttons.items():
        page = read_page(browser_of(operator(role)), f"/admin/players/{ann.pk}/")
        links = set(re.findall(rf'href="/admin/players/{ann.pk}/(\w+)/">', page))
        assert links - {"statement", "rounds"} == allowed, role


def test_a_cashier_does_not_read_what_operators_did(operator: Role, ann: User) -> None:
    assert "Operator actions" in read_page(
        browser_of(operator("floor")), f"/admin/players/{ann.pk}/"
    )
    page = read_page(browser_of(operator("cashier")), f"/admin/players/{ann.pk}/")
    assert "Operator actions" not in page
    assert "Reports" not in page


def test_what_a_player_has_reported_stands_there_with_the_answer(
    operator: Role, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    round_, floor = Round.objects.get(), operator("floor")
    report = Report.objects.create(round=round_, user=ann, at=timezone.now(), text="An odd <ace>.")
    address = f"/admin/players/{ann.pk}/"
    assert "An odd &lt;ace&gt;. – <b>not answered yet</b>" in read_page(browser_of(floor), address)
    Report.objects.filter(pk=report.pk).update(
        answer="It was the ace.", answered_by=floor, answered_at=timezone.now()
    )
    assert "An odd &lt;ace&gt;. – It was the ace." in read_page(browser_of(floor), address)


def test_nothing_can_be_done_about_a_deleted_account(operator: Role, ann: User) -> None:
    account_deletion.delete_account(ann.pk, timezone.now())
    client = browser_of(operator("manager"))
    page = read_page(client, f"/admin/players/{ann.pk}/")
    assert f"/admin/players/{ann.pk}/freeze/" not in page
    for act in ("freeze", "unfreeze", "silence", "unsilence"):
        typed = {"reason": "x", "lasts": "1d"}
        answer = client.post(f"/admin/players/{ann.pk}/{act}/", typed)
        assert "This account was deleted" in answer.content.decode()
    assert Act.objects.count() == 0


def test_a_player_who_is_not_there_is_not_found(operator: Role) -> None:
    client = browser_of(operator("manager"))
    for number in (0, 10**9, 10**18, 10**30):
        for page in ("", "statement/", "rounds/", "freeze/", "silence/", "adjust/", "reverse/1/"):
            assert client.get(f"/admin/players/{number}/{page}").status_code == 404
        assert client.post(f"/admin/players/{number}/note/", {"text": "x"}).status_code == 404


def test_the_statement_adds_up_and_goes_on(
    operator: Role, casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    for _ in range(20):
        casino.bet(ann, 1000)
        casino.take_back(ann)
    client, address = browser_of(operator("cashier")), f"/admin/players/{ann.pk}/statement/"
    first = read_page(client, address)
    assert ": correct." in first
    older = re.search(r'href="(\?[^"]*before=\d+)">Older entries', first)
    assert older
    second = read_page(client, address + older[1])
    assert "starting chips" in second
    assert ": correct." in second
    for query in ("?before=x", "?before=" + "9" * 30, "?kind=%00", "?from=x", "?kind=stake"):
        read_page(client, address + query)


def test_the_rounds_are_all_there_also_after_the_history_was_emptied(
    operator: Role, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    User.objects.filter(pk=ann.pk).update(history_since=timezone.now())
    page = read_page(browser_of(operator("floor")), f"/admin/players/{ann.pk}/rounds/")
    assert str(Result.objects.get().round_id) in page
    assert "+15" in page
    for query in ("?before=x", "?before=9999999999999999-1", "?before=%00"):
        read_page(browser_of(User.objects.get(username="floor")),
              f"/admin/players/{ann.pk}/rounds/{query}")  # fmt: skip


# Who logs in with what


def role_page(user: User) -> str:
    return f"/admin/players/{user.pk}/role/"


def test_a_superuser_gives_roles_and_the_trail_names_them(olga: User, ann: User) -> None:
    group = Group.objects.get(name="floor")
    client = browser_of(olga)
    client.post(role_page(ann), {"roles": ["floor"]})
    ann.refresh_from_db()
    assert (ann.is_staff, list(ann.groups.all())) == (True, [group])
    act = Act.objects.get()
    assert (act.what, act.subject, act.by) == ("edit_user", f"user:{ann.pk}", olga)
    assert (act.before, act.after) == ({"groups": []}, {"groups": ["floor"]})
    client.post(role_page(ann), {})
    act = Act.objects.latest("pk")
    assert (act.before, act.after) == ({"groups": ["floor"]}, {"groups": []})
    ann.refresh_from_db()
    assert not ann.is_staff


def test_the_page_of_roles_says_what_each_may_and_leads_back_to_the_player(
    olga: User, operator: Role, ann: User
) -> None:
    client, address = browser_of(olga), role_page(ann)
    page, back = read_page(client, address), f'href="/admin/players/{ann.pk}/"'
    assert page.count(back) >= 2, "above the form, and in the way that leads there"
    assert "<h1>Role and password</h1>" in page
    assert f'href="/admin/accounts/user/{ann.pk}/password/"' in page
    for words in (
        "cashier – sees players", "floor – sees the live tables", "manager – can do all of that",
        "lets the user open the operators", "assigns roles to others",
    ):  # fmt: skip
        assert words in page, words
    answer = client.post(address, {"roles": ["floor"]})
    assert answer.headers["Location"] == f"/admin/players/{ann.pk}/"
    assert "The rights of ann are saved" in read_page(client, f"/admin/players/{ann.pk}/")
    assert back in read_page(client, f"/admin/accounts/user/{ann.pk}/password/")
    page = read_page(
        browser_of(operator("floor", "fred")), f"/admin/accounts/user/{ann.pk}/change/"
    )
    assert back in page
    assert "Superuser" in page
    assert "Designates" not in page


def test_every_role_has_words() -> None:
    assert set(Group.objects.values_list("name", flat=True)) == set(roles.SAYS)


def test_what_is_no_role_is_not_edited(olga: User, ann: User) -> None:
    forged = {
        "roles": ["floor"], "username": "other", "email": "x@example.org", "password": "x",
        "date_joined_0": "2000-01-01", "frozen_because": "x", "is_guest": "on",
    }  # fmt: skip
    browser_of(olga).post(role_page(ann), forged)
    now = User.objects.get(pk=ann.pk)
    assert (now.username, now.email, now.password) == (ann.username, ann.email, ann.password)
    assert (now.is_active, now.is_guest, now.date_joined) == (True, False, ann.date_joined)
    assert now.is_staff


def test_who_is_frozen_or_gone_meanwhile_stays_so(olga: User, ann: User) -> None:
    stale, now = User.objects.get(pk=ann.pk), timezone.now()
    assignment.assign(Operator(olga.pk), ann.pk, ["floor"], now)
    User.objects.filter(pk=ann.pk).update(is_active=False, frozen_at=now, frozen_because="x")
    form = PasswordForm(stale, {"password1": "another-21!", "password2": "another-21!"})
    assert form.is_valid()
    form.save()
    frozen = User.objects.get(pk=ann.pk)
    assert (frozen.is_active, frozen.frozen_at, frozen.is_staff) == (False, now, True)
    assert frozen.check_password("another-21!")
    User.objects.filter(pk=ann.pk).update(frozen_at=None, is_staff=False, password="!")
    ann.groups.clear()
    with pytest.raises(OperationRefused, match="deleted"):
        assignment.assign(Operator(olga.pk), ann.pk, ["floor"], now)
    form.save()
    assert User.objects.filter(pk=ann.pk, is_staff=False, password="!").exists()


def test_superusers_do_not_lock_themselves_out(olga: User) -> None:
    client = browser_of(olga)
    for fields in ({}, {"roles": ["manager"]}):
        answer = client.post(role_page(olga), fields)
        message = "You can&#x27;t remove your own superuser status. Ask another superuser."
        assert message in answer.content.decode()
    olga.refresh_from_db()
    assert olga.is_staff
    assert olga.is_superuser


def test_a_superuser_makes_and_unmakes_another(olga: User, ann: User) -> None:
    client = browser_of(olga)
    client.post(role_page(ann), {"is_superuser": "on"})
    ann.refresh_from_db()
    assert (ann.is_staff, ann.is_superuser, ann.role_since is not None) == (True, True, True)
    assert Act.objects.latest("pk").after == {"groups": [], "is_superuser": True}
    client.post(role_page(ann), {})
    ann.refresh_from_db()
    assert (ann.is_staff, ann.is_superuser, ann.role_since) == (False, False, None)


def test_a_superuser_sets_a_password_and_the_trail_says_so_without_it(
    olga: User, ann: User
) -> None:
    client, address = browser_of(olga), f"/admin/accounts/user/{ann.pk}/password/"
    anns = browser_of(ann)
    wish = {"usable_password": "true", "password1": "another-21!", "password2": "another-21!"}
    client.post(address, wish | {"password2": "different-21!"})
    assert Act.objects.count() == 0
    client.post(address, wish)
    now = User.objects.get(pk=ann.pk)
    assert now.check_password("another-21!")
    act = Act.objects.get()
    assert (act.what, act.before, act.after) == (
        "edit_user",
        None,
        {"password": "reset", "sessions": "ended"},
    )
    assert anns.get("/account/").status_code == 302, "who knew the old one is logged out"


def test_a_password_hash_is_shown_to_nobody(olga: User, operator: Role, ann: User) -> None:
    pieces = [ann.password, ann.password.split("$")[-1][:6], ann.password.split("$")[2][:6]]
    assert all(len(piece) >= 6 for piece in pieces)
    addresses = [
        "/admin/accounts/user/", f"/admin/accounts/user/{ann.pk}/change/",
        f"/admin/accounts/user/{ann.pk}/password/", f"/admin/players/{ann.pk}/",
        f"/admin/accounts/user/{ann.pk}/history/", "/admin/players/",
    ]  # fmt: skip
    for user in (olga, operator("manager"), operator("floor")):
        for address in addresses:
            page = browser_of(user).get(address, follow=True).content.decode()
            assert not [piece for piece in pieces if piece in page], (user, address)
            assert "pbkdf2" not in page.lower()
            assert "md5$" not in page.lower()


@pytest.mark.parametrize(
    ("lookup", "status"),
    [("password__startswith=m", 400), ("email__startswith=a", 400), ("is_guest__exact=0", 200)],
)
def test_a_list_tells_nothing_bit_by_bit(olga: User, ann: User, lookup: str, status: int) -> None:
    assert browser_of(olga).get(f"/admin/accounts/user/?{lookup}").status_code == status


def test_who_may_only_look_changes_nothing(operator: Role, ann: User) -> None:
    for role in ("floor", "cashier", "manager"):
        client = browser_of(operator(role))
        page = read_page(client, f"/admin/accounts/user/{ann.pk}/change/")
        assert 'name="is_superuser"' not in page
        assert "Set a new password" not in page
        wish = {"usable_password": "true", "password1": "another-21!", "password2": "another-21!"}
        assert client.post(f"/admin/accounts/user/{ann.pk}/password/", wish).status_code == 403
        if role != "manager":
            assert client.post(role_page(ann), {"roles": ["floor"]}).status_code == 403
    assert not User.objects.get(pk=ann.pk).is_staff


def test_the_stored_user_is_changed_by_nobody(olga: User, ann: User) -> None:
    sent = {"is_staff": "on", "is_superuser": "on"}
    answer = browser_of(olga).post(f"/admin/accounts/user/{ann.pk}/change/", sent)
    assert answer.status_code == 403
    assert not User.objects.get(pk=ann.pk).is_staff


def test_the_permission_alone_makes_nobody_a_superuser(operator: Role, ann: User) -> None:
    floor = operator("floor")
    for codename in ("change_user", "manage_staff"):
        floor.user_permissions.add(Permission.objects.get(codename=codename))
    client = browser_of(floor)
    for user in (floor, ann):
        client.post(role_page(user), {"roles": ["floor"], "is_superuser": "on"})
        assert not User.objects.get(pk=user.pk).is_superuser


def test_nobody_is_added_deleted_or_given_back_a_deleted_account(olga: User, ann: User) -> None:
    client = browser_of(olga)
    assert client.get("/admin/accounts/user/add/").status_code == 403
    assert client.post(f"/admin/accounts/user/{ann.pk}/delete/", {"post": "yes"}).status_code == 403
    account_deletion.delete_account(ann.pk, timezone.now())
    change = client.post(role_page(ann), {"roles": ["floor"]}, follow=True)
    assert "This account was deleted." in change.content.decode()
    assert client.get(f"/admin/accounts/user/{ann.pk}/password/").status_code == 403
    assert not User.objects.get(pk=ann.pk).is_staff


def test_the_list_of_users_counts_nothing_and_is_searched_by_index(olga: User, ann: User) -> None:
    client = browser_of(olga)
    for query in ("", "?q=an", f"?q={ann.pk}", "?q=ann%40example.org"):
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/admin/accounts/user/{query}")
        of_users = [q["sql"] for q in queries.captured_queries if "accounts_user" in q["sql"]]
        assert not [sql for sql in of_users if "COUNT(" in sql], query
    assert "ann" in client.get("/admin/accounts/user/?q=an").content.decode()
