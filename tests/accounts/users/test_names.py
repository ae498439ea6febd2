"""Names: the letters of any script, none that looks like another, and words for what is wrong."""

from __future__ import annotations

import importlib
import re
from io import StringIO

import pytest
from django.apps import apps
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.lib import names
from accounts.lists.player_list import PlayerFilters, list_players
from accounts.models import User
from tables.lobby.forms import PlayerTableForm
from tables.operators.rounds.forms import VoidForm
from tests.helpers.site import change_settings

pytestmark = pytest.mark.django_db

PASSWORD = "blackjack-21!"
TOO_CLOSE = "That name looks too much like one that is taken. Choose another one."
NAME_TAKEN = "That name is taken. Choose another one."


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def sign_up(name: str) -> str:
    """Try to sign up; the page that comes back, or nothing."""
    form = {"username": name, "email": "", "password1": PASSWORD}
    return Client().post("/accounts/signup/", form).content.decode()


def log_in(name: str) -> bool:
    client = Client()
    client.post("/accounts/login/", {"login": name, "password": PASSWORD})
    return "_auth_user_id" in client.session


ALLOWED = [
    "Zoë", "Jörg", "Наталья", "Ἑλένη", "محمد", "דוד", "नमस्ते", "たろう太郎", "김철수", "สมชาย",
    "Ann太郎", "ann.b_c", "a", "1", "ann+ben@home", "Weiß",
]  # fmt: skip


@pytest.mark.parametrize("name", ALLOWED)
def test_a_name_has_the_letters_of_any_script_and_logs_in(name: str) -> None:
    sign_up(name)
    assert User.objects.get().username == name
    assert log_in(name)
    assert log_in(name.upper())
    assert log_in(name.lower())


REFUSED = {
    "ann ben": "A name can&#x27;t have spaces.",
    "a\u00a0b": "A name can&#x27;t have spaces.",
    "O'Neil": "“&#x27;” is not allowed in a name. Use letters or digits.",
    "ann\U0001f600": "“\U0001f600” is not allowed in a name.",
    "ann\u202e": "A name can&#x27;t have invisible characters.",
    "ann\u200db": "A name can&#x27;t have invisible characters.",
    "ann\u00adb": "A name can&#x27;t have invisible characters.",
    "ann\ufe0f": "A name can&#x27;t have invisible characters.",
    "\u3164": "A name can&#x27;t have invisible characters.",
    "\u0301": "A name needs a letter or a digit.",
    "\u0301a": "That name has an accent without a letter.",
    "a" + "\u0334" * 4: "That name has an accent without a letter.",
    "7\u0301": "That name has an accent without a letter.",
    "...": "A name needs a letter or a digit.",
    "a" * 21: "That name is too long: 21 letters, at most 20.",
    "\u0430nn": "That name mixes alphabets.",
    "Ωmega": "That name mixes alphabets.",
    "ann\u0661" + "2": "That name mixes alphabets.",
    "dealer": "That name is reserved.",
    "De\u0430ler": "That name mixes alphabets.",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_is_none_is_refused_in_words(name: str) -> None:
    assert REFUSED[name] in sign_up(name)
    assert User.objects.count() == 0


def test_a_name_is_counted_as_people_see_it() -> None:
    sign_up("é" * 20)
    sign_up("नि" * 20)
    assert User.objects.count() == 2
    assert "too long: 21 letters" in sign_up("é" * 21)


def test_nothing_is_cut_off_a_long_name_without_a_word() -> None:
    for form in (VoidForm(), PlayerTableForm()):
        assert "maxlength" not in str(form)
    for page in ("/accounts/signup/", "/accounts/login/"):
        field = re.search(
            r"<input[^>]*id_(username|login)[^>]*>", Client().get(page).content.decode()
        )
        assert field
        assert "maxlength" not in field[0]


@pytest.mark.parametrize("page", ["/accounts/signup/", "/accounts/login/"])
def test_sign_up_and_log_in_ask_for_a_name_in_the_same_word(page: str) -> None:
    text = Client().get(page).content.decode()
    assert '">Name</label>' in text
    assert "Username" not in text


def test_a_name_is_stored_in_one_form_and_found_by_every_other() -> None:
    sign_up("Zoe\u0308")
    sign_up("\uff22\uff45\uff4e")  # full-width
    assert set(User.objects.values_list("username", flat=True)) == {"Zoë", "Ben"}
    for typed in ("Zoë", "zoe\u0308", "ZOË", " Zoë "):
        assert log_in(typed), typed
    assert log_in("ben")


@pytest.mark.parametrize("other", ["ZOË", "zoe\u0308", "zoë"])
def test_a_name_is_taken_in_every_case_and_form(other: str) -> None:
    sign_up("Zoë")
    assert NAME_TAKEN in sign_up(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("paypal", "\u0440\u0430\u0443\u0440\u0430\u04c0"),
        ("Bob", "B0b"),
        ("Bill", "BiII"),
        ("Bill", "Bi1l"),
        ("Arnold", "Amold"),
        ("OTTO", "\u039f\u03a4\u03a4\u039f"),  # Greek
        ("Weiss", "Weiß"),
        ("Bill", "BI1L"),
        ("BILL", "bi1l"),
        ("Amold", "ARNOLD"),
        ("Phoebe", "Phœbe"),
        ("\u0141ukasz", "L\u0338ukasz"),
        ("Fin", "\ufb01n"),
    ],
)
def test_a_name_that_looks_like_another_is_refused(name: str, other: str) -> None:
    sign_up(name)
    assert User.objects.count() == 1
    page = sign_up(other)
    assert TOO_CLOSE in page or NAME_TAKEN in page
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    "name",
    [
        "ADMIN", "adm1n", "Moderator", "support", "host", "croupier", "Staff", "SYSTEM", "admin1",
        "-admin-", "_Support_24", "0perator7", "7dea1er", "card.room", "The_Dealer", "TheHouse",
        "dealér", "ḍeäler", "Admins", "Dea_lers", "Moderators", "Admin_Team", "Anna-Support", "support_1x",
    ],
)  # fmt: skip
def test_a_name_that_speaks_for_the_site_is_refused_with_signs_and_digits(name: str) -> None:
    assert "That name is reserved." in sign_up(name)
    for other in ("Hostess", "adminton", "Banks", "Theroute", "River_Bank", "2024"):
        sign_up(other)
    assert User.objects.count() == 6


