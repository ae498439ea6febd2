"""Who has the link gets in; to everybody else a private table does not exist."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from tables import access
from tables.models import Admission, Table, invite_codes
from tables.views import invitations
from tests.game.test_host_commands import close, made_by, operator, renew
from tests.game.test_stacks import open_table
from tests.helpers.table_client import TableClient, new_player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stopped_writer")]

__all__ = ["operator"]


@pytest.fixture(autouse=True)
def no_guesses_yet() -> None:
    """The limit of wrong codes counts in the cache."""
    cache.clear()


@pytest.fixture
def friday(ann: User) -> TableClient:
    """Ann's private table."""
    return made_by(ann, is_private=True)


def browser(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def link(at: TableClient) -> str:
    return reverse("join", args=[at.row.code])


def seated(at: TableClient) -> list[str | None]:
    return [seat.player for seat in at.view.seats]


def pages_of(at: TableClient) -> list[str]:
    return [
        reverse("table", args=[at.table_id]),
        reverse("table-rules", args=[at.table_id]),
    ]


def test_an_outsider_gets_what_a_table_that_does_not_exist_gets(
    friday: TableClient, dora: User
) -> None:
    for client in (browser(), browser(dora)):
        for page in pages_of(friday):
            nothing = page.replace(str(friday.table_id), "424242")
            refused, missing = client.get(page), client.get(nothing)
            assert refused.status_code == missing.status_code == 404
            assert refused.content == missing.content.replace(
                b"424242", str(friday.table_id).encode()
            )
        assert "Friday night" not in client.get("/").content.decode()


def test_an_outsider_cannot_sit_down_by_its_address(friday: TableClient, dora: User) -> None:
    assert browser(dora).post(f"/tables/{friday.table_id}/seats/1/").status_code == 404
    assert seated(friday) == [None, None, None]


def test_its_maker_and_an_operator_see_it(friday: TableClient, ann: User, operator: User) -> None:
    for user in (ann, operator):
        for page in pages_of(friday):
            assert browser(user).get(page).status_code == 200
    assert "Friday night" in browser(ann).get("/").content.decode()
    assert "Friday night" not in browser(operator).get("/").content.decode()


def test_the_link_seats_who_is_logged_in(friday: TableClient, dora: User) -> None:
    client = browser(dora)
    answer = client.get(link(friday), follow=True)
    assert answer.redirect_chain[-1][0] == f"/tables/{friday.table_id}/"
    assert answer.status_code == 200
    assert seated(friday) == ["dora", None, None]
    client.get(link(friday), follow=True)
    assert seated(friday) == ["dora", None, None]
    assert "Friday night" in client.get("/").content.decode()


def test_who_finds_every_seat_taken_looks_on(
    friday: TableClient, ann: User, ben: User, cleo: User, dora: User
) -> None:
    for user in (ann, ben, cleo):
        browser(user).get(link(friday))
    answer = browser(dora).get(link(friday), follow=True)
    assert answer.status_code == 200
    assert "Friday night" in answer.content.decode()
    assert "dora" not in seated(friday)
    assert seated(friday) == ["ann", "ben", "cleo"]


def test_who_comes_to_a_locked_table_looks_on(friday: TableClient, ann: User, dora: User) -> None:
    Table.objects.update(is_locked=True)
    answer = browser(dora).get(link(friday), follow=True)
    assert "locked" in answer.content.decode()
    assert seated(friday) == [None, None, None]
    browser(ann).get(link(friday))
    assert seated(friday) == ["ann", None, None]


def test_the_link_says_to_a_stranger_who_invites_to_what(friday: TableClient, ann: User) -> None:
    friday.sit(ann, 1)
    page = browser().get(link(friday)).content.decode()
    for words in ("ann", "Friday night", "Play as guest", "Log in", "Sign up"):
        assert words in page
    assert link(friday) in page


def test_the_link_says_that_a_table_has_chips_of_its_own(friday: TableClient, ben: User) -> None:
    sentence = "Everyone here plays with chips of this table."
    assert sentence not in browser().get(link(friday)).content.decode()
    assert sentence in browser().get(link(open_table(ben))).content.decode()


def test_the_link_survives_sign_up(friday: TableClient) -> None:
    client = browser()
    client.get(link(friday))
    answer = client.post(
        f"{reverse('account_signup')}?next={link(friday)}",
        {
            "username": "erin",
            "password1": "blackjack-21!",
            "next": link(friday),
        },
        follow=True,
    )
    assert answer.redirect_chain[-1][0] == f"/tables/{friday.table_id}/"
    assert seated(friday) == ["erin", None, None]


def test_the_link_survives_login(friday: TableClient) -> None:
    new_player("erin")
    client = browser()
    client.get(link(friday))
    answer = client.post(
        reverse("account_login"),
        {"login": "erin", "password": "blackjack-21!", "next": link(friday)},
        follow=True,
    )
    assert answer.redirect_chain[-1][0] == f"/tables/{friday.table_id}/"
    assert seated(friday) == ["erin", None, None]


def test_a_guest_is_seated_by_the_link(friday: TableClient) -> None:
    client = browser()
    client.get(link(friday))
    client.post(reverse("guest"), {"next": link(friday)}, follow=True)
    (name, *_) = seated(friday)
    assert name is not None
    assert User.objects.get(username=name).is_guest


def test_who_only_watches_by_the_link_sees_the_table(friday: TableClient) -> None:
    client = browser()
    client.get(link(friday))
    for page in pages_of(friday):
        assert client.get(page).status_code == 200


def test_who_watched_and_then_logs_in_is_let_in(friday: TableClient) -> None:
    erin = new_player("erin")
    client = browser()
    client.get(link(friday))
    client.post(reverse("account_login"), {"login": "erin", "password": "blackjack-21!"})
    assert client.get(pages_of(friday)[0]).status_code == 200
    assert browser(erin).get(pages_of(friday)[0]).status_code == 200


def test_a_renewed_link_is_the_only_one_that_works(
    friday: TableClient, ann: User, ben: User, dora: User
) -> None:
    old, watcher, bens = link(friday), browser(dora), browser(ben)
    stranger = browser()
    stranger.get(old)
    bens.get(old)
    Admission.objects.create(table=friday.row, user=dora, code=friday.row.code)
    assert watcher.get(pages_of(friday)[0]).status_code == 200
    friday.send(ann, renew())
    answer = browser(dora).get(old)
    assert answer.status_code == 410
    assert "This link is no longer valid" in answer.content.decode()
    assert "Friday night" not in answer.content.decode()
    assert watcher.get(pages_of(friday)[0]).status_code == 404
    assert stranger.get(pages_of(friday)[0]).status_code == 404
    assert bens.get(pages_of(friday)[0]).status_code == 200
    assert browser(dora).get(link(friday), follow=True).status_code == 200


def test_a_closed_table_is_gone_for_everybody(friday: TableClient, ann: User) -> None:
    code = friday.row.code
    friday.send(ann, close())
    client = browser(ann)
    for page in pages_of(friday):
        assert client.get(page).status_code == 404
    for stranger in (client, browser()):
        answer = stranger.get(reverse("join", args=[code]))
        assert answer.status_code == 410
        assert "Friday night was closed" in answer.content.decode()
    assert "Friday night" not in client.get("/").content.decode()


def test_the_rounds_of_a_private_table_are_its_peoples_own(
    friday: TableClient, ann: User, dora: User
) -> None:
    from random import Random

    from tests.helpers.rounds import play_round, sit_down

    sit_down(friday, ann)
    play_round(friday, [ann], Random(2))
    round_id = friday.view.round
    addresses = [f"/rounds/{round_id}/", f"/rounds/{round_id}/proof.json"]
    for address in addresses:
        assert browser(ann).get(address).status_code == 200
        assert browser(dora).get(address).status_code == 404
        assert browser().get(address).status_code == 404
    friday.send(ann, close())
    for address in addresses:
        assert browser(ann).get(address).status_code == 200
        assert browser(dora).get(address).status_code == 404


# The code, read aloud


@pytest.mark.parametrize(
    "typed", ["{0}{1}", "{0}-{1}", " {0} {1} ", "{0}–{1}", "{lower}", "{mistaken}"]
)
def test_the_code_can_be_typed_as_it_is_heard(friday: TableClient, dora: User, typed: str) -> None:
    Table.objects.update(code="K0M19TXD")
    parts = {"lower": "k0m19txd", "mistaken": "koml9txd"}
    code = typed.format("K0M1", "9TXD", **parts)
    answer = browser(dora).get(reverse("join-by-code"), {"code": code}, follow=True)
    assert answer.redirect_chain[-1][0] == f"/tables/{friday.table_id}/"


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("", ""),
        ("K7QM", "K7QM"),
        ("K7QM-9TXX", "K7QM-9TXX"),
        ("🂡🂡🂡🂡🂡🂡🂡🂡", "🂡🂡🂡🂡🂡🂡🂡🂡"),
        ("x" * 5000, "x" * 20),
        ("\x00", ""),
        ('">', "&quot;&gt;"),
    ],
)
def test_a_wrong_code_is_told_in_words_and_kept_in_its_field(
    friday: TableClient, dora: User, typed: str, value: str
) -> None:
    answer = browser(dora).get(reverse("join-by-code"), {"code": typed})
    page = answer.content.decode()
    assert "No table has this code" in page
    assert f' value="{value}"' in page


