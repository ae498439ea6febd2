"""Each reader is answered in their own language: pages, refusals at a table, e-mails.

The translations into German are replaced by sentences in ⟦brackets⟧, so that these tests do not
depend on the words of translators.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings as site_settings
from django.core import mail
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import translation
from pytest_django import Settings

from accounts.lib.errors import TRY_AGAIN
from accounts.lib.form_fields import MoneyField
from accounts.models import User
from tables.game import aborted_rounds, recovery
from tables.game.aborted_rounds import IS_TOO_OLD
from tables.game.chips import racks
from tables.models import Round
from tests.helpers import pseudo_locale
from tests.helpers.table_client import TableClient, new_player
from tests.realtime.test_sockets import page

pytestmark = pytest.mark.django_db

GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de-AT,de;q=0.9,en;q=0.5"}


@pytest.fixture(scope="session")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pseudo_locale.write_locale(tmp_path_factory.mktemp("locale"), "de")


@pytest.fixture(autouse=True)
def _translated(german: Path, settings: Settings) -> Iterator[None]:
    cache.clear()
    settings.LOCALE_PATHS = [german]
    yield
    cache.clear()


def as_(user: User, **headers: str) -> Client:
    client = Client(**headers)
    client.force_login(user)
    return client


def language_of(client: Client, path: str = "/") -> str:
    """The language of a page: what it says about itself is what it speaks."""
    text = client.get(path).content.decode()
    match = re.search(r'<html lang="([\w-]+)"', text)
    assert match is not None
    assert ("⟦Lobby⟧" in text) == (match[1] == "de")
    return match[1]


# Which language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("de", "de"), ("de-AT,de;q=0.9", "de"), ("fr-CA", "fr"), ("es-419,en;q=0.1", "es"),
        ("nl,de;q=0.5", "de"), ("nl", "en"), ("", "en"), ("*", "en"), ("x" * 900, "en"),
        ("en-GB,de;q=0.9", "en"),
    ],
)  # fmt: skip
def test_the_browser_asks_for_a_language(header: str, language: str) -> None:
    assert language_of(Client(HTTP_ACCEPT_LANGUAGE=header)) == language


def test_a_visitor_chooses_a_language_for_this_browser() -> None:
    visitor = Client()
    answer = visitor.post("/accounts/language/", {"language": "de", "next": "/rules/"})
    assert answer.headers["Location"] == "/rules/"
    assert language_of(visitor, "/rules/") == "de"
    visitor.post("/accounts/language/", {"language": "en"})
    assert language_of(visitor) == "en"
    visitor.defaults |= GERMAN
    assert language_of(visitor) == "en", "the choice is stronger than the browser's settings"
    assert language_of(Client()) == "en"


def test_the_choice_follows_the_player_to_another_device(ann: User) -> None:
    as_(ann).post("/accounts/language/", {"language": "de"})
    ann.refresh_from_db()
    assert ann.language == "de"
    other = as_(ann, HTTP_ACCEPT_LANGUAGE="fr")
    assert language_of(other) == "de"
    assert language_of(Client(HTTP_ACCEPT_LANGUAGE="fr")) == "fr"


def test_a_new_account_keeps_the_choice_of_its_browser(client: Client) -> None:
    client.post("/accounts/language/", {"language": "de"})
    client.post("/accounts/guest/")
    assert User.objects.get(is_guest=True).language == "de"
    other = Client()
    other.post("/accounts/language/", {"language": "fr"})
    words = "a long word or two"
    other.post("/accounts/signup/", {"username": "eve", "password1": words})
    assert User.objects.get(username="eve").language == "fr"


def test_an_unknown_language_is_refused_and_changes_nothing(ann: User) -> None:
    client = as_(ann)
    for wrong in ("xx", "", "de-AT", "../de"):
        answer = client.post("/accounts/language/", {"language": wrong}, follow=True)
        assert "Choose one of the languages in the list." in answer.content.decode()
        assert site_settings.LANGUAGE_COOKIE_NAME not in client.cookies
    ann.refresh_from_db()
    assert ann.language == ""
    client.cookies[site_settings.LANGUAGE_COOKIE_NAME] = "xx"
    assert language_of(client) == "en"


def test_a_choice_leads_to_no_other_site(client: Client) -> None:
    answer = client.post("/accounts/language/", {"language": "de", "next": "https://evil.example/"})
    assert answer.headers["Location"] == "/"


def test_every_page_offers_the_languages_each_under_its_own_name(
    casino: TableClient, ann: User
) -> None:
    for path in ("/", "/account/", "/rules/", f"/tables/{casino.table_id}/"):
        text = as_(ann, **GERMAN).get(path).content.decode()
        assert text.count(f'action="{reverse("set-language")}"') == 1, path
        for code, name in site_settings.LANGUAGES:
            assert f'<option value="{code}" lang="{code}"' in text
            assert f">{name}</option>" in text
        assert '<option value="de" lang="de" selected>' in text


def test_a_site_with_one_language_offers_none(client: Client, settings: Settings) -> None:
    settings.LANGUAGES = [("en", "English")]
    client.defaults |= GERMAN
    assert language_of(client) == "en"
    assert reverse("set-language") not in client.get("/").content.decode()


def test_operators_pages_are_in_english(ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(language="de", is_staff=True, is_superuser=True)
    boss = as_(User.objects.get(pk=ann.pk))
    for path in ("/admin/", "/admin/nothing/"):
        text = boss.get(path, follow=True).content.decode()
        assert '<html lang="en' in text
        assert "⟦" not in text
    assert language_of(boss) == "de"


# Caches


def test_no_cache_serves_a_page_in_the_language_of_somebody_else(client: Client) -> None:
    for path in ("/", "/rules/", "/nothing/"):
        vary = client.get(path).headers["Vary"].lower()
        assert "accept-language" in vary
        assert "cookie" in vary


def test_the_words_of_scripts_are_cached_for_everybody(casino: TableClient) -> None:
    text = Client(**GERMAN).get(f"/tables/{casino.table_id}/").content.decode()
    (path,) = re.findall(r'src="(/jsi18n/[^"]*)"', text)
    for reader in (Client(**GERMAN), Client(HTTP_ACCEPT_LANGUAGE="fr"), Client()):
        served = reader.get(path)
        assert "⟦Ten seconds left.⟧" in served.content.decode()
        assert "immutable" in served.headers["Cache-Control"]
        assert "accept-language" not in served.headers.get("Vary", "").lower()


# At a table


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_each_page_is_refused_in_its_own_language(
    casino: TableClient, ann: User, ben: User
) -> None:
    async with (
        page(casino.table_id, ann, language="de") as german,
        page(casino.table_id, ben, language="en") as english,
        page(casino.table_id, language="de") as watcher,
    ):
        for number in range(3):  # in turn: a thread keeps no language of the command before
            bet = {"t": "bet", "turn": 1, "stake": 100 + number}
            assert (await german.send(**bet))["message"].startswith("⟦")
            assert "⟦" not in (await english.send(**bet))["message"]
        assert (await german.send(t="say", text=""))["message"].startswith("⟦A message has")
        assert (await english.send(t="say", text=""))["message"].startswith("A message has")
        assert (await watcher.send(t="sit", seat=1))["message"] == "⟦Log in to play.⟧"
        await english.communicator.send_to(text_data="x")
        assert "⟦" not in (await english.frame_of("err"))["message"]
        await german.communicator.send_to(text_data="x")
        assert (await german.frame_of("err"))["message"].startswith("⟦")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_a_page_without_a_language_gets_that_of_its_account(
    casino: TableClient, ann: User
) -> None:
    await User.objects.filter(pk=ann.pk).aupdate(language="de")
    async with page(casino.table_id, ann, language="") as anns:
        assert (await anns.send(t="say", text=""))["message"].startswith("⟦A message has")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_a_form_is_answered_from_the_writer_thread_in_the_language_of_the_page(
    casino: TableClient, ann: User
) -> None:
    text = as_(ann, **GERMAN).post("/rebuy/", follow=True).content.decode()
    assert "⟧10." in text
    as_(ann).post(f"/tables/{casino.table_id}/seats/3/")
    answer = as_(new_player("eve"), **GERMAN).post(
        f"/tables/{casino.table_id}/seats/3/", follow=True
    )
    (message,) = re.findall(r'class="message error">([^<]*)', answer.content.decode())
    assert "⟦" in message
    assert message != f"⟦{TRY_AGAIN}⟧"


def test_a_stored_reason_is_read_in_the_language_of_the_reader(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.now += dt.timedelta(hours=24, minutes=5)
    with translation.override("de"):  # whoever notices it
        (change,) = recovery.resume_after_outage(casino.table_id, casino.now)
    (broken_off,) = [e for e in change.changed.events if e["type"] == "round_broken_off"]
    assert broken_off["because"] == IS_TOO_OLD
    assert "⟦" not in IS_TOO_OLD
    path = f"/rounds/{Round.objects.latest('pk').pk}/"
    assert f"⟦{IS_TOO_OLD}⟧" in as_(ann, **GERMAN).get(path).content.decode()
    english = as_(ann).get(path).content.decode()
    assert IS_TOO_OLD in english
    assert "⟦" not in english


def test_the_scripts_know_every_stored_sentence() -> None:
    stored = {getattr(aborted_rounds, name) for name in dir(aborted_rounds) if name[:3] == "IS_"}
    ids = {m.id for m in pseudo_locale.read_catalog(pseudo_locale.CATALOGS / "djangojs.po")}
    assert len(stored) == 4
    assert stored | {racks.WAITS} <= ids


# E-mails and files


def test_an_e_mail_is_in_the_language_of_its_recipient(ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(email="ann@example.com", language="de")
    for language in ("en", "fr", "de"):
        mail.outbox.clear()
        cache.clear()
        visitor = Client(HTTP_ACCEPT_LANGUAGE=language)
        visitor.post("/accounts/password/reset/", {"email": "ann@example.com"})
        (letter,) = mail.outbox
        assert "⟦" in letter.subject
        assert "⟦" in letter.body
    mail.outbox.clear()
    cache.clear()
    Client(**GERMAN).post("/accounts/password/reset/", {"email": "nobody@example.com"})
    (letter,) = mail.outbox
    assert "⟦" in letter.subject


def test_a_notice_is_in_the_language_of_its_recipient(ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(email="ann@example.com", language="de")
    client = as_(User.objects.get(pk=ann.pk), HTTP_ACCEPT_LANGUAGE="fr")
    client.get("/accounts/email/")
    client.post("/accounts/email/", {"action_add": "", "email": "new@example.com"})
    assert mail.outbox
    assert all("⟦" in letter.subject and "⟦" in letter.body for letter in mail.outbox)


def test_a_download_is_in_the_language_of_the_page(ann: User) -> None:
    answer = as_(ann, **GERMAN).get("/statement.csv")
    text = b"".join(answer.streaming_content).decode()
    assert text.startswith("\ufeff⟦Time⟧") or text.startswith("⟦Time⟧")


# Amounts


@pytest.mark.parametrize("language", ["en", "de", "es", "fr"])
@pytest.mark.parametrize(
    ("typed", "hundredths"),
    [
        ("7.5", 750), ("7,5", 750), ("7,50", 750), ("1,157.50", 115750), ("1.157,50", 115750),
        ("75", 7500), ("7,5,0", None), ("7,500,5", None),
        ("1,15", 115),
    ],
)  # fmt: skip
def test_a_decimal_comma_is_understood_or_refused(
    language: str, typed: str, hundredths: int | None
) -> None:
    with translation.override(language):
        try:
            assert MoneyField(most=100_000_000).clean(typed) == hundredths
        except ValidationError:
            assert hundredths is None


def test_an_own_limit_with_a_decimal_comma_is_understood(ann: User) -> None:
    answer = as_(ann, **GERMAN).post("/account/limits/loss/", {"amount": "7,5"}, follow=True)
    assert "7,50" in answer.content.decode()
    refused = as_(ann, **GERMAN).post("/account/limits/loss/", {"amount": "1,157"})
    assert "field-errors" in refused.content.decode()
    as_(ann, **GERMAN).post("/account/limits/loss/", {"amount": "1.157"})
    assert "1.157" in as_(ann, **GERMAN).get("/account/limits/").content.decode()
    assert "1,157" in as_(ann).get("/account/limits/").content.decode()


def test_amounts_of_pages_follow_the_reader_and_those_of_files_do_not(ann: User) -> None:
    as_(ann).post("/account/limits/loss/", {"amount": "1,157.50"})
    for language, written in (("en", "1,157.50"), ("de", "1.157,50"), ("fr", "1\u202f157,50")):
        reader = as_(ann, HTTP_ACCEPT_LANGUAGE=language)
        assert written in reader.get("/account/limits/").content.decode()
        download = reader.get("/statement.csv")
        text = b"".join(download.streaming_content).decode()
        assert ",500.00,500.00" in text