def test_a_site_that_is_named_after_a_number_reserves_that_number_alone() -> None:
    change_settings(name="21")
    assert "That name is reserved." in sign_up("21")
    for other in ("1", "2", "121"):
        sign_up(other)
    assert User.objects.count() == 3


def test_the_database_refuses_a_look_alike_as_well() -> None:
    User.objects.create_user("Bob")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("B0b")


def renamed(client: Client, name: str) -> str:
    return client.post("/account/name/", {"username": name}, follow=True).content.decode()


def test_a_new_name_is_held_to_the_same_rules(client: Client) -> None:
    sign_up("Bob")
    sign_up("ann")
    client.force_login(User.objects.get(username="ann"))
    client.post("/accounts/login/", {"login": "ann", "password": PASSWORD})
    for name, words in (
        ("B0b", TOO_CLOSE),
        ("a b", "A name can&#x27;t have spaces."),
        ("bOB", NAME_TAKEN),
    ):
        assert words in renamed(client, name)
    renamed(client, "Änn")
    assert User.objects.filter(username="Änn").exists()
    assert "ann" not in User.objects.values_list("username", flat=True)
    sign_up("ann")  # the old name is held for its owner
    assert not User.objects.filter(username="ann").exists()
    renamed(client, "ann")
    assert User.objects.filter(username="ann").exists()


@pytest.mark.parametrize(
    ("other", "first", "then", "words"),
    [
        # Greek: the capital letter looks like N, the small one like v.
        ("Nan", "\u03bd\u03b1\u03bd", "\u039d\u03b1\u039d", TOO_CLOSE),
        ("Bob", "ADMIN", "admin", "That name is reserved."),
    ],
)
def test_another_case_of_the_own_name_may_not_look_like_another(
    client: Client, other: str, first: str, then: str, words: str
) -> None:
    """The second user has the name from before it was reserved."""
    sign_up(other)
    client.force_login(User.objects.create_user(first, password=PASSWORD))
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert words in renamed(client, then)
    assert User.objects.filter(username=first).exists()