def test_a_link_that_never_was_valid_says_so(friday: TableClient, dora: User) -> None:
    answer = browser(dora).get("/join/K7QM9TXX/")
    assert answer.status_code == 404
    assert "No table has this code" in answer.content.decode()


def test_an_old_link_of_a_closed_table_says_that_it_was_closed(
    friday: TableClient, ann: User
) -> None:
    old = link(friday)
    friday.send(ann, renew())
    friday.send(ann, close())
    page = browser().get(old).content.decode()
    assert "This table was closed" in page
    assert "Friday night" not in page


def test_a_typed_code_of_a_closed_or_renewed_table_is_explained(
    friday: TableClient, ann: User, dora: User
) -> None:
    for end, message in [(renew, "no longer valid"), (close, "was closed")]:
        code = friday.row.code
        friday.send(ann, end())
        answer = browser(dora).get(reverse("join-by-code"), {"code": code}, follow=True)
        assert message in answer.content.decode()


def test_codes_of_the_past_are_counted_like_wrong_ones(friday: TableClient, ann: User) -> None:
    old = link(friday)
    friday.send(ann, renew())
    client = browser()
    for _ in range(20):
        assert client.get(old).status_code == 410
    assert client.get(old).status_code == 429


def test_a_right_code_is_read_back_in_two_halves_and_small_letters() -> None:
    for _ in range(200):
        code = invite_codes.generate_code()
        assert invite_codes.parse_code(f"{code[:4]}-{code[4:]}".lower()) == code


