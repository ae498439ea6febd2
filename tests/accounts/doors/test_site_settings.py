"""The settings of the site: name, greeting, languages, money. They apply at once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import site_settings
from accounts.ledger import transfers
from accounts.models import Act, HouseSettings, Transfer, User
from accounts.users import guests
from accounts.users import names as new_names
from tables.game import rebuys
from tests.helpers.rounds import faults
from tests.helpers.site import SETTINGS_FORM, SETTINGS_PAGE, change_settings
from tests.helpers.table_client import TableClient, balance_of, new_player

pytestmark = pytest.mark.django_db

NAME = "<b>Tom's</b> & Co"
ESCAPED = "&lt;b&gt;Tom&#x27;s&lt;/b&gt; &amp; Co"
PASSWORD = "blackjack-21!"


@pytest.fixture
def manager(client: Client, operator: Any) -> Client:
    client.force_login(operator("manager"))
    return client


def save(client: Client, **changed: Any) -> dict[str, list[str]]:
    """Save the form; the errors by field."""
    answer = client.post(SETTINGS_PAGE, SETTINGS_FORM | changed)
    if answer.status_code == 302:
        return {}
    errors: dict[str, list[str]] = answer.context["adminform"].form.errors
    return {name: [*sentences] for name, sentences in errors.items()}


def test_the_name_is_on_every_page_and_escaped(manager: Client, casino: TableClient) -> None:
    assert save(manager, name=NAME) == {}
    visitor = Client()
    for path in (
        "/", "/rules/", "/fairness/", "/accounts/login/", f"/tables/{casino.table_id}/",
        "/offline/de/", "/nowhere/", "/practice/",
    ):  # fmt: skip
        page = visitor.get(path).content.decode()
        assert f"– {ESCAPED}</title>" in page, path
        assert "<b>Tom" not in page, path
        assert "The Card Room" not in page, path
    assert f'<span class="brand-name">{ESCAPED}</span>' in visitor.get("/").content.decode()
    manifest = visitor.get("/manifest.webmanifest?language=de").json()
    assert (manifest["name"], manifest["short_name"]) == (NAME, NAME)
    assert f"{ESCAPED} – operators" in manager.get("/admin/").content.decode()


def test_a_new_name_replaces_the_page_that_browsers_keep(client: Client) -> None:
    before = client.get("/service-worker.js").content
    assert client.get("/service-worker.js").content == before
    change_settings(name="Another")
    assert client.get("/service-worker.js").content != before


def test_the_name_is_in_front_of_and_below_each_letter(
    client: Client, mailoutbox: list[mail.EmailMessage]
) -> None:
    change_settings(name=NAME)
    form = {"username": "ann", "email": "ann@example.com", "password1": PASSWORD}
    client.post("/accounts/signup/", form)
    (letter,) = mailoutbox
    assert letter.subject.startswith(f"[{NAME}] ")
    assert letter.body.rstrip().endswith(f"\n{NAME}")


@pytest.mark.parametrize("name", ["Tom's Room", "toms-room", "T0MSROOM", "TomsRoom7"])
def test_nobody_gets_a_name_that_speaks_for_the_site(name: str) -> None:
    new_names.clean("TomsRoom")
    change_settings(name="Tom's Room")
    with pytest.raises(Exception, match=r"reserved|letters"):
        new_names.clean(name)
    assert new_names.clean("Tom") == "Tom"


def test_a_name_is_one_short_line(manager: Client) -> None:
    assert save(manager, name="x" * 25) != {}
    assert save(manager, name="") == {"name": ["This field is required."]}
    assert save(manager, name="a\nb") == {}
    assert HouseSettings.objects.get().name == "a b"


def test_the_greeting_is_plain_text_in_the_lobby_and_at_the_log_in(manager: Client) -> None:
    assert 'class="greeting"' not in Client().get("/").content.decode()
    assert save(manager, greeting="Fridays & <i>Sundays</i>\nfrom 8") == {}
    for path in ("/", "/accounts/login/"):
        page = Client().get(path).content.decode()
        assert "Fridays &amp; &lt;i&gt;Sundays&lt;/i&gt;<br>from 8" in page, path
    assert "greeting" in save(manager, greeting="x" * 301)


# Languages


def test_the_site_speaks_the_chosen_languages_alone(manager: Client) -> None:
    assert save(manager, languages=["de", "fr"], default_language="fr") == {}
    visitor = Client()
    page = visitor.get("/").content.decode()
    assert '<html lang="fr">' in page  # the default, for who asks for nothing
    assert re.findall(r'<option value="(\w+)" lang', page) == ["de", "fr"]
    for header, gets in (("de", "de"), ("es,de", "de"), ("en", "fr"), ("es", "fr")):
        page = visitor.get("/", headers={"Accept-Language": header}).content.decode()
        assert f'<html lang="{gets}">' in page, header
    assert visitor.get("/offline/en/").status_code == 404
    assert visitor.get("/manifest.webmanifest?language=en").json()["lang"] == "fr"
    assert '<html lang="en"' in manager.get("/admin/").content.decode()


def test_a_language_that_is_offered_no_more_is_left_for_the_default(client: Client) -> None:
    client.force_login(new_player("ann"))
    client.post("/language/", {"language": "es"})
    client.post("/accounts/language/", {"language": "es"})
    assert '<html lang="es">' in client.get("/").content.decode()
    change_settings(languages="en,de", default_language="de")
    assert '<html lang="de">' in client.get("/").content.decode()


def test_the_languages_are_some_of_the_machine_s_with_the_default_among_them(
    manager: Client, settings: Any
) -> None:
    assert save(manager, languages=[]) == {"languages": ["Choose at least one language."]}
    errors = save(manager, languages=["de"], default_language="en")
    assert errors == {"default_language": ["The default language must be one of the chosen ones."]}
    assert "languages" in save(manager, languages=["nl"])
    assert HouseSettings.objects.get().languages == ""
    assert save(manager, languages=["de", "es"], default_language="es") == {}
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    settings.LANGUAGE_CODE = "en"
    assert '<html lang="de">' in Client().get("/").content.decode()


# Money


def test_new_players_get_the_starting_money_and_others_keep_theirs(manager: Client) -> None:
    ann = new_player("ann")
    assert save(manager, starting_money="1,250.50") == {}
    ben = new_player("ben")
    guest = guests.create_guest(at=timezone.now())
    assert [balance_of(user) for user in (ann, ben, guest)] == [50_000, 125_050, 125_050]
    assert faults() == []


def test_a_top_up_brings_a_player_to_the_amount_of_the_site(manager: Client) -> None:
    ann, ben = new_player("ann"), new_player("ben")
    for user in (ann, ben):
        wallet = user.wallet
        posting = transfers.Posting(
            Transfer.Kind.GRANT, wallet.pk, transfers.get_bank().pk, 50_000, f"test/{user.pk}"
        )
        transfers.post([posting], at=timezone.now())
    rebuys.rebuy(ann, timezone.now())
    assert save(manager, rebuy_amount="80", rebuy_hours="1") == {}
    state = rebuys.get_rebuy_state(ben, timezone.now())
    assert "top up to 80, once an hour" in state.rule
    rebuys.rebuy(ben, timezone.now())
    assert (balance_of(ann), balance_of(ben)) == (50_000, 8_000)
    assert faults() == []  # both amounts were the site's once
    assert HouseSettings.objects.get().rebuy_amounts == [50_000, 8_000]


@pytest.mark.parametrize("field", ["starting_money", "rebuy_amount"])
@pytest.mark.parametrize("wrong", ["", "0", "0.99", "-5", "1,000,001", "many"])
def test_money_that_makes_no_sense_is_refused(manager: Client, field: str, wrong: str) -> None:
    assert [*save(manager, **{field: wrong})] == [field]
    assert HouseSettings.objects.get().starting_money == 50_000


@pytest.mark.parametrize("wrong", ["0", "8761", "-1", ""])
def test_hours_that_make_no_sense_are_refused(manager: Client, wrong: str) -> None:
    assert [*save(manager, rebuy_hours=wrong)] == ["rebuy_hours"]


# At once, and without a query


def test_the_audit_log_has_the_old_and_the_new_values(manager: Client) -> None:
    save(manager, name="Tom's", sign_up="invite", languages=["en", "de"])
    act = Act.objects.get()
    assert act.before == {
        "name": "The Card Room", "languages": "en,de,es,fr", "sign_up": "open"
    }  # fmt: skip
    assert act.after == {"name": "Tom's", "languages": "en,de", "sign_up": "invite"}


def test_a_page_reads_the_settings_without_a_query(client: Client, casino: TableClient) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get("/")
        client.get(f"/tables/{casino.table_id}/")
    assert [each["sql"] for each in queries if "housesettings" in each["sql"]] == [
        each["sql"] for each in queries if "maintenance_at" in each["sql"]
    ]


def test_pages_have_the_defaults_while_the_settings_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    change_settings(name="Tom's")
    reads = []

    def fail() -> None:
        reads.append(1)
        raise OperationalError

    monkeypatch.setattr(site_settings, "refresh", fail)
    site_settings.forget()
    assert site_settings.get().name == site_settings.get().name == "The Card Room"
    assert reads == [1]  # the next try is a second later


def test_a_reader_without_the_permission_to_change_sees_the_settings(
    client: Client, operator: Any
) -> None:
    client.force_login(operator("floor"))
    assert "The Card Room" in client.get(SETTINGS_PAGE).content.decode()
    assert client.post(SETTINGS_PAGE, SETTINGS_FORM | {"name": "Mine"}).status_code == 403
    assert User.objects.filter(username="floor").exists()