@pytest.mark.parametrize(("name", "new"), [("Bob", "bOB"), ("B0b", "b0B")])
def test_the_case_of_the_own_name_may_be_changed(client: Client, name: str, new: str) -> None:
    """Also by a user from before the column, who looks like an older one."""
    User.objects.create_user("Bob", password=PASSWORD)
    User.objects.create_user("other", password=PASSWORD)
    User.objects.filter(username="other").update(username="B0b", folded="b0b", skeleton=None)
    client.force_login(User.objects.get(username=name))
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    renamed(client, new)
    assert User.objects.filter(username=new).exists()


def test_a_guest_keeps_the_account_under_a_name_of_any_script(client: Client) -> None:
    sign_up("Bob")
    client.post("/accounts/guest/")
    form = {"email": "", "password1": PASSWORD}
    page = client.post("/accounts/keep/", form | {"username": "B0b"}).content.decode()
    assert TOO_CLOSE in page
    client.post("/accounts/keep/", form | {"username": "Наталья"})
    assert log_in("НАТАЛЬЯ")


def test_the_command_line_refuses_a_look_alike(capsys: pytest.CaptureFixture[str]) -> None:
    sign_up("Bob")
    with pytest.raises(CommandError, match="looks too much like"):
        call_command(
            "createsuperuser", "--noinput", "--username", "B0b", "--email", "b@example.com",
            stderr=StringIO(),
        )  # fmt: skip
    with pytest.raises(CommandError, match="A name can't have spaces"):
        call_command("createsuperuser", "--noinput", "--username", "b b", "--email", "b@e.com")
    call_command(
        "createsuperuser", "--noinput", "--username", "admin", "--email", "b@e.com", verbosity=0
    )
    assert User.objects.get(username="admin").is_superuser


def test_operators_find_a_name_of_any_script_by_its_beginning() -> None:
    for name in ("Zoë", "ZOËlla", "Zoe", "Наталья", "太郎"):
        User.objects.create_user(name)
    assert [user.username for user in list_players(PlayerFilters("zoë")).users] == ["Zoë", "ZOËlla"]
    assert [user.username for user in list_players(PlayerFilters("нат")).users] == ["Наталья"]
    assert [user.username for user in list_players(PlayerFilters("太")).users] == ["太郎"]


def test_a_deleted_account_gives_its_look_back() -> None:
    from tables.game import account_deletion
    from tests.helpers.table_client import new_player

    ann = new_player("Bob")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("B0b")
    account_deletion.delete_account(ann.pk, ann.date_joined)
    assert User.objects.create_user("B0b").skeleton == names.skeleton("Bob")


def test_older_users_who_look_alike_keep_their_names_and_the_first_keeps_the_look() -> None:
    """The migration's back-fill."""
    for name in ("Bob", "ann"):
        User.objects.create_user(name)
    User.objects.create_user("other", password=PASSWORD)
    User.objects.filter(username="other").update(username="B0b", folded="", skeleton=None)
    User.objects.update(skeleton=None)
    fill = importlib.import_module("accounts.migrations.0010_names_of_any_script").fill
    fill(apps, None)
    looks = dict(User.objects.values_list("username", "skeleton"))
    assert looks == {"Bob": "bob", "ann": "ann", "B0b": None}
    assert User.objects.get(username="B0b").folded == "b0b"
    assert log_in("B0B")  # also writes the time of the login: the row is saved as it is
    assert NAME_TAKEN in sign_up("bOB")
    assert TOO_CLOSE in sign_up("\u0412ob".replace("o", "\u043e").replace("b", "\u042c"))


def test_a_name_of_another_script_has_no_look_of_its_own_letters() -> None:
    assert names.skeleton("太郎") != names.skeleton("次郎")
    assert names.skeleton("Zoë") != names.skeleton("Zoe")


def test_a_name_from_right_to_left_turns_no_sentence_around(client: Client) -> None:
    sign_up("מרים12")
    client.force_login(User.objects.get())
    page = client.get("/home/").content.decode()
    assert "Welcome back, \u2068מרים12\u2069<" in page
    assert names.normalized("\u2068מרים12\u2069") == "מרים12"  # copied from there