def test_codes_cannot_be_guessed_one_after_the_other(friday: TableClient, dora: User) -> None:
    client = browser(dora)
    for number in range(20):
        assert client.get(f"/join/0000{number:04}/").status_code == 404
    assert client.get("/join/00009999/").status_code == 429
    assert client.get(link(friday)).status_code == 429
    assert client.get(reverse("join-by-code"), {"code": friday.row.code}).status_code == 429


def test_right_codes_are_not_counted(friday: TableClient, dora: User) -> None:
    client = browser(dora)
    for _ in range(30):
        assert client.get(link(friday)).status_code == 302


def test_right_codes_do_not_wipe_out_the_wrong_ones(friday: TableClient, dora: User) -> None:
    client = browser(dora)
    for number in range(20):
        assert client.get(f"/join/0000{number:04}/").status_code == 404
        if number < 19:
            assert client.get(link(friday)).status_code == 302
            by_code = client.get(reverse("join-by-code"), {"code": friday.row.code})
            assert by_code.status_code == 302
    assert client.get(link(friday)).status_code == 429


@pytest.mark.parametrize("address", ["/join/00001234/", "/join/?code=0000-1234"])
def test_codes_are_counted_before_any_is_answered(
    friday: TableClient, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """Of two requests at once only one has the last try."""
    client, answers = browser(), []
    for number in range(19):
        client.get(f"/join/0000{number:04}/")
    look = invitations._open_table

    def look_while_another_asks(code: str) -> Table | None:
        monkeypatch.setattr(invitations, "_open_table", look)
        answers.append(client.get(address).status_code)
        return look(code)

    monkeypatch.setattr(invitations, "_open_table", look_while_another_asks)
    answers.append(client.get(address).status_code)
    assert answers.count(429) == 1
    assert len(answers) == 2


@pytest.mark.parametrize("address", ["/join/00001234/", "/join/?code=0000-1234"])
@pytest.mark.parametrize("goal", ["image", "iframe", "empty", "script"])
def test_images_of_another_site_guess_no_codes(
    friday: TableClient, dora: User, address: str, goal: str
) -> None:
    client = browser(dora)
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": goal}
    for _ in range(25):
        assert client.get(address, headers=headers).status_code == 403
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
    assert client.get(link(friday), headers=headers).status_code == 302


def test_an_invitation_keeps_names_from_right_to_left_in_order() -> None:
    host = new_player("\u05d3\u05d5\u05d3")
    at = made_by(host, is_private=True)
    Table.objects.update(name="\u05e9\u05d5\u05dc\u05d7\u05df 7")
    ben = new_player("ben")
    access.grant_access(at.row, ben.pk)
    at.sit(host, 1)
    at.sit(ben, 2)
    page = browser().get(link(at)).content.decode()
    name, table = "\u2068\u05d3\u05d5\u05d3\u2069", "\u2068\u05e9\u05d5\u05dc\u05d7\u05df 7\u2069"
    assert f"{name} invites you to {table}</h1>" in page
    assert f"Seated: {name}, ben." in page
    assert f"Invited to {table}" in page
    Table.objects.update(maker=None)
    assert f"You are invited to {table}</h1>" in browser().get(link(at)).content.decode()


def test_a_session_keeps_the_latest_invites_only(friday: TableClient) -> None:
    session: dict[str, object] = {}
    for number in range(access.MOST_INVITES + 5):
        access.store_invite(session, Table(pk=number, code=f"{number:08}"))
    assert len(access.get_session_codes(session)) == access.MOST_INVITES
    assert "4" not in access.get_session_codes(session)


# Making a table

FORM = {
    "name": "Friday night", "rules_key": "vegas", "is_private": "on", "has_chat": "on",
    "betting_seconds": "30", "turn_seconds": "60",
}  # fmt: skip


def test_a_player_makes_a_table_and_sits_at_it(dora: User) -> None:
    answer = browser(dora).post(reverse("new-table"), FORM, follow=True)
    row = Table.objects.get()
    assert answer.redirect_chain[-1][0] == f"/tables/{row.pk}/"
    assert (row.maker, row.is_private, row.has_chat) == (dora, True, True)
    assert (row.rules_key, row.betting_seconds, row.turn_seconds) == ("vegas", 30, 60)
    assert seated(TableClient(row.pk)) == ["dora", None, None]


def test_a_table_can_be_made_with_options(dora: User) -> None:
    options = {"minimum": "5", "maximum": "100", "surrender": "no", "natural_pays": "6:5"}
    browser(dora).post(reverse("new-table"), FORM | options)
    rules = Table.objects.get().rules
    assert rules.stakes is not None
    assert (rules.stakes.minimum, rules.stakes.maximum) == (500, 10_000)
    assert not rules.surrender


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": ""}, "Give the table a name."),
        ({"name": " \u200b "}, "Give the table a name."),
        ({"name": "x" * 41}, "at most 40"),
        ({"rules_key": "poker"}, "poker"),
        ({"betting_seconds": "1"}, "Between 5 and 300 seconds."),
        ({"turn_seconds": "301"}, "Between 5 and 300 seconds."),
        ({"turn_seconds": "soon"}, "whole number"),
        ({"decks": "1"}, "Choose more decks, fewer seats"),
        ({"minimum": "100", "maximum": "50"}, "maximum"),
        ({"rules_key": "classic", "minimum": "10"}, "bets"),
        ({"minimum": "9" * 30}, ""),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(
    dora: User, wrong: dict[str, str], message: str
) -> None:
    answer = browser(dora).post(reverse("new-table"), FORM | wrong)
    assert answer.status_code == 200
    assert message in answer.content.decode()
    assert not Table.objects.exists()


def test_the_first_wrong_field_has_the_focus_and_each_has_a_link(dora: User) -> None:
    wrong = {"rules_key": "poker", "turn_seconds": "1", "betting_seconds": "1"}
    page = browser(dora).post(reverse("new-table"), FORM | wrong).content.decode()
    for name in wrong:
        assert page.count(f'href="#id_{name}"') == 1
        assert page.count(f'id="id_{name}"') == 1
    assert "autofocus" not in page  # the first is the list of rule sets
    page = browser(dora).post(reverse("new-table"), FORM | {"name": "", **wrong}).content.decode()
    [field] = [tag for tag in page.split("<") if "autofocus" in tag]
    assert 'id="id_name"' in field


def test_a_refusal_of_no_field_highlights_none(dora: User) -> None:
    for _ in range(5):
        made_by(dora)
    page = browser(dora).post(reverse("new-table"), FORM).content.decode()
    assert "wasn&#x27;t created.</p>" in page or "wasn't created.</p>" in page
    assert "Check the highlighted fields." not in page


def test_the_name_of_a_table_is_one_plain_line(dora: User) -> None:
    name = "<b>Friday</b>\u202e \t night"
    browser(dora).post(reverse("new-table"), FORM | {"name": name})
    page = browser(dora).get("/").content.decode()
    assert "&lt;b&gt;Friday&lt;/b&gt;" in page
    assert "\u202e" not in page


def test_a_sixth_table_is_refused_in_words(dora: User) -> None:
    for _ in range(5):
        made_by(dora)
    answer = browser(dora).post(reverse("new-table"), FORM)
    assert "5 open tables" in answer.content.decode()
    opened = browser(dora).get(reverse("new-table")).content.decode()
    assert "You already have 5 open tables. Close one of them first" in opened
    assert 'href="/home/#tables-heading"' in opened
    assert Table.objects.count() == 5


def test_who_is_not_logged_in_is_asked_to(friday: TableClient) -> None:
    answer = browser().get(reverse("new-table"))
    assert answer.status_code == 302
    assert answer["Location"] == f"{reverse('account_login')}?next=/tables/new/"


def test_the_lobby_is_read_in_few_queries(
    friday: TableClient, ann: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(4):
        made_by(ann)
    client = browser(ann)
    # session and user; five lists of tables, who sits there and to whom seats are offered; and the
    # head's balance and notices
    with django_assert_max_num_queries(11):
        assert client.get("/").status_code == 200
